//! What a case of kind `portals` gives: nodes and steps. Every default is here; which keys a step has stands in
//! `read.rs`.

use crate::cases::hex_bytes::HexBytes;
use crate::portals::{AckRequest, Limits, List, MdOption, MeOption, RequestKind, Search};
use serde::{Deserialize, Deserializer, de::Error};
use serde_json::{Map, Value};
use std::collections::BTreeMap;

/// The key `config`.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Config {
    pub(super) nodes: BTreeMap<u32, GivenNode>,
}

/// A node before the first step.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct GivenNode {
    #[serde(default = "default_memory")]
    pub(super) mem_size: usize,
    #[serde(default)]
    pub(super) mem_init: Vec<(u64, HexBytes)>,
    #[serde(default = "default_portals")]
    pub(super) pts: Vec<GivenPortal>,
    #[serde(default)]
    pub(super) cts: Vec<u32>,
    #[serde(default)]
    pub(super) mds: Vec<GivenMd>,
    #[serde(default)]
    pub(super) limits: GivenLimits,
}

fn default_memory() -> usize {
    1024
}

fn default_portals() -> Vec<GivenPortal> {
    vec![GivenPortal {
        index: 0,
        flowctrl: false,
        eq: true,
        matching: true,
    }]
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct GivenPortal {
    pub(super) index: u32,
    #[serde(default)]
    pub(super) flowctrl: bool,
    #[serde(default = "yes")]
    pub(super) eq: bool,
    #[serde(default = "yes")]
    pub(super) matching: bool,
}

fn yes() -> bool {
    true
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct GivenMd {
    pub(super) id: String,
    pub(super) start: u64,
    pub(super) length: u64,
    #[serde(default)]
    pub(super) ct: Option<u32>,
    #[serde(default)]
    pub(super) options: Vec<MdOption>,
}

/// Limits that differ from the reference's.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct GivenLimits {
    max_entries: Option<u64>,
    max_unexpected_headers: Option<u64>,
    max_mds: Option<u64>,
    max_cts: Option<u64>,
    max_list_size: Option<u64>,
    max_triggered_ops: Option<u64>,
    max_pt_index: Option<u32>,
    max_msg_size: Option<u64>,
    max_atomic_size: Option<u64>,
    max_fetch_atomic_size: Option<u64>,
    max_volatile_size: Option<u64>,
    max_iovecs: Option<u64>,
    // Known, and without effect here.
    #[serde(rename = "max_eqs")]
    _eqs: Option<u64>,
    #[serde(rename = "max_waw_ordered_size")]
    _waw: Option<u64>,
    #[serde(rename = "max_war_ordered_size")]
    _war: Option<u64>,
    #[serde(rename = "features")]
    _features: Option<u64>,
}

impl GivenLimits {
    pub(super) fn limits(&self) -> Limits {
        let usual = Limits::default();
        Limits {
            max_entries: self.max_entries.unwrap_or(usual.max_entries),
            max_unexpected_headers: self
                .max_unexpected_headers
                .unwrap_or(usual.max_unexpected_headers),
            max_mds: self.max_mds.unwrap_or(usual.max_mds),
            max_cts: self.max_cts.unwrap_or(usual.max_cts),
            max_list_size: self.max_list_size.unwrap_or(usual.max_list_size),
            max_triggered_ops: self.max_triggered_ops.unwrap_or(usual.max_triggered_ops),
            max_pt_index: self.max_pt_index.unwrap_or(usual.max_pt_index),
            max_msg_size: self.max_msg_size.unwrap_or(usual.max_msg_size),
            max_atomic_size: self.max_atomic_size.unwrap_or(usual.max_atomic_size),
            max_fetch_atomic_size: self
                .max_fetch_atomic_size
                .unwrap_or(usual.max_fetch_atomic_size),
            max_volatile_size: self.max_volatile_size.unwrap_or(usual.max_volatile_size),
            max_iovecs: self.max_iovecs.unwrap_or(usual.max_iovecs),
            max_tasks: usual.max_tasks,
        }
    }
}

/// One step.
#[derive(Debug, Deserialize)]
#[serde(try_from = "Map<String, Value>")]
pub(super) struct Step {
    /// None: not stated.
    pub(super) node: Option<u32>,
    pub(super) action: Action,
}

#[derive(Debug)]
pub(super) enum Action {
    Call(Call),
    Triggered {
        counter: u32,
        threshold: u64,
        call: Call,
    },
    /// This step, when a counter reaches a threshold: no host posts it, so no NIC does it.
    NotTriggered(&'static str),
    Receive(GivenRequest),
    MemWrite {
        addr: u64,
        hex: HexBytes,
    },
    Deliver,
}

/// What a host asks of its node, at once or triggered.
#[derive(Debug)]
pub(super) enum Call {
    Append(List, GivenEntry),
    Search(Search, GivenEntry),
    Unlink { id: String },
    CtInc(GivenCount),
    CtSet(GivenCount),
    CtCancel { ct: u32 },
    PtEnable { pt: u32 },
    PtDisable { pt: u32 },
    Transfer(GivenTransfer),
}

/// A match entry, or what a search looks for.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct GivenEntry {
    /// A search may have none.
    #[serde(default)]
    pub(super) id: String,
    #[serde(default)]
    pub(super) pt: u32,
    #[serde(default)]
    pub(super) start: u64,
    #[serde(default)]
    pub(super) length: u64,
    #[serde(default)]
    pub(super) options: Vec<MeOption>,
    #[serde(default)]
    pub(super) match_bits: u64,
    #[serde(default)]
    pub(super) ignore_bits: u64,
    #[serde(default, deserialize_with = "any_or_one")]
    pub(super) src: Option<u32>,
    #[serde(default, deserialize_with = "any_or_one")]
    pub(super) uid: Option<u32>,
    #[serde(default)]
    pub(super) ct: Option<u32>,
    #[serde(default)]
    pub(super) min_free: u64,
}

/// -1 is any.
fn any_or_one<'de, D: Deserializer<'de>>(from: D) -> Result<Option<u32>, D::Error> {
    let number = i64::deserialize(from)?;
    let wrong = |_| D::Error::custom(format!("{number} is neither -1 nor a 32-bit number"));
    match number {
        -1 => Ok(None),
        _ => u32::try_from(number).map(Some).map_err(wrong),
    }
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct GivenCount {
    pub(super) ct: u32,
    #[serde(default)]
    pub(super) success: u64,
    #[serde(default)]
    pub(super) failure: u64,
}

/// A request that comes from outside.
#[derive(Debug)]
pub(super) struct GivenRequest {
    pub(super) kind: RequestKind,
    pub(super) fields: RequestFields,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct RequestFields {
    pub(super) src: u32,
    pub(super) uid: Option<u32>,
    #[serde(default)]
    pub(super) pt: u32,
    #[serde(default)]
    pub(super) match_bits: u64,
    #[serde(default)]
    pub(super) roffset: u64,
    pub(super) rlength: Option<u64>,
    #[serde(default)]
    pub(super) data: HexBytes,
    #[serde(default)]
    pub(super) ack: AckRequest,
    #[serde(default)]
    pub(super) hdr_data: u64,
    #[serde(default)]
    pub(super) operand: HexBytes,
}

/// A request that is sent.
#[derive(Debug)]
pub(super) struct GivenTransfer {
    pub(super) kind: RequestKind,
    pub(super) fields: TransferFields,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct TransferFields {
    pub(super) dst: u32,
    #[serde(default)]
    pub(super) pt: u32,
    pub(super) md: Option<String>,
    #[serde(default)]
    pub(super) offset: u64,
    #[serde(default)]
    pub(super) length: u64,
    #[serde(default)]
    pub(super) match_bits: u64,
    #[serde(default)]
    pub(super) roffset: u64,
    #[serde(default)]
    pub(super) ack: AckRequest,
    #[serde(default)]
    pub(super) hdr_data: u64,
    pub(super) get_md: Option<String>,
    #[serde(default)]
    pub(super) get_offset: u64,
    #[serde(default)]
    pub(super) operand: HexBytes,
}
