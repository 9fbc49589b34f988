//! Random requests, commands and stops of four contexts, with neighbours of every kind, judged by model and rules.

use proptest::prelude::*;
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;
use xtq_types::matching::{match_op, me_option, portal_option};

use super::rules::Told;
use super::unit::{Neighbours, Unit};
use crate::match_unit::words::{Command, Request};

/// Few values, so that things meet.
struct Draw(ChaCha8Rng);

impl Draw {
    fn one_in(&mut self, n: u32) -> bool {
        self.0.random_ratio(1, n)
    }

    /// A portal entry, mostly 0.
    fn portal(&mut self) -> u64 {
        if self.one_in(10) {
            self.0.random_range(0..3)
        } else {
            0
        }
    }

    fn request(&mut self) -> Request {
        Request {
            kind: self.0.random_range(0..6),
            context: self.0.random_range(0..4),
            portal: self.portal(),
            node: self.0.random_range(0..3),
            source_context: self.0.random_range(0..4),
            user: 7,
            bits: self.0.random_range(0..3),
            length: self.0.random_range(0..300),
            offset: self.0.random_range(0..20),
            header_data: self.0.random(),
            ..Request::default()
        }
    }

    fn command(&mut self) -> Command {
        let op = match self.0.random_range(0..100) {
            0..60 => match_op::ME_APPEND,
            60..72 => match_op::ME_UNLINK,
            72..78 => match_op::ME_SEARCH_ONLY,
            78..86 => match_op::ME_SEARCH_DELETE,
            86..90 => match_op::PT_ALLOC,
            90..92 => match_op::PT_FREE,
            92..98 => match_op::PT_ENABLE,
            _ => match_op::PT_DISABLE,
        };
        let mut options = me_option::OP_PUT | me_option::OP_GET;
        for (option, odds) in [
            (me_option::USE_ONCE, 2),
            (me_option::COMM_DISABLE, 4),
            (me_option::LINK_DISABLE, 4),
            (me_option::OVER_DISABLE, 4),
            (me_option::UNLINK_DISABLE, 4),
            (me_option::SUCCESS_DISABLE, 4),
            (me_option::CT_OVERFLOW, 2),
            (me_option::CT_BYTES, 2),
            (me_option::MANAGE_LOCAL, 3),
        ] {
            if self.one_in(odds) {
                options |= option;
            }
        }
        if op == match_op::PT_ALLOC {
            options = portal_option::MATCHING;
        }
        Command {
            op,
            context: self.0.random_range(0..4),
            portal: self.portal(),
            id: self.0.random_range(0..12),
            list: u8::from(self.one_in(2)),
            options,
            any_node: true,
            any_context: true,
            any_user: true,
            bits: self.0.random_range(0..3),
            ignore: if self.one_in(3) { u64::MAX } else { 0 },
            start: self.0.random(),
            length: self.0.random_range(0..600),
            min_free: self.0.random_range(0..100),
            counter: self.0.random_range(0..256),
            user_ptr: self.0.random(),
            ..Command::default()
        }
    }
}

/// What was reported.
fn run(seed: u64, steps: usize, neighbours: Neighbours) -> Vec<Told> {
    let mut unit = Unit::new(neighbours, seed);
    let mut draw = Draw(ChaCha8Rng::seed_from_u64(seed));
    for context in 0..4 {
        unit.give(Command::alloc(context, 0, false));
    }
    for step in 0..steps {
        match draw.0.random_range(0..20) {
            0 => unit.stop(draw.0.random_range(0..4) << 6 | draw.portal()),
            1..9 => unit.give(draw.command()),
            _ => unit.offer(draw.request()),
        }
        unit.idle(draw.0.random_range(0..8));
        if step % 50 == 49 {
            unit.settle();
        }
    }
    unit.settle();
    unit.told.into_iter().map(|(_, told)| told).collect()
}

/// The random runs must come to everything that can be reported.
#[test]
fn random_runs_meet_every_event_and_status() {
    let (mut kinds, mut states, mut counts) = ([0; 16], [0; 16], [0; 2]);
    for seed in 0..12 {
        let neighbours = Neighbours {
            delay: 60,
            ..Neighbours::default()
        };
        for told in run(seed, 400, neighbours) {
            match &told {
                Told::Event(..) => kinds[usize::from(told.kind().unwrap_or_default())] += 1,
                Told::Count(_, _, _, failure) => counts[*failure as usize] += 1,
                Told::Done(_, status) => states[*status as usize] += 1,
                Told::Enabled(_) => {}
            }
        }
    }
    for kind in [1, 3, 5, 7, 12, 13, 14, 15] {
        assert!(kinds[kind] > 5, "events: {kinds:?}");
    }
    for status in [0, 6, 7, 9, 10] {
        assert!(states[status] > 5, "status: {states:?}");
    }
    assert!(counts.iter().all(|count| *count > 5), "counts: {counts:?}");
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(60))]

    #[test]
    fn whatever_comes_is_told_as_the_rules_say(
        seed: u64,
        pauses in prop_oneof![Just(0.0), Just(0.3), Just(0.8)],
        delay in prop_oneof![Just(0u64), Just(20), Just(200)],
        no_line: bool,
        failures in prop_oneof![Just(0.0), Just(0.4)],
    ) {
        run(seed, 200, Neighbours { pauses, delay, no_line, failures });
    }
}
