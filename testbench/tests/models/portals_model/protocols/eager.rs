//! The eager protocol: a shadow entry takes what comes too early.

use xtq_testbench::portals::{Command, MatchEntry, Rank};

use super::{
    DATA, DONE, E, MESSAGE, Nodes, RECEIVER, SENDER, SHADOW, USER, data, once, put_of, tag,
};
use crate::portals_model::setup::*;

/// C. Eager (figure 7): the shadow entry takes the message, "receive posted" is the other half of C (counter 2); the
/// copy counts at U (counter 4).
fn eager() -> Nodes {
    let mut nodes = Nodes::new();
    let copy_tag = tag(MESSAGE, 1 << 20);
    nodes.post(RECEIVER, once(1, tag(MESSAGE, 0), 2, SHADOW));
    let Command::MeAppend {
        id,
        portal,
        list,
        me,
    } = once(2, copy_tag, 4, USER)
    else {
        unreachable!("once makes an append");
    };
    let source = Some(Rank(RECEIVER));
    nodes.post(
        RECEIVER,
        Command::MeAppend {
            id,
            portal,
            list,
            me: MatchEntry { source, ..me },
        },
    );
    nodes.when(RECEIVER, E, 1, inc(2, 1));
    nodes.when(RECEIVER, 2, 2, put_of(3, 8, RECEIVER, copy_tag));
    nodes.when(RECEIVER, 4, 1, inc(DONE, 1));
    nodes.when(SENDER, E, 1, data(0));
    nodes.when(SENDER, 3, 1, inc(DONE, 1));
    nodes
}

#[test]
fn eager_a_message_before_its_receive_waits_in_the_shadow() {
    let mut nodes = eager();
    nodes.enable(SENDER);
    nodes.deliver();
    let receiver =
        |nodes: &Nodes, address| bytes(nodes.0.node(Rank(RECEIVER)).unwrap(), address, 8);
    assert_eq!(
        (receiver(&nodes, SHADOW), receiver(&nodes, USER)),
        (DATA.to_vec(), vec![0; 8])
    );
    assert_eq!(nodes.count(SENDER, DONE), 1, "the sender need not wait");
    nodes.enable(RECEIVER);
    assert_eq!(nodes.count(RECEIVER, DONE), 0, "done only after the copy");
    nodes.deliver();
    nodes.assert_done();
}

#[test]
fn eager_a_receive_before_its_message_is_done_when_it_comes() {
    let mut nodes = eager();
    nodes.enable(RECEIVER);
    nodes.deliver();
    assert_eq!(nodes.count(RECEIVER, DONE), 0);
    nodes.enable(SENDER);
    nodes.deliver();
    nodes.assert_done();
}

#[test]
fn eager_only_the_node_itself_may_fill_the_user_buffer() {
    let mut nodes = eager();
    nodes.post(SENDER, put_of(1, 8, RECEIVER, tag(MESSAGE, 1 << 20)));
    nodes.deliver();
    assert_eq!((nodes.drops(RECEIVER), nodes.received()), (1, vec![0; 8]));
}
