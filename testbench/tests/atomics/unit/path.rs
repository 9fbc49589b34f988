//! The block under test: an `AtomicUnit` with a `ReadPort` and a `WritePort`, its streams and a memory.

use std::sync::{Arc, OnceLock};

use rust_hdl::prelude::*;
use xtq_engine::blocks::boxed;
use xtq_engine::{Backend, Body, Compiled, Engine};
use xtq_rtl::atomics::atomic_unit::AtomicUnit;
use xtq_rtl::memory::read_port::ReadPort;
use xtq_rtl::memory::write_port::WritePort;
use xtq_testbench::bus::{
    AxiMemory, Gaps, MemoryTiming, Model, Pin, Violation, WordSink, WordSource, run_cycle,
};
use xtq_types::atomic::{AtomicDone, AtomicJob};
use xtq_types::memory::ReadRequest;
use xtq_types::pipe::BodyBeat;
use xtq_types::send::PackedBeat;

use super::message::{Ending, Message};
use crate::replies::replies;

/// The unit and the ports through which it reads and writes: its own, and that of the payload writer.
#[derive(Clone, Debug, Default, LogicBlock)]
struct AtomicPath {
    clk: Signal<In, Clock>,
    rst: Signal<In, Bit>,
    job: Signal<In, AtomicJob>,
    job_valid: Signal<In, Bit>,
    job_ready: Signal<Out, Bit>,
    beat: Signal<In, BodyBeat>,
    beat_valid: Signal<In, Bit>,
    beat_ready: Signal<Out, Bit>,
    settled: Signal<In, Bit>,
    busy: Signal<Out, Bit>,
    done: Signal<Out, AtomicDone>,
    done_valid: Signal<Out, Bit>,
    done_ready: Signal<In, Bit>,
    reply: Signal<Out, PackedBeat>,
    reply_valid: Signal<Out, Bit>,
    reply_ready: Signal<In, Bit>,
    ar_addr: Signal<Out, Bits<64>>,
    ar_id: Signal<Out, Bits<4>>,
    ar_len: Signal<Out, Bits<8>>,
    ar_size: Signal<Out, Bits<3>>,
    ar_burst: Signal<Out, Bits<2>>,
    ar_user: Signal<Out, Bits<4>>,
    ar_valid: Signal<Out, Bit>,
    ar_ready: Signal<In, Bit>,
    r_data: Signal<In, Bits<512>>,
    r_id: Signal<In, Bits<4>>,
    r_resp: Signal<In, Bits<2>>,
    r_last: Signal<In, Bit>,
    r_valid: Signal<In, Bit>,
    r_ready: Signal<Out, Bit>,
    aw_addr: Signal<Out, Bits<64>>,
    aw_id: Signal<Out, Bits<4>>,
    aw_len: Signal<Out, Bits<8>>,
    aw_size: Signal<Out, Bits<3>>,
    aw_burst: Signal<Out, Bits<2>>,
    aw_user: Signal<Out, Bits<4>>,
    aw_valid: Signal<Out, Bit>,
    aw_ready: Signal<In, Bit>,
    w_data: Signal<Out, Bits<512>>,
    w_strb: Signal<Out, Bits<64>>,
    w_last: Signal<Out, Bit>,
    w_valid: Signal<Out, Bit>,
    w_ready: Signal<In, Bit>,
    b_id: Signal<In, Bits<4>>,
    b_resp: Signal<In, Bits<2>>,
    b_valid: Signal<In, Bit>,
    b_ready: Signal<Out, Bit>,
    unit: AtomicUnit,
    reads: ReadPort,
    writes: WritePort,
    no_read: Signal<Local, ReadRequest>,
}

