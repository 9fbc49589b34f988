//! Jobs with their bodies, what the rules make of them, and a run of the block.

use rust_hdl::prelude::*;
use xtq_engine::Engine;
use xtq_engine::EngineKind;
use xtq_engine::blocks;
use xtq_testbench::bus::{Bench, BenchError, Gaps, WordSink};
use xtq_types::Wire;
use xtq_types::pipe::{BodyBeat, RewriteJob, WriteBeat};

/// A job and the bytes that wait for it; `Default` is a plain put's only packet.
#[derive(Clone, Debug, Default)]
pub struct Job {
    pub slot: u8,
    pub context: u8,
    pub discard: bool,
    pub has_body: bool,
    pub message_last: bool,
    pub command: bool,
    pub kernel: bool,
    pub patch: bool,
    pub buffer_valid: bool,
    pub signal_valid: bool,
    pub rewrite_offset: u16,
    pub address: u64,
    pub payload_address: u64,
    pub target: u64,
    pub buffer_pointer: u64,
    pub completion_signal: u64,
    pub aql: Vec<u8>,
    /// Bytes after the AQL packet.
    pub body: Vec<u8>,
    /// The parser found the length wrong.
    pub bad: bool,
}

impl Job {
    /// A plain put of `bytes` bytes to `address`.
    pub fn put(address: u64, bytes: usize) -> Self {
        Self {
            slot: 0x5A,
            context: 2,
            has_body: bytes > 0,
            message_last: true,
            address,
            aql: vec![0; 64],
            body: (0..bytes).map(|i| (i * 3 + i / 64) as u8).collect(),
            ..Self::default()
        }
    }

    /// An XTQ put that asks for every rewrite, with `bytes` bytes of arguments and payload.
    pub fn command(kernel: bool, bytes: usize) -> Self {
        Self {
            command: true,
            kernel,
            patch: kernel,
            buffer_valid: true,
            signal_valid: true,
            payload_address: 0x1111_2222_3333_4444,
            target: 0x5555_6666_7777_8888,
            buffer_pointer: 0x9999_AAAA_BBBB_CCCC,
            completion_signal: 0xDDDD_EEEE_FFFF_0123,
            aql: (0..64).map(|i| 0x80 + i).collect(),
            ..Self::put(0x0123_4567_89AB_CD00, bytes)
        }
    }

    /// The job as admission gives it.
    fn wire(&self) -> RewriteJob {
        let bit = |bit: bool| u64::from(bit).to_bits();
        RewriteJob {
            slot: u64::from(self.slot).to_bits(),
            context: u64::from(self.context).to_bits(),
            limit: 0.into(),
            discard: bit(self.discard),
            has_body: bit(self.has_body),
            message_last: bit(self.message_last),
            command: bit(self.command),
            kernel: bit(self.kernel),
            patch: bit(self.patch),
            buffer_valid: bit(self.buffer_valid),
            signal_valid: bit(self.signal_valid),
            rewrite_offset: u64::from(self.rewrite_offset).to_bits(),
            address: self.address.to_bits(),
            payload_address: self.payload_address.to_bits(),
            target: self.target.to_bits(),
            buffer_pointer: self.buffer_pointer.to_bits(),
            completion_signal: self.completion_signal.to_bits(),
            aql: Bits::from_words(&words(&self.aql)),
        }
    }

    /// The body as the parser gives it.
    pub fn beats(&self) -> Vec<BodyBeat> {
        if !self.has_body {
            return Vec::new();
        }
        let count = self.body.len().div_ceil(64).max(1);
        let beat = |i: usize| {
            let bytes = &self.body[64 * i..self.body.len().min(64 * i + 64)];
            BodyBeat {
                data: Bits::from_words(&words(bytes)),
                bytes: (bytes.len() as u64).to_bits(),
                last: u64::from(i + 1 == count).to_bits(),
                bad: u64::from(i + 1 == count && self.bad).to_bits(),
            }
        };
        (0..count).map(beat).collect()
    }

    /// Cycles of this job when nothing pauses.
    pub fn cycles(&self) -> u64 {
        let command = self.command && !self.discard;
        (self.beats().len() as u64 + u64::from(command)).max(1)
    }
}

/// Little-endian words of at most 64 bytes.
fn words(bytes: &[u8]) -> Vec<u64> {
    let mut words = vec![0; 8];
    for (i, byte) in bytes.iter().enumerate() {
        words[i / 8] |= u64::from(*byte) << (8 * (i % 8));
    }
    words
}

/// Bytes of the words of a beat.
fn bytes(words: &[u64]) -> Vec<u8> {
    words.iter().flat_map(|word| word.to_le_bytes()).collect()
}

/// A write beat, without what has no meaning in it.
#[derive(Clone, Debug, PartialEq)]
pub struct Beat {
    pub slot: u8,
    pub context: u8,
    /// The address, with the first beat of a packet.
    pub first: Option<u64>,
    /// `bad`, with the last beat of a packet.
    pub last: Option<bool>,
    pub message_last: bool,
    pub bytes: Vec<u8>,
}

/// What must come out, or what came out.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Output {
    pub beats: Vec<Beat>,
    /// Slot and AQL packet of each `packet` pulse.
    pub packets: Vec<(u8, Vec<u8>)>,
}

/// Puts a 64-bit word into bytes, as far as they reach.
fn store(bytes: &mut [u8], offset: usize, word: u64) {
    for (i, byte) in word.to_le_bytes().iter().enumerate() {
        if let Some(place) = bytes.get_mut(offset + i) {
            *place = *byte;
        }
    }
}

