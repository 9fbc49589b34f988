//! A core as an agent: a program serves a queue that it polls, as a GPU serves its own.

use super::{HostThread, ProgramError, Wait};
use xtq_testbench::aql::{Header, PACKET_BYTES, field, packet_type, slot_address};
use xtq_testbench::signals::VALUE_OFFSET;
use xtq_testbench::tables::HostQueue;

/// Bytes of an index or a signal's value.
const WORD: usize = 8;

/// A task for a function of the host.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct AgentTask {
    /// Packet id.
    pub id: u64,
    /// The function. Of an XTQ put: as it was registered.
    pub function: u64,
    /// Its arguments. Of an XTQ put the first are the buffer and the payload.
    pub arguments: [u64; 4],
    signal: u64,
    slot: u64,
}

fn word(bytes: &[u8]) -> u64 {
    let mut word = [0; WORD];
    word.copy_from_slice(bytes);
    u64::from_le_bytes(word)
}

impl HostThread {
    /// Waits for the next agent dispatch packet in a queue of [`create_agent_queue`], and takes it: polls the doorbell,
    /// loads the packet. Errors: the doorbell of the queue takes other values; the packet is of another kind.
    ///
    /// [`create_agent_queue`]: crate::Machine::create_agent_queue
    pub async fn agent_task(&self, queue: &HostQueue) -> Result<AgentTask, ProgramError> {
        if !queue.doorbell_plus_one {
            return Err(ProgramError::new(
                "the doorbell of an agent takes the packet id + 1",
            ));
        }
        let id = word(&self.load(queue.read_index_address, WORD).await?);
        let doorbell = Wait::Word {
            address: queue.doorbell_address,
            at_least: id.wrapping_add(1),
        };
        self.wait(&[doorbell]).await;
        let slot = slot_address(queue.base, queue.size.into(), id);
        let slot = slot.ok_or_else(|| ProgramError::new("a queue without slots"))?;
        let bytes = self.load(slot, PACKET_BYTES).await?;
        let instructions = self.with(|world| world.costs.agent_take);
        self.work(instructions).await;
        let mut packet = [0; PACKET_BYTES];
        packet.copy_from_slice(&bytes);
        match Header::of(&packet).kind {
            packet_type::AGENT_DISPATCH => Ok(AgentTask {
                id,
                function: field::RETURN_ADDRESS.read(&packet),
                arguments: field::ARG.map(|argument| argument.read(&packet)),
                signal: field::COMPLETION_SIGNAL.read(&packet),
                slot,
            }),
            kind => Err(ProgramError::new(format!(
                "packet {id} of the agent's queue at {:#x} has type {kind}",
                queue.base
            ))),
        }
    }

    /// Ends a task: decrements its signal, gives its slot back. Errors: none but those of memory accesses.
    pub async fn end_task(&self, queue: &HostQueue, task: &AgentTask) -> Result<(), ProgramError> {
        let instructions = self.with(|world| world.costs.agent_end);
        self.work(instructions).await;
        if task.signal != 0 {
            let address = task.signal.wrapping_add(VALUE_OFFSET);
            let value = word(&self.load(address, WORD).await?).wrapping_sub(1);
            self.store(address, &value.to_le_bytes()).await?;
        }
        let invalid = u16::from(packet_type::INVALID).to_le_bytes();
        self.store(task.slot, &invalid).await?;
        let next = task.id.wrapping_add(1).to_le_bytes();
        self.store(queue.read_index_address, &next).await
    }
}
