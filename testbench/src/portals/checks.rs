//! What a command must be, to be accepted: tested when it is posted and, if it was triggered, again when it fires.

use super::codes::{MdOption, MeOption};
use super::command::{Command, Place, Refusal, Transfer};
use super::ids::{CounterId, Portal, QueueId};
use super::iovec::Buffer;
use super::message::{RequestError, RequestKind, check_operation};
use super::node::Node;
use super::objects::{MatchEntry, MemoryDescriptor};
use crate::aql::PACKET_BYTES;
use crate::tables::AckRequest;

/// `Ok` if it holds.
fn require(condition: bool, refusal: Refusal) -> Result<(), Refusal> {
    if condition { Ok(()) } else { Err(refusal) }
}

impl Node {
    pub(super) fn check(&self, command: &Command) -> Result<(), Refusal> {
        match command {
            Command::Transfer(transfer) => self.check_transfer(transfer),
            Command::CtInc(id, by) => {
                self.check_counter(Some(*id))?;
                require((by.success == 0) != (by.failure == 0), Refusal::ArgInvalid)
            }
            Command::CtSet(id, _) | Command::CtCancel(id) | Command::CtFree(id) => {
                self.check_counter(Some(*id))
            }
            Command::CtAlloc(id) => {
                require(!self.counters.contains_key(id), Refusal::InUse)?;
                let count = self.counters.len() as u64;
                require(count < self.limits.max_cts, Refusal::NoSpace)
            }
            Command::MeAppend { id, portal, me, .. } => {
                self.check_entry(*portal, me)?;
                let exists = self.entries.contains_key(id)
                    || self
                        .triggers
                        .promised_entries()
                        .any(|promised| promised == *id);
                require(!exists, Refusal::InUse)?;
                let count = self.entries.len() + self.triggers.promised_entries().count();
                require((count as u64) < self.limits.max_entries, Refusal::NoSpace)
            }
            Command::MeUnlink(_) => Ok(()),
            Command::MeSearch { portal, me, .. } => self.check_entry(*portal, me),
            Command::MdBind(id, md) => {
                self.check_list(md.options.has(MdOption::Iovec), md.start, md.length)?;
                require(!self.mds.contains_key(id), Refusal::InUse)?;
                require(
                    (self.mds.len() as u64) < self.limits.max_mds,
                    Refusal::NoSpace,
                )?;
                self.check_queue(md.queue)?;
                self.check_counter(md.counter)
            }
            Command::MdRelease(id) => require(self.mds.contains_key(id), Refusal::ArgInvalid),
            Command::PtAlloc(portal, options) => {
                require(portal.0 <= self.limits.max_pt_index, Refusal::ArgInvalid)?;
                require(!self.portals.contains_key(portal), Refusal::InUse)?;
                let needed = options.flowctrl && options.queue.is_none();
                require(!needed, Refusal::PtEqNeeded)?;
                self.check_queue(options.queue)
            }
            Command::XtqRegister(index, _) => {
                require(*index < self.limits.max_tasks, Refusal::ArgInvalid)
            }
            Command::PtEnable(portal) | Command::PtDisable(portal) => self.check_portal(*portal),
        }
    }

    fn check_counter(&self, id: Option<CounterId>) -> Result<(), Refusal> {
        let exists = id.is_none_or(|id| self.counters.contains_key(&id));
        require(exists, Refusal::ArgInvalid)
    }

    fn check_queue(&self, id: Option<QueueId>) -> Result<(), Refusal> {
        let exists = id.is_none_or(|id| id.0 < self.queues.len());
        require(exists, Refusal::ArgInvalid)
    }

    fn check_portal(&self, portal: Portal) -> Result<(), Refusal> {
        require(self.portals.contains_key(&portal), Refusal::ArgInvalid)
    }

