//! `ComputeNode`: the machine of a GPU and its service threads, and the NIC, as a station of a cluster.
//!
//! In each cycle of the NIC, 1 ns, come first as many cycles of the GPU as have their time then. Memory is kept twice,
//! below the L2 and the host's caches and at the NIC; what is written on one side is on the other before the next cycle
//! of either, so both are the same at every look.

use super::NO_EVENT;
use super::build::{cycles, machine, nic_timing};
use super::config::ComputeConfig;
use super::host_calls::HostCalls;
use super::local::{Local, Origin};
use super::open::{self, EVENTS, event_place};
use super::port::{Port, Shared};
use super::poster::Poster;
use super::service::{self, Server};
use std::cell::RefCell;
use std::future::Future;
use std::rc::Rc;
use std::sync::Arc;
use thiserror::Error;
use xtq_engine::{Body, Engine};
use xtq_testbench::bus::Beat;
use xtq_testbench::bytes::Bytes;
use xtq_testbench::compnet::design::Parts;
use xtq_testbench::compnet::queue::Queue;
use xtq_testbench::compnet::{Machine, MachineError, Place, Side, Thread};
use xtq_testbench::network::{Class, Station};
use xtq_testbench::node::{Node, NodeConfig, NodeError, Top};

/// Why a node stopped.
#[derive(Debug, Error)]
pub enum NodeFault {
    /// The hardware of the NIC did.
    #[error(transparent)]
    Nic(#[from] NodeError),
    /// The L2, or what is in front of it.
    #[error("GPU: {0}")]
    Gpu(#[from] MachineError),
    /// A program cannot go on.
    #[error("cycle {cycle}: {why}")]
    Program {
        /// When.
        cycle: u64,
        /// Why.
        why: String,
    },
}

/// A node of a [cluster](super::ComputeCluster).
pub struct ComputeNode {
    machine: Machine<Place>,
    nic: Node,
    port: Shared,
    /// Contexts of the NIC that are open.
    contexts: u8,
    /// GPU cycles in a cycle of the NIC.
    pace: f64,
    /// Cycle of the NIC in which the GPU began.
    start: u64,
    /// The compute unit that the next work-group goes to.
    next_unit: usize,
    units: usize,
    /// What work-groups get.
    origin: Origin,
    parts: Parts,
    /// Commands posted and events taken of each context of the NIC before time began.
    opened: Vec<[u32; 2]>,
    /// Cores without a program, of designs without queues.
    host_cores: Vec<usize>,
    /// Cycles of computing of a service thread or a program of the host for one poll, and for one call.
    poll_cycles: u64,
    call_cycles: u64,
}

impl ComputeNode {
    /// A node whose service threads run. Errors: of the engine; the NIC refused something.
    pub(super) fn new(
        config: &ComputeConfig,
        number: usize,
        body: &Arc<Body>,
    ) -> Result<Self, NodeFault> {
        let system = config.system();
        let seed = config
            .seed
            .wrapping_mul(1 << 16)
            .wrapping_add(number as u64);
        let written = NodeConfig {
            timing: nic_timing(config, seed),
            seed,
            top: Top::Nic,
            ..NodeConfig::default()
        };
        let mut nic = Node::new(&written)?;
        nic.keep_logs(false);
        nic.set_node_id(number as u16)?;
        nic.memory.set_way(u64::from(cycles(config.nic.pcie_ns)));
        let failed = |why| NodeFault::Program { cycle: 0, why };
        let opened: Result<Vec<_>, _> = (0..config.threads)
            .map(|context| open::open(&mut nic, context))
            .collect();
        let port = Rc::new(RefCell::new(Port {
            way: u64::from(cycles(config.nic.pcie_ns)),
            ..Port::default()
        }));
        nic.memory.note_lines(true);
        let machine = machine(config, &system, body, seed);
        let (machine, cores) = machine.map_err(NodeError::from)?;
        let mut this = Self {
            machine,
            nic,
            contexts: config.threads,
            pace: config.gpu.clock_mhz / 1000.0,
            start: 0,
            next_unit: 0,
            units: usize::from(config.gpu.units),
            origin: Origin {
                pe: number,
                nodes: config.nodes,
                barrier_cycles: config.gpu.barrier_cycles,
                leaves: config.leaves,
                port: port.clone(),
            },
            port,
            parts: config.design.parts(),
            opened: opened.map_err(failed)?,
            host_cores: Vec::new(),
            poll_cycles: system.cycles(system.cp.poll_ns),
            call_cycles: system.cycles(system.cp.call_ns),
        };
        for context in 0..config.threads {
            for place in 0..EVENTS {
                this.write(event_place(context, place), &[NO_EVENT]);
            }
        }
        this.serve(config, cores);
        Ok(this)
    }

    fn serve(&mut self, config: &ComputeConfig, cores: Vec<usize>) {
        let Some(queues) = config.design.parts().queues else {
            self.host_cores = cores;
            return;
        };
        for (thread, core) in (0..).zip(cores) {
            let mine = |number: &u64| *number % u64::from(config.threads) == u64::from(thread);
            let server = Server {
                queues: (0..config.contexts)
                    .filter(mine)
                    .map(|number| Queue { number, padding: 0 })
                    .collect(),
                poster: self.poster(thread),
                poll_cycles: self.poll_cycles,
                call_cycles: self.call_cycles,
                queues_in_l2: queues == Side::Gpu,
                leaves: config.leaves,
            };
            self.machine
                .start(core, |thread, _| service::run(thread, server));
        }
    }

    /// The way to a context of the NIC.
    fn poster(&self, context: u8) -> Poster {
        Poster {
            context,
            in_l2: self.parts.service == Side::Gpu,
            port: self.port.clone(),
            counts: self.opened[usize::from(context)],
            under_way: 0,
        }
    }

    /// Starts a work-group on the next compute unit.
    pub(super) fn launch<F: Future<Output = ()> + 'static>(
        &mut self,
        program: impl FnOnce(Thread, Origin) -> F,
    ) {
        let unit = self.next_unit % self.units;
        self.next_unit += 1;
        let origin = self.origin.clone();
        self.start(unit, |thread| program(thread, origin));
    }

    /// Starts a program of the host; `None`: every core has one, or serves queues.
    pub(super) fn launch_host<F: Future<Output = ()> + 'static>(
        &mut self,
        program: impl FnOnce(HostCalls) -> F,
    ) -> Option<()> {
        let core = self.host_cores.pop()?;
        let poster = self.poster(self.host_cores.len() as u8);
        let (call_cycles, poll_cycles) = (self.call_cycles, self.poll_cycles);
        let origin = self.origin.clone();
        self.start(core, |thread| {
            program(HostCalls {
                local: Local { thread, origin },
                poster,
                call_cycles,
                poll_cycles,
                values: 0,
                maxima: 0,
            })
        });
        Some(())
    }

