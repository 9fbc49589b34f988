//! What a node shows.

use super::calls::pt;
use super::node::{AT_ONCE, CONTEXT, QUIET_CYCLES, RtlNode};
use crate::bytes::Bytes;
use crate::cases::NotRun;
use crate::cases::portals::Observed;
use crate::host;
use crate::node::Trace;
use crate::portals::{Counter, CounterId, Lists, Memory, State, Status};
use xtq_types::event::status;
use xtq_types::register_map::{context, context_address};

impl RtlNode {
    /// A register of its context.
    fn register(&mut self, offset: u32) -> Result<u64, NotRun> {
        let address = context_address(CONTEXT.into(), offset);
        let value = self.node.read_register(address);
        value.map(u64::from).map_err(|why| self.failed(why))
    }

    /// The status registers.
    pub(super) fn status(&mut self) -> Result<Status, NotRun> {
        Ok(Status {
            drop: self.register(context::DROP_COUNT)?,
            permission_violations: self.register(context::PERMISSION_VIOLATIONS)?,
            operation_violations: self.register(context::OPERATION_VIOLATIONS)?,
        })
    }

    /// Unexpected headers of all its portal entries.
    pub(super) fn unexpected(&mut self) -> Result<usize, NotRun> {
        let (rank, stores) = (self.rank(), &self.stores);
        let engine: &dyn xtq_engine::Engine = self.node.engine();
        let mut headers = 0;
        for portal in self.numbers.portals.keys() {
            let found = stores.portal(engine, CONTEXT, pt(*portal).0);
            headers += found
                .map_err(|why| NotRun::Failed(format!("node {}: {why}", rank.0)))?
                .unexpected;
        }
        Ok(headers)
    }

    /// How many messages were refused with OP_VIOLATION after the match: atomics whose address is no multiple of the
    /// datum.
    pub(super) fn late_refusals(&self) -> usize {
        let refused = |record: &&(u64, Trace)| matches!(record.1, Trace::Done { status, .. } if status == status::OP_VIOLATION);
        let early = |record: &&(u64, Trace)| matches!(record.1, Trace::Admitted { status, .. } if status == status::OP_VIOLATION);
        let records = self.node.trace().records();
        let refused = records.iter().filter(refused).count();
        refused.saturating_sub(records.iter().filter(early).count())
    }

    /// The counters, read by commands.
    fn counters(&mut self) -> Result<Vec<(CounterId, Counter)>, NotRun> {
        let numbers: Vec<_> = self.numbers.counters().collect();
        let mut values = Vec::new();
        for numbers in numbers.chunks(AT_ONCE) {
            let reads = numbers.iter().zip(1..);
            let reads: Vec<_> = reads
                .map(|((_, ct), user_ptr)| host::ptl_ct_get(*ct).with_user_ptr(user_ptr))
                .collect();
            let posted = self.process.post_all(&mut self.node, &reads);
            posted.map_err(|why| self.failed(why))?;
            let quiet = self.node.run_to_quiescence(QUIET_CYCLES);
            quiet.map_err(|why| self.failed(why))?;
            let events = self.process.events(&mut self.node);
            let events = events.map_err(|why| self.failed(why))?;
            if events.len() != reads.len() {
                return Err(self.failed(format!("reading counters: {events:?}")));
            }
            for ((id, _), event) in numbers.iter().zip(&events) {
                if event.result() != Some(Ok(())) {
                    return Err(self.failed(format!("reading counter {}: {event:?}", id.0)));
                }
                let host::CounterValue { success, failure } = event.counter();
                values.push((*id, Counter { success, failure }));
            }
        }
        Ok(values)
    }

    /// What it shows, while nothing moves.
    pub fn observe(&mut self) -> Result<Observed, NotRun> {
        let counters = self.counters()?;
        let status = self.status()?;
        let (rank, stores) = (self.rank(), &self.stores);
        let failed = |why: xtq_engine::Error| NotRun::Failed(format!("node {}: {why}", rank.0));
        let engine: &dyn xtq_engine::Engine = self.node.engine();
        let mut state = State {
            counters: counters.into_iter().collect(),
            ..State::default()
        };
        for (id, ct) in self.numbers.counters() {
            let waiting = stores.waiting(engine, CONTEXT, ct.0).map_err(failed)?;
            if waiting > 0 {
                state.pending.insert(id, waiting as u64);
            }
        }
        for portal in self.numbers.portals.keys() {
            let index = pt(*portal).0;
            let found = stores.portal(engine, CONTEXT, index).map_err(failed)?;
            let lists = Lists {
                priority: found.priority,
                overflow: found.overflow,
                unexpected: found.unexpected,
                enabled: found.enabled,
            };
            state.lists.insert(*portal, lists);
        }
        state.status = status;
        let mut bytes = vec![0; self.memory];
        self.node.memory.memory(CONTEXT).read(0, &mut bytes);
        if self.memory > 0 {
            state.memory = Memory::new(&[(0, self.memory)]);
        }
        // What was just made has room for it.
        let _ = state.memory.write(0, &bytes);
        Ok(Observed {
            state,
            events: self.events.clone(),
            transfers: self.transfers.clone(),
            responses: self.responses.clone(),
            sent: self.sent.clone(),
        })
    }
}
