//! What the packetiser must make of messages, written with the byte offsets of the wire format; and its neighbours.

use rand::Rng;
use rand_chacha::ChaCha8Rng;
use rust_hdl::prelude::*;
use xtq_testbench::bus::{Bench, Gaps};
use xtq_types::Wire;
use xtq_types::send::{PackedBeat, SendJob};
use xtq_types::wire_header::opcode;

use crate::beats::{bytes, field, words};

/// The node that sends.
pub const NODE: u16 = 0xBEEF;

/// A message; `header` are the bytes of its headers that do not change, `failed` the first beat that could not be read.
#[derive(Clone, Debug)]
pub struct Message {
    pub job: SendJob,
    /// Bytes; empty for a message without a body.
    pub body: Vec<u8>,
    pub failed: Option<usize>,
}

/// A beat on the network: bytes whose keep bit is 1, and last.
pub type Beat = (Vec<u8>, bool);

impl Message {
    /// A message with a body of `length` bytes.
    pub fn new(rng: &mut ChaCha8Rng, length: usize) -> Self {
        let count = SendJob::BITS.div_ceil(64);
        let words: Vec<u64> = (0..count).map(|_| rng.random()).collect();
        // Whatever a header says is drawn; what the body is, is not.
        let job = SendJob {
            length: (length as u64).to_bits(),
            has_body: 1.into(),
            single: 0.into(),
            operand: 0u64.into(),
            kept: 0.into(),
            ..SendJob::from_words(&words)
        };
        // Every other message is a reply.
        let opcode = [opcode::REPLY, opcode::PUT][(words[0] & 1) as usize];
        let job = SendJob {
            opcode: opcode.to_bits(),
            ..job
        };
        let body = (0..length).map(|_| rng.random()).collect();
        Self {
            job,
            body,
            failed: None,
        }
    }

    /// A message without a body whose headers name `length` bytes, as of a GET.
    pub fn bare(rng: &mut ChaCha8Rng, length: usize) -> Self {
        let message = Self::new(rng, 0);
        let length = (length as u64).to_bits();
        Self {
            job: SendJob {
                length,
                has_body: 0.into(),
                ..message.job
            },
            ..message
        }
    }

    /// The same message, with bytes that were kept: a reply to an atomic.
    pub fn kept(self) -> Self {
        let job = SendJob {
            opcode: opcode::REPLY.to_bits(),
            kept: 1.into(),
            ..self.job
        };
        Self { job, ..self }
    }

    /// A datum of `size` bytes with an operand.
    pub fn single(rng: &mut ChaCha8Rng, size: usize) -> Self {
        let message = Self::new(rng, size);
        let job = SendJob {
            opcode: opcode::SWAP.to_bits(),
            single: 1.into(),
            operand: rng.random::<u64>().into(),
            ..message.job
        };
        Self { job, ..message }
    }

    /// The same message, of which beat `index` and those after it could not be read.
    pub fn failing(self, index: usize) -> Self {
        Self {
            failed: Some(index),
            ..self
        }
    }

    /// What the gather unit gives.
    pub fn beats(&self) -> Vec<PackedBeat> {
        let count = self.body.len().div_ceil(64);
        let beat = |(i, bytes): (usize, &[u8])| {
            // After the last byte lies what is after it in memory.
            let mut lanes = [0xE7; 64];
            lanes[..bytes.len()].copy_from_slice(bytes);
            PackedBeat {
                data: Bits::from_words(&words(&lanes)),
                bytes: (bytes.len() as u64).to_bits(),
                last: u64::from(i + 1 == count).to_bits(),
                error: u64::from(self.failed.is_some_and(|failed| i >= failed)).to_bits(),
            }
        };
        self.body.chunks(64).enumerate().map(beat).collect()
    }

    /// The header of packet number `packet` of message number `id`, byte by byte.
    fn header(&self, id: u16, packet: usize) -> Vec<u8> {
        let job = &self.job;
        let mut header = vec![
            1,
            job.opcode.to_u64() as u8,
            job.ack_request.to_u64() as u8,
            job.ni_fail.to_u64() as u8,
        ];
        header.extend(NODE.to_le_bytes());
        header.extend((job.target_node.to_u64() as u16).to_le_bytes());
        header.push(job.context.to_u64() as u8);
        header.push(job.target_context.to_u64() as u8);
        header.extend((job.portal_index.to_u64() as u16).to_le_bytes());
        header.extend((job.user_id.to_u64() as u32).to_le_bytes());
        for word in [job.match_bits, job.remote_offset, job.header_data] {
            header.extend(word.to_u64().to_le_bytes());
        }
        header.extend((job.length.to_u64() as u32).to_le_bytes());
        header.extend((4096 * packet as u32).to_le_bytes());
        let reply = u16::from(job.opcode == u64::from(opcode::REPLY));
        header.extend((id & 0x7FFF | reply << 15).to_le_bytes());
        header.extend((job.command_length.to_u64() as u16).to_le_bytes());
        header.extend([0; 4]);
        header.extend((job.initiator_handle.to_u64() as u16).to_le_bytes());
        header.push(job.operation.to_u64() as u8);
        header.push(job.datatype.to_u64() as u8);
        header.extend([0; 4]);
        assert_eq!(header.len(), 64);
        header
    }

