//! The hardware's performance contract as a table and as JSON.

use serde_json::{Value, json};
use std::fmt::Write;
use xtq_testbench::contract::{Figure, REFERENCE_MHZ, Unit};

/// Whether no figure is missed.
pub fn holds(figures: &[Figure]) -> bool {
    figures.iter().all(|figure| figure.met() != Some(false))
}

/// Markdown: a line for each figure.
pub fn markdown(figures: &[Figure]) -> String {
    let mut text = format!(
        "| contract, in clock cycles of the hardware | wanted | measured | at {REFERENCE_MHZ} MHz | |\n\
         |---|---:|---:|---:|---|\n"
    );
    for figure in figures {
        let Figure { what, unit, .. } = figure;
        let sign = if figure.at_most { "<=" } else { ">=" };
        let wanted = match figure.wanted {
            Some(wanted) => format!("{sign} {wanted} {unit}"),
            None => format!("{unit}"),
        };
        let measured = figure.measured.map_or("-".into(), number);
        let clocked = figure
            .measured
            .map_or("-".into(), |value| at_reference(*unit, value));
        let verdict = match (figure.met(), figure.wanted) {
            (Some(true), _) => "met",
            (Some(false), _) => "**missed**",
            (None, Some(_)) => "not measured: no simulation says",
            (None, None) => "stated, no bound",
        };
        // A string takes everything.
        let _ = writeln!(
            text,
            "| {what} | {wanted} | {measured} | {clocked} | {verdict} |"
        );
    }
    text
}

/// Nanoseconds, and millions a second, at the reference clock.
fn at_reference(unit: Unit, value: f64) -> String {
    let ns = unit.nanoseconds(value);
    let rate = unit.millions_a_second(value);
    let said = [
        ns.map(|ns| format!("{} ns", number(ns))),
        rate.map(|rate| format!("{} M/s", number(rate))),
    ];
    let said: Vec<String> = said.into_iter().flatten().collect();
    match said.is_empty() {
        true => "-".into(),
        false => said.join(", "),
    }
}

/// The figures with the verdicts; what they are at the reference clock, where a clock changes them.
pub fn as_json(figures: &[Figure]) -> Vec<Value> {
    let one = |figure: &Figure| {
        let clocked = |of: fn(Unit, f64) -> Option<f64>| of(figure.unit, figure.measured?);
        json!({
            "what": figure.what,
            "unit": figure.unit.to_string(),
            "wanted": figure.wanted,
            "at_most": figure.at_most,
            "measured": figure.measured,
            "reference_mhz": REFERENCE_MHZ,
            "nanoseconds": clocked(Unit::nanoseconds),
            "millions_a_second": clocked(Unit::millions_a_second),
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

    fn figure(unit: Unit, wanted: Option<f64>, at_most: bool, measured: Option<f64>) -> Figure {
        Figure {
            what: "it".into(),
            unit,
            wanted,
            at_most,
            measured,
        }
    }

    #[test]
    fn a_missed_figure_is_shown_as_missed_and_fails() {
        let met = figure(Unit::Cycles, Some(24.0), true, Some(22.0));
        let missed = figure(Unit::EachCycle("beats"), Some(0.95), false, Some(0.9416));
        let open = figure(Unit::Plain("MHz"), Some(125.0), false, None);
        let stated = figure(Unit::CyclesEach("put"), None, true, Some(7.0));
        let figures = [met.clone(), missed.clone(), open.clone(), stated.clone()];
        let text = markdown(&figures);
        for row in [
            "| it | <= 24 cycles | 22 | 88 ns | met |\n",
            "| it | >= 0.95 beats a cycle | 0.942 | 4.248 ns, 235.4 M/s | **missed** |\n",
            "| it | >= 125 MHz | - | - | not measured: no simulation says |\n",
            "| it | cycles a put | 7 | 28 ns, 35.714 M/s | stated, no bound |\n",
        ] {
            assert!(text.contains(row), "{text}");
        }
        assert!(holds(&[met, open, stated.clone()]) && !holds(&[stated.clone(), missed.clone()]));
        assert_eq!(as_json(&[missed])[0]["met"], false);
        let stated = &as_json(&[stated])[0];
        assert_eq!(
            (&stated["met"], &stated["wanted"]),
            (&Value::Null, &Value::Null)
        );
        assert_eq!(
            (&stated["nanoseconds"], &stated["unit"]),
            (&json!(28.0), &json!("cycles a put"))
        );
    }
}
