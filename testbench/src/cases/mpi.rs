//! Kind `mpi`: message matching, played to one node. MPI's receives are match entries.
//!
//! match_bits are context (16 bits), source (16) and tag (32). A receive is a USE_ONCE entry of the priority list; the
//! unexpected messages are the headers of one overflow entry. A probe is a search that leaves what it finds, an mprobe
//! one that removes it, a cancel unlinks. Messages have no data and carry their number as header data, so that events
//! show which message they are about.

pub mod matcher;

use super::portals::{PORTAL_EVENTS, PortalsNodes};
use super::{NotRun, part, to_value};
use crate::input::strict;
use crate::portals::{
    AckRequest, Command, Detail, EntryId, EventKind, List, MatchEntry, MeOption, NodeConfig,
    Portal, PortalOptions, Rank, Request, RequestKind, Search,
};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use std::collections::BTreeMap;

/// The node that matches, and its only portal.
const NODE: Rank = Rank(0);
const PORTAL: Portal = Portal(0);
/// User pointer and number of the overflow entry.
const OVERFLOW: u32 = u32::MAX;

/// What a receive or a probe asks for.
#[derive(Clone, Copy, Debug)]
struct Wanted {
    /// None: MPI_ANY_SOURCE.
    source: Option<u16>,
    /// None: MPI_ANY_TAG.
    tag: Option<u32>,
    context: u16,
}

#[derive(Debug, Deserialize)]
#[serde(try_from = "Vec<Value>")]
enum Step {
    Post(String, Wanted),
    Arrive {
        name: String,
        source: u16,
        tag: u32,
        context: u16,
    },
    Probe(Wanted),
    Mprobe(Wanted),
    Cancel(String),
}

/// The forms a step can have, for error messages.
const FORMS: &str = "[post, id, source, tag, comm], [arrive, id, source, tag, comm], [probe, source, tag, comm], \
                     [mprobe, source, tag, comm], [cancel, id]";

impl TryFrom<Vec<Value>> for Step {
    type Error = String;

    fn try_from(list: Vec<Value>) -> Result<Self, String> {
        let (op, arguments) = match list.split_first() {
            Some((Value::String(op), arguments)) => (op.as_str(), arguments),
            _ => return Err(format!("a step is one of {FORMS}")),
        };
        Ok(match (op, arguments) {
            ("post", [id, source, tag, comm]) => {
                Self::Post(argument("id", id)?, wanted(source, tag, comm)?)
            }
            ("arrive", [id, source, tag, comm]) => Self::Arrive {
                name: argument("id", id)?,
                source: argument("source", source)?,
                tag: argument("tag", tag)?,
                context: argument("comm", comm)?,
            },
            ("probe", [source, tag, comm]) => Self::Probe(wanted(source, tag, comm)?),
            ("mprobe", [source, tag, comm]) => Self::Mprobe(wanted(source, tag, comm)?),
            ("cancel", [id]) => Self::Cancel(argument("id", id)?),
            _ => {
                let count = arguments.len();
                return Err(format!(
                    "\"{op}\" with {count} arguments is none of {FORMS}"
                ));
            }
        })
    }
}

fn argument<'a, T: Deserialize<'a>>(name: &str, value: &'a Value) -> Result<T, String> {
    strict::from_json(value)
        .map_err(|(inner, fault)| format!("{}: {fault}", strict::key_in(name, &inner)))
}

fn wanted(source: &Value, tag: &Value, comm: &Value) -> Result<Wanted, String> {
    let any = Value::from(-1);
    let source = (*source != any).then(|| argument("source", source));
    let tag = (*tag != any).then(|| argument("tag", tag));
    Ok(Wanted {
        source: source.transpose()?,
        tag: tag.transpose()?,
        context: argument("comm", comm)?,
    })
}

/// What is left and what was paired, by the names of the case.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct MpiResult {
    /// Receive and message, in the order of matching.
    pub pairs: Vec<(String, String)>,
    /// Receives that wait, oldest first.
    pub prq: Vec<String>,
    /// Messages that wait, oldest first.
    pub umq: Vec<String>,
    /// What each probe found.
    pub probes: Vec<Option<String>>,
}

