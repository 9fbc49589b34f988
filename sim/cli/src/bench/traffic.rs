//! Recorded inputs of one NIC: saturated, and nearly idle; of the target side alone, and of the whole NIC.

use super::BenchError;
use xtq_engine::Tape;
use xtq_testbench::bus::MemoryTiming;
use xtq_testbench::cluster::Cluster;
use xtq_testbench::contract::{ContractError, Target, Way, smallest};
use xtq_testbench::host::{
    AckRequest, MatchEntry, Md, Me, MemoryDescriptor, Process, ProcessConfig, ProcessId, Pt, Put,
    me_option, portal_option, ptl_md_bind, ptl_me_append, ptl_pt_alloc, ptl_put,
};
use xtq_testbench::network::NetworkConfig;
use xtq_testbench::node::{Node, NodeConfig, Top};

/// Cycles from a write's last beat to its answer.
const MEMORY_CYCLES: u32 = 20;
/// Cycles after which the consumer has read all packets.
const CONSUMER_CYCLES: u64 = 256;
/// Cycles between the messages of nearly idle traffic.
const IDLE_CYCLES: u64 = 2_000;

/// Inputs, and what they are the inputs of.
pub struct Traffic {
    /// What it is called.
    pub name: &'static str,
    /// The block.
    pub top: Top,
    /// Whether messages come only now and then.
    pub is_idle: bool,
    /// Inputs of every cycle.
    pub tape: Tape,
}

/// Name of a traffic of the target side.
pub const SATURATED: &str = "saturated";
/// Name of a traffic of the target side.
pub const IDLE: &str = "nearly idle";
/// Name of a traffic of the whole NIC.
pub const NIC_SATURATED: &str = "whole NIC, saturated";
/// Name of a traffic of the whole NIC.
pub const NIC_IDLE: &str = "whole NIC, nearly idle";

/// All traffic: so many smallest XTQ messages (packet, 64 bytes of arguments, 64 bytes of payload) back to back, and so
/// many one every 2,000 cycles. To the whole NIC they come through match lists; its nearly idle traffic are puts of its
/// own, to another node that acknowledges them. Errors: of the nodes.
pub fn all(saturated: u16, idle: u16) -> Result<Vec<Traffic>, BenchError> {
    let record = |name, top, tape: Result<Tape, ContractError>| {
        let tape = tape.map_err(|error| BenchError::new(name, error))?;
        let is_idle = name == IDLE || name == NIC_IDLE;
        Ok::<_, BenchError>(Traffic {
            name,
            top,
            is_idle,
            tape,
        })
    };
    let target = |messages, distance| messages_to(Top::Target, Way::Buffer, messages, distance);
    Ok(vec![
        record(SATURATED, Top::Target, target(saturated, 0))?,
        record(IDLE, Top::Target, target(idle, IDLE_CYCLES))?,
        record(
            NIC_SATURATED,
            Top::Nic,
            messages_to(Top::Nic, Way::Lists, saturated, 0),
        )?,
        record(NIC_IDLE, Top::Nic, puts_from_a_node(idle))?,
    ])
}

fn messages_to(top: Top, way: Way, messages: u16, distance: u64) -> Result<Tape, ContractError> {
    let timing = MemoryTiming::fixed_write(MEMORY_CYCLES);
    let mut target = Target::recorded(top, way, timing)?;
    let start = target.node.cycle_count();
    for id in 0..messages {
        target.send_at(start + u64::from(id) * distance, &smallest(id));
    }
    let mut cycles = 0;
    while !target.node.all_received() || target.node.trace().under_way() > 0 {
        target.node.cycle()?;
        cycles += 1;
        if cycles % CONSUMER_CYCLES == 0 {
            target.drain();
        }
    }
    Ok(tape(&mut target.node))
}

/// What was recorded.
fn tape(node: &mut Node) -> Tape {
    // Recording was begun.
    let tape = node.take_tape();
    tape.unwrap_or_else(|| Tape::new(node.engine()))
}

/// Puts of 64 bytes into a list of another node, one every 2,000 cycles.
fn puts_from_a_node(messages: u16) -> Result<Tape, ContractError> {
    const LISTS: Pt = Pt(20);
    let config = NodeConfig {
        timing: MemoryTiming::fixed_write(MEMORY_CYCLES),
        top: Top::Nic,
        ..NodeConfig::default()
    };
    let mut cluster = Cluster::new(&[config.clone(), config], &NetworkConfig::default())?;
    cluster.nodes_mut()[0].record();
    let config = ProcessConfig::default();
    let mut sender = Process::open(&mut cluster.port(0), 0, &config)?;
    let mut receiver = Process::open(&mut cluster.port(1), 0, &config)?;
    let entry = MatchEntry {
        me: Me(0),
        pt_index: LISTS,
        start: 0x4000_0000,
        length: 1 << 20,
        options: me_option::OP_PUT | me_option::COMM_DISABLE,
        ..MatchEntry::default()
    };
    let commands = [
        ptl_pt_alloc(LISTS, portal_option::MATCHING),
        ptl_me_append(&entry),
    ];
    receiver.post_all(&mut cluster.port(1), &commands)?;
    let descriptor = MemoryDescriptor {
        md: Md(0),
        start: 0x2000_0000,
        length: 64,
        ..MemoryDescriptor::default()
    };
    sender.post_all(&mut cluster.port(0), &[ptl_md_bind(&descriptor)])?;
    let put = ptl_put(&Put {
        length: 64,
        ack: AckRequest::Ack,
        target: ProcessId {
            node: 1,
            context: 0,
        },
        pt_index: LISTS,
        ..Put::default()
    });
    for _ in 0..messages {
        sender.post_all(&mut cluster.port(0), std::slice::from_ref(&put))?;
        for _ in 0..IDLE_CYCLES {
            cluster.cycle()?;
        }
    }
    Ok(tape(&mut cluster.nodes_mut()[0]))
}
