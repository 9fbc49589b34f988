//! Binary GOAL: the graph of the text, and files that are wrong.

use xtq_cdag::goal::read;
use xtq_cdag::goal_binary::{BinaryError, Layout, is_binary};

/// A task: kind, peer, size, tag, those that depend on its end, those that depend on its start.
type Task = (u8, u32, u64, u32, &'static [u32], &'static [u32]);

fn text(bytes: &[u8]) -> Result<String, BinaryError> {
    xtq_cdag::goal_binary::text(bytes, Layout::WithInterface)
}

/// A file of these ranks.
fn file(ranks: &[&[Task]]) -> Vec<u8> {
    file_of(ranks, Layout::WithInterface)
}

fn file_of(ranks: &[&[Task]], layout: Layout) -> Vec<u8> {
    let mut head = 4223u64.to_le_bytes().to_vec();
    head.extend((ranks.len() as u32).to_le_bytes());
    head.extend([1, 1]);
    let mut parts = Vec::new();
    for tasks in ranks {
        let mut part = (tasks.len() as u32).to_le_bytes().to_vec();
        part.extend([1, 0, 0, 0, 0, 0, 0, 0]);
        let mut appendix: Vec<u32> = Vec::new();
        for (kind, peer, size, tag, ends, starts) in *tasks {
            part.extend([0; 4]);
            part.push(*kind);
            part.extend(peer.to_le_bytes());
            part.extend(size.to_le_bytes());
            part.extend(tag.to_le_bytes());
            part.push(0);
            part.extend((layout == Layout::WithInterface).then_some(0));
            for dependents in [ends, starts] {
                part.extend((dependents.len() as u32).to_le_bytes());
                part.extend((appendix.len() as u32).to_le_bytes());
                appendix.extend(*dependents);
            }
        }
        part.extend(appendix.iter().flat_map(|number| number.to_le_bytes()));
        parts.push(part);
    }
    let mut at = head.len() as u64 + 16 * ranks.len() as u64 - 8;
    for part in &parts {
        head.extend(at.to_le_bytes());
        at += part.len() as u64;
        head.extend(at.to_le_bytes());
    }
    head.extend(parts.concat());
    head
}

/// Rank 0 sends, rank 1 forwards to rank 2 after a calculation; its send stands before its receive in the file.
fn forwards() -> Vec<u8> {
    file(&[
        &[(1, 1, 8, 4, &[], &[])],
        &[
            (1, 2, 16, 5, &[], &[]),
            (2, 0, 8, 4, &[2], &[]),
            (3, 0, 100, 0, &[0], &[]),
        ],
        &[
            (2, u32::MAX, 16, u32::MAX, &[], &[1]),
            (1, 0, 1, 9, &[], &[]),
        ],
    ])
}

#[test]
fn a_binary_file_is_the_same_graph_as_its_text() {
    let bytes = forwards();
    assert!(is_binary(&bytes) && !is_binary(b"num_ranks 2"));
    let wanted = "num_ranks 3\nrank 0 {\nt0: send 8b to 1 tag 4\n}\n\
                  rank 1 {\nt1: recv 8b from 0 tag 4\nt2: calc 100\nt2 requires t1\n\
                  t0: send 16b to 2 tag 5\nt0 requires t2\n}\n\
                  rank 2 {\nt0: recv 16b from -1 tag -1\nt1: send 1b to 0 tag 9\nt1 irequires t0\n}\n";
    assert_eq!(text(&bytes).expect("it is right"), wanted);
    assert_eq!(read(wanted).expect("it is right").vertices().len(), 6);
}

#[test]
fn a_file_without_interfaces_is_read_if_that_is_said() {
    let task = (1, 1, 8, 4, &[][..], &[][..]);
    let tasks: &[&[Task]] = &[
        &[task, task],
        &[(2, 0, 8, 4, &[1], &[]), (2, 0, 8, 4, &[], &[])],
    ];
    let [with, without] = [Layout::WithInterface, Layout::WithoutInterface].map(|layout| {
        let bytes = file_of(tasks, layout);
        xtq_cdag::goal_binary::text(&bytes, layout).expect("it is right")
    });
    assert_eq!(with, without);
    assert!(with.contains("t1 requires t0"), "{with}");
    let other = file_of(tasks, Layout::WithoutInterface);
    assert!(text(&other).is_err());
}

#[test]
fn parts_of_ranks_are_not_one() {
    let mut bytes = file(&[&[(3, 0, 1, 0, &[], &[])], &[(3, 0, 1, 0, &[], &[])]]);
    // Rank 1 has the bytes of rank 0, and more of the file than is left.
    let first: Vec<u8> = bytes[14..30].to_vec();
    bytes[30..46].copy_from_slice(&first);
    assert!(text(&bytes).is_ok());
    let ranks = 40u32;
    let mut many = 4223u64.to_le_bytes().to_vec();
    many.extend(ranks.to_le_bytes());
    many.extend([1, 1]);
    let start = many.len() as u64 + 16 * u64::from(ranks) - 8;
    for _ in 0..ranks {
        many.extend(start.to_le_bytes());
        many.extend((start + 51).to_le_bytes());
    }
    many.extend(&bytes[46..97]);
    let fault = text(&many).expect_err("they are one").to_string();
    assert_eq!(
        fault,
        "byte 238: the parts up to rank 13 are longer than the file"
    );
}

#[test]
fn faults_have_their_byte_and_every_shorter_file_has_one() {
    let bytes = forwards();
    for length in 0..bytes.len() {
        assert!(text(&bytes[..length]).is_err(), "{length} bytes");
    }
    let of = |ranks: &[&[Task]]| text(&file(ranks)).expect_err("a fault").to_string();
    assert_eq!(
        text(&[0; 8]).expect_err("a fault").to_string(),
        "byte 0: it does not begin with 4223"
    );
    assert_eq!(of(&[]), "byte 8: 0 ranks are not from 1 to 65536");
    assert_eq!(
        of(&[&[(4, 0, 0, 0, &[], &[])]]),
        "byte 46: 4 is not 1 (send), 2 (recv) or 3 (calc)"
    );
    assert_eq!(
        of(&[&[(3, 0, 0, 0, &[1], &[])]]),
        "byte 81: there is no task 1 of 1"
    );
    assert_eq!(
        of(&[&[(3, 0, 0, 0, &[1], &[]), (3, 0, 0, 0, &[0], &[])]]),
        "byte 42: task 0 waits for itself"
    );
    let mut more = file(&[&[(3, 0, 0, 0, &[], &[])]]);
    more[65] = 1;
    assert_eq!(
        text(&more).expect_err("a fault").to_string(),
        "byte 42: task 0 has more dependents than there are"
    );
    // Numbers that are far too large are no reason to stop.
    for place in 8..bytes.len() {
        let mut wrong = bytes.clone();
        wrong[place] = 0xff;
        let _ = text(&wrong);
    }
}