/// The rules of docs/blocks/delivery/rewrite_engine.md with the offsets of the HSA packets.
pub fn model(jobs: &[Job]) -> Output {
    let mut output = Output::default();
    for job in jobs.iter().filter(|job| !job.discard) {
        let mut beats: Vec<Vec<u8>> = Vec::new();
        let mut body = job.body.clone();
        if job.command {
            let mut aql = job.aql.clone();
            store(&mut aql, 48, 0);
            if job.kernel {
                store(&mut aql, 32, job.target);
                store(&mut aql, 40, job.address.wrapping_add(64));
                if job.signal_valid {
                    store(&mut aql, 56, job.completion_signal);
                }
            } else {
                store(&mut aql, 8, job.target);
                if job.buffer_valid {
                    store(&mut aql, 16, job.buffer_pointer);
                }
                store(&mut aql, 24, job.payload_address);
            }
            if job.patch {
                let offset = usize::from(job.rewrite_offset);
                if job.buffer_valid {
                    store(&mut body, offset, job.buffer_pointer);
                }
                store(&mut body, offset + 8, job.payload_address);
            }
            output.packets.push((job.slot, aql.clone()));
            beats.push(aql);
        }
        if job.has_body && body.is_empty() {
            beats.push(Vec::new());
        } else if job.has_body {
            beats.extend(body.chunks(64).map(<[u8]>::to_vec));
        }
        // Neither command nor body: the end of a message that was broken off.
        let broken_off = beats.is_empty();
        if broken_off {
            beats.push(Vec::new());
        }
        let count = beats.len();
        for (i, bytes) in beats.into_iter().enumerate() {
            output.beats.push(Beat {
                slot: job.slot,
                context: job.context,
                first: (i == 0).then_some(job.address),
                last: (i + 1 == count).then_some(job.bad && job.has_body || broken_off),
                message_last: job.message_last,
                bytes,
            });
        }
    }
    output
}

/// What a run gave, with the cycle of each handshake.
#[derive(Debug)]
pub struct Run {
    pub output: Output,
    pub job_cycles: Vec<u64>,
    pub body_cycles: Vec<u64>,
    pub beat_cycles: Vec<u64>,
    pub packet_cycles: Vec<u64>,
}

/// Share of paused cycles on the three streams, the seed of the pauses, and cycles by which jobs or bodies come late.
#[derive(Clone, Copy, Debug, Default)]
pub struct Pauses {
    pub job: f64,
    pub body: f64,
    pub beat: f64,
    pub seed: u64,
    pub late_jobs: u64,
    pub late_bodies: u64,
}

/// First cycle of a run: after the reset.
pub const START: u64 = 2;

/// Gives the block the jobs and bodies and lets it come to rest.
pub fn run(jobs: &[Job], pauses: Pauses) -> Result<Run, BenchError> {
    let mut engine = engine()?;
    let mut bench = Bench::new(&mut engine)?;
    let source = bench.source("job", Gaps::random(pauses.job, pauses.seed))?;
    let bodies = bench.source("body", Gaps::random(pauses.body, pauses.seed ^ 1))?;
    let beats = bench.sink("beat", Gaps::random(pauses.beat, pauses.seed ^ 2))?;
    let packets = WordSink::pulse(bench.engine, &["packet", "packet_slot"], "packet_valid")?;
    bench.sinks.push(packets);
    let start = bench.engine.cycle();
    assert_eq!(start, START);
    // At rest when no stream has moved for many times the longest likely pause.
    let (mut still, mut moved) = (0, 0);
    while still < 40 {
        for job in jobs {
            if bench.engine.cycle() == start + pauses.late_jobs {
                bench.sources[source].push_value(job.wire());
            }
            if bench.engine.cycle() == start + pauses.late_bodies {
                for beat in job.beats() {
                    bench.sources[bodies].push_value(beat);
                }
            }
        }
        bench.cycle()?;
        let taken = bench.sources.iter().map(|s| s.accepted().len());
        let given = bench.sinks.iter().map(|s| s.received().len());
        let now = taken.sum::<usize>() + given.sum::<usize>();
        still = if now == moved { still + 1 } else { 0 };
        moved = now;
        if bench.engine.cycle().is_multiple_of(16) {
            bench.check_ready_paths()?;
        }
    }
    let beat = |beat: WriteBeat| {
        let mut data = [0; 8];
        beat.data.to_words(&mut data);
        Beat {
            slot: beat.slot.to_u64() as u8,
            context: beat.context.to_u64() as u8,
            first: beat.first.any().then(|| beat.address.to_u64()),
            last: beat.last.any().then(|| beat.bad.any()),
            message_last: beat.message_last.any(),
            bytes: bytes(&data)[..beat.bytes.to_u64() as usize].to_vec(),
        }
    };
    let packet = |words: &Vec<u64>| (words[8] as u8, bytes(&words[..8]));
    let cycles = |sink: usize| {
        let words = bench.sinks[sink].received().iter();
        words.map(|(cycle, _)| *cycle).collect()
    };
    Ok(Run {
        output: Output {
            beats: bench.sinks[beats].values().into_iter().map(beat).collect(),
            packets: bench.sinks[1]
                .received()
                .iter()
                .map(|(_, w)| packet(w))
                .collect(),
        },
        job_cycles: bench.sources[source].accepted().to_vec(),
        body_cycles: bench.sources[bodies].accepted().to_vec(),
        beat_cycles: cycles(beats),
        packet_cycles: cycles(1),
    })
}

/// The block, ready to run.
pub fn engine() -> xtq_engine::Result<Box<dyn Engine>> {
    blocks::engine("rewrite_engine", EngineKind::Jit)
}
