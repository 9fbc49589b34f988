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
pub use crate::goal_tokens::GoalError;
use crate::goal_tokens::{Tokens, without_comments};
pub use crate::goal_writer::write;
use crate::graph::{Graph, Kind, Slice, VertexId};
use crate::order::in_order;
use std::collections::{BTreeMap, BTreeSet};

/// Most ranks of a file.
const MOST_RANKS: u64 = 65_536;

/// Most nanoseconds of a `calc`: the longest delay of a scenario, 18 minutes.
const LONGEST: u64 = 1 << 40;

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
    let clean = without_comments(text)?;
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
        let mut ends: Vec<Vec<VertexId>> = vec![Vec::new(); tasks.len()];
        let mut starts: Vec<Vec<VertexId>> = vec![Vec::new(); tasks.len()];
        // A host does one work after the other, in this order: each starts when the one before has ended.
        let mut work_before: Option<VertexId> = None;
        for number in sorted(tasks)? {
            let task = &tasks[number];
            let ended = task
                .requires
                .iter()
                .flat_map(|before| ends[*before].clone());
            let started = task
                .starts_after
                .iter()
                .flat_map(|before| starts[*before].clone());
            let after: BTreeSet<VertexId> = ended.chain(started).collect();
            let after: Vec<VertexId> = after.into_iter().collect();
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
            ends[number] = vertex.map_or(after.clone(), |vertex| vec![vertex]);
            starts[number] = after;
            if let What::Calc { cycles: 1.. } = task.what {
                starts[number].extend(work_before);
                work_before = vertex;
            }
        }
    }
    Ok(graph)
}

/// The tasks of a rank, each after those that it requires, else in the order of the file. Errors: one waits for itself.
fn sorted(tasks: &[Task]) -> Result<Vec<usize>, GoalError> {
    let before: Vec<Vec<usize>> = tasks
        .iter()
        .map(|task| [&task.requires[..], &task.starts_after[..]].concat())
        .collect();
    in_order(&before).map_err(|stuck| GoalError {
        line: tasks[stuck].line,
        what: format!("'{}' waits for itself", tasks[stuck].label),
    })
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
