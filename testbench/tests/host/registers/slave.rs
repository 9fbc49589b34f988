//! `Registers` over its AXI4-Lite port: reset, which registers there are, when an access is answered.

use xtq_engine::Engine;
use xtq_engine::EngineKind;
use xtq_engine::blocks;
use xtq_testbench::bus::Pin;
use xtq_types::register_list::{Access, INITIATOR_REGISTERS};
use xtq_types::register_map::{
    self, CONTEXTS, context, global, portal_control, portal_word, response,
};

use super::map::places;
use super::owners::Told;
use super::rig::{Rig, at};

#[test]
fn every_register_reads_0_after_reset_except_the_constants_and_base_addresses() {
    let mut rig = Rig::new(0.0, 1);
    let places = places();
    let flat = |address: &&u16| *address % 0x1000 < 0x200;
    for address in places.keys().filter(flat) {
        rig.write(*address, 0xFFFF_FFF0);
    }
    rig.pulse("event_failed", 3, 1);
    rig.engine.reset(1).expect("has rst");
    rig.owners.rings.clear();
    rig.owners.commands.clear();
    for (address, place) in places.iter().filter(|(address, _)| flat(address)) {
        let name = place.info.name;
        if place.info.access == Access::WriteOnly || name.contains("_BASE_") {
            continue;
        }
        let expected = match name {
            "VERSION" => register_map::VERSION,
            "BUILD" => register_map::build(4, false),
            "LINK_CHECKED" => 1,
            "MESSAGE_LIMIT" => 64,
            "MAX_MESSAGE_SIZE" => u32::MAX,
            "MAX_ATOMIC_SIZE" => 512,
            _ => 0,
        };
        assert_eq!(rig.read(*address), (response::OKAY, expected), "{name}");
    }
    assert_eq!(
        (rig.get("node"), rig.get("context_enabled"), rig.get("irq")),
        (0, 0, 0)
    );
}

#[test]
fn an_invalidate_is_answered_when_the_entry_is_forgotten() {
    let mut rig = Rig::new(0.0, 1);
    rig.owners.stuck = true;
    rig.master.write(at(1, context::TABLE_INVALIDATE), 0x2_003F);
    for _ in 0..60 {
        rig.cycle();
        assert_eq!(rig.get("s_axil_bvalid"), 0);
    }
    rig.owners.stuck = false;
    assert_eq!(rig.finish()[0].resp, response::OKAY);
    assert_eq!(rig.owners.told, [Told::Forgotten(1 << 18 | 0x2_003F)]);
}

#[test]
fn an_increment_is_answered_when_the_counter_unit_has_it() {
    let mut rig = Rig::new(0.0, 1);
    rig.owners.stuck = true;
    rig.master.write(at(2, context::CT_INC), 0xFF00_0003);
    for _ in 0..60 {
        rig.cycle();
        assert_eq!(rig.get("s_axil_bvalid"), 0);
    }
    rig.owners.stuck = false;
    assert_eq!(rig.finish()[0].resp, response::OKAY);
    assert_eq!(rig.owners.told, [Told::Counted(2, 255, 3)]);
    assert_eq!(rig.read(at(2, context::CT_INC)), (response::SLVERR, 0));
}

#[test]
fn without_an_initiator_its_registers_do_not_exist() {
    let mut engine =
        blocks::engine("register_decoder", EngineKind::Jit).expect("the ports are complete");
    let pin = |name: &str| Pin::any(&engine, name).expect("is a port");
    let (address, initiator) = (pin("address"), pin("initiator"));
    pin("contexts")
        .set(&mut engine, CONTEXTS.into())
        .expect("is an input");
    for info in INITIATOR_REGISTERS {
        for (has, known) in [(0, false), (1, true)] {
            initiator.set(&mut engine, has).expect("is an input");
            address
                .set(&mut engine, info.context_address(2).into())
                .expect("is an input");
            engine.eval().expect("settles");
            let kind = engine.peek("kind").expect("is a signal")[0];
            assert_eq!(kind != 0, known, "{}", info.name);
        }
    }
}

#[test]
fn an_entry_reads_as_enabled_as_soon_as_the_write_is_answered() {
    let mut rig = Rig::new(0.0, 1);
    let control = at(
        3,
        context::PORTAL + 15 * context::PORTAL_STRIDE + 4 * portal_word::CONTROL,
    );
    assert_eq!(rig.write(control, portal_control::ENABLE), response::OKAY);
    assert_eq!(rig.read(control), (response::OKAY, 1));
    assert_eq!(rig.write(control, portal_control::ENABLE), response::SLVERR);
}

#[test]
fn reads_and_writes_take_turns() {
    let mut rig = Rig::new(0.0, 1);
    rig.master = rig.master.clone().with_outstanding(8);
    for i in 0..4 {
        rig.master.write(global::NODE as u16, i);
        rig.master.read(global::NODE as u16);
    }
    let kinds: Vec<bool> = rig.finish().iter().map(|result| result.is_write).collect();
    assert!(
        kinds.windows(2).skip(1).all(|pair| pair[0] != pair[1]),
        "{kinds:?}"
    );
}

#[test]
fn an_access_takes_three_cycles_and_a_window_that_is_read_four() {
    for (address, cycles) in [(global::NODE as u16, 3), (at(0, context::EQ_SIZE), 4)] {
        let mut rig = Rig::new(0.0, 1);
        rig.master.read(address);
        rig.master.read(address);
        let results = rig.finish();
        // The master starts an access in the cycle after the answer to the one before.
        assert_eq!(
            results[1].cycle - results[0].cycle,
            cycles,
            "{address:#06x}"
        );
    }
}

#[test]
fn no_valid_follows_a_ready() {
    let mut rig = Rig::new(0.0, 1);
    rig.owners.stuck = true;
    rig.master.write(at(0, context::TABLE_INVALIDATE), 0);
    for _ in 0..6 {
        rig.cycle();
    }
    let mut bench = xtq_testbench::bus::Bench {
        engine: &mut *rig.engine,
        sources: Vec::new(),
        sinks: Vec::new(),
        models: Vec::new(),
    };
    bench.check_ready_paths().expect("no valid follows a ready");
}
