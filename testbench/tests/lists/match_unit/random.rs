//! Random interleavings of requests and commands of four contexts, judged by the model, and the lists emptied at the
//! end.

use proptest::prelude::*;
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;
use std::ops::Range;
use xtq_types::matching::{MatchResponse, MatchResult, match_op, me_option, portal_option};

use super::model::Rules;
use super::unit::{Gaps, Size, Unit};
use super::words::{Command, Request, Words};

/// Few values, so that things meet.
struct Draw {
    rng: ChaCha8Rng,
    /// Numbers of entries that commands name; few, so that many are taken, but anywhere among all.
    ids: Range<u64>,
    handle: u64,
}

impl Draw {
    fn pick<T: Copy>(&mut self, from: &[T]) -> T {
        from[self.rng.random_range(0..from.len())]
    }

    /// A context and one of its portal entries, mostly one of two.
    fn place(&mut self) -> (u64, u64) {
        let context = self.rng.random_range(0..4);
        match self.rng.random_ratio(1, 40) {
            true => (context, self.pick(&[2, 3, 62, 63, 64, 65_535])),
            false => (context, self.rng.random_range(0..2)),
        }
    }

    fn length(&mut self) -> u64 {
        match self.rng.random_range(0..10) {
            0 => 0,
            1 => u64::from(self.rng.random::<u32>()),
            2 => 0xFFFF_FFFF,
            _ => self.rng.random_range(0..200),
        }
    }

    fn offset(&mut self) -> u64 {
        match self.rng.random_range(0..8) {
            0 => u64::MAX - self.rng.random_range(0..200),
            1 => self.rng.random(),
            2 | 3 => self.rng.random_range(0..200),
            _ => 0,
        }
    }

    fn request(&mut self) -> Request {
        let (context, portal) = self.place();
        self.handle += 1;
        let kind = self.pick(&[0, 0, 0, 1, 2, 3, 4, 5, 5]);
        Request {
            kind,
            event_room: self.pick(&[3, 3, 3, 3, 3, 2, 1, 0]),
            crowded: self.rng.random_ratio(1, 20),
            context,
            portal,
            node: self.rng.random_range(0..3),
            source_context: self.rng.random_range(0..2),
            user: self.pick(&[7, 7, 7, 7, 7, 8]),
            bits: self.rng.random_range(0..4) << self.pick(&[0, 0, 62]),
            length: self.length(),
            limit: self.pick(&[0xFFFF_FFFF, 0xFFFF_FFFF, 512, 8]),
            offset: self.offset(),
            header_data: self.rng.random(),
            handle: self.handle & 0xFFFF,
        }
    }

    fn options(&mut self) -> u32 {
        let mut options = me_option::OP_PUT | me_option::OP_GET;
        for (bit, odds) in [
            (me_option::IOVEC, 6),
            (me_option::OP_PUT, 20),
            (me_option::OP_GET, 20),
            (me_option::USE_ONCE, 2),
            (me_option::UNEXPECTED_HDR_DISABLE, 5),
            (me_option::COMM_DISABLE, 5),
            (me_option::UNLINK_DISABLE, 5),
            (me_option::CT_BYTES, 5),
            (me_option::MANAGE_LOCAL, 2),
            (me_option::NO_TRUNCATE, 3),
            (me_option::LOCAL_INC_UH_RLENGTH, 4),
        ] {
            if self.rng.random_ratio(1, odds) {
                options ^= bit;
            }
        }
        options
    }

