//! One-sided accumulates over the three ways.

use super::{bytes, check_words, options, play};
use xtq_compute::mpi::{HEAP, Way};

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
