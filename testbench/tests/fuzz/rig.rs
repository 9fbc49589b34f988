//! A NIC with two processes that do anything, one that must go on working, and one that must notice nothing.

use crate::commands::{Bytes as CommandBytes, command, furniture, queue};
use crate::packets::{NODE, packets};
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;
use std::collections::BTreeSet;
use xtq_rtl::types::command::{COMMAND_BYTES, operation};
use xtq_rtl::types::register_map::{context as reg, context_address};
use xtq_rtl::types::wire_header::{VERSION, ack, opcode};
use xtq_testbench::bytes::Bytes;
use xtq_testbench::host::{
    AckRequest, Command, CounterValue, Ct, Event, EventKind, List, MatchEntry, Md, Me,
    MemoryDescriptor, Process, ProcessConfig, ProcessId, Pt, Put, Ring, Trigger, md_option,
    me_option, nop, portal_option, ptl_ct_alloc, ptl_ct_get, ptl_ct_inc, ptl_md_bind,
    ptl_me_append, ptl_pt_alloc, ptl_put,
};
use xtq_testbench::node::format::{BYTES, WIRE};
use xtq_testbench::node::{Message, Node, NodeConfig, PortalLists, Stores, Top, Trace};

/// Contexts that do anything.
const NOISY: [u8; 2] = [0, 1];
/// The context that sends itself a message after each batch.
const PROBE: u8 = 2;
/// The context of which nothing may change.
const WITNESS: u8 = 3;
/// Bytes of memory of each context; there is nothing else.
const MEMORY: u64 = 0x20_0000;
/// Match bits that nothing random has.
const SECRET: u64 = 0x5ec2_e7b1_7500_c0de;
/// Where the entries with these bits have their buffers.
const BUFFER: u64 = 0x8000;
/// Commands of a batch in each ring, beside those that set the process up.
const COMMANDS: usize = 30;
/// Packets of a batch.
const PACKETS: usize = 150;
/// Cycles that a batch gets before what waits is broken off.
const BATCH: u64 = 30_000;
/// Cycles in which the NIC must be quiet then, and in which a probe must be answered.
const ANSWER: u64 = 60_000;
/// Cycles without activity after which nothing can come any more.
const QUIET: u64 = 500;

fn rings() -> ProcessConfig {
    ProcessConfig {
        commands: Ring {
            base: 0x10_0000,
            size: 128,
        },
        events: Ring {
            base: 0x11_0000,
            size: 64,
        },
        tables: [(0x12_0000, 64), (0x12_1000, 64), (0x12_2000, 64)],
        user_id: 1,
    }
}

/// What a campaign has done.
#[derive(Clone, Copy, Debug, Default)]
pub struct Counts {
    pub packets: usize,
    /// Right as far as the parser goes.
    pub right: usize,
    /// Heads that the parser gave on.
    pub parsed: usize,
    pub commands: usize,
    /// Commands that were executed.
    pub taken: usize,
    pub cycles: u64,
    /// Messages that were delivered to somebody.
    pub delivered: usize,
    /// Messages that left.
    pub sent: usize,
    /// Atomics from outside that were done.
    pub atomics: usize,
}

/// What can be seen of the witness.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Seen {
    memory: Vec<(u64, Vec<u8>)>,
    registers: [u32; 5],
    portal: PortalLists,
    waiting: usize,
    entry: bool,
}

pub struct Rig {
    node: Node,
    random: ChaCha8Rng,
    probe: Process,
    witness: Process,
    stores: Stores,
    /// Packets that were taken from the link.
    taken: usize,
    next_id: u16,
    probes: u64,
    /// Source node and number of the atomics that came.
    atomics: BTreeSet<(u16, u16)>,
    pub counts: Counts,
}

