//! GOAL text: read, written, and what is wrong in it.

use crate::common::parameters;
use xtq_cdag::check::check;
use xtq_cdag::collectives::VARIANTS;
use xtq_cdag::compile::{Options, Protocol, compile};
use xtq_cdag::goal::{memory, read, write};
use xtq_cdag::graph::{Kind, Vertex};
use xtq_cdag::interpret::interpret;
use xtq_cdag::machine::play;
use xtq_cdag::plan::{Limits, Plan};
use xtq_cdag::rounds::in_rounds;

/// A binomial broadcast of three ranks, with comments, a task without a label, and a calculation between.
const TREE: &str = "num_ranks 3 // three
rank 0 { /* the
root */ l1: send 8b to 1 tag 4 cpu 0 nic 0
send 8b to 2 tag 4
}
rank 1 { l1: recv 8b from 0 tag 4
l2: calc 100
l2 requires l1
l3: send 16b to 2 tag 5
l3 requires l2 }
rank 2 {
a: recv 8b from 0 tag -1
b: recv 16b from 1 tag 5
b irequires a
}";

#[test]
fn a_file_is_a_graph_that_runs() {
    let graph = read(TREE).expect("it is right");
    assert_eq!((graph.ranks(), graph.vertices().len()), (3, 7));
    check(&graph).expect("it ends");
    let before = memory(&graph);
    let after = interpret(&graph, &before, 1).expect("it ends");
    let schedule = compile(&graph, &Options::default()).expect("it compiles");
    for seed in 0..20 {
        assert_eq!(
            play(&schedule, &before, seed).expect("it ends"),
            after,
            "seed {seed}"
        );
    }
    // What rank 2 has from rank 1, after what it has from rank 0 and its own empty buffer.
    assert_eq!(after[2][64..80], before[1][..16]);
}

#[test]
fn what_is_written_is_read_as_the_same_graph() {
    for variant in VARIANTS {
        let graph = variant.build(&parameters(6)).expect("a graph").graph;
        let text = write(&graph);
        let again =
            read(&text).unwrap_or_else(|error| panic!("{}: {error}\n{text}", variant.collective));
        check(&again).expect("it ends");
        // Local operations are work then, unless they are on nothing.
        let is_there =
            |vertex: &&Vertex| !matches!(vertex.kind, Kind::Local { into, .. } if into.length == 0);
        assert_eq!(
            again.vertices().len(),
            graph.vertices().iter().filter(is_there).count()
        );
    }
}

#[test]
fn what_starts_with_a_calc_waits_for_the_calc_before_it() {
    let graph = read(
        "num_ranks 2
rank 0 { a: calc 5000   b: calc 5000   c: send 8b to 1 tag 1   d: send 8b to 1 tag 2
c irequires b   d irequires a }
rank 1 { recv 8b from 0 tag 1   recv 8b from 0 tag 2 }",
    );
    let graph = graph.expect("it is right");
    // Vertices have the order of the file: b starts when a has ended, a at once.
    let after: Vec<usize> = graph.vertices()[..4]
        .iter()
        .map(|vertex| vertex.after.len())
        .collect();
    assert_eq!(after, [0, 0, 1, 0]);
    assert!(matches!(
        graph.vertices()[graph.vertices()[2].after[0].0].kind,
        Kind::Work { .. }
    ));
}

#[test]
fn comments_end_where_they_say_or_are_an_error() {
    let right = "num_ranks 1 /*/ calc */ // rank 0 { }\nrank 0 { /* a\n b */ calc 5 }";
    assert_eq!(read(right).expect("it is right").vertices().len(), 1);
    let open = read("num_ranks 1\nrank 0 { calc 5 /* }").expect_err("no end");
    assert_eq!(open.line, 2, "{open}");
    assert!(open.what.contains("comment"), "{open}");
}

/// Rank 1 works on what has come before it answers, and rank 0 beside its receive.
const WORK: &str = "num_ranks 2
rank 0 { a: send 8b to 1 tag 1   b: recv 8b from 1 tag 2   c: calc 70   d: calc 0   e: send 8b to 1 tag 3
c irequires b   d requires b   d requires c   e requires d }
rank 1 { a: recv 8b from 0 tag 1   b: calc 500   c: send 8b to 0 tag 2   d: recv 8b from 0 tag 3
b requires a   c requires b }";

#[test]
fn a_calc_is_work_of_a_host_between_messages() {
    let graph = read(WORK).expect("it is right");
    let before = memory(&graph);
    let after = interpret(&graph, &before, 1).expect("it ends");
    for protocol in [
        Protocol::Auto,
        Protocol::Eager,
        Protocol::Rendezvous,
        Protocol::Get,
        Protocol::Unmatched,
        Protocol::Literal,
    ] {
        let options = Options {
            protocol,
            ..Options::default()
        };
        let schedule = compile(&graph, &options).expect("it compiles");
        let plan = Plan::new(&schedule, Limits::NIC).expect("it fits");
        assert_eq!((plan.works(), plan.work_cycles), (2, 570), "{protocol:?}");
        for seed in 0..50 {
            let played = play(&schedule, &before, seed).expect("it ends");
            for (played, after) in played.iter().zip(&after) {
                assert_eq!(
                    played[..after.len()],
                    after[..],
                    "{protocol:?}, seed {seed}"
                );
            }
        }
    }
}

