//! GOAL text, the graphs of LogGOPSim (Hoefler, Siebert, Lumsdaine, ICPP 2009), read and written.
//!
//! ```text
//!   num_ranks 2
//!   rank 0 { a: send 64b to 1 tag 7   b: calc 100   b requires a }
//!   rank 1 { c: recv 64b from 0 tag 7 }
//! ```
//!
//! `requires` is an edge. `irequires` lets a vertex start when another has started, so it gets the edges of that. A
//! `calc` is work of the rank's host, a cycle a nanosecond; one of no time is nothing: what requires it requires what
//! it requires. GOAL says nothing of memory: each receive has bytes of its own, all sends of a rank read from the same.
//! A receive from -1 is from any rank, one with tag -1 of any tag.

use crate::error::GraphError;
pub use crate::goal_writer::write;
use crate::graph::{Graph, Kind, Slice, VertexId};
use std::collections::BTreeMap;
use thiserror::Error;

/// What is wrong with a GOAL file.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("line {line}: {what}")]
pub struct GoalError {
    /// The line, from 1.
    pub line: usize,
    /// What is wrong there.
    pub what: String,
}

/// Most ranks of a file.
const MOST_RANKS: u64 = 65_536;

/// Nanoseconds of a `calc`: an hour.
const LONGEST: u64 = 3_600_000_000_000;

/// A word or a sign, with its line.
type Token<'a> = (usize, &'a str);

/// A task of a rank as it is written.
struct Task<'a> {
    line: usize,
    label: &'a str,
    what: What,
    requires: Vec<usize>,
    starts_after: Vec<usize>,
}

#[derive(Clone, Copy)]
enum What {
    Send {
        bytes: u64,
        to: u64,
        tag: u32,
    },
    Recv {
        bytes: u64,
        /// None: any rank.
        from: Option<u64>,
        tag: Option<u32>,
    },
    Calc {
        cycles: u64,
    },
}

/// Reads a graph. Errors: the first thing that is wrong, with its line.
pub fn read(text: &str) -> Result<Graph, GoalError> {
    let clean = without_comments(text);
    let mut tokens = Tokens::new(&clean);
    tokens.expect("num_ranks")?;
    let ranks = tokens.number("a number of ranks")?;
    if ranks == 0 || ranks > MOST_RANKS {
        return Err(tokens.fault(format!("{ranks} ranks are not from 1 to {MOST_RANKS}")));
    }
    let mut tasks: BTreeMap<u64, Vec<Task>> = BTreeMap::new();
    while tokens.peek().is_some() {
        tokens.expect("rank")?;
        let rank = tokens.number("a rank")?;
        if rank >= ranks {
            return Err(tokens.fault(format!("rank {rank} is not below {ranks}")));
        }
        let of_rank = read_rank(&mut tokens)?;
        if tasks.insert(rank, of_rank).is_some() {
            return Err(tokens.fault(format!("rank {rank} is there twice")));
        }
    }
    build(ranks as usize, &tasks)
}

fn read_rank<'a>(tokens: &mut Tokens<'a>) -> Result<Vec<Task<'a>>, GoalError> {
    tokens.expect("{")?;
    let mut tasks: Vec<Task> = Vec::new();
    let mut labels: BTreeMap<&str, usize> = BTreeMap::new();
    loop {
        let (line, word) = tokens.next("a task or }")?;
        if word == "}" {
            return Ok(tasks);
        }
        match tokens.peek() {
            Some((_, kind @ ("requires" | "irequires"))) => {
                tokens.next("requires")?;
                let (other_line, other) = tokens.next("a label")?;
                let find = |line: usize, label: &str| {
                    labels.get(label).copied().ok_or_else(|| GoalError {
                        line,
                        what: format!("no task above has the label '{label}'"),
                    })
                };
                let (task, before) = (find(line, word)?, find(other_line, other)?);
                match kind {
                    "requires" => tasks[task].requires.push(before),
                    _ => tasks[task].starts_after.push(before),
                }
            }
            Some((_, ":")) => {
                tokens.next(":")?;
                let (_, verb) = tokens.next("send, recv or calc")?;
                if labels.insert(word, tasks.len()).is_some() {
                    return Err(GoalError {
                        line,
                        what: format!("the label '{word}' is there twice"),
                    });
                }
                tasks.push(read_task(tokens, line, word, verb)?);
            }
            _ => tasks.push(read_task(tokens, line, "", word)?),
        }
    }
}

