//! The block under test between its neighbours: an `AtomicFork`, a `PayloadWriter` and an `AtomicUnit`, the memory ports and a memory.

use std::sync::{Arc, OnceLock};

use rust_hdl::prelude::*;
use xtq_engine::blocks::boxed;
use xtq_engine::{Backend, Body, Compiled, Engine};
use xtq_rtl::atomics::atomic_fork::AtomicFork;
use xtq_rtl::atomics::atomic_unit::AtomicUnit;
use xtq_rtl::delivery::payload_writer::PayloadWriter;
use xtq_rtl::memory::read_port::ReadPort;
use xtq_rtl::memory::write_port::WritePort;
use xtq_testbench::bus::{
    AxiMemory, Gaps, MemoryTiming, Model, Pin, WordSink, WordSource, run_cycle,
};
use xtq_types::Wire;
use xtq_types::pipe::{AtomicNote, PayloadDone, ReadRequest, WriteBeat};
use xtq_types::send::PackedBeat;

use super::packet::{Ending, Packet};
use crate::replies::replies;

/// The fork, what it parts, and the ports through which they read and write.
#[derive(Clone, Debug, Default, LogicBlock)]
struct ForkPath {
    clk: Signal<In, Clock>,
    rst: Signal<In, Bit>,
    note: Signal<In, AtomicNote>,
    note_slot: Signal<In, Bits<8>>,
    note_valid: Signal<In, Bit>,
    beat: Signal<In, WriteBeat>,
    beat_valid: Signal<In, Bit>,
    beat_ready: Signal<Out, Bit>,
    busy: Signal<Out, Bit>,
    quiet: Signal<Out, Bit>,
    done: Signal<Out, PayloadDone>,
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
    parting: AtomicFork,
    plain: PayloadWriter,
    unit: AtomicUnit,
    reads: ReadPort,
    writes: WritePort,
    no_read: Signal<Local, ReadRequest>,
}

