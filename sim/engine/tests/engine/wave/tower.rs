//! A design for waveforms: four levels, values of 1 to 512 bits, a signed one, an enum, a struct, a memory, and more
//! signals than VCD has identifiers of one letter.

use rust_hdl::core::timing::TimingInfo;
use rust_hdl::prelude::*;
use xtq_engine::{Backend, Body, Compiled, Engine, Oracle};

use std::sync::Arc;

/// Lamps of the [`Floor`].
const LAMPS: usize = 40;

#[derive(Copy, Clone, Debug, PartialEq, LogicState)]
pub enum Door {
    Closed,
    Opening,
    Open,
}

#[derive(Copy, Clone, Debug, Default, PartialEq, LogicStruct)]
pub struct Plate {
    pub number: Bits<7>,
    pub text: Bits<100>,
    pub lit: Bit,
}

/// 16 words of 8 bits, of which the first two are given.
#[derive(Clone, LogicBlock)]
pub struct Shelf {
    clk: Signal<In, Clock>,
    write_addr: Signal<In, Bits<4>>,
    write_data: Signal<In, Bits<8>>,
    write_en: Signal<In, Bit>,
    read_addr: Signal<In, Bits<4>>,
    read_data: Signal<Out, Bits<8>>,
    contents: [Constant<Bits<8>>; 2],
    _words: [Bits<8>; 16],
}

impl Default for Shelf {
    fn default() -> Self {
        let mut words = [Bits::default(); 16];
        (words[0], words[1]) = (0xa5.into(), 0x5a.into());
        Self {
            clk: Signal::default(),
            write_addr: Signal::default(),
            write_data: Signal::default(),
            write_en: Signal::default(),
            read_addr: Signal::default(),
            read_data: Signal::default(),
            contents: [Constant::new(words[0]), Constant::new(words[1])],
            _words: words,
        }
    }
}

impl Logic for Shelf {
    fn update(&mut self) {
        if self.clk.pos_edge() {
            self.read_data.next = self._words[self.read_addr.val().index()];
            if self.write_en.val() {
                self._words[self.write_addr.val().index()] = self.write_data.val();
            }
        }
    }
    fn connect(&mut self) {
        self.read_data.connect();
    }
    fn hdl(&self) -> Verilog {
        Verilog::Custom(String::new())
    }
    fn timing(&self) -> Vec<TimingInfo> {
        vec![TimingInfo {
            name: "xtq.ram".into(),
            clock: "clk".into(),
            inputs: Vec::new(),
            outputs: Vec::new(),
        }]
    }
}

#[derive(Clone, Default, LogicBlock)]
pub struct Room {
    pub clk: Signal<In, Clock>,
    pub go: Signal<In, Bit>,
    pub wide: Signal<In, Bits<512>>,
    pub out: Signal<Out, Bits<512>>,
    plate: Signal<Local, Plate>,
    plate_q: DFF<Plate>,
    door: DFF<Door>,
    wide_q: DFF<Bits<512>>,
    shelf: Shelf,
}

impl Logic for Room {
    #[hdl_gen]
    fn update(&mut self) {
        self.plate_q.clock.next = self.clk.val();
        self.door.clock.next = self.clk.val();
        self.wide_q.clock.next = self.clk.val();
        self.shelf.clk.next = self.clk.val();
        self.plate.next.number = self.wide.val().get_bits::<7>(3);
        self.plate.next.text = self.wide.val().get_bits::<100>(60);
        self.plate.next.lit = self.go.val();
        self.plate_q.d.next = self.plate.val();
        self.wide_q.d.next = self.wide_q.q.val();
        self.door.d.next = Door::Closed;
        match self.door.q.val() {
            Door::Closed => {
                if self.go.val() {
                    self.door.d.next = Door::Opening;
                    self.wide_q.d.next = self.wide.val();
                }
            }
            Door::Opening => {
                self.door.d.next = Door::Open;
            }
            _ => {
                self.door.d.next = Door::Closed;
            }
        }
        self.shelf.write_addr.next = self.wide.val().get_bits::<4>(0);
        self.shelf.read_addr.next = self.wide.val().get_bits::<4>(4);
        self.shelf.write_data.next = self.wide.val().get_bits::<8>(500);
        self.shelf.write_en.next = self.go.val();
        self.out.next = self.wide_q.q.val() ^ self.wide.val();
    }
}