/// The bits of an envelope; what is any is 0.
fn bits(context: u16, source: u16, tag: u32) -> u64 {
    u64::from(context) << 48 | u64::from(source) << 32 | u64::from(tag)
}

impl Wanted {
    /// An entry that takes one message of this kind.
    fn entry(self, user_ptr: u32) -> MatchEntry {
        let any_source = if self.source.is_none() {
            bits(0, u16::MAX, 0)
        } else {
            0
        };
        let any_tag = if self.tag.is_none() {
            bits(0, 0, u32::MAX)
        } else {
            0
        };
        MatchEntry {
            options: [MeOption::OpPut, MeOption::UseOnce].into_iter().collect(),
            match_bits: bits(
                self.context,
                self.source.unwrap_or(0),
                self.tag.unwrap_or(0),
            ),
            ignore_bits: any_source | any_tag,
            user_ptr: user_ptr.into(),
            ..MatchEntry::default()
        }
    }
}

/// A step as a command, if it is one. `user_ptr` is the number of the step.
fn command(step: &Step, user_ptr: u32, receives: &BTreeMap<&str, u32>) -> Option<Command> {
    let search = |kind, wanted: &Wanted| Command::MeSearch {
        portal: PORTAL,
        kind,
        me: wanted.entry(user_ptr),
    };
    match step {
        Step::Post(_, wanted) => Some(Command::MeAppend {
            id: EntryId(user_ptr),
            portal: PORTAL,
            list: List::Priority,
            me: wanted.entry(user_ptr),
        }),
        Step::Probe(wanted) => Some(search(Search::Only, wanted)),
        Step::Mprobe(wanted) => Some(search(Search::Delete, wanted)),
        Step::Cancel(name) => {
            let number = receives.get(name.as_str())?;
            Some(Command::MeUnlink(EntryId(*number)))
        }
        Step::Arrive { .. } => None,
    }
}

/// A node that can match: one portal, one overflow entry that takes everything.
fn open<N: PortalsNodes>() -> Result<N, NotRun> {
    let config = NodeConfig {
        queues: vec![1 << 16],
        ..NodeConfig::default()
    };
    let mut nodes = N::open(&BTreeMap::from([(NODE, config)]))?;
    let options = PortalOptions {
        flowctrl: false,
        matching: true,
        queue: Some(PORTAL_EVENTS),
    };
    let overflow = MatchEntry {
        options: [MeOption::OpPut].into_iter().collect(),
        ignore_bits: u64::MAX,
        user_ptr: OVERFLOW.into(),
        ..MatchEntry::default()
    };
    let append = Command::MeAppend {
        id: EntryId(OVERFLOW),
        portal: PORTAL,
        list: List::Overflow,
        me: overflow,
    };
    for command in [Command::PtAlloc(PORTAL, options), append] {
        post(&mut nodes, command)?;
    }
    Ok(nodes)
}

fn post<N: PortalsNodes>(nodes: &mut N, command: Command) -> Result<(), NotRun> {
    let refused = |why| NotRun::Failed(format!("the node refuses: {why}"));
    nodes.post(NODE, None, command)?.map_err(refused)
}

/// Plays the steps; a step's number is the user pointer or the header data of what it makes.
fn play<N: PortalsNodes>(steps: &[Step]) -> Result<(N, MpiResult), NotRun> {
    let mut nodes = open::<N>()?;
    let mut receives = BTreeMap::new();
    for (number, step) in steps.iter().enumerate() {
        if let Step::Post(name, _) = step {
            receives.insert(name.as_str(), number as u32);
        }
        match (step, command(step, number as u32, &receives)) {
            (_, Some(command)) => post(&mut nodes, command)?,
            (
                Step::Arrive {
                    source,
                    tag,
                    context,
                    ..
                },
                None,
            ) => nodes.receive(&message(number, *source, bits(*context, *source, *tag)))?,
            _ => {
                return Err(NotRun::Malformed(format!(
                    "steps[{number}]: no such receive"
                )));
            }
        }
    }
    let result = result(&mut nodes, steps)?;
    Ok((nodes, result))
}

