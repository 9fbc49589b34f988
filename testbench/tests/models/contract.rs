//! The performance contract, in exact cycles: what a change of the hardware makes faster or slower is seen here.

use xtq_testbench::contract::measure;

/// What each figure is; a better one is entered here with the change that makes it better.
const FIGURES: [(&str, f64); 23] = [
    ("receive stream, full puts, aligned", 1.0),
    ("receive stream, full puts, misaligned", 1.0),
    ("receive stream, full puts through lists, misaligned", 1.0),
    (
        "smallest XTQ messages, B after 1 cycle: W channel busy",
        1.0,
    ),
    ("smallest XTQ messages, B after 1 cycle: W beats", 8.0),
    (
        "smallest XTQ messages, B after 200 cycles: W channel busy",
        1.0,
    ),
    ("smallest XTQ messages, B after 200 cycles: W beats", 8.0),
    (
        "smallest XTQ messages through lists, B after 1 cycle: W channel busy",
        1.0,
    ),
    (
        "smallest XTQ messages through lists, B after 1 cycle: W beats",
        8.0,
    ),
    (
        "smallest XTQ messages through lists, B after 200 cycles: W channel busy",
        1.0,
    ),
    (
        "smallest XTQ messages through lists, B after 200 cycles: W beats",
        8.0,
    ),
    ("last beat in to doorbell write out, one buffer", 24.0),
    ("last beat in to doorbell write out, lists", 27.0),
    ("lookup cache hits", 1.0),
    ("lookup cache hit, latency", 2.0),
    ("counter updates", 1.0),
    ("counter update to first beat of the triggered put", 15.0),
    ("match, first-entry hits", 2.0),
    ("match, long list (64 entries)", 4.0),
    ("match, long list (256 entries, large configuration)", 4.0),
    ("L2 bank, hits to one line", 1.0),
    ("L2 bank, hit, latency", 3.0),
    ("L2 bank, hits under 14 misses", 1.0),
];

#[test]
fn every_figure_is_met_and_is_what_it_was() {
    let figures = measure().unwrap();
    let missed: Vec<_> = figures.iter().filter(|f| f.met() == Some(false)).collect();
    let measured = figures.iter();
    let measured = measured.filter_map(|figure| Some((figure.what, figure.measured?)));
    let pairs = measured.clone().zip(FIGURES);
    let changed: Vec<_> = pairs.filter(|(found, was)| found != was).collect();
    assert!(
        missed.is_empty() && changed.is_empty(),
        "missed: {missed:#?}, found and what it was: {changed:#?}"
    );
    assert_eq!(measured.count(), FIGURES.len());
}