fn read_task<'a>(
    tokens: &mut Tokens<'a>,
    line: usize,
    label: &'a str,
    verb: &str,
) -> Result<Task<'a>, GoalError> {
    let what = match verb {
        "send" => {
            let bytes = tokens.size()?;
            tokens.expect("to")?;
            let to = tokens.number("a rank")?;
            let tag = tokens.tag()?;
            let tag = tag.ok_or_else(|| tokens.fault("a send has one tag, not -1".to_owned()))?;
            What::Send { bytes, to, tag }
        }
        "recv" => {
            let bytes = tokens.size()?;
            tokens.expect("from")?;
            let from = tokens.source()?;
            What::Recv {
                bytes,
                from,
                tag: tokens.tag()?,
            }
        }
        "calc" => {
            let cycles = tokens.number("nanoseconds")?;
            if cycles > LONGEST {
                return Err(tokens.fault(format!("{cycles} nanoseconds are more than {LONGEST}")));
            }
            What::Calc { cycles }
        }
        other => {
            return Err(GoalError {
                line,
                what: format!("'{other}' is not send, recv, calc or a label"),
            });
        }
    };
    // Which processor and which interface do it is of no meaning here.
    while let Some((_, "cpu" | "nic")) = tokens.peek() {
        tokens.next("cpu or nic")?;
        tokens.number("its number")?;
    }
    Ok(Task {
        line,
        label,
        what,
        requires: Vec::new(),
        starts_after: Vec::new(),
    })
}

/// The graph of all tasks.
fn build(ranks: usize, tasks: &BTreeMap<u64, Vec<Task>>) -> Result<Graph, GoalError> {
    let of_graph = |line: usize| {
        move |error: GraphError| GoalError {
            line,
            what: error.to_string(),
        }
    };
    let mut graph = Graph::new(ranks).map_err(of_graph(1))?;
    for (rank, tasks) in tasks {
        let rank = *rank as usize;
        let sends = tasks.iter().filter_map(|task| match task.what {
            What::Send { bytes, .. } => Some(bytes),
            _ => None,
        });
        let line = tasks.first().map_or(1, |task| task.line);
        let source = graph
            .buffer(rank, sends.max().unwrap_or(0))
            .map_err(of_graph(line))?;
        // What has completed when a task has, and what has when it starts.
        let mut ends: Vec<Vec<VertexId>> = Vec::new();
        let mut starts: Vec<Vec<VertexId>> = Vec::new();
        for (number, task) in tasks.iter().enumerate() {
            let later = task
                .requires
                .iter()
                .chain(&task.starts_after)
                .find(|before| **before >= number);
            if let Some(before) = later {
                return Err(GoalError {
                    line: task.line,
                    what: format!(
                        "'{}' requires '{}', which is not above it",
                        task.label, tasks[*before].label
                    ),
                });
            }
            let ended = task
                .requires
                .iter()
                .flat_map(|before| ends[*before].clone());
            let started = task
                .starts_after
                .iter()
                .flat_map(|before| starts[*before].clone());
            let after: Vec<VertexId> = ended.chain(started).collect();
            let vertex = match task.what {
                What::Send { bytes, to, tag } => graph
                    .send(rank, source.part(0, bytes), to as usize, tag)
                    .map(Some),
                What::Recv { bytes, from, tag } => graph
                    .buffer(rank, bytes)
                    .and_then(|into| match from {
                        Some(from) => graph.recv(rank, into, from as usize, tag),
                        None => graph.recv_from_any(rank, into, tag),
                    })
                    .map(Some),
                What::Calc { cycles: 0 } => Ok(None),
                What::Calc { cycles } => graph.work(rank, cycles).map(Some),
            };
            let vertex = vertex.map_err(of_graph(task.line))?;
            if let Some(vertex) = vertex {
                for before in &after {
                    graph.after(vertex, *before).map_err(of_graph(task.line))?;
                }
            }
            ends.push(vertex.map_or(after.clone(), |vertex| vec![vertex]));
            starts.push(after);
        }
    }
    Ok(graph)
}

