//! Packets, and a run of the block.

use xtq_engine::Engine;
use xtq_engine::EngineKind;
use xtq_engine::blocks;
use xtq_testbench::bus::{Bench, BenchError, Gaps, WordSink, WordSource};
use xtq_types::Wire;
use xtq_types::pipe::{BodyBeat, PacketHead};
use xtq_types::wire_header::{MTU, VERSION, WireHeader, opcode};

/// This node.
pub const NODE: u64 = 0x1234;
/// Contexts 0, 1 and 3 take messages.
pub const ENABLED: u64 = 0b1011;
/// The pulses: packets, then the causes in their order.
pub const PULSES: [&str; 6] = [
    "count_packet",
    "drop_version",
    "drop_opcode",
    "drop_target",
    "drop_context",
    "drop_length",
];
/// What gives places of requests back: from a packet nothing follows, or no old bytes.
const PLACES: [&str; 2] = ["dropped", "fetch_dropped"];
/// Positions in [`PULSES`].
pub const VERSION_CAUSE: usize = 1;
pub const OPCODE_CAUSE: usize = 2;
pub const TARGET_CAUSE: usize = 3;
pub const CONTEXT_CAUSE: usize = 4;
pub const LENGTH_CAUSE: usize = 5;

/// Little-endian words of at most 64 bytes.
pub fn words(bytes: &[u8]) -> Vec<u64> {
    let mut words = vec![0; 8];
    for (i, byte) in bytes.iter().enumerate() {
        words[i / 8] |= u64::from(*byte) << (8 * (i % 8));
    }
    words
}

/// The header fields that decide; all others are noise from `bytes`.
#[derive(Clone, Debug)]
pub struct Header {
    pub version: u8,
    pub opcode: u8,
    pub node: u16,
    pub context: u8,
    pub message_length: u32,
    pub packet_offset: u32,
    pub command_length: u16,
    /// What an atomic does, and on what; noise of other packets.
    pub atomic: Option<(u8, u8)>,
    pub noise: Vec<u8>,
}

impl Header {
    /// A plain put of one packet.
    pub fn put(message_length: u32) -> Self {
        Self {
            version: VERSION,
            opcode: opcode::PUT,
            node: NODE as u16,
            context: 1,
            message_length,
            packet_offset: 0,
            command_length: 0,
            atomic: None,
            noise: (0..64u8).map(|i| 0xA0 ^ i.wrapping_mul(5)).collect(),
        }
    }

    /// An XTQ put of one packet.
    pub fn xtq(message_length: u32, command_length: u16) -> Self {
        Self {
            opcode: opcode::XTQ_PUT,
            command_length,
            ..Self::put(message_length)
        }
    }

    /// The 64 bytes of the header beat.
    pub fn bytes(&self) -> Vec<u8> {
        let mut bytes = self.noise.clone();
        let mut put = |name: &str, value: u64| {
            let field = WireHeader::FIELDS.iter().find(|field| field.name == name);
            let field = field.expect("a field of the header");
            let place = field.offset / 8..(field.offset + field.width) / 8;
            bytes[place].copy_from_slice(&value.to_le_bytes()[..field.width / 8]);
        };
        put("version", self.version.into());
        put("opcode", self.opcode.into());
        put("target_node", self.node.into());
        put("target_context", self.context.into());
        put("message_length", self.message_length.into());
        put("packet_offset", self.packet_offset.into());
        put("command_length", self.command_length.into());
        if let Some((operation, datatype)) = self.atomic {
            put("operation", operation.into());
            put("datatype", datatype.into());
        }
        bytes
    }

    /// Body bytes that the header announces; 0 if it is nonsense.
    pub fn announced(&self) -> usize {
        if is_atomic(self.opcode) && self.atomic.is_some_and(|(what, _)| is_single(what)) {
            return 16;
        }
        (self.message_length.saturating_sub(self.packet_offset) as usize).min(MTU)
    }

    /// The packet with `body` bytes of body.
    pub fn with_body(&self, body: usize) -> Packet {
        let mut bytes = self.bytes();
        bytes.extend((0..body).map(|i| (i * 7 + i / 64) as u8));
        Packet::new(&bytes)
    }

    /// The packet as the header announces it.
    pub fn packet(&self) -> Packet {
        self.with_body(self.announced())
    }
}

/// ATOMIC, FETCH_ATOMIC, SWAP.
pub fn is_atomic(code: u8) -> bool {
    [opcode::ATOMIC, opcode::FETCH_ATOMIC, opcode::SWAP].contains(&code)
}

/// CSWAP to CSWAP_GT, and MSWAP: one datum and an operand.
pub fn is_single(operation: u8) -> bool {
    (11..=17).contains(&operation)
}

/// The beats of a packet: 64 bytes each and the keep bits, `last` with the last; and whether it comes as an answer, as
/// a REPLY should.
#[derive(Clone, Debug)]
pub struct Packet {
    pub beats: Vec<(Vec<u8>, u64)>,
    pub answer: bool,
}

impl Packet {
    /// Full beats but the last.
    pub fn new(bytes: &[u8]) -> Self {
        let beat = |bytes: &[u8]| (bytes.to_vec(), u64::MAX >> (64 - bytes.len()));
        Self {
            beats: bytes.chunks(64).map(beat).collect(),
            answer: bytes.get(1) == Some(&opcode::REPLY),
        }
    }

