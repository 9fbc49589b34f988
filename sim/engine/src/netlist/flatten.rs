//! All instances of a design as one graph.
//!
//! **Idea.** Every instance's kernel is executed by itself; a signal that another instance drives is a placeholder, one a word
//! ([`Op::Later`]). Then the placeholders are replaced by their drivers ([`Resolver`]), which also finds the loops.

use std::collections::BTreeSet;

use super::execute::{Surroundings, execute, ones};
use super::graph::{Graph, Id, Op};
use super::resolve::Resolver;
use super::words::{Words, count};
use super::{Memory, MemoryWrite, NetSignal, Netlist, PortWords};
use crate::design::{Body, Design, Leaf, Module, Name, SignalKind};
use crate::elaborate::{Finding, Rule};
use crate::signals::canonical;

/// A signal of an instance.
pub(super) struct Net {
    path: String,
    pub(super) width: usize,
    clock: bool,
    /// First placeholder.
    first: u32,
    pub(super) driver: Option<Words>,
}

/// Flattens a design. Errors: latches, signals without or with several drivers, loops.
pub(super) fn flatten(design: &Design) -> Result<Netlist, Vec<Finding>> {
    let mut flat = Flat {
        design,
        graph: Graph::default(),
        nets: Vec::new(),
        words: Vec::new(),
        findings: Vec::new(),
        netlist: Netlist::default(),
        stored: Vec::new(),
        memories: Vec::new(),
    };
    let top = flat.instance(design.top, String::new(), true);
    flat.resolve(top)
}

/// A register before its next value is resolved.
struct Stored {
    /// First state word.
    word: u32,
    next: Words,
}

/// A memory write before its operands are resolved.
struct Writes {
    memory: usize,
    enable: Id,
    addr: Id,
    data: Words,
    /// Bits to write.
    mask: Words,
}

struct Flat<'a> {
    design: &'a Design,
    graph: Graph,
    nets: Vec<Net>,
    /// By placeholder: net and word.
    words: Vec<(usize, usize)>,
    findings: Vec<Finding>,
    netlist: Netlist,
    stored: Vec<Stored>,
    memories: Vec<Writes>,
}