impl Rig {
    pub fn new(seed: u64) -> Self {
        let config = NodeConfig {
            top: Top::Nic,
            register_gaps: 0.0,
            ..NodeConfig::random(seed)
        };
        let mut node = Node::new(&config).unwrap();
        node.set_node_id(NODE).unwrap();
        for context in 0..4 {
            node.memory.map(Some(context), 0..=MEMORY - 1);
        }
        let probe = Process::open(&mut node, PROBE, &rings()).unwrap();
        let witness = Process::open(&mut node, WITNESS, &rings()).unwrap();
        let stores = Stores::find(node.engine()).unwrap();
        let mut rig = Self {
            node,
            random: ChaCha8Rng::seed_from_u64(seed),
            probe,
            witness,
            stores,
            taken: 0,
            next_id: 0,
            probes: 0,
            atomics: BTreeSet::new(),
            counts: Counts::default(),
        };
        rig.open_good_ones();
        rig
    }

    /// Probe and witness get an entry for the secret bits; the witness also a counter of 5 with a command that waits for 6.
    fn open_good_ones(&mut self) {
        let entry = MatchEntry {
            me: Me(7),
            pt_index: Pt(3),
            list: List::Priority,
            start: BUFFER,
            length: 0x1000,
            options: me_option::OP_PUT,
            match_bits: SECRET,
            user_ptr: 7,
            ..MatchEntry::default()
        };
        let descriptor = MemoryDescriptor {
            md: Md(3),
            start: 0,
            length: MEMORY,
            options: md_option::EVENTS,
            counter: None,
        };
        let common = [
            ptl_pt_alloc(Pt(3), portal_option::MATCHING),
            ptl_me_append(&entry),
            ptl_md_bind(&descriptor),
        ];
        let trigger = Trigger {
            counter: Ct(2),
            threshold: 6,
        };
        let five = CounterValue {
            success: 5,
            failure: 0,
        };
        let counting = [
            ptl_ct_alloc(Ct(2)),
            ptl_ct_inc(Ct(2), five),
            nop().with_completion().with_user_ptr(99).triggered(trigger),
        ];
        let Self {
            node,
            probe,
            witness,
            ..
        } = self;
        probe.post_all(node, &common).unwrap();
        witness
            .post_all(node, &[&common[..], &counting[..]].concat())
            .unwrap();
        node.run_to_quiescence(ANSWER).unwrap();
        probe.events(node).unwrap();
        witness.events(node).unwrap();
        node.run_to_quiescence(ANSWER).unwrap();
    }

    /// What the link does with what the NIC sends: it comes back if it is for this node, some of it comes back anyway, and everything else is
    /// answered.
    fn pump(&mut self) {
        while let Some(packet) = self.node.acknowledgements().get(self.taken) {
            self.taken += 1;
            let mut packet = packet.bytes.clone();
            let get = |name| WIRE.get(&packet, name);
            // A REPLY comes back.
            let is_get = [opcode::GET, operation::FETCH_ATOMIC, operation::SWAP]
                .map(u64::from)
                .contains(&get("opcode"));
            let is_answer = [opcode::ACK, opcode::REPLY]
                .map(u64::from)
                .contains(&get("opcode"));
            let first = !is_answer && get("packet_offset") == 0;
            self.counts.sent += usize::from(first);
            let own = get("target_node") == u64::from(NODE);
            let of_probe = get("source_context") == u64::from(PROBE);
            let unanswered = get("ack_request") == u64::from(ack::NONE) && !is_get;
            if own && (is_answer || of_probe) {
                self.node.send_packet(&packet);
            } else if !is_answer && unanswered && self.random.random_bool(0.5) {
                WIRE.set(&mut packet, "target_node", NODE.into());
                self.node.send_packet(&packet);
                self.counts.packets += 1;
                self.counts.right += 1;
            } else if first && !unanswered {
                let length: u64 = self.random.random_range(0..300);
                let (code, length, body) = match is_get {
                    true => {
                        let length = length.min(get("message_length"));
                        (opcode::REPLY, length, vec![0x5a; length as usize])
                    }
                    false => (opcode::ACK, length, Vec::new()),
                };
                let fails = match body.is_empty() {
                    true => self.random.random_range(0..8),
                    false => 0,
                };
                let answer = WIRE.pack(&[
                    ("version", VERSION.into()),
                    ("opcode", code.into()),
                    ("ni_fail", fails),
                    ("source_node", get("target_node")),
                    ("target_node", NODE.into()),
                    ("source_context", get("target_context")),
                    ("target_context", get("source_context")),
                    ("message_id", get("message_id")),
                    ("message_length", length),
                    ("initiator_handle", get("initiator_handle")),
                ]);
                self.node.send_packet(&[&answer[..], &body].concat());
            }
        }
    }

