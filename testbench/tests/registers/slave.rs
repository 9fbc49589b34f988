//! `Registers` over its AXI4-Lite port.

use std::collections::BTreeMap;

use proptest::prelude::*;
use rust_hdl::prelude::Block;
use xtq_engine::Engine;
use xtq_rtl::register_decoder::RegisterDecoder;
use xtq_rtl::registers::Registers;
use xtq_rtl::types::register_map::{
    self, Access, CONTEXTS, COUNTERS, INITIATOR_REGISTERS, context, error_cause, global, irq_cause,
    portal_control, portal_word, response,
};
use xtq_testbench::bus::{AxiLiteMaster, Gaps, LiteResult, Pin, run_cycle};
use xtq_testbench::pins;
use xtq_testbench::verilog_tools::accept;

use super::map::{Place, places};
use super::owners::{Owners, Told};

/// The pulses that are counted, in the order of the counters.
const PULSES: [&str; 15] = [
    "count_packet",
    "drop_version",
    "drop_opcode",
    "drop_target",
    "drop_context",
    "drop_length",
    "count_hit",
    "count_miss",
    "count_ok",
    "count_failed",
    "count_doorbell",
    "event_lost_valid",
    "memory_failed_valid",
    "drop_stray",
    "count_stray",
];

/// The slave, a master, and the owners of the windows.
struct Rig {
    engine: Box<dyn Engine>,
    master: AxiLiteMaster,
    owners: Owners,
}

impl Rig {
    fn new(pauses: f64, seed: u64) -> Self {
        let mut engine = pins!(
            Registers::new(false, true) => clk;
            in: rst, s_axil_awaddr, s_axil_awvalid, s_axil_wdata, s_axil_wstrb, s_axil_wvalid, s_axil_bready,
                s_axil_araddr, s_axil_arvalid, s_axil_rready, portal_cfg_ready, portal_cfg_refused,
                portal_status_data, ring_status_data, command_status_data, invalidate_ready, invalidated,
                count_packet, drop_version, drop_opcode, drop_target, drop_context, drop_length, drop_stray, count_hit,
                count_miss, count_ok, count_failed, count_doorbell, event_visible, event_visible_valid,
                event_failed, event_failed_valid, event_lost, event_lost_valid, memory_failed,
                memory_failed_valid, gather_failed, gather_failed_valid, count_stray, count_drop,
                count_permission, count_operation, count_context, count_late_drop, late_context, bad_tail, bad_tail_valid;
            out: s_axil_awready, s_axil_wready, s_axil_bresp, s_axil_bvalid, s_axil_arready, s_axil_rdata,
                s_axil_rresp, s_axil_rvalid, irq, node, context_enabled, table_cfg_write, table_cfg_addr,
                table_cfg_data, portal_cfg_write, portal_cfg_addr, portal_cfg_data, ring_cfg_write,
                ring_cfg_addr, ring_cfg_data, portal_status_addr, ring_status_addr, command_cfg_write,
                command_cfg_addr, command_cfg_data, command_status_addr, user_ids, message_limit, message_timeout, invalidate, invalidate_valid
        )
        .expect("the ports are complete");
        engine.reset(2).expect("has rst");
        let master = AxiLiteMaster::new(&engine, "s_axil_", pauses, seed);
        Self {
            master: master.expect("the pins are there"),
            owners: Owners::new(Gaps::random(pauses, seed + 1)),
            engine: Box::new(engine),
        }
    }

    fn cycle(&mut self) {
        let models: &mut [&mut dyn xtq_testbench::bus::Model] =
            &mut [&mut self.master, &mut self.owners];
        run_cycle(&mut *self.engine, models).expect("keeps the protocol");
    }

    /// Runs until every access is answered; gives the answers since the last call.
    fn finish(&mut self) -> Vec<LiteResult> {
        let before = self.master.results().len();
        for _ in 0..100_000 {
            if self.master.is_done() {
                return self.master.results()[before..].to_vec();
            }
            self.cycle();
        }
        panic!("an access is not answered");
    }

    fn read(&mut self, address: u16) -> (u8, u32) {
        self.master.read(address);
        let result = self.finish()[0];
        (result.resp, result.data)
    }

    fn write(&mut self, address: u16, data: u32) -> u8 {
        self.master.write(address, data);
        self.finish()[0].resp
    }

    fn set(&mut self, name: &str, value: u64) {
        let pin = Pin::input(&*self.engine, name).expect("is an input");
        pin.set(&mut *self.engine, value).expect("is an input");
    }

    fn get(&self, name: &str) -> u64 {
        let pin = Pin::output(&*self.engine, name).expect("is an output");
        pin.get(&*self.engine)
    }

