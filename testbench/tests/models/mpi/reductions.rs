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
fn more_segments_that_nobody_asks_for_than_have_room_are_an_error() {
    let pipeline = Pipeline {
        slots: 2,
        segment_bytes: 4096,
    };
    let job = Job {
        pipeline,
        ..job(Way::Cpu, Collective::Reduce, 2, 132 << 10)
    };
    let error = measure(&job, &System::xtq_paper(), &Costs::counted()).unwrap_err();
    let why = "segment_bytes = 4096 is not above system.mpi.eager_bytes = 4096";
    assert!(error.to_string().contains(why), "{error}");
    run(&Job {
        bytes: 128 << 10,
        ..job
    });
}

#[test]
fn work_beside_a_reduction_is_done_in_its_pauses() {
    for way in [Way::Hsa, Way::Xtq] {
        for (collective, nodes, bytes) in [
            (Collective::Reduce, 2, 64 << 10),
            (Collective::Allreduce, 3, 96 << 10),
        ] {
            let alone = job(way, collective, nodes, bytes);
            let work = Background {
                left: 24_000,
                between: 500,
            };
            let both = run(&Job {
                overlap: work,
                ..alone
            });
            // 24,000 instructions, four a cycle at 3 GHz, are less than the transfer takes: nearly all is beside it.
            // Whoever did not work while its kernel runs would have more than half of it left.
            let (alone, work_ns) = (run(&alone).ns, 2_000.0);
            assert!(
                both.ns < alone + 0.3 * work_ns,
                "{way:?}, {collective:?}: {} and {alone}",
                both.ns
            );
        }
    }
}

/// With as much work as the collective takes, the host of HSA works while its kernel runs, too.
#[test]
fn hosts_work_while_their_kernel_runs() {
    let alone = job(Way::Hsa, Collective::Reduce, 2, 64 << 10);
    let ns = run(&alone).ns;
    let work = Background {
        left: (12.0 * ns) as u64,
        between: 500,
    };
    let both = run(&Job {
        overlap: work,
        ..alone
    });
    assert!(both.ns < 1.15 * ns, "{} and {ns}", both.ns);
}

#[test]
fn ranks_that_are_late_are_waited_for_and_what_they_take_is_measured() {
    let mut system = System::xtq_paper();
    system.mpi.late_ns = 3_000;
    let late = |way, seed| {
        let job = Job {
            seed,
            ..job(way, Collective::Reduce, 2, 4096)
        };
        let late = measure(&job, &system, &Costs::counted()).unwrap().ns;
        (late, run(&job).ns)
    };
    for way in Way::ALL {
        let all: Vec<(f64, f64)> = (1..5).map(|seed| late(way, seed)).collect();
        // Not longer than if all begin together: what the first has sent is there when the last calls.
        assert!(
            all.iter().all(|(late, both)| *late < both + 300.0),
            "{way:?}: {all:?}"
        );
        assert!(
            all.iter().any(|(late, both)| late != both),
            "{way:?}: {all:?}"
        );
    }
}

#[test]
fn what_the_library_decides_changes_how_long_it_takes_and_not_the_result() {
    for way in [Way::Cpu, Way::Hsa] {
        let times = [1024, 16384].map(|eager_bytes| {
            let mut system = System::xtq_paper();
            system.mpi.eager_bytes = eager_bytes;
            let job = job(way, Collective::Reduce, 2, 8192);
            measure(&job, &system, &Costs::counted()).unwrap().ns
        });
        assert!(times[1] < times[0], "{way:?}: {times:?}");
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
