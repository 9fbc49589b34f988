//! Joins clusters as long as that gains something.
//!
//! With a run, a cluster costs its operations, what is found with it and its values that others read, in the share of
//! cycles in which it was active, and its test in every cycle; two clusters are joined if together they cost less.
//! Without, they are joined if much of what they read and of who reads them is the same.
//!
//! In a round the pairs that gain most are joined first, each cluster at most once; then come pairs with what was
//! joined.

use std::collections::BTreeMap;

use super::activity::{Cycles, either, ones};
use super::clusters::{Cluster, Clusters, OUTPUT, OVERHEAD, TEST};
use super::line::Line;

/// Clusters with something in common are looked at in pairs only if they are so many at most.
const PAIRED: usize = 60;
/// The share of what two clusters have in common from which on they are joined without a run.
const COMMON: f64 = 0.25;
/// Gains below this are none.
const LEAST: f64 = 1e-9;

pub(super) fn merge(clusters: &mut Clusters) {
    let mut line = Line::new(&clusters.list);
    let mut readers: BTreeMap<u32, Vec<u32>> = BTreeMap::new();
    for (number, cluster) in clusters.list.iter().enumerate() {
        for source in &cluster.sources {
            readers.entry(*source).or_default().push(number as u32);
        }
    }
    let mut changed: Vec<u32> = (0..clusters.list.len() as u32).collect();
    while !changed.is_empty() {
        let mut pairs: Vec<(f64, u32, u32)> = Vec::new();
        for (x, y) in neighbours(clusters, &changed, &readers) {
            let gain = gain(clusters, x as usize, y as usize);
            if gain > LEAST {
                pairs.push((gain, x, y));
            }
        }
        pairs.sort_by(|a, b| b.0.total_cmp(&a.0).then((a.1, a.2).cmp(&(b.1, b.2))));
        let mut used = vec![false; clusters.list.len()];
        changed.clear();
        for (_, x, y) in pairs {
            if used[x as usize] || used[y as usize] || !line.join(&clusters.list, x, y) {
                continue;
            }
            for source in &clusters.list[y as usize].sources {
                if let Some(list) = readers.get_mut(source) {
                    list.retain(|one| *one != y && *one != x);
                    list.push(x);
                }
            }
            clusters.join(x as usize, y as usize);
            (used[x as usize], used[y as usize]) = (true, true);
            changed.push(x);
        }
    }
}

/// Pairs of a changed cluster and one that reads it or is read by it, or with which it has a reader, something read or
/// a source in common; in order.
fn neighbours(
    clusters: &Clusters,
    changed: &[u32],
    readers: &BTreeMap<u32, Vec<u32>>,
) -> Vec<(u32, u32)> {
    let list = &clusters.list;
    let most = clusters.most();
    let mut pairs = Vec::new();
    for &x in changed {
        let own = &list[x as usize];
        let mut add = |others: &[u32]| {
            for &y in others.iter().filter(|y| **y != x) {
                let other = &list[y as usize];
                if own.nodes.len() + other.nodes.len() <= most && own.shown == other.shown {
                    pairs.push((x.min(y), x.max(y)));
                }
            }
        };
        add(&own.before);
        add(&own.after);
        let after = own.before.iter().map(|one| &list[*one as usize].after);
        let before = own.after.iter().map(|one| &list[*one as usize].before);
        let sources = own.sources.iter().filter_map(|source| readers.get(source));
        for others in after.chain(before).chain(sources) {
            if others.len() <= PAIRED {
                add(others);
            }
        }
    }
    pairs.sort_unstable();
    pairs.dedup();
    pairs
}

/// What is gained if two clusters are joined; not if it is 0 or less.
fn gain(clusters: &Clusters, x: usize, y: usize) -> f64 {
    let (a, b) = (&clusters.list[x], &clusters.list[y]);
    let linked =
        a.after.binary_search(&(y as u32)).is_ok() || b.after.binary_search(&(x as u32)).is_ok();
    let Some(activity) = clusters.activity else {
        let common = 2 * common(&a.before, &b.before)
            + 2 * common(&a.sources, &b.sources)
            + common(&a.after, &b.after)
            + 2 * usize::from(linked);
        let read = |one: &Cluster| one.before.len() + one.sources.len();
        return common as f64 / (read(a) + read(b) + 1) as f64 - COMMON;
    };
    let cost = |nodes: usize, outputs: usize, active: &Cycles| {
        let share = f64::from(ones(active)) / activity.cycles.max(1) as f64;
        share * (nodes as f64 + OVERHEAD + OUTPUT * outputs as f64) + TEST
    };
    let outputs = match linked {
        true => clusters.joint_outputs(x, y).count(),
        false => a.outputs.len() + b.outputs.len(),
    };
    let alone = |one: &Cluster| cost(one.nodes.len(), one.outputs.len(), &one.active);
    let nodes = a.nodes.len() + b.nodes.len();
    alone(a) + alone(b) - cost(nodes, outputs, &either(&a.active, &b.active))
}

/// How many numbers are in both of two ordered lists.
fn common(a: &[u32], b: &[u32]) -> usize {
    let (short, long) = if a.len() < b.len() { (a, b) } else { (b, a) };
    let found = short.iter().filter(|one| long.binary_search(one).is_ok());
    found.count()
}
