//! What a host library refuses without asking the hardware, and what the hardware's refusals are to a caller.
//!
//! The library refuses what the hardware does not look at (an acknowledgement that would be reported to nobody), and
//! what the hardware would find out too late: the arguments of a triggered operation, which the hardware judges when it
//! fires and Portals when it is posted.

use super::numbers::Numbers;
use crate::cases::NotRun;
use crate::host;
use crate::portals::{
    AckRequest, Command, CounterId, Limits, MdOption, MeOption, MemoryDescriptor, Refusal,
    RequestKind, Transfer,
};

/// `Ok` if it holds.
fn require(condition: bool, refusal: Refusal) -> Result<(), Refusal> {
    if condition { Ok(()) } else { Err(refusal) }
}

impl Numbers {
    /// What the library refuses.
    pub(super) fn check(
        &self,
        limits: &Limits,
        command: &Command,
        triggered: bool,
    ) -> Result<(), Refusal> {
        match command {
            Command::PtAlloc(portal, options) => {
                require(portal.0 <= limits.max_pt_index, Refusal::ArgInvalid)?;
                let needed = options.flowctrl && options.queue.is_none();
                require(!needed, Refusal::PtEqNeeded)
            }
            Command::MdBind(_, md) => {
                let iovec = md.options.has(MdOption::Iovec);
                require(
                    !iovec || md.length <= limits.max_iovecs,
                    Refusal::ArgInvalid,
                )?;
                self.check_counter(md.counter)
            }
            Command::MeAppend { portal, me, .. } | Command::MeSearch { portal, me, .. } => {
                let iovec = me.options.has(MeOption::Iovec);
                require(
                    !iovec || (me.length <= limits.max_iovecs && me.start.is_multiple_of(8)),
                    Refusal::ArgInvalid,
                )?;
                self.check_counter(me.counter)?;
                require(
                    !triggered || self.portals.contains_key(portal),
                    Refusal::ArgInvalid,
                )
            }
            Command::Transfer(transfer) => self.check_transfer(limits, transfer, triggered),
            _ if !triggered => Ok(()),
            Command::CtInc(id, by) => {
                self.check_counter(Some(*id))?;
                require((by.success == 0) != (by.failure == 0), Refusal::ArgInvalid)
            }
            Command::CtSet(id, _) | Command::CtCancel(id) | Command::CtFree(id) => {
                self.check_counter(Some(*id))
            }
            Command::CtAlloc(id) => require(!self.has_counter(*id), Refusal::InUse),
            Command::MdRelease(id) => require(self.mds.contains_key(id), Refusal::ArgInvalid),
            Command::PtEnable(portal) | Command::PtDisable(portal) => {
                require(self.portals.contains_key(portal), Refusal::ArgInvalid)
            }
            Command::XtqRegister(index, _) => {
                require(*index < limits.max_tasks, Refusal::ArgInvalid)
            }
            Command::MeUnlink(_) => Ok(()),
        }
    }

    fn check_counter(&self, id: Option<CounterId>) -> Result<(), Refusal> {
        let exists = id.is_none_or(|id| self.has_counter(id));
        require(exists, Refusal::ArgInvalid)
    }

    fn check_transfer(
        &self,
        limits: &Limits,
        transfer: &Transfer,
        triggered: bool,
    ) -> Result<(), Refusal> {
        let (first, total) = match transfer.kind {
            RequestKind::XtqPut { command_length } => {
                let command = u64::from(command_length);
                (command, command.saturating_add(transfer.length))
            }
            _ => (transfer.length, transfer.length),
        };
        let payload = transfer.payload.filter(|_| transfer.length > 0);
        for (place, length) in [
            (transfer.from, first),
            (payload, transfer.length),
            (transfer.into, transfer.length),
        ] {
            let Some(place) = place else {
                continue;
            };
            let md = self.mds.get(&place.md);
            let inside = |md: &MemoryDescriptor| {
                u128::from(place.offset) + u128::from(length) <= u128::from(md.length)
            };
            require(!triggered || md.is_some_and(inside), Refusal::ArgInvalid)?;
        }
        let longest = match transfer.kind {
            RequestKind::Put | RequestKind::Get | RequestKind::XtqPut { .. } => limits.max_msg_size,
            RequestKind::Atomic(_) => limits.max_atomic_size,
            RequestKind::Fetch(_) | RequestKind::Swap(_) => limits.max_fetch_atomic_size,
        };
        require(total <= longest, Refusal::ArgInvalid)?;
        let Some(md) = transfer.from.and_then(|place| self.mds.get(&place.md)) else {
            return Ok(());
        };
        let volatile = md.options.has(MdOption::Volatile);
        let short = !volatile || total <= limits.max_volatile_size;
        let told = match transfer.ack {
            AckRequest::None | AckRequest::Oc => true,
            AckRequest::Ack => md.queue.is_some(),
            AckRequest::Ct => md.counter.is_some(),
        };
        require(
            short && (told || transfer.kind.wants_data()),
            Refusal::ArgInvalid,
        )
    }
}

/// What a command's end is to its caller.
pub(super) fn refusal(error: host::CommandError) -> Result<Option<Refusal>, NotRun> {
    use host::CommandError as Error;
    Ok(Some(match error {
        Error::BadArgument
        | Error::BadDescriptor
        | Error::DescriptorOverflow
        | Error::BadCounter
        | Error::BadPortal
        | Error::TooLong
        | Error::TooManyPieces
        | Error::PiecesOverflow
        // A list of pieces that cannot be read.
        | Error::MemoryError
        | Error::BadIndex => Refusal::ArgInvalid,
        Error::NoSpace => Refusal::NoSpace,
        Error::InUse => Refusal::InUse,
        // What a search says by its event.
        Error::NotFound => return Ok(None),
        Error::Unsupported => {
            return Err(NotRun::unsupported("DATATYPE", error.to_string()));
        }
        Error::BadOperation | Error::BadEntry | Error::Unknown(_) => {
            return Err(NotRun::Failed(format!("a command ends with: {error}")));
        }
    }))
}

/// Whether a triggered command can end so when it is posted; else it was when it fired, which reports to nobody.
pub(super) fn is_of_posting(error: host::CommandError) -> bool {
    use host::CommandError as Error;
    matches!(
        error,
        Error::BadOperation
            | Error::BadArgument
            | Error::BadCounter
            | Error::TooLong
            | Error::TooManyPieces
            | Error::NoSpace
            | Error::Unsupported
    )
}
