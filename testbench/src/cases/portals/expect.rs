//! What a case of kind `portals` expects of a node, and the same as it was computed.

use crate::cases::hex_bytes::HexBytes;
use crate::portals::{AtomicOp, Datatype, EventKind, List, NiFail};
use serde::{Deserialize, Deserializer, Serialize};
use std::collections::BTreeMap;

/// The key `expect`: one result for each node.
pub type Results = BTreeMap<u32, NodeResult>;

/// A key that may be left out; null is no value of it.
fn said<'de, T: Deserialize<'de>, D: Deserializer<'de>>(from: D) -> Result<Option<T>, D::Error> {
    T::deserialize(from).map(Some)
}

/// What one node shows after the steps.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct NodeResult {
    /// Counters: success and failure.
    pub ct: BTreeMap<u32, (u64, u64)>,
    /// Operations that have not fired, by counter; none is 0.
    pub pending: BTreeMap<u32, u64>,
    /// Events of the portals, in order.
    pub events: Vec<EventResult>,
    /// Responses sent, in order.
    pub acks: Vec<AckResult>,
    /// Requests sent, in order.
    pub sent: Vec<SentResult>,
    /// What calls returned; OK may be left out.
    pub returns: Vec<String>,
    /// Status registers.
    pub status: StatusResult,
    /// Maximal runs of bytes that are not what they were at first.
    pub mem_diff: Vec<(u64, HexBytes)>,
    /// Lists by portal.
    pub lists: BTreeMap<u32, ListsResult>,
}

/// An event: only what its kind reports.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[allow(missing_docs)] // the names are those of the event's fields
pub struct EventResult {
    #[serde(rename = "type")]
    pub kind: EventKind,
    #[serde(
        default,
        skip_serializing_if = "Option::is_none",
        deserialize_with = "said"
    )]
    pub pt: Option<u32>,
    #[serde(
        default,
        skip_serializing_if = "Option::is_none",
        deserialize_with = "said"
    )]
    pub user_ptr: Option<String>,
    #[serde(
        default,
        skip_serializing_if = "Option::is_none",
        deserialize_with = "said"
    )]
    pub start: Option<u64>,
    #[serde(
        default,
        skip_serializing_if = "Option::is_none",
        deserialize_with = "said"
    )]
    pub initiator: Option<u32>,
    #[serde(
        default,
        skip_serializing_if = "Option::is_none",
        deserialize_with = "said"
    )]
    pub match_bits: Option<u64>,
    #[serde(
        default,
        skip_serializing_if = "Option::is_none",
        deserialize_with = "said"
    )]
    pub rlength: Option<u64>,
    #[serde(
        default,
        skip_serializing_if = "Option::is_none",
        deserialize_with = "said"
    )]
    pub mlength: Option<u64>,
    #[serde(
        default,
        skip_serializing_if = "Option::is_none",
        deserialize_with = "said"
    )]
    pub remote_offset: Option<u64>,
    #[serde(
        default,
        skip_serializing_if = "Option::is_none",
        deserialize_with = "said"
    )]
    pub hdr_data: Option<u64>,
    #[serde(
        default,
        skip_serializing_if = "Option::is_none",
        deserialize_with = "said"
    )]
    pub list: Option<List>,
    #[serde(
        default,
        skip_serializing_if = "Option::is_none",
        deserialize_with = "said"
    )]
    pub ni_fail: Option<NiFail>,
}

impl EventResult {
    /// An event that reports nothing but its kind.
    pub(super) fn of_kind(kind: EventKind) -> Self {
        Self {
            kind,
            pt: None,
            user_ptr: None,
            start: None,
            initiator: None,
            match_bits: None,
            rlength: None,
            mlength: None,
            remote_offset: None,
            hdr_data: None,
            list: None,
            ni_fail: None,
        }
    }
}

/// Kind of a response.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
#[allow(missing_docs)] // the names are the specification's
pub enum AckKind {
    Ack,
    CtAck,
    OcAck,
    Reply,
}

/// A response: only what its kind carries.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[allow(missing_docs)] // the names are those of the response's fields
pub struct AckResult {
    pub kind: AckKind,
    #[serde(
        default,
        skip_serializing_if = "Option::is_none",
        deserialize_with = "said"
    )]
    pub ni_fail: Option<NiFail>,
    #[serde(
        default,
        skip_serializing_if = "Option::is_none",
        deserialize_with = "said"
    )]
    pub mlength: Option<u64>,
    #[serde(
        default,
        skip_serializing_if = "Option::is_none",
        deserialize_with = "said"
    )]
    pub moffset: Option<u64>,
    #[serde(
        default,
        skip_serializing_if = "Option::is_none",
        deserialize_with = "said"
    )]
    pub data: Option<HexBytes>,
    pub to: u32,
}

/// Kind of a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
#[allow(missing_docs)] // the names are the specification's
pub enum SentKind {
    Put,
    Get,
    Atomic,
    #[serde(alias = "FETCH_ATOMIC")]
    Fetch,
    Swap,
    XtqPut,
}

/// A request as it was sent.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[allow(missing_docs)] // the names are those of the request's fields
pub struct SentResult {
    pub op: SentKind,
    pub dst: u32,
    pub pt: u32,
    pub match_bits: u64,
    pub rlength: u64,
    pub roffset: u64,
    #[serde(default)]
    pub hdr_data: u64,
    #[serde(default)]
    pub data: HexBytes,
    #[serde(
        default,
        skip_serializing_if = "Option::is_none",
        deserialize_with = "said"
    )]
    pub aop: Option<AtomicOp>,
    #[serde(
        default,
        skip_serializing_if = "Option::is_none",
        deserialize_with = "said"
    )]
    pub dtype: Option<Datatype>,
    #[serde(
        default,
        skip_serializing_if = "Option::is_none",
        deserialize_with = "said"
    )]
    pub operand: Option<HexBytes>,
}

/// The status registers.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct StatusResult {
    /// Messages dropped or refused by a disabled portal.
    pub drop: u64,
    /// Permission violations.
    pub perm: u64,
    /// Operation violations.
    pub op: u64,
}

/// The lists of a portal: names of entries in order.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ListsResult {
    /// Priority list.
    pub priority: Vec<String>,
    /// Overflow list.
    pub overflow: Vec<String>,
    /// Number of unexpected headers.
    pub unexpected: usize,
    /// Takes messages.
    pub enabled: bool,
}
