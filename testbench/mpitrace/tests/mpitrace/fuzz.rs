//! Damaged traces end in a trace or in an error that names the file, never in a panic.

use crate::common::{data, of_texts};
use proptest::prelude::*;
use xtq_mpi_trace::{QueueStatistics, expected_only};

const FILES: [(&str, &str); 5] = [
    ("four.csv", "a.csv"),
    ("four.csv.zst", "a.csv.zst"),
    ("dumpi/dumpi-0000.txt", "a-0000.txt"),
    ("dumpi/dumpi-0001.txt", "a-0001.txt"),
    ("allprof/trace-1.dat", "a-1.dat"),
];

/// Bytes that mean something somewhere.
const SIGNS: &[u8] = b"0123456789-,:=[]() \nMaz\xff";

proptest! {
    #[test]
    fn a_damaged_trace_never_panics(
        file in 0..FILES.len(),
        changes in prop::collection::vec((any::<prop::sample::Index>(), 0..SIGNS.len(), 0..3u8), 1..6),
    ) {
        let (from, name) = FILES[file];
        let mut text = std::fs::read(data(from)).unwrap();
        for (at, sign, how) in changes {
            let at = at.index(text.len().max(1));
            match how {
                0 => text.insert(at, SIGNS[sign]),
                1 => text.truncate(at),
                _ if at < text.len() => text[at] = SIGNS[sign],
                _ => {}
            }
        }
        match of_texts(&[(name, &text)]) {
            Ok(trace) => {
                let events = trace.events();
                prop_assert!(events.iter().all(|event| event.rank < trace.ranks));
                QueueStatistics::of(trace.ranks, &events, false);
                expected_only(trace.ranks, &events);
            }
            Err(error) => prop_assert!(error.to_string().contains(name), "{error}"),
        }
    }
}
