//! How many messages wait, and a stage that is halted.

use crate::lookup_stage::packet::Packet;
use crate::lookup_stage::stage::Stage;

#[test]
fn eight_messages_wait_and_use_all_sixteen_tags() {
    let mut stage = Stage::simple();
    stage.answers.held = true;
    for i in 0..10 {
        stage.push(Packet::xtq(2, 0, i, i));
    }
    stage.run(60);
    assert_eq!(stage.heads.accepted().len(), 8);
    let mut tags: Vec<u64> = stage
        .answers
        .log
        .iter()
        .map(|(r, _)| r.tag.to_u64())
        .collect();
    tags.sort_unstable();
    assert_eq!(tags, (0..16).collect::<Vec<_>>());
    assert!(stage.out.received().is_empty());
    stage.answers.held = false;
    stage.run_and_check();
}

#[test]
fn while_it_is_halted_it_takes_no_head_and_becomes_empty() {
    let mut stage = Stage::simple();
    stage.answers.held = true;
    for i in 0..3 {
        stage.push(Packet::xtq(2, 0, i, i));
    }
    stage.run(30);
    stage.halts.left = Some(10);
    for i in 0..60 {
        stage.push(Packet::xtq(2, 0, i, i));
    }
    stage.run(30);
    assert_eq!(stage.heads.accepted().len(), 3);
    assert!(stage.halts.seen[10..].iter().all(|seen| !seen.2));
    stage.answers.held = false;
    stage.run(50);
    let (drained, ..) = stage.halts.seen[60..].iter().find(|seen| seen.2).unwrap();
    assert_eq!(*drained, stage.left_at()[2] + 1);
    assert_eq!(stage.heads.accepted()[3], drained + 11);
    stage.run_and_check();
}
