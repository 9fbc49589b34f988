//! The verdicts of the experiments with offloaded collectives, on rows made up here; and one small run of each.

use xtq_cdag::collectives::VARIANTS;
use xtq_compute::experiments::offloaded_collectives::{self, OffloadedCollectives};
use xtq_compute::experiments::triggered_overlap::{self, Mode, TriggeredOverlap};
use xtq_testbench::experiments::{Experiment, Interval, Statement};

fn interval(mean: f64) -> Interval {
    Interval { mean, half: 0.0 }
}

fn holds(statements: &[Statement]) -> Vec<bool> {
    statements.iter().map(|one| one.holds).collect()
}

/// Table I on two numbers of nodes, and eager and rendezvous in three sizes.
fn table() -> [Vec<offloaded_collectives::Row>; 2] {
    let rows = [2, 64].into_iter().flat_map(|nodes| {
        VARIANTS
            .iter()
            .map(move |variant| offloaded_collectives::Row {
                collective: variant.collective,
                algorithm: variant.algorithm,
                protocol: "auto",
                nodes,
                latencies_ns: vec![1.0],
                ..Default::default()
            })
    });
    let times = [
        (64, 100.0, 200.0),
        (4096, 300.0, 290.0),
        (65_536, 900.0, 800.0),
    ];
    let protocols = times.into_iter().flat_map(|(bytes, eager, rendezvous)| {
        [("eager", eager), ("rendezvous", rendezvous)].map(|(protocol, ns)| {
            offloaded_collectives::Row {
                protocol,
                bytes,
                latency_ns: interval(ns),
                ..Default::default()
            }
        })
    });
    [rows.collect(), protocols.collect()]
}

#[test]
fn each_statement_of_table_i_has_rows_that_break_it() {
    let [rows, protocols] = table();
    let of = |change: &dyn Fn(
        &mut Vec<offloaded_collectives::Row>,
        &mut Vec<offloaded_collectives::Row>,
    )| {
        let (mut rows, mut protocols) = (rows.clone(), protocols.clone());
        change(&mut rows, &mut protocols);
        holds(&offloaded_collectives::statements(&rows, &protocols))
    };
    let breaks = |number: usize| {
        let mut all = vec![true; 5];
        all[number] = false;
        all
    };
    assert_eq!(of(&|_, _| {}), [true; 5]);
    assert_eq!(of(&|rows, _| _ = rows.pop()), breaks(0));
    assert_eq!(of(&|rows, _| rows[3].lost = 1), breaks(0));
    assert_eq!(of(&|rows, _| rows[3].host_actions = 1), breaks(1));
    assert_eq!(of(&|rows, _| rows[3].more_events = 1), breaks(1));
    assert_eq!(of(&|rows, _| rows[3].not_as_planned = 1), breaks(2));
    assert_eq!(of(&|rows, _| rows[3].left = 1), breaks(2));
    assert_eq!(
        of(&|_, rows| rows[1].latency_ns = interval(149.0)),
        breaks(3)
    );
    assert_eq!(
        of(&|_, rows| rows[3].latency_ns = interval(301.0)),
        breaks(4)
    );
}

/// Rows of one size and kind of hosts, by way and overlap on two and on 64 nodes; what is left of hosts and offloaded.
fn overlaps(
    bytes: u64,
    hosts: [f64; 2],
    posted: [f64; 2],
    rest: [f64; 2],
) -> Vec<triggered_overlap::Row> {
    let row = |mode, nodes, overlap, rest| triggered_overlap::Row {
        mode,
        nodes,
        bytes,
        overlap: interval(overlap),
        rest_ns: interval(rest),
        ..Default::default()
    };
    let mut rows = Vec::new();
    for (place, nodes) in [2, 64].into_iter().enumerate() {
        rows.push(row(Mode::Host, nodes, hosts[place], rest[0]));
        rows.push(row(Mode::Posted, nodes, posted[place], rest[1]));
    }
    rows
}

