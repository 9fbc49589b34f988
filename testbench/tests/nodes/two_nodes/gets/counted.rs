//! What is counted, and what is not reported.

use xtq_testbench::host::{
    Ct, EventKind, Get, MatchEntry, Md, MemoryDescriptor, md_option, me_option, ptl_ct_alloc,
    ptl_get, ptl_md_bind, ptl_me_append,
};
use xtq_types::wire_header::ni_fail;

use super::{REPLIES, get, with};
use crate::two_nodes::fixture::{entry, kinds};

#[test]
fn both_ends_count_messages_or_bytes() {
    for bytes in [false, true] {
        let mut world = with(
            None,
            &[
                ptl_ct_alloc(Ct(1)),
                ptl_me_append(&MatchEntry {
                    counter: Some(Ct(1)),
                    options: me_option::OP_GET
                        | me_option::LINK_DISABLE
                        | me_option::CT_COMM
                        | if bytes { me_option::CT_BYTES } else { 0 },
                    ..entry(1, 5, 1000)
                }),
            ],
        );
        let counting = ptl_md_bind(&MemoryDescriptor {
            md: Md(1),
            start: REPLIES,
            length: 10_000,
            options: md_option::CT_REPLY
                | md_option::CT_SEND
                | md_option::CT_ACK
                | if bytes { md_option::CT_BYTES } else { 0 },
            counter: Some(Ct(2)),
        });
        let asked = |length, match_bits| {
            ptl_get(&Get {
                md: Md(1),
                match_bits,
                ..get(0, length, 0)
            })
        };
        // The second is cut, the third refused.
        let told = world.run(
            0,
            &[
                ptl_ct_alloc(Ct(2)),
                counting,
                asked(700, 5),
                asked(2000, 5),
                asked(300, 6),
            ],
        );
        assert_eq!(told, [], "a descriptor without events");
        let success = if bytes { 1700 } else { 2 };
        let (target, initiator) = (world.count(1, 1), world.count(0, 2));
        assert_eq!((target.success, target.failure), (success, 0));
        assert_eq!((initiator.success, initiator.failure), (success, 1));
    }
}

#[test]
fn a_descriptor_can_keep_silent_about_what_succeeds() {
    let mut world = with(None, &[ptl_me_append(&entry(1, 5, 1000))]);
    let quiet = ptl_md_bind(&MemoryDescriptor {
        md: Md(1),
        start: REPLIES,
        length: 10_000,
        options: md_option::EVENTS | md_option::SUCCESS_DISABLE,
        counter: None,
    });
    let asked = |match_bits| {
        ptl_get(&Get {
            md: Md(1),
            match_bits,
            ..get(0, 100, 0)
        })
    };
    let told = world.run(0, &[quiet, asked(5), asked(6)]);
    assert_eq!(kinds(&told), [EventKind::Reply]);
    assert_eq!(told[0].ni_fail, ni_fail::DROPPED);
}
