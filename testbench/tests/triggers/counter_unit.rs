//! `CounterUnit`: a number names a counter of its context, whatever the others do.

use proptest::prelude::*;
use xtq_testbench::by_name::{Hardware, field, pack};
use xtq_types::counter::{
    CounterAct, CounterAnswer, CounterCount, FiredCommand, TriggerRequest,
    counter_operation as code, counter_status as status,
};

/// 16 counters, four for each context, and 32 triggered operations.
const BLOCK: &str = "counter_unit_2";
/// Counters of a context.
const SHARE: u64 = 4;

struct Unit(Hardware);

impl Unit {
    /// With all counters allocated.
    fn new() -> Self {
        let mut unit = Self(Hardware::block(BLOCK));
        unit.0.drive("fired_ready", true);
        for context in 0..4 {
            for counter in 0..SHARE {
                assert_eq!(unit.act(code::ALLOC, context, counter, 0).0, status::OK);
            }
        }
        unit
    }

    /// Offers a word until it is taken.
    fn offer(&mut self, port: &str, words: &[u64]) {
        self.0.set(port, words);
        self.0.drive(&format!("{port}_valid"), true);
        self.0.eval();
        for _ in 0..50 {
            if self.0.high(&format!("{port}_ready")) {
                break;
            }
            self.0.step();
        }
        assert!(self.0.high(&format!("{port}_ready")), "{port}");
        self.0.step();
        self.0.drive(&format!("{port}_valid"), false);
        self.0.eval();
    }

    /// Status and success after an operation of a command.
    fn act(&mut self, code: u8, context: u64, counter: u64, success: u64) -> (u8, u64) {
        let fields = [
            ("code", code.into()),
            ("context", context),
            ("counter", counter),
            ("success", success),
        ];
        self.offer("act", &pack(CounterAct::FIELDS, &fields));
        for _ in 0..20 {
            if self.0.high("answer_valid") {
                let words = self.0.get("answer");
                let get = |name| field(CounterAnswer::FIELDS, &words, name);
                // A request in the cycle of a change comes before it.
                self.0.step();
                return (get("status") as u8, get("success"));
            }
            self.0.step();
        }
        panic!("no answer");
    }

    fn count(&mut self, context: u64, counter: u64, success: u64) {
        let fields = [
            ("context", context),
            ("counter", counter),
            ("success", success),
        ];
        self.offer("count", &pack(CounterCount::FIELDS, &fields));
    }

    /// Has a command wait; its status.
    fn wait(&mut self, context: u64, counter: u64, threshold: u64, command: u64) -> u8 {
        let fields = [
            ("context", context),
            ("counter", counter),
            ("threshold", threshold),
        ];
        let mut words = pack(TriggerRequest::FIELDS, &fields);
        // The command has 1,024 bits, its number lies in the lowest 64.
        let at = TriggerRequest::FIELDS
            .iter()
            .find(|field| field.name == "command")
            .expect("a command");
        words[at.offset / 64] |= command << (at.offset % 64);
        self.offer("request", &words);
        for _ in 0..50 {
            if self.0.high("decided") {
                return self.0.word("decided_status") as u8;
            }
            self.0.step();
        }
        panic!("not decided");
    }

    /// Contexts and numbers of the commands that fire in so many cycles.
    fn fired(&mut self, cycles: usize) -> Vec<(u64, u64)> {
        let mut fired = Vec::new();
        for _ in 0..cycles {
            self.0.eval();
            if self.0.high("fired_valid") {
                let words = self.0.get("fired");
                let context = field(FiredCommand::FIELDS, &words, "context");
                fired.push((context, words[0] >> 2 & 0xffff));
            }
            self.0.step();
        }
        fired
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    #[test]
    fn what_a_context_counts_changes_no_counter_of_another(
        counts in prop::collection::vec((0u64..4, 0u64..256, 1u64..1000), 1..60),
    ) {
        let mut unit = Unit::new();
        let mut model = [[0; SHARE as usize]; 4];
        for (context, counter, success) in counts {
            unit.count(context, counter, success);
            // Of a number that the context has not the low bits count.
            model[context as usize][(counter % SHARE) as usize] += success;
        }
        unit.fired(20);
        for context in 0..4 {
            for counter in 0..SHARE {
                let expected = model[context as usize][counter as usize];
                prop_assert_eq!(unit.act(code::GET, context, counter, 0), (status::OK, expected));
            }
        }
    }
}

#[test]
fn a_command_waits_for_the_counter_of_its_own_context() {
    for context in 0..4 {
        for counter in 0..SHARE {
            let mut unit = Unit::new();
            let number = 1 + context * SHARE + counter;
            assert_eq!(unit.wait(context, counter, 5, number), status::OK);
            for (other, its) in (0..4).flat_map(|c| (0..SHARE).map(move |n| (c, n))) {
                if (other, its) != (context, counter) {
                    unit.count(other, its, 5);
                }
            }
            assert_eq!(unit.fired(40), []);
            unit.count(context, counter, 5);
            assert_eq!(unit.fired(40), [(context, number)]);
        }
    }
}

#[test]
fn each_context_has_a_fourth_of_the_places() {
    let mut unit = Unit::new();
    for context in 0..4 {
        // The last of the eight is for what fires at once.
        for number in 0..7 {
            assert_eq!(unit.wait(context, number % SHARE, 9, number), status::OK);
        }
        assert_eq!(unit.wait(context, 0, 9, 7), status::NO_SPACE);
    }
}
