//! Reduce and allreduce: each run is compared with a serial reference.

use xtq_compute::experiments::mpi_runs::{Collective, Job, Measured, Pipeline, measure};
use xtq_compute::mpi::{Background, Way};
use xtq_compute::{Costs, System};

fn job(way: Way, collective: Collective, nodes: usize, bytes: u64) -> Job {
    Job {
        way,
        collective,
        nodes,
        bytes,
        pipeline: Pipeline {
            slots: 2,
            segment_bytes: 0,
        },
        warm: 0,
        overlap: Background::default(),
        seed: 1,
    }
}

fn run(job: &Job) -> Measured {
    let measured = measure(job, &System::xtq_paper(), &Costs::counted());
    measured.unwrap_or_else(|error| panic!("{error}"))
}

#[test]
fn every_way_reduces_any_number_of_ranks_cold_and_warm() {
    for way in Way::ALL {
        for nodes in [2, 3, 5] {
            for (bytes, warm) in [(4, 0), (12, 4096), (5000, 400)] {
                run(&Job {
                    warm,
                    ..job(way, Collective::Reduce, nodes, bytes)
                });
            }
        }
    }
}

#[test]
fn every_way_allreduces_powers_of_two_and_other_numbers() {
    for way in Way::ALL {
        for (nodes, bytes, warm) in [(2, 8, 8), (3, 5000, 0), (4, 5000, 64), (6, 48, 4096)] {
            run(&Job {
                warm,
                ..job(way, Collective::Allreduce, nodes, bytes)
            });
        }
    }
}

#[test]
fn vectors_with_fewer_elements_than_ranks_are_reduced_too() {
    for way in Way::ALL {
        for nodes in [4, 5] {
            run(&job(way, Collective::Allreduce, nodes, 8));
        }
    }
}

#[test]
fn segments_give_the_same_result_and_overlap_transfer_with_sums() {
    for way in Way::ALL {
        let whole = job(way, Collective::Reduce, 2, 256 << 10);
        let times = [0, 60_000, 32 << 10].map(|segment_bytes| {
            let pipeline = Pipeline {
                slots: 2,
                segment_bytes,
            };
            run(&Job { pipeline, ..whole }).ns
        });
        assert!(times[1].min(times[2]) < times[0], "{way:?}: {times:?}");
    }
    // Segments that do not fit the vector, and more places.
    for slots in [1, 3, 8] {
        let pipeline = Pipeline {
            slots,
            segment_bytes: 1024,
        };
        for way in Way::ALL {
            run(&Job {
                pipeline,
                ..job(way, Collective::Allreduce, 3, 20_000)
            });
        }
    }
}

#[test]
fn work_beside_a_reduction_is_done_in_its_pauses() {
    for way in [Way::Hsa, Way::Xtq] {
        let alone = job(way, Collective::Reduce, 2, 64 << 10);
        let work = Background {
            left: 24_000,
            between: 500,
        };
        let both = run(&Job {
            overlap: work,
            ..alone
        });
        // 24,000 instructions, four a cycle at 3 GHz.
        let (alone, work_ns) = (run(&alone).ns, 2_000.0);
        assert!(
            both.ns < alone + work_ns,
            "{way:?}: {} and {alone}",
            both.ns
        );
    }
}

#[test]
fn a_run_costs_what_is_predicted() {
    for (nodes, bytes) in [(2, 256 << 10), (8, 64 << 10)] {
        let job = job(Way::Xtq, Collective::Allreduce, nodes, bytes);
        let (found, predicted) = (run(&job).million_cycles, job.million_cycles());
        let ratio = found / predicted;
        assert!((0.8..=1.2).contains(&ratio), "{found} and {predicted}");
    }
}
