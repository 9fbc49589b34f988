//! Graphs of one's own: that of docs/how-to/collective.md compiles, fits, and runs; one in which hosts work takes as
//! long as they do.

use std::error::Error;
use std::path::Path;
use xtq_cdag::arithmetic::{Datatype, Operation};
use xtq_cdag::compile::{Options, compile};
use xtq_cdag::emit::{Backend, Contents, Surroundings, emit};
use xtq_cdag::flow::Flow;
use xtq_cdag::graph::Graph;
use xtq_cdag::interpret::interpret;
use xtq_cdag::machine::play;
use xtq_cdag::plan::{Limits, Plan};
use xtq_engine::EngineKind;
use xtq_testbench::scenario::{File, NodesRun, parse_file};

fn graph(ranks: usize) -> Result<Graph, Box<dyn Error>> {
    let mut flow = Flow::new(ranks)?;
    let own = flow.buffers(64)?;
    let sum = flow.buffers(64)?;
    for (rank, sum) in sum.iter().enumerate() {
        for neighbour in [
            rank.checked_sub(1),
            Some(rank + 1).filter(|next| *next < ranks),
        ] {
            let Some(neighbour) = neighbour else { continue };
            let scratch = flow.scratch(rank, 64)?;
            flow.message((neighbour, own[neighbour]), (rank, scratch))?;
            flow.op(rank, (Operation::Sum, Datatype::Uint32), scratch, *sum)?;
        }
    }
    Ok(flow.into_graph())
}

#[test]
fn a_collective_of_ones_own_runs_on_the_nics() -> Result<(), Box<dyn Error>> {
    let ranks = 4;
    let graph = graph(ranks)?;
    let memory = vec![vec![1; 128]; ranks];
    let schedule = compile(&graph, &Options::default())?;
    let plan = Plan::new(&schedule, Limits::NIC)?;
    assert_eq!(plan.worst().triggered, 2, "an ATOMIC for each neighbour");
    let end = interpret(&graph, &memory, 1)?;
    assert_eq!(end[1][64..68], [3, 3, 3, 3], "its own and two neighbours'");
    let memory: Vec<Vec<u8>> = memory;
    for seed in 0..20 {
        let played = play(&schedule, &memory, seed)?;
        assert!(
            played
                .iter()
                .zip(&end)
                .all(|(played, end)| played[..128] == end[..128]),
            "seed {seed}"
        );
    }
    let after: Vec<Vec<(u64, Vec<u8>)>> = end
        .iter()
        .map(|end| vec![(0, end[..128].to_vec())])
        .collect();
    let contents = Contents {
        before: &memory,
        after: &after,
    };
    let surroundings = Surroundings {
        max_cycles: 100_000,
        ..Surroundings::default()
    };
    let scenario = emit(&schedule, &plan, contents, &surroundings)?;
    let File::Nodes(nodes) = parse_file("the schedule", &scenario, Path::new("."))? else {
        return Err("it has no nodes".into());
    };
    let report = NodesRun::new(nodes, EngineKind::default())?.finish();
    assert!(report.passed, "{} {:?}", report.failure, report.differences);
    Ok(())
}

/// Rank 0 sends, rank 1 works so long `times` times, one after the other, then it answers, and sends `more` messages.
/// Gives the cycles of the run.
fn ping_work_pong(
    backend: Backend,
    times: usize,
    cycles: u64,
    more: usize,
) -> Result<u64, Box<dyn Error>> {
    let mut graph = Graph::new(2)?;
    let (there, back) = (graph.buffer(0, 64)?, graph.buffer(0, 64)?);
    let here = graph.buffer(1, 64)?;
    graph.send(0, there, 1, 1)?;
    graph.recv(0, back, 1, Some(2))?;
    let mut last = graph.recv(1, here, 0, Some(1))?;
    for _ in 0..times {
        let work = graph.work(1, cycles)?;
        graph.after(work, last)?;
        last = work;
    }
    let answer = graph.send(1, here, 0, 2)?;
    graph.after(answer, last)?;
    for _ in 0..more {
        let into = graph.buffer(0, 8)?;
        graph.recv(0, into, 1, Some(3))?;
        let send = graph.send(1, here.part(0, 8), 0, 3)?;
        graph.after(send, last)?;
    }
    let schedule = compile(&graph, &Options::default())?;
    let plan = Plan::new(&schedule, Limits::NIC)?;
    assert_eq!(plan.works(), times);
    assert_eq!(plan.late_posts() > 0, more > 125);
    let bytes = |rank| (0..graph.memory(rank)).map(|place| place as u8).collect();
    let memory: Vec<Vec<u8>> = vec![bytes(0), bytes(1)];
    let after = vec![vec![(64, memory[1][..64].to_vec())], Vec::new()];
    let contents = Contents {
        before: &memory,
        after: &after,
    };
    let surroundings = Surroundings {
        max_cycles: 400_000,
        backend,
        ..Surroundings::default()
    };
    let scenario = emit(&schedule, &plan, contents, &surroundings)?;
    let File::Nodes(nodes) = parse_file("the schedule", &scenario, Path::new("."))? else {
        return Err("it has no nodes".into());
    };
    let report = NodesRun::new(nodes, EngineKind::default())?.finish();
    assert!(report.passed, "{} {:?}", report.failure, report.differences);
    Ok(report.cycles)
}

#[test]
fn work_of_hosts_takes_its_time_on_both_backends() -> Result<(), Box<dyn Error>> {
    for backend in [Backend::Offloaded, Backend::Host] {
        let [short, long] = [1, 10_001].map(|cycles| ping_work_pong(backend, 3, cycles, 0));
        let more = long? - short?;
        // Barriers and reports are looked at once in some cycles, so it is not exact.
        assert!((29_900..30_200).contains(&more), "{backend:?}: {more}");
    }
    // More than fits at once: work is done between the windows.
    ping_work_pong(Backend::Offloaded, 3, 10, 300)?;
    Ok(())
}

/// Without spaces and last commas, which rustfmt writes.
fn squeezed(code: &str) -> String {
    let code: String = code.split_whitespace().collect();
    code.replace(",]", "]").replace(",)", ")")
}

#[test]
fn the_page_shows_this_graph() {
    let page = concat!(
        env!("CARGO_MANIFEST_DIR"),
        "/../../docs/how-to/collective.md"
    );
    let page = std::fs::read_to_string(page).expect("the page");
    let block = page.split("```rust\n").nth(1).expect("a block of code");
    let block = block.split("```").next().expect("its end");
    let shown: Vec<&str> = block.lines().collect();
    let graph = shown.split_last().map_or(&[][..], |(_, graph)| graph);
    assert!(graph.len() > 8, "{block}");
    let graph = squeezed(&graph.join("\n"));
    assert!(
        squeezed(include_str!("own_collective.rs")).contains(&graph),
        "{graph}"
    );
}