    fn check_entry(&self, portal: Portal, me: &MatchEntry) -> Result<(), Refusal> {
        self.check_portal(portal)?;
        self.check_list(me.options.has(MeOption::Iovec), me.start, me.length)?;
        self.check_counter(me.counter)
    }

    /// A list of pieces is not too long and begins at a multiple of 8, as C's `ptl_iovec_t` does. What is in it is
    /// looked at when it is used.
    fn check_list(&self, iovec: bool, list: u64, pieces: u64) -> Result<(), Refusal> {
        let right = pieces <= self.limits.max_iovecs && list.is_multiple_of(8);
        require(!iovec || right, Refusal::ArgInvalid)
    }

    /// Bytes of a buffer that was given as `length` bytes, or pieces. Error: the list cannot be read, or its pieces are
    /// too long.
    pub(super) fn bytes_of(&self, buffer: Buffer, length: u64) -> Result<u64, Refusal> {
        let of_list = |pieces| self.memory.bytes_of_list(buffer.start, pieces);
        match buffer.iovec {
            true => of_list(length).ok_or(Refusal::ArgInvalid),
            false => Ok(length),
        }
    }

    /// PtlPut and its like (rules 5 and 8 of `docs/portals-model.md`): length, acknowledgement, operation.
    fn check_transfer(&self, transfer: &Transfer) -> Result<(), Refusal> {
        let command = transfer.command_length();
        let first = command.unwrap_or(transfer.length);
        let source = self.check_place(transfer.kind.carries_data(), transfer.from, first)?;
        if let Some(command) = command {
            require(command >= PACKET_BYTES as u64, Refusal::ArgInvalid)?;
        }
        if command.is_none() || transfer.length > 0 {
            self.check_place(command.is_some(), transfer.payload, transfer.length)?;
        }
        self.check_place(transfer.kind.wants_data(), transfer.into, transfer.length)?;
        let limit = match transfer.kind {
            RequestKind::Put | RequestKind::Get | RequestKind::XtqPut { .. } => {
                self.limits.max_msg_size
            }
            RequestKind::Atomic(_) => self.limits.max_atomic_size,
            RequestKind::Fetch(_) | RequestKind::Swap(_) => self.limits.max_fetch_atomic_size,
        };
        let total = transfer.total();
        require(total <= limit, Refusal::ArgInvalid)?;
        if let Some(md) = source {
            let volatile = md.options.has(MdOption::Volatile);
            let short = !volatile || total <= self.limits.max_volatile_size;
            let told = match transfer.ack {
                AckRequest::None | AckRequest::Oc => true,
                AckRequest::Ack => md.queue.is_some(),
                AckRequest::Ct => md.counter.is_some(),
            };
            require(
                short && (told || transfer.kind.wants_data()),
                Refusal::ArgInvalid,
            )?;
        }
        check_operation(transfer.kind, &transfer.operand).map_err(|error| match error {
            RequestError::Operation(error) => Refusal::Operation(error),
            _ => Refusal::ArgInvalid,
        })?;
        if let Some(operation) = transfer.kind.operation() {
            let item = operation.datatype.size() as u64;
            let whole = match operation.uses_operand() {
                true => transfer.length == item,
                false => transfer.length.is_multiple_of(item),
            };
            require(whole, Refusal::ArgInvalid)?;
        }
        Ok(())
    }

    /// The descriptor of a place, which must have so many bytes there; none must be named if none is used.
    fn check_place(
        &self,
        used: bool,
        place: Option<Place>,
        length: u64,
    ) -> Result<Option<&MemoryDescriptor>, Refusal> {
        let Some(place) = place else {
            return require(!used, Refusal::ArgInvalid).map(|()| None);
        };
        require(used, Refusal::ArgInvalid)?;
        let md = self.mds.get(&place.md).ok_or(Refusal::ArgInvalid)?;
        let end = u128::from(place.offset) + u128::from(length);
        require(end <= u128::from(md.length), Refusal::ArgInvalid)?;
        Ok(Some(md))
    }
}
