//! Lengths and offsets: what fits, what is cut, where a message lands, when an entry is full.

use xtq_types::matching::{me_option, outcome, request_kind};

use super::common::{entry, long_put, put, taker, unit};
use super::words::{Command, Request};

#[test]
fn without_truncation_the_requested_offset_and_length_must_fit() {
    let mut unit = unit(false);
    unit.link(entry(0, 0, me_option::NO_TRUNCATE));
    for (offset, length, fits) in [
        (0, 1000, true),
        (0, 1001, false),
        (1000, 0, true),
        (1001, 0, false),
        (999, 1, true),
        (999, 2, false),
        (u64::MAX, 1, false),
        (u64::MAX - 5, 6, false),
        (1 << 32, 0, false),
        (0xFFFF_FFFF, 1, false),
        (u64::MAX, 0, false),
    ] {
        let told = unit.request(Request {
            offset,
            length,
            ..Request::default()
        });
        assert_eq!(taker(&told).is_some(), fits, "{offset} {length}");
    }
}

#[test]
fn an_entry_that_does_not_fit_is_passed_over_for_one_that_does() {
    let mut unit = unit(false);
    let local = me_option::NO_TRUNCATE | me_option::MANAGE_LOCAL;
    for id in 0..6 {
        unit.link(entry(id, 0, local));
    }
    unit.link(entry(6, 0, 0));
    let mut takers = Vec::new();
    for _ in 0..14 {
        takers.push(taker(&unit.request(long_put(400))));
    }
    let expected = [0, 0, 1, 1, 2, 2, 3, 3, 4, 4, 5, 5, 6, 6].map(Some);
    assert_eq!(takers, expected);
    assert_eq!(taker(&unit.request(long_put(200))), Some(0));
    assert_eq!(taker(&unit.request(long_put(1))), Some(1));
}

#[test]
fn a_full_buffer_is_passed_over_when_requests_follow_without_a_gap() {
    let mut unit = unit(false);
    let local = me_option::NO_TRUNCATE | me_option::MANAGE_LOCAL;
    for id in 0..9 {
        unit.link(entry(id, 0, local));
    }
    for length in [
        600, 600, 400, 300, 100, 1, 999, 1000, 0, 1000, 1000, 400, 1, 700, 1000, 1000, 1000,
    ] {
        unit.offer(long_put(length));
    }
    unit.settle();
}

#[test]
fn the_length_is_cut_at_the_buffer_and_at_the_limit() {
    let mut unit = unit(false);
    unit.link(entry(0, 0, 0));
    for (offset, length, limit, mlength) in [
        (0, 1000, u64::from(u32::MAX), 1000),
        (0, 0xFFFF_FFFF, 0xFFFF_FFFF, 1000),
        (900, 101, 0xFFFF_FFFF, 100),
        (1000, 5, 0xFFFF_FFFF, 0),
        (1001, 5, 0xFFFF_FFFF, 0),
        (u64::MAX, 0xFFFF_FFFF, 0xFFFF_FFFF, 0),
        (0x1_0000_0000, 1, 0xFFFF_FFFF, 0),
        (0, 600, 512, 512),
        (990, 600, 512, 10),
        (0, 16, 8, 8),
        (10, 0, 8, 0),
    ] {
        let told = unit.request(Request {
            offset,
            length,
            limit,
            ..Request::default()
        });
        assert_eq!(
            told.landing,
            Some((offset, mlength)),
            "{offset} {length} {limit}"
        );
    }
}

#[test]
fn buffers_near_two_to_the_64_are_cut_right() {
    for length in [
        u64::MAX,
        u64::MAX - 1,
        1 << 63,
        (1 << 32) - 1,
        1 << 32,
        (1 << 32) + 1,
        1,
        0,
    ] {
        let mut unit = unit(false);
        unit.link(Command {
            length,
            start: u64::MAX - 3,
            ..entry(0, 0, 0)
        });
        for back in [0, 1, 2, 5, 0xFFFF_FFFF, 1 << 32, (1 << 32) + 1] {
            for asked in [0, 1, 2, 0xFFFF_FFFF] {
                let offset = length.wrapping_sub(back);
                unit.offer(Request {
                    offset,
                    length: asked,
                    ..Request::default()
                });
            }
        }
        unit.settle();
    }
}

#[test]
fn the_limit_does_not_make_a_message_fit() {
    for options in [0, me_option::MANAGE_LOCAL] {
        let mut unit = unit(false);
        unit.link(entry(0, 0, options | me_option::NO_TRUNCATE));
        unit.link(entry(1, 0, 0));
        for (length, expected) in [(1001, 1), (1000, 0)] {
            let told = unit.request(Request {
                limit: 8,
                ..long_put(length)
            });
            assert_eq!(taker(&told), Some(expected));
        }
        // Without a gap, so that it is found out after the walk.
        unit.offer(long_put(600));
        unit.offer(Request {
            limit: 8,
            ..long_put(500)
        });
        unit.settle();
    }
}

#[test]
fn buffers_that_only_the_pad_of_an_xtq_put_makes_too_small_are_passed_over() {
    let mut unit = unit(false);
    // Each compares one bit, so that the first message fills only one and the last one meets all.
    for id in 0..6 {
        unit.link(Command {
            ignore: !(1 << id),
            ..entry(
                id,
                1 << id,
                me_option::MANAGE_LOCAL | me_option::NO_TRUNCATE,
            )
        });
        let told = unit.request(Request {
            length: 1,
            ..put(1 << id)
        });
        assert_eq!(taker(&told), Some(id));
    }
    unit.link(entry(20, 63, 0));
    let told = unit.request(Request {
        kind: request_kind::XTQ_PUT,
        length: 990,
        ..put(63)
    });
    assert_eq!(taker(&told), Some(20), "64 + 990 > 1,000");
}

