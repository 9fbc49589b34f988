//! `Master`: a master on the pins of an `AxiMemory`, in place of the design.

use std::collections::VecDeque;

use xtq_engine::Engine;
use xtq_testbench::bus::{Address, AxiMemory, BURST_INCR, MemoryTiming, Model};

use crate::bus::scripted::ScriptedEngine;

/// Pins that the slave drives.
pub const FROM_SLAVE: [(&str, usize); 13] = [
    ("m_axi_awready", 1),
    ("m_axi_wready", 1),
    ("m_axi_bid", 4),
    ("m_axi_bresp", 2),
    ("m_axi_buser", 4),
    ("m_axi_bvalid", 1),
    ("m_axi_arready", 1),
    ("m_axi_rid", 4),
    ("m_axi_rdata", 512),
    ("m_axi_rresp", 2),
    ("m_axi_rlast", 1),
    ("m_axi_ruser", 4),
    ("m_axi_rvalid", 1),
];

/// Pins that the master drives.
pub const FROM_MASTER: [(&str, usize); 21] = [
    ("m_axi_awid", 4),
    ("m_axi_awaddr", 64),
    ("m_axi_awlen", 8),
    ("m_axi_awsize", 3),
    ("m_axi_awburst", 2),
    ("m_axi_awuser", 4),
    ("m_axi_awatop", 6),
    ("m_axi_awvalid", 1),
    ("m_axi_wdata", 512),
    ("m_axi_wstrb", 64),
    ("m_axi_wlast", 1),
    ("m_axi_wvalid", 1),
    ("m_axi_bready", 1),
    ("m_axi_arid", 4),
    ("m_axi_araddr", 64),
    ("m_axi_arlen", 8),
    ("m_axi_arsize", 3),
    ("m_axi_arburst", 2),
    ("m_axi_aruser", 4),
    ("m_axi_arvalid", 1),
    ("m_axi_rready", 1),
];

/// A full-width INCR burst of `beats` beats.
pub fn burst(context: u8, id: u8, address: u64, beats: u8) -> Address {
    Address {
        address,
        id,
        len: beats - 1,
        size: 6,
        burst: BURST_INCR,
        context,
        atop: 0,
    }
}

/// Puts an address on the pins of `channel` (`aw` or `ar`).
pub fn put_address(engine: &mut ScriptedEngine, channel: &str, address: &Address) {
    let mut put =
        |field: &str, value: u64| engine.put(&format!("m_axi_{channel}{field}"), &[value]);
    put("addr", address.address);
    put("id", address.id.into());
    put("len", address.len.into());
    put("size", address.size.into());
    put("burst", address.burst.into());
    put("user", address.context.into());
    if channel == "aw" {
        put("atop", address.atop.into());
    }
}

/// The words of 64 bytes.
pub fn words(bytes: &[u8]) -> Vec<u64> {
    let words = bytes.chunks_exact(8);
    words
        .map(|word| u64::from_le_bytes(word.try_into().unwrap()))
        .collect()
}

/// A write response that arrived.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WriteReply {
    pub cycle: u64,
    pub id: u8,
    pub resp: u8,
    pub code: u8,
}

/// A read beat that arrived.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ReadReply {
    pub cycle: u64,
    pub id: u8,
    pub resp: u8,
    pub code: u8,
    pub last: bool,
    pub data: Vec<u8>,
}

/// Sends what is queued as fast as the memory takes it and takes every response at once.
pub struct Master {
    pub engine: ScriptedEngine,
    pub memory: AxiMemory,
    pub aw: VecDeque<Address>,
    /// Data, strobes, last.
    pub w: VecDeque<(Vec<u8>, u64, bool)>,
    pub ar: VecDeque<Address>,
    pub aw_cycles: Vec<u64>,
    pub w_cycles: Vec<u64>,
    pub ar_cycles: Vec<u64>,
    pub b: Vec<WriteReply>,
    pub r: Vec<ReadReply>,
}

