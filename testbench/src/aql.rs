//! AQL packets and HSA queue descriptors as bytes (HSA large machine model, little endian).
//!
//! Written from the HSA layouts alone; it knows nothing of the hardware's own definitions, so that the two can be
//! compared. Each layout is one table of (name, byte offset, width), typed once; encoder, decoder and validity checks
//! all read that table.

use std::collections::BTreeMap;
use thiserror::Error;

/// Bytes of every AQL packet.
pub const PACKET_BYTES: usize = 64;
/// Bytes of `hsa_queue_t`.
pub const QUEUE_BYTES: usize = 40;
/// One AQL packet.
pub type Packet = [u8; PACKET_BYTES];

/// Header bits 7:0, the packet type.
pub mod packet_type {
    /// Vendor specific. A zeroed slot has this type.
    pub const VENDOR_SPECIFIC: u8 = 0;
    /// The slot holds no packet yet: wait.
    pub const INVALID: u8 = 1;
    /// Kernel dispatch.
    pub const KERNEL_DISPATCH: u8 = 2;
    /// Barrier-AND.
    pub const BARRIER_AND: u8 = 3;
    /// Agent dispatch.
    pub const AGENT_DISPATCH: u8 = 4;
    /// Barrier-OR.
    pub const BARRIER_OR: u8 = 5;
}

/// What cannot be encoded or decoded.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum AqlError {
    /// The layout has no such field.
    #[error("{layout} has no field '{field}' (it has {known})")]
    UnknownField {
        /// Name of the layout.
        layout: &'static str,
        /// The name asked for.
        field: String,
        /// The layout's fields, separated by commas.
        known: String,
    },
    /// The value needs more bytes than the field has.
    #[error("{value} does not fit the {bits}-bit field '{field}'")]
    TooWide {
        /// Name of the field.
        field: String,
        /// Its width in bits.
        bits: u32,
        /// The value.
        value: u64,
    },
    /// A packet or descriptor of the wrong size.
    #[error("{layout} is {want} bytes, not {got}")]
    WrongSize {
        /// Name of the layout.
        layout: &'static str,
        /// Size of the layout in bytes.
        want: usize,
        /// Number of bytes given.
        got: usize,
    },
}

/// One little-endian unsigned field of a layout.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Field {
    /// Name, unique in its layout.
    pub name: &'static str,
    /// Byte offset.
    pub offset: usize,
    /// Width in bytes: 2, 4 or 8.
    pub width: usize,
}

impl Field {
    const fn new(name: &'static str, offset: usize, width: usize) -> Self {
        Self {
            name,
            offset,
            width,
        }
    }

    /// The field's value in `bytes`; bytes past the end count as 0.
    pub fn read(&self, bytes: &[u8]) -> u64 {
        let field = bytes.iter().skip(self.offset).take(self.width);
        field.rev().fold(0, |value, &b| value << 8 | u64::from(b))
    }

    /// Replaces the field in `bytes` by the low bytes of `value`.
    pub fn write(&self, bytes: &mut [u8], value: u64) {
        let field = bytes.iter_mut().skip(self.offset).take(self.width);
        for (b, v) in field.zip(value.to_le_bytes()) {
            *b = v;
        }
    }

    /// Whether the field must be 0.
    pub fn is_reserved(&self) -> bool {
        self.name.starts_with("reserved")
    }
}

/// Fields that models use by name. The layouts are made of them.
pub mod field {
    use super::Field;

