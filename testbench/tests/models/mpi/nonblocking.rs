//! Collectives that are begun, looked at and completed, with work of the program in between.

use super::{bytes, check_words, options, play};
use xtq_compute::mpi::{HEAP, Options, Way};

/// Words of each of the two parts of the window.
const WORDS: u32 = 3000;

/// Word `number` of a rank's window.
fn value(rank: usize, number: u32) -> u32 {
    number * 7 + 1000 * rank as u32
}

/// The sum of all ranks, computed one after the other.
fn sum(ranks: usize, number: u32) -> u32 {
    (0..ranks).map(|rank| value(rank, number)).sum()
}

#[test]
fn two_at_a_time_go_on_while_the_program_works_and_give_what_a_loop_gives() {
    for way in Way::ALL {
        for (ranks, slots, segment) in [(2, 2, 8 * WORDS), (3, 1, 1024), (4, 2, 5000), (5, 3, 6000)]
        {
            let options = Options {
                slots,
                slot_bytes: u64::from(segment),
                ..options(way, 8 * u64::from(WORDS))
            };
            let root = ranks - 1;
            let machine = play(
                ranks,
                &options,
                |machine| {
                    for rank in 0..ranks {
                        let own = (0..2 * WORDS).map(|number| value(rank, number));
                        machine.write(rank, HEAP, &bytes(own));
                    }
                },
                move |mut mpi| async move {
                    mpi.barrier().await?;
                    let half = 4 * u64::from(WORDS);
                    let first = mpi.ireduce(root, 0..half).await?;
                    let second = mpi.iallreduce(half..2 * half).await?;
                    assert!(!mpi.test(&second).await?, "nothing has crossed the network");
                    let mut looks = 0;
                    while !mpi.test(&second).await? {
                        mpi.host().work(400).await;
                        looks += 1;
                    }
                    assert!(looks > 3, "{looks}");
                    // They are carried out in order.
                    assert!(mpi.test(&first).await?);
                    mpi.complete(second).await?;
                    mpi.complete(first).await?;
                    mpi.finish().await
                },
            );
            let (half, of) = (4 * WORDS as usize, format!("{way:?}, {ranks} ranks"));
            let found = machine.read(root, HEAP, half);
            check_words(&found, (0..WORDS).map(|number| sum(ranks, number)), &of);
            for rank in 0..ranks {
                let found = machine.read(rank, HEAP + half as u64, half);
                let wanted = (WORDS..2 * WORDS).map(|number| sum(ranks, number));
                check_words(&found, wanted, &format!("{of}, rank {rank}"));
            }
        }
    }
}

/// When the last of four ranks has both: an allreduce, and work of its own.
fn both(way: Way, instructions: u64, begins: bool) -> u64 {
    let machine = play(
        4,
        &options(way, 64 << 10),
        |machine| {
            for rank in 0..4 {
                let own = (0..16 << 10).map(|number| value(rank, number));
                machine.write(rank, HEAP, &bytes(own));
            }
        },
        move |mut mpi| async move {
            mpi.barrier().await?;
            let begin = mpi.host().now();
            if begins {
                let ongoing = mpi.iallreduce(0..64 << 10).await?;
                let mut left = instructions;
                while left > 0 {
                    mpi.host().work(left.min(500)).await;
                    left -= left.min(500);
                    mpi.test(&ongoing).await?;
                }
                mpi.complete(ongoing).await?;
            } else {
                mpi.allreduce(64 << 10).await?;
                mpi.host().work(instructions).await;
            }
            let took = mpi.host().now() - begin;
            mpi.host().mark(&took.to_string());
            mpi.finish().await
        },
    );
    let found = machine.read(3, HEAP, 64 << 10);
    check_words(&found, (0..16 << 10).map(|number| sum(4, number)), "rank 3");
    let took = (0..4).map(|rank| machine.threads(rank)[0].marks[0].0.parse::<u64>().unwrap());
    took.max().unwrap()
}

#[test]
fn work_between_two_looks_takes_place_beside_the_collective() {
    for way in [Way::Hsa, Way::Xtq] {
        let alone = both(way, 0, false);
        // As much work as the allreduce takes: 12 instructions a ns.
        let [after, beside] = [false, true].map(|begins| both(way, 12 * alone, begins));
        assert!(
            after >= 2 * alone - alone / 20,
            "{way:?}: {after} and {alone}"
        );
        assert!(beside < alone + alone / 2, "{way:?}: {beside} and {alone}");
    }
}

#[test]
fn a_blocking_collective_waits_for_those_that_were_begun() {
    for way in Way::ALL {
        let machine = play(
            3,
            &options(way, 400),
            |machine| {
                for rank in 0..3 {
                    machine.write(
                        rank,
                        HEAP,
                        &bytes((0..100).map(|number| value(rank, number))),
                    );
                }
            },
            |mut mpi| async move {
                mpi.barrier().await?;
                let first = mpi.iallreduce(0..400).await?;
                mpi.allreduce(400).await?;
                assert!(mpi.test(&first).await?);
                mpi.complete(first).await?;
                mpi.finish().await
            },
        );
        let found = machine.read(1, HEAP, 400);
        check_words(
            &found,
            (0..100).map(|number| 3 * sum(3, number)),
            &format!("{way:?}"),
        );
    }
}

#[test]
#[should_panic(expected = "a collective of bytes 200..404: the window has 400")]
fn bytes_that_the_window_does_not_have_are_an_error() {
    play(
        2,
        &options(Way::Cpu, 400),
        |_| (),
        |mut mpi| async move {
            let ongoing = mpi.iallreduce(200..404).await?;
            mpi.complete(ongoing).await
        },
    );
}

#[test]
fn what_was_combined_may_be_changed_when_a_collective_is_over() {
    const LENGTH: u64 = 64 << 10;
    for way in Way::ALL {
        for (ranks, all, begins) in [(4, false, false), (4, true, false), (3, true, true)] {
            let machine = play(
                ranks,
                &options(way, LENGTH),
                |machine| {
                    for rank in 0..ranks {
                        let own = (0..16 << 10).map(|number| value(rank, number));
                        machine.write(rank, HEAP, &bytes(own));
                    }
                },
                move |mut mpi| async move {
                    mpi.barrier().await?;
                    match (all, begins) {
                        (false, _) => mpi.reduce(1, LENGTH).await?,
                        (true, false) => mpi.allreduce(LENGTH).await?,
                        (true, true) => {
                            let ongoing = mpi.iallreduce(0..LENGTH).await?;
                            mpi.complete(ongoing).await?;
                        }
                    }
                    // What its NIC has still to read would be read wrong.
                    if mpi.rank() % 2 == 0 {
                        for line in (0..LENGTH).step_by(1024) {
                            mpi.host().store(HEAP + line, &[0xee; 64]).await?;
                        }
                    }
                    mpi.finish().await
                },
            );
            for rank in (1..ranks).step_by(2).filter(|rank| all || *rank == 1) {
                let found = machine.read(rank, HEAP, LENGTH as usize);
                let wanted = (0..16 << 10).map(|number| sum(ranks, number));
                check_words(
                    &found,
                    wanted,
                    &format!("{way:?}, {ranks} ranks, rank {rank}"),
                );
            }
        }
    }
}