#[derive(Clone, LogicBlock)]
pub struct Floor {
    pub clk: Signal<In, Clock>,
    pub go: Signal<In, Bit>,
    pub wide: Signal<In, Bits<512>>,
    pub out: Signal<Out, Bits<512>>,
    lamp: Vec<DFF<Bit>>,
    room: Room,
}

impl Default for Floor {
    fn default() -> Self {
        Self {
            clk: Signal::default(),
            go: Signal::default(),
            wide: Signal::default(),
            out: Signal::default(),
            // No clones: rust-hdl knows signals in its VCD files by an identity that a clone keeps.
            lamp: (0..LAMPS).map(|_| DFF::default()).collect(),
            room: Room::default(),
        }
    }
}

impl Logic for Floor {
    #[hdl_gen]
    fn update(&mut self) {
        self.lamp[0].d.next = self.go.val();
        for i in 0..40 {
            self.lamp[i].clock.next = self.clk.val();
        }
        for i in 0..39 {
            self.lamp[i + 1].d.next = self.lamp[i].q.val();
        }
        self.room.clk.next = self.clk.val();
        self.room.go.next = self.go.val();
        self.room.wide.next = self.wide.val();
        self.out.next = self.room.out.val();
    }
}

/// The top.
#[derive(Clone, Default, LogicBlock)]
pub struct Tower {
    pub clk: Signal<In, Clock>,
    pub go: Signal<In, Bit>,
    pub height: Signal<In, Bits<16>>,
    pub wide: Signal<In, Bits<512>>,
    pub out: Signal<Out, Bits<512>>,
    pub below: Signal<Out, Bit>,
    depth: Signal<Local, Signed<16>>,
    floor: Floor,
}

impl Logic for Tower {
    #[hdl_gen]
    fn update(&mut self) {
        self.depth.next = signed_cast(self.height.val());
        self.below.next = self.height.val().get_bit(15);
        self.floor.clk.next = self.clk.val();
        self.floor.go.next = self.go.val();
        self.floor.wide.next = self.wide.val();
        self.out.next = self.floor.out.val();
    }
}

fn wide_from(words: &[u64]) -> Bits<512> {
    words.iter().rev().fold(Bits::default(), |bits, word| {
        (bits << 64_u64) | bit_cast::<512, 64>((*word).into())
    })
}

fn wide_to(value: Bits<512>, words: &mut [u64]) {
    for (i, word) in words.iter_mut().enumerate() {
        *word = value.get_bits::<64>(64 * i).to_u64();
    }
}

/// The oracle.
pub fn oracle() -> Oracle<Tower> {
    let builder = Oracle::builder(Tower::default())
        .clock(|d: &mut Tower, level| d.clk.next = level.into())
        .input("go", |d, w| d.go.next = w[0] == 1)
        .input("height", |d, w| d.height.next = w[0].to_bits())
        .input("wide", |d, w| d.wide.next = wide_from(w))
        .output("out", |d, w| wide_to(d.out.val(), w))
        .output("below", |d, w| w[0] = d.below.val().into());
    builder.build().expect("the design is sound")
}

/// All engines.
pub fn engines() -> Vec<Box<dyn Engine>> {
    let compiled = [Backend::Interp, Backend::Jit].map(|backend| {
        let body = Body::new(&Tower::default(), backend).expect("the design is sound");
        Box::new(Compiled::new(Arc::new(body))) as Box<dyn Engine>
    });
    let oracle: Box<dyn Engine> = Box::new(oracle());
    std::iter::once(oracle).chain(compiled).collect()
}
