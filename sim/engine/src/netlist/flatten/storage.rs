//! Registers and memories while a design is flattened.

use super::super::execute::ones;
use super::super::graph::{Id, Op};
use super::super::words::{Words, count};
use super::super::{Memory, PortWords};
use super::{Flat, Stored, Writes};
use crate::design::{Leaf, Module};
use num_bigint::BigUint;

impl Flat<'_> {
    /// Builds the storage of an instance whose signals are `nets`.
    pub(super) fn storage(&mut self, leaf: &Leaf, nets: &[usize], module: &Module) {
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
                self.register(nets[*q], word, now, next);
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
                let depth = 1usize << module.signals[*write_addr].ty.width;
                let memory = self.memory(nets[*read_data], depth, contents);
                let entry = self.entry(memory, nets[*read_addr], width);
                if *asynchronous {
                    self.drive(nets[*read_data], entry);
                } else {
                    let (word, now) = self.state(width, &BigUint::ZERO);
                    self.register(nets[*read_data], word, now, entry);
                }
                let mask = match write_mask {
                    None => vec![self.graph.constant(u64::MAX); count(width)],
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

    /// A register: its state from `word` on, read as `now`, drives the net `q`.
    fn register(&mut self, q: usize, word: u32, now: Words, next: Words) {
        let (name, width) = (self.nets[q].path.clone(), self.nets[q].width);
        self.netlist.registers.push(PortWords { name, width, word });
        self.stored.push(Stored { word, next });
        self.drive(q, now);
    }

    /// A memory, called and as wide as the widget of the net `read_data`; gives its number.
    fn memory(&mut self, read_data: usize, depth: usize, contents: &[BigUint]) -> usize {
        let (path, width) = (&self.nets[read_data].path, self.nets[read_data].width);
        let words = count(width);
        let mut initial = vec![0; depth * words];
        for (entry, value) in contents.iter().enumerate() {
            for (word, digit) in value.to_u64_digits().into_iter().enumerate() {
                initial[entry * words + word] = digit;
            }
        }
        self.netlist.memories.push(Memory {
            path: path.strip_suffix(".read_data").unwrap_or(path).into(),
            width,
            words,
            depth,
            initial,
        });
        self.netlist.memories.len() - 1
    }

    /// The words of the entry that the net `read_addr` selects.
    fn entry(&mut self, memory: usize, read_addr: usize, width: usize) -> Words {
        let addr = self.value(read_addr)[0];
        let word = |word: usize| {
            let op = Op::Read {
                memory: memory as u32,
                word: word as u32,
                addr,
            };
            self.graph.source(op, (width - 64 * word).min(64))
        };
        (0..count(width)).map(word).collect()
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
}
