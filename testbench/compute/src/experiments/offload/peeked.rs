//! What NICs have in their memories and registers, beside what a plan says.

use super::Played;
use xtq_cdag::plan::Needs;
use xtq_engine::Engine;
use xtq_testbench::experiments::ExperimentError;
use xtq_testbench::node::{Node, Stores};
use xtq_types::register_map::context;

/// Counters and entries of a context.
const PLACES: u16 = 64;

/// Of a rank whose host is about to start the schedule.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Posted {
    /// Operations that wait for a counter.
    pub waiting: usize,
    /// Counters.
    pub counters: usize,
    /// Entries in the lists.
    pub entries: usize,
    /// Memory descriptors.
    pub descriptors: usize,
}

/// Of a rank that has ended.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Ended {
    /// Commands that the NIC has taken.
    pub commands: u64,
    /// Events that it has written.
    pub events: u64,
    /// Messages that found no entry, and events that found no place.
    pub lost: u64,
    /// Operations that still wait for a counter.
    pub waiting: usize,
}

/// Commands of a rank's host: portal entry, counters, descriptors, entries, operations, what reports the end, the
/// start; and a report that all is taken before each of the `barriers` that hosts wait at.
pub fn commands(needs: &Needs, barriers: usize) -> u64 {
    let objects = needs.counters + needs.descriptors + needs.entries;
    (objects + needs.triggered + 3 + barriers) as u64
}

impl Posted {
    /// Peeks. Errors: the hardware has not what is looked for.
    pub fn of(played: &mut Played, rank: usize) -> Result<Self, ExperimentError> {
        let engine: &dyn Engine = node(played, rank)?.engine();
        let stores = Stores::find(engine)?;
        let mut posted = Self {
            counters: stores.counters(engine, 0)? as usize,
            descriptors: stores.descriptors(engine, 0)? as usize,
            ..Self::default()
        };
        for place in 0..PLACES {
            posted.waiting += stores.waiting(engine, 0, place)?;
            posted.entries += usize::from(stores.is_used(engine, 0, place)?);
        }
        Ok(posted)
    }
}

impl Ended {
    /// Reads registers and peeks. Errors: the hardware has not what is looked for.
    pub fn of(played: &mut Played, rank: usize) -> Result<Self, ExperimentError> {
        let waiting = Posted::of(played, rank)?.waiting;
        let node = node(played, rank)?;
        let mut register = |register: u32| {
            let value = node.read_register((context::PAGE_BYTES + register) as u16);
            value
                .map(u64::from)
                .map_err(|error| ExperimentError::Failed(format!("rank {rank}: {error}")))
        };
        Ok(Self {
            commands: register(context::CQ_HEAD)?,
            events: register(context::EQ_PRODUCER)?,
            lost: register(context::DROP_COUNT)? + register(context::EQ_DROPPED)?,
            waiting,
        })
    }
}

fn node(played: &mut Played, rank: usize) -> Result<&mut Node, ExperimentError> {
    let node = played.run.node_mut(rank);
    node.ok_or_else(|| ExperimentError::Failed(format!("there is no rank {rank}")))
}
