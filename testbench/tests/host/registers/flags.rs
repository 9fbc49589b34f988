//! `ContextFlags` and `PulseCounter` against naive words, cycle by cycle.

use proptest::prelude::*;
use xtq_testbench::by_name::Hardware;

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    /// Pulses in bits 0 (event visible) to 4 (bad tail).
    #[test]
    fn flags_are_sticky_and_a_pulse_beats_the_write_that_clears(
        script in prop::collection::vec((0u64..4, any::<bool>(), 0u64..16, 0u64..32), 1..100),
    ) {
        let mut block = Hardware::block("context_flags");
        // ENABLE, ERROR_CAUSE, IRQ_MASK, IRQ_STATUS.
        let mut words = [0u64; 4];
        for (column, write, data, pulses) in script {
            let pulses = pulses & (pulses >> 1 | 16);
            block.drive("column", column);
            block.drive("write", write);
            block.drive("data", data);
            for (bit, name) in ["event_visible", "event_failed", "event_lost", "memory_failed", "bad_tail"].iter().enumerate() {
                block.drive(name, pulses >> bit & 1);
            }
            block.eval();
            prop_assert_eq!(block.word("word"), words[column as usize]);
            prop_assert_eq!(block.word("enable"), words[0]);
            prop_assert_eq!(block.word("irq"), u64::from(words[2] & words[3] != 0));
            block.step();
            if write {
                let word = &mut words[column as usize];
                *word = match column {
                    0 => data & 1,
                    2 => data & 3,
                    _ => *word & !data,
                };
            }
            words[1] |= pulses >> 1;
            words[3] |= (pulses & 1) | (u64::from(pulses >> 1 != 0) << 1);
        }
    }

    #[test]
    fn a_counter_counts_pulses_until_it_is_cleared(
        script in prop::collection::vec((any::<bool>(), prop::bool::weighted(0.1)), 1..100),
    ) {
        let mut block = Hardware::block("pulse_counter");
        let mut count = 0;
        for (pulse, clear) in script {
            block.drive("pulse", pulse);
            block.drive("clear", clear);
            block.eval();
            prop_assert_eq!(block.word("count"), count);
            block.step();
            count = if clear { 0 } else { count + u64::from(pulse) };
        }
    }
}
