//! Few values of everything that messages, entries and counters share.

use proptest::prelude::*;
use xtq_testbench::portals::{AckRequest, Counter};

pub fn bits() -> impl Strategy<Value = u64> {
    prop_oneof![12 => 0..2u64, 1 => Just(2u64), 1 => Just(u64::MAX)]
}

pub fn length() -> impl Strategy<Value = u64> {
    prop_oneof![
        2 => Just(0u64),
        6 => 1..40u64,
        3 => 40..300u64,
        1 => 4000..6000u64,
    ]
}

pub fn offset() -> impl Strategy<Value = u64> {
    prop_oneof![6 => Just(0u64), 3 => 1..100u64, 1 => 100..6000u64, 1 => u64::MAX - 70..=u64::MAX]
}

/// Most happens at one node.
pub fn node() -> impl Strategy<Value = u32> {
    prop_oneof![3 => Just(0u32), 1 => Just(1u32)]
}

/// One of those of which there are four; counter 4 comes and goes.
pub fn counter() -> impl Strategy<Value = u32> {
    prop_oneof![5 => Just(1u32), 3 => Just(2u32), 1 => Just(3u32), 1 => Just(4u32)]
}

/// One of the four, or one that is not there.
pub fn portal() -> impl Strategy<Value = u32> {
    prop_oneof![22 => Just(0u32), 6 => Just(1u32), 1 => Just(2u32), 1 => Just(3u32), 1 => Just(9u32), 1 => Just(90u32)]
}

pub fn value(least: u64) -> impl Strategy<Value = Counter> {
    let field = move || prop_oneof![3 => least..4, 1 => Just(u64::MAX)];
    prop_oneof![
        4 => (least..4).prop_map(|success| Counter { success, failure: 0 }),
        1 => (least..4).prop_map(|failure| Counter { success: 0, failure }),
        1 => (field(), field()).prop_map(|(success, failure)| Counter { success, failure }),
    ]
}

pub fn ack() -> impl Strategy<Value = AckRequest> {
    prop::sample::select(vec![
        AckRequest::None,
        AckRequest::Ack,
        AckRequest::Ack,
        AckRequest::Ct,
        AckRequest::Oc,
    ])
}
