//! `MessageTracker` against a list of open messages, while contexts are disabled at any time.

mod ends;

use proptest::prelude::*;
use xtq_types::Wire;
use xtq_types::pipe::PacketHead;

use xtq_testbench::by_name::Hardware;

/// A packet; `offset` counts packets.
#[derive(Clone, Debug)]
struct Packet {
    source: u16,
    source_context: u8,
    context: u8,
    message: u16,
    offset: u32,
    last: bool,
    xtq: bool,
    /// Take the message id and the offset that are expected.
    fits: bool,
    accepted: bool,
    landing: u64,
    /// Bytes of the message that are written.
    left: u32,
    slot: u8,
    /// Contexts that are disabled in the cycle of the look-up, in that of the decision, and for a later packet in that
    /// between them.
    disabled: [u8; 3],
    /// Cycles without a packet before it.
    pause: u8,
}

type Source = (u16, u8, u8);

/// An open message.
#[derive(Clone, Debug)]
struct Open {
    source: Source,
    slot: u8,
    xtq: bool,
    message: u16,
    expected: u32,
    address: u64,
    /// Bytes that are still written; whether any are.
    left: u32,
    writes: bool,
    /// Cycle in which its context was disabled.
    dead: Option<u64>,
    /// Cycle in which it was stored last.
    stored: u64,
    /// It may have been found too late since nothing was pending.
    may_be_late: bool,
}

impl Open {
    /// A packet further; after the last byte that is written the address stays.
    fn advance(&mut self) {
        if self.left > 4096 {
            self.address = self.address.wrapping_add(4096);
        }
        self.left = self.left.saturating_sub(4096);
    }
}

/// What the block says of the message at hand: context, slot, XTQ, address, bytes left, writes.
type Told = (u8, u8, bool, u64, u32, bool);

struct Bench {
    block: Hardware,
    open: Vec<Open>,
    cycle: u64,
    /// A message was opened or advanced at the edge before, and is being stored.
    storing: bool,
    /// Logarithm of the time in which a message must go on; 0: for ever.
    timeout: u32,
    /// Messages of several packets that were decided about, that have ended, and that have ended as they did not go on
    /// in time.
    begun: usize,
    ended: usize,
    late: usize,
}

impl Bench {
    fn new(timeout: u32) -> Self {
        let mut block = Hardware::block("message_tracker");
        block.set("timeout", &[timeout.into()]);
        Self {
            block,
            open: Vec::new(),
            cycle: 0,
            storing: false,
            timeout,
            begun: 0,
            ended: 0,
            late: 0,
        }
    }

    /// Sets the pins of one cycle; `up` names those that are high.
    fn drive(&mut self, up: &[&str], disabled: u8) {
        for name in [
            "checking",
            "orphaning",
            "go",
            "finish",
            "delivered",
            "aborting",
        ] {
            self.block.set(name, &[up.contains(&name).into()]);
        }
        self.block.set("enabled", &[u64::from(15 & !disabled)]);
        self.block.eval();
    }

    /// Cycles for which a message was not stored; nothing if it may take for ever.
    fn age(&self, open: &Open) -> Option<u64> {
        (self.timeout > 0).then(|| self.cycle.saturating_sub(open.stored))
    }

    /// The edge: messages of a disabled context that stay open are dead. In this cycle a message of several packets
    /// `ends`, or none does.
    fn step(
        &mut self,
        disabled: u8,
        closed: Option<Source>,
        ends: bool,
    ) -> Result<(), TestCaseError> {
        prop_assert_eq!(self.flag("ended"), ends);
        self.ended += usize::from(ends);
        self.open.retain(|open| Some(open.source) != closed);
        for open in &mut self.open {
            if disabled >> open.source.2 & 1 == 1 {
                open.dead.get_or_insert(self.cycle);
            }
        }
        let least = 1 << self.timeout;
        for at in 0..self.open.len() {
            let late = self.age(&self.open[at]).is_some_and(|age| age >= least);
            self.open[at].may_be_late |= late;
        }
        self.block.step();
        self.cycle += 1;
        self.storing = false;
        Ok(())
    }

    /// Cycles in which nothing happens.
    fn pause(&mut self, cycles: u64) -> Result<(), TestCaseError> {
        for _ in 0..cycles {
            self.drive(&[], 0);
            self.step(0, None, false)?;
        }
        Ok(())
    }

