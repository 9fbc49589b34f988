//! Plays every load through every matcher, each rank in a matcher of its own, beside the naive matcher.

use super::parameters::Parameters;
use super::report::Report;
use super::row::{Calls, Queues, Run};
use super::sources::{Load, loads};
use crate::experiments::{ExperimentError, Progress};
use crate::matchers::{Came, Kind, Step};
use xtq_mpi_trace::{Event, Happening, Matcher, QueueStatistics, expected_only};

/// How many runs there are.
pub fn runs(parameters: &Parameters) -> usize {
    let loads = parameters.traces.len() + parameters.synthetic.lengths.len();
    loads * 2 * kinds(parameters).count()
}

/// The matchers that are run.
fn kinds(parameters: &Parameters) -> impl Iterator<Item = Kind> {
    let nic = parameters.nic_events > 0;
    Kind::ALL
        .into_iter()
        .filter(move |kind| nic || *kind != Kind::Nic)
}

/// Cycles of all eight runs without the NIC for each post and arrival, and of both with it; measured.
const CYCLES_EACH: usize = 72;
const NIC_CYCLES_EACH: usize = 300;

/// Millions of cycles of matchers, each counted as one of a NIC; none if a trace cannot be read, as `run` will say.
pub fn predicted(parameters: &Parameters) -> f64 {
    let cycles = |load: &Load| {
        let events = load.events.len();
        events * CYCLES_EACH + events.min(parameters.nic_events) * NIC_CYCLES_EACH
    };
    let all = |loads: Vec<Load>| loads.iter().map(cycles).sum::<usize>();
    loads(parameters).map_or(0, all) as f64 / 1e6
}

/// Runs everything. Errors: of a trace, or of a matcher.
pub fn run(parameters: &Parameters, progress: &Progress) -> Result<Report, ExperimentError> {
    let loads = loads(parameters)?;
    let mut report = Report::new(parameters);
    for load in &loads {
        let figures = QueueStatistics::of(load.ranks, &load.events, true);
        report
            .queues
            .push(Queues::new(&load.name, load.trace.is_none(), figures));
        let calls = load
            .trace
            .as_ref()
            .map(|trace| Calls::new(&load.name, trace));
        report.calls.extend(calls);
        for only in [false, true] {
            let changed;
            let events = if only {
                changed = expected_only(load.ranks, &load.events);
                &changed
            } else {
                &load.events
            };
            for kind in kinds(parameters) {
                let events = match kind {
                    Kind::Nic => &events[..events.len().min(parameters.nic_events)],
                    _ => &events[..],
                };
                report.runs.push(play(load, events, only, kind)?);
                progress(report.runs.len());
            }
        }
    }
    report.judge();
    Ok(report)
}

fn play(
    load: &Load,
    events: &[Event],
    expected_only: bool,
    kind: Kind,
) -> Result<Run, ExperimentError> {
    let mut run = Run {
        load: load.name.clone(),
        expected_only,
        matcher: kind.name(),
        events: events.len(),
        wildcard_events: 0,
        pairs: 0,
        equal: 0,
        different: 0,
        refused: 0,
        cycles: 0,
    };
    let body = kind.body()?;
    let mut ranks: Vec<Vec<Step>> = vec![vec![]; load.ranks as usize];
    for (number, event) in events.iter().enumerate() {
        ranks[event.rank as usize].push((number, event.what));
    }
    for steps in ranks.iter().filter(|steps| !steps.is_empty()) {
        let takes = |step: &Step| match &step.1 {
            Happening::Post(post) => kind.takes(post),
            Happening::Arrive(_) => true,
        };
        if !steps.iter().all(takes) {
            run.wildcard_events += steps.len();
            continue;
        }
        let played = kind.build(&body, true)?.play(steps)?;
        run.cycles += played.cycles;
        let mut naive = Matcher::new(1);
        for ((number, what), came) in steps.iter().zip(&played.came) {
            let found = match *what {
                Happening::Post(post) => naive.post(0, post, *number),
                Happening::Arrive(message) => naive.arrive(0, message, *number),
            };
            let expected = found.partner.map_or(Came::Waits, Came::Matched);
            let same = *came == expected;
            run.pairs += usize::from(found.partner.is_some());
            run.equal += usize::from(same && found.partner.is_some());
            run.different += usize::from(!same);
            run.refused += usize::from(*came == Came::Refused);
        }
    }
    Ok(run)
}
