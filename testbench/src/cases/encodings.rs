//! Kinds `aql_header`, `aql_encode` and `aql_slot`: the testbench's own encodings.

use super::NotRun;
use super::hex_bytes::HexBytes;
use crate::aql::{Header, Layout, encode, slot_address};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// A list of inputs, one output each.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Rows<T> {
    rows: Vec<T>,
}

impl<T> Rows<T> {
    /// The outputs; an error names the row.
    fn map(&self, one: impl Fn(&T) -> Result<u64, String>) -> Result<Vec<u64>, NotRun> {
        let numbered = self.rows.iter().enumerate();
        let outputs = numbered.map(|(index, row)| {
            one(row).map_err(|why| NotRun::Malformed(format!("given.rows[{index}]: {why}")))
        });
        outputs.collect()
    }
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct HeaderRow {
    #[serde(rename = "type")]
    kind: u8,
    barrier: u8,
    acquire: u8,
    release: u8,
}

/// A header word for each row.
#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Headers {
    header: Vec<u64>,
}

/// Header words.
pub(super) fn run_headers(given: &Rows<HeaderRow>) -> Result<Headers, NotRun> {
    let header = given.map(|row| {
        let barrier = match row.barrier {
            0 => false,
            1 => true,
            other => return Err(format!("barrier is {other}, not 0 or 1")),
        };
        let header = Header {
            kind: row.kind,
            barrier,
            acquire: row.acquire,
            release: row.release,
            reserved: 0,
        };
        header.to_word().map(u64::from).map_err(|e| e.to_string())
    })?;
    Ok(Headers { header })
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Encode {
    layout: String,
    fields: BTreeMap<String, u64>,
}

/// The bytes of one packet or queue descriptor.
#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Encoded {
    packet_hex: HexBytes,
}

/// Encodes one packet or queue descriptor.
pub(super) fn run_encode(given: &Encode) -> Result<Encoded, NotRun> {
    let Some(layout) = Layout::from_name(&given.layout) else {
        let known = Layout::ALL.map(Layout::name).join(", ");
        let why = format!("given.layout: \"{}\" is none of {known}", given.layout);
        return Err(NotRun::Malformed(why));
    };
    let fields = given
        .fields
        .iter()
        .map(|(name, value)| (name.as_str(), *value));
    match encode(layout, fields) {
        Ok(bytes) => Ok(Encoded {
            packet_hex: HexBytes(bytes),
        }),
        Err(why) => Err(NotRun::Malformed(format!("given.fields: {why}"))),
    }
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct SlotRow {
    base: u64,
    size: u64,
    packet_id: u64,
}

/// The address of a slot for each row.
#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Slots {
    slot_addr: Vec<u64>,
}

/// Slot addresses.
pub(super) fn run_slots(given: &Rows<SlotRow>) -> Result<Slots, NotRun> {
    let slot_addr = given.map(|row| {
        slot_address(row.base, row.size, row.packet_id)
            .ok_or_else(|| "size is 0, or the address does not fit 64 bits".to_owned())
    })?;
    Ok(Slots { slot_addr })
}
