//! All instances of a design as one graph.
//!
//! **Idea.** Every instance's kernel is executed by itself; a signal that another instance drives is a placeholder, one
//! a word ([`Op::Later`]). Then the placeholders are replaced by their drivers (`finish.rs`), which also finds the
//! loops.

use super::execute::{Surroundings, execute, ones};
use super::graph::{Graph, Id, Op};
use super::resolve::Net;
use super::words::{Words, count};
use super::{NetSignal, Netlist, PortWords};
use crate::base::{Finding, Rule};
use crate::design::{Body, Design, Module, Name, SignalKind};

mod finish;
mod storage;

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
