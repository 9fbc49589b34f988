//! `StreamDriver`, `StreamMonitor`, `StreamChecker`: packets over an AXI4-Stream of 64-byte beats.
//!
//! Pins by prefix: `s_axis_net_` gives `s_axis_net_tdata` (512), `tkeep` (64), `tlast`, `tvalid`, `tready`; inside the
//! design the `t` is missing (`rx_` gives `rx_data`, `rx_keep`, ...); both are understood. Byte *i* of a beat is bits
//! `8 i + 7 .. 8 i` of the data and bit *i* of keep.

use std::collections::VecDeque;

use xtq_engine::{Engine, Result};

use super::channel_names::ChannelNames;
use super::{BEAT_BYTES, Beat, Gaps, Model, Violation, WordChecker, WordSink, WordSource};
use crate::saved::saved;

/// 64-bit words of a beat's data.
const DATA_WORDS: usize = BEAT_BYTES / 8;

/// The pins of the stream with this prefix.
fn names(engine: &dyn Engine, prefix: &str) -> ChannelNames {
    let is_top = engine.port(&format!("{prefix}tvalid")).is_ok();
    let t = if is_top { "t" } else { "" };
    ChannelNames::new(prefix, &["data", "keep", "last"], |field| {
        format!("{prefix}{t}{field}")
    })
}

/// A beat as data words, keep and last.
fn words(beat: &Beat) -> Vec<u64> {
    let mut words = vec![0; DATA_WORDS + 2];
    for (i, byte) in beat.bytes.iter().enumerate() {
        words[i / 8] |= u64::from(*byte) << (8 * (i % 8));
    }
    words[DATA_WORDS] = u64::MAX >> (BEAT_BYTES - beat.bytes.len());
    words[DATA_WORDS + 1] = u64::from(beat.last);
    words
}

/// Sends packets into the design. The gaps fall between any two beats.
#[derive(Clone, Debug)]
pub struct StreamDriver {
    source: WordSource,
    packets: VecDeque<(u64, Vec<u8>)>,
    /// Beats of a packet were queued, its last was not.
    in_packet: bool,
}

saved!(StreamDriver {
    source,
    packets,
    in_packet
});

impl StreamDriver {
    /// A driver for the stream with this prefix. Errors: a pin is missing or of the wrong direction.
    pub fn new(engine: &dyn Engine, prefix: &str, gaps: Gaps) -> Result<Self> {
        Ok(Self {
            source: names(engine, prefix).source(engine, gaps)?,
            packets: VecDeque::new(),
            in_packet: false,
        })
    }

    /// Queues a packet after those already queued. An empty packet is a cycle without a beat.
    pub fn push(&mut self, packet: &[u8]) {
        self.push_at(0, packet);
    }

    /// Queues a packet whose first beat is offered in clock cycle `cycle` at the earliest.
    pub fn push_at(&mut self, cycle: u64, packet: &[u8]) {
        self.packets.push_back((cycle, packet.to_vec()));
    }

    /// Queues one beat. Packets queued whole wait until the packet of this beat has ended.
    pub fn push_beat(&mut self, beat: &Beat) {
        self.in_packet = !beat.last;
        self.source.push(&words(beat));
    }

    /// Whether every packet has been taken by the design.
    pub fn is_done(&self) -> bool {
        self.packets.is_empty() && self.source.waiting() == 0
    }

    /// Cycle of each beat's handshake so far; nothing if they are not [kept](Self::keep).
    pub fn accepted(&self) -> &[u64] {
        self.source.accepted()
    }

    /// Whether the cycle of each handshake is kept from now on, as it is at first.
    pub fn keep(&mut self, keeps: bool) {
        self.source.keep(keeps);
    }

    /// Beats that the design has taken so far.
    pub fn count(&self) -> u64 {
        self.source.count()
    }

    /// Whether a beat was taken in the cycle sampled last.
    pub fn was_taken(&self) -> bool {
        self.source.was_taken()
    }

    /// First cycle, from `now` on, in which it may drive its pins in another way than in the last one; `u64::MAX`:
    /// never by itself.
    pub fn next_event(&self, now: u64) -> u64 {
        let packet = self.packets.front().map(|(cycle, _)| (*cycle).max(now));
        match self.source.waiting() {
            0 => packet.unwrap_or(u64::MAX),
            _ => now,
        }
    }
}

impl Model for StreamDriver {
    fn drive(&mut self, engine: &mut dyn Engine) -> Result<()> {
        if self.source.waiting() == 0
            && !self.in_packet
            && self
                .packets
                .front()
                .is_some_and(|(cycle, _)| *cycle <= engine.cycle())
        {
            let packet = self
                .packets
                .pop_front()
                .map_or_else(Vec::new, |(_, packet)| packet);
            Beat::cut(&packet).for_each(|beat| self.source.push(&words(&beat)));
        }
        self.source.drive(engine)
    }

    fn sample(&mut self, engine: &dyn Engine, cycle: u64) -> std::result::Result<(), Violation> {
        self.source.sample(engine, cycle)
    }
}

/// The rules of a beat; stability is checked by [`WordChecker`].
fn check_beat(
    checker: &WordChecker,
    cycle: u64,
    beat: &[u64],
) -> std::result::Result<(), Violation> {
    let (keep, last) = (beat[DATA_WORDS], beat[DATA_WORDS + 1] == 1);
    let broken = if keep & keep.wrapping_add(1) != 0 {
        StreamChecker::KEEP_CONTIGUOUS
    } else if !last && keep != u64::MAX {
        StreamChecker::KEEP_FULL
    } else if keep == 0 {
        StreamChecker::KEEP_NON_ZERO
    } else {
        return Ok(());
    };
    Err(checker.violation(cycle, broken, format!("tkeep {keep:016x}, tlast {last}")))
}

