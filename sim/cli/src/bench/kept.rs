//! Ratios that an earlier run has kept, and whether those of this run are as good.

use super::report::Target;
use serde::Deserialize;

/// What may be worse than before: ratios of one run to another are this noisy on a shared machine.
const TOLERANCE: f64 = 0.25;

/// Of the JSON that `--json` wrote, what is compared.
#[derive(Debug, Deserialize)]
pub struct KeptRatios {
    machine: String,
    targets: Vec<KeptRatio>,
}

#[derive(Debug, Deserialize)]
struct KeptRatio {
    what: String,
    measured: Option<f64>,
}

impl KeptRatios {
    /// Whether they are of such a machine; processors differ by more than is tolerated.
    pub fn are_of(&self, machine: &str) -> bool {
        self.machine == machine
    }

    /// A line for each ratio of `targets` that is worse than the kept one by more than a quarter, and for each kept one
    /// that is no longer measured. Seconds are no ratios, and times on the wall are those of whatever else runs.
    pub fn worse(&self, targets: &[Target]) -> Vec<String> {
        let kept = self.targets.iter();
        let kept = kept.filter(|kept| !kept.what.starts_with("seconds"));
        let kept = kept.filter(|kept| !kept.what.contains("on the wall"));
        kept.filter_map(|kept| {
            let before = kept.measured?;
            let now = targets.iter().find(|target| target.what == kept.what);
            let now = now.and_then(|target| Some((target.measured?, target.at_most)));
            let is_worse = now.is_none_or(|(now, at_most)| match at_most {
                true => now > before * (1.0 + TOLERANCE),
                false => now < before * (1.0 - TOLERANCE),
            });
            let now = now.map_or("not measured".to_owned(), |(now, _)| format!("{now:.3}"));
            is_worse.then(|| format!("{}: was {before:.3}, is {now}", kept.what))
        })
        .collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn target(what: &'static str, at_most: bool, measured: Option<f64>) -> Target {
        Target {
            what,
            wanted: 1.0,
            at_most,
            measured,
        }
    }

    #[test]
    fn only_what_is_worse_by_more_than_a_quarter_is_named() {
        let text = r#"{"rows": [], "machine": "one", "targets": [
            {"what": "rate", "wanted": 1, "measured": 2.0},
            {"what": "slower", "measured": 4.0},
            {"what": "seconds from start", "measured": 0.1},
            {"what": "slower, on the wall", "measured": 4.0},
            {"what": "never", "measured": null},
            {"what": "gone", "measured": 1.0}]}"#;
        let kept: KeptRatios = serde_json::from_str(text).unwrap();
        let seconds = target("seconds from start", true, Some(9.0));
        let good = [
            target("rate", false, Some(1.51)),
            target("slower", true, Some(4.9)),
            target("gone", false, Some(5.0)),
            seconds.clone(),
        ];
        assert!(kept.are_of("one") && !kept.are_of("other"));
        assert_eq!(kept.worse(&good), Vec::<String>::new());
        let bad = [
            target("rate", false, Some(1.49)),
            target("slower", true, Some(5.1)),
            seconds,
        ];
        let expected = [
            "rate: was 2.000, is 1.490",
            "slower: was 4.000, is 5.100",
            "gone: was 1.000, is not measured",
        ];
        assert_eq!(kept.worse(&bad), expected);
    }
}
