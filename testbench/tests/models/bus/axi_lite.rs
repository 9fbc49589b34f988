//! The AXI4-Lite master against a register file on its pins, and the checker's rules.

use std::collections::BTreeMap;

use xtq_engine::Engine;
use xtq_testbench::bus::{AxiLiteChecker, AxiLiteMaster, Model, Violation, WordChecker};

use crate::bus::scripted::ScriptedEngine;

const FROM_MASTER: [(&str, usize); 9] = [
    ("awaddr", 16),
    ("awvalid", 1),
    ("wdata", 32),
    ("wstrb", 4),
    ("wvalid", 1),
    ("bready", 1),
    ("araddr", 16),
    ("arvalid", 1),
    ("rready", 1),
];
const FROM_SLAVE: [(&str, usize); 8] = [
    ("awready", 1),
    ("wready", 1),
    ("bresp", 2),
    ("bvalid", 1),
    ("arready", 1),
    ("rdata", 32),
    ("rresp", 2),
    ("rvalid", 1),
];

/// A register file: takes AW and W in any order, one write and one read at a time; address 0xfffc gives SLVERR.
#[derive(Default)]
struct Registers {
    values: BTreeMap<u64, u64>,
    address: Option<u64>,
    data: Option<(u64, u64)>,
    read: Option<u64>,
}

impl Registers {
    fn drive(&mut self, engine: &mut ScriptedEngine) {
        let write = self.address.zip(self.data);
        let resp = |address| if address == 0xfffc { 2 } else { 0 };
        engine.put("awready", &[self.address.is_none().into()]);
        engine.put("wready", &[self.data.is_none().into()]);
        engine.put("arready", &[self.read.is_none().into()]);
        engine.put("bvalid", &[write.is_some().into()]);
        engine.put("bresp", &[resp(write.map_or(0, |(address, _)| address))]);
        engine.put("rvalid", &[self.read.is_some().into()]);
        let address = self.read.unwrap_or(0);
        engine.put("rresp", &[resp(address)]);
        engine.put("rdata", &[self.values.get(&address).copied().unwrap_or(0)]);
    }

    fn sample(&mut self, engine: &ScriptedEngine) {
        let done = |channel: &str| {
            engine.word(&format!("{channel}valid")) & engine.word(&format!("{channel}ready")) == 1
        };
        if done("b")
            && let Some((address, (data, strobes))) = self.address.take().zip(self.data.take())
        {
            let mask = (0..4)
                .filter(|i| strobes >> i & 1 == 1)
                .fold(0, |mask, i| mask | 0xff << (8 * i));
            let value = self.values.entry(address).or_default();
            *value = *value & !mask | data & mask;
        }
        if done("r") {
            self.read = None;
        }
        if done("aw") {
            self.address = Some(engine.word("awaddr"));
        }
        if done("w") {
            self.data = Some((engine.word("wdata"), engine.word("wstrb")));
        }
        if done("ar") {
            self.read = Some(engine.word("araddr"));
        }
    }
}

fn run(master: &mut AxiLiteMaster, engine: &mut ScriptedEngine, registers: &mut Registers) {
    for _ in 0..2000 {
        if master.is_done() {
            return;
        }
        master.drive(engine).unwrap();
        registers.drive(engine);
        master.sample(engine, engine.cycle()).unwrap();
        registers.sample(engine);
        engine.step().unwrap();
    }
    panic!("register accesses hang");
}

#[test]
fn accesses_give_values_and_response_codes_in_order_with_any_gaps() {
    for seed in 0..20 {
        let mut engine = ScriptedEngine::new(&FROM_MASTER, &FROM_SLAVE);
        let mut registers = Registers::default();
        let probability = f64::from(seed as u32) / 25.0;
        let mut master = AxiLiteMaster::new(&engine, "", probability, seed).unwrap();
        master.write(0x10, 0xdead_beef);
        master.read(0x10);
        master.write_bytes(0x10, 0x1122_3344, 0b0101);
        master.read(0x10);
        master.write(0xfffc, 1);
        master.read(0xfffc);
        run(&mut master, &mut engine, &mut registers);
        let results = master.results().iter();
        let seen: Vec<(bool, u16, u32, u8)> = results
            .map(|r| (r.is_write, r.address, r.data, r.resp))
            .collect();
        let expected = [
            (true, 0x10, 0xdead_beef, 0),
            (false, 0x10, 0xdead_beef, 0),
            (true, 0x10, 0x1122_3344, 0),
            (false, 0x10, 0xde22_be44, 0),
            (true, 0xfffc, 1, 2),
            (false, 0xfffc, 1, 2),
        ];
        assert_eq!(seen, expected, "seed {seed}");
    }
}

