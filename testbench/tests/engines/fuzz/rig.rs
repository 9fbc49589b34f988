//! A NIC with processes that do anything, one that must go on working, and one that must notice nothing; the small NIC
//! has room for the last and one that does anything.

mod proof;

use crate::fuzz::commands::{Bytes as CommandBytes, command, furniture, queue};
use crate::fuzz::counts::Counts;
use crate::fuzz::packets::{NODE, packets};
use crate::fuzz::records::{Names, under_way};
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;
use xtq_testbench::bytes::Bytes;
use xtq_testbench::host::{
    CounterValue, Ct, List, MatchEntry, Md, Me, MemoryDescriptor, Process, ProcessConfig, Pt, Ring,
    Trigger, md_option, me_option, nop, portal_option, ptl_ct_alloc, ptl_ct_cancel_triggered,
    ptl_ct_inc, ptl_md_bind, ptl_me_append, ptl_pt_alloc,
};
use xtq_testbench::node::{Node, NodeConfig, PortalLists, Stores, Top};
use xtq_testbench::tables::format::WIRE;
use xtq_types::command::{COMMAND_BYTES, operation};
use xtq_types::register_map::{context as reg, context_address, global};
use xtq_types::wire_header::{VERSION, ack, opcode};

/// Who has which context.
#[derive(Clone, Copy)]
struct Roles {
    /// They do anything.
    noisy: &'static [u8],
    /// Number of the first match entry that these are given; random commands name lower ones.
    first_entry: u16,
    /// Sends itself a message after each batch.
    probe: Option<u8>,
    /// Nothing of it may change.
    witness: u8,
}

impl Roles {
    fn of(top: Top) -> Self {
        match top {
            Top::SmallNic => Self {
                noisy: &[0],
                first_entry: 20,
                probe: None,
                witness: 1,
            },
            Top::Nic | Top::LargeNic | Top::Target => Self {
                noisy: &[0, 1],
                first_entry: 40,
                probe: Some(2),
                witness: 3,
            },
        }
    }
}

/// Bytes of memory of each context; there is nothing else.
const MEMORY: u64 = 0x20_0000;
/// Match bits that nothing random has.
const SECRET: u64 = 0x5ec2_e7b1_7500_c0de;
/// Where the entries with these bits have their buffers.
const BUFFER: u64 = 0x8000;
/// Commands of a batch in each ring, beside those that set the process up.
const COMMANDS: usize = 30;
/// Places of event rings: one that fills up, and one in which all is reported.
const EVENTS: [u32; 2] = [64, 1024];
/// Packets of a batch.
const PACKETS: usize = 150;
/// Cycles in which a batch must be done with, but for what waits for packets that do not come.
const BATCH: u64 = 100_000;
/// Cycles in which the NIC must be quiet then, and in which a probe must be answered.
const ANSWER: u64 = 60_000;
/// Cycles without activity after which nothing can come any more.
const QUIET: u64 = 500;
/// The same while commands are being executed: those that wait for nothing but the NIC are done by then.
const WAITS: u64 = 3000;
/// Logarithm of the time limit of messages where there is one, longer than a pause between two packets.
const TIMEOUT: u32 = 11;

const COMMAND_RING: Ring = Ring {
    base: 0x10_0000,
    size: 128,
};

/// How what was running has ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Rest {
    /// Nothing is left.
    Quiet,
    /// Nothing moves but commands that wait.
    Waits,
}

fn rings(events: u32) -> ProcessConfig {
    ProcessConfig {
        commands: COMMAND_RING,
        events: Ring {
            base: 0x11_0000,
            size: events,
        },
        tables: [(0x12_0000, 64), (0x12_1000, 64), (0x12_2000, 64)],
        user_id: 1,
    }
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
    roles: Roles,
    probe: Option<Process>,
    witness: Process,
    stores: Stores,
    /// Packets that were taken from the link.
    taken: usize,
    next_id: u16,
    probes: u64,
    /// Source node and number of the right messages that came.
    right: Names,
    /// The same of those that are atomics.
    atomics: Names,
    /// Whether messages have a time limit.
    limited: bool,
    /// Processes that are noise, as they were opened last.
    noisy: Vec<Process>,
    /// Which contexts have rung an impossible doorbell in this batch.
    impossible: [bool; 4],
    pub counts: Counts,
}

