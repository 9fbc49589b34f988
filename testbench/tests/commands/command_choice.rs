//! `CommandChoice` among random rings, fired commands and fences, against the rules of its contract.

mod turns;
mod wishes;

use std::collections::VecDeque;
use std::sync::Arc;

use proptest::prelude::*;
use xtq_engine::{Backend, Body, Compiled};
use xtq_rtl::commands::command_choice::CommandChoice;
use xtq_types::counter::FiredCommand;
use xtq_types::send::RingCommand;

use wishes::{Kind, REARMS, Wish, wish};
use xtq_testbench::by_name::{Hardware, pack};

struct Run {
    choice: Hardware,
    number: u64,
    rings: [VecDeque<(Kind, u64)>; 4],
    fired: VecDeque<(usize, Kind, u64)>,
    /// Cycles until something that has fired is on offer again.
    quiet: u32,
    /// Cycles until the stage is idle again.
    busy: u32,
    /// Cycles until the last message of each context is counted.
    flying: [u32; 4],
    /// Contexts whose ring's, or fired, FENCE has drawn its line, and those of which messages before a line have not
    /// ended.
    drawn: u64,
    fired_drawn: u64,
    unclear: u64,
    /// Of which ring a command was taken in the cycle before.
    took: Option<usize>,
    /// Whose command is to be shown in this cycle.
    named: Option<usize>,
    /// Cycles in which a command of a ring could be taken since that of the context can, or can draw its line.
    turns: [u32; 4],
    /// Idle cycles since a FENCE of the context has fired that can draw its line.
    fence_turns: [u32; 4],
    /// The only context whose command could be looked at in the cycle before, and taken; it must be now if there is a
    /// turn.
    alone: Option<usize>,
    /// Cycles since a command of a ring was taken.
    since: u32,
    /// What was taken last had fired and will wait again.
    yields: bool,
}

impl Run {
    fn new() -> Self {
        let body = Body::new(&CommandChoice::default(), Backend::Jit).expect("compiles");
        Self {
            choice: Hardware::new(Compiled::new(Arc::new(body))),
            number: 0,
            rings: Default::default(),
            fired: VecDeque::new(),
            quiet: 0,
            busy: 0,
            flying: [0; 4],
            drawn: 0,
            fired_drawn: 0,
            unclear: 0,
            took: None,
            named: None,
            turns: [0; 4],
            fence_turns: [0; 4],
            alone: None,
            since: 0,
            yields: false,
        }
    }

    fn show(&mut self, wish: &Wish) {
        let shown = (0..4).filter(|&c| !self.rings[c].is_empty());
        let waiting = shown.fold(0, |bits, c| bits | 1 << c) & !wish.hidden;
        let once = self.fired.iter().filter(|fired| fired.2 & REARMS == 0);
        let fired = once.fold(0, |bits, fired| bits | 1 << fired.0);
        for (name, value) in [
            ("idle", u64::from(self.busy == 0)),
            ("waiting", waiting),
            ("fired_valid", u64::from(self.offered().is_some())),
            ("fired_waits", fired | wish.posting),
            ("room", 15 & !wish.full),
            ("epoch_clear", 15 & !self.unclear),
            ("away", wish.away),
            ("under_way", self.under_way()),
        ] {
            self.choice.set(name, &[value]);
        }
        if let Some((context, kind, number)) = self.offered() {
            let rearms = u64::from(number & REARMS > 0);
            let fields = [("context", context as u64), ("rearms", rearms)];
            let mut fired = pack(FiredCommand::FIELDS, &fields);
            for (i, word) in kind.words(number).iter().enumerate() {
                fired[i] |= word << 2;
                fired[i + 1] |= word >> 62;
            }
            self.choice.set("fired", &fired);
        }
        self.choice.eval();
        let choose = self.choice.get("choose")[0] as usize;
        // Without a command there is noise.
        let noise = (Kind::Fence, 0);
        let (kind, number) = self.rings[choose].front().copied().unwrap_or(noise);
        let error = [("error", u64::from(kind == Kind::UnreadFence))];
        let mut command = pack(RingCommand::FIELDS, &error);
        for (word, value) in command.iter_mut().zip(kind.words(number)) {
            *word |= value;
        }
        self.choice.set("command", &command);
        self.choice.eval();
    }

    /// Contexts of which a message is under way.
    fn under_way(&self) -> u64 {
        let flying = (0..4).filter(|&c| self.flying[c] > 0);
        flying.fold(0, |bits, c| bits | 1 << c)
    }

    fn offered(&self) -> Option<(usize, Kind, u64)> {
        self.fired.front().copied().filter(|_| self.quiet == 0)
    }

