//! Progress: the application thread takes events whenever it waits, and does what they ask for.

use super::codes::{Below, LONG, LONG_ENTRY, Role};
use super::layout;
use super::requests::{Pending, Status};
use super::set_up::room;
use super::{Mpi, Request};
use crate::{ProgramError, Wait};
use std::collections::BTreeSet;
use xtq_testbench::host::{Event, EventKind, Get, Me, ptl_get};
use xtq_testbench::signals::VALUE_OFFSET;
use xtq_types::event::status;

/// What has come without being asked for.
#[derive(Debug, Default)]
pub(super) struct Inbox {
    /// Plain puts into the window: who, and which.
    pub(super) puts: BTreeSet<(usize, u64)>,
}

/// Work of the application that has nothing to do with messages.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Background {
    /// Instructions that are left.
    pub left: u64,
    /// Instructions between two looks for events.
    pub between: u64,
}

impl Mpi {
    /// Gives the application work to do while messages are under way, of which `between` instructions are done between
    /// two looks for events (MPI: calls of MPI_Test).
    pub fn overlap(&mut self, work: Background) {
        self.background = Background {
            between: work.between.max(1),
            ..work
        };
    }

    /// Does what is left of that work; how many instructions it was.
    pub async fn finish_work(&mut self) -> u64 {
        let left = std::mem::take(&mut self.background.left);
        if left > 0 {
            self.host.work(left).await;
        }
        left
    }

    /// Takes one event, or finds that a signal is below its value; the application works meanwhile, if it has work.
    /// Whether it was the signal. Errors: what the event reports.
    pub(super) async fn progress(&mut self, signal: Option<Below>) -> Result<bool, ProgramError> {
        let own = self.kernels.next();
        while self.background.left > 0 {
            if let Some(event) = self.host.try_event().await? {
                self.handle(event).await?;
                return Ok(false);
            }
            if let Some(Below { handle, below }) = signal
                && self.signal(handle).await? < below
            {
                return Ok(true);
            }
            if let Some(Below { handle, below }) = own
                && self.signal(handle).await? < below
            {
                self.collect().await?;
                return Ok(false);
            }
            let chunk = self.background.between.min(self.background.left);
            self.background.left -= chunk;
            self.host.work(chunk).await;
        }
        let waits: Vec<Wait> = signal
            .into_iter()
            .chain(own)
            .map(|Below { handle, below }| Wait::Signal { handle, below })
            .chain([Wait::Event])
            .collect();
        let which = self.host.wait(&waits).await;
        if which == 0 && signal.is_some() {
            return Ok(true);
        }
        if which + 1 < waits.len() {
            self.collect().await?;
        } else if let Some(event) = self.host.try_event().await? {
            self.handle(event).await?;
        }
        Ok(false)
    }

    /// The value of a signal. Errors: none; a load of 8 bytes is never too long.
    pub(super) async fn signal(&self, handle: u64) -> Result<i64, ProgramError> {
        let bytes = self.host.load(handle + VALUE_OFFSET, 8).await?;
        Ok(i64::from_le_bytes(bytes.try_into().unwrap_or_default()))
    }

    /// Ends a message. Errors: it failed.
    pub async fn wait(&mut self, request: Request) -> Result<Status, ProgramError> {
        loop {
            if let Some(status) = self.requests.take(request.0) {
                return Ok(status);
            }
            self.progress(None).await?;
        }
    }

    /// Whether a message is over.
    pub(super) fn is_done(&self, request: &Request) -> bool {
        matches!(self.requests.get(request.0), Some(Pending::Done(_)))
    }

    pub(super) async fn handle(&mut self, event: Event) -> Result<(), ProgramError> {
        let costs = self.host.costs();
        let cost = costs.progress + costs.match_base;
        self.host.work(cost).await;
        if let Some(Err(error)) = event.result() {
            return Err(ProgramError::new(format!(
                "a command of MPI ended: {error}"
            )));
        }
        if event.status != status::OK {
            let (kind, status) = (event.kind, event.status);
            return Err(ProgramError::new(format!(
                "a message of MPI ended with status {status} ({kind:?})"
            )));
        }
        let source = usize::from(event.initiator.node);
        let Some((role, number)) = event.user_ptr().and_then(Role::of) else {
            return Ok(());
        };
        match (role, event.kind) {
            (Role::Send, EventKind::Send) => self.end(number, Status::default()),
            (Role::Receive, EventKind::Put | EventKind::PutOverflow) => {
                self.matched(number, &event).await?;
            }
            (Role::Exposed, EventKind::Get) => {
                self.requests.give_back(Me(event.match_bits as u16));
                self.end(number, Status::default());
            }
            (Role::Read, EventKind::Reply) => {
                if let Some(Pending::Reading { status, landing }) = self.requests.get(number) {
                    self.received(number, status, landing).await?;
                }
            }
            // Its messages have been taken: it may be used again.
            (Role::Room, EventKind::AutoFree) => {
                let eager = self.job.options.library.eager_bytes;
                self.host.post(&[room(number as u16, eager)]).await?;
            }
            (Role::Window, EventKind::Put) => {
                self.inbox.puts.insert((source, event.match_bits));
            }
            (Role::Ack, EventKind::Put) => self.epochs.acked[source] = event.hdr_data,
            (Role::Flush, EventKind::Put) => {
                self.epochs.ending[source] = Some(event.hdr_data);
                self.answer_flushes().await?;
            }
            _ => {}
        }
        Ok(())
    }

    fn end(&mut self, number: usize, status: Status) {
        self.requests.set(number, Pending::Done(status));
    }

    /// A message has met its receive: it is here, or can be read.
    async fn matched(&mut self, number: usize, event: &Event) -> Result<(), ProgramError> {
        let Some(Pending::Receiving {
            address,
            bytes,
            entry,
            landing,
        }) = self.requests.get(number)
        else {
            return Ok(());
        };
        self.requests.give_back(entry);
        let is_long = event.hdr_data & LONG != 0;
        let length = match is_long {
            true => event.hdr_data & ((1 << LONG_ENTRY) - 1),
            false => event.rlength.into(),
        };
        let status = Status {
            source: usize::from(event.initiator.node),
            tag: event.match_bits as u32,
            bytes: length,
        };
        if length > bytes {
            return Err(ProgramError::new(format!(
                "a receive of {bytes} bytes met a message of {length} from rank {}",
                status.source
            )));
        }
        if is_long {
            let get = ptl_get(&Get {
                md: layout::ALL,
                local_offset: address,
                length,
                target: event.initiator,
                pt_index: layout::DATA,
                match_bits: (event.hdr_data & !LONG) >> LONG_ENTRY,
                remote_offset: 0,
                user_ptr: Role::Read.pointer(number as u64),
            });
            self.requests
                .set(number, Pending::Reading { status, landing });
            return self.host.post(&[get]).await;
        }
        if event.kind == EventKind::PutOverflow && length > 0 {
            self.host.copy(address, event.start, length).await?;
        }
        self.received(number, status, landing).await
    }

    /// All bytes of a message are in its buffer.
    async fn received(
        &mut self,
        number: usize,
        status: Status,
        landing: Option<u64>,
    ) -> Result<(), ProgramError> {
        self.end(number, status);
        match landing {
            None => Ok(()),
            Some(landing) => {
                self.requests.take(number);
                self.accumulated(status, landing).await
            }
        }
    }
}
