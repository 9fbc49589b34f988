//! Schedules that are posted once and used five times, with other data each time: operations re-arm.

use super::{
    MEMORIES, MORE_COMMANDS, NETWORK, after, at, nothing_is_dropped, parameters, run_schedule,
    taken,
};
use xtq_cdag::arithmetic::Datatype;
use xtq_cdag::collectives::variant;
use xtq_cdag::compile::{Options, compile};
use xtq_cdag::emit::{Between, Contents, Surroundings};

const USES: u64 = 5;

/// Both algorithms on so many nodes: before each use the hosts look at what the one before has left, and write other
/// data.
fn used_again(nodes: usize, bytes: u64, most_cycles: u64) {
    for (number, (collective, algorithm)) in [("allgather", "ring"), ("alltoall", "pairwise")]
        .into_iter()
        .enumerate()
    {
        let title = format!("{collective} {algorithm} on {nodes} nodes, {USES} times");
        let built = variant(collective, algorithm).expect("it is in the list");
        let built = built.build(&parameters(nodes, bytes, 1)).expect("a graph");
        let data: Vec<_> = (0..USES)
            .map(|number| built.memory(Datatype::Float, 3 + number))
            .collect();
        let ends: Vec<_> = data
            .iter()
            .map(|memory| after(&built.graph, memory, 1))
            .collect();
        let between = (1..data.len()).map(|number| {
            let ranks = ends[number - 1].iter().zip(&data[number]);
            let of_rank = ranks.map(|(end, next)| Between {
                expects: end.clone(),
                writes: vec![(0, next.clone())],
            });
            of_rank.collect()
        });
        let options = Options {
            barrier: true,
            ..Options::default()
        };
        let surroundings = Surroundings {
            title: title.clone(),
            network: NETWORK.to_owned(),
            memory: MEMORIES[2 + number].to_owned(),
            max_cycles: most_cycles,
            late: (0..nodes as u64).map(|rank| rank * 7919 % 1500).collect(),
            again: USES - 1,
            between: between.collect(),
            ..Surroundings::default()
        };
        let contents = Contents {
            before: &data[0],
            after: &ends[data.len() - 1],
        };
        let schedule = compile(&built.graph, &options).expect("it compiles");
        let mut ran = run_schedule(schedule, contents, &surroundings);
        for rank in 0..nodes {
            let needs = ran.plan.needs[rank];
            let objects = needs.counters + needs.descriptors + needs.entries;
            // The schedule with its start barrier and its first start is posted once; a start for each use after it.
            let wanted = objects + MORE_COMMANDS + 1 + needs.triggered + USES as usize - 1;
            assert_eq!(
                taken(&mut ran, rank),
                wanted,
                "{title}: commands of rank {rank}"
            );
            let end = format!("end {USES}");
            assert!(at(&ran, rank, &end).1 > at(&ran, rank, "end").1, "{title}");
        }
        nothing_is_dropped(&title, &mut ran);
    }
}

#[test]
fn ring_and_pairwise_are_used_five_times_on_sixteen_nodes() {
    used_again(16, 64, 1_000_000);
}

#[test]
fn ring_and_pairwise_are_used_five_times_on_sixty_four_nodes() {
    used_again(64, 64, 8_000_000);
}
