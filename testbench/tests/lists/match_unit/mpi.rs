//! The 28 vectors of MPI matching: posted receives are USE_ONCE entries, messages without a receive leave headers.

use xtq_types::matching::{match_code, match_op, me_option};

use super::common::{entry, overflow, put, taker, unit};
use super::unit::Unit;
use super::words::{Command, Request, Response};

const ANY: i64 = -1;
/// The overflow entry's id.
const POOL: u64 = 63;

/// A step: kind, number, source, tag, communicator.
type Step = (char, u64, i64, i64, u64);

const fn r(id: u64, source: i64, tag: i64, comm: u64) -> Step {
    ('r', id, source, tag, comm)
}

const fn m(id: u64, source: i64, tag: i64, comm: u64) -> Step {
    ('m', id, source, tag, comm)
}

const fn probe(source: i64, tag: i64) -> Step {
    ('p', 0, source, tag, 0)
}

const fn mprobe(source: i64, tag: i64) -> Step {
    ('q', 0, source, tag, 0)
}

const fn cancel(id: u64) -> Step {
    ('c', id, 0, 0, 0)
}

/// Steps, pairs (receive, message), receives left, messages left, messages probed.
type Vector = (Vec<Step>, Vec<(u64, u64)>, Vec<u64>, Vec<u64>, Vec<u64>);

#[rustfmt::skip]
fn vectors() -> Vec<Vector> {
    vec![
        (vec![r(1, 1, 5, 0), m(1, 1, 5, 0)], vec![(1, 1)], vec![], vec![], vec![]),
        (vec![m(1, 1, 5, 0), r(1, 1, 5, 0)], vec![(1, 1)], vec![], vec![], vec![]),
        (vec![r(1, 1, 5, 0), m(1, 1, 6, 0)], vec![], vec![1], vec![1], vec![]),
        (vec![r(1, 1, 5, 0), m(1, 2, 5, 0)], vec![], vec![1], vec![1], vec![]),
        (vec![r(1, 1, 5, 0), m(1, 1, 5, 1)], vec![], vec![1], vec![1], vec![]),
        (vec![r(1, 1, 5, 0), r(2, 1, 5, 0), m(1, 1, 5, 0)], vec![(1, 1)], vec![2], vec![], vec![]),
        (vec![m(1, 1, 5, 0), m(2, 1, 5, 0), r(1, 1, 5, 0)], vec![(1, 1)], vec![], vec![2], vec![]),
        (vec![m(1, 2, 9, 0), m(2, 1, 8, 0), m(3, 1, 7, 0), r(1, 1, ANY, 0)], vec![(1, 2)], vec![], vec![1, 3], vec![]),
        (vec![m(1, 1, 8, 0), m(2, 2, 5, 0), m(3, 1, 5, 0), r(1, ANY, 5, 0)], vec![(1, 2)], vec![], vec![1, 3], vec![]),
        (vec![m(1, 4, 4, 1), m(2, 3, 3, 0), m(3, 2, 2, 0), r(1, ANY, ANY, 0)], vec![(1, 2)], vec![], vec![1, 3], vec![]),
        (vec![r(1, ANY, 5, 0), r(2, 1, 5, 0), m(1, 1, 5, 0)], vec![(1, 1)], vec![2], vec![], vec![]),
        (vec![r(1, 1, 5, 0), r(2, ANY, ANY, 0), m(1, 1, 5, 0)], vec![(1, 1)], vec![2], vec![], vec![]),
        (vec![r(1, ANY, 6, 0), r(2, 1, 5, 0), m(1, 1, 5, 0)], vec![(2, 1)], vec![1], vec![], vec![]),
        (vec![r(1, 0, ANY, 0), r(2, 0, 0, 0), m(1, 0, 0, 0), m(2, 0, 0, 0)], vec![(1, 1), (2, 2)], vec![], vec![], vec![]),
        (vec![m(1, 0, 0, 0), m(2, 0, 0, 0), r(1, 0, ANY, 0), r(2, 0, 0, 0)], vec![(1, 1), (2, 2)], vec![], vec![], vec![]),
        (vec![m(1, 1, 1, 0), m(2, 1, 2, 0), r(1, 1, 2, 0), r(2, 1, 1, 0)], vec![(1, 2), (2, 1)], vec![], vec![], vec![]),
        (vec![r(1, 1, 1, 0), r(2, 1, 2, 0), r(3, 1, 1, 0), m(1, 1, 2, 0), m(2, 1, 1, 0), m(3, 1, 1, 0)], vec![(2, 1), (1, 2), (3, 3)], vec![], vec![], vec![]),
        (vec![m(1, 1, 1, 0), m(2, 2, 2, 0), m(3, 1, 1, 0), r(1, 2, 2, 0), r(2, 1, 1, 0), r(3, 1, 1, 0)], vec![(1, 2), (2, 1), (3, 3)], vec![], vec![], vec![]),
        (vec![m(1, 1, 1, 0), r(1, 1, 1, 0), m(2, 1, 1, 0)], vec![(1, 1)], vec![], vec![2], vec![]),
        (vec![r(1, ANY, 1, 0), m(1, 2, 1, 0), m(2, 1, 1, 0), r(2, 1, 1, 0)], vec![(1, 1), (2, 2)], vec![], vec![], vec![]),
        (vec![r(1, 1, 0, 0), m(1, 1, 1, 0), m(2, 1, 0, 0)], vec![(1, 2)], vec![], vec![1], vec![]),
        (vec![r(1, 0, 3, 0), m(1, 0, 3, 0)], vec![(1, 1)], vec![], vec![], vec![]),
        (vec![m(1, 1, 1, 0), probe(ANY, ANY), r(1, 1, 1, 0)], vec![(1, 1)], vec![], vec![], vec![1]),
        (vec![m(1, 1, 1, 0), m(2, 1, 1, 0), mprobe(1, 1), r(1, 1, 1, 0)], vec![(1, 2)], vec![], vec![], vec![1]),
        (vec![r(1, 1, 1, 0), r(2, 1, 1, 0), cancel(1), m(1, 1, 1, 0)], vec![(2, 1)], vec![], vec![], vec![]),
        (vec![r(1, 1, 1, 0), m(1, 1, 1, 0), cancel(1)], vec![(1, 1)], vec![], vec![], vec![]),
        (vec![r(1, 1, 5, 1), r(2, 1, 5, 2), m(1, 1, 5, 2), m(2, 1, 5, 1)], vec![(2, 1), (1, 2)], vec![], vec![], vec![]),
        (vec![r(1, 1, 1, 0), m(1, 1, 1, 0), m(2, 1, 1, 0)], vec![(1, 1)], vec![], vec![2], vec![]),
    ]
}