    fn cycle(&mut self) {
        if let Err(why) = self.node.cycle() {
            panic!("a rule is broken: {why}");
        }
        self.pump();
    }

    fn is_busy(&self) -> bool {
        !self.node.all_received()
            || !self.node.memory.is_idle()
            || self.node.trace().initiator_is_busy()
    }

    /// Runs until it is quiet, for at most so many cycles; whether it is.
    fn run(&mut self, most: u64) -> bool {
        let mut quiet = 0;
        for _ in 0..most {
            quiet = if self.is_busy() { 0 } else { quiet + 1 };
            if quiet > QUIET {
                return true;
            }
            self.cycle();
        }
        false
    }

    fn register(&mut self, context: u8, offset: u32, value: u32) {
        self.node
            .post_register(context_address(context.into(), offset), value);
    }

    /// Commands into a ring, and its doorbell; sometimes an impossible one before.
    fn post(&mut self, context: u8, commands: &[CommandBytes]) {
        let ring = rings().commands;
        for (place, command) in (0..).zip(commands) {
            let address = ring.base + COMMAND_BYTES as u64 * place;
            self.node.memory.memory_mut(context).write(address, command);
        }
        if self.random.random_bool(0.2) {
            let tail = self.random.random_range(ring.size + 1..=u32::MAX);
            self.register(context, reg::CQ_TAIL, tail);
        }
        self.register(context, reg::CQ_TAIL, commands.len() as u32);
        self.counts.commands += commands.len();
    }

    /// A process of which everything begins anew but what the NIC keeps of it.
    fn open_noisy(&mut self, context: u8) {
        Process::open(&mut self.node, context, &rings()).unwrap();
        let memory = self.node.memory.memory_mut(context);
        for index in 0..4 {
            let queue = queue(index);
            let write_index = memory.read_u64(queue.write_index_address);
            memory.write_u64(queue.read_index_address, write_index);
        }
    }

    /// Noise from all sides, then everything must be as before for those who have not taken part.
    pub fn batch(&mut self) {
        let before = self.seen();
        for context in NOISY {
            self.open_noisy(context);
            let mut commands: Vec<CommandBytes> =
                furniture().iter().map(|command| *command.bytes()).collect();
            commands.extend((0..COMMANDS).map(|_| command(&mut self.random)));
            self.post(context, &commands);
        }
        let packets = packets(&mut self.random, PACKETS, &mut self.next_id);
        self.atomics.extend(&packets.atomics);
        self.counts.packets += packets.list.len();
        self.counts.right += packets.right;
        // With the commands, or when they have been executed.
        let mut at = self.node.cycle_count() + [0, 4000][self.random.random_range(0..2)];
        for packet in &packets.list {
            if self.random.random_bool(0.1) {
                at += self.random.random_range(0..500);
            }
            self.node.send_packet_at(at, packet);
        }
        self.run(BATCH);
        // A message of which packets are missing is broken off only so; commands may wait for it (docs/not-modelled.md).
        for context in NOISY {
            self.register(context, reg::ENABLE, 0);
        }
        assert!(
            self.run(ANSWER),
            "cycle {}: it hangs: {:?}",
            self.node.cycle_count(),
            self.node.busy()
        );
        self.prove();
        assert_eq!(
            before,
            self.seen(),
            "cycle {}: the witness has noticed",
            self.node.cycle_count()
        );
    }

