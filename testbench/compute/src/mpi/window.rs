//! One-sided accumulates: MPI_Accumulate between the calls that begin and end an epoch.
//!
//! Over CPU and HSA an accumulate is a two-sided message that the target's application thread combines when it makes
//! progress, "layered over two-sided, send-receive calls" (section V-C). Over XTQ it is an XTQ put, and "an internal
//! progress thread sends an acknowledgement to the initiator". An epoch ends when everything in it is acknowledged.

use super::codes::{SOURCE, kind};
use super::layout::{self, HEADERS, LANDINGS, STOP, landing_address, task_signal};
use super::point_to_point::process;
use super::requests::{Pending, Request, Status};
use super::{Mpi, Way};
use crate::{HostThread, ProgramError, Wait};
use xtq_testbench::host::{Command, Me, Put, ptl_put};

/// Epochs of a rank, as origin and as target.
#[derive(Debug)]
pub(super) struct Epochs {
    /// By target: accumulates sent, and those that are in its window.
    sent: Vec<u64>,
    pub(super) acked: Vec<u64>,
    /// By target: messages of two-sided accumulates that are under way.
    messages: Vec<Vec<Request>>,
    /// By origin: accumulates in this rank's window, and how many an epoch had that is to be acknowledged.
    applied: Vec<u64>,
    pub(super) ending: Vec<Option<u64>>,
    /// Epochs of others that ended here.
    closed: u64,
}

impl Epochs {
    pub(super) fn new(ranks: usize) -> Self {
        Self {
            sent: vec![0; ranks],
            acked: vec![0; ranks],
            messages: (0..ranks).map(|_| Vec::new()).collect(),
            applied: vec![0; ranks],
            ending: vec![None; ranks],
            closed: 0,
        }
    }
}

/// A message without data to the control entries of a rank.
fn control(to: usize, kind: u64, count: u64) -> Command {
    ptl_put(&Put {
        md: layout::SILENT,
        target: process(to),
        pt_index: layout::CONTROL,
        match_bits: kind,
        hdr_data: count,
        ..Put::default()
    })
}

/// The progress thread of a node: acknowledges each task of another rank when its signal says that it has ended.
/// Errors: the NIC refuses an acknowledgement.
pub async fn acknowledge(host: HostThread) -> Result<(), ProgramError> {
    let mut ended = vec![0_u64; host.nodes()];
    loop {
        let tasks = ended.iter().enumerate().map(|(rank, ended)| Wait::Signal {
            handle: task_signal(rank),
            below: -(*ended as i64),
        });
        let stop = Wait::Word {
            address: STOP,
            at_least: 1,
        };
        let waits: Vec<Wait> = tasks.chain([stop]).collect();
        let which = host.wait(&waits).await;
        let Some(ended) = ended.get_mut(which) else {
            return Ok(());
        };
        *ended += 1;
        host.post(&[control(which, kind::ACK, *ended)]).await?;
    }
}

impl Mpi {
    /// MPI_Win_create and the start of the first epochs: from here on accumulates may come. All ranks call it. Errors:
    /// two-sided accumulates of so many ranks would not find headers at a target; the NIC refused something.
    pub async fn open_window(&mut self) -> Result<(), ProgramError> {
        if self.job.options.way != Way::Xtq {
            let (ranks, options) = (self.ranks(), &self.job.options);
            if layout::unanswered(options, ranks) == 0 {
                let unanswered = options.library.unanswered;
                return Err(ProgramError::new(format!(
                    "two-sided accumulates of {ranks} ranks with mpi.unanswered = {unanswered}: a target has {HEADERS} \
                     unexpected headers for those of all ranks, and cannot keep one of each"
                )));
            }
            for landing in 0..self.job.options.slots {
                self.receive_accumulate(landing).await?;
            }
        }
        self.barrier().await
    }

    /// Posts the receive of an accumulate of anybody. Its tag is the displacement.
    async fn receive_accumulate(&mut self, landing: u64) -> Result<(), ProgramError> {
        let options = self.job.options;
        let any = 0xffff << SOURCE | u64::from(u32::MAX);
        let (entry, bytes) = (Me(LANDINGS.start + landing as u16), options.slot_bytes);
        let address = landing_address(&options, self.rank(), landing);
        let request = Pending::Receiving {
            address,
            bytes,
            entry,
            landing: Some(landing),
        };
        let bits = (kind::ACCUMULATE, any);
        self.post_receive(entry, bits, (address, bytes), request)
            .await?;
        Ok(())
    }

