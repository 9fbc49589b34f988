//! Copies nodes into a graph without placeholders: each is replaced by its driver, from the roots down.
//!
//! **Idea.** A placeholder that is met again below itself is a loop, but perhaps one of the word only: valid and ready
//! of a handshake, or fields of a struct, that share a word and do not depend on each other. So a word on a loop is
//! *split*: its pieces (fields, else bits) are placeholders of their own, and only the bits of a node that somebody
//! needs are followed. A loop that is still there is real.
//!
//! **Cost.** Nothing is split and all bits are needed in designs without such words, which is all that the hardware
//! here has.

use std::collections::BTreeSet;

use super::NetSignal;
use super::graph::{Graph, Id, Op};
use super::restrict::Restrict;
use super::words::{Words, count};
use crate::base::QuickMap;
use crate::base::mask;
use crate::design::Field;

/// A node and those of its bits that matter; the others may come out wrong.
type Need = (Id, u64);

/// A word of a signal and those of its bits that are one placeholder.
type Piece = (u32, u64);

/// A signal of an instance.
pub(super) struct Net {
    pub(super) path: String,
    pub(super) width: usize,
    pub(super) clock: bool,
    /// First placeholder.
    pub(super) first: u32,
    pub(super) driver: Option<Words>,
}

pub(super) struct Resolver<'a> {
    pub(super) old: Graph,
    pub(super) nets: &'a [Net],
    /// By net.
    pub(super) signals: &'a [NetSignal],
    /// By placeholder: net and word.
    pub(super) words: &'a [(usize, usize)],
    /// Placeholders that are split.
    pub(super) split: &'a BTreeSet<u32>,
    pub(super) new: Graph,
    restrict: Restrict,
    done: QuickMap<Need, Id>,
    pieces: QuickMap<Piece, Id>,
    /// Pieces whose drivers are being copied, in the order they were met.
    open: QuickMap<Piece, usize>,
    /// Nets that nothing drives.
    pub(super) undriven: Vec<usize>,
    /// Placeholders that depend on themselves, in the order of the dependence.
    pub(super) loops: Vec<Vec<u32>>,
}

/// What is left to do.
enum Task {
    /// Copy a node.
    Visit(Need),
    /// Its operands are copied.
    Build(Need),
    /// Another node, which is copied, has the same bits.
    Same(Need, Need),
    /// Copy the driver of a piece.
    Open(Piece),
    /// It is copied.
    Close(Piece, Need),
    /// The pieces of a placeholder are copied.
    Join(Need, Vec<Piece>),
}

impl<'a> Resolver<'a> {
    pub(super) fn new(
        old: Graph,
        nets: &'a [Net],
        signals: &'a [NetSignal],
        words: &'a [(usize, usize)],
        split: &'a BTreeSet<u32>,
    ) -> Self {
        Self {
            old,
            nets,
            signals,
            words,
            split,
            new: Graph::default(),
            restrict: Restrict::default(),
            done: QuickMap::default(),
            pieces: QuickMap::default(),
            open: QuickMap::default(),
            undriven: Vec::new(),
            loops: Vec::new(),
        }
    }

    /// The value of a net.
    pub(super) fn net(&mut self, net: usize) -> Words {
        let Net { width, driver, .. } = &self.nets[net];
        match driver {
            Some(words) => words.iter().map(|&id| self.id(id)).collect(),
            None => {
                self.undriven.push(net);
                let zero = self.new.constant(0);
                vec![zero; count(*width)]
            }
        }
    }

    /// The node in the new graph. A stack of its own: chains of logic are longer than a thread's stack.
    pub(super) fn id(&mut self, id: Id) -> Id {
        let root = (id, u64::MAX);
        let mut tasks = vec![Task::Visit(root)];
        while let Some(task) = tasks.pop() {
            match task {
                Task::Visit(need) if self.done.contains_key(&need) => {}
                Task::Visit(need @ (id, bits)) => match self.old.op(id) {
                    Op::Later(later) => {
                        let pieces = self.split_into(later, bits);
                        tasks.push(Task::Join(need, pieces.clone()));
                        tasks.extend(pieces.into_iter().map(Task::Open));
                    }
                    Op::Mux(..) if self.smaller(need) != need => {
                        let smaller = self.smaller(need);
                        tasks.extend([Task::Same(need, smaller), Task::Visit(smaller)]);
                    }
                    op => {
                        tasks.push(Task::Build(need));
                        tasks.extend(
                            op.operands()
                                .map(|id| Task::Visit(self.below(op, bits, id))),
                        );
                    }
                },
                Task::Build(need) => {
                    let built = self.build(need);
                    self.done.insert(need, built);
                }
                Task::Same(need, other) => {
                    self.done.insert(need, self.done[&other]);
                }
                Task::Open(piece) => self.piece(piece, &mut tasks),
                Task::Close(piece, driver) => {
                    self.open.remove(&piece);
                    self.pieces.insert(piece, self.done[&driver]);
                }
                Task::Join(need, pieces) => {
                    let joined = self.join(&pieces);
                    self.done.insert(need, joined);
                }
            }
        }
        self.done[&root]
    }

    /// The same need without choices that make no difference for it.
    fn smaller(&mut self, (id, bits): Need) -> Need {
        match bits {
            u64::MAX => (id, bits),
            bits => (self.restrict.of(&mut self.old, id, bits), bits),
        }
    }

