//! The end of flattening: placeholders give way to their drivers, and the netlist is filled.

use std::collections::BTreeSet;

use super::super::resolve::Resolver;
use super::super::words::Words;
use super::super::{MemoryWrite, Netlist};
use super::{Flat, Stored};
use crate::base::{Finding, Rule, canonical};
use crate::design::SignalKind;

impl Flat<'_> {
    /// Replaces the placeholders and finishes the netlist.
    pub(super) fn resolve(mut self, top: Vec<usize>) -> Result<Netlist, Vec<Finding>> {
        let mut netlist = std::mem::take(&mut self.netlist);
        let mut split = BTreeSet::new();
        let (undriven, loops) = loop {
            let (undriven, loops) = self.attempt(&top, &split, &mut netlist);
            let known = split.len();
            split.extend(loops.iter().flatten());
            if split.len() == known {
                break (undriven, loops);
            }
        };
        for net in undriven {
            let path = self.nets[net].path.clone();
            self.report(Rule::Undriven, &path, "nothing drives it");
        }
        for path in loops {
            let name = |later: &u32| &self.nets[self.words[*later as usize].0].path;
            let mut path: Vec<String> = path.iter().map(name).cloned().collect();
            path.dedup();
            let first = path.first().cloned().unwrap_or_default();
            let detail = format!("depends on itself: {}", path.join(" <- "));
            self.report(Rule::CombinationalLoop, &first, &detail);
        }
        self.findings.sort();
        self.findings.dedup();
        if !self.findings.is_empty() {
            return Err(self.findings);
        }
        netlist.index = netlist
            .signals
            .iter()
            .enumerate()
            .map(|(number, signal)| (canonical(&signal.path), number))
            .collect();
        Ok(netlist)
    }

    /// Fills the netlist; gives nets without driver and loops.
    fn attempt(
        &mut self,
        top: &[usize],
        split: &BTreeSet<u32>,
        netlist: &mut Netlist,
    ) -> (Vec<usize>, Vec<Vec<u32>>) {
        let signals = &netlist.signals;
        let graph = std::mem::take(&mut self.graph);
        let mut resolver = Resolver::new(graph, &self.nets, signals, &self.words, split);
        let mut next = Vec::new();
        for Stored { word, next: words } in &self.stored {
            for (i, &id) in words.iter().enumerate() {
                next.push((word + i as u32, resolver.id(id)));
            }
        }
        let writes = self.memories.iter().map(|write| MemoryWrite {
            memory: write.memory,
            enable: resolver.id(write.enable),
            addr: resolver.id(write.addr),
            data: write.data.iter().map(|&id| resolver.id(id)).collect(),
            mask: write.mask.iter().map(|&id| resolver.id(id)).collect(),
        });
        let writes = writes.collect();
        let mut outputs = Vec::new();
        for (signal, net) in self.design.top().signals.iter().zip(top) {
            if signal.kind == SignalKind::Output {
                outputs.push((signal.name.clone(), signal.ty.width, resolver.net(*net)));
            }
        }
        // Signals that only a waveform shows come last, so that they do not stand in the way of the others.
        let live = resolver.new.ops().len();
        let words: Vec<Words> = (0..self.nets.len())
            .map(|number| match self.nets[number].clock {
                true => Vec::new(),
                false => resolver.net(number),
            })
            .collect();
        let Resolver {
            old,
            new,
            undriven,
            loops,
            ..
        } = resolver;
        for (signal, words) in netlist.signals.iter_mut().zip(words) {
            signal.words = words;
        }
        (netlist.next, netlist.writes, netlist.outputs) = (next, writes, outputs);
        (netlist.live, netlist.graph) = (live, new);
        self.graph = old;
        (undriven, loops)
    }
}
