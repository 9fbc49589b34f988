//! When an AQL packet is malformed, so that its launch puts the queue into the error state.

use crate::aql::{Header, Layout, Packet, field, packet_type};
use thiserror::Error;

/// Status the queue's error callback gets for a malformed packet: `HSA_STATUS_ERROR_INVALID_PACKET_FORMAT`.
pub const INVALID_PACKET_FORMAT: u32 = 0x1009;

/// How much of a packet is checked before launch.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub enum Checks {
    /// Type, fence scopes, reserved bits and fields, number of dimensions: what makes the *format* wrong whatever the
    /// kernel. The golden cases use it; their kernels carry no work-group and grid sizes.
    Format,
    /// Also the rules of a launchable kernel: sizes > 0, unused dimensions exactly 1, grid >= work-group.
    #[default]
    FormatAndSizes,
}

/// Why a packet is malformed.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum Malformed {
    /// Type 0. This processor registers no vendor packet formats, so it cannot know what the packet means.
    #[error("vendor specific packet (type 0): no vendor format is registered")]
    VendorSpecific,
    /// Type 6 or above.
    #[error("unknown packet type {0}")]
    UnknownType(u8),
    /// Fence scope 3.
    #[error("undefined {0} fence scope 3")]
    FenceScope(&'static str),
    /// A reserved field or reserved bits that are not 0.
    #[error("reserved field '{field}' is {value:#x}, not 0")]
    Reserved {
        /// Name of the field.
        field: &'static str,
        /// Its value (of the reserved bits).
        value: u64,
    },
    /// Kernel dispatch with 0 dimensions.
    #[error("setup says 0 dimensions; 1, 2 or 3 are possible")]
    NoDimensions,
    /// A work-group or grid size that breaks the rules of its dimension.
    #[error("{field} is {value}, but {rule}")]
    Size {
        /// Name of the field.
        field: &'static str,
        /// Its value.
        value: u64,
        /// The rule.
        rule: &'static str,
    },
}

/// Checks a packet that is not INVALID.
pub fn check_packet(packet: &Packet, checks: Checks) -> Result<(), Malformed> {
    let header = Header::of(packet);
    let layout = match Layout::of_packet_type(header.kind) {
        Some(layout) => layout,
        None if header.kind == packet_type::VENDOR_SPECIFIC => {
            return Err(Malformed::VendorSpecific);
        }
        None => return Err(Malformed::UnknownType(header.kind)),
    };
    if header.acquire == 3 {
        return Err(Malformed::FenceScope("acquire"));
    }
    if header.release == 3 {
        return Err(Malformed::FenceScope("release"));
    }
    must_be_zero("header", u64::from(header.reserved))?;
    for reserved in layout.fields().iter().filter(|f| f.is_reserved()) {
        must_be_zero(reserved.name, reserved.read(packet))?;
    }
    if layout == Layout::KernelDispatch {
        check_kernel(packet, checks)?;
    }
    Ok(())
}

fn must_be_zero(field: &'static str, value: u64) -> Result<(), Malformed> {
    match value {
        0 => Ok(()),
        _ => Err(Malformed::Reserved { field, value }),
    }
}

fn check_kernel(packet: &Packet, checks: Checks) -> Result<(), Malformed> {
    let setup = field::SETUP.read(packet);
    must_be_zero(field::SETUP.name, setup >> 2)?;
    let dimensions = (setup & 3) as usize;
    if dimensions == 0 {
        return Err(Malformed::NoDimensions);
    }
    if checks == Checks::Format {
        return Ok(());
    }
    for (d, (group, grid)) in field::WORKGROUP_SIZE
        .iter()
        .zip(&field::GRID_SIZE)
        .enumerate()
    {
        let (group_size, grid_size) = (group.read(packet), grid.read(packet));
        let wrong = if group_size == 0 {
            Some((group, group_size, "a work-group has at least 1 work-item"))
        } else if d >= dimensions && group_size != 1 {
            Some((group, group_size, "an unused dimension is exactly 1"))
        } else if d >= dimensions && grid_size != 1 {
            Some((grid, grid_size, "an unused dimension is exactly 1"))
        } else if grid_size < group_size {
            Some((grid, grid_size, "a grid is not smaller than its work-group"))
        } else {
            None
        };
        if let Some((field, value, rule)) = wrong {
            return Err(Malformed::Size {
                field: field.name,
                value,
                rule,
            });
        }
    }
    Ok(())
}
