//! What the channels of an AXI4 port carry, and the pins they are read from.
//!
//! At the top the prefix `m_axi_` gives `m_axi_awaddr`; inside the design a channel has a name of its own (prefix
//! empty: `aw_addr`); both are understood. The data are 512 bits wide. A port without `awvalid` has no write channels,
//! one without `arvalid` no read channels. Pins that may be missing: `id` (0), `len` (0), `size` (6: 64 bytes), `burst`
//! (INCR), `user` (0), `atop` (0), `last` (1).

use xtq_engine::{Engine, Error, Result};

use super::channel_names::AxiNames;
use super::{Pin, Violation, WordChecker};
use crate::saved::saved;

/// Bytes of a full data beat.
pub const LINE_BYTES: u64 = 64;

/// `burst` of an incrementing burst.
pub const BURST_INCR: u8 = 1;

/// `burst` of a wrapping burst; only for an atomic whose address is the upper half of its container.
pub const BURST_WRAP: u8 = 2;

/// `awatop` of AtomicCompare.
pub const ATOMIC_COMPARE: u8 = 0x31;

/// What an address channel carries.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct Address {
    /// Address of the first byte.
    pub address: u64,
    /// Transaction id.
    pub id: u8,
    /// Beats less one.
    pub len: u8,
    /// Log2 of the bytes of a beat.
    pub size: u8,
    /// Burst type.
    pub burst: u8,
    /// Context (`awuser`, `aruser`).
    pub context: u8,
    /// Atomic operation, 0 = none.
    pub atop: u8,
}

impl Address {
    /// Beats of the burst.
    pub fn beats(&self) -> u64 {
        u64::from(self.len) + 1
    }

    /// Bytes of a beat, at most 64.
    pub fn beat_bytes(&self) -> u64 {
        1 << self.size.min(6)
    }

    /// Address of the container of beat `beat`: aligned to the size.
    fn container(&self, beat: u64) -> u64 {
        (self.address & !(self.beat_bytes() - 1)).wrapping_add(beat * self.beat_bytes())
    }

    /// Address of the 64-byte line that beat `beat` lies in.
    pub fn line(&self, beat: u64) -> u64 {
        self.container(beat) & !(LINE_BYTES - 1)
    }

    /// Byte lanes that beat `beat` may use: bit *i* is lane *i*. An atomic uses its whole container.
    pub fn lanes(&self, beat: u64) -> u64 {
        let container = self.container(beat);
        let unaligned = beat == 0 && self.atop == 0;
        let first = if unaligned { self.address } else { container };
        let end = container % LINE_BYTES + self.beat_bytes();
        (u64::MAX >> (LINE_BYTES - end)) & (u64::MAX << (first % LINE_BYTES))
    }

    /// Address of the first and of the last byte of the burst's containers.
    pub fn span(&self) -> (u64, u64) {
        let first = self.container(0);
        (
            first,
            first.saturating_add(self.beats() * self.beat_bytes() - 1),
        )
    }
}

/// A beat of write data.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct WriteData {
    /// The 64 bytes.
    #[serde(with = "crate::saved::bytes")]
    pub data: [u8; LINE_BYTES as usize],
    /// Byte strobes: bit *i* is byte *i*.
    pub strobes: u64,
    /// Last beat of its burst.
    pub last: bool,
}

/// A write response or the response of a read beat.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Reply {
    /// Transaction id.
    pub id: u8,
    /// `bresp` or `rresp`.
    pub resp: u8,
    /// Last beat of its burst; a write response always is.
    pub last: bool,
}

