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
