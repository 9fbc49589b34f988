//! What the process that means no harm, and the one that sleeps, still have.

use rand::Rng;
use xtq_testbench::bytes::Bytes;
use xtq_testbench::host::{
    AckRequest, Command, CounterValue, Ct, Event, EventKind, Md, ProcessId, Pt, Put, ptl_ct_get,
    ptl_ct_inc, ptl_put,
};
use xtq_testbench::node::Message;
use xtq_testbench::tables::format::BYTES;
use xtq_types::register_list::COUNTERS;
use xtq_types::register_map::{context as reg, context_address, error_cause, global};

use super::{ANSWER, BUFFER, Rig, SECRET, Seen};
use crate::fuzz::counts::Counts;
use crate::fuzz::packets::NODE;
use crate::fuzz::records::tally;

impl Rig {
    /// What is reported to the noisy ones, as far as their rings have room; and that an impossible doorbell was
    /// noticed.
    pub(super) fn look(&mut self) {
        for (process, &context) in self.noisy.iter_mut().zip(self.roles.noisy) {
            for event in process.events(&mut self.node).unwrap() {
                if let Some(result) = event.result() {
                    self.counts.note_result(result);
                }
            }
            let causes = self.node.error_cause(context).unwrap();
            self.node.clear_error_cause(context, causes).unwrap();
            assert_eq!(
                causes & error_cause::BAD_TAIL != 0,
                self.impossible[usize::from(context)],
                "context {context} has rung an impossible doorbell, or not"
            );
        }
    }

    /// The probe, if there is one, sends itself a message.
    pub(super) fn prove(&mut self) {
        let Some(mut probe) = self.probe.take() else {
            return;
        };
        let context = probe.context();
        self.probes += 1;
        let length = self.random.random_range(1..200);
        let mut bytes = vec![0; length];
        self.random.fill(&mut bytes[..]);
        self.node.memory.memory_mut(context).write(0x100, &bytes);
        let put = Put {
            md: Md(3),
            local_offset: 0x100,
            length: length as u64,
            ack: AckRequest::Ack,
            target: ProcessId {
                node: NODE,
                context,
            },
            pt_index: Pt(3),
            match_bits: SECRET,
            hdr_data: self.probes,
            user_ptr: self.probes,
            ..Put::default()
        };
        probe.post(&mut self.node, &ptl_put(&put)).unwrap();
        let begun = self.node.cycle_count();
        let (mut landed, mut told) = (false, false);
        while !(landed && told) {
            assert!(
                self.node.cycle_count() < begun + ANSWER,
                "the probe gets no answer"
            );
            for _ in 0..20 {
                self.cycle();
            }
            for event in probe.events(&mut self.node).unwrap() {
                assert_eq!(
                    (event.ni_fail, event.dropped),
                    (0, 0),
                    "the probe: {event:?}"
                );
                landed |= event.kind == EventKind::Put && event.hdr_data == self.probes;
                told |= event.kind == EventKind::Ack && event.user_ptr() == Some(self.probes);
            }
        }
        let mut got = vec![0; length];
        self.node.memory.memory(context).read(BUFFER, &mut got);
        assert_eq!(got, bytes, "the probe's bytes");
        self.probe = Some(probe);
        self.run_to_rest(ANSWER);
    }

    pub(super) fn seen(&mut self) -> Seen {
        let witness = self.roles.witness;
        let pages = self.node.memory.memory(witness).pages();
        let memory = pages
            .map(|(address, page)| (address, page.to_vec()))
            .collect();
        let offsets = [
            reg::EQ_PRODUCER,
            reg::EQ_DROPPED,
            reg::ERROR_CAUSE,
            reg::CQ_HEAD,
            reg::ENABLE,
        ];
        let read = |offset| context_address(witness.into(), offset);
        let registers = offsets.map(|offset| self.node.read_register(read(offset)).unwrap());
        let engine: &dyn xtq_engine::Engine = self.node.engine();
        Seen {
            memory,
            registers,
            portal: self.stores.portal(engine, witness, 3).unwrap(),
            waiting: self.stores.waiting(engine, witness, 2).unwrap(),
            entry: self.stores.is_used(engine, witness, 7).unwrap(),
        }
    }

    pub(super) fn witness(&mut self, commands: &[Command]) -> Vec<Event> {
        let Self { node, witness, .. } = self;
        witness.post_all(node, commands).unwrap();
        self.run_to_rest(ANSWER);
        self.witness.events(&mut self.node).unwrap()
    }

    /// What the witness had still works: its counter is 5, its command fires at 6, its entry takes a message.
    pub fn finish(mut self) -> Counts {
        let events = self.witness(&[ptl_ct_get(Ct(2))]);
        assert_eq!(events.len(), 1, "{events:?}");
        let (success, failure) = (5, 0);
        assert_eq!(events[0].counter(), CounterValue { success, failure });
        let one = CounterValue {
            success: 1,
            failure: 0,
        };
        let events = self.witness(&[ptl_ct_inc(Ct(2), one)]);
        assert_eq!(events.len(), 1, "{events:?}");
        assert_eq!(
            (events[0].user_ptr(), events[0].result()),
            (Some(99), Some(Ok(())))
        );
        let message = Message {
            target_node: NODE,
            target_context: self.roles.witness,
            portal_index: 3,
            match_bits: SECRET,
            ..Message::put(1, vec![0xab; BYTES])
        };
        self.node.send(&message);
        let events = self.witness(&[]);
        assert_eq!(events.len(), 1, "{events:?}");
        assert_eq!((events[0].kind, events[0].mlength), (EventKind::Put, 64));
        let records = self.node.trace().records();
        tally(&mut self.counts, records, &self.right, &self.atomics);
        for (number, (name, _)) in (0..).zip(COUNTERS) {
            let address = (global::COUNTERS + 4 * number) as u16;
            let value = self.node.read_register(address).unwrap();
            self.counts.registers.insert(name, value.into());
        }
        self.counts.cycles = self.node.cycle_count();
        self.counts
    }
}