/// Checks a stream without touching it.
#[derive(Clone, Debug)]
pub struct StreamChecker {
    words: WordChecker,
}

saved!(StreamChecker { words });

impl StreamChecker {
    /// The kept bytes are the lowest of the beat.
    pub const KEEP_CONTIGUOUS: &'static str = "tkeep is not contiguous from byte 0";
    /// Only the last beat may be partial.
    pub const KEEP_FULL: &'static str = "tkeep is not all ones before the last beat";
    /// The last beat holds at least one byte.
    pub const KEEP_NON_ZERO: &'static str = "tkeep of the last beat is zero";

    /// A checker for the stream with this prefix. Errors: a pin is missing.
    pub fn new(engine: &dyn Engine, prefix: &str) -> Result<Self> {
        let words = names(engine, prefix).checker(engine)?;
        Ok(Self { words })
    }
}

impl Model for StreamChecker {
    fn drive(&mut self, _engine: &mut dyn Engine) -> Result<()> {
        Ok(())
    }

    fn sample(&mut self, engine: &dyn Engine, cycle: u64) -> std::result::Result<(), Violation> {
        match self.words.observe(engine, cycle)? {
            Some(beat) => check_beat(&self.words, cycle, &beat),
            None => Ok(()),
        }
    }
}

/// A packet that left the design.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct Packet {
    /// Cycle in which the first beat was offered, taken or not.
    pub offered_cycle: u64,
    /// Cycle of the first beat's handshake.
    pub first_cycle: u64,
    /// Cycle of the last beat's handshake.
    pub last_cycle: u64,
    /// The kept bytes.
    pub bytes: Vec<u8>,
}

/// Takes packets from the design, with back-pressure, and checks the stream.
#[derive(Clone, Debug)]
pub struct StreamMonitor {
    sink: WordSink,
    /// Since when a packet that has not begun is offered.
    offered: Option<u64>,
    partial: Option<Packet>,
    packets: Vec<Packet>,
    /// Whether the bytes of packets are kept.
    keeps: bool,
    count: u64,
    open: bool,
    taken: Option<Beat>,
}

saved!(StreamMonitor {
    sink,
    offered,
    partial,
    packets,
    keeps,
    count,
    open,
    taken
});

impl StreamMonitor {
    /// A monitor for the stream with this prefix; a gap is a cycle without ready. Errors: a pin is missing or of the
    /// wrong direction.
    pub fn new(engine: &dyn Engine, prefix: &str, gaps: Gaps) -> Result<Self> {
        Ok(Self {
            sink: names(engine, prefix).sink(engine, gaps)?,
            offered: None,
            partial: None,
            packets: Vec::new(),
            keeps: true,
            count: 0,
            open: true,
            taken: None,
        })
    }

    /// The whole packets since the last [`take_packets`](Self::take_packets); none if they are not [kept](Self::keep).
    pub fn packets(&self) -> &[Packet] {
        &self.packets
    }

    /// Takes the whole packets since the last call.
    pub fn take_packets(&mut self) -> Vec<Packet> {
        std::mem::take(&mut self.packets)
    }

    /// Whether packets that begin from now on are kept, as they are at first.
    pub fn keep(&mut self, keeps: bool) {
        self.keeps = keeps;
    }

    /// Whole packets so far.
    pub fn count(&self) -> u64 {
        self.count
    }

    /// Whether a beat was offered in the cycle sampled last and not taken.
    pub fn waits(&self) -> bool {
        self.sink.checker().waits()
    }

    /// Whether it may take beats from now on; while it may not, ready is low.
    pub fn set_open(&mut self, open: bool) {
        self.open = open;
    }

    /// The beat taken in the cycle sampled last.
    pub fn taken(&self) -> Option<&Beat> {
        self.taken.as_ref()
    }

    /// Whether a packet has begun and not ended.
    pub fn in_packet(&self) -> bool {
        self.partial.is_some()
    }
}

impl Model for StreamMonitor {
    fn drive(&mut self, engine: &mut dyn Engine) -> Result<()> {
        self.sink.drive_if(engine, self.open)
    }

    fn sample(&mut self, engine: &dyn Engine, cycle: u64) -> std::result::Result<(), Violation> {
        self.taken = None;
        let taken = self.sink.take(engine, cycle)?;
        if self.partial.is_none() && (taken.is_some() || self.sink.checker().waits()) {
            self.offered.get_or_insert(cycle);
        }
        let Some(beat) = taken else {
            return Ok(());
        };
        check_beat(self.sink.checker(), cycle, &beat)?;
        let offered_cycle = self.offered.take().unwrap_or(cycle);
        let mut packet = self.partial.take().unwrap_or(Packet {
            offered_cycle,
            first_cycle: cycle,
            last_cycle: cycle,
            bytes: Vec::new(),
        });
        let bytes = beat[..DATA_WORDS]
            .iter()
            .flat_map(|word| word.to_le_bytes());
        let beat = Beat {
            bytes: bytes.take(beat[DATA_WORDS].count_ones() as usize).collect(),
            last: beat[DATA_WORDS + 1] == 1,
        };
        if self.keeps {
            packet.bytes.extend(&beat.bytes);
        }
        packet.last_cycle = cycle;
        if !beat.last {
            self.partial = Some(packet);
        } else {
            self.count += 1;
            if self.keeps {
                self.packets.push(packet);
            }
        }
        self.taken = Some(beat);
        Ok(())
    }
}
