//! From the change of a counter to the put that it triggers, at the link of a NIC.

use super::{ContractError, unexpected};
use crate::cluster::Cluster;
use crate::host::{
    AckRequest, CounterValue, Ct, Md, MemoryDescriptor, Process, ProcessConfig, ProcessId, Put,
    Trigger, ptl_ct_alloc, ptl_ct_inc, ptl_md_bind, ptl_triggered_put,
};
use crate::network::NetworkConfig;
use crate::node::{Buffer, NodeConfig, Top};

/// An operation for the counters is there; when it is 1 the counter changes.
const CHANGES: &str = "initiator.counters.bank.operation_valid";
/// The link.
const SENDS: &str = "m_axis_net_tvalid";
/// Cycles in which anything must be done.
const CYCLES: u64 = 50_000;
/// Cycles in which the put must leave.
const LONGEST: u64 = 400;

/// Cycles from the change to the put's first beat; the put waits alone. Errors: of the nodes; the put does not leave.
pub(super) fn cycles() -> Result<f64, ContractError> {
    let config = NodeConfig {
        top: Top::Nic,
        ..NodeConfig::default()
    };
    let mut cluster = Cluster::new(&[config.clone(), config], &NetworkConfig::default())?;
    let mut process = Process::open(&mut cluster.port(0), 0, &ProcessConfig::default())?;
    Process::open(&mut cluster.port(1), 0, &ProcessConfig::default())?;
    cluster.nodes_mut()[1].post_buffer(0, 0, &Buffer::new(0x4000_0000, 4096))?;
    let put = Put {
        length: 1,
        ack: AckRequest::None,
        target: ProcessId {
            node: 1,
            context: 0,
        },
        ..Put::default()
    };
    let counter = Ct(0);
    let waits = Trigger {
        counter,
        threshold: 1,
    };
    let descriptor = MemoryDescriptor {
        md: Md(0),
        start: 0x2000_0000,
        length: 64,
        ..MemoryDescriptor::default()
    };
    let commands = [
        ptl_md_bind(&descriptor),
        ptl_ct_alloc(counter),
        ptl_triggered_put(&put, waits),
    ];
    process.post_all(&mut cluster.port(0), &commands)?;
    cluster.run_to_quiescence(CYCLES)?;
    let one = CounterValue {
        success: 1,
        failure: 0,
    };
    process.post_all(&mut cluster.port(0), &[ptl_ct_inc(counter, one)])?;
    let mut changed = None;
    for _ in 0..LONGEST {
        let node = &mut cluster.nodes_mut()[0];
        let cycle = node.cycle_count();
        let engine = node.engine();
        let high = |path| Ok::<_, xtq_engine::Error>(engine.peek(path)?.first() == Some(&1));
        if high(CHANGES)? {
            changed = Some(cycle);
        }
        if let (Some(changed), true) = (changed, high(SENDS)?) {
            return Ok((cycle - changed) as f64);
        }
        cluster.cycle()?;
    }
    unexpected(
        "a triggered put",
        match changed {
            Some(_) => "a change and no put",
            None => "no change",
        },
    )
}
