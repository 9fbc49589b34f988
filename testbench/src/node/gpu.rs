//! The GPU that serves one queue: a packet processor with times, and tasks that take a while.

use std::collections::{BTreeMap, VecDeque};

use crate::aql::{Header, Packet, field, packet_type};
use crate::bytes::SparseMemory;
use crate::packet_processor::{Event, PacketProcessor, ProcessorError, QueueConfig};

/// Times of a GPU, in cycles.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct GpuTiming {
    /// From the doorbell's visibility to the look into the ring.
    pub poll: u64,
    /// From the look to the start of the task.
    pub launch: u64,
    /// How long a task runs.
    pub task: u64,
    /// How long the tasks of these kernels or functions (handle) run instead.
    pub tasks: BTreeMap<u64, u64>,
}

impl Default for GpuTiming {
    fn default() -> Self {
        Self {
            poll: 10,
            launch: 20,
            task: 100,
            tasks: BTreeMap::new(),
        }
    }
}

/// A packet that the processor took up.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct TaskRun {
    /// Packet id.
    pub id: u64,
    /// The packet as it was in its slot; `None` for a barrier packet.
    #[serde(with = "crate::saved::bytes::maybe")]
    pub packet: Option<Packet>,
    /// Cycle in which the task starts.
    pub launched: u64,
    /// Cycle in which it was complete and its signal decremented.
    pub completed: Option<u64>,
}

/// One queue's consumer.
#[derive(Clone, Debug, serde::Serialize, serde::Deserialize)]
pub struct Gpu {
    context: u8,
    doorbell: u64,
    timing: GpuTiming,
    processor: PacketProcessor,
    /// Doorbell values with the cycle in which they are looked at.
    rung: VecDeque<(u64, u64)>,
    /// Tasks by the cycle in which they end.
    ends: BTreeMap<u64, Vec<u64>>,
    runs: Vec<TaskRun>,
    error: Option<String>,
}

impl Gpu {
    /// The consumer of a queue whose doorbell is at this address of `context`. Errors: the queue cannot exist.
    pub fn new(
        context: u8,
        doorbell: u64,
        queue: QueueConfig,
        timing: GpuTiming,
    ) -> Result<Self, ProcessorError> {
        Ok(Self {
            context,
            doorbell,
            timing,
            processor: PacketProcessor::new(queue)?,
            rung: VecDeque::new(),
            ends: BTreeMap::new(),
            runs: Vec::new(),
            error: None,
        })
    }

    /// Context whose memory it reads.
    pub fn context(&self) -> u8 {
        self.context
    }

    /// Address of the doorbell.
    pub fn doorbell(&self) -> u64 {
        self.doorbell
    }

    /// What it took up, in order.
    pub fn runs(&self) -> &[TaskRun] {
        &self.runs
    }

    /// What is wrong with the packet that put the queue into the error state.
    pub fn error(&self) -> Option<&str> {
        self.error.as_deref()
    }

    /// Id of the oldest packet not retired.
    pub fn read_index(&self) -> u64 {
        self.processor.read_index()
    }

    /// Whether no doorbell waits and no task runs.
    pub fn is_idle(&self) -> bool {
        self.rung.is_empty() && self.ends.is_empty()
    }

    /// The doorbell's new value became visible in `cycle`.
    pub fn ring(&mut self, cycle: u64, value: u64) {
        self.rung.push_back((cycle + self.timing.poll, value));
    }

    /// First cycle, from `now` on, in which it may do something although nothing changes in memory; `u64::MAX`: never.
    pub fn next_event(&self, now: u64) -> u64 {
        let rung = self.rung.front().map(|(due, _)| *due);
        let ends = self.ends.keys().next().copied();
        rung.into_iter()
            .chain(ends)
            .min()
            .unwrap_or(u64::MAX)
            .max(now)
    }

    /// Does what is due in `cycle`, on the visible memory; whether there was anything.
    pub fn cycle(&mut self, cycle: u64, memory: &mut SparseMemory) -> Result<bool, ProcessorError> {
        let mut did = false;
        while let Some((due, value)) = self.rung.front().copied()
            && due <= cycle
        {
            self.rung.pop_front();
            self.processor.doorbell(value);
            did = true;
        }
        while let Some(entry) = self.ends.first_entry()
            && *entry.key() <= cycle
        {
            for id in entry.remove() {
                let event = self.processor.finish(id, memory)?;
                self.note(cycle, event);
                did = true;
            }
        }
        for event in self.processor.step(memory) {
            self.note(cycle, event);
            did = true;
        }
        Ok(did)
    }

    fn note(&mut self, cycle: u64, event: Event) {
        match event {
            Event::Launch { id, packet } => {
                let handle = match Header::of(&packet).kind {
                    packet_type::KERNEL_DISPATCH => field::KERNEL_OBJECT.read(&packet),
                    _ => field::RETURN_ADDRESS.read(&packet),
                };
                let cycles = self.timing.tasks.get(&handle).copied();
                let launched = cycle + self.timing.launch;
                let end = launched + cycles.unwrap_or(self.timing.task);
                self.ends.entry(end).or_default().push(id);
                self.runs.push(TaskRun {
                    id,
                    packet: Some(packet),
                    launched,
                    completed: None,
                });
            }
            Event::Complete { id } => match self.runs.iter_mut().find(|run| run.id == id) {
                Some(run) => run.completed = Some(cycle),
                None => self.runs.push(TaskRun {
                    id,
                    packet: None,
                    launched: cycle,
                    completed: Some(cycle),
                }),
            },
            Event::Error { id, code, cause } => {
                self.error = Some(format!("packet {id}: {cause} (status {code:#x})"));
            }
        }
    }
}
