//! The hardware's performance contract as a table and as JSON.

use serde_json::{Value, json};
use std::fmt::Write;
use xtq_testbench::contract::Figure;

/// Whether no figure is missed.
pub fn holds(figures: &[Figure]) -> bool {
    figures.iter().all(|figure| figure.met() != Some(false))
}

/// Markdown: a line for each figure.
pub fn markdown(figures: &[Figure]) -> String {
    let mut text = "| contract, in clock cycles of the hardware | wanted | measured | |\n\
                    |---|---:|---:|---|\n"
        .to_owned();
    for figure in figures {
        let sign = if figure.at_most { "<=" } else { ">=" };
        let measured = figure.measured.map_or("-".into(), number);
        let verdict = match figure.met() {
            Some(true) => "met",
            Some(false) => "**missed**",
            None => "not measured: no simulation says",
        };
        // A string takes everything.
        let _ = writeln!(
            text,
            "| {} | {sign} {} {} | {measured} | {verdict} |",
            figure.what, figure.wanted, figure.unit
        );
    }
    text
}

/// The figures with the verdicts.
pub fn as_json(figures: &[Figure]) -> Vec<Value> {
    let one = |figure: &Figure| {
        json!({
            "what": figure.what,
            "unit": figure.unit,
            "wanted": figure.wanted,
            "at_most": figure.at_most,
            "measured": figure.measured,
            "met": figure.met(),
        })
    };
    figures.iter().map(one).collect()
}

/// At most three digits after the point, and none that say nothing.
fn number(value: f64) -> String {
    let text = format!("{value:.3}");
    text.trim_end_matches('0').trim_end_matches('.').to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn figure(wanted: f64, at_most: bool, measured: Option<f64>) -> Figure {
        Figure {
            what: "it",
            unit: "cycles",
            wanted,
            at_most,
            measured,
        }
    }

    #[test]
    fn a_missed_figure_is_shown_as_missed_and_fails() {
        let met = figure(24.0, true, Some(22.0));
        let missed = figure(0.95, false, Some(0.9416));
        let open = figure(200.0, false, None);
        let text = markdown(&[met.clone(), missed.clone(), open.clone()]);
        assert!(
            text.contains("| it | <= 24 cycles | 22 | met |\n"),
            "{text}"
        );
        assert!(
            text.contains("| it | >= 0.95 cycles | 0.942 | **missed** |\n"),
            "{text}"
        );
        assert!(
            text.contains("| it | >= 200 cycles | - | not measured"),
            "{text}"
        );
        assert!(holds(&[met, open.clone()]) && !holds(&[open, missed.clone()]));
        assert_eq!(as_json(&[missed])[0]["met"], false);
    }
}
