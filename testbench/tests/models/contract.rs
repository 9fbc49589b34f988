//! The performance contract, in exact cycles: what a change of the hardware makes faster or slower is seen here.

use std::fs;
use std::path::Path;
use xtq_testbench::contract::{Figure, measure};

/// What each figure is; a better one is entered here with the change that makes it better.
const FIGURES: [(&str, f64); 48] = [
    ("receive stream, full puts, aligned", 1.0),
    ("receive stream, full puts, misaligned", 1.0),
    ("receive stream, full puts through lists, misaligned", 1.0),
    (
        "smallest XTQ messages, B after 1 cycle: W channel busy",
        1.0,
    ),
    ("smallest XTQ messages, B after 1 cycle: W beats", 8.0),
    ("smallest XTQ messages, B after 1 cycle: tasks", 8.0),
    (
        "smallest XTQ messages, B after 200 cycles: W channel busy",
        1.0,
    ),
    ("smallest XTQ messages, B after 200 cycles: W beats", 8.0),
    ("smallest XTQ messages, B after 200 cycles: tasks", 8.0),
    (
        "smallest XTQ messages through lists, B after 1 cycle: W channel busy",
        1.0,
    ),
    (
        "smallest XTQ messages through lists, B after 1 cycle: W beats",
        8.0,
    ),
    (
        "smallest XTQ messages through lists, B after 1 cycle: tasks",
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
    (
        "smallest XTQ messages through lists, B after 200 cycles: tasks",
        8.0,
    ),
    ("last beat in to doorbell write out, one buffer", 24.0),
    ("last beat in to doorbell write out, lists", 27.0),
    ("PUT out, no bytes, reads of 16 cycles", 2.0),
    ("PUT out, no bytes, reads of 100 cycles", 2.0),
    ("PUT out, 64 aligned bytes, reads of 16 cycles", 3.0),
    ("PUT out, 64 aligned bytes, reads of 100 cycles", 3.0),
    ("XTQ_PUT out, 64 + 64 + 64 bytes, reads of 16 cycles", 5.0),
    ("XTQ_PUT out, 64 + 64 + 64 bytes, reads of 100 cycles", 5.0),
    ("GET out, reads of 16 cycles", 2.0),
    ("command taken to header beat out", 7.0),
    ("tagged puts in, 8 bytes, first entry, event", 2.0),
    ("tagged puts in, 64 bytes, first entry, event", 2.0),
    ("GETs in, 64 bytes, first entry, replies", 3.99),
    ("GET in to first beat of its reply", 22.0),
    (
        "bulk atomics in, sums of 64-bit integers",
        13.837837837837839,
    ),
    ("XTQ message offered to doorbell, 50 % load, median", 29.0),
    (
        "XTQ message offered to doorbell, 50 % load, 99 of 100 within",
        50.0,
    ),
    ("tagged put offered to event, 50 % load, median", 26.0),
    (
        "tagged put offered to event, 50 % load, 99 of 100 within",
        30.0,
    ),
    ("XTQ message offered to doorbell, 90 % load, median", 44.0),
    (
        "XTQ message offered to doorbell, 90 % load, 99 of 100 within",
        111.0,
    ),
    ("tagged put offered to event, 90 % load, median", 29.0),
    (
        "tagged put offered to event, 90 % load, 99 of 100 within",
        43.0,
    ),
    ("lookup cache hits", 1.0),
    ("lookup cache hit, latency", 2.0),
    ("counter updates", 1.0),
    ("counter update to first beat of the triggered put", 16.0),
    ("match, first-entry hits", 2.0),
    ("match, long list (64 entries)", 4.0),
    ("match, long list (1,024 entries, large configuration)", 4.0),
    ("L2 bank, hits to one line", 1.0),
    ("L2 bank, hit, latency", 3.0),
    ("L2 bank, hits under 14 misses", 1.0),
];

/// The lines that are missed, known and named: what has come to be met is taken out.
const MISSED: [&str; 1] = ["bulk atomics in, sums of 64-bit integers"];

/// The measured lines as they stand in [`FIGURES`].
fn lines(figures: &[Figure]) -> Vec<(&str, f64)> {
    let measured = figures.iter();
    measured
        .filter_map(|figure| Some((figure.what.as_str(), figure.measured?)))
        .collect()
}

#[test]
fn every_figure_is_what_it_was_and_no_other_line_is_missed() {
    let figures = measure().unwrap();
    assert_eq!(lines(&figures), FIGURES);
    let missed = figures.iter().filter(|figure| figure.met() == Some(false));
    let missed: Vec<&str> = missed.map(|figure| figure.what.as_str()).collect();
    assert_eq!(missed, MISSED);
    let page = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/performance.md");
    let page = fs::read_to_string(page).unwrap();
    let table = page.split("<!-- contract -->").nth(1).unwrap();
    let table = table.split("<!-- end of contract -->").next().unwrap();
    let rows = table.lines().filter(|line| line.starts_with("| ")).skip(1);
    let rows: Vec<&str> = rows.collect();
    assert_eq!(rows.len(), figures.len(), "docs/performance.md");
    for (row, figure) in rows.into_iter().zip(&figures) {
        let wanted = begin_of_row(figure);
        assert!(
            row.starts_with(&wanted),
            "docs/performance.md: {row}; not {wanted}"
        );
    }
}

/// How the page of performance begins the row of a figure: what it is, the bound, the value.
fn begin_of_row(figure: &Figure) -> String {
    let Figure { what, unit, .. } = figure;
    let sign = if figure.at_most { "<=" } else { ">=" };
    let wanted = figure
        .wanted
        .map(|wanted| format!("{sign} {wanted} {unit}"));
    let wanted = wanted.unwrap_or_else(|| unit.to_string());
    let measured = figure.measured.map(|value| format!("{value:.3}"));
    let measured = measured.map(|text| text.trim_end_matches('0').trim_end_matches('.').to_owned());
    format!("| {what} | {wanted} | {} |", measured.unwrap_or("-".into()))
}