impl Rig {
    pub fn new(top: Top, seed: u64) -> Self {
        let config = NodeConfig {
            top,
            register_gaps: 0.0,
            ..NodeConfig::random(seed)
        };
        let mut node = Node::new(&config).unwrap();
        node.set_node_id(NODE).unwrap();
        let roles = Roles::of(top);
        for context in 0..=roles.witness {
            node.memory.map(Some(context), 0..=MEMORY - 1);
        }
        let mut open = |context| Process::open(&mut node, context, &rings(EVENTS[0])).unwrap();
        let probe = roles.probe.map(&mut open);
        let witness = open(roles.witness);
        let stores = Stores::find(node.engine()).unwrap();
        let mut rig = Self {
            node,
            random: ChaCha8Rng::seed_from_u64(seed),
            roles,
            probe,
            witness,
            stores,
            taken: 0,
            next_id: 0,
            probes: 0,
            right: Names::new(),
            atomics: Names::new(),
            limited: !seed.is_multiple_of(2),
            noisy: Vec::new(),
            impossible: [false; 4],
            counts: Counts::default(),
        };
        if rig.limited {
            let timeout = global::MESSAGE_TIMEOUT as u16;
            rig.node.write_register(timeout, TIMEOUT).unwrap();
        }
        rig.open_good_ones();
        rig
    }

