//! The order of the parts, and the registers that are written at once.

use std::collections::{BTreeSet, HashSet};

use super::activity::SAMPLES;
use super::{NOWHERE, Needs, Partition};
use crate::netlist::{Id, Op};

/// Orders parts, of which each comes with the number of cycles in which it was active: what is shown first, then the
/// most active first, so that parts that hardly ever run lie together.
pub(super) fn ordered(
    needs: &Needs,
    mut parts: Vec<(Vec<Id>, u32)>,
    copies: HashSet<Id>,
) -> Partition {
    parts.sort();
    let mut ways = Ways::new(needs, &parts, &copies);
    let in_place = ways.in_place(needs);
    let count = parts.len();
    let key = |part: usize| {
        let idle = SAMPLES as u32 - parts[part].1.min(SAMPLES as u32);
        (!ways.shown[part], idle, part)
    };
    let mut missing: Vec<usize> = ways.before.iter().map(BTreeSet::len).collect();
    let ready = (0..count).filter(|part| missing[*part] == 0).map(key);
    let mut ready: BTreeSet<(bool, u32, usize)> = ready.collect();
    let mut order = Vec::new();
    while let Some((.., part)) = ready.pop_first() {
        order.push(part);
        for &after in &ways.after[part] {
            missing[after] -= 1;
            if missing[after] == 0 {
                ready.insert(key(after));
            }
        }
    }
    let shown = ways.shown.iter().filter(|shown| **shown).count();
    let parts = order
        .into_iter()
        .map(|part| std::mem::take(&mut parts[part].0));
    Partition {
        parts: parts.collect(),
        shown,
        in_place,
        copies,
    }
}

/// Which parts must come before which.
struct Ways {
    before: Vec<BTreeSet<usize>>,
    after: Vec<BTreeSet<usize>>,
    /// By node: the part that computes it.
    home: Vec<usize>,
    /// By state word: the parts that read it.
    readers: Vec<BTreeSet<usize>>,
    /// By part: whether it is needed for what is shown.
    shown: Vec<bool>,
}

impl Ways {
    fn new(needs: &Needs, parts: &[(Vec<Id>, u32)], copies: &HashSet<Id>) -> Self {
        let graph = &needs.netlist.graph;
        let mut home = vec![NOWHERE; graph.ops().len()];
        for (number, (nodes, _)) in parts.iter().enumerate() {
            for id in nodes.iter().filter(|id| !copies.contains(id)) {
                home[id.index()] = number;
            }
        }
        let mut before = vec![BTreeSet::new(); parts.len()];
        let mut after = vec![BTreeSet::new(); parts.len()];
        let mut readers = vec![BTreeSet::new(); needs.netlist.initial.len()];
        for (number, (nodes, _)) in parts.iter().enumerate() {
            for operand in nodes.iter().flat_map(|id| graph.op(*id).operands()) {
                let home = home[operand.index()];
                if let Op::Load(word) = graph.op(operand) {
                    readers[word as usize].insert(number);
                } else if home != NOWHERE && home != number {
                    before[number].insert(home);
                    after[home].insert(number);
                }
            }
        }
        let mut shown = vec![false; parts.len()];
        let roots = needs.shown.iter().map(|id| home[id.index()]);
        let mut stack: Vec<usize> = roots.filter(|home| *home != NOWHERE).collect();
        while let Some(part) = stack.pop() {
            if !std::mem::replace(&mut shown[part], true) {
                stack.extend(&before[part]);
            }
        }
        Self {
            before,
            after,
            home,
            readers,
            shown,
        }
    }

    /// The registers whose readers can all come before their writer, in the order of the design; from then on they
    /// must.
    fn in_place(&mut self, needs: &Needs) -> HashSet<usize> {
        let taken = needs.taken_directly();
        let mut in_place = HashSet::new();
        for (word, id) in &needs.netlist.next {
            let (word, writer) = (*word as usize, self.home[id.index()]);
            if writer == NOWHERE || self.shown[writer] || taken[word] {
                continue;
            }
            let readers = self.readers[word].iter().copied();
            let readers: Vec<usize> = readers
                .filter(|reader| *reader != writer && !self.shown[*reader])
                .collect();
            if self.reaches(writer, &readers) {
                continue;
            }
            for reader in readers {
                self.after[reader].insert(writer);
                self.before[writer].insert(reader);
            }
            in_place.insert(word);
        }
        in_place
    }

    fn reaches(&self, from: usize, wanted: &[usize]) -> bool {
        if wanted.is_empty() {
            return false;
        }
        let mut seen = HashSet::new();
        let mut stack = vec![from];
        while let Some(part) = stack.pop() {
            if wanted.contains(&part) {
                return true;
            }
            if seen.insert(part) {
                stack.extend(&self.after[part]);
            }
        }
        false
    }
}