    /// Holds a pulse of a context for some cycles.
    fn pulse(&mut self, name: &str, of: u64, cycles: u32) {
        self.set(name, of);
        self.set(&format!("{name}_valid"), 1);
        for _ in 0..cycles {
            self.cycle();
        }
        self.set(&format!("{name}_valid"), 0);
    }
}

fn at(page: u32, offset: u32) -> u16 {
    ((1 + page) * context::PAGE_BYTES + offset) as u16
}

/// The registers as plain words; windows of portal entries as their owner keeps them.
#[derive(Default)]
struct Naive {
    words: BTreeMap<u16, u32>,
    told: Vec<Told>,
}

impl Naive {
    fn read(&self, place: Option<&Place>, address: u16) -> (u8, u32) {
        let Some(place) = place else {
            return (response::DECERR, 0);
        };
        if place.info.access == Access::WriteOnly || !address.is_multiple_of(4) {
            return (response::SLVERR, 0);
        }
        let value = match (place.context, place.info.name) {
            (None, "VERSION") => register_map::VERSION,
            (None, "BUILD") => register_map::build(false),
            (None, "LINK_CHECKED") => 1,
            (None, "MESSAGE_LIMIT") => self.words.get(&address).copied().unwrap_or(64),
            _ => self.words.get(&address).copied().unwrap_or(0),
        };
        (response::OKAY, value)
    }

    fn write(&mut self, place: Option<&Place>, address: u16, data: u32, strobes: u8) -> u8 {
        let Some(place) = place else {
            return response::DECERR;
        };
        if place.info.access == Access::ReadOnly || !address.is_multiple_of(4) || strobes != 15 {
            return response::SLVERR;
        }
        let mask = u32::MAX >> (32 - place.info.width);
        let page = u64::from(place.context.unwrap_or(0));
        if place.portal.is_some() {
            let control = (address & !0x1C) | (4 * portal_word::CONTROL as u16);
            let enabled = self.words.get(&control) == Some(&1);
            let word = u32::from(address % 32 / 4);
            match (word, data) {
                (portal_word::OPTIONS, _) => {}
                (portal_word::CONTROL, portal_control::DISABLE | portal_control::RELEASE) => {
                    self.words.insert(control, 0);
                    return response::OKAY;
                }
                (portal_word::CONTROL, data) if data != portal_control::ENABLE => {
                    return response::OKAY;
                }
                _ if enabled => return response::SLVERR,
                _ => {}
            }
        }
        let row = u64::from(address % 0x1000);
        match (place.context, place.info.name) {
            (None, "COUNTERS_CLEAR") => return response::OKAY,
            (_, "TABLE_INVALIDATE") => {
                let (kind, index) = (u64::from(data >> 16 & 3), u64::from(data & 0xFFFF));
                if kind == 3 {
                    return response::SLVERR;
                }
                self.told
                    .push(Told::Forgotten(page << 18 | kind << 16 | index));
                return response::OKAY;
            }
            (Some(_), "ERROR_CAUSE" | "IRQ_STATUS") => {
                *self.words.entry(address).or_insert(0) &= !data;
                return response::OKAY;
            }
            (Some(_), name) if name.starts_with("EQ_") => {
                let word = row / 4 % 4;
                self.told.push(Told::Ring(page << 2 | word, data.into()));
            }
            (Some(_), name) if name.starts_with("CQ_") => {
                let word = row / 4 % 4;
                self.told.push(Told::Command(page << 2 | word, data.into()));
            }
            (Some(_), name) if name.contains("_BASE_") || name.ends_with("_SIZE") => {
                let (table, word) = (row / 16 % 4, row / 4 % 4);
                let place = page << 4 | table << 2 | word;
                self.told.push(Told::Table(place, data.into()));
            }
            _ => {}
        }
        self.words.insert(address, data & mask);
        response::OKAY
    }
}

#[derive(Clone, Copy, Debug)]
enum Access1 {
    Read(u16),
    Write(u16, u32, u8),
}

fn address() -> impl Strategy<Value = u16> {
    let all: Vec<u16> = places().into_keys().collect();
    let flat: Vec<u16> = all
        .iter()
        .copied()
        .filter(|at| at % 0x1000 < 0x200)
        .collect();
    let entry: Vec<u16> = (0..8)
        .map(|word| at(1, context::PORTAL + 4 * word))
        .collect();
    prop_oneof![
        6 => prop::sample::select(flat),
        3 => prop::sample::select(entry),
        2 => prop::sample::select(all),
        1 => any::<u16>(),
        1 => 0x1000u16..0x1090,
    ]
}

