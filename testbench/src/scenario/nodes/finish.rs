//! From a run, or from the parts that several ranks have of one, to the report.

use std::collections::BTreeMap;

use super::end::{End, Failure};
use super::part::{Part, SiteRecord};
use super::plan::NodesPlan;
use super::report::{NodeState, NodesReport, SpineLinkState};
use super::rows::{Seen, rows};
use super::run::NodesRun;
use crate::cluster::Exchange;
use crate::node::Digest;

impl NodesRun {
    /// Sets everything up, plays the programs until nothing happens any more, and reports.
    pub fn finish(&mut self) -> NodesReport {
        let part = self.finish_as(None);
        NodesReport::of(&self.plan, vec![part])
    }

    /// The same as one of several ranks; the [parts](NodesReport::of) of all make the report.
    pub fn finish_part(&mut self, others: &mut dyn Exchange) -> Part {
        self.finish_as(Some(others))
    }

    fn finish_as(&mut self, others: Option<&mut dyn Exchange>) -> Part {
        let (end, drained) = self.run(others);
        let plan = self.plan.clone();
        let numbers: Vec<usize> = self.cluster.numbers().collect();
        for (site, number) in self.cluster.nodes_mut().iter_mut().zip(numbers) {
            for (player, planned) in site.players.iter_mut().zip(plan.processes_of(number)) {
                player.note_failures(&planned.steps);
            }
        }
        Part::of(self, end, drained)
    }
}

impl NodesReport {
    /// The report of a run of which each rank knows a part, in the order of the ranks.
    pub fn of(plan: &NodesPlan, parts: Vec<Part>) -> Self {
        let mut sites: Vec<&SiteRecord> = parts.iter().flat_map(|part| &part.sites).collect();
        sites.sort_by_key(|site| site.state.number);
        let began = parts.iter().map(|part| part.began).max().unwrap_or(0);
        let last = sites.iter().filter_map(|site| site.digest?.last()).max();
        let cycles = reached(&parts).unwrap_or(last.unwrap_or(0) + 1);
        let greatest = |of: &dyn Fn(&Part) -> f64| parts.iter().map(of).fold(0.0, f64::max);
        let [build, open, seconds] = [0, 1, 2].map(|time| greatest(&|part| part.seconds[time]));
        let resumed = parts.iter().map(|part| part.resumed).max().unwrap_or(0);
        let rate = cycles.saturating_sub(began.max(resumed)) as f64 / seconds.max(1e-9);
        let clocks = sites.iter().map(|site| site.clock.saturating_sub(resumed));
        let ran: u64 = clocks.sum();
        let failure = failure(plan, &parts, &sites, (began, cycles));
        let differences = differences(plan, &sites);
        let followed = parts.iter().all(|part| part.followed);
        let seen = sites.iter().map(|site| (site.state.number, &site.seen));
        let seen: BTreeMap<_, _> = seen.collect();
        let load = Load {
            cycles: (cycles - 1).saturating_sub(began).max(1) as f64,
        };
        Self {
            title: plan.scenario.title.clone(),
            engine: parts
                .iter()
                .map(|part| part.engine.clone())
                .find(|engine| !engine.is_empty())
                .unwrap_or_default(),
            passed: failure.is_empty() && differences.is_empty(),
            failure,
            interrupted: parts.iter().any(|part| matches!(part.end, End::Ended(_))),
            differences,
            messages: match followed {
                true => rows(plan, &Seen::of(plan, &seen)),
                false => Vec::new(),
            },
            nodes: sites
                .iter()
                .map(|site| node_state(plan, site, &load))
                .collect(),
            spine_links: spine_links(plan, &parts, &load),
            cycles,
            setup_cycles: began,
            resumed,
            digest: hexadecimal(Digest::of_all(sites.iter().filter_map(|site| site.digest))),
            asleep: sites.iter().map(|site| site.slept).sum::<u64>() as f64 / ran.max(1) as f64,
            build_seconds: build,
            open_seconds: open,
            seconds,
            cycles_per_second: rate,
            node_cycles_per_second: rate * sites.len() as f64,
            waiting: parts
                .iter()
                .flat_map(|part| &part.waited)
                .map(|waited| waited / seconds.max(1e-9))
                .collect(),
            node_bytes: parts.iter().map(|part| part.node_bytes).max().unwrap_or(0),
            waves: Vec::new(),
            followed,
        }
    }
}