    /// The pieces of a placeholder that have some of the bits.
    fn split_into(&self, later: u32, bits: u64) -> Vec<Piece> {
        if !self.split.contains(&later) {
            return vec![(later, u64::MAX)];
        }
        let (net, word) = self.words[later as usize];
        let width = self.nets[net].width;
        let mut ends = BTreeSet::from([width]);
        match &self.signals[net].fields[..] {
            [] => ends.extend(1..width),
            fields => fields.iter().for_each(|field| starts(field, &mut ends)),
        }
        let (low, high) = (64 * word, 64 * (word + 1));
        let mut start = 0;
        let mut pieces = Vec::new();
        for end in ends {
            let (from, to) = (start.max(low), end.min(high));
            if from < to {
                pieces.push((later, mask(to - low) & !mask(from - low)));
            }
            start = end;
        }
        pieces.retain(|(_, piece)| piece & bits != 0);
        pieces
    }

    fn piece(&mut self, piece @ (later, bits): Piece, tasks: &mut Vec<Task>) {
        if self.pieces.contains_key(&piece) {
            return;
        }
        let (net, word) = self.words[later as usize];
        if let Some(&from) = self.open.get(&piece) {
            let mut path: Vec<(usize, u32)> = self
                .open
                .iter()
                .filter(|(_, order)| **order >= from)
                .map(|((later, _), order)| (*order, *later))
                .collect();
            path.sort_unstable();
            self.loops
                .push(path.into_iter().map(|(_, later)| later).collect());
        } else if let Some(words) = &self.nets[net].driver {
            self.open.insert(piece, self.open.len());
            let driver = (words[word], bits);
            tasks.push(Task::Close(piece, driver));
            tasks.push(Task::Visit(driver));
            return;
        } else {
            self.undriven.push(net);
        }
        let zero = self.new.constant(0);
        self.pieces.insert(piece, zero);
    }

    fn join(&mut self, pieces: &[Piece]) -> Id {
        let zero = self.new.constant(0);
        pieces.iter().fold(zero, |all, piece| {
            let value = self.pieces[piece];
            let bits = self.new.constant(piece.1);
            let part = self.new.add(Op::And(value, bits));
            self.new.add(Op::Or(all, part))
        })
    }

    /// What is needed of an operand for `bits` of the result.
    fn below(&self, op: Op, bits: u64, operand: Id) -> Need {
        let constant = |id: Id| match self.old.op(id) {
            Op::Const(value) => Some(value),
            _ => None,
        };
        if self.split.is_empty() || constant(operand).is_some() {
            return (operand, u64::MAX);
        }
        let needed = match op {
            Op::And(a, b) => bits & constant(a).or(constant(b)).unwrap_or(u64::MAX),
            Op::Or(..) | Op::Xor(..) => bits,
            Op::Mux(c, ..) if operand != c => bits,
            Op::Add(..) | Op::Sub(..) => mask(64 - bits.leading_zeros() as usize),
            Op::Shl(_, by) => match constant(by) {
                Some(by @ 0..64) => bits >> by,
                _ => u64::MAX,
            },
            Op::Shr(_, by) => match constant(by) {
                Some(by @ 0..64) => bits << by,
                _ => u64::MAX,
            },
            _ => u64::MAX,
        };
        // Bits that are zero anyway make no difference, so they do not make needs different.
        match needed & mask(self.old.width(operand)) {
            all if all == mask(self.old.width(operand)) => (operand, u64::MAX),
            some => (operand, some),
        }
    }

    fn build(&mut self, (id, bits): Need) -> Id {
        let old = self.old.op(id);
        let at = |id: Id| self.done[&self.below(old, bits, id)];
        let op = match old {
            Op::Read { memory, word, addr } => Op::Read {
                memory,
                word,
                addr: at(addr),
            },
            Op::And(a, b) => Op::And(at(a), at(b)),
            Op::Or(a, b) => Op::Or(at(a), at(b)),
            Op::Xor(a, b) => Op::Xor(at(a), at(b)),
            Op::Add(a, b) => Op::Add(at(a), at(b)),
            Op::Sub(a, b) => Op::Sub(at(a), at(b)),
            Op::Eq(a, b) => Op::Eq(at(a), at(b)),
            Op::Lt(a, b) => Op::Lt(at(a), at(b)),
            Op::Shl(a, b) => Op::Shl(at(a), at(b)),
            Op::Shr(a, b) => Op::Shr(at(a), at(b)),
            Op::Parity(a) => Op::Parity(at(a)),
            Op::Mux(c, a, b) => Op::Mux(at(c), at(a), at(b)),
            op @ (Op::Const(_) | Op::Load(_) | Op::Later(_)) => op,
        };
        match op {
            Op::Const(value) => self.new.constant(value),
            // The width of a source is known from the old graph only.
            Op::Load(_) | Op::Read { .. } => {
                let width = self.old.width(id);
                self.new.source(op, width)
            }
            op => self.new.add(op),
        }
    }
}

/// Where the fields inside start.
fn starts(field: &Field, starts_at: &mut BTreeSet<usize>) {
    if field.offset > 0 {
        starts_at.insert(field.offset);
    }
    field
        .fields
        .iter()
        .for_each(|inner| starts(inner, starts_at));
}
