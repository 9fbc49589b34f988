//! The block under test: a `PayloadWriter` with a `WritePort`, its streams and a memory.

use rust_hdl::prelude::*;
use xtq_engine::Engine;
use xtq_rtl::delivery::payload_writer::PayloadWriter;
use xtq_rtl::memory::write_port::WritePort;
use xtq_testbench::bus::{
    AxiMemory, BeatCounts, BenchError, Gaps, MemoryTiming, Model, WordSink, WordSource,
    WriteRecord, run_cycle,
};
use xtq_testbench::pins;
use xtq_types::pipe::WriteBeat;
use xtq_types::queue::PayloadDone;

use crate::payload_writer::packet::Packet;

/// The writer and the port it writes through.
#[derive(Clone, Debug, Default, LogicBlock)]
struct PayloadPath {
    clk: Signal<In, Clock>,
    rst: Signal<In, Bit>,
    beat: Signal<In, WriteBeat>,
    beat_valid: Signal<In, Bit>,
    beat_ready: Signal<Out, Bit>,
    done: Signal<Out, PayloadDone>,
    done_valid: Signal<Out, Bit>,
    done_ready: Signal<In, Bit>,
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
    writer: PayloadWriter,
    port: WritePort,
}

impl Logic for PayloadPath {
    #[hdl_gen]
    fn update(&mut self) {
        self.writer.clk.next = self.clk.val();
        self.writer.rst.next = self.rst.val();
        self.port.clk.next = self.clk.val();
        self.port.rst.next = self.rst.val();
        self.writer.beat.data.next = self.beat.val();
        self.writer.beat.valid.next = self.beat_valid.val();
        self.beat_ready.next = self.writer.beat.ready.val();
        self.done.next = self.writer.done.data.val();
        self.done_valid.next = self.writer.done.valid.val();
        self.writer.done.ready.next = self.done_ready.val();
        self.port.payload.data.next = self.writer.payload.data.val();
        self.port.payload.valid.next = self.writer.payload.valid.val();
        self.writer.payload.ready.next = self.port.payload.ready.val();
        self.writer.payload_done.next = self.port.payload_done.val();
        self.writer.payload_error.next = self.port.payload_error.val();
        self.port.doorbell.valid.next = false;
        self.port.header.valid.next = false;
        self.port.repair.valid.next = false;
        self.port.atomic.valid.next = false;
        self.port.enqueue.valid.next = false;
        self.port.event_write.valid.next = false;
        self.port.table_entry.valid.next = false;
        self.port.doorbell.data.next = self.writer.payload.data.val();
        self.port.header.data.next = self.writer.payload.data.val();
        self.port.repair.data.next = self.writer.payload.data.val();
        self.port.atomic.data.next = self.writer.payload.data.val();
        self.port.enqueue.data.next = self.writer.payload.data.val();
        self.port.event_write.data.next = self.writer.payload.data.val();
        self.port.table_entry.data.next = self.writer.payload.data.val();
        self.aw_addr.next = self.port.aw.addr.val();
        self.aw_id.next = self.port.aw.id.val();
        self.aw_len.next = self.port.aw.len.val();
        self.aw_size.next = self.port.aw.size.val();
        self.aw_burst.next = self.port.aw.burst.val();
        self.aw_user.next = self.port.aw.user.val();
        self.aw_valid.next = self.port.aw.valid.val();
        self.port.aw.ready.next = self.aw_ready.val();
        self.w_data.next = self.port.w.data.val();
        self.w_strb.next = self.port.w.strb.val();
        self.w_last.next = self.port.w.last.val();
        self.w_valid.next = self.port.w.valid.val();
        self.port.w.ready.next = self.w_ready.val();
        self.port.b.id.next = self.b_id.val();
        self.port.b.resp.next = self.b_resp.val();
        self.port.b.valid.next = self.b_valid.val();
        self.b_ready.next = self.port.b.ready.val();
    }
}

/// The block, its streams and the memory.
pub struct Harness<E> {
    /// The design.
    pub engine: E,
    /// Beats of packets.
    pub beats: WordSource,
    /// Finished messages.
    pub done: WordSink,
    /// What is written to.
    pub memory: AxiMemory,
}

/// The block in its engine.
pub fn engine() -> impl Engine {
    pins!(PayloadPath::default() => clk;
        in: rst, beat, beat_valid, done_ready, aw_ready, w_ready, b_id, b_resp, b_valid;
        out: beat_ready, done, done_valid, aw_addr, aw_id, aw_len, aw_size, aw_burst, aw_user, aw_valid,
            w_data, w_strb, w_last, w_valid, b_ready)
    .unwrap()
}

/// The block after reset; `pauses` are the probabilities that the beats and the taker of `done` pause.
pub fn harness(pauses: [f64; 2], seed: u64, timing: MemoryTiming) -> Harness<impl Engine> {
    let mut engine = engine();
    engine.reset(2).unwrap();
    let beats = WordSource::new(&engine, "beat", Gaps::random(pauses[0], seed)).unwrap();
    let done = WordSink::new(&engine, "done", Gaps::random(pauses[1], seed + 1)).unwrap();
    let memory = AxiMemory::new(&engine, "", timing).unwrap();
    Harness {
        engine,
        beats,
        done,
        memory,
    }
}

impl<E: Engine> Harness<E> {
    /// Queues the beats of a packet.
    pub fn push(&mut self, packet: &Packet) {
        for beat in packet.beats() {
            self.beats.push_value(beat);
        }
    }

    /// One clock cycle.
    pub fn cycle(&mut self) -> Result<(), BenchError> {
        let models: &mut [&mut dyn Model] =
            &mut [&mut self.beats, &mut self.done, &mut self.memory];
        run_cycle(&mut self.engine, models)
    }

    /// Runs until so many messages are done.
    pub fn run_until_done(&mut self, messages: usize, max_cycles: u64) -> Result<(), BenchError> {
        for _ in 0..max_cycles {
            if self.done.received().len() >= messages {
                return Ok(());
            }
            self.cycle()?;
        }
        Err(BenchError::Timeout {
            cycle: self.engine.cycle(),
            max_cycles,
        })
    }

    /// (error, bad) of each message.
    pub fn outcomes(&self) -> Vec<(bool, bool)> {
        let done = self.done.values::<PayloadDone>();
        done.iter()
            .map(|done| (done.error.any(), done.bad.any()))
            .collect()
    }

    /// Handshakes on the AXI channels.
    pub fn counts(&self) -> BeatCounts {
        self.memory.checker().counts()
    }

    /// Beats written, in the order of W.
    pub fn written(&self) -> Vec<WriteRecord> {
        let mut log = self.memory.log().to_vec();
        log.sort_by_key(|record| record.w_cycle);
        log
    }
}