impl Logic for AtomicPath {
    #[hdl_gen]
    fn update(&mut self) {
        self.unit.clk.next = self.clk.val();
        self.unit.rst.next = self.rst.val();
        self.reads.clk.next = self.clk.val();
        self.reads.rst.next = self.rst.val();
        self.writes.clk.next = self.clk.val();
        self.writes.rst.next = self.rst.val();
        self.unit.job.data.next = self.job.val();
        self.unit.job.valid.next = self.job_valid.val();
        self.job_ready.next = self.unit.job.ready.val();
        self.unit.beat.data.next = self.beat.val();
        self.unit.beat.valid.next = self.beat_valid.val();
        self.beat_ready.next = self.unit.beat.ready.val();
        self.unit.settled.next = self.settled.val();
        self.busy.next = self.unit.busy.val();
        self.done.next = self.unit.done.data.val();
        self.done_valid.next = self.unit.done.valid.val();
        self.unit.done.ready.next = self.done_ready.val();
        self.reply.next = self.unit.reply.data.val();
        self.reply_valid.next = self.unit.reply.valid.val();
        self.unit.reply.ready.next = self.reply_ready.val();

        self.no_read.next.address = 0.into();
        self.no_read.next.context = 0.into();
        self.no_read.next.size = 0.into();
        self.no_read.next.tag = 0.into();
        self.reads.cache_request.data.next = self.no_read.val();
        self.reads.cache_request.valid.next = false;
        self.reads.admission_request.data.next = self.no_read.val();
        self.reads.admission_request.valid.next = false;
        self.reads.enqueue_request.data.next = self.no_read.val();
        self.reads.enqueue_request.valid.next = false;
        self.reads.command_request.data.next = self.unit.request.data.val();
        self.reads.command_request.valid.next = false;
        self.reads.gather_request.data.next = self.unit.request.data.val();
        self.reads.gather_request.valid.next = false;
        self.reads.sum_list_request.data.next = self.unit.request.data.val();
        self.reads.sum_list_request.valid.next = false;
        self.reads.gather_list_request.data.next = self.unit.request.data.val();
        self.reads.gather_list_request.valid.next = false;
        self.reads.scatter_list_request.data.next = self.unit.request.data.val();
        self.reads.scatter_list_request.valid.next = false;
        self.reads.reply_gather_request.data.next = self.unit.request.data.val();
        self.reads.reply_gather_request.valid.next = false;
        self.reads.reply_list_request.data.next = self.unit.request.data.val();
        self.reads.reply_list_request.valid.next = false;
        self.reads.update_request.data.next = self.unit.request.data.val();
        self.reads.update_request.valid.next = self.unit.request.valid.val();
        self.unit.request.ready.next = self.reads.update_request.ready.val();
        self.unit.result.data.next = self.reads.update_result.data.val();
        self.unit.result.valid.next = self.reads.update_result.valid.val();

        self.writes.doorbell.data.next = self.unit.write.data.val();
        self.writes.doorbell.valid.next = false;
        self.writes.header.data.next = self.unit.write.data.val();
        self.writes.header.valid.next = false;
        self.writes.repair.data.next = self.unit.write.data.val();
        self.writes.repair.valid.next = false;
        self.writes.atomic.data.next = self.unit.write.data.val();
        self.writes.atomic.valid.next = false;
        self.writes.enqueue.data.next = self.unit.write.data.val();
        self.writes.enqueue.valid.next = false;
        self.writes.event_write.data.next = self.unit.write.data.val();
        self.writes.event_write.valid.next = false;
        self.writes.table_entry.data.next = self.unit.write.data.val();
        self.writes.table_entry.valid.next = false;
        self.writes.payload.data.next = self.unit.write.data.val();
        self.writes.payload.valid.next = self.unit.write.valid.val();
        self.unit.write.ready.next = self.writes.payload.ready.val();
        self.unit.write_done.next = self.writes.payload_done.val();
        self.unit.write_error.next = self.writes.payload_error.val();

        self.ar_addr.next = self.reads.ar.addr.val();
        self.ar_id.next = self.reads.ar.id.val();
        self.ar_len.next = self.reads.ar.len.val();
        self.ar_size.next = self.reads.ar.size.val();
        self.ar_burst.next = self.reads.ar.burst.val();
        self.ar_user.next = self.reads.ar.user.val();
        self.ar_valid.next = self.reads.ar.valid.val();
        self.reads.ar.ready.next = self.ar_ready.val();
        self.reads.r.data.next = self.r_data.val();
        self.reads.r.id.next = self.r_id.val();
        self.reads.r.resp.next = self.r_resp.val();
        self.reads.r.last.next = self.r_last.val();
        self.reads.r.valid.next = self.r_valid.val();
        self.r_ready.next = self.reads.r.ready.val();
        self.aw_addr.next = self.writes.aw.addr.val();
        self.aw_id.next = self.writes.aw.id.val();
        self.aw_len.next = self.writes.aw.len.val();
        self.aw_size.next = self.writes.aw.size.val();
        self.aw_burst.next = self.writes.aw.burst.val();
        self.aw_user.next = self.writes.aw.user.val();
        self.aw_valid.next = self.writes.aw.valid.val();
        self.writes.aw.ready.next = self.aw_ready.val();
        self.w_data.next = self.writes.w.data.val();
        self.w_strb.next = self.writes.w.strb.val();
        self.w_last.next = self.writes.w.last.val();
        self.w_valid.next = self.writes.w.valid.val();
        self.writes.w.ready.next = self.w_ready.val();
        self.writes.b.id.next = self.b_id.val();
        self.writes.b.resp.next = self.b_resp.val();
        self.writes.b.valid.next = self.b_valid.val();
        self.b_ready.next = self.writes.b.ready.val();
    }
}

