//! Whose turn it is: rings that are never empty, fences that fire.

use super::{Kind, Run, Wish, quiet};

/// A FENCE fires at any time among commands of another ring that all take the same time.
#[test]
fn a_fence_that_fires_draws_its_line_whatever_the_rhythm_of_the_others() {
    for period in 2..12 {
        for start in 20..20 + 2 * period {
            let mut run = Run::new();
            for cycle in 0..start + 200 {
                let wish = Wish {
                    post: Some((1, Kind::Nop)),
                    fire: (cycle == start).then_some((0, Kind::Fence)),
                    ..quiet(period)
                };
                run.cycle(&wish).expect("keeps the rules");
            }
            assert!(run.fired.is_empty(), "period {period}, start {start}");
        }
    }
}

/// The rings of two to four contexts are never empty, and something of the last context fires in any rhythm.
#[test]
fn rings_that_are_never_empty_share_whatever_the_rhythm() {
    for rings in 2..5 {
        for period in 2..12 {
            for fires in [period, 2 * period, 3 * period, 3 * period + 1, 1000] {
                let mut run = Run::new();
                for cycle in 0..500 {
                    let wish = Wish {
                        post: Some((cycle as usize % rings, Kind::Nop)),
                        fire: (cycle % fires == 7).then_some((3, Kind::Nop)),
                        ..quiet(period)
                    };
                    run.cycle(&wish).expect("keeps the rules");
                }
            }
        }
    }
}

#[test]
fn the_context_that_had_the_last_turn_is_taken_at_once_and_another_a_cycle_later() {
    let mut run = Run::new();
    for (context, delay) in [
        (2, 1),
        (2, 0),
        (2, 0),
        (1, 1),
        (1, 0),
        (0, 1),
        (3, 1),
        (2, 1),
    ] {
        let post = Some((context, Kind::Nop));
        run.cycle(&Wish { post, ..quiet(3) })
            .expect("keeps the rules");
        for cycle in 0..=delay {
            assert_eq!(run.took, None);
            run.cycle(&quiet(3)).expect("keeps the rules");
            assert_eq!(run.took.is_some(), cycle == delay, "context {context}");
        }
        for _ in 0..20 {
            run.cycle(&quiet(3)).expect("keeps the rules");
        }
    }
}

#[test]
fn a_candidate_without_a_command_in_its_turn_makes_room_while_another_is_at_work() {
    let mut run = Run::new();
    let gone = 1 << 2;
    for (hidden, post, fire, took) in [
        (0, Some(2), None, None),
        // It is chosen, and gone in its turn.
        (0, None, None, None),
        (gone, None, Some(3), None),
        // What has fired is taken; another ring gets a command while that is at work.
        (gone, None, None, None),
        (gone, Some(1), None, None),
        (gone, None, None, None),
        (gone, None, None, Some(1)),
    ] {
        let wish = Wish {
            hidden,
            post: post.map(|context| (context, Kind::Nop)),
            fire: fire.map(|context| (context, Kind::Nop)),
            ..quiet(3)
        };
        run.cycle(&wish).expect("keeps the rules");
        assert_eq!(run.took, took);
    }
}

/// A message of context 1 is under way for long, and its FENCE waits for that; what fires and rings of others go on.
#[test]
fn a_fence_that_waits_for_its_own_messages_holds_up_nobody_else() {
    for fired in [false, true] {
        let mut run = Run::new();
        let (mut taken, mut drawn) = (0, None);
        for cycle in 0..600 {
            let fence = (cycle == 20).then_some((1, Kind::Fence));
            let wish = Wish {
                post: match cycle {
                    0 => Some((1, Kind::Message)),
                    20 if !fired => fence,
                    _ => Some((2, Kind::Nop)),
                },
                fire: fence.filter(|_| fired),
                flight: 400,
                ..quiet(2)
            };
            run.cycle(&wish).expect("keeps the rules");
            taken += u32::from(run.took == Some(2));
            drawn = drawn.or(((run.drawn | run.fired_drawn) >> 1 & 1 == 1).then_some(cycle));
        }
        // The FENCE is looked at in every other turn.
        assert!(taken > 200, "{taken} commands of the other ring");
        let drawn = drawn.expect("the line is drawn");
        assert!((400..440).contains(&drawn), "in cycle {drawn}");
    }
}

/// A FENCE that has fired and will wait again has no bit in `fired_waits`; that of the ring must not draw a line beside
/// its line all the same.
#[test]
fn fences_of_the_ring_and_of_what_waits_again_draw_one_line_at_a_time() {
    for start in 0..12 {
        let mut run = Run::new();
        for cycle in 0..60 {
            let wish = Wish {
                post: (cycle == 6).then_some((1, Kind::Fence)),
                fire: (cycle == start).then_some((1, Kind::Fence)),
                rearms: true,
                ends: if cycle < 40 { 0 } else { 15 },
                ..quiet(3)
            };
            run.cycle(&wish).expect("keeps the rules");
        }
        assert!(run.is_empty(), "start {start}");
    }
}

/// Something that waits again fires all the time, of the context of the ring or of another.
#[test]
fn what_fires_for_ever_leaves_every_other_turn_to_the_rings() {
    for fired in 0..4 {
        for period in 2..12 {
            let mut run = Run::new();
            let (mut fires, mut taken) = (0, [0; 4]);
            for cycle in 0..2000 {
                let wish = Wish {
                    post: (cycle < 1600).then_some((cycle as usize % 4, Kind::Nop)),
                    fire: run.fired.is_empty().then_some((fired, Kind::Nop)),
                    rearms: true,
                    ..quiet(period)
                };
                let before = run.fired.len();
                run.cycle(&wish).expect("keeps the rules");
                fires += before.saturating_sub(run.fired.len());
                if let Some(context) = run.took {
                    taken[context] += 1;
                }
            }
            let all: usize = taken.iter().sum();
            assert!(all * 3 > fires, "{all} of the rings, {fires} fired");
            assert!(taken.iter().all(|one| 5 * one > all), "{taken:?}");
        }
    }
}
