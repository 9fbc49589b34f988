//! `BurstCutter`: where bursts end, of spans of every size.

use std::sync::Arc;

use xtq_engine::{Backend, Body, Compiled};
use xtq_rtl::leaf::BurstCutter;

use crate::beats::field;
use xtq_testbench::by_name::Hardware;

/// The block; nobody keeps it waiting.
struct Cutter(Hardware);

impl Cutter {
    fn new() -> Self {
        let body = Body::new(&BurstCutter::default(), Backend::Jit).expect("keeps the rules");
        let mut block = Hardware::new(Compiled::new(Arc::new(body)));
        for name in ["room", "request_ready"] {
            block.set(name, &[1]);
        }
        Self(block)
    }

    /// The first bursts of a span, up to `most`: line and lines; then forgets the rest.
    fn bursts(&mut self, line: u64, lines: u64, most: usize) -> Vec<(u64, u64)> {
        let span = u128::from(line) << 2 | u128::from(lines - 1) << 60;
        self.0.set("span", &[span as u64, (span >> 64) as u64]);
        self.0.set("span_valid", &[1]);
        self.0.eval();
        assert_eq!(self.0.get("span_ready"), [1]);
        self.0.step();
        self.0.set("span_valid", &[0]);
        let mut bursts = Vec::new();
        while bursts.len() < most {
            self.0.eval();
            if self.0.get("request_valid") == [0] {
                break;
            }
            let request = self.0.get("request");
            bursts.push((request[0] >> 6, field(&request, 66, 8) + 1));
            let ends = self.0.get("span_ready") == [1];
            let taken: u64 = bursts.iter().map(|burst| burst.1).sum();
            assert_eq!(ends, taken == lines, "{line:#x}, {lines} lines: {bursts:?}");
            self.0.step();
        }
        self.0.0.reset(1).unwrap();
        bursts
    }
}

/// The rule: to the next multiple of 16 lines, or to the end.
fn expected(line: u64, lines: u64, most: usize) -> Vec<(u64, u64)> {
    let mut bursts = Vec::new();
    let (mut at, mut left) = (line, lines);
    while left > 0 && bursts.len() < most {
        let count = (16 - at % 16).min(left);
        bursts.push((at, count));
        at = (at + count) % (1 << 58);
        left -= count;
    }
    bursts
}

#[test]
fn bursts_end_at_a_kib_and_at_the_end_of_spans_of_any_size() {
    let mut cutter = Cutter::new();
    let far = (4..27).flat_map(|bit| [0, 1, 15, 16, 17].map(|more| (1 << bit) + more));
    let sizes: Vec<u64> = (1..40).chain(far).chain([1 << 27]).collect();
    for offset in 0..16 {
        for &lines in &sizes {
            let line = 0x3_5000 + offset;
            let most = if lines < 1000 { 100 } else { 3 };
            assert_eq!(
                cutter.bursts(line, lines, most),
                expected(line, lines, most),
                "{line:#x}, {lines} lines"
            );
        }
    }
}

#[test]
fn behind_the_last_address_comes_the_first() {
    let last = (1 << 58) - 5;
    assert_eq!(Cutter::new().bursts(last, 9, 9), [(last, 5), (0, 4)]);
}