    fn start<F: Future<Output = ()> + 'static>(
        &mut self,
        core: usize,
        program: impl FnOnce(Thread) -> F,
    ) {
        self.port.borrow_mut().running += 1;
        let port = self.port.clone();
        self.machine.start(core, |thread, _| {
            let program = program(thread);
            async move {
                program.await;
                port.borrow_mut().running -= 1;
            }
        });
    }

    /// What its programs share.
    pub(super) fn port(&self) -> &Shared {
        &self.port
    }

    /// The NIC.
    pub(super) fn nic(&mut self) -> &mut Node {
        &mut self.nic
    }

    /// What memory has; caches may have something newer.
    pub(super) fn read(&self, address: u64, bytes: &mut [u8]) {
        self.nic.memory.memory(0).read(address, bytes);
    }

    /// Writes into memory, at no cost and past all caches.
    pub(super) fn write(&mut self, address: u64, bytes: &[u8]) {
        for context in 0..self.contexts {
            self.nic.memory.memory_mut(context).write(address, bytes);
        }
        let first = address & !63;
        let lines = (first..address + bytes.len() as u64).step_by(64);
        for line in lines {
            self.copy_to_places(0, line);
        }
    }

    /// Runs the NIC alone to `cycle`, in which the GPU begins. Errors: of the NIC.
    pub(super) fn begin_at(&mut self, cycle: u64) -> Result<(), NodeFault> {
        while self.nic.cycle_count() < cycle {
            self.nic.cycle()?;
        }
        self.nic.memory.take_lines();
        self.start = cycle;
        Ok(())
    }

    /// Copies a line that a context of the NIC has written.
    fn copy_to_places(&mut self, context: u8, address: u64) {
        let mut line = [0; 64];
        self.nic.memory.memory(context).read(address, &mut line);
        for other in (0..self.contexts).filter(|other| *other != context) {
            self.nic.memory.memory_mut(other).write(address, &line);
        }
        self.machine.bank_of(address).set_line(address, &line);
    }

    /// Copies what the L2 and the host have written into memory.
    fn copy_to_nic(&mut self) {
        for place in self.machine.banks_mut() {
            for address in place.take_lines() {
                let line = place.line(address);
                for context in 0..self.contexts {
                    self.nic.memory.memory_mut(context).write(address, &line);
                }
            }
        }
    }
}

impl From<xtq_engine::Error> for NodeFault {
    fn from(error: xtq_engine::Error) -> Self {
        NodeError::from(error).into()
    }
}

impl Station for ComputeNode {
    type Error = NodeFault;
    type Hardware<'a> = &'a mut dyn Engine;

    fn clock(&self) -> u64 {
        self.nic.cycle_count()
    }

    fn connect(&mut self) {
        self.nic.connect();
    }

    fn has_room(&self, class: Class) -> bool {
        self.nic.has_room(class)
    }

    fn receive_beat(&mut self, class: Class, beat: &Beat) {
        self.nic.receive_beat(class, beat);
    }

    fn drive(&mut self, ready: [bool; 2]) -> Result<(), NodeFault> {
        let now = self.nic.cycle_count();
        self.port.borrow_mut().now = now;
        let due = ((now + 1 - self.start) as f64 * self.pace) as u64;
        while self.machine.now() < due {
            self.machine.cycle()?;
            self.copy_to_nic();
        }
        if let Some(why) = self.port.borrow_mut().fault.take() {
            return Err(NodeFault::Program { cycle: now, why });
        }
        while let Some((register, value)) = { self.port.borrow_mut().arrived() } {
            self.nic.post_register(register, value);
        }
        Ok(Station::drive(&mut self.nic, ready)?)
    }

    fn hardware(&mut self) -> Option<&mut dyn Engine> {
        Station::hardware(&mut self.nic)
    }

    fn sample(&mut self) -> Result<(), NodeFault> {
        Ok(Station::sample(&mut self.nic)?)
    }

    fn collect(&mut self) -> Result<[Option<Beat>; 2], NodeFault> {
        let sent = Station::collect(&mut self.nic)?;
        for (context, line) in self.nic.memory.take_lines() {
            self.copy_to_places(context, line);
        }
        Ok(sent)
    }

    fn busy(&self) -> Option<&'static str> {
        match self.port.borrow().running {
            0 => self.nic.busy(),
            _ => Some("a work-group runs"),
        }
    }

    fn quiet_cycles(&self) -> u64 {
        self.nic.quiet_cycles()
    }

    fn settle(&mut self) {
        Station::settle(&mut self.nic);
    }
}
