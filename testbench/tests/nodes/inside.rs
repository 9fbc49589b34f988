//! Messages of a node to itself: they do not leave it, work like others, keep their order, and are in the report.

use std::path::Path;

use xtq_engine::EngineKind;
use xtq_testbench::cluster::Cluster;
use xtq_testbench::host::{
    AckRequest, Md, MemoryDescriptor, Process, ProcessConfig, ProcessId, Pt, Put, md_option,
    ptl_md_bind, ptl_put,
};
use xtq_testbench::network::NetworkConfig;
use xtq_testbench::node::{Buffer, Node, NodeConfig, Top};
use xtq_testbench::scenario::nodes::MessageRow;
use xtq_testbench::scenario::{File, NodesReport, NodesRun, parse_file};

fn report(text: &str) -> NodesReport {
    let Ok(File::Nodes(plan)) = parse_file("a test", text, Path::new("")) else {
        panic!("no scenario of nodes");
    };
    let report = NodesRun::new(plan, EngineKind::default()).unwrap().finish();
    assert!(report.passed, "{} {:?}", report.failure, report.differences);
    report
}

/// The scenario with random memories and a network that delays some packets; 0: as it is.
fn everything(seed: u64) -> NodesReport {
    let text = include_str!("inside.toml");
    if seed == 0 {
        return report(text);
    }
    let network = format!("[network]\njitter = 60\nseed = {seed}\n\n[[nodes]]\nname = \"a\"");
    let memory = |name: &str, seed: u64| {
        format!("name = \"{name}\"\nmemory = {{ timing = \"random\", seed = {seed} }}\n")
    };
    let text = text.replacen("[[nodes]]\nname = \"a\"", &network, 1);
    let text = text.replacen("name = \"a\"\n", &memory("a", seed), 1);
    report(&text.replacen("name = \"b\"\n", &memory("b", seed + 1), 1))
}

fn to_itself(report: &NodesReport) -> Vec<&MessageRow> {
    let rows = report.messages.iter();
    rows.filter(|row| row.from == row.to).collect()
}

#[test]
fn every_operation_works_with_oneself_under_the_traffic_of_others_and_in_order() {
    for seed in 0..6 {
        let report = everything(seed);
        let rows = to_itself(&report);
        assert_eq!(rows.len(), 10);
        for row in &rows {
            assert_eq!(row.status, "ok", "{seed}: {row:?}");
            assert!(
                row.first_beat < row.arrived && row.arrived < row.admitted,
                "{seed}: {row:?}"
            );
            assert!(row.acknowledged > row.admitted, "{seed}: {row:?}");
            assert!(row.event.is_some(), "{seed}: {row:?}");
        }
        // They are received, and decided about, in the order in which they were sent.
        assert!(rows.is_sorted_by_key(|row| row.first_beat), "{seed}");
        assert!(rows.is_sorted_by_key(|row| row.arrived), "{seed}");
        assert!(rows.is_sorted_by_key(|row| row.admitted), "{seed}");
        let task = rows.iter().find(|row| row.name == "task").unwrap();
        assert!(
            task.doorbell < task.launched && task.launched < task.signal,
            "{seed}"
        );
        // Out go four packets of puts and three acknowledgements, inside twelve of requests and twelve of answers.
        let own = &report.nodes[0];
        assert_eq!((own.packets_sent, own.packets_inside), (7, 24), "{seed}");
        assert_eq!(
            (report.nodes[1].packets_sent, report.nodes[1].packets_inside),
            (11, 0)
        );
    }
}

/// Two nodes with a buffer at portal entry 0 and a descriptor over 4,096 bytes; node 0 has done these puts of so many
/// bytes to these nodes, one after the other.
fn puts(puts: &[(u64, u16)]) -> Cluster<Node> {
    let config = NodeConfig {
        top: Top::Nic,
        register_gaps: 0.0,
        ..NodeConfig::default()
    };
    let network = NetworkConfig::default();
    let mut cluster = Cluster::new(&[config.clone(), config], &network).unwrap();
    let mut processes = Vec::new();
    for node in 0..2 {
        let mut port = cluster.port(node);
        processes.push(Process::open(&mut port, 0, &ProcessConfig::default()).unwrap());
        let buffer = Buffer::new(0x4000_0000, 0x10_0000);
        cluster.nodes_mut()[node]
            .post_buffer(0, 0, &buffer)
            .unwrap();
    }
    let descriptor = MemoryDescriptor {
        md: Md(0),
        start: 0x2000_0000,
        length: 0x1_0000,
        options: md_option::EVENTS,
        counter: None,
    };
    let mut run = |command| {
        let mut port = cluster.port(0);
        processes[0].post_all(&mut port, &[command]).unwrap();
        cluster.run_to_quiescence(10_000).unwrap();
    };
    run(ptl_md_bind(&descriptor));
    for (length, node) in puts {
        run(ptl_put(&Put {
            md: Md(0),
            length: *length,
            ack: AckRequest::Ack,
            target: ProcessId {
                node: *node,
                context: 0,
            },
            pt_index: Pt(0),
            ..Put::default()
        }));
    }
    cluster
}

#[test]
fn a_put_to_oneself_arrives_a_cycle_after_it_was_sent_and_one_over_the_network_after_40() {
    let cluster = puts(&[(64, 1), (64, 0)]);
    let lines = cluster.timelines();
    let packets = cluster.nodes()[0].acknowledgements();
    let over = &packets[0];
    let way = |from: u64, to: Option<u64>| to.unwrap() - from;
    assert_eq!(way(over.first_cycle, lines[1][0].arrived), 40);
    // The acknowledgements come to node 0: first that of the network's, then the put and its own.
    let [own_put, own_ack] = cluster.nodes()[0].inside() else {
        panic!("a put and its acknowledgement");
    };
    assert_eq!(way(own_put.packet.first_cycle, own_put.arrived), 1);
    assert_eq!(way(own_ack.packet.first_cycle, own_ack.arrived), 1);
    // From the header beat of the put to that of its acknowledgement, at the sender.
    let answered = lines[0][0].arrived;
    let (network, own) = (
        way(over.first_cycle, answered),
        way(own_put.packet.first_cycle, own_ack.arrived),
    );
    assert_eq!(network - own, 2 * (40 - 1));
    assert_eq!(own, ROUND);
    // What the memory does takes as long as over the network.
    assert_eq!(
        way(lines[1][0].arrived.unwrap(), lines[1][0].done),
        way(lines[0][1].arrived.unwrap(), lines[0][1].done)
    );
}

/// Cycles from the header beat of a put of 64 bytes to oneself to that of its acknowledgement, both at the sender.
const ROUND: u64 = 31;

#[test]
fn the_network_carries_nothing_of_a_node_to_itself() {
    let cluster = puts(&[(10_000, 0), (64, 0)]);
    let node = &cluster.nodes()[0];
    assert_eq!(cluster.network().log(), []);
    assert_eq!(cluster.network().ports()[0].bytes(), (0, 0));
    assert_eq!((node.packets_sent(), node.packets_inside()), (0, 6));
    assert_eq!(node.transmitted(), Vec::<Vec<u8>>::new());
    // Three packets of the long one with their headers, its acknowledgement, and so on.
    let bytes: Vec<usize> = node
        .inside()
        .iter()
        .map(|inside| inside.packet.bytes.len())
        .collect();
    assert_eq!(bytes, [64 + 4096, 64 + 4096, 64 + 1808, 64, 64 + 64, 64]);
}