    /// The bytes that count of each beat.
    pub fn chunks(&self) -> Vec<&[u8]> {
        let chunks = self.beats.iter().enumerate().map(|(i, (bytes, keep))| {
            let length = match () {
                _ if i + 1 < self.beats.len() => 64,
                _ if keep & keep.wrapping_add(1) != 0 => 0,
                _ => keep.count_ones() as usize,
            };
            &bytes[..length.min(bytes.len())]
        });
        chunks.collect()
    }
}

/// A body beat: valid bytes, last, bad.
pub type Beat = (Vec<u8>, bool, bool);

/// What must come out of one packet, or what came out of many.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Output {
    /// With the AQL packet if there is one.
    pub heads: Vec<(PacketHead, Vec<u64>)>,
    pub bodies: Vec<Beat>,
    /// Answers to messages that no context takes.
    pub refusals: Vec<WireHeader>,
    /// By [`PULSES`].
    pub pulses: [usize; 6],
    /// By [`PLACES`].
    pub places: [usize; 2],
}

/// What a run gave, with the cycle of each handshake.
#[derive(Debug)]
pub struct Run {
    pub output: Output,
    pub rx_cycles: Vec<u64>,
    pub head_cycles: Vec<u64>,
    pub body_cycles: Vec<u64>,
    pub pulse_cycles: [Vec<u64>; 6],
    pub refusal_cycles: Vec<u64>,
}

/// Share of paused cycles on the three streams, and the seed of the pauses.
#[derive(Clone, Copy, Debug, Default)]
pub struct Pauses {
    pub rx: f64,
    pub head: f64,
    pub body: f64,
    pub refusal: f64,
    pub seed: u64,
}

/// Sends the packets and lets the design come to rest.
pub fn run(packets: &[Packet], pauses: Pauses) -> Result<Run, BenchError> {
    let mut engine = engine()?;
    let mut bench = Bench::new(&mut engine)?;
    bench.set("node", &[NODE])?;
    bench.set("context_enabled", &[ENABLED])?;
    bench.set("gets", &[1])?;
    let Pauses {
        rx,
        head,
        body,
        refusal,
        seed,
    } = pauses;
    let mut source = WordSource::with_ports(
        bench.engine,
        &["rx_data", "rx_keep", "rx_last", "answer"],
        "rx_valid",
        "rx_ready",
        Gaps::random(rx, seed),
    )?;
    for packet in packets {
        for (i, (bytes, keep)) in packet.beats.iter().enumerate() {
            let mut beat = words(bytes);
            let last = i + 1 == packet.beats.len();
            beat.extend([*keep, u64::from(last), u64::from(packet.answer)]);
            source.push(&beat);
        }
    }
    bench.sources.push(source);
    let heads = WordSink::with_ports(
        bench.engine,
        "head",
        &["head", "head_aql"],
        "head_valid",
        "head_ready",
        Gaps::random(head, seed ^ 1),
    )?;
    bench.sinks.push(heads);
    bench.sink("body", Gaps::random(body, seed ^ 2))?;
    for name in PULSES {
        bench.sinks.push(WordSink::pulse(bench.engine, &[], name)?);
    }
    bench.sink("refusal", Gaps::random(refusal, seed ^ 3))?;
    for name in PLACES {
        bench.sinks.push(WordSink::pulse(bench.engine, &[], name)?);
    }
    // At rest when neither stream has moved for many times the longest likely pause.
    let mut still = 0;
    let mut moved = 0;
    while still < 40 {
        bench.cycle()?;
        let now = bench.sources[0].accepted().len()
            + bench
                .sinks
                .iter()
                .map(|s| s.received().len())
                .sum::<usize>();
        still = if now == moved { still + 1 } else { 0 };
        moved = now;
        if bench.engine.cycle() % 16 == 0 {
            bench.check_ready_paths()?;
        }
    }
    let cycles = |sink: usize| bench.sinks[sink].received().iter().map(|(c, _)| *c);
    let mut output = Output::default();
    for (_, words) in bench.sinks[0].received() {
        let head = PacketHead::from_words(&words[..7]);
        let has_aql = head.xtq.any() && head.first.any();
        let aql = if has_aql { &words[7..] } else { &[] };
        output.heads.push((head, aql.to_vec()));
    }
    for beat in bench.sinks[1].values::<BodyBeat>() {
        let mut data = [0; 8];
        beat.data.to_words(&mut data);
        let mut bytes: Vec<u8> = data.iter().flat_map(|word| word.to_le_bytes()).collect();
        bytes.truncate(beat.bytes.to_u64() as usize);
        output.bodies.push((bytes, beat.last.any(), beat.bad.any()));
    }
    output.refusals = bench.sinks[8].values::<WireHeader>();
    output.pulses = std::array::from_fn(|i| cycles(2 + i).count());
    output.places = std::array::from_fn(|i| cycles(9 + i).count());
    Ok(Run {
        output,
        rx_cycles: bench.sources[0].accepted().to_vec(),
        head_cycles: cycles(0).collect(),
        body_cycles: cycles(1).collect(),
        pulse_cycles: std::array::from_fn(|i| cycles(2 + i).collect()),
        refusal_cycles: cycles(8).collect(),
    })
}

/// Runs without pauses.
pub fn run_freely(packets: &[Packet]) -> Run {
    run(packets, Pauses::default()).expect("no rule is broken")
}

/// The block, ready to run.
pub fn engine() -> xtq_engine::Result<Box<dyn Engine>> {
    blocks::engine("receive_parser", EngineKind::Jit)
}
