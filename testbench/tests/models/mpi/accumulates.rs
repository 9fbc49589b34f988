//! One-sided accumulates over the three ways.

use super::{bytes, check_words, options, play};
use xtq_compute::mpi::{self, HEADERS, HEAP, Mpi, Options, Way};
use xtq_compute::{Library, Machine, MachineConfig};
use xtq_testbench::cluster::RunOptions;

/// Where what is added lies.
const OUT: u64 = HEAP + 0x100_0000;

#[test]
fn accumulates_of_several_ranks_in_one_window_add_up() {
    let (ranks, elements) = (4, 300);
    for way in Way::ALL {
        let machine = play(
            ranks,
            &options(way, 4 * elements),
            |machine| {
                for rank in 0..ranks {
                    let own = (0..elements as u32).map(|word| word + 1000 * rank as u32);
                    machine.write(rank, OUT, &bytes(own));
                }
            },
            move |mut mpi| async move {
                mpi.open_window().await?;
                let (rank, ranks) = (mpi.rank(), mpi.ranks());
                // To each other rank twice all, and once a part: six epochs that others end here.
                for target in (0..ranks).filter(|target| *target != rank) {
                    mpi.accumulate(target, 0, OUT, elements).await?;
                    mpi.accumulate(target, 0, OUT, elements).await?;
                    mpi.flush(target).await?;
                    mpi.accumulate(target, 100, OUT, 50).await?;
                    mpi.flush(target).await?;
                }
                mpi.serve(2 * (ranks as u64 - 1)).await?;
                mpi.finish().await
            },
        );
        for target in 0..ranks {
            let others = (0..ranks as u32).filter(|rank| *rank != target as u32);
            let sum = |word: u32| -> u32 {
                let whole = |rank| 2 * (word + 1000 * rank);
                let part = |rank| match (100..150).contains(&word) {
                    true => word - 100 + 1000 * rank,
                    false => 0,
                };
                others.clone().map(|rank| whole(rank) + part(rank)).sum()
            };
            let found = machine.read(target, HEAP, 4 * elements as usize);
            let of = format!("{way:?}, rank {target}");
            check_words(&found, (0..elements as u32).map(sum), &of);
        }
    }
}

#[test]
fn an_epoch_ends_only_when_everything_in_it_is_in_the_window() {
    for way in Way::ALL {
        // Long ones, which two-sided messages announce first, and more than may be under way.
        let machine = play(
            2,
            &options(way, 32 << 10),
            |machine| machine.write(0, OUT, &bytes((0..8192).map(|word| word + 1))),
            |mut mpi| async move {
                mpi.open_window().await?;
                if mpi.rank() == 0 {
                    for _ in 0..12 {
                        mpi.accumulate(1, 0, OUT, 8192).await?;
                    }
                    mpi.flush(1).await?;
                    mpi.send(1, 9, OUT, 4).await?;
                } else {
                    mpi.recv(Some(0), 9, OUT, 4).await?;
                    let found = mpi.host().load(HEAP, 32 << 10).await?;
                    check_words(&found, (0..8192).map(|word| 12 * (word + 1)), "the window");
                }
                mpi.finish().await
            },
        );
        let runs = machine.kernels(1).len();
        assert_eq!(runs, if way == Way::Cpu { 0 } else { 12 }, "{way:?}");
    }
}

#[test]
fn over_xtq_the_target_application_does_nothing() {
    let busy = Way::ALL.map(|way| {
        let machine = play(
            2,
            &options(way, 4096),
            |_| (),
            |mut mpi| async move {
                mpi.open_window().await?;
                let before = mpi.host().busy_ns();
                if mpi.rank() == 0 {
                    for _ in 0..20 {
                        mpi.accumulate(1, 0, OUT, 1024).await?;
                        mpi.flush(1).await?;
                    }
                }
                mpi.serve(if mpi.rank() == 1 { 20 } else { 0 }).await?;
                let busy = mpi.host().busy_ns() - before;
                mpi.host().mark(&format!("{busy:.0}"));
                mpi.finish().await
            },
        );
        let threads = machine.threads(1);
        threads[0].marks[0].0.parse::<f64>().unwrap()
    });
    let [cpu, hsa, xtq] = busy;
    assert_eq!(xtq, 0.0);
    assert!(hsa > 20.0 * 50.0 && cpu > hsa, "{busy:?}");
}

/// All other ranks add so many words to rank 0, 16 accumulates in an epoch, so often.
fn to_one(ranks: usize, options: &Options, elements: u64, epochs: u64) {
    let way = options.way;
    let machine = play(
        ranks,
        options,
        |machine| {
            for rank in 1..ranks {
                machine.write(
                    rank,
                    OUT,
                    &bytes((0..elements as u32).map(|word| word + rank as u32)),
                );
            }
        },
        move |mut mpi| async move {
            mpi.open_window().await?;
            if mpi.rank() > 0 {
                for _ in 0..epochs {
                    for _ in 0..16 {
                        mpi.accumulate(0, 0, OUT, elements).await?;
                    }
                    mpi.flush(0).await?;
                }
            }
            mpi.finish().await
        },
    );
    let sum = |word: u32| {
        let each = (1..ranks as u32).map(|rank| word + rank);
        16 * epochs as u32 * each.sum::<u32>()
    };
    let found = machine.read(0, HEAP, 4 * elements as usize);
    check_words(
        &found,
        (0..elements as u32).map(sum),
        &format!("{way:?}, {ranks} ranks"),
    );
}

#[test]
fn many_ranks_accumulate_to_one_however_many_may_be_unanswered() {
    for way in Way::ALL {
        for (ranks, unanswered) in [(6, 8), (6, 32), (16, 8), (16, 32), (4, 16), (4, 32)] {
            let library = Library {
                unanswered,
                ..Library::default()
            };
            let small = Options {
                library,
                ..options(way, 64)
            };
            to_one(ranks, &small, 16, 2);
        }
    }
}

#[test]
fn messages_that_fill_the_rooms_and_such_that_ask_come_from_many_ranks_too() {
    for way in [Way::Cpu, Way::Hsa] {
        for (eager_bytes, bytes) in [(4096, 4096), (16384, 16384), (1024, 4096)] {
            let library = Library {
                eager_bytes,
                unanswered: 32,
                ..Library::default()
            };
            let options = Options {
                library,
                ..options(way, bytes)
            };
            to_one(6, &options, bytes / 4, 1);
        }
    }
}

/// The text of the error of so many ranks that open a window.
fn open(ranks: usize) -> Option<String> {
    let config = MachineConfig {
        nodes: ranks,
        ..MachineConfig::default()
    };
    let mut machine = Machine::new(&config).unwrap();
    let job = mpi::set_up(&mut machine, &options(Way::Cpu, 64)).unwrap();
    for node in 0..ranks {
        machine.start(node, "rank", move |host| async move {
            Mpi::new(host, &job).open_window().await
        });
    }
    let ran = machine.run(&RunOptions {
        until: 1_000_000,
        ..RunOptions::default()
    });
    ran.err().map(|error| error.to_string())
}

#[test]
fn more_ranks_than_a_target_has_headers_for_are_an_error() {
    assert_eq!(open(29), None);
    let error = open(30).unwrap();
    let why =
        format!("30 ranks with mpi.unanswered = 8: a target has {HEADERS} unexpected headers");
    assert!(error.contains(&why), "{error}");
}