    /// MPI_Accumulate: combines `elements` at `source` with those of the target's window from element `displacement`
    /// on. What is at `source` may change after [`flush`](Self::flush). Errors: the target is the own rank; it is
    /// longer than a landing place; a message failed.
    pub async fn accumulate(
        &mut self,
        target: usize,
        displacement: u64,
        source: u64,
        elements: u64,
    ) -> Result<(), ProgramError> {
        let options = self.job.options;
        let size = self.element()?;
        let bytes = elements * size;
        if target == self.rank() {
            return Err(ProgramError::new("an accumulate to the own rank"));
        }
        if bytes > options.slot_bytes {
            let most = options.slot_bytes;
            return Err(ProgramError::new(format!(
                "an accumulate of {bytes} bytes: a landing place has {most}"
            )));
        }
        if options.way == Way::Xtq {
            while self.epochs.sent[target] - self.epochs.acked[target] >= options.slots {
                self.progress(None).await?;
            }
            self.put_task(target, displacement * size, source, bytes, None)
                .await?;
        } else {
            // The epoch is ended in between: what the target cannot keep would be lost.
            let most = layout::unanswered(&options, self.ranks());
            if self.epochs.sent[target] - self.epochs.acked[target] >= most {
                self.flush(target).await?;
            }
            let tag = displacement as u32;
            let message = self
                .send_kind(kind::ACCUMULATE, target, tag, source, bytes)
                .await?;
            self.epochs.messages[target].push(message);
        }
        self.epochs.sent[target] += 1;
        Ok(())
    }

    /// Ends an epoch: returns when all accumulates to a target are in its window. Errors: a message failed.
    pub async fn flush(&mut self, target: usize) -> Result<(), ProgramError> {
        let sent = self.epochs.sent[target];
        if self.job.options.way != Way::Xtq && sent > self.epochs.acked[target] {
            self.host
                .post(&[control(target, kind::FLUSH, sent)])
                .await?;
        }
        for message in std::mem::take(&mut self.epochs.messages[target]) {
            self.wait(message).await?;
        }
        while self.epochs.acked[target] < sent {
            self.progress(None).await?;
        }
        Ok(())
    }

    /// The application thread of a target that does nothing else: makes progress until so many epochs of others have
    /// ended here. Over XTQ the NIC and the GPU need no such thread. Errors: a message or a kernel failed.
    pub async fn serve(&mut self, epochs: u64) -> Result<(), ProgramError> {
        while self.job.options.way != Way::Xtq && self.epochs.closed < epochs {
            self.progress(None).await?;
        }
        Ok(())
    }

    /// MPI_Finalize: all ranks have done everything; ends the progress thread. Errors: a message failed.
    pub async fn finish(mut self) -> Result<(), ProgramError> {
        self.barrier().await?;
        self.host.store(STOP, &1_u64.to_le_bytes()).await
    }

    /// The data of an accumulate have come.
    pub(super) async fn accumulated(
        &mut self,
        status: Status,
        landing: u64,
    ) -> Result<(), ProgramError> {
        let Status { source, tag, bytes } = status;
        let displacement = u64::from(tag) * self.element()?;
        self.combine_landed(source, landing, displacement, bytes)
            .await
    }

    /// An accumulate is in the window: its landing place is free.
    pub(super) async fn accumulate_is_over(
        &mut self,
        origin: usize,
        landing: u64,
    ) -> Result<(), ProgramError> {
        self.epochs.applied[origin] += 1;
        self.answer_flushes().await?;
        self.receive_accumulate(landing).await
    }

    /// Acknowledges the epochs of which all accumulates are in the window.
    pub(super) async fn answer_flushes(&mut self) -> Result<(), ProgramError> {
        for origin in 0..self.ranks() {
            if let Some(count) = self.epochs.ending[origin]
                && self.epochs.applied[origin] >= count
            {
                self.epochs.ending[origin] = None;
                self.epochs.closed += 1;
                self.host.post(&[control(origin, kind::ACK, count)]).await?;
            }
        }
        Ok(())
    }
}
