//! Cases of the kind `mpi` on a matcher alone. What waits at the end follows from what became of each step. A step that
//! a matcher's rules do not have makes its case unsupported.

use super::{MpiResult, Step, Wanted, against, shape};
use crate::cases::{NotRun, part};
use crate::matchers::{Came, Kind, Matcher};
use serde_json::Value;
use std::collections::BTreeMap;
use xtq_engine::Error;
use xtq_mpi_trace::{Arrival, Happening, Receive};

/// What the engine says of the hardware.
fn failed(error: Error) -> NotRun {
    NotRun::Failed(error.to_string())
}

/// The result of a case and how it differs from `expect`.
pub fn run(case: &Value, kind: Kind) -> Result<(Value, Vec<String>), NotRun> {
    shape(case)?;
    let steps = part::<Vec<Step>>(case, "steps")?;
    let body = kind.body().map_err(failed)?;
    let mut played = Played {
        kind,
        matcher: kind.build(&body, true).map_err(failed)?,
        names: BTreeMap::new(),
        receives: vec![],
        messages: vec![],
        result: MpiResult::default(),
    };
    for (number, step) in steps.iter().enumerate() {
        played.step(number, step)?;
    }
    let name = |number: &usize| played.names[number].clone();
    played.result.prq = played.receives.iter().map(name).collect();
    played.result.umq = played.messages.iter().map(name).collect();
    against(case, &played.result)
}

/// A matcher in the middle of a case.
struct Played {
    kind: Kind,
    matcher: Box<dyn Matcher>,
    /// Names of receives and messages, by their steps.
    names: BTreeMap<usize, String>,
    /// Receives and messages that wait, oldest first.
    receives: Vec<usize>,
    messages: Vec<usize>,
    result: MpiResult,
}

impl Played {
    fn step(&mut self, number: usize, step: &Step) -> Result<(), NotRun> {
        match step {
            Step::Post(name, wanted) => {
                let receive = self.receive(wanted)?;
                self.names.insert(number, name.clone());
                match self.came(number, Happening::Post(receive))? {
                    Some(message) => self.pair(number, message),
                    None => self.receives.push(number),
                }
            }
            Step::Arrive {
                name,
                source,
                tag,
                context,
            } => {
                let arrival = Arrival {
                    from: (*source).into(),
                    tag: *tag as i32,
                    comm: (*context).into(),
                };
                self.names.insert(number, name.clone());
                match self.came(number, Happening::Arrive(arrival))? {
                    Some(receive) => self.pair(receive, number),
                    None => self.messages.push(number),
                }
            }
            Step::Probe(wanted) => self.search(wanted, false)?,
            Step::Mprobe(wanted) => self.search(wanted, true)?,
            Step::Cancel(name) => {
                self.searches("a receive cannot be cancelled")?;
                let mut named = self.names.iter();
                let Some((receive, _)) = named.find(|(_, other)| *other == name) else {
                    let why = format!("steps[{number}]: no such receive");
                    return Err(NotRun::Malformed(why));
                };
                let receive = *receive;
                if self.matcher.cancel(receive).map_err(failed)? {
                    self.receives.retain(|other| *other != receive);
                }
            }
        }
        Ok(())
    }

    /// A receive that the matcher's rules have.
    fn receive(&self, wanted: &Wanted) -> Result<Receive, NotRun> {
        let receive = Receive {
            from: wanted.source.map(u32::from),
            tag: wanted.tag.map(|tag| tag as i32),
            comm: wanted.context.into(),
            blocking: false,
        };
        match self.kind.takes(&receive) {
            true => Ok(receive),
            false => Err(NotRun::unsupported(
                "WILDCARD",
                format!("{} takes no such receive", self.kind.name()),
            )),
        }
    }

    fn searches(&self, what: &str) -> Result<(), NotRun> {
        match self.kind.searches() {
            true => Ok(()),
            false => Err(NotRun::unsupported(
                "SEARCH",
                format!("{}: {what}", self.kind.name()),
            )),
        }
    }

    /// The partner of a receive or a message; nothing if it waits.
    fn came(&mut self, number: usize, what: Happening) -> Result<Option<usize>, NotRun> {
        let played = self.matcher.play(&[(number, what)]).map_err(failed)?;
        match played.came[..] {
            [Came::Matched(partner)] => Ok(Some(partner)),
            [Came::Waits] => Ok(None),
            _ => Err(NotRun::Failed(format!(
                "steps[{number}]: the matcher refuses it"
            ))),
        }
    }

    fn pair(&mut self, receive: usize, message: usize) {
        self.receives.retain(|other| *other != receive);
        self.messages.retain(|other| *other != message);
        let name = |number| self.names.get(&number).cloned();
        let name = |number| name(number).unwrap_or(format!("step {number}"));
        let pair = (name(receive), name(message));
        self.result.pairs.push(pair);
    }

    fn search(&mut self, wanted: &Wanted, take: bool) -> Result<(), NotRun> {
        self.searches("messages cannot be searched for")?;
        let receive = self.receive(wanted)?;
        let found = self.matcher.search(&receive, take).map_err(failed)?;
        if take {
            self.messages.retain(|other| Some(*other) != found);
        }
        let name = found.map(|number| self.names[&number].clone());
        self.result.probes.push(name);
        Ok(())
    }
}