impl Flat<'_> {
    fn report(&mut self, rule: Rule, path: &str, detail: &str) {
        let (block, signal) = path.rsplit_once('.').unwrap_or(("top", path));
        self.findings.push(Finding {
            rule,
            block: block.into(),
            signal: signal.into(),
            detail: detail.into(),
        });
    }

    /// Builds an instance; gives the nets of its signals.
    fn instance(&mut self, number: usize, path: String, top: bool) -> Vec<usize> {
        let module = &self.design.modules[number];
        let below = |name: &str| match path.is_empty() {
            true => name.to_string(),
            false => format!("{path}.{name}"),
        };
        let mut nets = Vec::new();
        for signal in &module.signals {
            let net = self.net(below(&signal.name), signal.ty.width, signal.clock);
            nets.push(net);
            self.netlist
                .signals
                .push(NetSignal::new(below(&signal.name), signal));
            match &signal.kind {
                SignalKind::Constant(value) => {
                    let words = self.graph.number(value, signal.ty.width);
                    self.nets[net].driver = Some(words);
                }
                SignalKind::Input if top && !signal.clock => self.input(net),
                _ => {}
            }
        }
        let children: Vec<Vec<usize>> = module
            .children
            .iter()
            .map(|child| self.instance(child.module, below(&child.name), false))
            .collect();
        match &module.body {
            Body::Logic(statements) => {
                let mut graph = std::mem::take(&mut self.graph);
                let mut around = Around {
                    flat: self,
                    module,
                    nets: &nets,
                    children: &children,
                };
                let written = execute(&mut graph, &mut around, statements);
                self.graph = graph;
                for (name, written) in written {
                    let net = net_of(name, &nets, &children);
                    let width = self.nets[net].width;
                    let path = self.nets[net].path.clone();
                    if self.nets[net].clock {
                        continue;
                    }
                    if written.bits != ones(width) {
                        let detail = "is not written on every way through the kernel";
                        self.report(Rule::Latch, &path, detail);
                    }
                    self.drive(net, written.words);
                }
            }
            Body::Storage(leaf) => self.storage(leaf, &nets, module),
        }
        nets
    }

    fn net(&mut self, path: String, width: usize, clock: bool) -> usize {
        let first = self.words.len() as u32;
        let net = self.nets.len();
        self.words.extend((0..count(width)).map(|word| (net, word)));
        self.nets.push(Net {
            path,
            width,
            clock,
            first,
            driver: None,
        });
        net
    }

    fn drive(&mut self, net: usize, words: Words) {
        if self.nets[net].driver.is_some() {
            let path = self.nets[net].path.clone();
            self.report(Rule::MultipleDrivers, &path, "is driven more than once");
        }
        self.nets[net].driver = Some(words);
    }

    /// New state words for a value of `width` bits, with their initial value.
    fn state(&mut self, width: usize, initial: &num_bigint::BigUint) -> (u32, Words) {
        let word = self.netlist.initial.len() as u32;
        let digits = initial.to_u64_digits();
        let words = (0..count(width)).map(|i| {
            self.netlist
                .initial
                .push(digits.get(i).copied().unwrap_or(0));
            self.graph
                .source(Op::Load(word + i as u32), (width - 64 * i).min(64))
        });
        let words = words.collect();
        (word, words)
    }

    fn input(&mut self, net: usize) {
        let (name, width) = (self.nets[net].path.clone(), self.nets[net].width);
        let (word, words) = self.state(width, &num_bigint::BigUint::ZERO);
        self.netlist.inputs.push(PortWords { name, width, word });
        self.nets[net].driver = Some(words);
    }

    /// The value of a net wherever it comes from.
    fn read(&mut self, graph: &mut Graph, net: usize) -> Words {
        let Net { width, first, .. } = self.nets[net];
        (0..count(width))
            .map(|i| graph.source(Op::Later(first + i as u32), (width - 64 * i).min(64)))
            .collect()
    }

    fn value(&mut self, net: usize) -> Words {
        let mut graph = std::mem::take(&mut self.graph);
        let words = self.read(&mut graph, net);
        self.graph = graph;
        words
    }

    fn storage(&mut self, leaf: &Leaf, nets: &[usize], module: &Module) {
        match leaf {
            Leaf::Reg {
                rst,
                en,
                d,
                q,
                reset,
            } => {
                let width = module.signals[*q].ty.width;
                let (word, now) = self.state(width, reset);
                let mut next = self.value(nets[*d]);
                if let Some(en) = en {
                    let en = self.value(nets[*en])[0];
                    next = self.graph.choose(en, &next, &now);
                }
                if let Some(rst) = rst {
                    let rst = self.value(nets[*rst])[0];
                    let reset = self.graph.number(reset, width);
                    next = self.graph.choose(rst, &reset, &next);
                }
                self.netlist.registers.push(PortWords {
                    name: self.nets[nets[*q]].path.clone(),
                    width,
                    word,
                });
                self.stored.push(Stored { word, next });
                self.drive(nets[*q], now);
            }
            Leaf::Ram {
                write_addr,
                write_data,
                write_en,
                write_mask,
                read_addr,
                read_data,
                asynchronous,
                contents,
            } => {
                let width = module.signals[*write_data].ty.width;
                let memory = self.netlist.memories.len();
                let depth = 1usize << module.signals[*write_addr].ty.width;
                let words = count(width);
                let mut initial = vec![0; depth * words];
                for (entry, value) in contents.iter().enumerate() {
                    for (word, digit) in value.to_u64_digits().into_iter().enumerate() {
                        initial[entry * words + word] = digit;
                    }
                }
                let path = &self.nets[nets[*read_data]].path;
                let path = path.strip_suffix(".read_data").unwrap_or(path);
                self.netlist.memories.push(Memory {
                    path: path.into(),
                    width,
                    words,
                    depth,
                    initial,
                });
                let read_addr = self.value(nets[*read_addr])[0];
                let entry: Words = (0..words)
                    .map(|word| {
                        let op = Op::Read {
                            memory: memory as u32,
                            word: word as u32,
                            addr: read_addr,
                        };
                        self.graph.source(op, (width - 64 * word).min(64))
                    })
                    .collect();
                if *asynchronous {
                    self.drive(nets[*read_data], entry);
                } else {
                    let (word, now) = self.state(width, &num_bigint::BigUint::ZERO);
                    self.netlist.registers.push(PortWords {
                        name: self.nets[nets[*read_data]].path.clone(),
                        width,
                        word,
                    });
                    self.stored.push(Stored { word, next: entry });
                    self.drive(nets[*read_data], now);
                }
                let ones = self.graph.constant(u64::MAX);
                let mask = match write_mask {
                    None => vec![ones; words],
                    Some(lanes) => {
                        let count_of = module.signals[*lanes].ty.width;
                        let lanes = self.value(nets[*lanes]);
                        self.lane_mask(&lanes, count_of, width)
                    }
                };
                let enable = self.value(nets[*write_en])[0];
                let addr = self.value(nets[*write_addr])[0];
                let data = self.value(nets[*write_data]);
                self.memories.push(Writes {
                    memory,
                    enable,
                    addr,
                    data,
                    mask,
                });
            }
        }
    }

    /// The bits that `lanes` stand for.
    fn lane_mask(&mut self, lanes: &[Id], count_of: usize, width: usize) -> Words {
        let lane = width / count_of;
        let zero = self.graph.constant(0);
        let none = vec![zero; count(width)];
        let mut mask = none.clone();
        for i in 0..count_of {
            let bit = self.graph.bit(lanes, i);
            let lane_ones = self.graph.number(&ones(lane), lane);
            let part = self.graph.insert(&none, i * lane, lane_ones, width);
            let part = self.graph.choose(bit, &part, &none);
            mask = mask
                .iter()
                .zip(&part)
                .map(|(&a, &b)| self.graph.add(Op::Or(a, b)))
                .collect();
        }
        mask
    }

    /// Replaces the placeholders and finishes the netlist.
    fn resolve(mut self, top: Vec<usize>) -> Result<Netlist, Vec<Finding>> {
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

fn net_of(name: Name, nets: &[usize], children: &[Vec<usize>]) -> usize {
    match name {
        Name::Own(signal) => nets[signal],
        Name::Port { child, signal } => children[child][signal],
    }
}

/// The signals around a kernel.
struct Around<'a, 'b> {
    flat: &'a mut Flat<'b>,
    module: &'a Module,
    nets: &'a [usize],
    children: &'a [Vec<usize>],
}

impl Surroundings for Around<'_, '_> {
    fn width(&self, name: Name) -> usize {
        self.flat.nets[net_of(name, self.nets, self.children)].width
    }

    fn own(&self, name: Name) -> bool {
        let Name::Own(signal) = name else {
            return false;
        };
        let kind = &self.module.signals[signal].kind;
        matches!(kind, SignalKind::Local | SignalKind::Output)
    }

    fn read(&mut self, graph: &mut Graph, name: Name) -> Words {
        let net = net_of(name, self.nets, self.children);
        self.flat.read(graph, net)
    }

    fn report(&mut self, rule: Rule, name: Name, detail: String) {
        let path = self.flat.nets[net_of(name, self.nets, self.children)]
            .path
            .clone();
        self.flat.report(rule, &path, &detail);
    }
}
