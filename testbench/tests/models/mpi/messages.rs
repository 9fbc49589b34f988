//! Two-sided messages: short and long, early and late, by source and tag.

use super::{bytes, options, play};
use xtq_compute::mpi::{HEAP, Way};

/// Where what is sent lies, and what comes.
const OUT: u64 = HEAP + 0x100_0000;
const IN: u64 = HEAP + 0x200_0000;

fn pattern(rank: u32, length: u64) -> Vec<u8> {
    let words = length.div_ceil(4) as u32;
    let mut bytes = bytes((0..words).map(|word| word * 3 + rank * 1000));
    bytes.truncate(length as usize);
    bytes
}

#[test]
fn messages_of_all_lengths_arrive_whether_the_receive_is_there_before_or_after() {
    // 0, 1, around a packet, around what is sent without asking, and long.
    for length in [0, 1, 64, 4095, 4096, 4097, 20_000] {
        for receiver_waits in [0, 20_000] {
            let machine = play(
                2,
                &options(Way::Cpu, 64),
                |machine| machine.write(0, OUT, &pattern(0, length)),
                move |mut mpi| async move {
                    if mpi.rank() == 0 {
                        // Late, if the receiver is not.
                        mpi.host().pause(20_000 - receiver_waits).await;
                        mpi.send(1, 7, OUT, length).await?;
                    } else {
                        mpi.host().pause(receiver_waits).await;
                        let status = mpi.recv(Some(0), 7, IN, 1 << 20).await?;
                        let found = (status.source, status.tag, status.bytes);
                        assert_eq!(found, (0, 7, length));
                    }
                    mpi.finish().await
                },
            );
            let came = machine.read(1, IN, length as usize);
            assert_eq!(came, pattern(0, length), "{length}, {receiver_waits}");
        }
    }
}

#[test]
fn messages_of_one_sender_do_not_overtake_and_tags_are_told_apart() {
    let machine = play(
        2,
        &options(Way::Cpu, 64),
        |machine| machine.write(0, OUT, &bytes(0..16)),
        |mut mpi| async move {
            if mpi.rank() == 0 {
                for (tag, word) in [(1, 0), (2, 1), (1, 2), (2, 3)] {
                    mpi.send(1, tag, OUT + 4 * word, 4).await?;
                }
            } else {
                mpi.host().pause(10_000).await;
                for (place, tag) in [2, 1, 1, 2].into_iter().enumerate() {
                    mpi.recv(Some(0), tag, IN + 4 * place as u64, 4).await?;
                }
            }
            mpi.finish().await
        },
    );
    assert_eq!(machine.read(1, IN, 16), bytes([1, 0, 2, 3]));
}

#[test]
fn a_receive_of_any_source_takes_what_comes_first_and_names_it() {
    play(
        3,
        &options(Way::Cpu, 64),
        |_| (),
        |mut mpi| async move {
            match mpi.rank() {
                0 => {
                    for from in [2, 1] {
                        let status = mpi.recv(None, 5, IN, 64).await?;
                        assert_eq!((status.source, status.bytes), (from, 8 * from as u64));
                    }
                }
                rank => {
                    mpi.host().pause(20_000 * (3 - rank as u64)).await;
                    mpi.send(0, 5, OUT, 8 * rank as u64).await?;
                }
            }
            mpi.finish().await
        },
    );
}

#[test]
fn more_unexpected_messages_than_a_room_holds_arrive_all() {
    // 4 rooms of 64 KiB: 24 messages of 4 KiB, ten times.
    let machine = play(
        2,
        &options(Way::Cpu, 64),
        |machine| machine.write(0, OUT, &pattern(0, 24 * 4096)),
        |mut mpi| async move {
            for _ in 0..10 {
                if mpi.rank() == 0 {
                    for number in 0..24 {
                        let place = OUT + 4096 * u64::from(number);
                        mpi.send(1, number, place, 4096).await?;
                    }
                } else {
                    mpi.host().pause(50_000).await;
                    for number in (0..24).rev() {
                        let place = IN + 4096 * u64::from(number);
                        mpi.recv(Some(0), number, place, 4096).await?;
                    }
                }
                mpi.barrier().await?;
            }
            mpi.finish().await
        },
    );
    assert_eq!(machine.read(1, IN, 24 * 4096), pattern(0, 24 * 4096));
}

#[test]
fn a_message_longer_than_its_receive_is_an_error_that_says_so() {
    for length in [100, 10_000] {
        let machine = std::panic::catch_unwind(|| {
            play(
                2,
                &options(Way::Cpu, 64),
                |_| (),
                move |mut mpi| async move {
                    match mpi.rank() {
                        0 => mpi.send(1, 7, OUT, length).await?,
                        _ => _ = mpi.recv(Some(0), 7, IN, 64).await?,
                    }
                    mpi.finish().await
                },
            )
        });
        let panic = machine.err().expect("the run stops");
        let why = panic.downcast_ref::<String>().unwrap();
        assert!(
            why.contains("a receive of 64 bytes met a message of"),
            "{why}"
        );
    }
}
