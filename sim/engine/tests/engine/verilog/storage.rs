//! Storage widgets of all kinds: as the oracle from power-up on, and as memories in Yosys.

use rust_hdl::core::timing::TimingInfo;
use rust_hdl::prelude::*;
use xtq_engine::Oracle;
use xtq_engine::elaborate::elaborate;
use xtq_engine::verilog::{Options, write};

use super::tools::{Scratch, accept, simulate};
use super::{random_inputs, record};

/// What the engine knows a widget by.
fn timing(name: &str) -> Vec<TimingInfo> {
    vec![TimingInfo {
        name: name.into(),
        clock: "clk".into(),
        inputs: Vec::new(),
        outputs: Vec::new(),
    }]
}

#[derive(Clone, LogicBlock)]
struct Reg {
    clk: Signal<In, Clock>,
    rst: Signal<In, Bit>,
    en: Signal<In, Bit>,
    d: Signal<In, Bits<8>>,
    q: Signal<Out, Bits<8>>,
    reset_value: Constant<Bits<8>>,
}

impl Reg {
    fn new(reset: Bits<8>) -> Self {
        Self {
            clk: Signal::default(),
            rst: Signal::default(),
            en: Signal::default(),
            d: Signal::default(),
            q: Signal::new_with_default(reset),
            reset_value: Constant::new(reset),
        }
    }
}

impl Logic for Reg {
    fn update(&mut self) {
        if self.clk.pos_edge() {
            if self.rst.val() {
                self.q.next = self.reset_value.val();
            } else if self.en.val() {
                self.q.next = self.d.val();
            }
        }
    }
    fn connect(&mut self) {
        self.q.connect();
    }
    fn hdl(&self) -> Verilog {
        Verilog::Custom(String::new())
    }
    fn timing(&self) -> Vec<TimingInfo> {
        timing("xtq.reg")
    }
}

/// Writes the lanes of two bits that `mask` names.
fn store(words: &mut [Bits<8>], addr: Bits<4>, data: Bits<8>, mask: Bits<4>) {
    let word = &mut words[addr.index()];
    for bit in 0..8 {
        if mask.get_bit(bit / 2) {
            *word = word.replace_bit(bit, data.get_bit(bit));
        }
    }
}

/// 16 words of 8 bits, of which the first `contents` are given.
macro_rules! memory {
    ($name:ident, $timing:literal, contents $contents:literal, lanes ($($mask:ident)?), $this:ident: $update:block) => {
        #[derive(Clone, LogicBlock)]
        struct $name {
            clk: Signal<In, Clock>,
            write_addr: Signal<In, Bits<4>>,
            write_data: Signal<In, Bits<8>>,
            write_en: Signal<In, Bit>,
            $($mask: Signal<In, Bits<4>>,)?
            read_addr: Signal<In, Bits<4>>,
            read_data: Signal<Out, Bits<8>>,
            contents: [Constant<Bits<8>>; $contents],
            _words: Vec<Bits<8>>,
        }

        impl Default for $name {
            fn default() -> Self {
                let first = |at: usize| bits::<8>(0xa0 + at as u64);
                let mut words: Vec<Bits<8>> = (0..$contents).map(first).collect();
                words.resize(16, Bits::default());
                Self {
                    clk: Signal::default(),
                    write_addr: Signal::default(),
                    write_data: Signal::default(),
                    write_en: Signal::default(),
                    $($mask: Signal::default(),)?
                    read_addr: Signal::default(),
                    read_data: Signal::default(),
                    contents: std::array::from_fn(|at| Constant::new(first(at))),
                    _words: words,
                }
            }
        }

        impl Logic for $name {
            fn update(&mut $this) $update
            fn connect(&mut self) {
                self.read_data.connect();
            }
            fn hdl(&self) -> Verilog {
                Verilog::Custom(String::new())
            }
            fn timing(&self) -> Vec<TimingInfo> {
                timing($timing)
            }
        }
    };
}