impl Logic for ForkPath {
    #[hdl_gen]
    fn update(&mut self) {
        self.parting.clk.next = self.clk.val();
        self.parting.rst.next = self.rst.val();
        self.plain.clk.next = self.clk.val();
        self.plain.rst.next = self.rst.val();
        self.unit.clk.next = self.clk.val();
        self.unit.rst.next = self.rst.val();
        self.reads.clk.next = self.clk.val();
        self.reads.rst.next = self.rst.val();
        self.writes.clk.next = self.clk.val();
        self.writes.rst.next = self.rst.val();
        self.parting.note.next = self.note.val();
        self.parting.note_slot.next = self.note_slot.val();
        self.parting.note_valid.next = self.note_valid.val();
        self.parting.beat.next = self.beat.val();
        self.parting.beat_valid.next = self.beat_valid.val();
        self.beat_ready.next = self.parting.beat_ready.val();
        self.plain.beat.next = self.parting.plain.val();
        self.plain.beat_valid.next = self.parting.plain_valid.val();
        self.parting.plain_ready.next = self.plain.beat_ready.val();
        self.parting.quiet.next = self.plain.quiet.val();
        self.quiet.next = self.plain.quiet.val();
        self.unit.job.next = self.parting.job.val();
        self.unit.job_valid.next = self.parting.job_valid.val();
        self.parting.job_ready.next = self.unit.job_ready.val();
        self.unit.beat.next = self.parting.operand.val();
        self.unit.beat_valid.next = self.parting.operand_valid.val();
        self.parting.operand_ready.next = self.unit.beat_ready.val();
        self.unit.settled.next = true;
        self.parting.busy.next = self.unit.busy.val();
        self.busy.next = self.unit.busy.val();
        self.parting.plain_done.next = self.plain.done.val();
        self.parting.plain_done_valid.next = self.plain.done_valid.val();
        self.plain.done_ready.next = self.parting.plain_done_ready.val();
        self.parting.unit_done.next = self.unit.done.val();
        self.parting.unit_done_valid.next = self.unit.done_valid.val();
        self.unit.done_ready.next = self.parting.unit_done_ready.val();
        self.done.next = self.parting.done.val();
        self.done_valid.next = self.parting.done_valid.val();
        self.parting.done_ready.next = self.done_ready.val();
        self.parting.plain_write.next = self.plain.payload.val();
        self.parting.plain_write_valid.next = self.plain.payload_valid.val();
        self.plain.payload_ready.next = self.parting.plain_write_ready.val();
        self.plain.payload_done.next = self.parting.plain_write_done.val();
        self.parting.unit_write.next = self.unit.write.val();
        self.parting.unit_write_valid.next = self.unit.write_valid.val();
        self.unit.write_ready.next = self.parting.unit_write_ready.val();
        self.unit.write_done.next = self.parting.unit_write_done.val();
        self.reply.next = self.unit.reply.val();
        self.reply_valid.next = self.unit.reply_valid.val();
        self.unit.reply_ready.next = self.reply_ready.val();

        self.no_read.next.address = 0.into();
        self.no_read.next.context = 0.into();
        self.no_read.next.size = 0.into();
        self.no_read.next.tag = 0.into();
        self.reads.cache_request.next = self.no_read.val();
        self.reads.cache_request_valid.next = false;
        self.reads.admission_request.next = self.no_read.val();
        self.reads.admission_request_valid.next = false;
        self.reads.enqueue_request.next = self.no_read.val();
        self.reads.enqueue_request_valid.next = false;
        self.reads.command_request.next = self.unit.request.val();
        self.reads.command_request_valid.next = false;
        self.reads.gather_request.next = self.unit.request.val();
        self.reads.gather_request_valid.next = false;
        self.reads.sum_list_request.next = self.unit.request.val();
        self.reads.sum_list_request_valid.next = false;
        self.reads.gather_list_request.next = self.unit.request.val();
        self.reads.gather_list_request_valid.next = false;
        self.reads.scatter_list_request.next = self.unit.request.val();
        self.reads.scatter_list_request_valid.next = false;
        self.reads.update_request.next = self.unit.request.val();
        self.reads.update_request_valid.next = self.unit.request_valid.val();
        self.unit.request_ready.next = self.reads.update_request_ready.val();
        self.unit.result.next = self.reads.update_result.val();
        self.unit.result_valid.next = self.reads.update_result_valid.val();

        self.writes.doorbell.next = self.unit.write.val();
        self.writes.doorbell_valid.next = false;
        self.writes.header.next = self.unit.write.val();
        self.writes.header_valid.next = false;
        self.writes.repair.next = self.unit.write.val();
        self.writes.repair_valid.next = false;
        self.writes.atomic.next = self.unit.write.val();
        self.writes.atomic_valid.next = false;
        self.writes.enqueue.next = self.unit.write.val();
        self.writes.enqueue_valid.next = false;
        self.writes.event_write.next = self.unit.write.val();
        self.writes.event_write_valid.next = false;
        self.writes.table_entry.next = self.unit.write.val();
        self.writes.table_entry_valid.next = false;
        self.writes.payload.next = self.parting.write.val();
        self.writes.payload_valid.next = self.parting.write_valid.val();
        self.parting.write_ready.next = self.writes.payload_ready.val();
        self.parting.write_done.next = self.writes.payload_done.val();
        self.unit.write_error.next = self.writes.payload_error.val();
        self.plain.payload_error.next = self.writes.payload_error.val();

        self.ar_addr.next = self.reads.ar_addr.val();
        self.ar_id.next = self.reads.ar_id.val();
        self.ar_len.next = self.reads.ar_len.val();
        self.ar_size.next = self.reads.ar_size.val();
        self.ar_burst.next = self.reads.ar_burst.val();
        self.ar_user.next = self.reads.ar_user.val();
        self.ar_valid.next = self.reads.ar_valid.val();
        self.reads.ar_ready.next = self.ar_ready.val();
        self.reads.r_data.next = self.r_data.val();
        self.reads.r_id.next = self.r_id.val();
        self.reads.r_resp.next = self.r_resp.val();
        self.reads.r_last.next = self.r_last.val();
        self.reads.r_valid.next = self.r_valid.val();
        self.r_ready.next = self.reads.r_ready.val();
        self.aw_addr.next = self.writes.aw_addr.val();
        self.aw_id.next = self.writes.aw_id.val();
        self.aw_len.next = self.writes.aw_len.val();
        self.aw_size.next = self.writes.aw_size.val();
        self.aw_burst.next = self.writes.aw_burst.val();
        self.aw_user.next = self.writes.aw_user.val();
        self.aw_valid.next = self.writes.aw_valid.val();
        self.writes.aw_ready.next = self.aw_ready.val();
        self.w_data.next = self.writes.w_data.val();
        self.w_strb.next = self.writes.w_strb.val();
        self.w_last.next = self.writes.w_last.val();
        self.w_valid.next = self.writes.w_valid.val();
        self.writes.w_ready.next = self.w_ready.val();
        self.writes.b_id.next = self.b_id.val();
        self.writes.b_resp.next = self.b_resp.val();
        self.writes.b_valid.next = self.b_valid.val();
        self.b_ready.next = self.writes.b_ready.val();
    }
}

