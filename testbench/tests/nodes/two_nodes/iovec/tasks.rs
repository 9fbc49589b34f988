//! XTQ puts whose packet with arguments, and payload, lie in lists of pieces.

use xtq_testbench::host::{AckRequest, EventKind, Md, Put, XtqPut, xtq_put};

use super::{Pieces, TABLE_BYTES, TABLES};
use crate::two_nodes::figure_6::{ARGUMENTS, check_task, packet, world_with_kernel};
use crate::two_nodes::fixture::{SOURCE, TARGET, bind, pattern};

/// Bytes in pieces of these lengths, again and again, each in a stretch of its own; from the given offset on, what lies
/// before is noise.
fn scattered(number: u64, offset: u64, bytes: &[u8], lengths: &[u64]) -> (Pieces, Vec<u8>) {
    let before = pattern(offset as usize, 200);
    let all = [&before, bytes].concat();
    let mut pieces = Vec::new();
    let mut left = all.len() as u64;
    for (place, length) in lengths.iter().cycle().enumerate() {
        if left == 0 {
            break;
        }
        let length = left.min(*length);
        let start = SOURCE + 0x4_0000 * (1 + number) + 0x400 * place as u64 + place as u64 % 77;
        pieces.push((start, length));
        left -= length;
    }
    let list = TABLES + TABLE_BYTES * number;
    (Pieces { list, pieces }, all)
}

#[test]
fn a_task_whose_buffers_lie_in_lists_runs_like_one_whose_buffers_do_not() {
    let arguments = pattern(ARGUMENTS, 3);
    let command = [&packet()[..], &arguments].concat();
    // Which of the two buffers is a list.
    for (lists, bytes) in [
        ([true, true], 5000),
        ([true, false], 1000),
        ([false, true], 9000),
        ([true, true], 0),
        ([true, true], 1),
    ] {
        let payload = pattern(bytes, 4);
        let mut world = world_with_kernel();
        let mut offsets = [0; 2];
        let parts = [
            (0, 13, &command, &[1, 63, 0, 7, 40][..]),
            (1, 900, &payload, &[300, 64, 0, 1, 129][..]),
        ];
        for (number, offset, bytes, lengths) in parts {
            let md = 1 + number as u16;
            if lists[number as usize] {
                let (pieces, all) = scattered(number, offset, bytes, lengths);
                pieces.store(&mut world, 0);
                for (address, byte) in pieces.addresses().iter().zip(all) {
                    world.write(0, *address, &[byte]);
                }
                offsets[number as usize] = offset;
                world.post(0, &[pieces.bind(md)]);
            } else {
                let place = SOURCE + 0x2_0000 * number + 5;
                world.write(0, place, bytes);
                world.post(0, &[bind(md, place, bytes.len() as u64)]);
            }
        }
        let task = xtq_put(&XtqPut {
            command_md: Md(1),
            command_offset: offsets[0],
            command_length: command.len() as u16,
            payload: Put {
                md: Md(2),
                local_offset: offsets[1],
                length: payload.len() as u64,
                ack: AckRequest::Ack,
                target: TARGET,
                ..Put::default()
            },
        });
        let told = world.run(0, &[task]);
        let kinds: Vec<EventKind> = told.iter().map(|event| event.kind).collect();
        assert_eq!(
            kinds,
            [EventKind::Send, EventKind::Ack],
            "{lists:?} {bytes}"
        );
        assert_eq!((told[1].ni_fail, told[1].mlength), (0, (96 + bytes) as u32));
        check_task(&mut world, &arguments, &payload);
    }
}