    /// The probe sends itself a message.
    fn prove(&mut self) {
        self.probes += 1;
        let length = self.random.random_range(1..200);
        let mut bytes = vec![0; length];
        self.random.fill(&mut bytes[..]);
        self.node.memory.memory_mut(PROBE).write(0x100, &bytes);
        let put = Put {
            md: Md(3),
            local_offset: 0x100,
            length: length as u64,
            ack: AckRequest::Ack,
            target: ProcessId {
                node: NODE,
                context: PROBE,
            },
            pt_index: Pt(3),
            match_bits: SECRET,
            hdr_data: self.probes,
            user_ptr: self.probes,
            ..Put::default()
        };
        let Self { node, probe, .. } = self;
        probe.post(node, &ptl_put(&put)).unwrap();
        let begun = self.node.cycle_count();
        let (mut landed, mut told) = (false, false);
        while !(landed && told) {
            assert!(
                self.node.cycle_count() < begun + ANSWER,
                "the probe gets no answer"
            );
            for _ in 0..20 {
                self.cycle();
            }
            for event in self.probe.events(&mut self.node).unwrap() {
                assert_eq!(
                    (event.ni_fail, event.dropped),
                    (0, 0),
                    "the probe: {event:?}"
                );
                landed |= event.kind == EventKind::Put && event.hdr_data == self.probes;
                told |= event.kind == EventKind::Ack && event.user_ptr() == Some(self.probes);
            }
        }
        let mut got = vec![0; length];
        self.node.memory.memory(PROBE).read(BUFFER, &mut got);
        assert_eq!(got, bytes, "the probe's bytes");
        assert!(self.run(ANSWER), "it hangs behind the probe");
    }

    fn seen(&mut self) -> Seen {
        let pages = self.node.memory.memory(WITNESS).pages();
        let memory = pages
            .map(|(address, page)| (address, page.to_vec()))
            .collect();
        let offsets = [
            reg::EQ_PRODUCER,
            reg::EQ_DROPPED,
            reg::ERROR_CAUSE,
            reg::CQ_HEAD,
            reg::ENABLE,
        ];
        let read = |offset| context_address(WITNESS.into(), offset);
        let registers = offsets.map(|offset| self.node.read_register(read(offset)).unwrap());
        let engine: &dyn xtq_engine::Engine = self.node.engine();
        Seen {
            memory,
            registers,
            portal: self.stores.portal(engine, WITNESS, 3).unwrap(),
            waiting: self.stores.waiting(engine, WITNESS, 2).unwrap(),
            entry: self.stores.is_used(engine, WITNESS, 7).unwrap(),
        }
    }

    fn witness(&mut self, commands: &[Command]) -> Vec<Event> {
        let Self { node, witness, .. } = self;
        witness.post_all(node, commands).unwrap();
        assert!(self.run(ANSWER));
        self.witness.events(&mut self.node).unwrap()
    }

    /// What the witness had still works: its counter is 5, its command fires at 6, its entry takes a message.
    pub fn finish(mut self) -> Counts {
        let events = self.witness(&[ptl_ct_get(Ct(2))]);
        assert_eq!(events.len(), 1, "{events:?}");
        let (success, failure) = (5, 0);
        assert_eq!(events[0].counter(), CounterValue { success, failure });
        let one = CounterValue {
            success: 1,
            failure: 0,
        };
        let events = self.witness(&[ptl_ct_inc(Ct(2), one)]);
        assert_eq!(events.len(), 1, "{events:?}");
        assert_eq!(
            (events[0].user_ptr(), events[0].result()),
            (Some(99), Some(Ok(())))
        );
        let message = Message {
            target_node: NODE,
            target_context: WITNESS,
            portal_index: 3,
            match_bits: SECRET,
            ..Message::put(1, vec![0xab; BYTES])
        };
        self.node.send(&message);
        let events = self.witness(&[]);
        assert_eq!(events.len(), 1, "{events:?}");
        assert_eq!((events[0].kind, events[0].mlength), (EventKind::Put, 64));
        let mut atomics = BTreeSet::new();
        for (_, record) in self.node.trace().records() {
            match record {
                Trace::Admitted {
                    slot,
                    source_node,
                    message_id,
                    ..
                } => {
                    match self.atomics.contains(&(*source_node, *message_id)) {
                        true => atomics.insert(*slot),
                        false => atomics.remove(slot),
                    };
                }
                Trace::Done {
                    status: 0, slot, ..
                } if atomics.remove(slot) => {
                    self.counts.delivered += 1;
                    self.counts.atomics += 1;
                }
                Trace::Parsed { .. } => self.counts.parsed += 1,
                Trace::Taken { .. } => self.counts.taken += 1,
                Trace::Done { status: 0, .. } => self.counts.delivered += 1,
                _ => {}
            }
        }
        self.counts.cycles = self.node.cycle_count();
        self.counts
    }
}