memory!(Ram, "xtq.ram", contents 0, lanes (), self: {
    if self.clk.pos_edge() {
        self.read_data.next = self._words[self.read_addr.val().index()];
        if self.write_en.val() {
            let (addr, data) = (self.write_addr.val(), self.write_data.val());
            store(&mut self._words, addr, data, 15.into());
        }
    }
});

memory!(Rom, "xtq.ram", contents 5, lanes (), self: {
    if self.clk.pos_edge() {
        self.read_data.next = self._words[self.read_addr.val().index()];
        if self.write_en.val() {
            let (addr, data) = (self.write_addr.val(), self.write_data.val());
            store(&mut self._words, addr, data, 15.into());
        }
    }
});

memory!(LaneRam, "xtq.lane_ram", contents 3, lanes (write_mask), self: {
    if self.clk.pos_edge() {
        self.read_data.next = self._words[self.read_addr.val().index()];
        if self.write_en.val() {
            let (addr, data) = (self.write_addr.val(), self.write_data.val());
            store(&mut self._words, addr, data, self.write_mask.val());
        }
    }
});

memory!(LutRam, "xtq.lut_ram", contents 0, lanes (), self: {
    if self.clk.pos_edge() && self.write_en.val() {
        let (addr, data) = (self.write_addr.val(), self.write_data.val());
        store(&mut self._words, addr, data, 15.into());
    }
    self.read_data.next = self._words[self.read_addr.val().index()];
});

/// One of each, all with the same inputs.
#[derive(Clone, LogicBlock)]
struct Storage {
    clk: Signal<In, Clock>,
    rst: Signal<In, Bit>,
    en: Signal<In, Bit>,
    mask: Signal<In, Bits<4>>,
    write_addr: Signal<In, Bits<4>>,
    read_addr: Signal<In, Bits<4>>,
    data: Signal<In, Bits<8>>,
    held: Signal<Out, Bits<8>>,
    ram_word: Signal<Out, Bits<8>>,
    rom_word: Signal<Out, Bits<8>>,
    lane_word: Signal<Out, Bits<8>>,
    lut_word: Signal<Out, Bits<8>>,
    held_q: Reg,
    ram: Ram,
    rom: Rom,
    lanes: LaneRam,
    lut: LutRam,
}

impl Default for Storage {
    fn default() -> Self {
        Self {
            clk: Signal::default(),
            rst: Signal::default(),
            en: Signal::default(),
            mask: Signal::default(),
            write_addr: Signal::default(),
            read_addr: Signal::default(),
            data: Signal::default(),
            held: Signal::default(),
            ram_word: Signal::default(),
            rom_word: Signal::default(),
            lane_word: Signal::default(),
            lut_word: Signal::default(),
            held_q: Reg::new(0x5a.into()),
            ram: Ram::default(),
            rom: Rom::default(),
            lanes: LaneRam::default(),
            lut: LutRam::default(),
        }
    }
}

impl Logic for Storage {
    #[hdl_gen]
    fn update(&mut self) {
        self.held_q.clk.next = self.clk.val();
        self.held_q.rst.next = self.rst.val();
        self.held_q.en.next = self.en.val();
        self.held_q.d.next = self.data.val();
        self.held.next = self.held_q.q.val();

        self.ram.clk.next = self.clk.val();
        self.ram.write_addr.next = self.write_addr.val();
        self.ram.write_data.next = self.data.val();
        self.ram.write_en.next = self.en.val();
        self.ram.read_addr.next = self.read_addr.val();
        self.ram_word.next = self.ram.read_data.val();

        self.rom.clk.next = self.clk.val();
        self.rom.write_addr.next = self.write_addr.val();
        self.rom.write_data.next = self.data.val();
        self.rom.write_en.next = self.rst.val();
        self.rom.read_addr.next = self.read_addr.val();
        self.rom_word.next = self.rom.read_data.val();

        self.lanes.clk.next = self.clk.val();
        self.lanes.write_addr.next = self.write_addr.val();
        self.lanes.write_data.next = self.data.val();
        self.lanes.write_en.next = self.en.val();
        self.lanes.write_mask.next = self.mask.val();
        self.lanes.read_addr.next = self.read_addr.val();
        self.lane_word.next = self.lanes.read_data.val();

        self.lut.clk.next = self.clk.val();
        self.lut.write_addr.next = self.write_addr.val();
        self.lut.write_data.next = self.data.val();
        self.lut.write_en.next = self.en.val();
        self.lut.read_addr.next = self.read_addr.val();
        self.lut_word.next = self.lut.read_data.val();
    }
}