#[test]
fn kept_offsets_in_buffers_of_more_than_32_bits_are_not_taken_for_full() {
    let local = me_option::MANAGE_LOCAL | me_option::NO_TRUNCATE;
    for high in [1 << 33, 1 << 63] {
        let mut unit = unit(false);
        unit.link(Command {
            length: high + 300,
            min_free: 100,
            ..entry(0, 0, local)
        });
        for (at, length) in [(0, 250), (250, 250), (500, 0xFFFF_FFFF)] {
            let told = unit.request(long_put(length));
            assert_eq!(told.landing, Some((at, length)), "{high:x}");
            assert!(!told.auto_unlink, "{high:x}");
        }
    }
}

#[test]
fn a_kept_offset_moves_by_what_was_moved_for_puts_and_gets_alike() {
    let mut unit = unit(false);
    unit.link(entry(0, 0, me_option::MANAGE_LOCAL));
    for (kind, length, landing) in [
        (request_kind::PUT, 100, (0, 100)),
        (request_kind::GET, 300, (100, 300)),
        (request_kind::ATOMIC, 8, (400, 8)),
        (request_kind::PUT, 0, (408, 0)),
        (request_kind::SWAP, 500, (408, 500)),
        (request_kind::PUT, 500, (908, 92)),
        (request_kind::PUT, 5, (1000, 0)),
    ] {
        let told = unit.request(Request {
            kind,
            length,
            offset: 77,
            ..Request::default()
        });
        assert_eq!(told.landing, Some(landing));
    }
}

#[test]
fn a_kept_offset_follows_when_requests_come_without_a_gap() {
    let mut unit = unit(false);
    unit.link(entry(0, 0, me_option::MANAGE_LOCAL));
    unit.link(entry(1, 1, me_option::MANAGE_LOCAL));
    for n in 0..60 {
        unit.offer(Request {
            bits: u64::from(n % 3 == 1),
            length: n,
            kind: if n % 7 == 3 {
                request_kind::XTQ_PUT
            } else {
                request_kind::PUT
            },
            ..Request::default()
        });
    }
    unit.settle();
}

#[test]
fn an_xtq_put_is_rounded_up_to_64_only_where_the_offset_is_kept() {
    let mut unit = unit(false);
    unit.link(entry(0, 0, me_option::MANAGE_LOCAL));
    unit.link(entry(1, 1, 0));
    let xtq = |bits, length| Request {
        kind: request_kind::XTQ_PUT,
        bits,
        length,
        offset: 7,
        ..Request::default()
    };
    assert_eq!(unit.request(xtq(0, 64)).landing, Some((0, 64)));
    assert_eq!(unit.request(xtq(0, 65)).landing, Some((64, 65)));
    assert_eq!(unit.request(xtq(0, 200)).landing, Some((192, 200)));
    assert_eq!(unit.request(long_put(1)).landing, Some((392, 1)));
    assert_eq!(unit.request(xtq(0, 600)).landing, Some((448, 552)));
    assert_eq!(unit.request(xtq(0, 64)).landing, Some((1024, 0)));
    assert_eq!(unit.request(xtq(1, 64)).landing, Some((7, 64)));
}

#[test]
fn the_pad_of_an_xtq_put_counts_for_no_truncate_and_min_free() {
    let mut unit = unit(false);
    let local = me_option::MANAGE_LOCAL | me_option::NO_TRUNCATE;
    unit.link(Command {
        length: 256,
        min_free: 64,
        ..entry(0, 0, local)
    });
    let xtq = |length| Request {
        kind: request_kind::XTQ_PUT,
        length,
        ..Request::default()
    };
    assert_eq!(unit.request(xtq(65)).landing, Some((0, 65)));
    assert_eq!(
        unit.request(xtq(129)).outcome,
        outcome::DROPPED,
        "128 + 129 > 256"
    );
    let told = unit.request(xtq(65));
    assert_eq!(
        (told.landing, told.auto_unlink),
        (Some((128, 65)), true),
        "63 are left"
    );
}

#[test]
fn an_entry_is_unlinked_when_strictly_less_than_min_free_is_left() {
    for (min_free, lengths, unlinked) in [
        (100, vec![900], false),
        (101, vec![900], true),
        (100, vec![900, 1], true),
        (0, vec![1000, 5], false),
        (1, vec![999], false),
        (1, vec![999, 1], true),
        (1, vec![999, 50], true),
        (1000, vec![0], false),
        (1001, vec![0], true),
        (u64::MAX, vec![0], true),
    ] {
        for more in [0, me_option::UNLINK_DISABLE] {
            let mut unit = unit(false);
            unit.link(Command {
                min_free,
                ..entry(0, 0, me_option::MANAGE_LOCAL | more)
            });
            let told = lengths.iter().map(|length| unit.request(long_put(*length)));
            let last = told.last().unwrap();
            assert_eq!(last.auto_unlink, unlinked, "{min_free} {lengths:?}");
        }
    }
}

#[test]
fn min_free_without_a_kept_offset_means_nothing() {
    let mut unit = unit(false);
    unit.link(Command {
        min_free: u64::MAX,
        ..entry(0, 0, 0)
    });
    assert!(!unit.request(put(0)).auto_unlink);
}

#[test]
fn a_zero_byte_message_is_a_full_match() {
    let mut unit = unit(false);
    unit.link(entry(0, 0, me_option::USE_ONCE));
    let told = unit.request(long_put(0));
    assert_eq!(
        (taker(&told), told.landing, told.auto_unlink),
        (Some(0), Some((0, 0)), true)
    );
}
