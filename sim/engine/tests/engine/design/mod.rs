//! A small design with all that an engine must cope with: registers at three depths, an array of blocks, a struct, an
//! enum, a word above 64 bits, an array of signals, and a path from input to output without a register.

#![allow(dead_code)]

use rust_hdl::prelude::*;
use xtq_engine::{Engine, Oracle, OracleBuilder, Result};

/// The struct-typed signal.
#[derive(Copy, Clone, Debug, Default, PartialEq, LogicStruct)]
pub struct Header {
    pub kind: Bits<4>,
    pub len: Bits<12>,
    pub body: Bits<80>,
}

/// The enum-typed signal.
#[derive(Copy, Clone, Debug, PartialEq, LogicState)]
pub enum State {
    Idle,
    Busy,
    Done,
}

/// Sums what it is given; one level down.
#[derive(Clone, Default, LogicBlock)]
pub struct Lane {
    pub clk: Signal<In, Clock>,
    pub en: Signal<In, Bit>,
    pub add: Signal<In, Bits<8>>,
    pub sum: Signal<Out, Bits<8>>,
    sum_q: DFF<Bits<8>>,
}

impl Logic for Lane {
    #[hdl_gen]
    fn update(&mut self) {
        self.sum_q.clock.next = self.clk.val();
        self.sum_q.d.next = self.sum_q.q.val();
        if self.en.val() {
            self.sum_q.d.next = self.sum_q.q.val() + self.add.val();
        }
        self.sum.next = self.sum_q.q.val();
    }
}

/// Two lanes one after the other; registers two levels down.
#[derive(Clone, LogicBlock)]
pub struct Lanes {
    pub clk: Signal<In, Clock>,
    pub en: Signal<In, Bit>,
    pub add: Signal<In, Bits<8>>,
    pub sum: Signal<Out, Bits<8>>,
    lane: Vec<Lane>,
}

impl Default for Lanes {
    fn default() -> Self {
        Self {
            clk: Signal::default(),
            en: Signal::default(),
            add: Signal::default(),
            sum: Signal::default(),
            lane: vec![Lane::default(), Lane::default()],
        }
    }
}

impl Logic for Lanes {
    #[hdl_gen]
    fn update(&mut self) {
        for i in 0..2 {
            self.lane[i].clk.next = self.clk.val();
            self.lane[i].en.next = self.en.val();
        }
        self.lane[0].add.next = self.add.val();
        self.lane[1].add.next = self.lane[0].sum.val();
        self.sum.next = self.lane[1].sum.val();
    }
}

/// The top.
#[derive(Clone, Default, LogicBlock)]
pub struct Machine {
    pub clk: Signal<In, Clock>,
    pub rst: Signal<In, Bit>,
    pub go: Signal<In, Bit>,
    pub kind: Signal<In, Bits<4>>,
    pub body: Signal<In, Bits<80>>,
    /// `body` with all bits inverted, without a register.
    pub mirror: Signal<Out, Bits<80>>,
    pub busy: Signal<Out, Bit>,
    pub sum: Signal<Out, Bits<8>>,
    pub header_len: Signal<Out, Bits<12>>,
    header: Signal<Local, Header>,
    header_q: DFF<Header>,
    state_q: DFF<State>,
    count_q: DFF<Bits<12>>,
    lanes: Lanes,
}

impl Logic for Machine {
    #[hdl_gen]
    fn update(&mut self) {
        self.header_q.clock.next = self.clk.val();
        self.state_q.clock.next = self.clk.val();
        self.count_q.clock.next = self.clk.val();
        self.lanes.clk.next = self.clk.val();
        self.header.next.kind = self.kind.val();
        self.header.next.len = self.count_q.q.val();
        self.header.next.body = self.body.val();
        self.header_q.d.next = self.header_q.q.val();
        self.state_q.d.next = self.state_q.q.val();
        self.count_q.d.next = self.count_q.q.val() + 1;
        self.lanes.en.next = false;
        self.lanes.add.next = self.count_q.q.val().get_bits::<8>(0);
        self.busy.next = false;
        match self.state_q.q.val() {
            State::Idle => {
                if self.go.val() {
                    self.header_q.d.next = self.header.val();
                    self.state_q.d.next = State::Busy;
                }
            }
            State::Busy => {
                self.busy.next = true;
                self.lanes.en.next = true;
                if !self.go.val() {
                    self.state_q.d.next = State::Done;
                }
            }
            State::Done => {
                self.state_q.d.next = State::Idle;
            }
            _ => {
                self.state_q.d.next = State::Idle;
            }
        }
        if self.rst.val() {
            self.state_q.d.next = State::Idle;
            self.count_q.d.next = 0.into();
        }
        self.mirror.next = !self.body.val();
        self.sum.next = self.lanes.sum.val();
        self.header_len.next = self.header_q.q.val().len;
    }
}

