//! Figure 6 of the paper: neither rank knows whether the other is there.
//!
//! A send that starts appends an entry for "ready to receive" and says "ready to send"; when that entry has its message
//! it sends the data. A receive that starts appends entries for "ready to send" and for the data and says "ready to
//! receive", once at once and once more when it hears of the sender. What finds no entry is dropped.
//!
//! *Proof obligation: the data leave once, and find their entry.* Each side appends before it says something, and a
//! context does what has fired in order. So of the two, whoever is second finds the other's entry: if the receive is,
//! its first message does; if the send is, its message is heard and the receive says it again. Both may do; the entry
//! of the send is used once and its name is the message's alone, so the other message is dropped. The entry for the
//! data is there before the receive says anything.
//!
//! *Nothing is left over.* When the data are there the entry for "ready to send" is unlinked, if nobody has used it,
//! and what waited to hear of the sender is let go: one more message that is dropped.
//!
//! A message is named by its tag if no other of the pair of ranks has it, so that each rank needs only its own part of
//! the graph; else, and for any tag, by the number that the matching gives it.

use super::lower::descriptor;
use super::net::{Net, What};
use super::{Flaw, Options};
use crate::graph::{Kind, Slice};
use crate::schedule::{Action, Entry, Gate, MessageKind, Program, Triggered, handshake_bits};

/// Set in names that are numbers of the matching.
const BY_NUMBER: usize = 1 << 46;

/// A send or a receive that learns of the other by messages.
pub(super) struct Handshake<'a> {
    pub(super) net: &'a Net<'a>,
    pub(super) options: &'a Options,
    pub(super) node: usize,
    /// When it starts.
    pub(super) gate: Gate,
    /// Counter of its end.
    pub(super) done: usize,
    /// Bytes of each message of data.
    pub(super) piece: u64,
}

impl Handshake<'_> {
    /// Posts what it does.
    pub(super) fn post(&self, program: &mut Program) {
        let heard = program.counters;
        program.counters += 1;
        match self.net.nodes[self.node].what {
            What::Send { from, to } => self.send(program, heard, from, to),
            What::Recv { into, send, .. } => self.recv(program, heard, into, send),
            _ => {}
        }
    }

    fn send(&self, program: &mut Program, ready: usize, from: Slice, to: usize) {
        let peer = self.net.nodes[to].rank;
        let entry = self.entry(MessageKind::Ready, to, peer, ready);
        self.append(program, entry);
        if self.options.flaw != Some(Flaw::DoesNotAsk) {
            self.say(program, self.gate, MessageKind::Asks, to, peer);
        }
        let gate = Gate {
            counter: ready,
            threshold: 1,
        };
        let descriptor = descriptor(program, Some(self.done), false);
        let mut sent = 0;
        loop {
            let length = (from.length - sent).min(self.piece);
            let action = Action::Send {
                descriptor,
                from: from.part(sent, length),
                target: peer,
                bits: self.bits(MessageKind::Data, to),
                at: sent,
                arithmetic: None,
            };
            program.triggered.push(Triggered { gate, action });
            sent += length;
            if sent >= from.length {
                return;
            }
        }
    }

    fn recv(&self, program: &mut Program, asked: usize, into: Slice, send: usize) {
        let peer = self.net.nodes[send].rank;
        let says = |program: &mut Program, gate: Gate| {
            self.say(program, gate, MessageKind::Ready, self.node, peer);
        };
        if self.options.flaw == Some(Flaw::SaysEarly) {
            says(program, self.gate);
        }
        let entry = self.entry(MessageKind::Asks, self.node, peer, asked);
        let number = self.append(program, entry);
        let pieces = into.length.div_ceil(self.piece).max(1);
        let data = Entry {
            into: Some(into),
            once: pieces == 1,
            ..self.entry(MessageKind::Data, self.node, peer, self.done)
        };
        self.append(program, data);
        if self.options.flaw != Some(Flaw::SaysEarly) {
            says(program, self.gate);
        }
        let again = Gate {
            counter: asked,
            threshold: 1,
        };
        if self.options.flaw != Some(Flaw::SaysOnce) {
            says(program, again);
        }
        let gate = Gate {
            counter: self.done,
            threshold: pieces,
        };
        for action in [Action::Unlink { number }, Action::Count { counter: asked }] {
            program.triggered.push(Triggered { gate, action });
        }
    }

    /// Appends an entry when the vertex starts; gives its number.
    fn append(&self, program: &mut Program, entry: Entry) -> usize {
        let appends = |one: &&Triggered| matches!(one.action, Action::Append { .. });
        let number = program.triggered.iter().filter(appends).count();
        program.triggered.push(Triggered {
            gate: self.gate,
            action: Action::Append { number, entry },
        });
        number
    }

    fn entry(&self, kind: MessageKind, recv: usize, peer: usize, counter: usize) -> Entry {
        Entry {
            bits: self.bits(kind, recv),
            source: Some(peer),
            into: Some(Slice::default()),
            counter: Some(counter),
            once: true,
            ..Entry::default()
        }
    }

    /// A message without bytes.
    fn say(&self, program: &mut Program, gate: Gate, kind: MessageKind, recv: usize, peer: usize) {
        let descriptor = descriptor(program, None, false);
        let action = Action::Send {
            descriptor,
            from: Slice::default(),
            target: peer,
            bits: self.bits(kind, recv),
            at: 0,
            arithmetic: None,
        };
        program.triggered.push(Triggered { gate, action });
    }

    fn bits(&self, kind: MessageKind, recv: usize) -> u64 {
        handshake_bits(kind, self.options.schedule, self.name(recv))
    }

    /// The name of the message of a receive.
    fn name(&self, recv: usize) -> usize {
        let vertices = self.net.graph.vertices();
        let to = &vertices[recv];
        let Kind::Recv {
            from: Some(source),
            tag: Some(wanted),
            ..
        } = to.kind
        else {
            return BY_NUMBER | recv;
        };
        let same = vertices.iter().filter(|vertex| match vertex.kind {
            Kind::Send {
                to: target, tag, ..
            } => vertex.rank == source && target == to.rank && tag == wanted,
            Kind::Recv { from, tag, .. } => {
                vertex.rank == to.rank
                    && from.is_none_or(|from| from == source)
                    && tag.is_none_or(|tag| tag == wanted)
            }
            _ => false,
        });
        match same.count() {
            2 => wanted as usize,
            _ => BY_NUMBER | recv,
        }
    }
}
