//! The trace port of the top block: what the NIC says about its progress.

use xtq_engine::{Engine, Result};

use crate::bus::{Model, Pin, Violation};
use crate::saved::saved;

/// One pulse of the trace port.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub enum Trace {
    /// The parser gave the head of a packet.
    Parsed {
        /// Node that sent it.
        source_node: u16,
        /// Number of its message.
        message_id: u16,
    },
    /// A message was decided about.
    Admitted {
        /// Message slot, until `Done`.
        slot: u8,
        /// Node that sent it.
        source_node: u16,
        /// Number of the message.
        message_id: u16,
        /// Outcome so far ([`status`](xtq_types::event::status)).
        status: u8,
        /// The lookup of kernel or function was served from the cache.
        task_hit: bool,
        /// The lookup of the queue was served from the cache.
        queue_hit: bool,
    },
    /// The AQL packet of a message was rewritten.
    Rewritten {
        /// Message slot.
        slot: u8,
    },
    /// A message left the pipeline.
    Done {
        /// Message slot.
        slot: u8,
        /// Outcome.
        status: u8,
        /// XTQ put: packet id.
        packet_id: u64,
    },
    /// The event that reports a message took its place in the ring.
    Told {
        /// Context of the ring.
        context: u8,
        /// Node that sent the message.
        source_node: u16,
        /// Number of the message.
        message_id: u16,
    },
    /// A command was taken from a ring.
    Taken {
        /// Its context.
        context: u8,
    },
    /// A message of this node began.
    Opened {
        /// The `initiator_handle` of its packets.
        handle: u16,
    },
}

/// A pulse and the pins of its values.
#[derive(Clone, Debug)]
struct Pulse {
    pulse: Pin,
    values: Vec<Pin>,
}

impl Pulse {
    fn find(engine: &dyn Engine, name: &str, values: &[&str]) -> Result<Self> {
        let value = |value: &&str| Pin::output(engine, &format!("{name}_{value}"));
        Ok(Self {
            pulse: Pin::output(engine, name)?,
            values: values.iter().map(value).collect::<Result<_>>()?,
        })
    }

    fn sample<const N: usize>(&self, engine: &dyn Engine) -> Option<[u64; N]> {
        if !self.pulse.is_high(engine) {
            return None;
        }
        let mut values = [0; N];
        for (value, pin) in values.iter_mut().zip(&self.values) {
            *value = pin.get(engine);
        }
        Some(values)
    }
}

/// What only the whole NIC has.
#[derive(Clone, Debug)]
struct InitiatorPins {
    take: Pulse,
    open: Pulse,
    busy: Pin,
}

impl InitiatorPins {
    /// The pins, if the block has them. Errors: one of several is missing.
    fn find(engine: &dyn Engine) -> Result<Option<Self>> {
        if engine.port("trace_busy").is_err() {
            return Ok(None);
        }
        Ok(Some(Self {
            take: Pulse::find(engine, "trace_take", &["context"])?,
            open: Pulse::find(engine, "trace_open", &["handle"])?,
            busy: Pin::output(engine, "trace_busy")?,
        }))
    }
}

/// Records the trace port.
#[derive(Clone, Debug)]
pub struct TraceMonitor {
    parse: Pulse,
    admit: Pulse,
    rewrite: Pulse,
    done: Pulse,
    tell: Pulse,
    /// Of the whole NIC.
    initiator: Option<InitiatorPins>,
    busy: bool,
    records: Vec<(u64, Trace)>,
    keeps: bool,
    under_way: u64,
    /// Commands taken from the rings, by context.
    taken: Vec<u64>,
}

saved!(TraceMonitor {
    busy, records, keeps, under_way, taken;
    keeps parse, admit, rewrite, done, tell, initiator
});

impl TraceMonitor {
    /// A monitor of the pins `trace_*`. Errors: one is missing.
    pub fn new(engine: &dyn Engine) -> Result<Self> {
        let admit = [
            "slot",
            "source",
            "message",
            "status",
            "task_hit",
            "queue_hit",
        ];
        Ok(Self {
            parse: Pulse::find(engine, "trace_parse", &["source", "message"])?,
            admit: Pulse::find(engine, "trace_admit", &admit)?,
            rewrite: Pulse::find(engine, "trace_rewrite", &["slot"])?,
            done: Pulse::find(engine, "trace_done", &["slot", "status", "packet_id"])?,
            tell: Pulse::find(engine, "trace_tell", &["context", "source", "message"])?,
            initiator: InitiatorPins::find(engine)?,
            busy: false,
            records: Vec::new(),
            keeps: true,
            under_way: 0,
            taken: Vec::new(),
        })
    }

    /// The pulses so far with their cycles; none if they are not [kept](Self::keep).
    pub fn records(&self) -> &[(u64, Trace)] {
        &self.records
    }

    /// Whether pulses are kept from now on, as they are at first.
    pub fn keep(&mut self, keeps: bool) {
        self.keeps = keeps;
    }

    /// Commands that were taken from the ring of a context.
    pub fn taken(&self, context: u8) -> u64 {
        self.taken.get(usize::from(context)).copied().unwrap_or(0)
    }

    fn record(&mut self, cycle: u64, trace: Trace) {
        if self.keeps {
            self.records.push((cycle, trace));
        }
    }

    /// The initiator has something to do, as of the last cycle.
    pub fn initiator_is_busy(&self) -> bool {
        self.busy
    }

    /// Messages decided about that have not left the pipeline.
    pub fn under_way(&self) -> u64 {
        self.under_way
    }
}

impl Model for TraceMonitor {
    fn drive(&mut self, _engine: &mut dyn Engine) -> Result<()> {
        Ok(())
    }

    fn sample(&mut self, engine: &dyn Engine, cycle: u64) -> std::result::Result<(), Violation> {
        if let Some(pins) = &self.initiator {
            self.busy = pins.busy.is_high(engine);
            let (take, open) = (pins.take.sample(engine), pins.open.sample(engine));
            if let Some([context]) = take {
                let place = context as usize;
                self.taken.resize(self.taken.len().max(place + 1), 0);
                self.taken[place] += 1;
                let context = context as u8;
                self.record(cycle, Trace::Taken { context });
            }
            if let Some([handle]) = open {
                let handle = handle as u16;
                self.record(cycle, Trace::Opened { handle });
            }
        }
        if let Some([source, message]) = self.parse.sample(engine) {
            let parsed = Trace::Parsed {
                source_node: source as u16,
                message_id: message as u16,
            };
            self.record(cycle, parsed);
        }
        if let Some([slot, source, message, status, task_hit, queue_hit]) =
            self.admit.sample(engine)
        {
            self.under_way += 1;
            let admitted = Trace::Admitted {
                slot: slot as u8,
                source_node: source as u16,
                message_id: message as u16,
                status: status as u8,
                task_hit: task_hit == 1,
                queue_hit: queue_hit == 1,
            };
            self.record(cycle, admitted);
        }
        if let Some([slot]) = self.rewrite.sample(engine) {
            self.record(cycle, Trace::Rewritten { slot: slot as u8 });
        }
        if let Some([slot, status, packet_id]) = self.done.sample(engine) {
            self.under_way = self.under_way.saturating_sub(1);
            let done = Trace::Done {
                slot: slot as u8,
                status: status as u8,
                packet_id,
            };
            self.record(cycle, done);
        }
        if let Some([context, source, message]) = self.tell.sample(engine) {
            let told = Trace::Told {
                context: context as u8,
                source_node: source as u16,
                message_id: message as u16,
            };
            self.record(cycle, told);
        }
        Ok(())
    }
}
