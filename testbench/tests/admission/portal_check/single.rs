//! A single buffer can only be written.

use xtq_testbench::by_name::Hardware;
use xtq_types::Wire;
use xtq_types::event::status;
use xtq_types::pipe::{PacketHead, PortalEntry};

/// A GET or a reply to one byte of a single buffer; `early`, `usable` and whether events are asked for.
fn early(
    head: PacketHead,
    entry: PortalEntry,
    [enabled, open_free, room]: [bool; 3],
) -> (u8, bool, bool) {
    let mut block = Hardware::block("portal_check");
    let mut words = vec![0; 8];
    head.to_words(&mut words);
    block.set("head", &words);
    let mut words = vec![0; 4];
    entry.to_words(&mut words);
    block.set("entry", &words);
    block.set("enabled", &[if enabled { 15 } else { 14 }]);
    block.set("open_free", &[open_free.into()]);
    block.set("room", &[u64::from(room)]);
    block.set("checking", &[1]);
    block.step();
    block.set("checking", &[0]);
    block.set("deciding", &[1]);
    block.eval();
    let flag = |name: &str| block.get(name) == [1];
    (
        block.get("early")[0] as u8,
        flag("usable"),
        flag("wants_event"),
    )
}

#[test]
fn a_single_buffer_refuses_a_get_and_a_reply_asks_no_buffer() {
    let entry = |enabled: u64, remaining: u64| PortalEntry {
        enabled: enabled.into(),
        flow_control: 1.into(),
        event_failure: 1.into(),
        remaining: remaining.into(),
        ..Default::default()
    };
    let head = PacketHead {
        first: 1.into(),
        last: 1.into(),
        message_length: 1.into(),
        ..Default::default()
    };
    let get = PacketHead {
        get: 1.into(),
        ..head
    };
    let all = [true; 3];
    let refused = (status::OP_VIOLATION, true, true);
    assert_eq!(early(get, entry(1, 100), all), refused);
    // Nothing is exhausted by what may not be read.
    assert_eq!(early(get, entry(1, 0), all), refused);
    assert_eq!(early(get, entry(1, 100), [true, true, false]), refused);
    assert_eq!(early(get, entry(0, 100), all).0, status::PT_DISABLED);
    let nowhere = PacketHead {
        portal_index: 16.into(),
        ..get
    };
    assert_eq!(early(nowhere, entry(1, 100), all).0, status::NO_PORTAL);
    let reply = PacketHead {
        reply: 1.into(),
        portal_index: 16.into(),
        ..head
    };
    for entry in [entry(0, 0), entry(1, 0), entry(1, 100)] {
        assert_eq!(
            early(reply, entry, [true, true, false]),
            (status::OK, false, false)
        );
        assert_eq!(
            early(reply, entry, [false, true, true]).0,
            status::BAD_LENGTH
        );
        assert_eq!(early(reply, entry, [true, false, true]).0, status::OK);
        let more = PacketHead {
            last: 0.into(),
            ..reply
        };
        assert_eq!(
            early(more, entry, [true, false, true]).0,
            status::NO_MESSAGE_SLOT
        );
    }
}
