//! Reads a step. `op` says which keys it has, so it is read in two goes; an error names the key all the same.

use super::schema::{Action, Call, GivenRequest, GivenTransfer, RequestFields, Step};
use crate::input::strict;
use crate::portals::{AtomicOp, Datatype, Operation, RequestKind};
use serde::de::DeserializeOwned;
use serde_json::{Map, Value};

type Keys = Map<String, Value>;

impl TryFrom<Keys> for Step {
    type Error = String;

    fn try_from(mut keys: Keys) -> Result<Self, String> {
        let node = take(&mut keys, "node")?;
        let op: String = needed(&mut keys, "op")?;
        let action = match op.as_str() {
            "recv" => Action::Receive(receive(keys)?),
            "mem_write" => {
                let (addr, hex) = (needed(&mut keys, "addr")?, needed(&mut keys, "hex")?);
                nothing_left(&keys)?;
                Action::MemWrite { addr, hex }
            }
            "deliver" => {
                nothing_left(&keys)?;
                Action::Deliver
            }
            "triggered" => triggered(keys, node)?,
            _ => Action::Call(call(&op, keys)?),
        };
        Ok(Self { node, action })
    }
}

/// A call that waits; it may name its node, which must be the step's.
fn triggered(mut keys: Keys, node: Option<u32>) -> Result<Action, String> {
    let counter = needed(&mut keys, "trig_ct")?;
    let threshold = needed(&mut keys, "threshold")?;
    let inner: Step = needed(&mut keys, "do")?;
    nothing_left(&keys)?;
    if inner.node.is_some_and(|inner| inner != node.unwrap_or(0)) {
        return Err("do.node: not the node of the step".to_owned());
    }
    match inner.action {
        Action::Call(call) => Ok(Action::Triggered {
            counter,
            threshold,
            call,
        }),
        Action::Receive(_) => Ok(Action::NotTriggered("recv")),
        Action::MemWrite { .. } => Ok(Action::NotTriggered("mem_write")),
        Action::Deliver => Err("do.op: \"deliver\" cannot be triggered".to_owned()),
        Action::Triggered { .. } | Action::NotTriggered(_) => {
            Err("do.op: \"triggered\" cannot be triggered".to_owned())
        }
    }
}

fn call(op: &str, mut keys: Keys) -> Result<Call, String> {
    Ok(match op {
        "me_append" => {
            let list = take(&mut keys, "list")?.unwrap_or_default();
            if !keys.contains_key("id") {
                return Err("missing field `id`".to_owned());
            }
            Call::Append(list, fields(keys)?)
        }
        "me_search" => {
            let kind = needed(&mut keys, "search")?;
            Call::Search(kind, fields(keys)?)
        }
        "ct_inc" => Call::CtInc(fields(keys)?),
        "ct_set" => Call::CtSet(fields(keys)?),
        "put" | "get" | "atomic" | "fetch" | "fetch_atomic" | "swap" => {
            let kind = op.trim_end_matches("_atomic").to_uppercase();
            let kind = request_kind(&kind, &mut keys)?;
            let fields = fields(keys)?;
            Call::Transfer(GivenTransfer { kind, fields })
        }
        _ => {
            let call = match op {
                "me_unlink" => Call::Unlink {
                    id: needed(&mut keys, "id")?,
                },
                "ct_cancel" => Call::CtCancel {
                    ct: needed(&mut keys, "ct")?,
                },
                "pt_enable" => Call::PtEnable {
                    pt: needed(&mut keys, "pt")?,
                },
                "pt_disable" => Call::PtDisable {
                    pt: needed(&mut keys, "pt")?,
                },
                _ => return Err(format!("op: there is no \"{op}\"")),
            };
            nothing_left(&keys)?;
            call
        }
    })
}

fn receive(mut keys: Keys) -> Result<GivenRequest, String> {
    let kind: Option<String> = take(&mut keys, "kind")?;
    let kind = request_kind(kind.as_deref().unwrap_or("PUT"), &mut keys)?;
    let mut fields: RequestFields = fields(keys)?;
    let given = fields.data.0.len() as u64;
    let rlength = *fields.rlength.get_or_insert(given);
    match kind.carries_data() {
        // A get says by its data only how many it asks for.
        false => fields.data.0.clear(),
        // A longer rlength than there are data: zeros are after them. A shorter one: what is after it is not sent.
        true if rlength <= MOST_BYTES => fields.data.0.resize(rlength as usize, 0),
        true => return Err(format!("rlength: {rlength}, more than {MOST_BYTES}")),
    }
    Ok(GivenRequest { kind, fields })
}

/// The most bytes that a request of a case may carry.
const MOST_BYTES: u64 = 1 << 24;

fn request_kind(kind: &str, keys: &mut Keys) -> Result<RequestKind, String> {
    let mut operation = || -> Result<Operation, String> {
        let (op, datatype): (AtomicOp, Datatype) = (needed(keys, "aop")?, needed(keys, "dtype")?);
        Ok(Operation { op, datatype })
    };
    Ok(match kind {
        "PUT" => RequestKind::Put,
        "GET" => RequestKind::Get,
        "ATOMIC" => RequestKind::Atomic(operation()?),
        "FETCH" => RequestKind::Fetch(operation()?),
        "SWAP" => RequestKind::Swap(operation()?),
        _ => return Err(format!("kind: there is no \"{kind}\"")),
    })
}

/// All remaining keys.
pub(in crate::cases) fn fields<T: DeserializeOwned>(keys: Keys) -> Result<T, String> {
    strict::from_json(Value::Object(keys)).map_err(|(key, fault)| match key.as_str() {
        "" => fault,
        _ => format!("{key}: {fault}"),
    })
}

/// One key, if it is there.
fn take<T: DeserializeOwned>(keys: &mut Keys, key: &str) -> Result<Option<T>, String> {
    let value = keys.remove(key).map(strict::from_json);
    value
        .transpose()
        .map_err(|(inner, fault)| format!("{}: {fault}", strict::key_in(key, &inner)))
}

fn needed<T: DeserializeOwned>(keys: &mut Keys, key: &str) -> Result<T, String> {
    take(keys, key)?.ok_or_else(|| format!("missing field `{key}`"))
}

fn nothing_left(keys: &Keys) -> Result<(), String> {
    match keys.keys().next() {
        None => Ok(()),
        Some(key) => Err(format!("{key}: unknown field `{key}`")),
    }
}