impl Master {
    pub fn new(timing: MemoryTiming) -> Self {
        let engine = ScriptedEngine::new(&FROM_SLAVE, &FROM_MASTER);
        Self {
            memory: AxiMemory::new(&engine, "m_axi_", timing).unwrap(),
            engine,
            aw: VecDeque::new(),
            w: VecDeque::new(),
            ar: VecDeque::new(),
            aw_cycles: Vec::new(),
            w_cycles: Vec::new(),
            ar_cycles: Vec::new(),
            b: Vec::new(),
            r: Vec::new(),
        }
    }

    /// Queues a full-width burst of these lines with all strobes.
    pub fn write(&mut self, context: u8, id: u8, address: u64, lines: &[[u8; 64]]) {
        self.aw
            .push_back(burst(context, id, address, lines.len() as u8));
        for (beat, line) in lines.iter().enumerate() {
            self.w
                .push_back((line.to_vec(), u64::MAX, beat + 1 == lines.len()));
        }
    }

    /// Queues one beat with these strobes.
    pub fn write_bytes(&mut self, context: u8, id: u8, address: u64, line: [u8; 64], strobes: u64) {
        self.aw.push_back(burst(context, id, address, 1));
        self.w.push_back((line.to_vec(), strobes, true));
    }

    /// Queues a read burst.
    pub fn read(&mut self, context: u8, id: u8, address: u64, beats: u8) {
        self.ar.push_back(burst(context, id, address, beats));
    }

    /// One cycle.
    pub fn cycle(&mut self) {
        let cycle = self.engine.cycle();
        let engine = &mut self.engine;
        self.memory.drive(engine).unwrap();
        engine.put("m_axi_bready", &[1]);
        engine.put("m_axi_rready", &[1]);
        engine.put("m_axi_awvalid", &[(!self.aw.is_empty()).into()]);
        engine.put("m_axi_wvalid", &[(!self.w.is_empty()).into()]);
        engine.put("m_axi_arvalid", &[(!self.ar.is_empty()).into()]);
        if let Some(address) = self.aw.front() {
            put_address(engine, "aw", address);
        }
        if let Some((data, strobes, last)) = self.w.front() {
            engine.put("m_axi_wdata", &words(data));
            engine.put("m_axi_wstrb", &[*strobes]);
            engine.put("m_axi_wlast", &[(*last).into()]);
        }
        if let Some(address) = self.ar.front() {
            put_address(engine, "ar", address);
        }
        if let Err(violation) = self.memory.sample(engine, cycle) {
            panic!("{violation}");
        }
        let get = |name: &str| engine.word(&format!("m_axi_{name}"));
        if get("awvalid") & get("awready") == 1 {
            self.aw.pop_front();
            self.aw_cycles.push(cycle);
        }
        if get("wvalid") & get("wready") == 1 {
            self.w.pop_front();
            self.w_cycles.push(cycle);
        }
        if get("arvalid") & get("arready") == 1 {
            self.ar.pop_front();
            self.ar_cycles.push(cycle);
        }
        if get("bvalid") == 1 {
            self.b.push(WriteReply {
                cycle,
                id: get("bid") as u8,
                resp: get("bresp") as u8,
                code: get("buser") as u8,
            });
        }
        if get("rvalid") == 1 {
            let data = engine.words("m_axi_rdata");
            self.r.push(ReadReply {
                cycle,
                id: get("rid") as u8,
                resp: get("rresp") as u8,
                code: get("ruser") as u8,
                last: get("rlast") == 1,
                data: data.iter().flat_map(|word| word.to_le_bytes()).collect(),
            });
        }
        self.engine.step().unwrap();
    }

    /// Runs until everything queued is answered; panics after `max_cycles`.
    pub fn run(&mut self, max_cycles: u64) {
        for _ in 0..max_cycles {
            if self.aw.is_empty()
                && self.w.is_empty()
                && self.ar.is_empty()
                && self.memory.is_idle()
            {
                self.memory.checker().finish(self.engine.cycle()).unwrap();
                return;
            }
            self.cycle();
        }
        panic!(
            "not idle after {max_cycles} cycles: {:?}",
            self.memory.checker().counts()
        );
    }
}
