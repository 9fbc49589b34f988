//! The oracle settles once a cycle; on leaf blocks with memories, every signal is as in the loop that settles three
//! times. (The same test on registers at several depths is in the engine's crate.)

use proptest::prelude::*;
use rust_hdl::prelude::*;
use xtq_engine::Engine;
use xtq_rtl::leaf::{Fifo, RamFifo};
use xtq_testbench::pins;

/// Every signal and constant with its value, read without the engine.
fn dump(design: &dyn Block) -> Vec<String> {
    #[derive(Default)]
    struct Dump(Vec<String>);
    impl Probe for Dump {
        fn visit_start_scope(&mut self, name: &str, _node: &dyn Block) {
            self.0.push(format!("{name}:"));
        }
        fn visit_atom(&mut self, name: &str, signal: &dyn Atom) {
            self.0.push(format!("{name} = {:x}", signal.verilog()));
        }
    }
    let mut dump = Dump::default();
    design.accept("top", &mut dump);
    dump.0
}

macro_rules! same_as_textbook {
    ($name:ident, $block:ty) => {
        proptest! {
            #![proptest_config(ProptestConfig::with_cases(32))]

            #[test]
            fn $name(run in prop::collection::vec(any::<(bool, bool, u8, u64)>(), 1..80)) {
                let design = <$block>::default();
                let mut truth = design.clone();
                let mut engine = pins!(design => clk; in: rst, write.data, write.valid, read.ready;
                    out: read.data, read.valid, write.ready).unwrap();
                let ports = ["rst", "write", "write_valid", "read_ready"].map(|name| engine.port(name).unwrap());
                truth.connect_all();
                for (valid, ready, rst, data) in run {
                    let rst = rst == 0;
                    for (port, word) in ports.into_iter().zip([rst.into(), data, valid.into(), ready.into()]) {
                        engine.set(port, &[word]).unwrap();
                    }
                    truth.rst.next = rst;
                    truth.write.data.next = bits(data & 0xff_ffff_ffff);
                    truth.write.valid.next = valid;
                    truth.read.ready.next = ready;
                    prop_assert!(simulate(&mut truth, 100));
                    engine.eval().unwrap();
                    prop_assert_eq!(engine.with_design(|d| dump(d)).unwrap(), dump(&truth));
                    engine.step().unwrap();
                    for level in [true, false] {
                        truth.clk.next = level.into();
                        prop_assert!(simulate(&mut truth, 100));
                    }
                }
            }
        }
    };
}

same_as_textbook!(
    a_fifo_in_registers_runs_as_in_the_textbook_loop,
    Fifo<Bits<40>, 2, 3>
);
same_as_textbook!(
    a_fifo_in_a_memory_runs_as_in_the_textbook_loop,
    RamFifo<Bits<40>, 3>
);