    fn command(&mut self) -> Command {
        let (context, portal) = self.place();
        self.handle += 1;
        let op = match self.rng.random_range(0..100) {
            0..60 => match_op::ME_APPEND,
            60..72 => match_op::ME_UNLINK,
            72..77 => match_op::ME_SEARCH_ONLY,
            77..84 => match_op::ME_SEARCH_DELETE,
            84..88 => match_op::PT_ALLOC,
            88..90 => match_op::PT_FREE,
            90..97 => match_op::PT_ENABLE,
            97..99 => match_op::PT_DISABLE,
            _ => self.rng.random_range(8..16),
        };
        let length = match self.rng.random_range(0..6) {
            0 => self.offset(),
            _ => self.rng.random_range(0..2000),
        };
        let id = self.rng.random_range(self.ids.clone());
        let options = match op {
            match_op::PT_ALLOC => {
                let flow = self.pick(&[0, portal_option::FLOW_CONTROL]);
                let matching = self.pick(&[portal_option::MATCHING; 4]);
                flow | self.pick(&[matching, matching, matching, 0])
                    | self.pick(&[0, 0, 0, portal_option::DISABLED])
            }
            _ => self.options(),
        };
        Command {
            op,
            context,
            portal,
            id: match self.rng.random_ratio(1, 100) {
                true => self.pick(&[256, 1024, 65_535, self.ids.end]),
                false => id,
            },
            list: u8::from(self.rng.random_ratio(1, 2)),
            options,
            any_node: self.rng.random_ratio(3, 4),
            any_context: self.rng.random_ratio(3, 4),
            any_user: self.rng.random_ratio(1, 2),
            node: self.rng.random_range(0..3),
            source_context: self.rng.random_range(0..2),
            user: 7,
            bits: self.rng.random_range(0..4) << self.pick(&[0, 0, 62]),
            ignore: self.pick(&[0, 1, 3, u64::MAX, u64::MAX]),
            start: self.rng.random(),
            length,
            min_free: self.pick(&[0, 0, 1, 64, 1500, u64::MAX]),
            counter: self.rng.random_range(0..256),
            user_ptr: self.rng.random(),
            handle: self.handle & 0xFFFF,
        }
    }
}

/// Senders of a partitioned matcher: two of each part.
const SENDERS: u64 = 8;

impl Draw {
    /// Mostly what a partitioned matcher does not refuse.
    fn fit(&mut self, command: &mut Command) {
        command.node = self.rng.random_range(0..SENDERS);
        if self.rng.random_ratio(1, 10) {
            return;
        }
        if command.op == match_op::PT_ALLOC {
            command.options |= portal_option::MATCHING;
            command.options &= !portal_option::FLOW_CONTROL;
        } else if command.list == 1 && command.op == match_op::ME_APPEND {
            command.options &= !(me_option::USE_ONCE | me_option::MANAGE_LOCAL);
        } else {
            command.any_node = false;
        }
    }
}

impl Draw {
    /// One of few keys, so that all of it is equal now and then: node, context, match bits.
    fn key(&mut self) -> (u64, u64, u64) {
        let bits = self.rng.random_range(0..3) << self.pick(&[0, 0, 0, 62]);
        (self.rng.random_range(0..2), self.pick(&[0, 0, 0, 1]), bits)
    }

    /// Mostly what an exact matcher does not refuse.
    fn fit_exact(&mut self, command: &mut Command) {
        (command.node, command.source_context, command.bits) = self.key();
        if self.rng.random_ratio(1, 10) {
            return;
        }
        if command.op == match_op::PT_ALLOC {
            command.options |= portal_option::MATCHING;
            command.options &= !portal_option::FLOW_CONTROL;
        } else if command.list == 1 && command.op == match_op::ME_APPEND {
            command.options &= !me_option::USE_ONCE;
            command.min_free = self.pick(&[0, 0, 0, 0, 0, 1]);
        } else {
            (command.any_node, command.any_context) = (false, false);
            (command.any_user, command.ignore) = (true, 0);
            command.options |= me_option::OP_PUT;
            command.options &= !(me_option::NO_TRUNCATE
                | me_option::OP_GET
                | me_option::IOVEC
                | me_option::MANAGE_LOCAL);
            if command.op != match_op::ME_SEARCH_DELETE {
                command.options |= me_option::USE_ONCE;
            }
        }
    }
}

/// Everything is taken out again: headers by a search, entries by unlinking, in an order that shows what there is.
fn empty(unit: &mut Unit) {
    if let Rules::Keys(_) = unit.size().rules() {
        for search in unit.model().searches() {
            unit.order_command(search);
        }
    }
    for context in 0..4 {
        for portal in 0..64 {
            let search = Command {
                op: match_op::ME_SEARCH_DELETE,
                context,
                portal,
                ignore: u64::MAX,
                any_node: true,
                any_context: true,
                handle: portal,
                ..Command::default()
            };
            let nodes = match unit.size().rules() {
                Rules::Lists => {
                    unit.order_command(search);
                    continue;
                }
                Rules::Parts => SENDERS,
                Rules::Keys(_) => 0,
            };
            for node in 0..nodes {
                unit.order_command(Command {
                    any_node: false,
                    node,
                    ..search.clone()
                });
            }
        }
        for id in 0..unit.size().share() {
            unit.order_command(Command::unlink(context, id));
        }
        for portal in 0..64 {
            unit.order_command(Command::portal(match_op::PT_FREE, context, portal));
        }
    }
    unit.settle();
}

