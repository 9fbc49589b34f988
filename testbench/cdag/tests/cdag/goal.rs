//! GOAL text: read, written, and what is wrong in it.

use crate::common::parameters;
use xtq_cdag::check::check;
use xtq_cdag::collectives::VARIANTS;
use xtq_cdag::compile::{Options, compile};
use xtq_cdag::goal::{memory, read, write};
use xtq_cdag::interpret::interpret;
use xtq_cdag::machine::play;

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
    assert_eq!((graph.ranks(), graph.vertices().len()), (3, 6));
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
    // What rank 2 has from rank 1, behind what it has from rank 0 and its own empty buffer.
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
        let is_message = |vertex: &&xtq_cdag::graph::Vertex| {
            !matches!(vertex.kind, xtq_cdag::graph::Kind::Local { .. })
        };
        assert_eq!(
            again.vertices().len(),
            graph.vertices().iter().filter(is_message).count()
        );
    }
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
            "num_ranks 2\nrank 0 {\na: recv 4b from -1\n}",
            "line 3: '-1' is not a rank; any source is not supported",
        ),
        (
            "num_ranks 2\nrank 0 {\na: calc 1\na requires b\n}",
            "line 4: no task above has the label 'b'",
        ),
        (
            "num_ranks 2\nrank 0 {\na: calc 1\na: calc 1\n}",
            "line 4: the label 'a' is there twice",
        ),
        (
            "num_ranks 2\nrank 0 {\na: calc 1\nb: calc 1\na requires b }",
            "line 3: 'a' requires 'b', which is not above it",
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