    fn flag(&self, name: &str) -> bool {
        self.block.get(name) == [1]
    }

    fn told(&self) -> Told {
        let word = |name| self.block.get(name)[0];
        (
            word("owner") as u8,
            word("slot") as u8,
            self.flag("xtq"),
            word("address"),
            word("left") as u32,
            self.flag("writes"),
        )
    }

    /// What it is to say of an open message.
    fn of(open: &Open) -> Told {
        (
            open.source.2,
            open.slot,
            open.xtq,
            open.address,
            open.left,
            open.writes,
        )
    }

    fn open_of(&self, context: u8) -> usize {
        let here = self.open.iter().filter(|open| open.source.2 == context);
        here.count()
    }

    /// Looks for the message of a packet of this context; orphans that come up are ended first.
    fn check(&mut self, context: u8, disabled: u8) -> Result<(), TestCaseError> {
        let (mut disabled, mut waited) = (disabled, 0);
        loop {
            self.drive(&["checking"], disabled);
            let pending = self.flag("pending");
            let dead = self.open.iter().any(|open| open.dead.is_some());
            // The timer begins to run after the first message: a tick and another one.
            let longest = (2 << self.timeout) + 2;
            let overdue = |open| self.age(open).is_some_and(|age| age > longest);
            let must = dead || self.storing || self.open.iter().any(overdue);
            let may = must || self.open.iter().any(|open| open.may_be_late);
            prop_assert!(
                if pending { may } else { !must },
                "{} {} {}",
                pending,
                may,
                must
            );
            prop_assert!(!self.storing || !self.flag("orphan"));
            if !pending {
                prop_assert!(!self.flag("orphan"));
                prop_assert_eq!(self.flag("open_free"), self.open_of(context) < 16);
                // None was, up to here.
                for open in &mut self.open {
                    open.may_be_late = false;
                }
            }
            let orphan = self.flag("orphan");
            self.step(disabled, None, false)?;
            disabled = 0;
            if !pending {
                return Ok(());
            }
            waited += 1;
            // The third cycle after the one in which the last bit fell, which may be the first here.
            prop_assert!(waited < 5, "no orphan is named");
            if !orphan {
                continue;
            }
            waited = 0;
            self.drive(&["orphaning", "aborting", "go"], 0);
            let told = self.told();
            let found = self
                .open
                .iter()
                .find(|open| open.slot == told.1 && (open.dead.is_some() || open.may_be_late));
            let Some(found) = found.cloned() else {
                return Err(TestCaseError::fail(
                    "neither of a disabled context nor late",
                ));
            };
            prop_assert_eq!(told, Self::of(&found));
            self.late += usize::from(found.dead.is_none());
            self.step(0, Some(found.source), true)?;
        }
    }

