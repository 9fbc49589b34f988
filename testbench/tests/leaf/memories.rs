//! `Reg`, `Ram`, `LaneRam`, `LutRam`, `ResetRam` against arrays.

use proptest::prelude::*;
use rust_hdl::prelude::{Bits, Block, ToBits};
use std::sync::Arc;
use xtq_engine::elaborate::elaborate;
use xtq_engine::lockstep::{LockstepOptions, lockstep};
use xtq_engine::{Backend, Body, Compiled, Cosim, Engine, Simulator};
use xtq_rtl::leaf::{LaneRam, LutRam, Ram, Reg, ResetRam};
use xtq_testbench::by_name::Hardware;
use xtq_testbench::pins;
use xtq_testbench::verilog_tools::accept;

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    #[test]
    fn a_register_resets_before_it_loads_and_else_keeps(
        run in prop::collection::vec((any::<bool>(), any::<bool>(), any::<u64>()), 1..100),
    ) {
        let mut reg = Hardware::new(pins!(Reg::<Bits<64>>::new(77u64.to_bits()) => clk; in: rst, en, d; out: q).unwrap());
        let mut model = 77;
        for (rst, en, d) in run {
            reg.set("rst", &[rst.into()]);
            reg.set("en", &[en.into()]);
            reg.set("d", &[d]);
            reg.eval();
            prop_assert_eq!(reg.get("q"), [model]);
            reg.step();
            if rst {
                model = 77;
            } else if en {
                model = d;
            }
        }
    }

    #[test]
    fn a_ram_reads_the_old_word_one_cycle_later(
        run in prop::collection::vec((0..8u64, 0..8u64, any::<bool>(), any::<u64>()), 1..100),
    ) {
        let mut ram = Hardware::new(pins!(Ram::<Bits<70>, 3>::default() => clk;
            in: write_addr, write_data, write_en, read_addr; out: read_data).unwrap());
        let mut model = [[0; 2]; 8];
        let mut read = [0; 2];
        for (write_addr, read_addr, en, data) in run {
            ram.set("write_addr", &[write_addr]);
            ram.set("read_addr", &[read_addr]);
            ram.set("write_en", &[en.into()]);
            ram.set("write_data", &[data, data >> 3]);
            ram.eval();
            prop_assert_eq!(ram.get("read_data"), read);
            ram.step();
            read = model[read_addr as usize];
            if en {
                model[write_addr as usize] = [data, data >> 3 & 0x3f];
            }
        }
    }

    #[test]
    fn a_lane_ram_writes_only_the_lanes_asked_for(
        run in prop::collection::vec((0..4u64, 0..4u64, any::<bool>(), any::<u8>(), any::<u64>()), 1..100),
    ) {
        let start = [5u64, 6, 7].map(|word| (word << 40).to_bits());
        let mut ram = Hardware::new(pins!(LaneRam::<64, 2, 8>::with_contents(&start) => clk;
            in: write_addr, write_data, write_en, write_mask, read_addr; out: read_data).unwrap());
        let mut model = [5 << 40, 6 << 40, 7 << 40, 0u64];
        let mut read = 0;
        for (write_addr, read_addr, en, mask, data) in run {
            ram.set("write_addr", &[write_addr]);
            ram.set("read_addr", &[read_addr]);
            ram.set("write_en", &[en.into()]);
            ram.set("write_mask", &[mask.into()]);
            ram.set("write_data", &[data]);
            ram.eval();
            prop_assert_eq!(ram.get("read_data"), [read]);
            ram.step();
            read = model[read_addr as usize];
            for lane in (0..8).filter(|lane| en && mask >> lane & 1 == 1) {
                let bits = 0xff << (8 * lane);
                let word = &mut model[write_addr as usize];
                *word = *word & !bits | data & bits;
            }
        }
    }

    #[test]
    fn a_lut_ram_answers_in_the_same_cycle(
        run in prop::collection::vec((0..8u64, 0..8u64, any::<bool>(), any::<u64>()), 1..100),
    ) {
        let mut ram = Hardware::new(pins!(LutRam::<Bits<64>, 3>::default() => clk;
            in: write_addr, write_data, write_en, read_addr; out: read_data).unwrap());
        let mut model = [0; 8];
        for (write_addr, read_addr, en, data) in run {
            ram.set("write_addr", &[write_addr]);
            ram.set("read_addr", &[read_addr]);
            ram.set("write_en", &[en.into()]);
            ram.set("write_data", &[data]);
            ram.eval();
            prop_assert_eq!(ram.get("read_data"), [model[read_addr as usize]]);
            ram.step();
            if en {
                model[write_addr as usize] = data;
            }
        }
    }

    #[test]
    fn a_reset_ram_is_zero_behind_reset(
        run in prop::collection::vec(
            (0..8usize, 0..8usize, any::<bool>(), 0..1u64 << 16, prop::bool::weighted(0.05)), 1..100),
    ) {
        // Words all over the memory, few enough to be met again.
        const WORDS: [u64; 8] = [0, 1, 31, 63, 64, 65, 126, 127];
        let mut ram = Hardware::block("reset_ram");
        let mut model = [0; WORDS.len()];
        for (write_addr, read_addr, en, data, rst) in run {
            ram.set("rst", &[rst.into()]);
            ram.set("write_addr", &[WORDS[write_addr]]);
            ram.set("read_addr", &[WORDS[read_addr]]);
            ram.set("write_en", &[en.into()]);
            ram.set("write_data", &[data]);
            ram.eval();
            prop_assert_eq!(ram.get("read_data"), [model[read_addr]]);
            ram.step();
            // With reset nothing is written.
            if rst {
                model = [0; WORDS.len()];
            } else if en {
                model[write_addr] = data;
            }
        }
    }
}

