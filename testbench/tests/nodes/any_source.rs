//! Receives from any source on real NICs: ranks race, the NIC that the messages come to matches them, and no host acts
//! after the start. Messages are named by their bytes, so memory shows the matching; MPI must allow it.

use std::path::Path;
use xtq_cdag::compile::{Flaw, Options, Protocol, compile};
use xtq_cdag::emit::{BASE, Backend, Contents, Surroundings, emit};
use xtq_cdag::error::GraphError;
use xtq_cdag::graph::{ANY_TAG, Graph, Kind, VertexId};
use xtq_cdag::legal;
use xtq_cdag::plan::{Limits, Plan};
use xtq_cdag::schedule::{Action, Schedule, Triggered};
use xtq_engine::{Engine, EngineKind};
use xtq_testbench::bytes::Bytes;
use xtq_testbench::node::Stores;
use xtq_testbench::scenario::{File, NodesRun, parse_file};
use xtq_types::register_map::context;

/// Memories of the nodes.
const MEMORIES: [&str; 3] = [
    "{ timing = \"ideal\" }",
    "{ timing = \"fixed\", read_latency = [5, 90], write_latency = [5, 90], reorder = true, beats = [1, 3], seed = 3 }",
    "{ timing = \"random\", seed = 4 }",
];

/// A network that holds packets up.
fn network(seed: u64) -> String {
    format!("latency = 3, bandwidth = [25, 2], switch_latency = 20, jitter = 300, seed = {seed}")
}

/// Bytes of the name of a message: the number of its send, from 1.
const NAME: usize = 8;

/// Adds a send of bytes of its own.
fn send(graph: &mut Graph, rank: usize, bytes: u64, tag: u32, after: &[VertexId]) -> VertexId {
    let from = graph.buffer(rank, bytes).expect("memory");
    let id = graph.send(rank, from, 0, tag).expect("a send");
    edges(graph, id, after)
}

/// Adds a receive of rank 0 into bytes of its own.
fn recv(
    graph: &mut Graph,
    from: Option<usize>,
    bytes: u64,
    tag: Option<u32>,
    after: &[VertexId],
) -> VertexId {
    let into = graph.buffer(0, bytes).expect("memory");
    let id = match from {
        Some(from) => graph.recv(0, into, from, tag),
        None => graph.recv_from_any(0, into, tag),
    };
    edges(graph, id.expect("a receive"), after)
}

fn edges(graph: &mut Graph, id: VertexId, after: &[VertexId]) -> VertexId {
    let mut after = after.iter();
    after
        .try_for_each(|before| graph.after(id, *before))
        .expect("edges");
    id
}

/// Each rank but the first sends it two messages, and one of another tag and length; it receives one after the other
/// from any rank, and in between from rank 1 alone.
fn race(ranks: usize) -> Graph {
    let mut graph = Graph::new(ranks).expect("ranks");
    let mut last = vec![recv(&mut graph, Some(1), 24, Some(9), &[])];
    send(&mut graph, 1, 24, 9, &[]);
    for rank in 1..ranks {
        let first = send(&mut graph, rank, 64, 3, &[]);
        let second = send(&mut graph, rank, 64, 3, &[first]);
        send(&mut graph, rank, 5000, 4, &[second]);
        last = vec![recv(&mut graph, None, 64, Some(3), &last)];
        last = vec![recv(&mut graph, None, 64, ANY_TAG, &last)];
        recv(&mut graph, None, 5000, ANY_TAG, &[]);
    }
    graph
}

/// Memory in which each message has its name.
fn named(graph: &Graph) -> Vec<Vec<u8>> {
    let sizes = (0..graph.ranks()).map(|rank| graph.memory(rank) as usize);
    let mut memory: Vec<Vec<u8>> = sizes.map(|size| vec![0; size]).collect();
    for (number, vertex) in graph.vertices().iter().enumerate() {
        if let Kind::Send { bytes, .. } = vertex.kind {
            let name = (number as u64 + 1).to_le_bytes();
            for place in 0..bytes.length as usize {
                memory[vertex.rank][bytes.at as usize + place] = name[place % NAME];
            }
        }
    }
    memory
}

