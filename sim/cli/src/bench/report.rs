//! Numbers, and how they are shown.

use super::engines::Profile;
use serde::Serialize;

/// One way to run a tape, measured several times.
#[derive(Clone, Debug, Serialize)]
pub struct Row {
    /// Traffic.
    pub traffic: &'static str,
    /// Instances in one process, stepped in turn.
    pub instances: usize,
    /// Engine, `verilator`, or `newer verilator`.
    pub engine: String,
    /// What is special: sleep switched off, a waveform, options of the compiler.
    pub variant: String,
    /// Cycles of the tape.
    pub cycles: usize,
    /// Clock cycles of all instances a second of the simulating thread's processor time, one number a round.
    pub rates: Vec<f64>,
    /// The same a second on the wall; none if that was not measured.
    pub walls: Vec<f64>,
    /// Share of cycles slept through.
    pub slept: f64,
    /// Seconds on the wall to build it.
    pub build: f64,
    /// Seconds on the wall until the JIT had gone over to the code that was measured.
    pub warm: Option<f64>,
    /// Digest over all outputs of all cycles of every instance, hexadecimal; 0 if they differ from each other.
    pub digest: String,
}

impl Row {
    /// The middle one of the measured rates.
    pub fn median(&self) -> f64 {
        median(&self.rates).unwrap_or(0.0)
    }

    /// The same on the wall, if it was measured.
    pub fn wall(&self) -> Option<f64> {
        median(&self.walls)
    }

    /// The best one.
    pub fn best(&self) -> f64 {
        self.rates.iter().copied().fold(0.0, f64::max)
    }
}

fn median(rates: &[f64]) -> Option<f64> {
    let mut rates = rates.to_vec();
    rates.sort_by(f64::total_cmp);
    let (lower, upper) = (
        rates.get((rates.len().max(1) - 1) / 2)?,
        rates.get(rates.len() / 2)?,
    );
    Some((lower + upper) / 2.0)
}

/// What is wanted, and what was measured.
#[derive(Clone, Debug, Serialize)]
pub struct Target {
    /// What.
    pub what: &'static str,
    /// At least, or at most if [`at_most`](Self::at_most).
    pub wanted: f64,
    /// Whether less is better.
    pub at_most: bool,
    /// The ratio of the medians, or seconds; nothing if a part of it was not run.
    pub measured: Option<f64>,
}

impl Target {
    /// Whether it is met; nothing if it was not measured.
    pub fn met(&self) -> Option<bool> {
        self.measured.map(|value| match self.at_most {
            true => value <= self.wanted,
            false => value >= self.wanted,
        })
    }
}

/// Everything measured.
#[derive(Clone, Debug, Serialize)]
pub struct Report {
    /// Processor, cores.
    pub machine: String,
    /// Verilator's version, or why it was not run.
    pub verilator: String,
    /// Version of the newer Verilator, if one was run.
    pub newer_verilator: Option<String>,
    /// The command.
    pub command: String,
    /// Rounds; in each every row ran once.
    pub rounds: usize,
    /// Rows.
    pub rows: Vec<Row>,
    /// Targets.
    pub targets: Vec<Target>,
    /// Operations of a saturated cycle of the target side.
    pub profile: Profile,
    /// The same of the whole NIC.
    pub nic_profile: Profile,
    /// Whether every row gave the digest of one instance on the JIT that played the same cycles.
    pub agree: bool,
}

impl Report {
    /// Ratio of the medians of two rows; nothing if one was not run.
    pub fn ratio(rows: &[Row], a: impl Fn(&Row) -> bool, b: impl Fn(&Row) -> bool) -> Option<f64> {
        let best = |of: &dyn Fn(&Row) -> bool| {
            let medians = rows.iter().filter(|row| of(row)).map(Row::median);
            medians.reduce(f64::max)
        };
        Some(best(&a)? / best(&b)?)
    }