    /// After what was taken or passed contexts come in turn. For a cycle nothing is on offer, for two if the next is
    /// another command that is there already.
    fn next_context(&mut self, last: usize, fires: bool) {
        let first = |c: usize| self.fired.iter().position(|fired| fired.0 == c);
        let next = (1..=4).find_map(|step| first((last + step) % 4));
        let stays = !fires && next == Some(0);
        self.quiet = 1 + u32::from(next.is_some() && !stays);
        if let Some(fired) = next.and_then(|i| self.fired.remove(i)) {
            self.fired.push_front(fired);
        }
    }

    /// Whether the FENCE that has fired first of this context can draw its line.
    fn fence_draws(&self, c: usize) -> bool {
        let first = self.fired.iter().find(|fired| fired.0 == c);
        first.is_some_and(|fired| fired.1 == Kind::Fence)
            && (self.fired_drawn | self.unclear | self.under_way()) >> c & 1 == 0
    }

    /// Whether what has fired first can be taken.
    fn fired_goes(&self, wish: &Wish) -> bool {
        self.offered().is_some_and(|(c, kind, _)| match kind {
            Kind::Message => wish.full >> c & 1 == 0,
            Kind::List => wish.away >> c & 1 == 0,
            Kind::Fence => self.fired_drawn >> c & 1 == 1 && self.unclear >> c & 1 == 0,
            _ => true,
        })
    }

    /// Whether the first command of the ring can be looked at, and taken.
    fn ring_goes(&self, c: usize, wish: &Wish) -> (bool, bool) {
        let once = |fired: &(usize, Kind, u64)| fired.0 == c && fired.2 & REARMS == 0;
        let posting = self.fired.iter().any(once) || wish.posting >> c & 1 == 1;
        let fenced = self.drawn >> c & 1 == 1;
        let looked_at = !self.rings[c].is_empty()
            && (wish.hidden | wish.away) >> c & 1 == 0
            && !posting
            && self.fired_drawn >> c & 1 == 0
            && (!fenced || self.unclear >> c & 1 == 0);
        let taken = match self.rings[c].front() {
            Some((Kind::Message, _)) => wish.full >> c & 1 == 0,
            Some((Kind::Fence, _)) => fenced,
            _ => true,
        };
        (looked_at, looked_at && taken)
    }

    fn is_empty(&self) -> bool {
        self.fired.is_empty() && self.rings.iter().all(VecDeque::is_empty)
    }