fn access() -> impl Strategy<Value = Access1> {
    let data = prop_oneof![3 => 0u32..4, 1 => any::<u32>(), 1 => 0x2_0000u32..0x2_0080];
    let strobes = prop_oneof![9 => Just(15u8), 1 => 0u8..16];
    prop_oneof![
        address().prop_map(Access1::Read),
        (address(), data, strobes)
            .prop_map(|(at, data, strobes)| Access1::Write(at, data, strobes)),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    #[test]
    fn behaves_like_a_list_of_words_with_owners(
        script in prop::collection::vec(access(), 1..120),
        pauses in prop::sample::select(vec![0.0, 0.5]),
        seed in any::<u32>(),
    ) {
        let places = places();
        let (mut rig, mut naive) = (Rig::new(pauses, seed.into()), Naive::default());
        for access in &script {
            match *access {
                Access1::Read(address) => rig.master.read(address),
                Access1::Write(address, data, strobes) => rig.master.write_bytes(address, data, strobes),
            }
        }
        let results = rig.finish();
        prop_assert_eq!(results.len(), script.len());
        for (access, result) in script.iter().zip(results) {
            match *access {
                Access1::Read(address) => {
                    let expected = naive.read(places.get(&(address & !3)), address);
                    prop_assert_eq!((result.resp, result.data), expected, "{:x?}", access);
                }
                Access1::Write(address, data, strobes) => {
                    let expected = naive.write(places.get(&(address & !3)), address, data, strobes);
                    prop_assert_eq!(result.resp, expected, "{:x?}", access);
                }
            }
        }
        prop_assert_eq!(rig.owners.told, naive.told);
    }
}

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
            "BUILD" => register_map::build(false),
            "LINK_CHECKED" => 1,
            "MESSAGE_LIMIT" => 64,
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
fn node_and_enable_bits_reach_the_pipeline() {
    let mut rig = Rig::new(0.0, 1);
    rig.write(global::NODE as u16, 0xFFFF_1234);
    rig.write(at(0, context::ENABLE), 1);
    rig.write(at(3, context::ENABLE), 0xFFFF_FFFF);
    assert_eq!(
        (rig.get("node"), rig.get("context_enabled")),
        (0x1234, 0b1001)
    );
    rig.write(at(0, context::ENABLE), 0xFFFF_FFFE);
    assert_eq!(rig.get("context_enabled"), 0b1000);
}

#[test]
fn every_counter_counts_its_pulse_and_is_cleared() {
    let mut rig = Rig::new(0.0, 1);
    for (i, name) in PULSES.iter().enumerate() {
        rig.set(name, 1);
        for _ in 0..=i {
            rig.cycle();
        }
        rig.set(name, 0);
    }
    let counter = |i: usize| (global::COUNTERS + 4 * i as u32) as u16;
    for (i, (name, _)) in COUNTERS.iter().enumerate() {
        assert_eq!(
            rig.read(counter(i)),
            (response::OKAY, i as u32 + 1),
            "{name}"
        );
    }
    assert_eq!(rig.write(counter(0), 7), response::SLVERR);
    rig.write(global::COUNTERS_CLEAR as u16, 0);
    for i in 0..COUNTERS.len() {
        assert_eq!(rig.read(counter(i)).1, 0);
    }
}

#[test]
fn errors_and_interrupts_belong_to_one_context() {
    for (pulse, cause, status) in [
        ("event_visible", 0, irq_cause::EVENT),
        ("event_failed", error_cause::EVENT_FAILED, irq_cause::ERROR),
        ("event_lost", error_cause::EVENT_LOST, irq_cause::ERROR),
        ("memory_failed", error_cause::MEMORY_ERROR, irq_cause::ERROR),
        ("gather_failed", error_cause::MEMORY_ERROR, irq_cause::ERROR),
        ("bad_tail", error_cause::BAD_TAIL, irq_cause::ERROR),
    ] {
        let mut rig = Rig::new(0.0, 1);
        for page in 0..CONTEXTS {
            rig.write(at(page, context::IRQ_MASK), 3 & !status);
        }
        rig.pulse(pulse, 2, 1);
        for page in 0..CONTEXTS {
            let expected = if page == 2 { (cause, status) } else { (0, 0) };
            let got = (
                rig.read(at(page, context::ERROR_CAUSE)).1,
                rig.read(at(page, context::IRQ_STATUS)).1,
            );
            assert_eq!(got, expected, "{pulse}, context {page}");
        }
        assert_eq!(rig.get("irq"), 0, "masked");
        rig.write(at(2, context::IRQ_MASK), status);
        rig.cycle();
        assert_eq!(rig.get("irq"), 1);
        rig.write(at(2, context::IRQ_STATUS), 3 & !status);
        assert_eq!(rig.get("irq"), 1, "only a 1 clears");
        rig.write(at(2, context::IRQ_STATUS), status);
        rig.cycle();
        assert_eq!(rig.get("irq"), 0);
        rig.write(at(2, context::ERROR_CAUSE), 15);
        assert_eq!(rig.read(at(2, context::ERROR_CAUSE)).1, 0);
    }
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
fn user_ids_reach_the_initiator_each_in_its_place() {
    let mut rig = Rig::new(0.0, 1);
    for page in 0..CONTEXTS {
        let address = (global::USER_ID + 4 * page) as u16;
        rig.write(address, 0x1111_0000 + page);
        assert_eq!(rig.read(address), (response::OKAY, 0x1111_0000 + page));
    }
    let pin = Pin::output(&*rig.engine, "user_ids").expect("is an output");
    let expected = [0x1111_0001_1111_0000, 0x1111_0003_1111_0002];
    assert_eq!(pin.get_words(&*rig.engine), expected);
}

#[test]
fn the_time_limit_of_messages_is_none_after_reset_and_has_5_bits() {
    let mut rig = Rig::new(0.0, 1);
    let address = global::MESSAGE_TIMEOUT as u16;
    assert_eq!(rig.read(address), (response::OKAY, 0));
    for (written, limit) in [(31, 31), (7, 7), (0xFFFF_FFE0 | 9, 9), (0, 0)] {
        rig.write(address, written);
        assert_eq!(rig.read(address), (response::OKAY, limit));
        assert_eq!(rig.get("message_timeout"), u64::from(limit));
    }
}

#[test]
fn the_message_limit_is_64_after_reset_and_has_7_bits() {
    let mut rig = Rig::new(0.0, 1);
    let address = global::MESSAGE_LIMIT as u16;
    assert_eq!(rig.read(address), (response::OKAY, 64));
    assert_eq!(rig.get("message_limit"), 64);
    for limit in [0, 1, 63, 64, 65, 127] {
        rig.write(address, limit);
        assert_eq!(rig.read(address), (response::OKAY, limit));
        assert_eq!(rig.get("message_limit"), u64::from(limit));
    }
    rig.write(address, 0xFFFF_FF80 | 9);
    assert_eq!(rig.read(address), (response::OKAY, 9));
}

#[test]
fn status_counts_are_those_of_the_context_and_cannot_be_written() {
    let mut rig = Rig::new(0.0, 1);
    let counters = [
        ("count_drop", context::DROP_COUNT),
        ("count_permission", context::PERMISSION_VIOLATIONS),
        ("count_operation", context::OPERATION_VIOLATIONS),
    ];
    for page in 0..CONTEXTS {
        for (number, (name, _)) in counters.iter().enumerate() {
            for _ in 0..4 * page as usize + number + 1 {
                rig.set("count_context", page.into());
                rig.set(name, 1);
                rig.cycle();
                rig.set(name, 0);
            }
        }
    }
    for page in 0..CONTEXTS {
        for (number, (_, offset)) in counters.iter().enumerate() {
            let count = 4 * page + number as u32 + 1;
            assert_eq!(rig.read(at(page, *offset)), (response::OKAY, count));
            assert_eq!(rig.write(at(page, *offset), 0), response::SLVERR);
            assert_eq!(rig.read(at(page, *offset)), (response::OKAY, count));
        }
    }
}

#[test]
fn what_is_dropped_behind_the_lists_counts_too_also_in_the_same_cycle() {
    let mut rig = Rig::new(0.0, 1);
    for (early, late) in [(1, 1), (2, 1), (3, 0)] {
        rig.set("count_context", early);
        rig.set("late_context", late);
        rig.set("count_drop", 1);
        rig.set("count_late_drop", 1);
        rig.cycle();
        rig.set("count_drop", 0);
        rig.set("count_late_drop", 0);
    }
    for (page, count) in [(0, 1), (1, 3), (2, 1), (3, 1)] {
        assert_eq!(rig.read(at(page, context::DROP_COUNT)).1, count);
        assert_eq!(rig.read(at(page, context::PERMISSION_VIOLATIONS)).1, 0);
    }
}

#[test]
fn without_an_initiator_its_registers_do_not_exist() {
    let mut engine = pins!(
        RegisterDecoder::default();
        in: address, initiator;
        out: readable, writable
    )
    .expect("the ports are complete");
    let pin = |name: &str| Pin::any(&engine, name).expect("is a port");
    let (address, initiator) = (pin("address"), pin("initiator"));
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
        // The master starts an access in the cycle behind the answer to the one before.
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

#[test]
fn three_tools_accept_the_verilog() {
    let mut block = Registers::new(true, true);
    block.connect_all();
    accept("Registers", &block).expect("accepted");
}