/// One run; the unit as it is at the end.
pub fn run(size: Size, seed: u64, steps: usize, commands: f64, gaps: Gaps) -> Unit {
    let mut unit = Unit::new(size, gaps, seed);
    drive(&mut unit, seed, steps, commands);
    empty(&mut unit);
    unit
}

/// Random requests and commands, until all are answered.
pub fn drive(unit: &mut Unit, seed: u64, steps: usize, commands: f64) {
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    let share = unit.size().share();
    let first = rng.random_range(0..=share.saturating_sub(16));
    let mut draw = Draw {
        rng,
        ids: first..share.min(first + 16),
        handle: 0,
    };
    for context in 0..4 {
        for portal in 0..2 {
            let flow = context == portal && matches!(unit.size().rules(), Rules::Lists);
            unit.order_command(Command::alloc(context, portal, flow));
        }
    }
    unit.settle();
    for step in 0..steps {
        match draw.rng.random_bool(commands) {
            true => {
                let mut command = draw.command();
                match unit.size().rules() {
                    Rules::Lists => {}
                    Rules::Parts => draw.fit(&mut command),
                    Rules::Keys(_) => draw.fit_exact(&mut command),
                }
                unit.order_command(command);
            }
            false => {
                let mut request = draw.request();
                match unit.size().rules() {
                    Rules::Lists => {}
                    Rules::Parts => request.node = draw.rng.random_range(0..SENDERS),
                    Rules::Keys(_) => {
                        (request.node, request.source_context, request.bits) = draw.key();
                    }
                }
                unit.offer(request);
            }
        }
        if (step + 1) % unit.size().together() == 0 {
            unit.settle();
        }
    }
    unit.settle();
}

/// The random runs must come to everything that can be reported.
#[test]
fn random_runs_meet_every_outcome_and_every_code() {
    let (mut outcomes, mut codes, mut kinds) = ([0; 6], [0; 13], [0; 3]);
    let mut flags = [0; 5];
    for seed in 0..30 {
        let size = if seed % 2 == 0 {
            Size::Tiny
        } else {
            Size::Default
        };
        let unit = run(size, seed, 600, 0.4, Gaps([0.1; 4]));
        for (_, words) in &unit.results {
            let words = Words(words.clone());
            let get = |name| words.get(MatchResult::FIELDS, name) as usize;
            outcomes[get("outcome")] += 1;
            for (count, name) in flags.iter_mut().zip([
                "portal_disabled",
                "auto_unlink",
                "auto_free",
                "unexpected",
                "crowded",
            ]) {
                *count += get(name);
            }
        }
        for (_, words) in &unit.responses {
            let words = Words(words.clone());
            let get = |name| words.get(MatchResponse::FIELDS, name) as usize;
            kinds[get("kind")] += 1;
            if get("kind") == 0 {
                codes[get("code")] += 1;
            }
        }
    }
    assert!(
        outcomes.iter().all(|count| *count > 20),
        "outcomes: {outcomes:?}"
    );
    assert!(codes.iter().all(|count| *count > 5), "codes: {codes:?}");
    assert!(kinds.iter().all(|count| *count > 20), "kinds: {kinds:?}");
    assert!(flags.iter().all(|count| *count > 20), "flags: {flags:?}");
}

pub fn gaps() -> impl Strategy<Value = Gaps> {
    let gap = prop_oneof![Just(0.0), Just(0.0), Just(0.3), Just(0.8)];
    prop::array::uniform4(gap).prop_map(Gaps)
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 200, ..ProptestConfig::default() })]

    #[test]
    fn any_interleaving_is_what_the_model_says(
        seed: u64,
        commands in prop_oneof![Just(0.2), Just(0.5), Just(0.8)],
        gaps in gaps(),
        tiny: bool,
    ) {
        let size = if tiny { Size::Tiny } else { Size::Default };
        run(size, seed, 400, commands, gaps);
    }
}
