//! What hosts do of collectives: all of it by hand, one command a use, and what does not fit into the NIC at once.

use super::{MEMORIES, MORE_COMMANDS, NETWORK, nothing_is_dropped, parameters, run, taken};
use xtq_cdag::arithmetic::Datatype;
use xtq_cdag::collectives::{VARIANTS, variant};
use xtq_cdag::compile::Options;
use xtq_cdag::emit::{Backend, Surroundings};
use xtq_cdag::rounds::in_rounds;

#[test]
fn hosts_give_the_same_by_hand() {
    for (number, variant) in VARIANTS.iter().enumerate() {
        let title = format!("{} {} by hand", variant.collective, variant.algorithm);
        let built = variant.build(&parameters(3, 64, 2)).expect("a graph");
        let memory = built.memory(Datatype::Float, 3);
        let surroundings = Surroundings {
            title: title.clone(),
            network: NETWORK.to_owned(),
            memory: MEMORIES[number % MEMORIES.len()].to_owned(),
            max_cycles: 400_000,
            backend: Backend::Host,
            late: vec![0, 900, 300],
            ..Surroundings::default()
        };
        let ran = run(&built.graph, &memory, &Options::default(), &surroundings);
        let commands = |rank: usize| ran.report.nodes[rank].processes[0].steps;
        let more = (0..3).all(|rank| commands(rank) > ran.plan.needs[rank].triggered);
        assert!(more, "{title}");
    }
}

#[test]
fn a_schedule_is_used_several_times_and_posted_once() {
    for (collective, algorithm, bytes, barrier) in [
        ("allreduce", "butterfly", 64, true),
        ("broadcast", "knomial", 64, false),
        ("broadcast", "linear", 16_384, true),
        ("exscan", "linear", 64, true),
        ("scan", "linear", 4_096, true),
    ] {
        let built = variant(collective, algorithm).expect("it is in the list");
        let built = built.build(&parameters(5, bytes, 1)).expect("a graph");
        let memory = built.memory(Datatype::Float, 3);
        let options = Options {
            barrier,
            ..Options::default()
        };
        let surroundings = Surroundings {
            title: format!("{collective} {algorithm} four times"),
            network: NETWORK.to_owned(),
            memory: MEMORIES[3].to_owned(),
            max_cycles: 200_000,
            late: vec![0, 900, 300, 50, 1200],
            again: 3,
            ..Surroundings::default()
        };
        let mut ran = run(&built.graph, &memory, &options, &surroundings);
        for rank in 0..5 {
            let needs = ran.plan.needs[rank];
            let objects = needs.counters + needs.descriptors + needs.entries;
            // Each use has a start; the rest is made once.
            let more = MORE_COMMANDS - 1 + usize::from(barrier);
            let wanted = objects + more + needs.triggered + 4;
            assert_eq!(
                taken(&mut ran, rank),
                wanted,
                "{collective}, commands of rank {rank}"
            );
        }
    }
}

#[test]
fn hosts_carry_out_listing_1_in_its_two_rounds() {
    let built = variant("barrier", "linear").expect("it is in the list");
    let built = built.build(&parameters(4, 0, 1)).expect("a graph");
    let graph = in_rounds(&built.graph).expect("rounds");
    let surroundings = Surroundings {
        title: "listing 1".to_owned(),
        max_cycles: 100_000,
        late: vec![0, 2000, 0, 0],
        backend: Backend::Host,
        ..Surroundings::default()
    };
    let memory = built.memory(Datatype::Float, 3);
    let ran = run(&graph, &memory, &Options::default(), &surroundings);
    let done = |rank: usize, name: &str| {
        let steps = &ran.report.nodes[rank].processes[0].timeline;
        let step = steps.iter().find(|step| step.name == name);
        step.and_then(|step| step.done).expect("a step")
    };
    // Nobody is through before the last has come.
    let last = done(1, "start");
    assert!((0..4).all(|rank| done(rank, "end") > last));
}

#[test]
fn a_schedule_that_is_larger_than_the_nic_is_posted_in_windows() {
    for (collective, algorithm, parameters) in [
        ("broadcast", "linear", parameters(3, 1200, 300)),
        ("broadcast", "round-optimal", parameters(4, 800, 200)),
        ("reduce_scatter", "pairwise", parameters(4, 24_000, 1)),
    ] {
        let built = variant(collective, algorithm).expect("it is in the list");
        let built = built.build(&parameters).expect("a graph");
        let memory = built.memory(Datatype::Float, 3);
        let title = format!("{collective} {algorithm} in windows");
        let surroundings = Surroundings {
            title: title.clone(),
            network: NETWORK.to_owned(),
            memory: MEMORIES[2].to_owned(),
            max_cycles: 2_000_000,
            late: vec![0, 900, 300, 50],
            ..Surroundings::default()
        };
        let mut ran = run(&built.graph, &memory, &Options::default(), &surroundings);
        assert!(ran.plan.late_posts() > 0, "{title}");
        if algorithm == "linear" {
            // 125 operations fit beside those that wait for the end; ranks 0 and 1 send.
            assert_eq!(ran.plan.late_posts(), 2 * (300 - 125));
        }
        for rank in 0..parameters.nodes {
            let needs = ran.plan.needs[rank];
            let objects = needs.counters + needs.descriptors + needs.entries;
            let waits = 2 * ran.plan.waits[rank];
            assert_eq!(
                taken(&mut ran, rank),
                MORE_COMMANDS + objects + needs.triggered + waits,
                "{title}: commands of rank {rank}"
            );
        }
        nothing_is_dropped(&title, &mut ran);
    }
}