    /// Header word of every packet.
    pub const HEADER: Field = Field::new("header", 0, 2);
    /// Kernel dispatch: number of dimensions.
    pub const SETUP: Field = Field::new("setup", 2, 2);
    /// Kernel dispatch: work-items of a work-group in x, y, z.
    pub const WORKGROUP_SIZE: [Field; 3] = [
        Field::new("workgroup_size_x", 4, 2),
        Field::new("workgroup_size_y", 6, 2),
        Field::new("workgroup_size_z", 8, 2),
    ];
    /// Kernel dispatch: work-items of the grid in x, y, z.
    pub const GRID_SIZE: [Field; 3] = [
        Field::new("grid_size_x", 12, 4),
        Field::new("grid_size_y", 16, 4),
        Field::new("grid_size_z", 20, 4),
    ];
    /// Kernel dispatch: handle of the kernel's code.
    pub const KERNEL_OBJECT: Field = Field::new("kernel_object", 32, 8);
    /// Kernel dispatch: address of the arguments.
    pub const KERNARG_ADDRESS: Field = Field::new("kernarg_address", 40, 8);
    /// Agent dispatch: address for the result.
    pub const RETURN_ADDRESS: Field = Field::new("return_address", 8, 8);
    /// Agent dispatch: arguments.
    pub const ARG: [Field; 4] = [
        Field::new("arg0", 16, 8),
        Field::new("arg1", 24, 8),
        Field::new("arg2", 32, 8),
        Field::new("arg3", 40, 8),
    ];
    /// Barrier packets: signals waited for.
    pub const DEP_SIGNAL: [Field; 5] = [
        Field::new("dep0", 8, 8),
        Field::new("dep1", 16, 8),
        Field::new("dep2", 24, 8),
        Field::new("dep3", 32, 8),
        Field::new("dep4", 40, 8),
    ];
    /// All packets: reserved, must be 0 in the queue.
    pub const RESERVED2: Field = Field::new("reserved2", 48, 8);
    /// All packets: signal decremented at completion, 0 for none.
    pub const COMPLETION_SIGNAL: Field = Field::new("completion_signal", 56, 8);
}

const KERNEL_DISPATCH: &[Field] = &[
    field::HEADER,
    field::SETUP,
    field::WORKGROUP_SIZE[0],
    field::WORKGROUP_SIZE[1],
    field::WORKGROUP_SIZE[2],
    Field::new("reserved0", 10, 2),
    field::GRID_SIZE[0],
    field::GRID_SIZE[1],
    field::GRID_SIZE[2],
    Field::new("private_segment_size", 24, 4),
    Field::new("group_segment_size", 28, 4),
    field::KERNEL_OBJECT,
    field::KERNARG_ADDRESS,
    field::RESERVED2,
    field::COMPLETION_SIGNAL,
];

const AGENT_DISPATCH: &[Field] = &[
    field::HEADER,
    Field::new("type", 2, 2),
    Field::new("reserved0", 4, 4),
    field::RETURN_ADDRESS,
    field::ARG[0],
    field::ARG[1],
    field::ARG[2],
    field::ARG[3],
    field::RESERVED2,
    field::COMPLETION_SIGNAL,
];

const BARRIER: &[Field] = &[
    field::HEADER,
    Field::new("reserved0", 2, 2),
    Field::new("reserved1", 4, 4),
    field::DEP_SIGNAL[0],
    field::DEP_SIGNAL[1],
    field::DEP_SIGNAL[2],
    field::DEP_SIGNAL[3],
    field::DEP_SIGNAL[4],
    field::RESERVED2,
    field::COMPLETION_SIGNAL,
];

const HSA_QUEUE: &[Field] = &[
    Field::new("type", 0, 4),
    Field::new("features", 4, 4),
    Field::new("base_address", 8, 8),
    Field::new("doorbell_signal", 16, 8),
    Field::new("size", 24, 4),
    Field::new("reserved1", 28, 4),
    Field::new("id", 32, 8),
];

/// A byte layout of the HSA specification.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Layout {
    /// `hsa_kernel_dispatch_packet_t`, type 2.
    KernelDispatch,
    /// `hsa_agent_dispatch_packet_t`, type 4.
    AgentDispatch,
    /// `hsa_barrier_and_packet_t`, type 3.
    BarrierAnd,
    /// `hsa_barrier_or_packet_t`, type 5.
    BarrierOr,
    /// `hsa_queue_t`.
    HsaQueue,
}

impl Layout {
    /// Every layout.
    pub const ALL: [Self; 5] = [
        Self::KernelDispatch,
        Self::AgentDispatch,
        Self::BarrierAnd,
        Self::BarrierOr,
        Self::HsaQueue,
    ];

