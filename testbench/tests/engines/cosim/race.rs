//! A script played back to back: nobody waits for what came before, memories and links are random, and all that
//! overlaps.
//!
//! The hosts post their commands as fast as the script has them, messages travel at once with random delays (in order
//! between two nodes), those from outside too. A host waits for quiet only before and after calls that [do not
//! commute](waits) with what is under way. At each quiet point the [judge](crate::cosim::judge) has the model do, node
//! by node, what the hardware did in the order in which the hardware did it, and compares.

use crate::cosim::judge::{Judge, Posted, handle};
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;
use std::collections::BTreeMap;
use xtq_testbench::bytes::Bytes;
use xtq_testbench::cases::NotRun;
use xtq_testbench::cases::rtl::{Message, Rtl, RtlNode};
use xtq_testbench::cases::script::{Call, Script};
use xtq_testbench::portals::{Command, Counter, Limits, Rank, Trigger};
use xtq_testbench::tables::format::WIRE;

/// Cycles in which everything must be quiet again.
const QUIET: u64 = 200_000;
/// Message numbers from outside begin here, so that they are no node's.
const OUTSIDE: u16 = 0x8000;
/// Calls of a host between two waits at most: what its rings hold.
const AT_ONCE: usize = 40;
/// Match entries that a host may name: the library gives each append a new number, as it must not look into the
/// hardware for a free one.
const ENTRIES: usize = 60;

/// Whether the order of this call and of what is under way makes a difference that is not seen in the order of
/// decisions: what sets or frees a counter while messages count, what gives a number back, what XTQ puts are looked up
/// in, and what the host writes.
fn waits(call: &Call) -> bool {
    match call {
        Call::Post(_, _, command) => order(command) != Order::Free,
        Call::WriteMemory(..) | Call::CopyWord(..) => true,
        Call::Receive(_) | Call::Deliver => false,
    }
}

/// How a command and what is under way disturb each other.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Order {
    /// They do not: what each does is seen in the order of decisions.
    Free,
    /// A counter has another value afterwards than if it had only counted, or what waits for it is gone.
    Sets,
    /// The library keeps books of it: done with when the call returns.
    Numbers,
    /// A table in which messages are looked up has another entry.
    Tables,
}

/// How the order of a command matters.
pub fn order(command: &Command) -> Order {
    let few = |counter: &Counter| counter.success < 1 << 32 && counter.failure < 1 << 32;
    match command {
        Command::CtSet(..) | Command::CtCancel(_) => Order::Sets,
        Command::CtInc(_, by) if !few(by) => Order::Sets,
        Command::PtAlloc(..)
        | Command::CtAlloc(_)
        | Command::CtFree(_)
        | Command::MdBind(..)
        | Command::MdRelease(_) => Order::Numbers,
        Command::XtqRegister(..) => Order::Tables,
        Command::CtInc(..)
        | Command::Transfer(_)
        | Command::MeAppend { .. }
        | Command::MeUnlink(_)
        | Command::MeSearch { .. }
        | Command::PtEnable(_)
        | Command::PtDisable(_) => Order::Free,
    }
}

/// Why a script cannot be played back to back; then it is played step by step on random memories.
pub fn needs_steps(script: &Script) -> Option<&'static str> {
    let appends = |rank: &Rank| {
        let calls = script.calls.iter();
        let is = |call: &&Call| matches!(call, Call::Post(node, _, Command::MeAppend { .. }) if node == rank);
        calls.filter(is).count()
    };
    let limited = |limits: &Limits| {
        let Limits {
            max_entries,
            max_unexpected_headers,
            max_triggered_ops,
            max_list_size,
            ..
        } = *limits;
        max_entries.min(max_list_size) < ENTRIES as u64
            || max_unexpected_headers < 32
            || max_triggered_ops < 127
    };
    let beyond = |limits: &Limits| limits.max_atomic_size > 512;
    let triggered = |call: &Call| matches!(call, Call::Post(_, Some(_), command) if order(command) != Order::Free);
    if script.calls.iter().any(triggered) {
        return Some(
            "a counter or a table is set when an operation fires: what counts, or is looked up, before and what behind is open",
        );
    }
    if script
        .configs
        .values()
        .any(|config| limited(&config.limits))
    {
        return Some("places are free again at times that are the hardware's own");
    }
    if script.configs.values().any(|config| beyond(&config.limits)) {
        return Some("an atomic may be longer than the hardware's");
    }
    if script.configs.keys().any(|rank| appends(rank) > ENTRIES) {
        return Some("more appends than a context has numbers");
    }
    None
}

