//! A new SIZE: what was fetched before it is thrown away, whenever it comes.

use xtq_types::register_map::command_word::{HEAD, SIZE, TAIL};

use crate::command_ring::harness::{Inputs, Rig, content};

/// Fills the ring twice and sees that all commands are of the new ring, the first one at its base.
fn begins_anew(rig: &mut Rig, context: u64, base: u64, size: u32) {
    rig.version += 1;
    assert_eq!((rig.read(context, HEAD), rig.read(context, TAIL)), (0, 0));
    for round in 1..3 {
        rig.post(context, round * size);
        for number in 0..u64::from(size) {
            let expected = content(rig.version, (context, base + 128 * number));
            assert_eq!(
                rig.take(context).0,
                expected,
                "round {round}, command {number}"
            );
        }
    }
    assert_eq!(rig.idle(20).waiting, 0);
    assert_eq!(rig.read(context, HEAD), 2 * size);
}

#[test]
fn commands_that_wait_are_forgotten() {
    let mut rig = Rig::new();
    rig.set_up(1, 0x4000, 8);
    rig.post(1, 8);
    assert_eq!(rig.idle(30).waiting, 2);
    rig.take(1);
    rig.idle(10);
    let cfg = Some((1, SIZE, 4));
    assert_eq!(
        rig.cycle(Inputs {
            cfg,
            ..Inputs::default()
        })
        .waiting,
        2
    );
    assert_eq!(rig.idle(1).waiting, 0, "from the next cycle on");
    rig.idle(20);
    begins_anew(&mut rig, 1, 0x4000, 4);
}

#[test]
fn commands_under_way_are_thrown_away_when_they_come() {
    // At every distance of the restart from the doorbell: before a request, in the register, between two lines.
    for wait in 1..16 {
        for stalled in [false, true] {
            let mut rig = Rig::new();
            rig.latency = 6;
            rig.set_up(2, 0, 4);
            let wish = Inputs {
                request_ready: !stalled,
                ..Inputs::default()
            };
            rig.cycle(Inputs {
                cfg: Some((2, TAIL, 4)),
                ..wish
            });
            for _ in 0..wait {
                rig.cycle(wish);
            }
            rig.cycle(Inputs {
                cfg: Some((2, SIZE, 2)),
                ..wish
            });
            rig.cycle(wish);
            begins_anew(&mut rig, 2, 0, 2);
        }
    }
}

#[test]
fn a_ring_that_is_begun_many_times_during_one_fetch_gets_none_of_the_old_commands() {
    let mut rig = Rig::new();
    rig.latency = 60;
    rig.set_up(3, 0x1000, 2);
    for times in 0..4 {
        rig.post(3, 2);
        rig.idle(4);
        assert_eq!(
            rig.requests.len(),
            2 * (times + 1),
            "two commands of each ring"
        );
        rig.write(3, SIZE, 2);
        rig.version += 1;
    }
    begins_anew(&mut rig, 3, 0x1000, 2);
}

#[test]
fn a_restart_with_a_take_or_an_arrival_in_the_same_cycle_counts() {
    for wait in 1..20 {
        let mut rig = Rig::new();
        rig.latency = 3;
        rig.set_up(0, 0, 8);
        rig.write(0, TAIL, 8);
        for _ in 0..wait {
            rig.cycle(Inputs {
                take: true,
                ..Inputs::default()
            });
        }
        let cfg = Some((0, SIZE, 4));
        rig.cycle(Inputs {
            cfg,
            take: true,
            ..Inputs::default()
        });
        rig.cycle(Inputs {
            take: true,
            ..Inputs::default()
        });
        begins_anew(&mut rig, 0, 0, 4);
    }
}

#[test]
fn the_other_contexts_keep_what_they_have() {
    let mut rig = Rig::new();
    rig.latency = 10;
    for context in 0..4 {
        rig.set_up(context, 0x1000 * context, 4);
        rig.post(context, 4);
    }
    rig.write(2, SIZE, 4);
    assert_eq!(rig.idle(60).waiting, 0b1011);
    for context in [0, 1, 3] {
        for number in 0..4 {
            assert_eq!(
                rig.take(context).0,
                content(0, (context, 0x1000 * context + 128 * number))
            );
        }
    }
    begins_anew(&mut rig, 2, 0x2000, 4);
}
