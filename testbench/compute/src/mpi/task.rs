//! XTQ puts of the library: packet, arguments, and where they land.

use super::Mpi;
use super::codes::{Below, Role};
use super::layout::{self, COMMAND, QUEUE, SILENT, command, landing_offset, task_signal};
use super::point_to_point::process;
use crate::ProgramError;
use crate::gpu::KernelPacket;
use xtq_testbench::host::{AckRequest, Put, XtqPut, xtq_put};

/// XTQ puts of a rank.
#[derive(Debug)]
pub(super) struct Tasks {
    /// Sent so far.
    sent: u64,
    /// By target: sent so far.
    pub(super) sent_to: Vec<u64>,
    /// By initiator: tasks that are known to have ended here.
    pub(super) ended_of: Vec<u64>,
}

impl Tasks {
    pub(super) fn new(ranks: usize) -> Self {
        Self {
            sent: 0,
            sent_to: vec![0; ranks],
            ended_of: vec![0; ranks],
        }
    }

    /// What shows that the next task of a rank has ended here.
    pub(super) fn next_of(&self, rank: usize) -> Below {
        Below {
            handle: task_signal(rank),
            below: -(self.ended_of[rank] as i64),
        }
    }
}

impl Mpi {
    /// Sends `bytes` at `source` to a rank, whose GPU combines them with its window at `displacement`. The rank must
    /// have a landing place left. If there is a request, it is over when the bytes have been read. Errors: the NIC
    /// refused it.
    pub(super) async fn put_task(
        &mut self,
        to: usize,
        displacement: u64,
        source: u64,
        bytes: u64,
        request: Option<usize>,
    ) -> Result<(), ProgramError> {
        let (rank, options) = (self.rank(), self.job.options);
        let elements = bytes / self.element()?;
        let packet = KernelPacket::xtq(rank as u16, QUEUE, elements as u32, true);
        // The first two are the target's: its NIC writes them.
        let arguments = [0, 0, elements, displacement]
            .map(u64::to_le_bytes)
            .concat();
        let address = command(self.tasks.sent);
        self.host
            .store(address, &[&packet[..], &arguments].concat())
            .await?;
        let (md, user_ptr) = match request {
            None => (SILENT, 0),
            Some(number) => (layout::ALL, Role::Send.pointer(number as u64)),
        };
        let payload = Put {
            md: SILENT,
            user_ptr,
            local_offset: source,
            length: bytes,
            ack: AckRequest::None,
            target: process(to),
            pt_index: layout::TASKS,
            remote_offset: landing_offset(&options, rank, self.tasks.sent_to[to]),
            ..Put::default()
        };
        let put = XtqPut {
            // Its events are those of the message.
            command_md: md,
            command_offset: address,
            command_length: COMMAND as u16,
            payload,
        };
        self.host.post(&[xtq_put(&put)]).await?;
        self.tasks.sent += 1;
        self.tasks.sent_to[to] += 1;
        Ok(())
    }
}
