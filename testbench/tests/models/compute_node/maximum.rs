//! Maxima over all nodes.

use super::{Told, cluster, config};
use xtq_compute::compute_node::{HostCalls, Shmem};
use xtq_testbench::compnet::design::Design;

/// Values of a node, one for each round; the largest is not always the same node's.
fn value(pe: usize, round: usize) -> u32 {
    [[7, 1, 900], [3, u32::MAX, 2], [8, 0, 30], [4, 4, 5]][round][pe]
}

#[test]
fn all_nodes_have_the_maximum_of_every_round() {
    for design in [
        Design::CompNet,
        Design::Dgpu,
        Design::Cpu,
        Design::InterKernel,
    ] {
        let mut cluster = cluster(&config(design, 3, 1));
        let told = Told::<(usize, u32)>::default();
        for pe in 0..3 {
            let tell = told.clone();
            // Nodes come late in turn, so that some are a round ahead.
            let late = move |round: usize| if round % 3 == pe { 9000 } else { 0 };
            let launched = match design.parts().queues {
                Some(_) => cluster.launch(pe, 0, move |mut shmem: Shmem| async move {
                    for round in 0..4 {
                        shmem.work(late(round)).await;
                        let most = shmem.maximum(value(pe, round)).await;
                        tell.borrow_mut().push((round, most));
                    }
                }),
                None => cluster.launch_host(pe, move |mut calls: HostCalls| async move {
                    for round in 0..4 {
                        calls.work(late(round)).await;
                        let most = calls.maximum(value(pe, round)).await;
                        tell.borrow_mut().push((round, most));
                    }
                }),
            };
            launched.unwrap();
        }
        cluster.run(400_000).unwrap();
        let most = |round| (0..3).map(|pe| value(pe, round)).max().unwrap();
        let told = told.borrow();
        assert_eq!(told.len(), 12, "{design:?}");
        for (round, found) in told.iter() {
            assert_eq!(*found, most(*round), "{design:?}, round {round}");
        }
    }
}