/// Runs it; gives the matching, and the names of the messages in the order of rank 0's memory.
fn matched(
    graph: &Graph,
    options: &Options,
    surroundings: &Surroundings,
) -> (Vec<Option<VertexId>>, NodesRun, Schedule, Plan) {
    let schedule = compile(graph, options).expect("it compiles");
    let plan = Plan::new(&schedule, Limits::NIC).expect("it fits");
    let before = named(graph);
    let nothing = vec![Vec::new(); graph.ranks()];
    let contents = Contents {
        before: &before,
        after: &nothing,
    };
    let text = emit(&schedule, &plan, contents, surroundings).expect("a scenario");
    let file = parse_file("the schedule", &text, Path::new("."));
    let Ok(File::Nodes(nodes)) = file else {
        panic!("{}: {:?}", surroundings.title, file.err());
    };
    let mut run = NodesRun::new(nodes, EngineKind::default()).expect("it is built");
    let report = run.finish();
    assert!(report.passed, "{}: {}", surroundings.title, report.failure);
    let mut partner = vec![None; graph.vertices().len()];
    for (number, vertex) in graph.vertices().iter().enumerate() {
        if let Kind::Recv { bytes, .. } = vertex.kind {
            let mut came = vec![0; bytes.length as usize];
            let memory = run.node(vertex.rank).expect("a node").memory.memory(0);
            memory.read(BASE + bytes.at, &mut came);
            let name = u64::from_le_bytes(came[..NAME].try_into().expect("8 bytes"));
            let named = name.to_le_bytes();
            let mut whole = came.iter().zip(named.iter().cycle());
            assert!(whole.all(|(one, other)| one == other), "{number}: {came:?}");
            let send = (name as usize).checked_sub(1).expect("a name");
            partner[number] = Some(VertexId(send));
            partner[send] = Some(VertexId(number));
        }
    }
    assert_eq!(
        legal::fault(graph, &partner),
        None,
        "{}",
        surroundings.title
    );
    (partner, run, schedule, plan)
}

/// Nothing but the NICs has worked since the start, and they have used what was planned.
fn is_offloaded(title: &str, run: &mut NodesRun, schedule: &Schedule, plan: &Plan) {
    let barrier = usize::from(schedule.barrier);
    for (rank, needs) in plan.needs.iter().enumerate() {
        let node = run.node_mut(rank).expect("a node");
        let mut register = |register: u32| {
            let address = (context::PAGE_BYTES + register) as u16;
            node.read_register(address).expect("a register") as usize
        };
        let triggered = schedule.programs[rank].triggered.iter();
        let appends = |one: &&Triggered| matches!(one.action, Action::Append { .. });
        let appended = triggered.filter(appends).count();
        let objects = needs.counters + needs.descriptors + needs.entries - appended;
        // The portal entry, the end, the report that all is posted, the start; a report more with a barrier.
        let commands = 4 + barrier + objects + needs.triggered;
        assert_eq!(
            register(context::CQ_HEAD),
            commands,
            "{title}: commands of {rank}"
        );
        // Figure 6 sends to find out, and what nobody takes is dropped.
        let dropped = register(context::DROP_COUNT);
        assert_eq!(
            dropped > 0,
            appended > 0,
            "{title}: {dropped} dropped by {rank}"
        );
        assert_eq!(
            register(context::EQ_DROPPED),
            0,
            "{title}: events lost by {rank}"
        );
        let engine: &dyn Engine = node.engine();
        let stores = Stores::find(engine).expect("the stores of the NIC");
        let is_used = |entry: &u16| stores.is_used(engine, 0, *entry).expect("an entry");
        let once = schedule.programs[rank]
            .entries
            .iter()
            .filter(|entry| entry.once);
        // Each receive from any has had its message, and its entry is gone.
        assert_eq!(
            (0..64).filter(is_used).count(),
            needs.entries - once.count() - appended,
            "{title}: entries of {rank}"
        );
        let waiting = |counter| stores.waiting(engine, 0, counter).expect("a counter");
        assert_eq!(
            (0..64).map(waiting).sum::<usize>(),
            0,
            "{title}: left of {rank}"
        );
    }
    assert_eq!(
        (plan.late_posts(), plan.works()),
        (0, 0),
        "{title}: host actions"
    );
}

/// Races on so many nodes; gives how many matchings came out.
fn races(ranks: usize, seeds: u64) -> usize {
    let graph = race(ranks);
    let mut outcomes = Vec::new();
    for seed in 0..seeds {
        for protocol in [Protocol::Auto, Protocol::Eager] {
            let title = format!("{ranks} ranks, {protocol:?}, seed {seed}");
            let options = Options {
                protocol,
                barrier: seed % 2 == 0,
                schedule: seed,
                ..Options::default()
            };
            let surroundings = Surroundings {
                title: title.clone(),
                network: network(seed + 1),
                memory: MEMORIES[seed as usize % MEMORIES.len()].to_owned(),
                max_cycles: 400_000,
                late: (0..ranks as u64)
                    .map(|rank| rank * 7919 * (seed + 1) % 1500)
                    .collect(),
                ..Surroundings::default()
            };
            let (partner, mut run, schedule, plan) = matched(&graph, &options, &surroundings);
            is_offloaded(&title, &mut run, &schedule, &plan);
            outcomes.push(partner);
        }
    }
    outcomes.sort_unstable();
    outcomes.dedup();
    outcomes.len()
}