/// A payload pin: name, width in bits (0: up to 8), and what it counts as when it is missing (`None`: it must be
/// there).
type Field = (&'static str, usize, Option<u64>);

const ADDRESS: [Field; 7] = [
    ("addr", 64, None),
    ("id", 0, Some(0)),
    ("len", 8, Some(0)),
    ("size", 3, Some(6)),
    ("burst", 2, Some(BURST_INCR as u64)),
    ("user", 0, Some(0)),
    ("atop", 6, Some(0)),
];
const WRITE_DATA: [Field; 3] = [
    ("data", 512, None),
    ("strb", 64, None),
    ("last", 1, Some(1)),
];
const REPLY: [Field; 4] = [
    ("resp", 2, None),
    ("id", 0, Some(0)),
    ("last", 1, Some(1)),
    ("user", 0, Some(0)),
];
const READ_DATA: [Field; 5] = [REPLY[0], REPLY[1], REPLY[2], REPLY[3], ("data", 512, None)];

/// One channel: its handshake checker, and where its fields lie in the payload words.
#[derive(Clone, Debug)]
struct Channel {
    checker: WordChecker,
    fields: Vec<(usize, Option<u64>)>,
}

saved!(Channel { checker; keeps fields });

impl Channel {
    /// The channel, or nothing if it has no valid pin. Errors: a pin is missing or has a wrong width.
    fn find(
        engine: &dyn Engine,
        names: &AxiNames,
        channel: &str,
        fields: &[Field],
    ) -> Result<Option<Self>> {
        let valid = names.pin(channel, "valid");
        if engine.port(&valid).is_err() {
            return Ok(None);
        }
        let mut found = Vec::new();
        let mut places = Vec::new();
        let mut words = 0;
        for &(field, width, default) in fields {
            let name = names.pin(channel, field);
            if default.is_some() && engine.port(&name).is_err() {
                places.push((0, default));
                continue;
            }
            let pin = Pin::any(engine, &name)?;
            if width > 0 {
                pin.of_width(&name, width)?;
            } else if pin.width() > 8 {
                let reason = "wider than 8 bits".into();
                return Err(Error::BadPort { port: name, reason });
            }
            places.push((words, None));
            words += pin.words();
            found.push(field);
        }
        Ok(Some(Self {
            checker: names.channel(channel, &found).checker(engine)?,
            fields: places,
        }))
    }

    /// Value of a field, at most 64 bits of it.
    fn field(&self, words: &[u64], field: usize) -> u64 {
        let (position, default) = self.fields[field];
        default.unwrap_or_else(|| words[position])
    }
}

/// The five channels of a port as a passive observer sees them.
#[derive(Clone, Debug)]
pub(super) struct Channels {
    aw: Option<Channel>,
    w: Option<Channel>,
    b: Option<Channel>,
    ar: Option<Channel>,
    r: Option<Channel>,
}

saved!(Channels { ; each aw, w, b, ar, r });

/// The handshakes of one cycle.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Handshakes {
    /// Write address.
    pub aw: Option<Address>,
    /// Write data.
    pub w: Option<WriteData>,
    /// Write response.
    pub b: Option<Reply>,
    /// Read address.
    pub ar: Option<Address>,
    /// Read data.
    pub r: Option<Reply>,
}

impl Channels {
    /// The channels of the port with this prefix. Errors: no channel at all, or a pin is missing or has a wrong width.
    pub(super) fn find(engine: &dyn Engine, prefix: &str) -> Result<Self> {
        let names = AxiNames::find(engine, prefix);
        let find = |channel, fields: &[Field]| Channel::find(engine, &names, channel, fields);
        let channels = Self {
            aw: find("aw", &ADDRESS)?,
            w: find("w", &WRITE_DATA)?,
            b: find("b", &REPLY)?,
            ar: find("ar", &ADDRESS)?,
            r: find("r", &READ_DATA)?,
        };
        let write = [&channels.aw, &channels.w, &channels.b].map(Option::is_some);
        let read = [channels.ar.is_some(), channels.r.is_some()];
        if write != [write[0]; 3] || read != [read[0]; 2] || !(write[0] || read[0]) {
            return Err(Error::NoSuchPort(format!(
                "{prefix}..valid of a whole AXI port"
            )));
        }
        Ok(channels)
    }

    /// Whether there are write channels.
    pub(super) fn can_write(&self) -> bool {
        self.aw.is_some()
    }

    /// Whether there are read channels.
    pub(super) fn can_read(&self) -> bool {
        self.ar.is_some()
    }

    /// Reads all channels and checks that valid and payload wait. Errors: the first channel that did not.
    pub(super) fn observe(
        &mut self,
        engine: &dyn Engine,
        cycle: u64,
    ) -> std::result::Result<Handshakes, Violation> {
        Ok(Handshakes {
            aw: observe(&mut self.aw, engine, cycle, address)?,
            w: observe(&mut self.w, engine, cycle, write_data)?,
            b: observe(&mut self.b, engine, cycle, reply)?,
            ar: observe(&mut self.ar, engine, cycle, address)?,
            r: observe(&mut self.r, engine, cycle, reply)?,
        })
    }
}

fn observe<T>(
    channel: &mut Option<Channel>,
    engine: &dyn Engine,
    cycle: u64,
    decode: fn(&Channel, &[u64]) -> T,
) -> std::result::Result<Option<T>, Violation> {
    let Some(channel) = channel else {
        return Ok(None);
    };
    let words = channel.checker.observe(engine, cycle)?;
    Ok(words.map(|words| decode(channel, &words)))
}

fn address(channel: &Channel, words: &[u64]) -> Address {
    let field = |position| channel.field(words, position) as u8;
    Address {
        address: channel.field(words, 0),
        id: field(1),
        len: field(2),
        size: field(3),
        burst: field(4),
        context: field(5),
        atop: field(6),
    }
}

fn write_data(channel: &Channel, words: &[u64]) -> WriteData {
    let mut data = [0; LINE_BYTES as usize];
    for (bytes, word) in data.chunks_exact_mut(8).zip(words) {
        bytes.copy_from_slice(&word.to_le_bytes());
    }
    WriteData {
        data,
        strobes: channel.field(words, 1),
        last: channel.field(words, 2) == 1,
    }
}

fn reply(channel: &Channel, words: &[u64]) -> Reply {
    Reply {
        resp: channel.field(words, 0) as u8,
        id: channel.field(words, 1) as u8,
        last: channel.field(words, 2) == 1,
    }
}