/// The path on the JIT engine, compiled once.
fn engine() -> Compiled {
    static BODY: OnceLock<Arc<Body>> = OnceLock::new();
    let body = BODY.get_or_init(|| {
        let mut block = boxed(ForkPath::default).expect("there is a thread to build it on");
        block.connect_all();
        let body = Body::new(block.as_ref(), Backend::Jit);
        Arc::new(body.unwrap_or_else(|error| panic!("{error}")))
    });
    Compiled::new(body.clone())
}

/// Shares of cycles in which beats, `done` and `reply` pause.
pub type Pauses = [f64; 3];

/// The block, its streams and the memory.
pub struct Harness {
    pub engine: Compiled,
    pub beats: WordSource,
    pub done: WordSink,
    pub reply: WordSink,
    pub memory: AxiMemory,
}

impl Harness {
    /// The block after reset, and as many cycles as the payload writer takes to clear its memory.
    pub fn new(timing: MemoryTiming, pauses: Pauses, seed: u64) -> Self {
        let mut engine = engine();
        engine.reset(2).unwrap();
        let gaps = |i: usize| Gaps::random(pauses[i], seed.wrapping_add(i as u64));
        let mut harness = Self {
            beats: WordSource::new(&engine, "beat", gaps(0)).unwrap(),
            done: WordSink::new(&engine, "done", gaps(1)).unwrap(),
            reply: WordSink::new(&engine, "reply", gaps(2)).unwrap(),
            memory: AxiMemory::new(&engine, "", timing).unwrap(),
            engine,
        };
        for _ in 0..260 {
            harness.cycle();
        }
        harness
    }

    /// Notes what the message of a slot is.
    pub fn note(&mut self, slot: u64, note: AtomicNote) {
        let mut words = [0];
        note.to_words(&mut words);
        for (name, value) in [("note", words[0]), ("note_slot", slot), ("note_valid", 1)] {
            let pin = Pin::input(&self.engine, name).unwrap();
            pin.set(&mut self.engine, value).unwrap();
        }
        self.cycle();
        let valid = Pin::input(&self.engine, "note_valid").unwrap();
        valid.set(&mut self.engine, 0).unwrap();
    }

    /// Queues a packet.
    pub fn push(&mut self, packet: &Packet) {
        for beat in packet.beats() {
            self.beats.push_value(beat);
        }
    }

    /// One clock cycle.
    pub fn cycle(&mut self) {
        let models: &mut [&mut dyn Model] = &mut [
            &mut self.beats,
            &mut self.done,
            &mut self.reply,
            &mut self.memory,
        ];
        run_cycle(&mut self.engine, models).unwrap_or_else(|error| panic!("{error}"));
    }

    pub fn high(&self, name: &str) -> bool {
        Pin::output(&self.engine, name)
            .unwrap()
            .is_high(&self.engine)
    }

    /// Runs until so many messages are done, both writers are idle, and no old bytes have waited for some cycles.
    pub fn run(&mut self, messages: usize) {
        let limit = self.engine.cycle() + 20_000 + 20_000 * messages as u64;
        while self.done.received().len() < messages || self.high("busy") || !self.high("quiet") {
            assert!(
                self.engine.cycle() < limit,
                "{} of {messages} messages done",
                self.done.received().len()
            );
            self.cycle();
        }
        let mut still = 0;
        while still < 40 {
            self.cycle();
            still = if self.high("reply_valid") {
                0
            } else {
                still + 1
            };
        }
    }

    /// How the messages ended.
    pub fn endings(&self) -> Vec<Ending> {
        let done = self.done.values::<PayloadDone>();
        let flags =
            |done: &PayloadDone| [done.refused, done.bad, done.error].map(|flag| flag.any());
        done.iter().map(flags).collect()
    }

    /// The replies, each the bytes up to a last beat.
    pub fn replies(&self) -> Vec<Vec<u8>> {
        replies(&self.reply)
    }
}
