//! Plays the steps of a case and collects what the nodes show, in the words of the case.

use super::commands::{NO_MD, command, request};
use super::expect::Results;
use super::names::Names;
use super::nodes::{MD_EVENTS, PORTAL_EVENTS, PortalsNodes};
use super::schema::{Action, Config, GivenNode, Step};
use super::show::node_result;
use crate::cases::NotRun;
use crate::cases::hex_bytes::HexBytes;
use crate::portals::{
    Command, CounterId, Limits, MdId, MemoryDescriptor, NodeConfig, OperationError, Portal,
    PortalOptions, Rank, Refusal, Trigger,
};
use std::collections::BTreeMap;

/// Places of either queue: no case fills them.
const QUEUE_PLACES: usize = 1 << 16;
/// The most memory of a node.
const MOST_MEMORY: usize = 1 << 24;

/// A case that is being played.
struct Play<N> {
    nodes: N,
    names: BTreeMap<u32, Names>,
    returns: BTreeMap<u32, Vec<String>>,
}

/// Plays a case to nodes that are brought up for it; these, and what they show.
pub(super) fn play<N: PortalsNodes>(
    config: &Config,
    steps: &[Step],
) -> Result<(N, Results), NotRun> {
    let configs = config.nodes.iter().map(|(rank, given)| {
        if given.mem_size > MOST_MEMORY {
            let why = format!("config.nodes.{rank}.mem_size: more than {MOST_MEMORY}");
            return Err(NotRun::unsupported("MEMORY", why));
        }
        let limits = given.limits.limits();
        let config = NodeConfig {
            limits: Limits {
                // One is for requests that name none.
                max_mds: limits.max_mds.saturating_add(1),
                ..limits
            },
            memory: vec![(0, given.mem_size)],
            queues: vec![QUEUE_PLACES; 2],
            fires_by_step: false,
            aligned_atomics: false,
        };
        Ok((Rank(*rank), config))
    });
    let mut play = Play {
        nodes: N::open(&configs.collect::<Result<_, _>>()?)?,
        names: BTreeMap::new(),
        returns: BTreeMap::new(),
    };
    let mut memories = BTreeMap::new();
    for (rank, given) in &config.nodes {
        let at = |why| place(&format!("config.nodes.{rank}"), why);
        memories.insert(*rank, play.set_up(*rank, given).map_err(at)?);
    }
    for (number, step) in steps.iter().enumerate() {
        play.step(step)
            .map_err(|why| place(&format!("steps[{number}]"), why))?;
    }
    let results = memories.iter().map(|(rank, memory)| {
        let observed = play.nodes.observe(Rank(*rank))?;
        let (names, returns) = (&play.names[rank], &play.returns[rank]);
        Ok((*rank, node_result(names, returns, memory, &observed)))
    });
    let results = results.collect::<Result<_, _>>()?;
    Ok((play.nodes, results))
}

/// An error with the place to which it belongs.
fn place(place: &str, why: NotRun) -> NotRun {
    match why {
        NotRun::Malformed(why) => NotRun::Malformed(format!("{place}: {why}")),
        NotRun::Unsupported { what, why } => NotRun::Unsupported {
            what,
            why: format!("{place}: {why}"),
        },
        NotRun::Failed(why) => NotRun::Failed(format!("{place}: {why}")),
    }
}

impl<N: PortalsNodes> Play<N> {
    /// Gives a node what it has before the first step; its memory.
    fn set_up(&mut self, rank: u32, given: &GivenNode) -> Result<Vec<u8>, NotRun> {
        let mut names = Names::default();
        let mut commands = vec![(
            String::new(),
            Command::MdBind(NO_MD, MemoryDescriptor::default()),
        )];
        for portal in &given.pts {
            let options = PortalOptions {
                flowctrl: portal.flowctrl,
                matching: portal.matching,
                queue: portal.eq.then_some(PORTAL_EVENTS),
            };
            let command = Command::PtAlloc(Portal(portal.index), options);
            commands.push((format!("pts: {}", portal.index), command));
        }
        for ct in &given.cts {
            commands.push((format!("cts: {ct}"), Command::CtAlloc(CounterId(*ct))));
        }
        for (number, md) in given.mds.iter().enumerate() {
            let id = MdId(number as u32 + 1);
            let descriptor = MemoryDescriptor {
                start: md.start,
                length: md.length,
                options: md.options.iter().copied().collect(),
                queue: Some(MD_EVENTS),
                counter: md.ct.map(CounterId),
            };
            names.mds.insert(md.id.clone(), id);
            commands.push((format!("mds: {}", md.id), Command::MdBind(id, descriptor)));
        }
        for (what, command) in commands {
            if let Err(refusal) = self.nodes.post(Rank(rank), None, command)? {
                return Err(NotRun::Malformed(format!("{what}: {refusal}")));
            }
        }
        let mut memory = vec![0; given.mem_size];
        for (address, HexBytes(bytes)) in &given.mem_init {
            let from = usize::try_from(*address).unwrap_or(usize::MAX);
            let piece = memory
                .get_mut(from..)
                .and_then(|rest| rest.get_mut(..bytes.len()));
            let outside = || NotRun::Malformed(format!("mem_init: {address}: outside memory"));
            piece.ok_or_else(outside)?.copy_from_slice(bytes);
            self.nodes.write_memory(Rank(rank), *address, bytes)?;
        }
        self.names.insert(rank, names);
        self.returns.insert(rank, Vec::new());
        Ok(memory)
    }

    fn step(&mut self, step: &Step) -> Result<(), NotRun> {
        let rank = step.node.unwrap_or(0);
        let (Some(names), Some(returns)) = (self.names.get_mut(&rank), self.returns.get_mut(&rank))
        else {
            return Err(NotRun::Malformed(format!(
                "node: {rank} is not in config.nodes"
            )));
        };
        let (trigger, call) = match &step.action {
            Action::Receive(given) => return self.nodes.receive(&request(rank, given)),
            Action::MemWrite { addr, hex } => {
                return self.nodes.write_memory(Rank(rank), *addr, &hex.0);
            }
            Action::Deliver => return self.nodes.deliver(),
            Action::NotTriggered(op) => {
                let why = format!("do.op: \"{op}\" is nothing that a NIC does");
                return Err(NotRun::unsupported("TRIGGERED", why));
            }
            Action::Call(call) => (None, call),
            Action::Triggered {
                counter,
                threshold,
                call,
            } => {
                let (counter, threshold) = (CounterId(*counter), *threshold);
                (Some(Trigger { counter, threshold }), call)
            }
        };
        let command = command(names, call)?;
        if let Err(refusal) = self.nodes.post(Rank(rank), trigger, command)? {
            returns.push(match refusal {
                Refusal::Unsupported(what) => {
                    return Err(NotRun::unsupported(what, "not modelled"));
                }
                Refusal::Operation(OperationError::Unsupported(_)) => {
                    return Err(NotRun::unsupported("DATATYPE", refusal.to_string()));
                }
                Refusal::Operation(OperationError::Illegal(_)) => Refusal::ArgInvalid.to_string(),
                _ => refusal.to_string(),
            });
        }
        Ok(())
    }
}
