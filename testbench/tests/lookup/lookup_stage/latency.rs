//! When a message leaves, and when it is shown.

use xtq_testbench::bus::Pin;
use xtq_types::Wire;
use xtq_types::pipe::PacketHead;

use crate::lookup_stage::packet::Packet;
use crate::lookup_stage::stage::Stage;

#[test]
fn a_plain_put_leaves_one_cycle_after_it_came() {
    let mut stage = Stage::simple();
    stage.push(Packet::put());
    stage.run_and_check();
    assert_eq!(stage.left_at()[0], stage.heads.accepted()[0] + 1);
}

#[test]
fn an_xtq_put_leaves_seven_cycles_after_it_came_when_both_entries_hit() {
    for packet_type in [2, 4] {
        let mut stage = Stage::simple();
        stage.push(Packet::xtq(packet_type, 3, 63, 0));
        stage.run_and_check();
        assert_eq!(stage.left_at()[0], stage.heads.accepted()[0] + 7);
        let asked: Vec<u64> = stage
            .answers
            .request
            .received()
            .iter()
            .map(|r| r.0)
            .collect();
        let accepted = stage.heads.accepted()[0];
        assert_eq!(asked, [accepted + 3, accepted + 4]);
    }
}

#[test]
fn the_next_head_is_shown_while_its_entries_are_still_read() {
    let mut stage = Stage::simple();
    stage.answers.held = true;
    stage.push(Packet::xtq(4, 2, 9, 0x1_0000_0007));
    let mut there = Vec::new();
    for _ in 0..20 {
        stage.cycle();
        let pin = |name| Pin::output(&*stage.engine, name).unwrap();
        let high = |name| pin(name).is_high(&*stage.engine);
        assert!(!high("out_valid"));
        if high("out_there") {
            there.push(stage.engine.cycle());
            let words = |name| pin(name).get_words(&*stage.engine);
            let head = PacketHead::from_words(&words("out"));
            assert_eq!(head, stage.pushed[0].head);
            assert_eq!(words("out_aql"), stage.pushed[0].aql);
            assert!(high("type_ok") && high("agent"));
            assert_eq!(words("queue_index"), [7]);
        }
    }
    let first = stage.heads.accepted()[0] + 1;
    assert_eq!(there, (first..=stage.engine.cycle()).collect::<Vec<_>>());
    stage.answers.held = false;
    stage.run_and_check();
}

#[test]
fn xtq_puts_leave_every_two_cycles() {
    let mut stage = Stage::simple();
    for i in 0..60 {
        stage.push(Packet::xtq(2 + 2 * (i % 2), i % 4, i, 63 - i));
    }
    stage.run_and_check();
    let left = stage.left_at();
    assert!(
        left.windows(2).all(|pair| pair[1] == pair[0] + 2),
        "{left:?}"
    );
}

#[test]
fn plain_puts_pass_one_a_cycle() {
    let mut stage = Stage::simple();
    for _ in 0..60 {
        stage.push(Packet::put());
    }
    stage.run_and_check();
    let left = stage.left_at();
    assert!(
        left.windows(2).all(|pair| pair[1] == pair[0] + 1),
        "{left:?}"
    );
}

#[test]
fn a_put_behind_an_xtq_put_waits_for_it() {
    let mut stage = Stage::simple();
    stage.push(Packet::xtq(2, 0, 1, 1));
    stage.push(Packet::put());
    stage.run_and_check();
    let left = stage.left_at();
    assert_eq!(left[1], left[0] + 1);
}
