//! The small configuration has contexts 0 and 1: what there is of them, and that there is nothing of contexts 2 and 3.

use xtq_testbench::cluster::{Cluster, ClusterError};
use xtq_testbench::host::{
    AckRequest, EventKind, NicPort, Process, ProcessConfig, ProcessId, Put, ptl_put,
};
use xtq_testbench::network::NetworkConfig;
use xtq_testbench::node::{Buffer, NodeConfig, NodeError, Top};
use xtq_types::register_list::{
    CONTEXT_REGISTERS, GLOBAL_REGISTERS, INITIATOR_REGISTERS, PORTAL_REGISTERS,
};
use xtq_types::register_map::{CONTEXTS, PORTALS, build, global, response};
use xtq_types::wire_header::ni_fail;

use super::fixture::{LANDING, LANDING_BYTES, SOURCE, SOURCE_BYTES, World, bind, config, pattern};

/// Two nodes with the small NIC, each with a process in this context and a buffer at its portal entry 0.
fn small(of_context: u8, seed: Option<u64>) -> World {
    let configs = [1, 2].map(|node| NodeConfig {
        top: Top::SmallNic,
        ..config(seed.map(|seed| seed + 1000 * node))
    });
    let mut cluster = Cluster::new(&configs, &NetworkConfig::default()).unwrap();
    let processes = [0, 1]
        .map(|node| {
            let process = ProcessConfig::default();
            let opened = Process::open(&mut cluster.port(node), of_context, &process).unwrap();
            let buffer = Buffer::new(LANDING, LANDING_BYTES);
            cluster.nodes_mut()[node]
                .post_buffer(of_context, 0, &buffer)
                .unwrap();
            opened
        })
        .into();
    let mut world = World { cluster, processes };
    world.write(0, SOURCE, &pattern(5000, 3));
    world.post(0, &[bind(0, SOURCE, SOURCE_BYTES)]);
    world.settle();
    world
}

/// Node 0 sends 5,000 bytes to this context of node 1; how that ended.
fn send(world: &mut World, to: u8) -> u8 {
    let put = ptl_put(&Put {
        length: 5000,
        ack: AckRequest::Ack,
        target: ProcessId {
            node: 1,
            context: to,
        },
        ..Put::default()
    });
    let told = world.run(0, &[put]);
    let acks: Vec<u8> = told
        .iter()
        .filter(|event| event.kind == EventKind::Ack)
        .map(|ack| ack.ni_fail)
        .collect();
    assert_eq!(acks.len(), 1, "{told:?}");
    acks[0]
}

/// What register reads at this address of node 1 answer, after this write if there is one.
fn answer(world: &mut World, address: u16, write: Option<u32>) -> u8 {
    let mut port = world.cluster.port(1);
    if let Some(value) = write {
        port.post(address, value);
    }
    let read = match write {
        Some(_) => global::VERSION as u16,
        None => address,
    };
    match port.read(read) {
        Ok(_) => response::OKAY,
        Err(ClusterError::Node {
            error: NodeError::Register { resp, .. },
            ..
        }) => resp,
        Err(other) => panic!("{other}"),
    }
}

/// Addresses of all registers of a context, and of its user id.
fn of_context(number: u32) -> Vec<u16> {
    let registers = CONTEXT_REGISTERS.into_iter().chain(INITIATOR_REGISTERS);
    let mut addresses: Vec<u16> = registers.map(|r| r.context_address(number)).collect();
    for portal in 0..PORTALS {
        addresses.extend(PORTAL_REGISTERS.map(|r| r.portal_address(number, portal)));
    }
    addresses.push((global::USER_ID + 4 * number) as u16);
    addresses
}

#[test]
fn messages_reach_both_contexts() {
    for context in [0, 1] {
        for seed in [None, Some(1), Some(2)] {
            let mut world = small(context, seed);
            for _ in 0..20 {
                assert_eq!(send(&mut world, context), ni_fail::OK);
            }
            let landed = world.read(1, LANDING, 20 * 5000);
            assert_eq!(landed, pattern(5000, 3).repeat(20), "{context}, {seed:?}");
        }
    }
}

#[test]
fn a_message_to_a_context_that_is_not_there_is_refused_and_touches_nothing() {
    let mut world = small(1, Some(7));
    for to in [2, 3, 0, 2, 3] {
        // Context 0 is there, and not open.
        assert_eq!(send(&mut world, to), ni_fail::UNDELIVERABLE, "{to}");
    }
    for context in 0..4 {
        let memory = world.cluster.nodes()[1].memory.memory(context);
        assert_eq!(memory.pages().count(), 0, "context {context}");
    }
    assert_eq!(send(&mut world, 1), ni_fail::OK, "the others go on");
}

#[test]
fn the_registers_of_contexts_that_are_not_there_do_not_exist() {
    let mut world = small(0, None);
    let read_build = |world: &mut World| world.cluster.port(1).read(global::BUILD as u16);
    assert_eq!(read_build(&mut world).unwrap(), build(2, false));
    for register in GLOBAL_REGISTERS {
        let known = answer(&mut world, register.global_address(), None);
        assert_ne!(known, response::DECERR, "{}", register.name);
    }
    for context in 0..CONTEXTS {
        let there = context < 2;
        for address in of_context(context) {
            let read = answer(&mut world, address, None);
            assert_eq!(read != response::DECERR, there, "read {address:#06x}");
            if !there {
                let write = answer(&mut world, address, Some(1));
                assert_eq!(write, response::DECERR, "write {address:#06x}");
            }
        }
    }
    // What was written there has opened nothing, in these contexts or in others.
    for context in [1, 2, 3] {
        assert_eq!(send(&mut world, context), ni_fail::UNDELIVERABLE);
    }
    assert_eq!(send(&mut world, 0), ni_fail::OK);
}
