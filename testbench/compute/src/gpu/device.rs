//! `Gpu`: queues, wavefront slots, and the kernels that are under way.

use super::fault::GpuFault;
use super::kernel::Kernel;
use super::launch::{ActiveLaunch, Surroundings};
use super::queue::{Noted, Queue, Read};
use crate::cores::Cores;
use crate::system::GpuConfig;
use std::collections::BTreeMap;
use std::sync::Arc;
use xtq_testbench::aql::{Header, field, packet_type};
use xtq_testbench::tables::HostQueue;

/// A launch, from doorbell to signal. Cycles.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KernelRun {
    /// Address of the queue's first packet.
    pub queue: u64,
    /// Packet id.
    pub id: u64,
    /// Name of the kernel.
    pub kernel: String,
    /// The doorbell was visible.
    pub rung: u64,
    /// The command processor had the packet, and its turn had come.
    pub read: u64,
    /// The kernel had wavefront slots.
    pub started: Option<u64>,
    /// Result and signal were visible.
    pub ended: Option<u64>,
}

/// A GPU.
pub(crate) struct Gpu {
    config: GpuConfig,
    kernels: BTreeMap<u64, Arc<dyn Kernel>>,
    queues: Vec<Queue>,
    /// In the order of their packets.
    active: Vec<ActiveLaunch>,
    /// Slots that are free.
    free: u64,
    runs: Vec<KernelRun>,
}

impl Gpu {
    pub(crate) fn new(config: &GpuConfig) -> Self {
        Self {
            config: config.clone(),
            kernels: BTreeMap::new(),
            queues: Vec::new(),
            active: Vec::new(),
            free: config.slots(),
            runs: Vec::new(),
        }
    }

    pub(crate) fn add_kernel(&mut self, handle: u64, kernel: Arc<dyn Kernel>) {
        self.kernels.insert(handle, kernel);
    }

    /// Serves a queue from now on. Errors: it cannot exist.
    pub(crate) fn add_queue(&mut self, queue: HostQueue) -> Result<(), GpuFault> {
        self.queues.push(Queue::new(queue)?);
        Ok(())
    }

    pub(crate) fn runs(&self) -> &[KernelRun] {
        &self.runs
    }

    pub(crate) fn is_idle(&self) -> bool {
        self.active.is_empty() && self.queues.iter().all(Queue::is_idle)
    }

    /// The queue whose doorbell lies at this address.
    pub(crate) fn queue_of(&self, doorbell: u64) -> Option<usize> {
        let rung = |queue: &Queue| queue.queue.doorbell_address == doorbell;
        self.queues.iter().position(rung)
    }

    /// Addresses of the doorbells.
    pub(crate) fn doorbells(&self) -> impl Iterator<Item = u64> {
        self.queues.iter().map(|queue| queue.queue.doorbell_address)
    }

    /// The doorbell of queue `number` became visible in cycle `now`.
    pub(crate) fn ring(&mut self, number: usize, now: u64, value: u64, cores: &mut Cores) {
        if let Some(queue) = self.queues.get_mut(number) {
            let read = now as f64 + self.config.doorbell_ns + cores.memory_ns();
            queue.ring(now, read, value);
        }
    }

    /// First cycle in which it may do something by itself; the ends of streams are the channel's. `u64::MAX`: never.
    pub(crate) fn next_event(&self) -> u64 {
        let launches = self.active.iter();
        let due = launches.filter_map(|launch| launch.due(self.free));
        let due = due
            .reduce(f64::min)
            .map_or(u64::MAX, |due| due.ceil() as u64);
        let queues = self.queues.iter().map(Queue::next_event);
        queues.fold(due, u64::min)
    }

    /// Does what is due in cycle `now`. Errors: a fault of a kernel or a queue.
    pub(crate) fn step(&mut self, now: u64, around: &mut Surroundings) -> Result<(), GpuFault> {
        // The end of a kernel may be what others wait for.
        while self.take_up(now, around)? | self.go_on(now, around)? {}
        Ok(())
    }

    /// Takes up the packets whose turn it is, and gives slots to kernels that wait for them, oldest first.
    fn take_up(&mut self, now: u64, around: &mut Surroundings) -> Result<bool, GpuFault> {
        let mut did = false;
        for number in 0..self.queues.len() {
            let mut noted = Noted::new(around.memory);
            let reads = self.queues[number].step(now, &mut noted);
            let written = noted.written;
            for (address, bytes) in written {
                around.outdate(address, bytes);
            }
            for read in reads {
                self.begin(now, number, &read)?;
                did = true;
            }
            let queue = &self.queues[number];
            if let Some(why) = &queue.error {
                return Err(GpuFault::Stopped {
                    base: queue.queue.base,
                    why: why.clone(),
                });
            }
        }
        for launch in &mut self.active {
            if self.free == 0 {
                break;
            }
            if launch.waits(now) {
                launch.start(now, self.free, around.cores);
                self.free -= launch.slots;
                self.runs[launch.run].started = Some(now);
                did = true;
            }
        }
        Ok(did)
    }

    fn begin(&mut self, now: u64, number: usize, read: &Read) -> Result<(), GpuFault> {
        let base = self.queues[number].queue.base;
        let id = read.id;
        let kind = Header::of(&read.packet).kind;
        if kind != packet_type::KERNEL_DISPATCH {
            return Err(GpuFault::Kind { id, base, kind });
        }
        let handle = field::KERNEL_OBJECT.read(&read.packet);
        let kernel = self.kernels.get(&handle);
        let kernel = kernel.ok_or(GpuFault::Handle { id, base, handle })?;
        self.runs.push(KernelRun {
            queue: base,
            id,
            kernel: kernel.name(),
            rung: read.rung,
            read: now,
            started: None,
            ended: None,
        });
        let run = self.runs.len() - 1;
        let launch = ActiveLaunch::new(&self.config, now, number, run, read, kernel.clone());
        self.active.push(launch);
        Ok(())
    }

    /// Lets each launch go on as far as it can, and ends those that have done their last store.
    fn go_on(&mut self, now: u64, around: &mut Surroundings) -> Result<bool, GpuFault> {
        let mut did = false;
        let mut place = 0;
        while let Some(launch) = self.active.get_mut(place) {
            let (moved, ended) = launch.advance(&self.config, now, around)?;
            did |= moved;
            if ended {
                let launch = self.active.remove(place);
                self.free += launch.slots;
                self.runs[launch.run].ended = Some(now);
                let mut noted = Noted::new(around.memory);
                self.queues[launch.queue].finish(launch.id, &mut noted)?;
                let written = noted.written;
                for (address, bytes) in written {
                    around.outdate(address, bytes);
                }
                around.notify(launch.signal());
            } else if !moved {
                place += 1;
            }
        }
        Ok(did)
    }
}
