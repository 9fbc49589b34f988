//! Kinds `aql_header`, `aql_encode` and `aql_slot`: the testbench's own encodings.

use super::NotRun;
use crate::aql::{Header, Layout, encode, slot_address};
use serde::Deserialize;
use serde_json::{Value, json};
use std::collections::BTreeMap;

/// A list of inputs, one output each.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Rows<T> {
    rows: Vec<T>,
}

impl<T> Rows<T> {
    /// The outputs as a JSON list; an error names the row.
    fn map(&self, one: impl Fn(&T) -> Result<Value, String>) -> Result<Value, NotRun> {
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

/// Header words.
pub(super) fn run_headers(given: &Rows<HeaderRow>) -> Result<Value, NotRun> {
    let words = given.map(|row| {
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
        header.to_word().map(Value::from).map_err(|e| e.to_string())
    })?;
    Ok(json!({ "header": words }))
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Encode {
    layout: String,
    fields: BTreeMap<String, u64>,
}

/// The bytes of one packet or queue descriptor.
pub(super) fn run_encode(given: &Encode) -> Result<Value, NotRun> {
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
        Ok(bytes) => Ok(json!({ "packet_hex": hex::encode(bytes) })),
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

/// Slot addresses.
pub(super) fn run_slots(given: &Rows<SlotRow>) -> Result<Value, NotRun> {
    let addresses = given.map(|row| {
        slot_address(row.base, row.size, row.packet_id)
            .map(Value::from)
            .ok_or_else(|| "size is 0, or the address does not fit 64 bits".to_owned())
    })?;
    Ok(json!({ "slot_addr": addresses }))
}
