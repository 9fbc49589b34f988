//! Posts and arrivals of a trace, and the figures of its lists.

use crate::common::trace;
use xtq_mpi_trace::{Distribution, Happening, QueueStatistics, expected_only};

#[test]
fn figures_of_the_lists_are_those_counted_by_hand() {
    // Rank 0 posts 1:5 and a wildcard; 2:7 takes the wildcard after a look at both, 1:5 its own, 3:9 comes too early.
    let trace = trace("four.csv");
    let figures = QueueStatistics::of(trace.ranks, &trace.events(), false);
    assert_eq!(
        (figures.posts, figures.arrivals, figures.matches),
        (3, 3, 3)
    );
    assert_eq!(figures.unexpected, 1);
    assert_eq!((figures.receives_left, figures.messages_left), (0, 0));
    assert_eq!(figures.posted_length.quartiles, [0, 0, 1, 1, 2]);
    assert_eq!(figures.posted_depth.quartiles[4], 2);
    assert_eq!(figures.unexpected_length.quartiles, [0, 0, 0, 0, 1]);
    let busy = QueueStatistics::of(trace.ranks, &trace.events(), true);
    assert_eq!(busy.posted_length.count, 2);
    assert_eq!(busy.unexpected_length.count, 1);
}

#[test]
fn without_unexpected_messages_the_pairs_stay() {
    let trace = trace("four.csv");
    let events = trace.events();
    let expected = expected_only(trace.ranks, &events);
    assert_eq!(expected.len(), events.len());
    let figures = QueueStatistics::of(trace.ranks, &expected, false);
    assert_eq!((figures.unexpected, figures.matches), (0, 3));
    assert!(matches!(expected[4].what, Happening::Post(_)));
    assert_eq!(expected[5], events[4]);
}

#[test]
fn quartiles_are_values_that_occur() {
    let of = |values: &[usize]| Distribution::of(values.to_vec());
    assert_eq!(of(&[]), Distribution::default());
    assert_eq!(of(&[7]).quartiles, [7; 5]);
    assert_eq!(of(&[4, 1, 3, 2, 5]).quartiles, [1, 2, 3, 4, 5]);
    assert_eq!(of(&[4, 1, 3, 2, 5]).mean, 3.0);
}