/// The path on the JIT engine, compiled once.
fn engine() -> Compiled {
    static BODY: OnceLock<Arc<Body>> = OnceLock::new();
    let body = BODY.get_or_init(|| {
        let mut block = boxed(AtomicPath::default).expect("there is a thread to build it on");
        block.connect_all();
        let body = Body::new(block.as_ref(), Backend::Jit);
        Arc::new(body.unwrap_or_else(|error| panic!("{error}")))
    });
    Compiled::new(body.clone())
}

/// Says whether the writes before a message are settled, at random.
struct Settled {
    pin: Pin,
    gaps: Gaps,
}

impl Model for Settled {
    fn drive(&mut self, engine: &mut dyn Engine) -> xtq_engine::Result<()> {
        let settled = !self.gaps.pause();
        self.pin.set(engine, settled.into())
    }

    fn sample(&mut self, _engine: &dyn Engine, _cycle: u64) -> Result<(), Violation> {
        Ok(())
    }
}

/// Shares of cycles in which jobs, beats, `settled`, `done` and `reply` pause.
pub type Pauses = [f64; 5];

/// The block, its streams and the memory.
pub struct Harness {
    pub engine: Compiled,
    pub jobs: WordSource,
    pub beats: WordSource,
    settled: Settled,
    pub done: WordSink,
    pub reply: WordSink,
    pub memory: AxiMemory,
}

impl Harness {
    /// The block after reset.
    pub fn new(timing: MemoryTiming, pauses: Pauses, seed: u64) -> Self {
        let mut engine = engine();
        engine.reset(2).unwrap();
        let gaps = |i: usize| Gaps::random(pauses[i], seed.wrapping_add(i as u64));
        Self {
            jobs: WordSource::new(&engine, "job", gaps(0)).unwrap(),
            beats: WordSource::new(&engine, "beat", gaps(1)).unwrap(),
            settled: Settled {
                pin: Pin::input(&engine, "settled").unwrap(),
                gaps: gaps(2),
            },
            done: WordSink::new(&engine, "done", gaps(3)).unwrap(),
            reply: WordSink::new(&engine, "reply", gaps(4)).unwrap(),
            memory: AxiMemory::new(&engine, "", timing).unwrap(),
            engine,
        }
    }

    /// Queues a message.
    pub fn push(&mut self, message: &Message) {
        self.jobs.push_value(message.job());
        for beat in message.beats() {
            self.beats.push_value(beat);
        }
    }

    /// One clock cycle.
    pub fn cycle(&mut self) {
        let models: &mut [&mut dyn Model] = &mut [
            &mut self.jobs,
            &mut self.beats,
            &mut self.settled,
            &mut self.done,
            &mut self.reply,
            &mut self.memory,
        ];
        run_cycle(&mut self.engine, models).unwrap_or_else(|error| panic!("{error}"));
    }

    /// Runs until so many messages are done, the block is idle, and no old bytes have waited for some cycles.
    pub fn run(&mut self, messages: usize) {
        let limit = self.engine.cycle() + 20_000 + 20_000 * messages as u64;
        let busy = Pin::output(&self.engine, "busy").unwrap();
        while self.done.received().len() < messages || busy.is_high(&self.engine) {
            assert!(
                self.engine.cycle() < limit,
                "{} of {messages} messages done",
                self.done.received().len()
            );
            self.cycle();
        }
        let waiting = Pin::output(&self.engine, "reply_valid").unwrap();
        let mut still = 0;
        while still < 40 {
            self.cycle();
            still = if waiting.is_high(&self.engine) {
                0
            } else {
                still + 1
            };
        }
    }

    /// How the messages ended.
    pub fn endings(&self) -> Vec<Ending> {
        let done = self.done.values::<AtomicDone>();
        let flags = |done: &AtomicDone| [done.refused, done.bad, done.error].map(|flag| flag.any());
        done.iter()
            .map(|done| (done.slot.to_u64(), flags(done)))
            .collect()
    }

    /// The replies, each the bytes up to a last beat.
    pub fn replies(&self) -> Vec<Vec<u8>> {
        replies(&self.reply)
    }
}
