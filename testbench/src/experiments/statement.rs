//! What a paper says, beside what came out.

use super::table::Table;
use serde::Serialize;
use std::fmt::Write;

/// A statement of a paper, and whether the runs show it.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Statement {
    /// Of which runs.
    pub of: String,
    /// It is about a load or a system beside the paper's own: the verdict counts it apart.
    pub beside: bool,
    /// What the paper says.
    pub paper: String,
    /// The number that it gives; empty if it gives none.
    pub number: String,
    /// What was asked of the runs: the threshold of `holds`.
    pub asked: String,
    /// What came out.
    pub measured: String,
    /// By how much that differs from the number; empty if there is none.
    pub difference: String,
    /// Whether it is what the paper says.
    pub holds: bool,
    /// What makes the difference; if it holds, what it depends on.
    pub because: String,
    /// The runs cannot show it, and `because` says why: it neither holds nor fails.
    pub not_measured: bool,
    /// Number of the chart that shows it, counted from 0.
    pub chart: usize,
}

impl Statement {
    /// A statement that the runs `of` something cannot show, and why.
    pub fn not_measured(of: &str, paper: &str, because: &str) -> Self {
        Self {
            of: of.to_owned(),
            paper: paper.to_owned(),
            measured: "not measured".to_owned(),
            because: because.to_owned(),
            not_measured: true,
            ..Self::default()
        }
    }

    /// The verdict in words.
    pub fn verdict(&self) -> &'static str {
        match (self.not_measured, self.holds) {
            (true, _) => "not measured",
            (false, true) => "holds",
            (false, false) => "does not hold",
        }
    }

    /// It was measured, and does not hold.
    pub fn fails(&self) -> bool {
        !self.holds && !self.not_measured
    }
}

/// The verdict in one line: how many statements hold, those that do not, how many were not measured, and of other loads
/// and systems how many hold.
pub fn line(statements: &[Statement]) -> String {
    let measured = statements.iter().filter(|one| !one.not_measured);
    let (others, own): (Vec<_>, Vec<_>) = measured.partition(|one| one.beside);
    let held = |of: &[&Statement]| of.iter().filter(|one| one.holds).count();
    let (holding, all) = (held(&own), own.len());
    let mut line = format!("verdict: {holding} of {all} statements of the paper hold");
    for one in own.iter().filter(|statement| statement.fails()) {
        let Statement {
            of,
            paper,
            measured,
            ..
        } = one;
        let _ = write!(line, "; not ({of}) \"{paper}\": {measured}");
    }
    let without = statements.iter().filter(|one| one.not_measured).count();
    if without > 0 {
        let _ = write!(line, "; {without} not measured");
    }
    if !others.is_empty() {
        let (holding, all) = (held(&others), others.len());
        let _ = write!(line, "; of other loads and systems {holding} of {all} hold");
    }
    line
}

/// A row for each statement.
pub fn table(statements: &[Statement]) -> Table {
    let head = [
        "of",
        "the paper says",
        "its number",
        "asked",
        "came out",
        "difference",
        "",
        "why",
    ];
    let row = |one: &Statement| {
        let verdict = match one.fails() {
            true => "**does not hold**",
            false => one.verdict(),
        };
        let cells = [
            &one.of,
            &one.paper,
            &one.number,
            &one.asked,
            &one.measured,
            &one.difference,
            verdict,
            &one.because,
        ];
        cells.map(str::to_owned).to_vec()
    };
    Table {
        head: head.map(str::to_owned).to_vec(),
        numbers: false,
        rows: statements.iter().map(row).collect(),
    }
}