    fn cycle(&mut self, wish: &Wish) -> Result<(), TestCaseError> {
        self.show(wish);
        let idle = self.busy == 0;
        let goes = self.fired_goes(wish);
        let first = self.offered();
        let waits = first
            .is_some_and(|(context, kind, _)| kind == Kind::Fence && self.fence_draws(context));
        let passes = first.is_some() && !goes && !waits;
        prop_assert_eq!(self.choice.high("fired_pass"), passes);
        // After what will wait again the rings have a turn.
        let fires = idle && goes && !self.yields;
        let fired_ready = self.choice.high("fired_ready");
        prop_assert_eq!(fired_ready && first.is_some(), fires);
        let choose = self.choice.get("choose")[0] as usize;
        // The command that is shown is that of the context which the cycle before has named.
        let named = self.choice.get("choose_next")[0] as usize;
        if let Some(before) = self.named.replace(named) {
            prop_assert_eq!(choose, before);
        }
        prop_assert_eq!(self.choice.high("take"), self.took.is_some());
        if let Some(context) = self.took.take() {
            prop_assert_eq!(choose, context);
            self.rings[context].pop_front();
        }

        // Lines of fences.
        let fence = self.choice.high("fence");
        let fence_context = self.choice.get("fence_context")[0] as usize;
        let draws = first.filter(|_| waits && idle && !self.yields);
        if let Some((context, ..)) = draws {
            prop_assert!(fence && fence_context == context);
            self.fired_drawn |= 1 << context;
        } else if fence {
            prop_assert!(idle && self.ring_goes(fence_context, wish).0);
            let command = self.rings[fence_context].front();
            prop_assert!(matches!(command, Some((Kind::Fence, _))));
            let busy = self.drawn | self.unclear | self.under_way();
            prop_assert_eq!(busy >> fence_context & 1, 0);
            self.drawn |= 1 << fence_context;
        }

        // What is taken.
        let taken = self.choice.high("taken");
        let turn = idle && !fires && draws.is_none();
        prop_assert!(!taken || fires || turn);
        let (mut took, mut rearms) = (None, false);
        if fires {
            let (context, kind, number) = self.fired.pop_front().expect("fires");
            rearms = number & REARMS > 0;
            took = Some((context, kind));
            prop_assert!(taken && !self.choice.high("unread"));
            prop_assert_eq!(self.choice.get("next_command"), kind.words(number));
            prop_assert_eq!(self.choice.get("next_context"), [context as u64]);
            if kind == Kind::Fence {
                self.fired_drawn &= !(1 << context);
            }
        } else if taken {
            prop_assert_eq!(self.choice.get("next_context"), [choose as u64]);
            prop_assert!(self.ring_goes(choose, wish).1, "{:?}", self.rings[choose]);
            let (kind, number) = self.rings[choose][0];
            took = Some((choose, kind));
            prop_assert_eq!(self.choice.get("next_command"), kind.words(number));
            let unread = self.choice.high("unread");
            prop_assert_eq!(unread, kind == Kind::UnreadFence);
            // Also of a FENCE that was in a ring which has begun again.
            self.drawn &= !(1 << choose);
            self.took = Some(choose);
        }
        if idle {
            self.yields = rearms;
        }
        self.quiet = self.quiet.saturating_sub(1);
        if let Some((context, ..)) = first.filter(|_| fires || passes) {
            self.next_context(context, fires);
        }
        // Who is alone for two turns is taken in the second, also if the first is the last cycle of the command before.
        let looked_at = |run: &Self| {
            (0..4)
                .filter(|&c| run.ring_goes(c, wish).0)
                .collect::<Vec<_>>()
        };
        let alone = match looked_at(self)[..] {
            [context] if self.ring_goes(context, wish).1 => Some(context),
            _ => None,
        };
        if turn && !taken {
            prop_assert!(alone.is_none() || alone != self.alone, "{:?} waits", alone);
        }
        self.since = if self.took.is_some() {
            0
        } else {
            self.since + 1
        };
        self.alone = alone.filter(|_| (turn && !taken) || self.since == 1);
        // Nobody is forgotten: the candidate that is there, three others, and one turn to choose.
        for context in 0..4 {
            let mine = self.took == Some(context);
            let (looked_at, can) = self.ring_goes(context, wish);
            let draws = looked_at
                && matches!(self.rings[context].front(), Some((Kind::Fence, _)))
                && (self.unclear | self.under_way()) >> context & 1 == 0
                && !(fence && fence_context == context);
            let can = (can || draws) && !mine;
            self.turns[context] = if can {
                self.turns[context] + u32::from(turn)
            } else {
                0
            };
            prop_assert!(self.turns[context] < 6, "context {} waits", context);
            self.fence_turns[context] = if self.fence_draws(context) {
                self.fence_turns[context] + u32::from(idle)
            } else {
                0
            };
            prop_assert!(self.fence_turns[context] < 16, "fence of {} waits", context);
        }
        self.busy = self.busy.saturating_sub(1);
        self.flying = self.flying.map(|cycles| cycles.saturating_sub(1));
        if taken {
            self.busy = 1 + wish.busy;
        }
        if let Some((context, Kind::Message)) = took {
            self.flying[context] = self.flying[context].max(8 + wish.flight);
        }

        self.unclear &= !wish.ends;
        if fence {
            self.unclear |= 1 << fence_context;
        }
        self.number += 2;
        if let Some(context) = wish.restart {
            self.rings[context].clear();
        }
        // A new ring has no command as soon as that.
        let post = wish.post.filter(|post| wish.restart != Some(post.0));
        if let Some((context, kind)) = post {
            self.rings[context].push_back((kind, self.number));
        }
        if let Some((context, kind)) = wish.fire {
            let rearms = if wish.rearms { REARMS } else { 0 };
            self.fired
                .push_back((context, kind, (self.number + 1) | rearms));
        }
        self.choice.step();
        Ok(())
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn takes_what_it_may_in_turn(script in prop::collection::vec(wish(), 1..300)) {
        let mut run = Run::new();
        for wish in &script {
            run.cycle(wish)?;
        }
        // All end if nothing is in the way.
        let most = 10 * run.number;
        let free = quiet(3);
        for _ in 0..most {
            if run.is_empty() {
                break;
            }
            run.cycle(&free)?;
        }
        prop_assert!(run.is_empty(), "{:?} {:?}", run.fired, run.rings);
    }
}

/// Nothing is posted and nothing is in the way; what is taken is at work for `period` cycles.
fn quiet(period: u32) -> Wish {
    Wish {
        post: None,
        fire: None,
        rearms: false,
        restart: None,
        hidden: 0,
        full: 0,
        away: 0,
        posting: 0,
        ends: 15,
        flight: 0,
        busy: period - 2,
    }
}