/// Whether it is the first packet of its message.
fn is_first(packet: &[u8]) -> bool {
    WIRE.get(packet, "packet_offset") == 0
}

struct Race {
    nodes: BTreeMap<Rank, RtlNode>,
    judges: BTreeMap<Rank, Judge>,
    random: ChaCha8Rng,
    /// Packets of each node that were taken from its link.
    taken: BTreeMap<Rank, usize>,
    next_id: u16,
    posted: u64,
    /// Calls since everything was quiet.
    calls: usize,
}

/// Plays a script with this seed. Errors: what the hardware did is not what the model does in the same order.
pub fn race(script: &Script, seed: u64) -> Result<(), NotRun> {
    let nodes = Rtl::open_with(&script.configs, Some(seed))?.into_nodes();
    let configs = script.configs.iter();
    let judges = configs.map(|(rank, config)| (*rank, Judge::new(*rank, config)));
    let mut race = Race {
        judges: judges.collect(),
        taken: nodes.keys().map(|rank| (*rank, 0)).collect(),
        nodes,
        random: ChaCha8Rng::seed_from_u64(seed),
        next_id: OUTSIDE,
        posted: 0,
        calls: 0,
    };
    for (rank, node) in &mut race.nodes {
        let limits = &script.configs[rank].limits;
        let [message, atomic] = [limits.max_msg_size, limits.max_atomic_size]
            .map(|bytes| u32::try_from(bytes).unwrap_or(u32::MAX));
        let set = node.node.set_size_limits(0, message, atomic);
        set.map_err(|why| node.failed(why))?;
        let watching = node.node.watch_decisions();
        watching.map_err(|why| node.failed(why))?;
    }
    for call in &script.calls {
        let waits = waits(call);
        if (waits && race.calls > 0) || race.calls >= AT_ONCE {
            race.settle()?;
        }
        race.call(call)?;
        // What is done with when the call returns.
        let done = matches!(call, Call::Post(_, _, command) if order(command) == Order::Numbers)
            || matches!(call, Call::WriteMemory(..) | Call::CopyWord(..));
        match (waits, done) {
            (true, true) => race.calls = 0,
            (true, false) => race.settle()?,
            (false, _) => {}
        }
    }
    race.settle()
}

impl Race {
    fn call(&mut self, call: &Call) -> Result<(), NotRun> {
        match call {
            Call::Post(rank, trigger, command) => self.post(*rank, *trigger, command)?,
            Call::Receive(request) => {
                let message =
                    Message::from_outside(request, self.next_id)?.with_handle(self.next_id);
                self.next_id += 1;
                for packet in message.packets() {
                    self.offer(request.target, packet);
                }
            }
            Call::WriteMemory(rank, address, bytes) => self.write(*rank, *address, bytes)?,
            Call::CopyWord(rank, from, to) => {
                let mut word = [0; 8];
                if let Some(node) = self.nodes.get(rank) {
                    node.node.memory.memory(0).read(*from, &mut word);
                }
                self.write(*rank, *to, &word)?;
            }
            // What is under way does not wait to be delivered.
            Call::Deliver => {}
        }
        self.calls += 1;
        if waits(call) {
            return Ok(());
        }
        let pause = [0, 0, 1, 20, 100, 600][self.random.random_range(0..6)];
        for _ in 0..self.random.random_range(0..=pause) {
            self.cycle()?;
        }
        Ok(())
    }

    /// The host of a quiet node writes.
    fn write(&mut self, rank: Rank, address: u64, bytes: &[u8]) -> Result<(), NotRun> {
        if let Some(node) = self.nodes.get_mut(&rank) {
            node.node.memory.memory_mut(0).write(address, bytes);
        }
        if let Some(judge) = self.judges.get_mut(&rank) {
            judge.write_memory(address, bytes)?;
        }
        Ok(())
    }