#[test]
fn several_accesses_under_way_all_get_their_response() {
    let mut engine = ScriptedEngine::new(&FROM_MASTER, &FROM_SLAVE);
    let mut registers = Registers::default();
    let mut master = AxiLiteMaster::new(&engine, "", 0.3, 1)
        .unwrap()
        .with_outstanding(4);
    for i in 0..20u16 {
        master.write(4 * i, u32::from(i) + 100);
    }
    run(&mut master, &mut engine, &mut registers);
    let values: Vec<u64> = (0..20).map(|i| registers.values[&(4 * i)]).collect();
    assert_eq!(values, (100..120).collect::<Vec<u64>>());
    assert_eq!(master.results().len(), 20);
}

/// Runs the checker over cycles in which the named pins have a value and all others are 0.
fn check(cycles: &[&[(&str, u64)]]) -> Result<(), Violation> {
    let mut engine = ScriptedEngine::new(&FROM_MASTER, &FROM_SLAVE);
    let mut checker = AxiLiteChecker::new(&engine, "").unwrap();
    for (cycle, pins) in cycles.iter().enumerate() {
        for (name, _) in FROM_MASTER.iter().chain(&FROM_SLAVE) {
            engine.put(name, &[0]);
        }
        pins.iter()
            .for_each(|(name, value)| engine.put(name, &[*value]));
        checker.sample(&engine, cycle as u64)?;
    }
    Ok(())
}

const AW: [(&str, u64); 2] = [("awvalid", 1), ("awready", 1)];
const W: [(&str, u64); 2] = [("wvalid", 1), ("wready", 1)];
const B: [(&str, u64); 2] = [("bvalid", 1), ("bready", 1)];
const AR: [(&str, u64); 2] = [("arvalid", 1), ("arready", 1)];
const R: [(&str, u64); 2] = [("rvalid", 1), ("rready", 1)];

#[test]
fn a_write_response_needs_an_address_and_data_before_it() {
    check(&[&AW, &W, &B]).unwrap();
    check(&[&W, &AW, &B]).unwrap();
    for cycles in [&[&B[..]][..], &[&AW, &B], &[&W, &B], &[&AW, &W, &B, &B]] {
        let error = check(cycles).unwrap_err();
        assert_eq!(error.rule, AxiLiteChecker::WRITE_REPLY);
        assert_eq!(error.cycle, cycles.len() as u64 - 1);
    }
}

#[test]
fn read_data_need_an_address_before_them() {
    check(&[&AR, &R]).unwrap();
    let error = check(&[&AR, &R, &R]).unwrap_err();
    assert_eq!((error.cycle, error.rule), (2, AxiLiteChecker::READ_REPLY));
}

#[test]
fn there_is_no_exokay_on_axi_lite() {
    let error = check(&[&AR, &[R[0], R[1], ("rresp", 1)]]).unwrap_err();
    assert_eq!(
        (error.channel.as_str(), error.rule),
        ("r", AxiLiteChecker::EXOKAY)
    );
    let error = check(&[&AW, &W, &[B[0], B[1], ("bresp", 1)]]).unwrap_err();
    assert_eq!(
        (error.channel.as_str(), error.rule),
        ("b", AxiLiteChecker::EXOKAY)
    );
}

#[test]
fn an_unstable_response_is_a_violation() {
    let error = check(&[
        &AR,
        &[("rvalid", 1), ("rdata", 1)],
        &[("rvalid", 1), ("rdata", 2)],
    ])
    .unwrap_err();
    assert_eq!((error.cycle, error.rule), (2, WordChecker::PAYLOAD_STABLE));
}