    /// Markdown: a table of rows, a table of targets.
    pub fn markdown(&self) -> String {
        let newer = self.newer_verilator.as_ref();
        let newer = newer.map_or(String::new(), |version| format!(" Beside it: {version}."));
        let mut text = format!(
            "Command: `{}`. Machine: {}. Rival: {}.{newer} Every row ran once in each of {} rounds; rates are clock cycles of all instances a second of \
             the simulating thread's processor time, and beside it on the wall. Waveforms are written into memory.\n\n\
             | traffic | NICs | cycles | engine | variant | median cycles/s | best cycles/s | median on the wall | to Verilator | slept | build s | warm-up s |\n\
             |---|---:|---:|---|---|---:|---:|---:|---:|---:|---:|---:|\n",
            self.command, self.machine, self.verilator, self.rounds
        );
        for row in &self.rows {
            let rival = |other: &Row| {
                other.engine == "verilator"
                    && (other.traffic, other.instances) == (row.traffic, row.instances)
            };
            let same = |other: &Row| std::ptr::eq(other, row);
            let ratio = Self::ratio(&self.rows, same, rival);
            text.push_str(&format!(
                "| {} | {} | {} | {} | {} | {} | {} | {} | {} | {:.0} % | {:.1} | {} |\n",
                row.traffic,
                row.instances,
                thousands(row.cycles as f64),
                row.engine,
                row.variant,
                thousands(row.median()),
                thousands(row.best()),
                row.wall().map_or("-".into(), thousands),
                ratio.map_or("-".into(), |ratio| format!("{ratio:.2}")),
                row.slept * 100.0,
                row.build,
                row.warm.map_or("-".into(), |warm| format!("{warm:.1}")),
            ));
        }
        text.push('\n');
        for (what, profile) in [
            ("the target side", self.profile),
            ("the whole NIC", self.nic_profile),
        ] {
            text.push_str(&format!(
                "A saturated cycle of {what} is {} operations on 64-bit words; {:.1} % of them give another value than in the cycle before; \
                 in parts for this traffic {:.1} % are computed.\n",
                thousands(profile.operations as f64),
                profile.changed * 100.0,
                profile.computed * 100.0
            ));
        }
        text.push_str("\n| target | wanted | measured | |\n|---|---:|---:|---|\n");
        for target in &self.targets {
            let sign = if target.at_most { "<=" } else { ">=" };
            let measured = target
                .measured
                .map_or("-".into(), |value| format!("{value:.3}"));
            let verdict = match target.met() {
                Some(true) => "met",
                Some(false) => "**missed**",
                None => "not measured",
            };
            text.push_str(&format!(
                "| {} | {sign} {} | {measured} | {verdict} |\n",
                target.what, target.wanted
            ));
        }
        text
    }
}

/// A whole number with commas.
fn thousands(value: f64) -> String {
    let digits = format!("{value:.0}");
    let mut text = String::new();
    for (i, digit) in digits.chars().enumerate() {
        if i > 0 && (digits.len() - i).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row(engine: &str, rates: &[f64]) -> Row {
        Row {
            traffic: "saturated",
            instances: 1,
            engine: engine.into(),
            variant: String::new(),
            cycles: 10,
            rates: rates.to_vec(),
            walls: rates.iter().map(|rate| rate / 2.0).collect(),
            slept: 0.0,
            build: 0.0,
            warm: None,
            digest: String::new(),
        }
    }

    #[test]
    fn the_ratio_is_that_of_the_medians_to_the_fastest_rival() {
        let rows = [
            row("jit", &[10.0, 30.0, 20.0]),
            row("verilator", &[4.0, 5.0, 6.0]),
            row("verilator", &[9.0, 11.0, 10.0]),
        ];
        let is = |name: &'static str| move |row: &Row| row.engine == name;
        assert_eq!(Report::ratio(&rows, is("jit"), is("verilator")), Some(2.0));
        assert_eq!(Report::ratio(&rows, is("jit"), is("aot")), None);
    }

    #[test]
    fn a_missed_target_is_shown_as_missed() {
        let target = |wanted, measured| Target {
            what: "it",
            wanted,
            at_most: false,
            measured,
        };
        let profile = Profile {
            operations: 7,
            changed: 0.25,
            computed: 0.5,
        };
        let report = Report {
            machine: String::new(),
            verilator: String::new(),
            newer_verilator: None,
            command: String::new(),
            rounds: 1,
            rows: vec![row("jit", &[1234567.0])],
            profile,
            nic_profile: profile,
            targets: vec![
                target(1.5, Some(1.4)),
                target(1.5, Some(1.5)),
                target(1.5, None),
            ],
            agree: true,
        };
        let text = report.markdown();
        assert!(
            text.contains("| it | >= 1.5 | 1.400 | **missed** |"),
            "{text}"
        );
        assert!(text.contains("| it | >= 1.5 | 1.500 | met |"), "{text}");
        assert!(
            text.contains("| it | >= 1.5 | - | not measured |"),
            "{text}"
        );
        assert!(
            text.contains("| 1,234,567 | 1,234,567 | 617,284 |"),
            "{text}"
        );
    }
}