/// `Bits<80>` from words.
pub fn body_from(words: &[u64]) -> Bits<80> {
    (bit_cast::<80, 64>(bits::<64>(words[1])) << 64_u64) | bit_cast::<80, 64>(bits::<64>(words[0]))
}

/// Words from `Bits<80>`.
pub fn body_to(value: Bits<80>, words: &mut [u64]) {
    words[0] = value.get_bits::<64>(0).to_u64();
    words[1] = value.get_bits::<16>(64).to_u64();
}

/// All pins but the last input.
fn pins(design: Machine) -> OracleBuilder<Machine> {
    Oracle::builder(design)
        .clock(|d: &mut Machine, level| d.clk.next = level.into())
        .input("rst", |d, w| d.rst.next = w[0] == 1)
        .input("go", |d, w| d.go.next = w[0] == 1)
        .input("kind", |d, w| d.kind.next = w[0].to_bits())
        .output("mirror", |d, w| body_to(d.mirror.val(), w))
        .output("busy", |d, w| w[0] = d.busy.val().into())
        .output("sum", |d, w| w[0] = d.sum.val().to_u64())
        .output("header_len", |d, w| w[0] = d.header_len.val().to_u64())
}

/// An engine without the pin `body`.
pub fn machine_without_body() -> Result<Oracle<Machine>> {
    pins(Machine::default()).build()
}

/// An engine with the whole design.
pub fn machine() -> Oracle<Machine> {
    let builder = pins(Machine::default()).input("body", |d, w| d.body.next = body_from(w));
    builder.build().expect("the design is sound")
}

/// Inputs of one cycle.
#[derive(Clone, Debug)]
pub struct Inputs {
    pub rst: bool,
    pub go: bool,
    pub kind: u8,
    pub body: u128,
}

impl Inputs {
    /// Drives all inputs of `engine`.
    pub fn drive(&self, engine: &mut dyn Engine) {
        let words = [self.body as u64, (self.body >> 64) as u64 & 0xffff];
        set(engine, "rst", &[self.rst.into()]);
        set(engine, "go", &[self.go.into()]);
        set(engine, "kind", &[self.kind.into()]);
        set(engine, "body", &words);
    }
}

/// Random inputs; reset is rare.
pub fn inputs() -> impl proptest::strategy::Strategy<Value = Inputs> {
    use proptest::prelude::*;
    (
        prop::bool::weighted(0.1),
        any::<bool>(),
        0..16u8,
        any::<u128>(),
    )
        .prop_map(|(rst, go, kind, body)| Inputs {
            rst,
            go,
            kind,
            body,
        })
}

/// Drives the port `name`.
pub fn set(engine: &mut dyn Engine, name: &str, words: &[u64]) {
    let port = engine.port(name).expect("the port exists");
    engine.set(port, words).expect("the port is an input");
}

/// Samples the port `name`: its first two words.
pub fn get(engine: &dyn Engine, name: &str) -> [u64; 2] {
    let mut words = [u64::MAX; 2];
    engine.get(engine.port(name).expect("the port exists"), &mut words);
    words
}

/// Name and value of every signal and constant of a design, read without the engine.
pub fn dump(design: &dyn Block) -> Vec<String> {
    struct Dump(Vec<String>);
    impl Probe for Dump {
        fn visit_start_scope(&mut self, name: &str, _node: &dyn Block) {
            self.0.push(format!("{name}:"));
        }
        fn visit_atom(&mut self, name: &str, signal: &dyn rust_hdl::prelude::Atom) {
            self.0.push(format!("{name} = {:x}", signal.verilog()));
        }
    }
    let mut dump = Dump(Vec::new());
    design.accept("top", &mut dump);
    dump.0
}