    fn post(
        &mut self,
        rank: Rank,
        trigger: Option<Trigger>,
        command: &Command,
    ) -> Result<(), NotRun> {
        let (Some(node), Some(judge)) = (self.nodes.get_mut(&rank), self.judges.get_mut(&rank))
        else {
            return Ok(());
        };
        if order(command) == Order::Numbers {
            let got = node.post(trigger, command)?;
            node.node.take_decisions();
            let expected = judge.execute(command.clone())?;
            return match got == expected {
                true => Ok(()),
                false => Err(node.failed(format!(
                    "{command:?} returns: expected {expected:?}, got {got:?}"
                ))),
            };
        }
        self.posted += 1;
        // Events show by it which command they are of.
        let user_ptr = 1 << 40 | self.posted;
        let mut command = command.clone();
        match &mut command {
            Command::Transfer(transfer) => transfer.user_ptr = user_ptr,
            Command::MeAppend { me, .. } | Command::MeSearch { me, .. } => me.user_ptr = user_ptr,
            _ => {}
        }
        // What the library refuses does not reach the hardware. The calls that this depends on wait.
        if let Ok(encoded) = node.issue(trigger, &command, user_ptr)? {
            judge.posted(Posted {
                trigger,
                command,
                encoded,
                user_ptr,
            });
        }
        Ok(())
    }

    /// A packet goes to a node, some time later.
    fn offer(&mut self, rank: Rank, packet: &[u8]) {
        let (Some(node), Some(judge)) = (self.nodes.get_mut(&rank), self.judges.get_mut(&rank))
        else {
            return;
        };
        let late = [0, 0, 5, 50, 400][self.random.random_range(0..5)];
        let at = node.node.cycle_count() + self.random.random_range(0..=late);
        let coming = node.comes(packet);
        node.node.send_packet_at(at, &coming);
        judge.offered(packet);
    }

    /// One cycle of all nodes; what has left one is on its way to its target.
    fn cycle(&mut self) -> Result<(), NotRun> {
        for node in self.nodes.values_mut() {
            let cycled = node.node.cycle();
            cycled.map_err(|why| node.failed(why))?;
        }
        let mut leaving = Vec::new();
        for (rank, node) in &self.nodes {
            let taken = self.taken.entry(*rank).or_default();
            for packet in &node.node.acknowledgements()[*taken..] {
                leaving.push((*rank, node.leaves(&packet.bytes)));
            }
            *taken = node.node.acknowledgements().len();
        }
        for (rank, packet) in leaving {
            if let Some(judge) = self.judges.get_mut(&rank) {
                judge.left(&packet);
            }
            let messages = Message::of_packets([&packet[..]].into_iter());
            let Some(message) = messages.first() else {
                continue;
            };
            let outside = message.is_answer() && handle(message) >= u64::from(OUTSIDE);
            if self.nodes.contains_key(&message.target()) {
                if !outside {
                    self.offer(message.target(), &packet);
                }
            } else if let Some(answer) = message.undeliverable().filter(|_| is_first(&packet)) {
                for packet in answer.packets() {
                    self.offer(rank, packet);
                }
            }
        }
        Ok(())
    }

    /// Runs until nothing moves anywhere, and judges.
    fn settle(&mut self) -> Result<(), NotRun> {
        let (mut quiet, mut cycles) = (0, 0);
        let enough = |node: &RtlNode| node.node.quiet_cycles();
        while quiet <= self.nodes.values().map(enough).max().unwrap_or(0) {
            let busy = self
                .nodes
                .values()
                .find_map(|node| Some((node, node.node.busy()?)));
            if cycles > QUIET {
                let (node, what) = match busy {
                    Some(busy) => busy,
                    None => break,
                };
                return Err(node.failed(format!("not quiet: {what}")));
            }
            quiet = if busy.is_some() { 0 } else { quiet + 1 };
            cycles += 1;
            self.cycle()?;
        }
        for (rank, judge) in &mut self.judges {
            if let Some(node) = self.nodes.get_mut(rank) {
                judge.judge(node)?;
            }
        }
        self.calls = 0;
        Ok(())
    }
}
