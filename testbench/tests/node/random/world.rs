//! A drawn host: processes with tables, queues, receive buffers and event rings, good and bad ones.

use super::draw::{Draw, often, pick, rarely};
use rand::Rng;
use xtq_testbench::aql::slot_address;
use xtq_testbench::bytes::Bytes;
use xtq_testbench::node::{Buffer, ContextConfig, GpuTiming, Node};
use xtq_testbench::tables::HostQueue;
use xtq_testbench::tables::format::{BYTES, FUNCTION_ENTRY, KERNEL_ENTRY, QUEUE_ENTRY};
use xtq_types::tables::table_id;

/// Every region of a process begins at a multiple of this; nothing is larger.
const REGION: u64 = 1 << 40;
const TABLES: u64 = REGION;
const RING: u64 = 4 * REGION;
const BUFFERS: u64 = 8 * REGION;
const QUEUES: u64 = 32 * REGION;
const SIGNALS: u64 = 5 * REGION;
/// Packets of a queue that must never look full, as it has a GPU: more than all messages of a case.
const MANY_PACKETS: u32 = 256;

/// All processes of a case.
#[derive(Clone, Debug)]
pub struct World {
    pub processes: Vec<Process>,
}

/// One context.
#[derive(Clone, Debug)]
pub struct Process {
    pub context: u8,
    pub config: ContextConfig,
    /// Kernels and functions: index and entry.
    pub kernels: Vec<(u16, [u8; BYTES])>,
    pub functions: Vec<(u16, [u8; BYTES])>,
    pub queues: Vec<QueuePlan>,
    pub portals: Vec<(u8, Buffer)>,
    pub habits: Habits,
}

/// What a process does not mix, as it would depend on time what comes of it.
#[derive(Clone, Copy, Debug)]
pub struct Habits {
    /// The event ring may fill up: then entries want both kinds of events or none.
    pub small_ring: bool,
    /// Some queues are shared (besides those that are refused).
    pub atomics: bool,
    /// Shared queues may fill up: then entries have no flow control.
    pub full_shared: bool,
}

/// One queue.
#[derive(Clone, Debug)]
pub struct QueuePlan {
    pub index: u16,
    pub entry: [u8; BYTES],
    pub queue: HostQueue,
    pub gpu: bool,
}

/// The handle of a signal.
pub fn signal(draw: &mut Draw) -> u64 {
    SIGNALS + BYTES as u64 * draw.random_range(0..64)
}

/// An address in a region, a multiple of `align`.
fn address(draw: &mut Draw, region: u64, align: u64) -> u64 {
    region + align * draw.random_range(0..(1 << 20) / align)
}

impl World {
    /// One or two processes, each in one of the four contexts; the NIC has atomics or not.
    pub fn new(draw: &mut Draw, atomics: bool) -> Self {
        let mut contexts = vec![0, 1, 2, 3];
        let processes = (0..draw.random_range(1..3)).map(|_| {
            let context = contexts.swap_remove(draw.random_range(0..contexts.len()));
            Process::new(draw, context, atomics)
        });
        Self {
            processes: processes.collect(),
        }
    }

    /// Puts everything into memory, then opens the contexts and posts the buffers.
    pub fn set_up(&self, node: &mut Node, draw: &mut Draw) {
        for process in &self.processes {
            let tables = [
                (table_id::KERNEL, process.kernels.clone()),
                (table_id::FUNCTION, process.functions.clone()),
                (
                    table_id::QUEUE,
                    process.queues.iter().map(|q| (q.index, q.entry)).collect(),
                ),
            ];
            let memory = node.memory.memory_mut(process.context);
            for (table, entries) in tables {
                let (base, _) = process.config.tables[usize::from(table)];
                for (index, entry) in entries {
                    memory.write(base + BYTES as u64 * u64::from(index), &entry);
                }
            }
            node.open_context(process.context, &process.config).unwrap();
            for queue in &process.queues {
                queue.fill(node, process.context, draw);
                if queue.gpu {
                    node.attach_gpu(process.context, &queue.queue, gpu_timing(draw))
                        .unwrap();
                }
            }
            for (entry, buffer) in &process.portals {
                node.post_buffer(process.context, *entry, buffer).unwrap();
            }
        }
    }
}

