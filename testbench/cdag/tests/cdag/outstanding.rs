//! Several schedules outstanding at once, on the untimed NIC.

use crate::common::{parameters, visible};
use xtq_cdag::collectives::{Built, VARIANTS, variant};
use xtq_cdag::compile::{Options, Protocol, compile};
use xtq_cdag::error::GraphError;
use xtq_cdag::interpret::interpret;
use xtq_cdag::machine::{play, play_uses};
use xtq_cdag::outstanding::{placed, together};
use xtq_cdag::schedule::{SCHEDULE_TAGS, Schedule};
use xtq_cdag::tags::Tags;

fn built(number: usize, nodes: usize) -> Built {
    let variant = &VARIANTS[number % VARIANTS.len()];
    variant.build(&parameters(nodes)).expect("a graph")
}

fn compiled(built: &Built, schedule: u64, options: Options) -> Schedule {
    let options = Options {
        schedule,
        ..options
    };
    compile(&built.graph, &options).expect("it compiles")
}

/// What each graph leaves in its part of memory, compared with the interpreter.
fn compare(
    title: &str,
    graphs: &[&Built],
    places: &[u64],
    parts: &[Vec<Vec<u8>>],
    end: &[Vec<u8>],
) {
    for ((built, place), part) in graphs.iter().zip(places).zip(parts) {
        let right = interpret(&built.graph, part, 1).expect("it ends");
        let at = *place as usize;
        let own = end.iter().zip(part);
        let own: Vec<Vec<u8>> = own
            .map(|(end, part)| end[at..at + part.len()].to_vec())
            .collect();
        assert_eq!(
            visible(&built.graph, &own),
            visible(&built.graph, &right),
            "{title}, the part at {place}"
        );
    }
}

#[test]
fn two_of_all_variants_at_once_give_what_each_gives_alone() {
    for number in 0..VARIANTS.len() {
        for (nodes, barrier, protocol) in [
            (3, true, Protocol::Auto),
            (6, true, Protocol::Get),
            (5, false, Protocol::Auto),
            (4, true, Protocol::Literal),
            (4, true, Protocol::Unmatched),
        ] {
            let options = Options {
                barrier,
                protocol,
                ..Options::default()
            };
            // Two of the same algorithm differ by their tags only.
            let graphs = [built(number, nodes), built(number + nodes % 2, nodes)];
            let schedules = [0, 1].map(|tag| compiled(&graphs[tag], tag as u64, options));
            let (both, places) = together(&schedules).expect("they differ");
            let datatype = parameters(nodes).datatype;
            let parts = [0, 1].map(|tag| graphs[tag].memory(datatype, 5 + tag as u64));
            let memory = placed(&places, &parts);
            for seed in 0..3 {
                let title = format!("variant {number} on {nodes}, {options:?}, seed {seed}");
                let end = play(&both, &memory, seed).unwrap_or_else(|why| panic!("{title}: {why}"));
                compare(&title, &[&graphs[0], &graphs[1]], &places, &parts, &end);
            }
        }
    }
}

#[test]
fn outstanding_schedules_are_used_again() {
    let options = Options {
        barrier: true,
        ..Options::default()
    };
    let graphs = [("broadcast", "linear"), ("allreduce", "butterfly")].map(|(which, how)| {
        let variant = variant(which, how).expect("it is in the list");
        variant.build(&parameters(7)).expect("a graph")
    });
    let schedules = [0, 1].map(|tag| compiled(&graphs[tag], tag as u64, options));
    let (both, places) = together(&schedules).expect("they differ");
    let uses: Vec<[Vec<Vec<u8>>; 2]> = (0..3)
        .map(|number| {
            [0, 1].map(|of| graphs[of].memory(parameters(7).datatype, number + of as u64))
        })
        .collect();
    let before: Vec<_> = uses.iter().map(|parts| placed(&places, parts)).collect();
    for seed in 0..10 {
        let ends = play_uses(&both, &before, seed).expect("it ends");
        for (number, (end, parts)) in ends.iter().zip(&uses).enumerate() {
            let title = format!("use {number}, seed {seed}");
            compare(&title, &[&graphs[0], &graphs[1]], &places, parts, end);
        }
    }
}

#[test]
fn tags_are_handed_out_given_back_and_used_up() {
    let mut tags = Tags::default();
    let taken: Vec<u64> = (0..SCHEDULE_TAGS)
        .map(|_| tags.take().expect("one is free"))
        .collect();
    assert!((0..SCHEDULE_TAGS).eq(taken));
    let limit = SCHEDULE_TAGS;
    assert_eq!(tags.take(), Err(GraphError::NoFreeTag { limit }));
    // Those that are no tags, and one twice, make no more of them.
    for tag in [700, 3, 700, limit, u64::MAX] {
        tags.give_back(tag);
    }
    assert_eq!([tags.take(), tags.take()], [Ok(3), Ok(700)]);
    assert!(tags.take().is_err());
    let options = Options {
        schedule: limit,
        ..Options::default()
    };
    let refused = compile(&built(0, 3).graph, &options).expect_err("no such tag");
    assert_eq!(refused, GraphError::NoTag { tag: limit, limit });
}

#[test]
fn schedules_with_one_tag_are_not_outstanding_together() {
    let one = compiled(&built(0, 3), 4, Options::default());
    let other = compiled(&built(1, 3), 4, Options::default());
    let refused = together(&[one.clone(), other]).expect_err("the same tag");
    assert_eq!(refused, GraphError::SameTag { tag: 4 });
    let more_ranks = compiled(&built(1, 4), 5, Options::default());
    let refused = together(&[one, more_ranks]).expect_err("other ranks");
    assert_eq!(
        refused,
        GraphError::OtherRanks {
            first: 3,
            second: 4
        }
    );
}