#[test]
#[should_panic(expected = "ResetRam: 7 words with addresses of 3 bits, must be 8")]
fn a_reset_ram_names_a_wrong_number_of_words() {
    ResetRam::<64, 3, 7>::default();
}

#[test]
fn a_lane_ram_starts_with_its_contents_on_every_engine() {
    let start = [5u64, 6, 7].map(|word| (word << 40 | 0xff).to_bits());
    let ram = LaneRam::<64, 3, 8>::with_contents(&start);
    let compiled = |backend| {
        let body = Body::new(&ram, backend).expect("the block is sound");
        Box::new(Compiled::new(Arc::new(body)))
    };
    let design = elaborate(&ram).expect("the block is sound");
    let mut engines: Vec<Box<dyn Engine>> = vec![
        Box::new(
            pins!(ram.clone() => clk;
                in: write_addr, write_data, write_en, write_mask, read_addr; out: read_data)
            .unwrap(),
        ),
        compiled(Backend::Interp),
        compiled(Backend::Jit),
        Box::new(Cosim::new(&design, Simulator::Icarus).unwrap()),
    ];
    let options = LockstepOptions {
        cycles: 200,
        seed: 3,
        signals_every: 0,
        inject: None,
    };
    lockstep(&mut engines, &options, |_| {}).unwrap();
}

#[test]
#[should_panic(expected = "LaneRam: 64 data bits do not divide into 7 lanes")]
fn a_lane_ram_names_a_wrong_number_of_lanes() {
    LaneRam::<64, 2, 7>::default();
}

#[test]
fn third_party_tools_accept_the_verilog() {
    fn check<B: Block>(name: &str, mut block: B) {
        block.connect_all();
        accept(name, &block).unwrap();
    }
    check("reg", Reg::<Bits<64>>::new(77u64.to_bits()));
    check("ram", Ram::<Bits<70>, 3>::default());
    check(
        "lane_ram",
        LaneRam::<64, 2, 8>::with_contents(&[5u64.to_bits()]),
    );
    check("lut_ram", LutRam::<Bits<64>, 3>::default());
    check("reset_ram", ResetRam::<70, 3, 8>::default());
}
