//! `RingArbiter`: every combination of what admission, the lists and own events want in a cycle.

use xtq_testbench::by_name::Hardware;

/// What comes in a cycle. Contexts are 0 to 3, counts 0 to 3.
#[derive(Clone, Copy, Debug)]
struct Cycle {
    admission: (u64, bool, bool),
    admission_lost: u64,
    give_back: u64,
    holding: bool,
    own: (u64, bool, bool),
    own_failed: bool,
    held_failed: bool,
}

impl Cycle {
    /// The combination of this number, below 2^15.
    fn number(mut bits: u64) -> Self {
        let mut take = |width: u32| {
            let field = bits & ((1 << width) - 1);
            bits >>= width;
            field
        };
        Self {
            admission: (take(2), take(1) == 1, take(1) == 1),
            admission_lost: take(2),
            give_back: take(2),
            holding: take(1) == 1,
            own: (take(2), take(1) == 1, take(1) == 1),
            own_failed: take(1) == 1,
            held_failed: take(1) == 1,
        }
    }

    /// Own events keep out of the cycles that belong to admission.
    fn is_allowed(&self) -> bool {
        let (_, claims, loses) = self.own;
        !(claims && self.reserving() || loses && self.losing())
    }

    fn reserving(&self) -> bool {
        self.admission.1 || self.admission.2 || self.holding
    }

    fn losing(&self) -> bool {
        self.admission_lost > 0 || self.give_back > 0
    }

    fn drive(&self, block: &mut Hardware, visible: u64) {
        let (context, reserve, hold) = self.admission;
        block.drive("admission_context", context);
        block.drive("admission_reserve", reserve);
        block.drive("admission_hold", hold);
        block.drive("admission_lost", self.admission_lost);
        block.drive("admission_give_back", self.give_back);
        block.drive("holding", self.holding);
        let (context, claims, loses) = self.own;
        block.drive("own_context", context);
        block.drive("own_claim", claims);
        block.drive("own_lost", loses);
        block.drive("own_failed", self.own_failed);
        block.drive("visible", visible);
        block.drive("held_failed_valid", self.held_failed);
        block.eval();
    }
}

#[test]
fn each_place_and_each_lost_event_is_that_of_the_context_that_wants_it() {
    let mut block = Hardware::block("ring_arbiter");
    let (mut own_places, mut own_losses) = (0, 0);
    for cycle in (0..1 << 15).map(Cycle::number).filter(Cycle::is_allowed) {
        cycle.drive(&mut block, 0);
        let ((admission, reserves, _), (own, claims, loses)) = (cycle.admission, cycle.own);
        // At most one of the two takes a place.
        let taker = [(reserves, admission), (claims, own)]
            .into_iter()
            .find(|taker| taker.0);
        assert_eq!(block.high("reserve_valid"), taker.is_some(), "{cycle:?}");
        if let Some((_, context)) = taker {
            assert_eq!(block.word("reserve"), context, "{cycle:?}");
        }
        // Admission loses up to three events at once, an own event is one.
        let lost = cycle.admission_lost + u64::from(loses);
        assert_eq!(block.word("lost_count"), lost, "{cycle:?}");
        assert_eq!(block.high("event_lost_valid"), lost > 0, "{cycle:?}");
        if cycle.losing() || loses {
            let context = if loses { own } else { admission };
            assert_eq!(block.word("lost"), context, "{cycle:?}");
            assert_eq!(block.word("event_lost"), context, "{cycle:?}");
        }
        own_places += u64::from(claims);
        own_losses += u64::from(loses);
    }
    assert!(own_places > 100 && own_losses > 100);
}

#[test]
fn own_events_are_kept_out_of_the_cycles_of_admission() {
    let mut block = Hardware::block("ring_arbiter");
    for cycle in (0..1 << 15).map(Cycle::number) {
        cycle.drive(&mut block, 0);
        assert_eq!(block.high("reserving"), cycle.reserving(), "{cycle:?}");
        assert_eq!(block.high("losing"), cycle.losing(), "{cycle:?}");
    }
}

#[test]
fn a_failed_event_is_that_of_the_context_whose_write_is_acknowledged() {
    let mut block = Hardware::block("ring_arbiter");
    for visible in 0..4 {
        for (own_failed, held_failed) in [(false, false), (false, true), (true, false)] {
            let cycle = Cycle {
                own_failed,
                held_failed,
                ..Cycle::number(0)
            };
            cycle.drive(&mut block, visible);
            let failed = own_failed || held_failed;
            assert_eq!(block.high("event_failed_valid"), failed, "{cycle:?}");
            assert!(
                !failed || block.word("event_failed") == visible,
                "{cycle:?}"
            );
        }
    }
}
