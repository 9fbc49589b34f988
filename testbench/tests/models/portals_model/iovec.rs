//! Lists of pieces as buffers (rules 1 of `docs/portals-model.md`).

use xtq_testbench::portals::{
    AtomicOp, Command, Datatype, Limits, List, MatchEntry, MdId, MdOption, MeOption,
    MemoryDescriptor, NiFail, Node, Place, Refusal, Request, RequestKind, Transfer,
};

use crate::portals_model::setup::*;

/// Where the list lies.
const LIST: u64 = 0x800;

/// Puts a list into memory.
fn store(node: &mut Node, pieces: &[(u64, u64)]) {
    let words = pieces.iter().flat_map(|(start, length)| [start, length]);
    let bytes: Vec<u8> = words.flat_map(|word| word.to_le_bytes()).collect();
    node.memory_mut().write(LIST, &bytes).unwrap();
}

fn listed(options: &[MeOption], pieces: u64) -> MatchEntry {
    let all = [&[MeOption::Iovec], options].concat();
    MatchEntry {
        start: LIST,
        length: pieces,
        ..entry(&all)
    }
}

fn descriptor(pieces: u64) -> MemoryDescriptor {
    MemoryDescriptor {
        start: LIST,
        length: pieces,
        options: [MdOption::Iovec].into_iter().collect(),
        queue: Some(MD_EVENTS),
        counter: None,
    }
}

#[test]
fn a_put_goes_from_piece_to_piece_and_is_cut_at_the_end_of_the_last() {
    let mut node = node();
    store(&mut node, &[(0x100, 2), (0x200, 0), (0x301, 3), (0x400, 1)]);
    append(&mut node, 1, listed(&[MeOption::OpPut], 4));
    let request = Request {
        roffset: 1,
        ..put(0, &[1, 2, 3, 4, 5, 6, 7])
    };
    assert_eq!(outcome(&mut node, &request), (NiFail::Ok, 5));
    assert_eq!(bytes(&node, 0x100, 3), [0, 1, 0]);
    assert_eq!(bytes(&node, 0x200, 1), [0]);
    assert_eq!(bytes(&node, 0x300, 5), [0, 2, 3, 4, 0]);
    assert_eq!(bytes(&node, 0x400, 2), [5, 0]);
    assert_eq!(details(&node)[0].start, LIST + 1);
}

#[test]
fn a_get_is_answered_from_the_pieces_and_what_is_done_to_items_is_refused() {
    let mut node = node();
    store(&mut node, &[(0x100, 2), (0x300, 3)]);
    node.memory_mut().write(0x100, &[1, 2]).unwrap();
    node.memory_mut().write(0x300, &[3, 4, 5]).unwrap();
    let both = [MeOption::OpPut, MeOption::OpGet];
    append(&mut node, 1, listed(&both, 2));
    let asked = Request {
        roffset: 1,
        ..get(0, 3)
    };
    assert_eq!(receive(&mut node, &asked).unwrap().data, [2, 3, 4]);
    let sum = operation(AtomicOp::Sum, Datatype::Uint8);
    let fetch = Request {
        kind: RequestKind::Fetch(sum),
        ..put(0, &[1])
    };
    assert_eq!(outcome(&mut node, &fetch), (NiFail::OpViolation, 0));
    assert_eq!(node.status().operation_violations, 1);
}

#[test]
fn a_piece_where_there_is_no_memory_fails_all_of_a_put() {
    let mut node = node();
    store(&mut node, &[(0x100, 2), (1 << 40, 1)]);
    append(&mut node, 1, listed(&[MeOption::OpPut], 2));
    assert_eq!(outcome(&mut node, &put(0, &[1, 2, 3])), (NiFail::Segv, 0));
    assert_eq!(bytes(&node, 0x100, 2), [0, 0]);
}

#[test]
fn a_list_is_not_too_long_lies_at_a_multiple_of_8_and_can_be_read_and_added_up() {
    let limits = Limits {
        max_iovecs: 3,
        ..Limits::default()
    };
    let mut node = node_with(limits, PLAIN);
    store(&mut node, &[(0, 1), (0, u64::MAX), (0, 0)]);
    let mut bind = |md| node.post(Command::MdBind(MdId(1), md));
    for wrong in [
        descriptor(4),
        MemoryDescriptor {
            start: LIST + 4,
            ..descriptor(1)
        },
        // Beyond memory.
        MemoryDescriptor {
            start: 0xff8,
            ..descriptor(1)
        },
        // 2^64 bytes.
        descriptor(2),
    ] {
        assert_eq!(bind(wrong), Err(Refusal::ArgInvalid), "{wrong:?}");
    }
    assert_eq!(bind(descriptor(1)), Ok(()));
    let me = listed(&[], 4);
    assert_eq!(
        node.post(append_to(List::Priority, 1, me)),
        Err(Refusal::ArgInvalid)
    );
    assert!(node.entries().is_empty());
}

#[test]
fn a_descriptor_ends_with_its_last_piece() {
    let mut node = node();
    store(&mut node, &[(0x100, 2), (0x200, 3)]);
    node.memory_mut().write(0x101, &[7]).unwrap();
    node.memory_mut().write(0x200, &[8, 9, 10]).unwrap();
    node.post(Command::MdBind(MdId(1), descriptor(2))).unwrap();
    let from = |offset, length| Transfer {
        from: Some(Place {
            md: MdId(1),
            offset,
        }),
        ..send(0, length)
    };
    let beyond = node.post(Command::Transfer(from(1, 5)));
    assert_eq!(beyond, Err(Refusal::ArgInvalid));
    node.post(Command::Transfer(from(1, 4))).unwrap();
    assert_eq!(node.take_sent()[0].data, [7, 8, 9, 10]);
}
