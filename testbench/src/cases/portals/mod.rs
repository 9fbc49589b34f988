//! Kind `portals`: steps of one or several nodes, played to whatever implements [`PortalsNodes`].
//!
//! The steps become commands, requests and deliveries in the words of [`crate::portals`]; what the nodes show
//! afterwards is put into the shape of `expect` and compared with it. The nodes are the functional model's, or real
//! NICs ([`rtl`](super::rtl)).

mod commands;
mod compare;
mod expect;
mod names;
mod nodes;
mod play;
mod read;
mod schema;
mod show;

pub use expect::{
    AckKind, AckResult, EventResult, ListsResult, NodeResult, Results, SentKind, SentResult,
    StatusResult,
};
pub(in crate::cases) use nodes::malformed;
pub use nodes::{MD_EVENTS, Observed, PORTAL_EVENTS, PortalsNodes};
pub(in crate::cases) use read::fields;

use super::{NotRun, part, to_value};
use serde_json::{Map, Value, json};

/// Plays a case to nodes that are brought up for it; these, and what they show.
pub fn play_to<N: PortalsNodes>(case: &Value) -> Result<(N, Results), NotRun> {
    play::play(&part(case, "config")?, &part::<Vec<_>>(case, "steps")?)
}

/// The result of a case and how it differs from `expect`.
pub fn run<N: PortalsNodes>(case: &Value) -> Result<(Value, Vec<String>), NotRun> {
    let mut expected = part::<Value>(case, "expect")?;
    let mut alternatives = match case.get("also_accept") {
        Some(_) => part::<Vec<Value>>(case, "also_accept")?,
        None => Vec::new(),
    };
    // Their shapes are looked at before anything runs.
    part::<Results>(case, "expect")?;
    if !alternatives.is_empty() {
        part::<Vec<Results>>(case, "also_accept")?;
    }
    let (_, results) = play_to::<N>(case)?;
    let got = to_value(&results)?;
    let says_nothing = |node: &Value| node.as_object().is_some_and(Map::is_empty);
    if let Value::Object(nodes) = &expected
        && nodes.values().all(says_nothing)
    {
        return Ok((got, vec!["expect: says nothing".to_owned()]));
    }
    complete(&mut expected, &got);
    for alternative in &mut alternatives {
        complete(alternative, &expected);
    }
    let filled = json!({"expect": expected, "also_accept": alternatives});
    let differences = compare::compare(
        &part(&filled, "expect")?,
        &part::<Vec<_>>(&filled, "also_accept")?,
        &results,
    )?;
    Ok((got, differences))
}

/// Takes nodes, and keys of nodes, that are not stated, from another result.
fn complete(result: &mut Value, other: &Value) {
    let (Value::Object(nodes), Value::Object(others)) = (result, other) else {
        return;
    };
    for (rank, other) in others {
        match (nodes.get_mut(rank), other) {
            (None, _) => {
                nodes.insert(rank.clone(), other.clone());
            }
            (Some(Value::Object(node)), Value::Object(other)) => {
                for (key, value) in other {
                    node.entry(key).or_insert_with(|| value.clone());
                }
            }
            _ => {}
        }
    }
}