/// Ranks 1 and 2 race to the receives of rank 0, which answers both.
const RACE: &str = "num_ranks 3
rank 0 { a: recv 8b from -1 tag -1   b: recv 8b from -1   c: send 8b to 1   d: send 8b to 2
b requires a   c requires b   d requires b }
rank 1 { a: send 8b to 0 tag 0   b: recv 8b from -1 }
rank 2 { send 8b to 0   recv 8b from 0 tag -1 }";

#[test]
fn minus_1_is_any_source_and_any_tag() {
    let graph = read(RACE).expect("it is right");
    let any = |vertex: &&Vertex| matches!(vertex.kind, Kind::Recv { from: None, .. });
    assert_eq!(graph.vertices().iter().filter(any).count(), 3);
    let before = memory(&graph);
    let schedule = compile(&graph, &Options::default()).expect("it compiles");
    let first = |seed| {
        let end = play(&schedule, &before, seed).expect("it ends");
        // What rank 0 has received stands after what it sends.
        let came = [&end[0][64..72], &end[0][128..136]];
        let sent = [&before[1][..8], &before[2][..8]];
        assert!(came == sent || came == [sent[1], sent[0]], "seed {seed}");
        came == sent
    };
    let first: Vec<bool> = (0..50).map(first).collect();
    assert!(first.contains(&true) && first.contains(&false));
    let again = read(&write(&graph)).expect("it is right");
    assert_eq!(again.vertices().len(), graph.vertices().len());
    assert_eq!(again.vertices().iter().filter(any).count(), 3);
}

#[test]
fn a_graph_in_rounds_is_read_again_too() {
    for variant in VARIANTS {
        let graph = variant.build(&parameters(6)).expect("a graph").graph;
        let graph = in_rounds(&graph).expect("rounds");
        let again =
            read(&write(&graph)).unwrap_or_else(|error| panic!("{}: {error}", variant.collective));
        check(&again).expect("it ends");
    }
}

#[test]
fn a_task_may_require_one_below_it() {
    let text = "num_ranks 2
rank 0 { b: send 8b to 1 tag 2   a: send 8b to 1 tag 1   b requires a }
rank 1 { recv 8b from 0 tag 1   recv 8b from 0 tag 2 }";
    let graph = read(text).expect("it is right");
    let [first, second] = [0, 1].map(|number| &graph.vertices()[number]);
    assert!(matches!(first.kind, Kind::Send { tag: 1, .. }));
    assert_eq!(second.after.len(), 1);
}

#[test]
fn calculations_of_nothing_that_require_each_other_twice_take_no_time() {
    let mut text = "num_ranks 1\nrank 0 {\nc0: calc 5\n".to_owned();
    for number in 1..200 {
        let before = number - 1;
        let edge = format!("c{number} requires c{before}\n");
        text.push_str(&format!("c{number}: calc 0\n{edge}{edge}"));
    }
    text.push_str("end: calc 5\nend requires c199\n}");
    let graph = read(&text).expect("it is right");
    assert_eq!(graph.vertices().len(), 2);
    assert_eq!(graph.vertices()[1].after.len(), 1);
}

#[test]
fn faults_have_their_line() {
    let faults = [
        ("", "line 1: the file ends, num_ranks is missing"),
        ("num_ranks 0", "line 1: 0 ranks are not from 1 to 65536"),
        ("num_ranks 2\nrank 5 {}", "line 2: rank 5 is not below 2"),
        (
            "num_ranks 2\nrank 0 {}\nrank 0 {}",
            "line 3: rank 0 is there twice",
        ),
        (
            "num_ranks 2\nrank 0 {",
            "line 2: the file ends, a task or } is missing",
        ),
        (
            "num_ranks 2\nrank 0 {\na: jump 3\n}",
            "line 3: 'jump' is not send, recv, calc or a label",
        ),
        (
            "num_ranks 2\nrank 0 {\na: send xb to 1\n}",
            "line 3: 'xb' is not a size, as 64b",
        ),
        (
            "num_ranks 2\nrank 0 {\na: send 4b to 7\n}",
            "line 3: rank 7 does not exist",
        ),
        (
            "num_ranks 2\nrank 0 {\na: recv 4b from -2\n}",
            "line 3: '-2' is not a rank, or -1 for any",
        ),
        (
            "num_ranks 2\nrank 0 {\na: recv 4b from\n}",
            "line 4: '}' is not a rank, or -1 for any",
        ),
        (
            "num_ranks 2\nrank 0 {\na: send 4b to -1\n}",
            "line 3: '-1' is not a rank",
        ),
        (
            "num_ranks 2\nrank 0 {\na: send 4b to 1 tag -1\n}",
            "line 3: a send has one tag, not -1",
        ),
        (
            "num_ranks 2\nrank 0 {\na: calc 1\na requires b\n}",
            "line 4: no task above has the label 'b'",
        ),
        (
            "num_ranks 2\nrank 0 {\na: calc 1099511627777\n}",
            "line 3: 1099511627777 nanoseconds are more than 1099511627776",
        ),
        (
            "num_ranks 2\nrank 0 {\na: calc 1\na: calc 1\n}",
            "line 4: the label 'a' is there twice",
        ),
        (
            "num_ranks 2\nrank 0 {\na: calc 1\nb: calc 1\na requires b\nb irequires a }",
            "line 3: 'a' waits for itself",
        ),
        (
            "num_ranks 2\nrank 0 {\na: send 4b to 1 tag x\n}",
            "line 3: 'x' is not a tag",
        ),
    ];
    for (text, words) in faults {
        let error = read(text).expect_err(words).to_string();
        assert!(error.starts_with(words), "{error}");
    }
}