    /// Its AQL packet cannot be read: a packet of zeros goes out, which a target refuses by its type.
    pub fn loses_command(&self) -> bool {
        self.failed == Some(0) && self.job.command_length.any()
    }

    /// What must go out for message number `id`.
    pub fn packets(&self, id: u16) -> Vec<Beat> {
        let mut out = Vec::new();
        let count = self.body.len().div_ceil(4096).max(1);
        let bad_packet = self.failed.map(|beat| beat / 64);
        for packet in 0..count {
            let mut body =
                self.body[4096 * packet..self.body.len().min(4096 * packet + 4096)].to_vec();
            if self.job.single == 1u64 {
                body.resize(8, 0);
                body.extend(self.job.operand.to_u64().to_le_bytes());
            }
            let mut beats = vec![self.header(id, packet)];
            if bad_packet.is_none_or(|bad| packet <= bad) {
                beats.extend(body.chunks(64).map(<[u8]>::to_vec));
            }
            if let Some(beat) = self.failed.filter(|_| bad_packet == Some(packet)) {
                // Cut at the bad beat; a beat of zeros whose length is wrong takes its place.
                beats.truncate(1 + beat % 64);
                let due = self.body.len().min(64 * beat + 64) - 64 * beat;
                beats.push(match due {
                    _ if self.loses_command() => vec![0; 64],
                    1 => vec![0; 2],
                    _ => vec![0; 1],
                });
            }
            let last = beats.len() - 1;
            out.extend(
                beats
                    .into_iter()
                    .enumerate()
                    .map(|(i, bytes)| (bytes, i == last)),
            );
        }
        out
    }

    /// What must be reported: place and error.
    pub fn note(&self) -> (u64, bool) {
        (
            self.job.initiator_handle.to_u64() & 255,
            self.failed.is_some(),
        )
    }
}

/// All packets of messages in order.
pub fn packets(messages: &[Message]) -> Vec<Beat> {
    let numbered = messages.iter().enumerate();
    numbered
        .flat_map(|(id, message)| message.packets(id as u16))
        .collect()
}

/// Positions of the models of [`bench`].
pub const JOB: usize = 0;
pub const BEAT: usize = 1;
pub const OLD: usize = 2;
pub const TX: usize = 0;
pub const SENT: usize = 1;

/// The block's neighbours: shares of paused cycles of jobs, beats, tx and sent.
pub fn bench(engine: &mut dyn xtq_engine::Engine, pauses: [f64; 4], seed: u64) -> Bench<'_> {
    let mut bench = Bench::new(engine).unwrap();
    let gaps = |i: usize| Gaps::random(pauses[i], seed ^ i as u64);
    bench.source("job", gaps(0)).unwrap();
    bench.source("beat", gaps(1)).unwrap();
    bench
        .source("old", Gaps::random(pauses[1], seed ^ 4))
        .unwrap();
    bench.sink("tx", gaps(2)).unwrap();
    bench.sink("sent", gaps(3)).unwrap();
    bench.set("node", &[NODE.into()]).unwrap();
    bench
}

/// Gives the block messages.
pub fn push(bench: &mut Bench, messages: &[Message]) {
    for message in messages {
        bench.sources[JOB].push_value(message.job);
        let source = match message.job.kept == 1u64 {
            true => OLD,
            false => BEAT,
        };
        for beat in message.beats() {
            bench.sources[source].push_value(beat);
        }
    }
}

/// What has gone out.
pub fn sent_beats(bench: &Bench) -> Vec<Beat> {
    let beat = |(_, words): &(u64, Vec<u64>)| {
        let (keep, last) = (words[8], words[9] == 1);
        let count = keep.trailing_ones() as usize;
        assert_eq!(
            keep.count_ones() as usize,
            count,
            "keep is not from lane 0 on: {keep:x}"
        );
        (bytes(words)[..count].to_vec(), last)
    };
    bench.sinks[TX].received().iter().map(beat).collect()
}

/// What was reported to the completer.
pub fn notes(bench: &Bench) -> Vec<(u64, bool)> {
    let note = |(_, words): &(u64, Vec<u64>)| (field(words, 0, 8), field(words, 8, 1) == 1);
    bench.sinks[SENT].received().iter().map(note).collect()
}

/// Runs messages through the block and compares what goes out and what is reported to the completer.
pub fn check(messages: &[Message], pauses: [f64; 4], seed: u64) {
    let mut engine = crate::runs::engine("packetiser");
    let mut bench = bench(&mut *engine, pauses, seed);
    push(&mut bench, messages);
    crate::runs::run_until_received(&mut bench, SENT, messages.len(), 200_000);
    for i in 0..20 {
        bench.cycle().unwrap();
        if i % 4 == 0 {
            bench.check_ready_paths().unwrap();
        }
    }
    assert_eq!(bench.sources[BEAT].waiting(), 0, "seed {seed}");
    assert_eq!(bench.sources[OLD].waiting(), 0, "seed {seed}");
    let (got, expected) = (sent_beats(&bench), packets(messages));
    for (i, (got, expected)) in got.iter().zip(&expected).enumerate() {
        assert_eq!(got, expected, "seed {seed}, beat {i}");
    }
    assert_eq!(got.len(), expected.len(), "seed {seed}");
    let expected: Vec<(u64, bool)> = messages.iter().map(Message::note).collect();
    assert_eq!(notes(&bench), expected, "seed {seed}");
}
