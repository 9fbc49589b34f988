//! Cheap functions of one register word, which every part that uses them computes for itself.
//!
//! A register that holds a struct changes when one field does. What takes another field out of it gives the same value
//! as before, but a part that only did that would be computed, compared and found unchanged in every such cycle; copied
//! into its users it needs no test and no word. It makes its users readers of the register, so it is copied only if the
//! run has shown that this computes them no oftener.

use std::collections::BTreeMap;

use super::Needs;
use super::activity::{Activity, ones};
use crate::netlist::{Id, Op};

/// The operations that are copied, with the register word each reads. None are without a run.
pub(super) fn copies(needs: &Needs, activity: Option<&Activity>) -> BTreeMap<Id, u32> {
    let mut copies = BTreeMap::new();
    let Some(activity) = activity else {
        return copies;
    };
    let graph = &needs.netlist.graph;
    let inputs: usize = needs
        .netlist
        .inputs
        .iter()
        .map(|port| port.width.div_ceil(64))
        .sum();
    let roots = needs.roots();
    let constant = |id: Id| matches!(graph.op(id), Op::Const(_));
    for &id in needs.order.iter().filter(|id| !roots[id.index()]) {
        let base = match graph.op(id) {
            Op::And(a, b) | Op::Or(a, b) | Op::Xor(a, b) | Op::Eq(a, b) if constant(a) => b,
            Op::And(a, b) | Op::Or(a, b) | Op::Xor(a, b) | Op::Eq(a, b) if constant(b) => a,
            Op::Shl(a, b) | Op::Shr(a, b) if constant(b) => a,
            _ => continue,
        };
        let word = match graph.op(base) {
            Op::Load(word) if word as usize >= inputs => Some(word),
            _ => copies.get(&base).copied(),
        };
        let Some(word) = word else { continue };
        let lost = ones(&activity.state[word as usize])
            .saturating_sub(ones(&activity.changed[id.index()]));
        if lost == 0 {
            copies.insert(id, word);
        }
    }
    copies
}