/// Memories of a graph of GOAL before it runs: the first buffer of each rank, from which it sends, has bytes that
/// depend on the rank.
pub fn memory(graph: &Graph) -> Vec<Vec<u8>> {
    let sends = graph
        .vertices()
        .iter()
        .filter_map(|vertex| match vertex.kind {
            Kind::Send { bytes, .. } => Some((vertex.rank, bytes)),
            _ => None,
        });
    let mut memory: Vec<Vec<u8>> = (0..graph.ranks())
        .map(|rank| vec![0; graph.memory(rank) as usize])
        .collect();
    for (rank, Slice { at, length }) in sends {
        for (place, byte) in memory[rank][at as usize..(at + length) as usize]
            .iter_mut()
            .enumerate()
        {
            *byte = (rank * 31 + place * 7 + 1) as u8;
        }
    }
    memory
}

/// Spaces in the place of comments, so that lines stay.
fn without_comments(text: &str) -> String {
    let mut clean = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find('/') {
        clean.push_str(&rest[..at]);
        let comment = &rest[at..];
        let end = match comment.as_bytes().get(1) {
            Some(b'/') => comment.find('\n').unwrap_or(comment.len()),
            Some(b'*') => comment.find("*/").map_or(comment.len(), |end| end + 2),
            _ => {
                clean.push('/');
                rest = &comment[1..];
                continue;
            }
        };
        clean.extend(
            comment[..end]
                .chars()
                .map(|c| if c == '\n' { '\n' } else { ' ' }),
        );
        rest = &comment[end..];
    }
    clean.push_str(rest);
    clean
}

/// The words and signs of a file.
struct Tokens<'a> {
    all: Vec<Token<'a>>,
    next: usize,
}

impl<'a> Tokens<'a> {
    fn new(text: &'a str) -> Self {
        let mut all = Vec::new();
        for (number, line) in text.lines().enumerate() {
            for word in line.split_whitespace() {
                let mut rest = word;
                while let Some(at) = rest.find([':', '{', '}']) {
                    let signs = [&rest[..at], &rest[at..at + 1]];
                    all.extend(
                        signs
                            .into_iter()
                            .filter(|sign| !sign.is_empty())
                            .map(|sign| (number + 1, sign)),
                    );
                    rest = &rest[at + 1..];
                }
                if !rest.is_empty() {
                    all.push((number + 1, rest));
                }
            }
        }
        Self { all, next: 0 }
    }

    fn peek(&self) -> Option<Token<'a>> {
        self.all.get(self.next).copied()
    }

    fn next(&mut self, wanted: &str) -> Result<Token<'a>, GoalError> {
        let token = self
            .peek()
            .ok_or_else(|| self.fault(format!("the file ends, {wanted} is missing")))?;
        self.next += 1;
        Ok(token)
    }

    fn expect(&mut self, wanted: &str) -> Result<(), GoalError> {
        let (line, word) = self.next(wanted)?;
        match word == wanted {
            true => Ok(()),
            false => Err(GoalError {
                line,
                what: format!("'{word}' is not {wanted}"),
            }),
        }
    }

    fn number(&mut self, wanted: &str) -> Result<u64, GoalError> {
        let (line, word) = self.next(wanted)?;
        word.parse().map_err(|_| GoalError {
            line,
            what: format!("'{word}' is not {wanted}"),
        })
    }

    /// Bytes, as `64b`.
    fn size(&mut self) -> Result<u64, GoalError> {
        let (line, word) = self.next("a size")?;
        let digits = word.strip_suffix('b').unwrap_or(word);
        digits.parse().map_err(|_| GoalError {
            line,
            what: format!("'{word}' is not a size, as 64b"),
        })
    }

    /// The rank that a receive is from; -1 is any.
    fn source(&mut self) -> Result<Option<u64>, GoalError> {
        match self.peek() {
            Some((_, "-1")) => self.next("a rank").map(|_| None),
            _ => self.number("a rank, or -1 for any").map(Some),
        }
    }

    /// A tag, if there is one; -1 is any.
    fn tag(&mut self) -> Result<Option<u32>, GoalError> {
        if !matches!(self.peek(), Some((_, "tag"))) {
            return Ok(Some(0));
        }
        self.expect("tag")?;
        let (line, word) = self.next("a tag")?;
        match word {
            "-1" => Ok(None),
            word => word.parse().map(Some).map_err(|_| GoalError {
                line,
                what: format!("'{word}' is not a tag"),
            }),
        }
    }

    /// At the last token that was taken.
    fn fault(&self, what: String) -> GoalError {
        let last = self
            .next
            .saturating_sub(1)
            .min(self.all.len().saturating_sub(1));
        GoalError {
            line: self.all.get(last).map_or(1, |token| token.0),
            what,
        }
    }
}
