//! `Registers` with a master and the owners of the windows.

use xtq_engine::Engine;
use xtq_rtl::host::registers::Registers;
use xtq_testbench::bus::{AxiLiteMaster, Gaps, LiteResult, Pin, run_cycle};
use xtq_testbench::pins;
use xtq_types::register_map::context;

use super::owners::Owners;

/// The slave, a master, and the owners of the windows.
pub struct Rig {
    pub engine: Box<dyn Engine>,
    pub master: AxiLiteMaster,
    pub owners: Owners,
}

impl Rig {
    pub fn new(pauses: f64, seed: u64) -> Self {
        let mut engine = pins!(
            Registers::<4>::new(false, true) => clk;
            in: rst, s_axil.awaddr, s_axil.awvalid, s_axil.wdata, s_axil.wstrb, s_axil.wvalid, s_axil.bready,
                s_axil.araddr, s_axil.arvalid, s_axil.rready, portal_cfg_ready, portal_cfg_refused,
                "portal_status_data" portal_status.data, "ring_status_data" ring_status.data, "command_status_data" command_status.data, invalidate.ready, invalidated,
                increment.ready,
                count_packet, drop.version, drop.opcode, drop.target, drop.context, drop.length, drop_stray, count_hit,
                count_miss, count_ok, count_failed, count_doorbell, event_visible.data, event_visible.valid,
                event_failed.data, event_failed.valid, event_lost.data, event_lost.valid, memory_failed.data,
                memory_failed.valid, gather_failed.data, gather_failed.valid, count_stray, count.drop,
                count.permission, count.operation, count.context, count_late_drop, late_context, bad_tail.data, bad_tail.valid;
            out: s_axil.awready, s_axil.wready, s_axil.bresp, s_axil.bvalid, s_axil.arready, s_axil.rdata,
                s_axil.rresp, s_axil.rvalid, irq, node, context_enabled, table_cfg.write, table_cfg.addr,
                "table_cfg_data" table_cfg.data, portal_cfg.write, portal_cfg.addr, "portal_cfg_data" portal_cfg.data, ring_cfg.write,
                ring_cfg.addr, "ring_cfg_data" ring_cfg.data, portal_status.addr, ring_status.addr, command_cfg.write,
                command_cfg.addr, "command_cfg_data" command_cfg.data, command_status.addr, user_ids, message_limit, message_timeout, max_message_sizes, max_atomic_sizes, invalidate.data, invalidate.valid,
                increment.data, increment.valid
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

    pub fn cycle(&mut self) {
        let models: &mut [&mut dyn xtq_testbench::bus::Model] =
            &mut [&mut self.master, &mut self.owners];
        run_cycle(&mut *self.engine, models).expect("keeps the protocol");
    }

    /// Runs until every access is answered; gives the answers since the last call.
    pub fn finish(&mut self) -> Vec<LiteResult> {
        let before = self.master.results().len();
        for _ in 0..100_000 {
            if self.master.is_done() {
                return self.master.results()[before..].to_vec();
            }
            self.cycle();
        }
        panic!("an access is not answered");
    }

    pub fn read(&mut self, address: u16) -> (u8, u32) {
        self.master.read(address);
        let result = self.finish()[0];
        (result.resp, result.data)
    }

    pub fn write(&mut self, address: u16, data: u32) -> u8 {
        self.master.write(address, data);
        self.finish()[0].resp
    }

    pub fn set(&mut self, name: &str, value: u64) {
        let pin = Pin::input(&*self.engine, name).expect("is an input");
        pin.set(&mut *self.engine, value).expect("is an input");
    }

    pub fn get(&self, name: &str) -> u64 {
        let pin = Pin::output(&*self.engine, name).expect("is an output");
        pin.get(&*self.engine)
    }

    /// A wide output.
    pub fn words(&self, name: &str) -> Vec<u64> {
        let pin = Pin::output(&*self.engine, name).expect("is an output");
        pin.get_words(&*self.engine)
    }

    /// Holds a pulse of a context for some cycles.
    pub fn pulse(&mut self, name: &str, of: u64, cycles: u32) {
        self.set(name, of);
        self.set(&format!("{name}_valid"), 1);
        for _ in 0..cycles {
            self.cycle();
        }
        self.set(&format!("{name}_valid"), 0);
    }
}

pub fn at(page: u32, offset: u32) -> u16 {
    ((1 + page) * context::PAGE_BYTES + offset) as u16
}
