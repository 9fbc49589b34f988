//! `CommandChoice` with the real `TriggerStore`: a FENCE that fires while another context's ring is never empty.

use std::sync::Arc;

use rust_hdl::prelude::Block;
use xtq_engine::{Backend, Body, Compiled};
use xtq_rtl::commands::command_choice::CommandChoice;
use xtq_rtl::triggers::trigger_engine::TriggerStore;
use xtq_types::command::{Command, operation as op};
use xtq_types::counter::FiredCommand;
use xtq_types::send::RingCommand;

use xtq_testbench::by_name::{Hardware, pack};

/// The block out of reset.
fn hardware(block: &impl Block) -> Hardware {
    let body = Body::new(block, Backend::Jit).expect("compiles");
    Hardware::new(Compiled::new(Arc::new(body)))
}

fn command(operation: u8) -> Vec<u64> {
    pack(Command::FIELDS, &[("operation", operation.into())])
}

/// Both blocks, and a ring of context 1 whose commands do nothing and take `period` cycles each.
struct Joined {
    store: Hardware,
    choice: Hardware,
    period: u32,
    busy: u32,
    /// Cycles until the messages before the line of context 0 have ended.
    unclear: u32,
    /// Commands of the ring that were taken.
    ring: u32,
    /// How many when the line was drawn.
    drawn: Option<u32>,
    taken: bool,
}

impl Joined {
    fn new(period: u32) -> Self {
        let mut choice = hardware(&CommandChoice::default());
        // Messages of context 2 find no place.
        choice.set("room", &[15 & !4]);
        choice.set("waiting", &[2]);
        choice.set("under_way", &[0]);
        let mut nop = pack(RingCommand::FIELDS, &[]);
        for (word, value) in nop.iter_mut().zip(command(op::NOP)) {
            *word |= value;
        }
        choice.set("command", &nop);
        Self {
            store: hardware(&TriggerStore::<3, 4>::default()),
            choice,
            period,
            busy: 0,
            unclear: 0,
            ring: 0,
            drawn: None,
            taken: false,
        }
    }

    /// Stores a command; its place.
    fn post(&mut self, context: u64, operation: u8) -> u64 {
        let store = &mut self.store;
        for (name, value) in [("owner", context), ("take_context", context)] {
            store.set(name, &[value]);
        }
        store.set("command", &command(operation));
        for _ in 0..20 {
            store.eval();
            if store.high("place_valid") {
                break;
            }
            store.step();
        }
        let place = store.get("place")[0];
        for level in [1, 0] {
            store.set("write", &[level]);
            store.set("take_place", &[level]);
            store.eval();
            store.step();
        }
        place
    }

    /// One cycle; what fires in it, {place, context}.
    fn cycle(&mut self, fires: Option<(u64, u64)>) {
        let (place, context) = fires.unwrap_or((0, 0));
        self.store.set("fired_valid", &[fires.is_some().into()]);
        self.store.set("fired", &[place]);
        self.store.set("fired_context", &[context]);
        self.store.eval();
        let fire_context = self.store.get("fire_context")[0];
        let mut fired = pack(FiredCommand::FIELDS, &[("context", fire_context)]);
        for (i, word) in self.store.get("fire_command").iter().enumerate() {
            fired[i] |= word << 2;
            fired[i + 1] |= word >> 62;
        }
        let choice = &mut self.choice;
        choice.set("fired", &fired);
        choice.set("fired_valid", &self.store.get("fire_valid"));
        choice.set("fired_waits", &self.store.get("fire_waits"));
        choice.set("idle", &[u64::from(self.busy == 0)]);
        choice.set("epoch_clear", &[15 & !u64::from(self.unclear > 0)]);
        choice.eval();
        self.store.set("fire_ready", &choice.get("fired_ready"));
        self.store.set("fire_pass", &choice.get("fired_pass"));
        self.store.eval();

        self.busy = self.busy.saturating_sub(1);
        self.unclear = self.unclear.saturating_sub(1);
        if choice.high("fence") {
            assert!(self.drawn.is_none() && choice.get("fence_context") == [0]);
            self.drawn = Some(self.ring);
            self.unclear = 5;
        }
        if choice.high("taken") {
            self.busy = self.period - 1;
            match choice.get("next_context")[0] {
                0 => self.taken = true,
                1 => self.ring += 1,
                other => panic!("a command of {other}, which has no place"),
            }
        }
        self.choice.step();
        self.store.step();
    }
}

/// In every rhythm, at every distance, alone or beside a message that waits for a place.
#[test]
fn a_fence_goes_on_whatever_the_rhythm_of_another_ring() {
    for period in 2..12 {
        for start in 0..2 * period {
            for blocked in [false, true] {
                let mut joined = Joined::new(period);
                let message = joined.post(2, op::PUT);
                let fence = joined.post(0, op::FENCE);
                joined.cycle(blocked.then_some((message, 2)));
                for _ in 0..40 + start {
                    joined.cycle(None);
                }
                joined.cycle(Some((fence, 0)));
                let case = format!("period {period}, start {start}, blocked {blocked}");
                // Offered 3 cycles later at the latest, or 6 after the other; then the next idle cycle is its own.
                let before = joined.ring;
                for _ in 0..6 + period {
                    joined.cycle(None);
                }
                let drawn = joined.drawn.expect(&case);
                assert!(drawn - before <= 1 + 6 / period, "{case}");
                for _ in 0..5 + 6 + 2 * period {
                    joined.cycle(None);
                }
                assert!(joined.taken, "{case}");
            }
        }
    }
}