    /// The name used in case files, such as `kernel_dispatch`.
    pub fn name(self) -> &'static str {
        match self {
            Self::KernelDispatch => "kernel_dispatch",
            Self::AgentDispatch => "agent_dispatch",
            Self::BarrierAnd => "barrier_and",
            Self::BarrierOr => "barrier_or",
            Self::HsaQueue => "hsa_queue",
        }
    }

    /// The layout of that name.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|layout| layout.name() == name)
    }

    /// The layout of a packet of this header type; `None` for vendor specific, INVALID and unknown types.
    pub fn of_packet_type(kind: u8) -> Option<Self> {
        match kind {
            packet_type::KERNEL_DISPATCH => Some(Self::KernelDispatch),
            packet_type::BARRIER_AND => Some(Self::BarrierAnd),
            packet_type::AGENT_DISPATCH => Some(Self::AgentDispatch),
            packet_type::BARRIER_OR => Some(Self::BarrierOr),
            _ => None,
        }
    }

    /// The fields in order of offset; together they cover every byte once.
    pub fn fields(self) -> &'static [Field] {
        match self {
            Self::KernelDispatch => KERNEL_DISPATCH,
            Self::AgentDispatch => AGENT_DISPATCH,
            Self::BarrierAnd | Self::BarrierOr => BARRIER,
            Self::HsaQueue => HSA_QUEUE,
        }
    }

    /// Size in bytes: 64 for packets, 40 for `hsa_queue`.
    pub fn size(self) -> usize {
        match self {
            Self::HsaQueue => QUEUE_BYTES,
            _ => PACKET_BYTES,
        }
    }

    /// The field of that name.
    pub fn field(self, name: &str) -> Result<&'static Field, AqlError> {
        let found = self.fields().iter().find(|field| field.name == name);
        found.ok_or_else(|| AqlError::UnknownField {
            layout: self.name(),
            field: name.to_owned(),
            known: self
                .fields()
                .iter()
                .map(|f| f.name)
                .collect::<Vec<_>>()
                .join(", "),
        })
    }
}

/// Bytes of a packet or descriptor; fields not named are 0.
pub fn encode<'a>(
    layout: Layout,
    fields: impl IntoIterator<Item = (&'a str, u64)>,
) -> Result<Vec<u8>, AqlError> {
    let mut bytes = vec![0; layout.size()];
    for (name, value) in fields {
        let field = layout.field(name)?;
        let bits = 8 * field.width as u32;
        if bits < 64 && value >> bits != 0 {
            return Err(AqlError::TooWide {
                field: name.to_owned(),
                bits,
                value,
            });
        }
        field.write(&mut bytes, value);
    }
    Ok(bytes)
}

/// Every field of a packet or descriptor by name, reserved ones included.
pub fn decode(layout: Layout, bytes: &[u8]) -> Result<BTreeMap<&'static str, u64>, AqlError> {
    if bytes.len() != layout.size() {
        return Err(AqlError::WrongSize {
            layout: layout.name(),
            want: layout.size(),
            got: bytes.len(),
        });
    }
    let fields = layout.fields().iter();
    Ok(fields.map(|f| (f.name, f.read(bytes))).collect())
}

/// The 16-bit header word, taken apart.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Header {
    /// Bits 7:0, a [`packet_type`].
    pub kind: u8,
    /// Bit 8: do not launch before all earlier packets of the queue are complete.
    pub barrier: bool,
    /// Bits 10:9, acquire fence scope: 0 none, 1 agent, 2 system, 3 undefined.
    pub acquire: u8,
    /// Bits 12:11, release fence scope, as `acquire`.
    pub release: u8,
    /// Bits 15:13, must be 0.
    pub reserved: u8,
}

impl Header {
    /// The header of a word.
    pub fn from_word(word: u16) -> Self {
        Self {
            kind: word as u8,
            barrier: word >> 8 & 1 == 1,
            acquire: (word >> 9 & 3) as u8,
            release: (word >> 11 & 3) as u8,
            reserved: (word >> 13) as u8,
        }
    }

    /// The header of a packet.
    pub fn of(packet: &Packet) -> Self {
        Self::from_word(field::HEADER.read(packet) as u16)
    }

    /// The word of a header; scopes and reserved bits wider than their field are an error.
    pub fn to_word(self) -> Result<u16, AqlError> {
        let part = |field: &str, value: u8, bits: u32, shift: u32| {
            if value >> bits != 0 {
                return Err(AqlError::TooWide {
                    field: field.to_owned(),
                    bits,
                    value: u64::from(value),
                });
            }
            Ok(u16::from(value) << shift)
        };
        Ok(u16::from(self.kind)
            | u16::from(self.barrier) << 8
            | part("acquire", self.acquire, 2, 9)?
            | part("release", self.release, 2, 11)?
            | part("reserved", self.reserved, 3, 13)?)
    }
}

/// Address of the slot of a packet: `base + 64 * (packet_id mod size)`. `None` when `size` (packets) is 0 or the
/// address does not fit 64 bits.
pub fn slot_address(base: u64, size: u64, packet_id: u64) -> Option<u64> {
    let slot = packet_id.checked_rem(size)?;
    base.checked_add(slot.checked_mul(PACKET_BYTES as u64)?)
}
