//! The graph of docs/how-to/collective.md: it compiles, fits, and runs.

use std::error::Error;
use std::path::Path;
use xtq_cdag::arithmetic::{Datatype, Operation};
use xtq_cdag::compile::{Options, compile};
use xtq_cdag::emit::{Contents, Surroundings, emit};
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
    let scenario = emit(&schedule, &plan, contents, &surroundings);
    let File::Nodes(nodes) = parse_file("the schedule", &scenario, Path::new("."))? else {
        return Err("it has no nodes".into());
    };
    let report = NodesRun::new(nodes, EngineKind::default())?.finish();
    assert!(report.passed, "{} {:?}", report.failure, report.differences);
    Ok(())
}
