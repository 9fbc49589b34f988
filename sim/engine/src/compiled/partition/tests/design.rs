//! Designs by lot, and the simplest way to run them.

use crate::netlist::{Id, Memory, MemoryWrite, NetSignal, Netlist, Op, PortWords};

/// Numbers by lot.
pub(super) struct Random(pub(super) u64);

impl Random {
    pub(super) fn word(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    pub(super) fn below(&mut self, end: u64) -> u64 {
        self.word() % end
    }

    fn one(&mut self, of: &[Id]) -> Id {
        of[self.below(of.len() as u64) as usize]
    }
}

/// Words of inputs, registers, entries of a memory.
const INPUTS: u32 = 3;
const REGISTERS: u32 = 10;
const DEPTH: usize = 8;
/// Signals of two words.
pub(super) const SIGNALS: usize = 30;

/// A port or register of a word.
fn port(name: String, word: u32) -> PortWords {
    PortWords {
        name,
        width: 64,
        word,
    }
}

/// A design with everything that the rules speak of: two writes of one memory, registers that hold constants, inputs,
/// themselves and each other, operands of writes that are registers, outputs that are inputs and constants.
pub(super) fn netlist(random: &mut Random) -> Netlist {
    let mut netlist = Netlist::default();
    let graph = &mut netlist.graph;
    let state = INPUTS + REGISTERS;
    let loads: Vec<Id> = (0..state)
        .map(|word| graph.source(Op::Load(word), 64))
        .collect();
    let mut values = loads.clone();
    let numbers = [0, 1, 6, 0xff, u64::MAX].map(|value| graph.constant(value));
    values.extend(numbers);
    for _ in 0..40 + random.below(60) {
        let [a, b, c] = [(); 3].map(|()| random.one(&values));
        let bit = graph.add(Op::And(c, numbers[1]));
        let addr = graph.constant(DEPTH as u64 - 1);
        let addr = graph.add(Op::And(b, addr));
        let op = match random.below(14) {
            0 => Op::And(a, b),
            1 => Op::Or(a, b),
            2 => Op::Xor(a, b),
            3 => Op::Add(a, b),
            4 => Op::Sub(a, b),
            5 => Op::Eq(a, b),
            6 => Op::Lt(a, b),
            7 => Op::Shl(a, numbers[2]),
            8 => Op::Shr(a, b),
            9 => Op::Parity(a),
            10 => Op::Read {
                memory: random.below(2) as u32,
                word: 0,
                addr,
            },
            _ => Op::Mux(bit, a, b),
        };
        values.push(match op {
            Op::Read { .. } => graph.source(op, 64),
            _ => graph.add(op),
        });
    }
    netlist.live = netlist.graph.ops().len();
    netlist.initial = (0..state).map(|_| random.below(4)).collect();
    netlist.initial[..INPUTS as usize].fill(0);
    netlist.inputs = (0..INPUTS)
        .map(|word| port(format!("i{word}"), word))
        .collect();
    netlist.registers = (INPUTS..state)
        .map(|word| port(format!("r{word}"), word))
        .collect();
    for word in INPUTS..state {
        let next = match word - INPUTS {
            // Itself; a constant; an input; another register; anything.
            0 => loads[word as usize],
            1 => numbers[2],
            2 => loads[1],
            3 => loads[word as usize + 1],
            _ => random.one(&values),
        };
        netlist.next.push((word, next));
    }
    for name in ["memory", "other"] {
        netlist.memories.push(Memory {
            path: name.into(),
            width: 64,
            words: 1,
            depth: DEPTH,
            initial: (0..DEPTH).map(|_| random.below(9)).collect(),
        });
    }
    for memory in [0, 0, 1] {
        let last = netlist.graph.constant(DEPTH as u64 - 1);
        let (enable, addr) = (random.one(&values), random.one(&values));
        netlist.writes.push(MemoryWrite {
            memory,
            enable: netlist.graph.add(Op::And(enable, numbers[1])),
            addr: netlist.graph.add(Op::And(addr, last)),
            // Of the second memory a register itself.
            data: vec![if memory == 1 {
                loads[8]
            } else {
                random.one(&values)
            }],
            mask: vec![if memory == 1 {
                numbers[4]
            } else {
                random.one(&values)
            }],
        });
    }
    netlist.outputs = vec![
        ("a".into(), 64, vec![random.one(&values)]),
        ("b".into(), 64, vec![loads[0]]),
        ("c".into(), 64, vec![loads[6]]),
        ("d".into(), 64, vec![numbers[3]]),
        ("e".into(), 64, vec![random.one(&values)]),
    ];
    for number in 0..SIGNALS {
        netlist.signals.push(NetSignal {
            path: format!("s{number}"),
            width: 128,
            clock: false,
            direction: None,
            constant: false,
            variants: Vec::new(),
            fields: Vec::new(),
            words: vec![random.one(&values), random.one(&values)],
        });
    }
    netlist
}

/// A design that is computed as a whole in every cycle.
#[derive(Clone)]
pub(super) struct Simple<'a> {
    netlist: &'a Netlist,
    pub(super) state: Vec<u64>,
    pub(super) memories: Vec<Vec<u64>>,
    driven: Vec<u64>,
}

impl<'a> Simple<'a> {
    pub(super) fn new(netlist: &'a Netlist) -> Self {
        let memories = netlist.memories.iter();
        Self {
            netlist,
            state: netlist.initial.clone(),
            memories: memories.map(|memory| memory.initial.clone()).collect(),
            driven: vec![0; netlist.inputs.len()],
        }
    }

    pub(super) fn inputs(&self) -> usize {
        self.driven.len()
    }

    pub(super) fn drive(&mut self, inputs: &[u64]) {
        self.driven.copy_from_slice(inputs);
    }

    pub(super) fn poke(&mut self, register: usize, value: u64) {
        self.state[self.netlist.registers[register].word as usize] = value;
    }

    fn values(&mut self) -> Vec<u64> {
        self.state[..self.driven.len()].copy_from_slice(&self.driven);
        let graph = &self.netlist.graph;
        let mut values = Vec::new();
        for op in graph.ops() {
            let value = match *op {
                Op::Load(word) => self.state[word as usize],
                Op::Read { memory, addr, .. } => {
                    self.memories[memory as usize][values[addr.index()] as usize]
                }
                op => op.fold(|id| values[id.index()]).unwrap_or(0),
            };
            values.push(value);
        }
        values
    }

    pub(super) fn outputs(&mut self) -> Vec<u64> {
        let values = self.values();
        let ids = self.netlist.outputs.iter().flat_map(|one| &one.2);
        ids.map(|id| values[id.index()]).collect()
    }

    pub(super) fn step(&mut self) {
        let values = self.values();
        for write in &self.netlist.writes {
            let at = |id: Id| values[id.index()];
            if at(write.enable) != 0 {
                let entry = &mut self.memories[write.memory][at(write.addr) as usize];
                let mask = at(write.mask[0]);
                *entry = (*entry & !mask) | (at(write.data[0]) & mask);
            }
        }
        for (word, id) in &self.netlist.next {
            self.state[*word as usize] = values[id.index()];
        }
    }
}
