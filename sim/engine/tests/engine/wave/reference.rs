//! The same values as in the VCD file that rust-hdl's own writer makes.

use std::collections::BTreeMap;
use std::fs::File;
use std::io::BufWriter;

use rust_hdl::core::vcd_probe::{write_vcd_change, write_vcd_dump, write_vcd_header};
use xtq_engine::Engine;

use crate::wave::tower::{engines, oracle};
use crate::wave::trace::Trace;
use crate::wave::{FORMATS, Scratch, run, run_and_look};

const CYCLES: usize = 80;
const SEED: u64 = 5;

/// rust-hdl's writer, once a cycle before the rising edge.
fn reference(file: &Scratch) -> Trace {
    let mut engine = oracle();
    let out = BufWriter::new(File::create(&file.0).unwrap());
    let probe = engine
        .with_design(|d| write_vcd_header(out, d))
        .expect("the design settles");
    let mut probe = Some(probe);
    run_and_look(&mut engine, SEED, CYCLES, |engine| {
        let mut vcd = probe.take().expect("it is put back");
        let cycle = engine.cycle();
        vcd.timestamp(1000 * cycle).unwrap();
        let write = match cycle {
            0 => write_vcd_dump,
            _ => write_vcd_change,
        };
        probe = Some(engine.with_design(|d| write(vcd, d)).unwrap());
    });
    drop(probe);
    Trace::read_vcd(&file.0)
}

#[test]
fn every_value_is_that_of_rust_hdls_own_vcd() {
    let file = Scratch::new("reference", "vcd");
    let mut truth = reference(&file).vars;
    truth.retain(|path, _| !path.ends_with(".clk") && !path.ends_with(".clock"));
    assert!(truth.len() > 94, "{}", truth.len());
    for format in FORMATS {
        for mut engine in engines() {
            let file = Scratch::new("compared", format);
            engine.attach_wave(file.options()).unwrap();
            run(engine.as_mut(), SEED, CYCLES);
            engine.finish_wave().unwrap();
            let ours = Trace::read(&file.0);
            // The top is `uut` there, and members of arrays are scopes.
            let vars = ours.vars.iter();
            let vars: BTreeMap<_, _> = vars.map(|(p, v)| (p.replace('.', "$"), v)).collect();
            for (path, expected) in &truth {
                let name = path.replacen("uut", "top", 1).replace('.', "$");
                let who = format!("{path}, {format} of {}", engine.name());
                let var = vars.get(&name).unwrap_or_else(|| panic!("{who}: missing"));
                assert_eq!(var.width, expected.width, "{who}");
                assert_eq!(changes(&var.changes), changes(&expected.changes), "{who}");
            }
            let clocks = |path: &&String| path.ends_with(".clk") || path.ends_with(".clock");
            let clocks = ours.order.iter().filter(clocks).count();
            assert_eq!(ours.order.len(), truth.len() + clocks, "nothing more");
        }
    }
}

/// Without what an enum's name has before it in rust-hdl: the name of the type.
fn changes(changes: &[(u64, String)]) -> Vec<(u64, &str)> {
    changes
        .iter()
        .map(|(time, text)| (*time, text.rsplit("::").next().unwrap_or(text)))
        .collect()
}
