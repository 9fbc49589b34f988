//! Two collectives outstanding at once on real NICs, each with a start barrier of its own.

use super::{MEMORIES, NETWORK, Ran, after, at, is_offloaded, parameters, run_schedule};
use xtq_cdag::arithmetic::Datatype;
use xtq_cdag::collectives::{Built, variant};
use xtq_cdag::compile::{Options, compile};
use xtq_cdag::emit::{Contents, Surroundings};
use xtq_cdag::outstanding::{placed, together};
use xtq_cdag::schedule::Schedule;

/// Two collectives by name, each with its algorithm.
type Pair = [(&'static str, &'static str); 2];

const RANKS: usize = 5;

/// Pairs that differ in all, in their tags only, and in how much they send.
const PAIRS: [Pair; 3] = [
    [("allreduce", "butterfly"), ("broadcast", "linear")],
    [("reduce", "knomial"), ("reduce", "knomial")],
    [("alltoall", "pairwise"), ("barrier", "dissemination")],
];

fn graph((collective, algorithm): (&str, &str)) -> Built {
    let variant = variant(collective, algorithm).expect("it is in the list");
    variant.build(&parameters(RANKS, 192, 2)).expect("a graph")
}

fn compiled(built: &Built, schedule: u64) -> Schedule {
    let options = Options {
        barrier: true,
        schedule,
        ..Options::default()
    };
    compile(&built.graph, &options).expect("it compiles")
}

fn surroundings(title: &str, memory: usize, apart: u64) -> Surroundings {
    Surroundings {
        title: title.to_owned(),
        network: NETWORK.to_owned(),
        memory: MEMORIES[memory].to_owned(),
        max_cycles: 200_000,
        late: vec![0, 900, 300, 50, 1200],
        apart,
        ..Surroundings::default()
    }
}

/// Runs both, the second of which each rank starts `apart` cycles after the first.
fn play(pair: &Pair, memory: usize, apart: u64) -> Ran {
    let graphs = pair.map(graph);
    let schedules = [0, 1].map(|tag| compiled(&graphs[tag], tag as u64));
    let (both, places) = together(&schedules).expect("their tags differ");
    let parts: Vec<Vec<Vec<u8>>> = (7..)
        .zip(&graphs)
        .map(|(seed, built)| built.memory(Datatype::Float, seed))
        .collect();
    let before = placed(&places, &parts);
    let mut wanted = vec![Vec::new(); RANKS];
    for ((built, place), part) in graphs.iter().zip(&places).zip(&parts) {
        for (rank, results) in after(&built.graph, part, 1).into_iter().enumerate() {
            let moved = results.into_iter().map(|(at, bytes)| (place + at, bytes));
            wanted[rank].extend(moved);
        }
    }
    let contents = Contents {
        before: &before,
        after: &wanted,
    };
    let title = format!("{pair:?}, {apart} cycles apart");
    run_schedule(both, contents, &surroundings(&title, memory, apart))
}

#[test]
fn two_collectives_are_outstanding_at_once() {
    for (number, pair) in PAIRS.iter().enumerate() {
        is_offloaded(&format!("{pair:?} at once"), play(pair, number + 1, 0));
    }
}

#[test]
fn a_second_collective_is_started_while_the_first_is_under_way() {
    for (number, pair) in PAIRS.iter().enumerate() {
        // What the first takes alone, from the start of the last rank on.
        let first = graph(pair[0]);
        let before = first.memory(Datatype::Float, 7);
        let contents = Contents {
            before: &before,
            after: &after(&first.graph, &before, 1),
        };
        let alone = surroundings("the first alone", number + 1, 0);
        let alone = run_schedule(compiled(&first, 0), contents, &alone);
        let started = (0..RANKS).map(|rank| at(&alone, rank, "start").0).max();
        let ended = (0..RANKS).map(|rank| at(&alone, rank, "end").1).max();
        let takes = ended
            .zip(started)
            .map_or(0, |(ended, started)| ended - started);
        assert!(takes > 100, "{pair:?}: {takes} cycles");
        // The rank that is last starts the second when the first is a third and two thirds done, and has long ended.
        for apart in [takes / 3, 2 * takes / 3, 4 * takes] {
            let title = format!("{pair:?}, {apart} cycles apart");
            let ran = play(pair, number + 1, apart);
            // The second has begun with its own start, and not with the first.
            let started = (0..RANKS)
                .map(|rank| at(&ran, rank, "start").0 + apart)
                .max();
            let ended = (0..RANKS).map(|rank| at(&ran, rank, "end").1).min();
            assert!(ended > started, "{title}: {ended:?} after {started:?}");
            is_offloaded(&title, ran);
        }
    }
}