/// Cycles that all nodes have run, if that is not to the end and programs have begun.
fn reached(parts: &[Part]) -> Option<u64> {
    let is_over = parts.iter().all(|part| part.end == End::Over);
    let with_nodes = parts.iter().filter(|part| !part.sites.is_empty());
    let reached = with_nodes.map(|part| part.reached).min();
    reached.filter(|reached| !is_over && *reached > 0)
}

fn hexadecimal(digest: u64) -> String {
    format!("{digest:016x}")
}

/// Why the run stopped early; empty if it did not. `cycles`: the first of the programs, and how many there were.
fn failure(
    plan: &NodesPlan,
    parts: &[Part],
    sites: &[&SiteRecord],
    (began, end): (u64, u64),
) -> String {
    let failed = parts.iter().filter_map(|part| match &part.end {
        End::Failed(failure) => Some(failure),
        _ => None,
    });
    if let Some(Failure { text, .. }) = failed.min() {
        return text.clone();
    }
    let ended = parts.iter().find_map(|part| match &part.end {
        End::Ended(text) => Some(text),
        _ => None,
    });
    if let Some(text) = ended {
        return text.clone();
    }
    let processes = sites.iter().flat_map(|site| &site.state.processes);
    let waiting = processes.map(|process| process.waits_for.as_str());
    let waiting: Vec<&str> = waiting.filter(|what| !what.is_empty()).collect();
    let waiting = waiting.join("; ");
    let late = parts.iter().find_map(|part| match &part.end {
        End::Late(busy) => Some(busy),
        _ => None,
    });
    if let Some(busy) = late {
        let max_cycles = plan.scenario.max_cycles;
        let until = began.saturating_add(max_cycles);
        let busy = busy.clone().unwrap_or_default();
        let waiting = if waiting.is_empty() { busy } else { waiting };
        return format!("cycle {until}: not done after {max_cycles} cycles ({waiting})");
    }
    if !waiting.is_empty() {
        return format!("cycle {end}: nothing happens any more, but {waiting}");
    }
    let drained = parts.iter().filter_map(|part| part.drained.as_ref()).min();
    drained.map_or_else(String::new, |failure| failure.text.clone())
}

/// What is not as the programs expect, then what packet processors found wrong.
fn differences(plan: &NodesPlan, sites: &[&SiteRecord]) -> Vec<String> {
    let mut differences: Vec<String> = sites
        .iter()
        .flat_map(|site| site.differences.clone())
        .collect();
    for site in sites {
        for (doorbell, context, error) in &site.faults {
            let place = queue_title(plan, site.state.number, *context, *doorbell);
            differences.push(format!("{place}: {error}"));
        }
    }
    differences
}

/// The queue of a GPU, as programs name it.
fn queue_title(plan: &NodesPlan, node: usize, context: u8, doorbell: u64) -> String {
    let process = plan.processes_of(node).get(usize::from(context));
    let queue = process.and_then(|process| {
        let queues = &process.written(&plan.scenario).queues;
        queues
            .iter()
            .find(|queue| queue.doorbell_address == doorbell)
    });
    match (process, queue) {
        (Some(process), Some(queue)) => format!("{}, queue '{}'", process.title(), queue.name),
        _ => format!("node {node}, queue with doorbell {doorbell:#x}"),
    }
}

/// How much of the time links were in use.
struct Load {
    /// Of the programs.
    cycles: f64,
}

impl Load {
    fn share(&self, sent: u64, [bytes, cycles]: [u32; 2]) -> f64 {
        sent as f64 * f64::from(cycles) / f64::from(bytes) / self.cycles
    }
}

fn node_state(plan: &NodesPlan, site: &SiteRecord, load: &Load) -> NodeState {
    let (sent, received) = site.bytes;
    let bandwidth = plan.scenario.network.bandwidth;
    NodeState {
        digest: hexadecimal(site.digest.map_or(0, |digest| digest.value())),
        sending: load.share(sent, bandwidth),
        receiving: load.share(received, bandwidth),
        ..site.state.clone()
    }
}

fn spine_links(plan: &NodesPlan, parts: &[Part], load: &Load) -> Vec<SpineLinkState> {
    let bandwidth = plan.scenario.network.spine_rate();
    let mut links = BTreeMap::new();
    for (leaf, spine, is_up, bytes) in parts.iter().flat_map(|part| &part.trunks) {
        let share = load.share(*bytes, bandwidth);
        let (up, down) = links.entry((*leaf, *spine)).or_insert((0.0, 0.0));
        *(if *is_up { up } else { down }) = share;
    }
    links
        .into_iter()
        .map(|((leaf, spine), (up, down))| SpineLinkState {
            leaf,
            spine,
            up,
            down,
        })
        .collect()
}