fn gpu_timing(draw: &mut Draw) -> GpuTiming {
    GpuTiming {
        poll: draw.random_range(0..20),
        launch: draw.random_range(0..20),
        task: draw.random_range(1..60),
        ..GpuTiming::default()
    }
}

impl Process {
    fn new(draw: &mut Draw, context: u8, atomics: bool) -> Self {
        let mut table = |number: u64| {
            let sizes = [24, 47, 64, 65, 65_535];
            (
                address(draw, TABLES * (1 + number), 64),
                sizes[draw.random_range(0..5)],
            )
        };
        let tables = [table(0), table(1), table(2)];
        let habits = Habits {
            small_ring: draw.random_bool(0.3),
            atomics,
            full_shared: draw.random(),
        };
        let places = match habits.small_ring {
            true => [0, 1, 2, 4, 8][draw.random_range(0..5)],
            false => 128,
        };
        let config = ContextConfig {
            tables,
            events: (address(draw, RING, 64), places),
        };
        let kernels = (0..3).map(|_| (index(draw), kernel(draw))).collect();
        let functions = (0..2).map(|_| (index(draw), function(draw))).collect();
        let queues = (0..3)
            .map(|number| QueuePlan::new(draw, number, habits))
            .collect();
        let mut portals: Vec<_> = (0..3)
            .map(|number| {
                let entry = 5 * number + draw.random_range(0..5);
                (entry, buffer(draw, entry, habits))
            })
            .collect();
        // The favourite is good for everything.
        portals[0].1.start &= !63;
        portals[0].1.length = 1 << 20;
        Self {
            context,
            config,
            kernels,
            functions,
            queues,
            portals,
            habits,
        }
    }
}

/// A table index, mostly one that any table has.
fn index(draw: &mut Draw) -> u16 {
    match often(draw) {
        true => draw.random_range(0..8),
        false => draw.random_range(8..70),
    }
}

/// An entry of noise, or one in whose unused bits there is noise.
fn noise(draw: &mut Draw) -> [u8; BYTES] {
    std::array::from_fn(|_| draw.random())
}

fn kernel(draw: &mut Draw) -> [u8; BYTES] {
    let mut entry = noise(draw);
    let set = |entry: &mut _, name, value| KERNEL_ENTRY.set(entry, name, value);
    set(&mut entry, "registered", (!rarely(draw)).into());
    set(&mut entry, "completion_signal", signal(draw));
    if rarely(draw) {
        return entry;
    }
    let size = *pick(draw, &[0, 16, 64, 136, 200, 13, 4100]);
    let pairs = (size / 8u64).saturating_sub(1).max(1);
    let offset = match rarely(draw) {
        true => draw.random_range(0..2 * size + 2),
        false => 8 * draw.random_range(0..pairs.min(502)),
    };
    set(&mut entry, "kernarg_size", size);
    set(&mut entry, "rewrite_offset", offset);
    set(&mut entry, "no_rewrite", (size < 16 || rarely(draw)).into());
    entry
}

fn function(draw: &mut Draw) -> [u8; BYTES] {
    let mut entry = noise(draw);
    FUNCTION_ENTRY.set(&mut entry, "registered", (!rarely(draw)).into());
    entry
}

/// A receive buffer at a portal entry; those of one process never overlap.
pub fn buffer(draw: &mut Draw, entry: u8, habits: Habits) -> Buffer {
    let align = if draw.random_ratio(1, 10) { 1 } else { 64 };
    let length = *pick(draw, &[300, 4096, 1 << 16, 1 << 16, 1 << 16, 1 << 30]);
    let offset = match draw.random_range(0..8) {
        0 => draw.random_range(0..=length + 10),
        1 | 2 => draw.random_range(0..200),
        _ => 0,
    };
    let (success, failure) = match (habits.small_ring, draw.random_range(0..6)) {
        (_, 0) => (false, false),
        (false, 1) => (true, false),
        (false, 2) => (false, true),
        _ => (true, true),
    };
    Buffer {
        start: address(draw, BUFFERS + REGION * u64::from(entry), align),
        length,
        offset,
        flow_control: draw.random_bool(0.3) && !(habits.atomics && habits.full_shared),
        event_success: success,
        event_failure: failure,
    }
}