#[test]
fn each_statement_of_figures_9_and_10_has_rows_that_break_it() {
    let of = |hosts, posted, small, large| {
        let mut rows = overlaps(8, hosts, posted, small);
        rows.extend(overlaps(65_536, hosts, posted, large));
        holds(&triggered_overlap::statements(&rows))
    };
    // Four of figure 9 for each size, then figure 10.
    let figure_9 = |wanted: [bool; 4], figure_10: [bool; 2]| {
        [&wanted[..], &wanted[..], &figure_10[..]].concat()
    };
    let (small, large) = ([1.0, 2.0], [2.0, 1.0]);
    let all = [true; 4];
    assert_eq!(
        of([60.0, 10.0], [5.0, 80.0], small, large),
        figure_9(all, [true, true])
    );
    assert_eq!(
        of([49.0, 10.0], [5.0, 80.0], small, large),
        figure_9([false, true, true, true], [true, true])
    );
    assert_eq!(
        of([60.0, 55.0], [5.0, 80.0], small, large),
        figure_9([true, false, true, true], [true, true])
    );
    assert_eq!(
        of([60.0, 10.0], [5.0, 12.0], small, large),
        figure_9([true, true, false, true], [true, true])
    );
    assert_eq!(
        of([60.0, 10.0], [15.0, 80.0], small, large),
        figure_9([true, true, true, false], [true, true])
    );
    assert_eq!(
        of([60.0, 10.0], [5.0, 80.0], large, small),
        figure_9(all, [false, false])
    );
}

#[test]
fn other_hosts_are_counted_apart() {
    let mut rows = overlaps(8, [60.0, 10.0], [5.0, 80.0], [1.0, 2.0]);
    let mut beside = overlaps(8, [0.0, 0.0], [0.0, 0.0], [1.0, 2.0]);
    beside
        .iter_mut()
        .for_each(|row| row.variant = "slow".to_owned());
    rows.extend(beside);
    let statements = triggered_overlap::statements(&rows);
    let (others, own): (Vec<_>, Vec<_>) = statements.iter().partition(|one| one.beside);
    assert_eq!((own.len(), others.len()), (6, 6));
    assert!(others.iter().all(|one| one.of.starts_with("slow, ")));
}

#[test]
fn a_small_sweep_of_table_i_is_offloaded() {
    let text = OffloadedCollectives.parameters();
    let text = text.replacen("collectives = []", "collectives = [\"allreduce\"]", 1);
    let prepared = OffloadedCollectives
        .prepare("p.toml", &text, true)
        .expect("parameters");
    let shown = prepared.run(&|_| {}).expect("it runs");
    let [_, no_host, resources, ..] = shown.statements() else {
        panic!("statements are missing")
    };
    assert!(
        no_host.holds && resources.holds,
        "{no_host:?} {resources:?}"
    );
    // Three algorithms on two numbers of nodes, four protocols in two sizes, and the head.
    assert_eq!(shown.csv().len(), 1 + 3 * 2 + 4 * 2);
}

#[test]
fn reused_schedules_overlap_more_than_those_that_are_posted_in_the_loop() {
    let text = TriggeredOverlap.parameters();
    let end = text.find("[[variants]]").expect("variants");
    let prepared = TriggeredOverlap
        .prepare("p.toml", &text[..end], true)
        .expect("parameters");
    let shown = prepared.run(&|_| {}).expect("it runs");
    let records = shown.csv();
    let column = |name: &str| {
        records[0]
            .iter()
            .position(|head| head == name)
            .expect("a column")
    };
    let overlap = |mode: Mode| {
        let mut rows = records
            .iter()
            .filter(|row| row[column("mode")] == mode.name());
        let row = rows.find(|row| row[column("nodes")] == "4" && row[column("bytes")] == "8");
        row.expect("a row")[column("overlap")]
            .parse::<f64>()
            .expect("a number")
    };
    assert!(overlap(Mode::Reused) > overlap(Mode::Posted) + 5.0);
    assert!(overlap(Mode::Posted) > overlap(Mode::Host));
}
