//! Kind `portals`: steps of one or several nodes, played to whatever implements [`PortalsNodes`].
//!
//! The steps become commands, requests and deliveries in the words of [`crate::portals`]; what the nodes show afterwards is put into
//! the shape of `expect` and compared with it. The nodes are the functional model's, or real NICs ([`rtl`](super::rtl)).

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

use super::{NotRun, part, to_value};
use serde_json::Value;

/// Plays a case to nodes that are brought up for it; these, and what they show.
pub fn play_to<N: PortalsNodes>(case: &Value) -> Result<(N, Results), NotRun> {
    play::play(&part(case, "config")?, &part::<Vec<_>>(case, "steps")?)
}

/// The result of a case and how it differs from `expect`.
pub fn run<N: PortalsNodes>(case: &Value) -> Result<(Value, Vec<String>), NotRun> {
    let (_, results) = play_to::<N>(case)?;
    let alternatives: Vec<Results> = match case.get("also_accept") {
        Some(_) => part(case, "also_accept")?,
        None => Vec::new(),
    };
    let differences = compare::compare(&part(case, "expect")?, &alternatives, &results)?;
    Ok((to_value(&results)?, differences))
}