impl QueuePlan {
    fn new(draw: &mut Draw, number: u64, habits: Habits) -> Self {
        let gpu = draw.random_bool(0.3);
        let shared = match habits.atomics {
            true => draw.random(),
            false => !gpu && rarely(draw),
        };
        let never_full = gpu || (shared && !habits.full_shared);
        let size = match (never_full, rarely(draw)) {
            (true, _) => MANY_PACKETS,
            (false, true) => *pick(draw, &[0, 3, 12, 1 << 31]),
            _ => *pick(draw, &[1, 2, 8, 16, 16]),
        };
        let region = QUEUES + 2 * REGION * number;
        let words = address(draw, region + REGION, 64);
        // Indices and doorbell in one line or each in a line of its own, in any lanes.
        let step = *pick(draw, &[0, 64]);
        let lane = draw.random_range(0..8);
        let word = |n: u64| words + step * n + 8 * ((lane + 3 * n) % 8);
        let queue = HostQueue {
            base: address(draw, region, 64),
            size,
            write_index_address: word(0),
            read_index_address: word(1),
            doorbell_address: word(2),
            doorbell_plus_one: draw.random(),
            shared,
        };
        let mut entry = noise(draw);
        for (name, value) in [
            ("registered", (gpu || !rarely(draw)).into()),
            ("doorbell_plus_one", queue.doorbell_plus_one.into()),
            ("shared", queue.shared.into()),
            ("size", size.into()),
            ("ring_base", queue.base),
            ("write_index_address", queue.write_index_address),
            ("read_index_address", queue.read_index_address),
            ("doorbell_address", queue.doorbell_address),
        ] {
            QUEUE_ENTRY.set(&mut entry, name, value);
        }
        Self {
            index: 8 * number as u16 + draw.random_range(0..8) + if rarely(draw) { 40 } else { 0 },
            entry,
            queue,
            gpu,
        }
    }

    /// Gives it any indices; of a queue with a GPU they are far from the wrap, and nothing waits.
    pub fn fill(&self, node: &mut Node, context: u8, draw: &mut Draw) {
        if self.gpu {
            node.create_queue(context, &self.queue);
        }
        let write: u64 = match draw.random_range(0..4) {
            0 => 0,
            1 if !self.gpu => 0u64.wrapping_sub(draw.random_range(0..6)),
            _ => draw.random::<u64>() >> 1,
        };
        let waiting = match self.queue.size {
            MANY_PACKETS => 0,
            _ => draw.random_range(0..=u64::from(self.queue.size % 32)) / 2,
        };
        let memory = node.memory.memory_mut(context);
        memory.write_u64(self.queue.write_index_address, write);
        memory.write_u64(self.queue.read_index_address, write.wrapping_sub(waiting));
    }
    /// Another producer enqueues a few packets while nothing is under way, if it may and there is room. The NIC still
    /// knows the old write index.
    pub fn rival(&self, node: &mut Node, context: u8, draw: &mut Draw) {
        let (queue, memory) = (&self.queue, node.memory.memory_mut(context));
        let write = memory.read_u64(queue.write_index_address);
        let read = memory.read_u64(queue.read_index_address);
        let room = u64::from(queue.size).saturating_sub(write.wrapping_sub(read));
        let more = draw.random_range(0..=room.min(3));
        for id in (0..more).map(|n| write.wrapping_add(n)) {
            if let Some(slot) = slot_address(queue.base, queue.size.into(), id) {
                memory.write(slot, &noise(draw));
            }
        }
        memory.write_u64(queue.write_index_address, write.wrapping_add(more));
    }
}
