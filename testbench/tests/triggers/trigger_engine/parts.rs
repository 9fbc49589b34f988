//! Sizes that do not fit together, and the Verilog.

use xtq_rtl::triggers::trigger_engine::TriggerEngine;

#[test]
#[should_panic(expected = "CounterOwners: 8 flags for 2^2 counters, must be 4")]
fn a_wrong_number_of_counters_is_refused() {
    let _ = TriggerEngine::<2, 8, 3, 4>::default();
}

#[test]
#[should_panic(expected = "NumberPool: counts of 3 bits for 2^3 numbers, must be 4")]
fn a_wrong_width_of_the_counts_is_refused() {
    let _ = TriggerEngine::<2, 4, 3, 3>::default();
}

#[test]
#[should_panic(expected = "PlaceShares: 4 places for four contexts, must be 8 or more")]
fn a_store_too_small_to_share_is_refused() {
    let _ = TriggerEngine::<2, 4, 2, 3>::default();
}