#[test]
fn storage_runs_as_the_oracle_from_power_up_on() {
    let mut oracle = Oracle::builder(Storage::default())
        .clock(|d: &mut Storage, level| d.clk.next = level.into())
        .input("rst", |d, w| d.rst.next = w[0] == 1)
        .input("en", |d, w| d.en.next = w[0] == 1)
        .input("mask", |d, w| d.mask.next = w[0].to_bits())
        .input("write_addr", |d, w| d.write_addr.next = w[0].to_bits())
        .input("read_addr", |d, w| d.read_addr.next = w[0].to_bits())
        .input("data", |d, w| d.data.next = w[0].to_bits())
        .output("held", |d, w| w[0] = d.held.val().to_u64())
        .output("ram_word", |d, w| w[0] = d.ram_word.val().to_u64())
        .output("rom_word", |d, w| w[0] = d.rom_word.val().to_u64())
        .output("lane_word", |d, w| w[0] = d.lane_word.val().to_u64())
        .output("lut_word", |d, w| w[0] = d.lut_word.val().to_u64())
        .build()
        .expect("the design is sound");
    let design = elaborate(&Storage::default()).expect("the design is sound");
    let files = write(&design, &Options::default());
    accept(&files, "top", 4);
    // What is true in simulation is true in synthesis.
    assert!(files.iter().all(|file| !file.text.contains('`')));
    let mut inputs = random_inputs(&design, &oracle, 3, 2000);
    // Before the first reset everything is as at power-up.
    inputs.drain(..2);
    inputs[0][0] = vec![0];
    simulate(&[record("storage", design, &mut oracle, inputs)]);
}

/// 1024 words of 64 bits, with something in the first ones.
#[derive(Clone, LogicBlock, Default)]
struct Large {
    clk: Signal<In, Clock>,
    write_addr: Signal<In, Bits<10>>,
    write_data: Signal<In, Bits<64>>,
    write_en: Signal<In, Bit>,
    read_addr: Signal<In, Bits<10>>,
    read_data: Signal<Out, Bits<64>>,
    contents: Vec<Constant<Bits<64>>>,
}

impl Logic for Large {
    fn update(&mut self) {}
    fn connect(&mut self) {
        self.read_data.connect();
    }
    fn hdl(&self) -> Verilog {
        Verilog::Empty
    }
    fn timing(&self) -> Vec<TimingInfo> {
        timing("xtq.ram")
    }
}

#[test]
fn a_large_memory_with_contents_becomes_block_ram() {
    let large = Large {
        contents: (1..4).map(|at| Constant::new(bits(at * 0x1111))).collect(),
        ..Large::default()
    };
    let design = elaborate(&large).expect("the design is sound");
    let top = Some("top");
    let options = Options {
        top,
        ..Options::default()
    };
    let files = write(&design, &options);
    accept(&files, "top", 1);
    let scratch = Scratch::new();
    scratch.write("top.v", &files[0].text);
    // 64 Kibit are four blocks of 18; flip-flops are for the old word at a collision, and far fewer than the bits.
    let script = "read_verilog top.v; synth_ecp5 -top top; select -assert-count 4 t:DP16KD; \
                  select -assert-none t:TRELLIS_DPR16X4; select -assert-max 160 t:TRELLIS_FF; \
                  select -assert-none t:$mem*; write_verilog -noattr synth.v";
    scratch.run("yosys", &["-q", "-p", script]);
    scratch.run("grep", &["INITVAL_00(320'h.*1111)", "synth.v"]);
}