    /// Probe and witness get an entry for the secret bits; the witness also a counter of 5 with a command that waits
    /// for 6.
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
        if let Some(probe) = probe {
            probe.post_all(node, &common).unwrap();
        }
        witness
            .post_all(node, &[&common[..], &counting[..]].concat())
            .unwrap();
        node.run_to_quiescence(ANSWER).unwrap();
        if let Some(probe) = probe {
            probe.events(node).unwrap();
        }
        witness.events(node).unwrap();
        node.run_to_quiescence(ANSWER).unwrap();
    }

    /// What the link does with what the NIC sends to others: some of it comes back, and everything else is answered.
    /// What is for this node does not leave it.
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
            // More than an atomic gives back: the answer to a GET.
            let is_read = get("opcode") == u64::from(opcode::REPLY) && get("message_length") > 512;
            self.counts.read += usize::from(is_read && get("packet_offset") == 0);
            assert_ne!(get("target_node"), u64::from(NODE), "it left the node");
            let unanswered = get("ack_request") == u64::from(ack::NONE) && !is_get;
            if !is_answer && unanswered && self.random.random_bool(0.5) {
                WIRE.set(&mut packet, "target_node", NODE.into());
                self.node.send_packet(&packet);
                self.counts.packets += 1;
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

    /// Runs until nothing moves. Panics with what is under way if something still does after so many cycles.
    fn run(&mut self, most: u64) -> Rest {
        let (mut quiet, mut waits) = (0, 0);
        for _ in 0..most {
            let moves = !self.node.all_received() || !self.node.memory.is_idle();
            let executes = self.node.trace().initiator_is_busy();
            quiet = if moves || executes { 0 } else { quiet + 1 };
            waits = if moves { 0 } else { waits + 1 };
            if quiet > QUIET {
                return Rest::Quiet;
            }
            if waits > WAITS {
                return Rest::Waits;
            }
            self.cycle();
        }
        panic!("it hangs: {}", self.under_way());
    }

    /// Runs until nothing is left.
    fn run_to_rest(&mut self, most: u64) {
        let rest = self.run(most);
        assert_eq!(rest, Rest::Quiet, "it hangs: {}", self.under_way());
    }

    /// What a NIC that does not come to rest is at.
    fn under_way(&self) -> String {
        let busy = self.node.busy().unwrap_or("nothing is said to be busy");
        let records = under_way(self.node.trace().records());
        format!("cycle {}: {busy}; {records}", self.node.cycle_count())
    }

    fn register(&mut self, context: u8, offset: u32, value: u32) {
        self.node
            .post_register(context_address(context.into(), offset), value);
    }

    /// Commands into a ring, and its doorbell; sometimes an impossible one before.
    fn post(&mut self, context: u8, commands: &[CommandBytes]) {
        let ring = COMMAND_RING;
        for (place, command) in (0..).zip(commands) {
            let address = ring.base + COMMAND_BYTES as u64 * place;
            self.node.memory.memory_mut(context).write(address, command);
        }
        let impossible = self.random.random_bool(0.2);
        self.impossible[usize::from(context)] = impossible;
        if impossible {
            self.counts.doorbells += 1;
            let tail = self.random.random_range(ring.size + 1..=u32::MAX);
            self.register(context, reg::CQ_TAIL, tail);
        }
        self.register(context, reg::CQ_TAIL, commands.len() as u32);
        self.counts.commands += commands.len();
    }

    /// A process of which everything begins again but what the NIC keeps of it.
    fn open_noisy(&mut self, context: u8) {
        let places = EVENTS[self.random.random_range(0..2)];
        let process = Process::open(&mut self.node, context, &rings(places)).unwrap();
        self.noisy.push(process);
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
        self.noisy.clear();
        for &context in self.roles.noisy {
            self.open_noisy(context);
            let mut commands: Vec<CommandBytes> = furniture(self.roles.first_entry)
                .iter()
                .map(|command| *command.bytes())
                .collect();
            // What waits again may fire for ever: the last commands end it, if nothing before them waits for ever.
            let rearms = self.limited;
            commands.extend((0..COMMANDS).map(|_| command(&mut self.random, rearms)));
            if rearms {
                let room = (COMMAND_RING.size as u16 - 1) - commands.len() as u16;
                let cancels = (0..room.min(64)).map(|ct| ptl_ct_cancel_triggered(Ct(ct)));
                commands.extend(cancels.map(|command| *command.bytes()));
            }
            self.post(context, &commands);
        }
        let packets = packets(&mut self.random, PACKETS, &mut self.next_id);
        self.right.extend(&packets.names);
        self.atomics.extend(&packets.atomics);
        self.counts.packets += packets.list.len();
        self.counts.right += packets.names.len();
        // With the commands, or when they have been executed.
        let mut at = self.node.cycle_count() + [0, 4000, 8000][self.random.random_range(0..3)];
        for packet in &packets.list {
            if self.random.random_bool(0.1) {
                at += self.random.random_range(0..500);
            }
            self.node.send_packet_at(at, packet);
        }
        // Without a time limit a message of which packets are missing is broken off only by its context's end; commands
        // may wait for it (docs/blocks/lists/list_unit.md), and for nothing else.
        let mut rest = self.run(BATCH);
        if self.limited {
            for _ in 0..2 << TIMEOUT {
                self.cycle();
            }
            // Now nothing waits for packets any more.
            rest = self.run(ANSWER);
        }
        let open = self.node.trace().under_way();
        assert!(
            !self.limited || open == 0,
            "a message is not ended in time: {}",
            self.under_way()
        );
        assert!(
            rest == Rest::Quiet || open > 0,
            "commands wait for nothing: {}",
            self.under_way()
        );
        self.counts.batches += 1;
        self.counts.waited += usize::from(rest == Rest::Waits);
        self.look();
        for &context in self.roles.noisy {
            self.register(context, reg::ENABLE, 0);
        }
        self.run_to_rest(ANSWER);
        assert_eq!(
            self.node.trace().under_way(),
            0,
            "messages are never done with: {}",
            self.under_way()
        );
        self.prove();
        assert_eq!(
            before,
            self.seen(),
            "cycle {}: the witness has noticed",
            self.node.cycle_count()
        );
    }
}
