//! How large the accumulates are: figure 8b of the paper is a histogram of the same for another input.

use super::trace::Accumulate;
use serde::Serialize;
use xtq_testbench::experiments::Statement;

/// "The benefits of XTQ over HSA decrease as the payload increases over approximately 64KB" (section V-C): up to here a
/// payload counts as small or medium.
const MEDIUM: u64 = 64 << 10;

/// A bar of the histogram.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Bin {
    /// Most bytes of its accumulates: a power of two.
    pub bytes: u64,
    /// Accumulates with so many bytes, and more than half of it.
    pub accumulates: usize,
}

/// The histogram, from the smallest power of two that has an accumulate to the largest.
pub fn bins(accumulates: &[Accumulate]) -> Vec<Bin> {
    let class = |one: &Accumulate| one.bytes.next_power_of_two();
    let (Some(first), Some(last)) = (
        accumulates.iter().map(class).min(),
        accumulates.iter().map(class).max(),
    ) else {
        return Vec::new();
    };
    let all = std::iter::successors(Some(first), |bytes| Some(bytes * 2));
    let all = all.take_while(|bytes| *bytes <= last);
    all.map(|bytes| Bin {
        bytes,
        accumulates: accumulates.iter().filter(|one| class(one) == bytes).count(),
    })
    .collect()
}

/// What the paper says of the sizes; nothing if there are none.
pub fn statement(accumulates: &[Accumulate], chart: usize) -> Option<Statement> {
    let mut bytes: Vec<u64> = accumulates.iter().map(|one| one.bytes).collect();
    bytes.sort_unstable();
    let (median, largest) = (*bytes.get(bytes.len() / 2)?, *bytes.last()?);
    let small = bytes.iter().filter(|bytes| **bytes <= MEDIUM).count();
    let share = small as f64 * 100.0 / bytes.len() as f64;
    let mean = bytes.iter().sum::<u64>() as f64 / bytes.len() as f64;
    Some(Statement {
        of: "what is played of the recording".into(),
        paper: "we see a large concentration of small-to-medium sized accumulates, which are ideal for XTQ lightweight messaging acceleration".into(),
        number: "none: a histogram without a scale in the text".into(),
        asked: format!("more than half of the accumulates have at most {MEDIUM} bytes"),
        measured: format!("{share:.1} % have; the median is {median} bytes, the mean {mean:.0}"),
        holds: share > 50.0,
        because: format!(
            "of {} accumulates the largest has {largest} bytes; the input is not the paper's tce_ozone, which was not recorded",
            bytes.len()
        ),
        chart,
        ..Statement::default()
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(bytes: &[u64]) -> Vec<Accumulate> {
        let one = |bytes: &u64| Accumulate {
            rank: 0,
            target: 1,
            bytes: *bytes,
        };
        bytes.iter().map(one).collect()
    }

    #[test]
    fn the_histogram_has_each_accumulate_once_and_no_gap() {
        let bins = bins(&of(&[8, 9, 16, 17, 100]));
        let found: Vec<_> = bins
            .iter()
            .map(|bin| (bin.bytes, bin.accumulates))
            .collect();
        assert_eq!(found, [(8, 1), (16, 2), (32, 1), (64, 0), (128, 1)]);
        assert_eq!(super::bins(&[]), []);
    }

    #[test]
    fn long_accumulates_do_not_hold_the_statement() {
        let holds = |bytes: &[u64]| statement(&of(bytes), 0).map(|one| one.holds);
        assert_eq!(holds(&[8, MEDIUM, MEDIUM + 8]), Some(true));
        assert_eq!(holds(&[8, MEDIUM + 8]), Some(false));
        assert_eq!(holds(&[]), None);
    }
}