fn message(number: usize, source: u16, match_bits: u64) -> Request {
    Request {
        kind: RequestKind::Put,
        source: Rank(source.into()),
        uid: source.into(),
        target: NODE,
        portal: PORTAL,
        match_bits,
        roffset: 0,
        rlength: 0,
        ack: AckRequest::None,
        hdr_data: number as u64,
        data: Vec::new(),
        operand: Vec::new(),
        handle: 0,
    }
}

/// Reads pairs, probes and what waits from the events; the node's own lists must agree.
fn result<N: PortalsNodes>(nodes: &mut N, steps: &[Step]) -> Result<MpiResult, NotRun> {
    let name = |number: u64| {
        let step = usize::try_from(number)
            .ok()
            .and_then(|number| steps.get(number));
        match step {
            Some(Step::Post(name, _) | Step::Arrive { name, .. }) => name.clone(),
            _ => format!("step {number}"),
        }
    };
    let is_probe = |user_ptr| {
        let step = usize::try_from(user_ptr)
            .ok()
            .and_then(|number| steps.get(number));
        matches!(step, Some(Step::Probe(_) | Step::Mprobe(_)))
    };
    let observed = nodes.observe(NODE)?;
    let mut result = MpiResult::default();
    let mut waiting = Vec::new();
    for event in &observed.events {
        let user_ptr = event.user_ptr.unwrap_or_default();
        let message = match event.detail {
            Detail::Target(detail) => Some(detail.hdr_data),
            _ => None,
        };
        match (event.kind, message) {
            (EventKind::Put, Some(message)) if user_ptr == u64::from(OVERFLOW) => {
                waiting.push(message);
            }
            (EventKind::Put, Some(message)) => result.pairs.push((name(user_ptr), name(message))),
            (EventKind::PutOverflow, Some(message)) => {
                waiting.retain(|other| *other != message);
                match is_probe(user_ptr) {
                    true => result.probes.push(Some(name(message))),
                    false => result.pairs.push((name(user_ptr), name(message))),
                }
            }
            (EventKind::Search, message) => result.probes.push(message.map(name)),
            _ => {}
        }
    }
    let lists = observed
        .state
        .lists
        .get(&PORTAL)
        .cloned()
        .unwrap_or_default();
    result.prq = lists
        .priority
        .iter()
        .map(|user_ptr| name(*user_ptr))
        .collect();
    result.umq = waiting.iter().map(|message| name(*message)).collect();
    if lists.unexpected != waiting.len() {
        result.umq.push(format!("{} headers", lists.unexpected));
    }
    Ok(result)
}

/// Plays a case to a node that is brought up for it; the node, and what it shows.
pub fn play_to<N: PortalsNodes>(case: &Value) -> Result<(N, MpiResult), NotRun> {
    play(&part::<Vec<_>>(case, "steps")?)
}

/// The result of a case and how it differs from `expect`.
pub fn run<N: PortalsNodes>(case: &Value) -> Result<(Value, Vec<String>), NotRun> {
    shape(case)?;
    let (_, result) = play_to::<N>(case)?;
    against(case, &result)
}

/// Looks at the shape of `expect`, before anything runs.
fn shape(case: &Value) -> Result<(), NotRun> {
    part::<MpiResult>(case, "expect").map(|_| ())
}

/// A result, and how it differs from `expect`.
fn against(case: &Value, result: &MpiResult) -> Result<(Value, Vec<String>), NotRun> {
    let mut expected = part::<Value>(case, "expect")?;
    let result = to_value(result)?;
    // What it does not say is not compared.
    if let (Value::Object(expected), Value::Object(result)) = (&mut expected, &result) {
        if expected.is_empty() {
            return Ok((
                Value::Object(result.clone()),
                vec!["expect: says nothing".to_owned()],
            ));
        }
        for (key, value) in result {
            expected.entry(key).or_insert_with(|| value.clone());
        }
    }
    let expected: MpiResult = part(&json!({"expect": expected}), "expect")?;
    let differences = super::differences(&to_value(&expected)?, &result);
    Ok((result, differences))
}
