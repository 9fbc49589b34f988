//! Schedules that are used again without being posted again, on the untimed NIC.

use crate::common::{parameters, visible};
use crate::random::draw;
use xtq_cdag::arithmetic::Datatype;
use xtq_cdag::collectives::{Built, Parameters, VARIANTS, variant};
use xtq_cdag::compile::{Flaw, Options, Protocol, compile};
use xtq_cdag::graph::Graph;
use xtq_cdag::interpret::interpret;
use xtq_cdag::machine::play_uses;
use xtq_cdag::plan::{Limits, Plan};
use xtq_cdag::reuse::{counts, rearms};
use xtq_cdag::schedule::Schedule;

const USES: usize = 4;

/// Data of each use.
fn data(built: &Built, datatype: Datatype) -> Vec<Vec<Vec<u8>>> {
    (0..USES as u64)
        .map(|number| built.memory(datatype, 2 + number))
        .collect()
}

/// What is wrong with several uses of a schedule in one of 6 random runs.
fn fault(schedule: &Schedule, before: &[Vec<Vec<u8>>], of: &Graph) -> Option<String> {
    let right: Vec<_> = before
        .iter()
        .map(|memory| visible(of, &interpret(of, memory, 1).expect("it ends")))
        .collect();
    (0..6).find_map(|seed| match play_uses(schedule, before, seed) {
        Err(failure) => Some(format!("seed {seed}: {failure}")),
        Ok(ends) => {
            let found = ends.iter().map(|end| visible(of, end));
            let wrong = found.zip(&right).position(|(found, right)| found != *right);
            wrong.map(|number| format!("seed {seed}: other bytes after use {number}"))
        }
    })
}

#[test]
fn every_variant_gives_in_each_use_what_the_interpreter_gives() {
    for variant in VARIANTS {
        for nodes in [1, 2, 3, 4, 6, 7, 8, 16] {
            for (barrier, protocol) in [
                (false, Protocol::Auto),
                (true, Protocol::Auto),
                (true, Protocol::Get),
            ] {
                let parameters = parameters(nodes);
                let built = variant.build(&parameters).expect("a graph");
                let options = Options {
                    barrier,
                    protocol,
                    ..Options::default()
                };
                let schedule = compile(&built.graph, &options).expect("it compiles");
                let before = data(&built, parameters.datatype);
                if let Some(fault) = fault(&schedule, &before, &built.graph) {
                    panic!(
                        "{} {}, {nodes} ranks, {options:?}: {fault}",
                        variant.collective, variant.algorithm
                    );
                }
            }
        }
    }
}

#[test]
fn random_communications_are_used_again_with_each_protocol() {
    for seed in 0..60 {
        let (graph, memory) = draw(seed);
        for protocol in [
            Protocol::Auto,
            Protocol::Eager,
            Protocol::Rendezvous,
            Protocol::Get,
        ] {
            let options = Options {
                protocol,
                eager: if seed.is_multiple_of(3) { 0 } else { 4096 },
                barrier: !seed.is_multiple_of(4),
                ..Options::default()
            };
            let schedule = compile(&graph, &options).expect("it compiles");
            let turned = |number: usize| {
                let bytes = memory.iter().map(|bytes| {
                    let mut bytes = bytes.clone();
                    bytes.rotate_left(number * 7);
                    bytes
                });
                bytes.collect::<Vec<_>>()
            };
            let before: Vec<_> = (0..USES).map(turned).collect();
            let fault = fault(&schedule, &before, &graph);
            assert_eq!(fault, None, "graph {seed}, {options:?}");
        }
    }
}

#[test]
fn a_last_round_that_counts_with_data_is_caught() {
    let built = variant("broadcast", "linear").expect("it is in the list");
    let parameters = parameters(4);
    let built = built.build(&parameters).expect("a graph");
    let options = Options {
        barrier: true,
        flaw: Some(Flaw::RoundOnStart),
        ..Options::default()
    };
    let schedule = compile(&built.graph, &options).expect("it compiles");
    let before = data(&built, parameters.datatype);
    assert!(fault(&schedule, &before, &built.graph).is_some());
}

#[test]
fn uses_that_begin_without_a_start_barrier_are_caught() {
    let parameters = parameters(5);
    let built = variant("allreduce", "butterfly").expect("it is in the list");
    let built = built.build(&parameters).expect("a graph");
    let mut schedule = compile(&built.graph, &Options::default()).expect("it compiles");
    let before = data(&built, parameters.datatype);
    assert_eq!(fault(&schedule, &before, &built.graph), None);
    // It has none, but hosts rely on one: each starts the next use when its own part is complete.
    schedule.barrier = true;
    assert!(fault(&schedule, &before, &built.graph).is_some());
}

#[test]
fn a_plan_says_whether_it_can_be_used_again() {
    let of = |collective: &str, segments: u64, protocol: Protocol| {
        let variant = VARIANTS
            .iter()
            .find(|variant| variant.collective == collective)
            .expect("a variant");
        let parameters = Parameters {
            segments,
            bytes: 1200,
            ..parameters(64)
        };
        let built = variant.build(&parameters).expect("a graph");
        let options = Options {
            protocol,
            ..Options::default()
        };
        let schedule = compile(&built.graph, &options).expect("it compiles");
        let limits = Limits {
            counters: 1000,
            entries: 1000,
            ..Limits::NIC
        };
        let plan = Plan::new(&schedule, limits).expect("it fits");
        (plan.again, plan.waiting())
    };
    // Six sends and the operation that reports the end.
    assert_eq!(of("broadcast", 1, Protocol::Auto), (true, 7));
    // In windows: 125 and what the host waits with.
    assert_eq!(of("broadcast", 300, Protocol::Auto), (false, 126));
    // Entries that are used once are gone.
    assert!(!of("broadcast", 1, Protocol::Literal).0);
}

#[test]
fn all_variants_that_fit_once_re_arm_with_what_their_counters_count() {
    for variant in VARIANTS {
        for nodes in [2, 5, 16, 64] {
            let built = variant.build(&parameters(nodes)).expect("a graph");
            let options = Options {
                barrier: true,
                ..Options::default()
            };
            let schedule = compile(&built.graph, &options).expect("it compiles");
            let of_rank = schedule.programs.iter().zip(counts(&schedule));
            for (program, counts) in of_rank {
                let (periods, end) = rearms(program, &counts).expect("it can");
                // No operation waits for more than comes in a use: it would be done in the next.
                let gates = program.triggered.iter().map(|one| one.gate);
                for (gate, period) in gates.zip(periods) {
                    assert!(
                        (1..=period).contains(&gate.threshold),
                        "{gate:?} every {period}"
                    );
                }
                assert!(program.done.threshold <= end);
            }
        }
    }
}

#[test]
fn a_wrong_period_is_caught() {
    let parameters = parameters(5);
    let built = variant("allgather", "ring").expect("it is in the list");
    let built = built.build(&parameters).expect("a graph");
    let mut schedule = compile(&built.graph, &Options::default()).expect("it compiles");
    let before = data(&built, parameters.datatype);
    assert_eq!(fault(&schedule, &before, &built.graph), None);
    // A counter that counts once more than it does: what waits for it is done too late, or never.
    schedule.starts = 2;
    let failure = play_uses(&schedule, &before, 1);
    assert!(failure.is_err() || fault(&schedule, &before, &built.graph).is_some());
}