#[test]
fn two_and_three_ranks_race_on_nics() {
    assert_eq!(races(2, 3), 1);
    assert!(races(3, 6) > 1);
}

#[test]
fn five_and_eight_ranks_race_on_nics() {
    assert!(races(5, 3) > 1);
    assert!(races(8, 2) > 1);
}

#[test]
fn matched_beforehand_or_by_hosts_it_is_legal_too() {
    let graph = race(3);
    for (protocol, backend) in [
        (Protocol::Rendezvous, Backend::Offloaded),
        (Protocol::Get, Backend::Offloaded),
        (Protocol::Literal, Backend::Offloaded),
        (Protocol::Unmatched, Backend::Offloaded),
        (Protocol::Auto, Backend::Host),
        (Protocol::Eager, Backend::Host),
    ] {
        let options = Options {
            protocol,
            ..Options::default()
        };
        let surroundings = Surroundings {
            title: format!("{protocol:?}, {backend:?}"),
            network: network(5),
            max_cycles: 400_000,
            late: vec![900, 0, 300],
            backend,
            ..Surroundings::default()
        };
        matched(&graph, &options, &surroundings);
    }
}

/// A chain of ranks and back, whoever is there first: figure 6. Two messages are longer than a packet.
fn there_and_back(ranks: usize) -> Graph {
    let mut graph = Graph::new(ranks).expect("ranks");
    let mut before = Vec::new();
    let way = (0..ranks - 1).map(|rank| (rank, rank + 1));
    let back = (0..ranks - 1).rev().map(|rank| (rank + 1, rank));
    for (number, (from, to)) in way.chain(back).enumerate() {
        let bytes = [40, 5000][number % 2];
        let source = graph.buffer(from, bytes).expect("memory");
        let id = graph.send(from, source, to, number as u32).expect("a send");
        edges(&mut graph, id, &before);
        let into = graph.buffer(to, bytes).expect("memory");
        let recv = graph.recv(to, into, from, Some(number as u32));
        before = vec![recv.expect("a receive")];
    }
    graph
}

/// With entries in the wrong order the same run shows it.
#[test]
#[should_panic(expected = "overtakes")]
fn a_list_in_the_wrong_order_shows_on_nics() {
    let options = Options {
        flaw: Some(Flaw::ListOrder),
        ..Options::default()
    };
    let surroundings = Surroundings {
        max_cycles: 400_000,
        ..Surroundings::default()
    };
    matched(&race(3), &options, &surroundings);
}

#[test]
fn hosts_have_no_order_for_figure_6() {
    let options = Options {
        protocol: Protocol::Unmatched,
        ..Options::default()
    };
    let schedule = compile(&there_and_back(2), &options).expect("it compiles");
    let plan = Plan::new(&schedule, Limits::NIC).expect("it fits");
    let surroundings = Surroundings {
        backend: Backend::Host,
        ..Surroundings::default()
    };
    let nothing = Contents {
        before: &[],
        after: &[],
    };
    let refused = emit(&schedule, &plan, nothing, &surroundings);
    assert!(matches!(refused, Err(GraphError::NoHostOrder)));
}

#[test]
fn figure_6_runs_on_nics_whoever_is_first() {
    for (ranks, seed) in [(2, 0), (3, 1), (5, 2), (8, 3)] {
        let graph = there_and_back(ranks);
        for late in [0, 2000] {
            let title = format!("figure 6, {ranks} ranks, {late} cycles late");
            let options = Options {
                protocol: Protocol::Unmatched,
                barrier: seed % 2 == 0,
                ..Options::default()
            };
            let surroundings = Surroundings {
                title: title.clone(),
                network: network(seed + 1),
                memory: MEMORIES[seed as usize % MEMORIES.len()].to_owned(),
                max_cycles: 400_000,
                late: (0..ranks as u64)
                    .map(|rank| (rank + seed) % 2 * late)
                    .collect(),
                ..Surroundings::default()
            };
            let (_, mut run, schedule, plan) = matched(&graph, &options, &surroundings);
            is_offloaded(&title, &mut run, &schedule, &plan);
        }
    }
}