/// A receive or a search: context(16), source(16), tag(32), with wildcards.
fn posted(op: u8, id: u64, source: i64, tag: i64, comm: u64) -> Command {
    let field = |value: i64, mask: u64| match value {
        ANY => (0, mask),
        value => (value as u64, 0),
    };
    let ((source, any_source), (tag, any_tag)) = (field(source, 0xFFFF), field(tag, 0xFFFF_FFFF));
    Command {
        op,
        bits: comm << 48 | source << 32 | tag,
        ignore: any_source << 32 | any_tag,
        ..entry(id, 0, me_option::USE_ONCE)
    }
}

/// The message of a HIT: its number is in the header data.
fn number(response: &Response) -> u64 {
    match response {
        Response::Hit(values) => *values.last().unwrap(),
        other => panic!("{other:?}"),
    }
}

fn run(number_of: usize, (steps, pairs, receives, messages, probed): Vector) {
    let mut unit: Unit = unit(false);
    unit.link(Command {
        ignore: u64::MAX,
        ..overflow(POOL, 0, 0)
    });
    let (mut paired, mut seen) = (Vec::new(), Vec::new());
    for (kind, id, source, tag, comm) in steps {
        match kind {
            'r' => {
                let responses = unit.command(posted(match_op::ME_APPEND, id, source, tag, comm));
                if responses[0].code() != Some(match_code::LINKED) {
                    paired.push((id, number(&responses[0])));
                }
            }
            'm' => {
                let told = unit.request(Request {
                    header_data: id,
                    length: 0,
                    node: source as u64,
                    ..put(comm << 48 | (source as u64) << 32 | tag as u64)
                });
                paired.extend(
                    taker(&told)
                        .filter(|taker| *taker != POOL)
                        .map(|taker| (taker, id)),
                );
            }
            'c' => {
                unit.command(Command::unlink(0, id));
            }
            kind => {
                let op = if kind == 'p' {
                    match_op::ME_SEARCH_ONLY
                } else {
                    match_op::ME_SEARCH_DELETE
                };
                seen.push(number(&unit.command(posted(op, 0, source, tag, comm))[0]));
            }
        }
    }
    assert_eq!(paired, pairs, "vector {number_of}");
    assert_eq!(seen, probed, "vector {number_of}");
    let all = Command {
        ignore: u64::MAX,
        options: 0,
        ..posted(match_op::ME_SEARCH_DELETE, 0, 0, 0, 0)
    };
    let left = unit.command(all);
    let left: Vec<u64> = left[..left.len() - 1].iter().map(number).collect();
    assert_eq!(left, messages, "vector {number_of}");
    let linked = (0..POOL).filter(|id| unit.code(Command::unlink(0, *id)) == match_code::UNLINKED);
    assert_eq!(linked.collect::<Vec<_>>(), receives, "vector {number_of}");
}

#[test]
fn the_28_vectors_of_mpi_matching() {
    let vectors = vectors();
    assert_eq!(vectors.len(), 28);
    for (number, vector) in vectors.into_iter().enumerate() {
        run(number + 1, vector);
    }
}
