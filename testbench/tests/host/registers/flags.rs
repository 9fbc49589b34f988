//! `ContextFlags` and `PulseCounter` against naive words, cycle by cycle.

use proptest::prelude::*;
use xtq_engine::Engine;
use xtq_engine::EngineKind;
use xtq_engine::blocks;
use xtq_testbench::bus::Pin;

fn set(engine: &mut dyn Engine, name: &str, value: u64) {
    let pin = Pin::input(engine, name).expect("is an input");
    pin.set(engine, value).expect("is an input");
}

fn get(engine: &dyn Engine, name: &str) -> u64 {
    Pin::output(engine, name).expect("is an output").get(engine)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    /// Pulses in bits 0 (event visible) to 4 (bad tail).
    #[test]
    fn flags_are_sticky_and_a_pulse_beats_the_write_that_clears(
        script in prop::collection::vec((0u64..4, any::<bool>(), 0u64..16, 0u64..32), 1..100),
    ) {
        let mut engine = blocks::engine("context_flags", EngineKind::Jit).expect("the ports are complete");
        engine.reset(1).expect("has rst");
        // ENABLE, ERROR_CAUSE, IRQ_MASK, IRQ_STATUS.
        let mut words = [0u64; 4];
        for (column, write, data, pulses) in script {
            let pulses = pulses & (pulses >> 1 | 16);
            set(&mut engine, "column", column);
            set(&mut engine, "write", write.into());
            set(&mut engine, "data", data);
            for (bit, name) in ["event_visible", "event_failed", "event_lost", "memory_failed", "bad_tail"].iter().enumerate() {
                set(&mut engine, name, pulses >> bit & 1);
            }
            engine.eval().expect("settles");
            prop_assert_eq!(get(&engine, "word"), words[column as usize]);
            prop_assert_eq!(get(&engine, "enable"), words[0]);
            prop_assert_eq!(get(&engine, "irq"), u64::from(words[2] & words[3] != 0));
            engine.step().expect("settles");
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
        let mut engine = blocks::engine("pulse_counter", EngineKind::Jit)
            .expect("the ports are complete");
        engine.reset(1).expect("has rst");
        let mut count = 0;
        for (pulse, clear) in script {
            set(&mut engine, "pulse", pulse.into());
            set(&mut engine, "clear", clear.into());
            engine.eval().expect("settles");
            prop_assert_eq!(get(&engine, "count"), count);
            engine.step().expect("settles");
            count = if clear { 0 } else { count + u64::from(pulse) };
        }
    }
}