    fn packet(&mut self, p: &Packet) -> Result<(), TestCaseError> {
        let source = (p.source, p.source_context, p.context);
        let (mut message, mut offset, mut first) = (p.message, 4096 * p.offset, p.offset == 0);
        if let Some(open) = self
            .open
            .iter()
            .find(|open| open.source == source)
            .filter(|_| p.fits)
        {
            (message, offset, first) = (open.message, open.expected, false);
        }
        let head = PacketHead {
            xtq: u64::from(p.xtq).into(),
            first: u64::from(first).into(),
            last: u64::from(p.last).into(),
            context: u64::from(p.context).into(),
            source_node: u64::from(p.source).into(),
            source_context: u64::from(p.source_context).into(),
            packet_offset: u64::from(offset).into(),
            message_id: u64::from(message).into(),
            ..Default::default()
        };
        let mut words = vec![0; 8];
        head.to_words(&mut words);
        self.block.set("head", &words);
        self.block.set("new_slot", &[p.slot.into()]);
        self.block.set("landing", &[p.landing]);
        self.block.set("new_left", &[p.left.into()]);
        self.pause(p.pause.into())?;
        self.check(p.context, p.disabled[0])?;
        let known = self.open.iter().position(|open| open.source == source);
        let continues = known.is_some_and(|at| {
            let open = &self.open[at];
            (open.message, open.expected) == (message, offset)
        });
        let follow = if first { 0 } else { p.disabled[2] };
        self.drive(&[], follow);
        prop_assert_eq!(self.flag("open_hit"), known.is_some());
        if !first {
            // It takes another cycle.
            self.step(follow, None, false)?;
            self.drive(&[], 0);
            prop_assert_eq!(self.flag("continues"), continues);
            prop_assert_eq!(self.flag("open_hit"), known.is_some());
        }
        if let Some(at) = known.filter(|_| first || !continues) {
            let open = self.open[at].clone();
            self.drive(&["aborting", "go"], 0);
            prop_assert_eq!(self.told(), Self::of(&open));
            self.step(0, Some(source), true)?;
            self.check(p.context, 0)?;
            self.drive(&[], 0);
            prop_assert!(!self.flag("open_hit"));
        }
        let free = self.open_of(p.context) < 16 || p.last;
        let disabled = p.disabled[1];
        if first {
            let accepted = p.accepted && free;
            let up: &[&str] = if accepted {
                &["finish", "go", "delivered"]
            } else {
                &["finish", "go"]
            };
            self.drive(up, disabled);
            prop_assert_eq!(
                self.told(),
                (p.context, p.slot, p.xtq, p.landing, p.left, p.left > 0)
            );
            let several = !p.last;
            self.begun += usize::from(several);
            self.step(disabled, None, several && !accepted)?;
            self.storing = accepted && !p.last;
            if accepted && !p.last {
                self.open.push(Open {
                    source,
                    slot: p.slot,
                    xtq: p.xtq,
                    message,
                    expected: offset.wrapping_add(4096),
                    address: p.landing,
                    left: p.left,
                    writes: p.left > 0,
                    dead: None,
                    stored: self.cycle,
                    may_be_late: false,
                });
                self.open.last_mut().expect("pushed").advance();
            }
        } else if let Some(at) = known.filter(|_| continues) {
            let open = self.open[at].clone();
            self.drive(&["finish", "go", "delivered"], disabled);
            prop_assert_eq!(self.told(), Self::of(&open));
            self.step(disabled, p.last.then_some(source), p.last)?;
            self.storing = !p.last;
            if !p.last {
                let open = &mut self.open[at];
                open.stored = self.cycle;
                open.expected = open.expected.wrapping_add(4096);
                open.advance();
            }
        } else {
            self.drive(&["go"], disabled);
            self.step(disabled, None, false)?;
        }
        Ok(())
    }
}

fn packet() -> impl Strategy<Value = Packet> {
    let rarely = || prop_oneof![12 => Just(0u8), 1 => 0..16u8];
    (
        (0..6u16, 0..2u8, 0..3u8, 0..3u16),
        (
            prop_oneof![4 => Just(0u32), 1 => 1..3u32],
            prop::bool::weighted(0.3),
            any::<bool>(),
            any::<bool>(),
        ),
        (
            prop::bool::weighted(0.8),
            any::<u64>(),
            [rarely(), rarely(), rarely()],
            prop_oneof![
                Just(0u32),
                1..20_000u32,
                Just(4096),
                Just(8192),
                any::<u32>()
            ],
            prop_oneof![12 => Just(0u8), 1 => 1..60u8],
        ),
    )
        .prop_map(|(source, part, rest)| Packet {
            // The parts of a source differ in their highest bits too.
            source: source.0 << 13,
            source_context: source.1 << 7,
            context: source.2,
            message: source.3,
            offset: part.0,
            last: part.1,
            xtq: part.2,
            fits: part.3,
            accepted: rest.0,
            landing: rest.1,
            left: rest.3,
            slot: 0,
            disabled: rest.2,
            pause: rest.4,
        })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(60))]

    #[test]
    fn packets_find_their_message_and_no_other(
        packets in prop::collection::vec(packet(), 1..120),
        timeout in prop_oneof![2 => Just(0u32), 1 => 3..7u32],
    ) {
        let mut bench = Bench::new(timeout);
        for (slot, mut packet) in packets.into_iter().enumerate() {
            packet.slot = slot as u8;
            bench.packet(&packet)?;
        }
        prop_assert_eq!(bench.begun, bench.ended + bench.open.len());
        prop_assert!(timeout > 0 || bench.late == 0);
    }
}

/// A packet of this source to context 1.
fn part(source: u16, offset: u32, last: bool) -> Packet {
    Packet {
        source,
        source_context: 0,
        context: 1,
        message: 7,
        offset,
        last,
        xtq: false,
        fits: false,
        accepted: true,
        landing: 0x1000,
        left: 8192,
        slot: source as u8,
        disabled: [0; 3],
        pause: 0,
    }
}
