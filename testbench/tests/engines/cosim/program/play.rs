//! What the nodes have before the first step, and how a program is played to them.

use super::lists::lists;
use super::{Call, LISTS, MEMORY, NODES, Program, Step};
use crate::cosim::race::{Order, order};
use crate::cosim::tasks;
use std::collections::BTreeMap;
use xtq_testbench::cases::NotRun;
use xtq_testbench::cases::portals::{MD_EVENTS, PORTAL_EVENTS, PortalsNodes};
use xtq_testbench::portals::{
    Command, CounterId, EntryId, Limits, MatchEntry, MdId, MdOption, MeOption, MemoryDescriptor,
    NodeConfig, Portal, PortalOptions, Rank, Trigger,
};

pub fn plain() -> PortalOptions {
    PortalOptions {
        flowctrl: false,
        matching: true,
        queue: Some(PORTAL_EVENTS),
    }
}

/// What every node has before the first step: portal entries (0 and 1 match, 1 with flow control; 2 does not match; 3
/// has no events), counters 1 to 4, descriptors 0 to 2.
fn furniture() -> Vec<Command> {
    let portals = [
        plain(),
        PortalOptions {
            flowctrl: true,
            ..plain()
        },
        PortalOptions {
            matching: false,
            ..plain()
        },
        PortalOptions {
            queue: None,
            ..plain()
        },
    ];
    let portals = (0..).zip(portals);
    let portals = portals.map(|(index, options)| Command::PtAlloc(Portal(index), options));
    let counters = (1..5).map(|id| Command::CtAlloc(CounterId(id)));
    let descriptor = |options: &[MdOption], counter: Option<u32>| MemoryDescriptor {
        start: 0x2000,
        length: 0x2000,
        options: options.iter().copied().collect(),
        queue: Some(MD_EVENTS),
        counter: counter.map(CounterId),
    };
    let descriptors = [
        descriptor(&[], None),
        descriptor(
            &[MdOption::CtSend, MdOption::CtReply, MdOption::CtAck],
            Some(1),
        ),
        descriptor(
            &[MdOption::CtAck, MdOption::CtBytes, MdOption::SuccessDisable],
            Some(2),
        ),
    ];
    let descriptors = (0..).zip(descriptors);
    let descriptors = descriptors.map(|(id, md)| Command::MdBind(MdId(id), md));
    let all = portals.chain(counters).chain(descriptors);
    all.chain(tasks::furniture()).collect()
}

/// The most bytes of a message, and of an atomic, that a node takes: of one node the one, of the other the other.
pub const SIZES: [[u64; 2]; 2] = [[250, 64], [4500, 256]];

impl Program {
    pub fn configs(&self) -> BTreeMap<Rank, NodeConfig> {
        let limits = match self.scarce {
            true => Limits {
                max_entries: 8,
                max_unexpected_headers: 2,
                max_triggered_ops: 3,
                max_tasks: tasks::ENTRIES,
                ..Limits::default()
            },
            // As many as a context has.
            false => Limits {
                max_entries: 64,
                max_unexpected_headers: 32,
                max_triggered_ops: 127,
                max_tasks: tasks::ENTRIES,
                ..Limits::default()
            },
        };
        let config = NodeConfig {
            limits,
            memory: vec![(0, MEMORY)],
            queues: vec![1 << 16; 2],
            fires_by_step: false,
            aligned_atomics: true,
        };
        let of = |rank: u32| {
            let [message, atomic] = SIZES[usize::from(self.scarce == (rank == 0))];
            let mut config = config.clone();
            config.limits.max_msg_size = message;
            config.limits.max_atomic_size = atomic;
            config.limits.max_fetch_atomic_size = atomic.min(128);
            config
        };
        (0..NODES).map(|rank| (Rank(rank), of(rank))).collect()
    }

    /// The same program as far as it can be played back to back: everything is there in plenty, and no counter is set
    /// by a trigger.
    pub fn racing(&self) -> Self {
        let sets = |step: &Step| match step {
            Step::Triggered(.., Call::Plain(command)) => order(command) != Order::Free,
            _ => false,
        };
        let steps = self.steps.iter().filter(|step| !sets(step));
        Self {
            scarce: false,
            steps: steps.filter_map(tasks::racing).collect(),
            ..self.clone()
        }
    }

    /// Plays it to nodes that are brought up for it.
    pub fn play<N: PortalsNodes>(&self) -> Result<N, NotRun> {
        let mut nodes = N::open(&self.configs())?;
        for rank in (0..NODES).map(Rank) {
            let bytes: Vec<u8> = (0..MEMORY).map(|at| (at * 13 + at / 256) as u8).collect();
            nodes.write_memory(rank, 0, &bytes)?;
            nodes.write_memory(rank, LISTS, &lists())?;
            nodes.write_memory(rank, tasks::QUEUES_AT, &tasks::memory())?;
            for command in furniture() {
                nodes
                    .post(rank, None, command)?
                    .map_err(|why| NotRun::Failed(why.to_string()))?;
            }
        }
        let mut appends = [0; NODES as usize];
        for step in &self.steps {
            let (node, trigger, call) = match step {
                Step::Deliver => {
                    nodes.deliver()?;
                    continue;
                }
                Step::Arrive(request) => {
                    nodes.receive(request)?;
                    continue;
                }
                Step::Consume(node, queue) => {
                    let (write, read) = tasks::indices(*queue);
                    nodes.copy_word(Rank(*node), write, read)?;
                    continue;
                }
                Step::Call(node, call) => (node, None, call),
                Step::Triggered(node, counter, threshold, call) => {
                    let (counter, threshold) = (CounterId(*counter), *threshold);
                    (node, Some(Trigger { counter, threshold }), call)
                }
            };
            if let Some(command) = self.command(call, &mut appends[*node as usize]) {
                let _ = nodes.post(Rank(*node), trigger, command)?;
            }
        }
        nodes.deliver()?;
        Ok(nodes)
    }

    /// A call as a command, with the numbers of entries; `None` if this program has not this call.
    fn command(&self, call: &Call, appends: &mut u32) -> Option<Command> {
        Some(match call {
            Call::Append(portal, list, me) => {
                *appends += 1;
                Command::MeAppend {
                    id: EntryId(*appends),
                    portal: Portal(*portal),
                    list: *list,
                    me: self.entry(me, *appends),
                }
            }
            Call::Unlink(back) => Command::MeUnlink(EntryId(appends.checked_sub(*back as u32)?)),
            Call::Search(portal, kind, me) => Command::MeSearch {
                portal: Portal(*portal),
                kind: *kind,
                me: self.entry(me, 1000 + *appends),
            },
            Call::Transfer(transfer) => Command::Transfer(transfer.clone()),
            Call::Release(id) => Command::MdRelease(MdId(*id)),
            Call::Bind(id, md) => Command::MdBind(MdId(*id), *md),
            Call::Plain(command) => command.clone(),
        })
    }

    fn entry(&self, me: &MatchEntry, user_ptr: u32) -> MatchEntry {
        let mut me = MatchEntry {
            user_ptr: user_ptr.into(),
            ..me.clone()
        };
        if !self.ack_disable {
            me.options.0 &= !(1 << MeOption::AckDisable as u32);
        }
        me
    }
}
