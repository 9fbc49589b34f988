//! Two collectives outstanding at once on real NICs, each with a start barrier of its own.

use super::{MEMORIES, NETWORK, after, is_offloaded, parameters, run_schedule};
use xtq_cdag::arithmetic::Datatype;
use xtq_cdag::collectives::{Built, variant};
use xtq_cdag::compile::{Options, compile};
use xtq_cdag::emit::{Contents, Surroundings};
use xtq_cdag::outstanding::{placed, together};

#[test]
fn two_collectives_are_outstanding_at_once() {
    for (number, pair) in [
        [("allreduce", "butterfly"), ("broadcast", "linear")],
        [("reduce", "knomial"), ("reduce", "knomial")],
        [("alltoall", "pairwise"), ("barrier", "dissemination")],
    ]
    .iter()
    .enumerate()
    {
        let ranks = 5;
        let graphs: Vec<Built> = pair
            .iter()
            .map(|(collective, algorithm)| {
                let variant = variant(collective, algorithm).expect("it is in the list");
                variant.build(&parameters(ranks, 192, 2)).expect("a graph")
            })
            .collect();
        let schedules: Vec<_> = (0..)
            .zip(&graphs)
            .map(|(schedule, built)| {
                let options = Options {
                    barrier: true,
                    schedule,
                    ..Options::default()
                };
                compile(&built.graph, &options).expect("it compiles")
            })
            .collect();
        let (both, places) = together(&schedules).expect("their tags differ");
        let parts: Vec<Vec<Vec<u8>>> = (7..)
            .zip(&graphs)
            .map(|(seed, built)| built.memory(Datatype::Float, seed))
            .collect();
        let before = placed(&places, &parts);
        let mut wanted = vec![Vec::new(); ranks];
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
        let title = format!("{pair:?} at once");
        let surroundings = Surroundings {
            title: title.clone(),
            network: NETWORK.to_owned(),
            memory: MEMORIES[number + 1].to_owned(),
            max_cycles: 200_000,
            late: vec![0, 900, 300, 50, 1200],
            ..Surroundings::default()
        };
        is_offloaded(&title, run_schedule(both, contents, &surroundings));
    }
}
