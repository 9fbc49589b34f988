//! Limits of a case that are lower than the hardware's: what is beyond them is used up before the first step.
//!
//! Unexpected headers are used up by messages of no bytes to a portal entry that the case has not, triggered operations
//! by NOPs that wait for a counter that the case has not and that never counts. No event reports either, and no status
//! register counts them. How many match entries there may be, and how many in a list, is the library's to count; how
//! long a message and an atomic may be is in registers.
//!
//! Limits that are higher than the hardware's matter when a case comes to the hardware's: it is then unsupported, by
//! the name of the limit.

use super::LONGEST_ATOMIC;
use super::calls::pt;
use super::message::Message;
use super::node::{AT_ONCE, CONTEXT, LINE, RtlNode};
use crate::bytes::Bytes;
use crate::cases::NotRun;
use crate::host::{self, me_option, portal_option};
use crate::portals::{
    AckRequest, Command, List, MatchEntry, MeOption, Portal, Rank, Refusal, Request, RequestKind,
    Trigger,
};
use xtq_types::wire_header::MTU;

/// The case has come to a limit of the hardware that it does not have itself.
fn beyond(name: &str, hardware: u64) -> NotRun {
    let why = format!("{name}: the case goes beyond the hardware's, {hardware} a context");
    NotRun::unsupported("LIMITS", why)
}

impl RtlNode {
    /// Before the first step: makes the hardware as small as the case wants it. Errors: it cannot be made so small.
    pub(super) fn begin(&mut self) -> Result<(), NotRun> {
        if std::mem::replace(&mut self.begun, true) {
            return Ok(());
        }
        let limits = self.limits;
        let message = u32::try_from(limits.max_msg_size).unwrap_or(u32::MAX);
        let atomic = u32::try_from(limits.max_atomic_size).unwrap_or(u32::MAX);
        let set = self.node.set_size_limits(CONTEXT, message, atomic);
        set.map_err(|why| self.failed(why))?;
        let triggered = u64::from(self.shares.triggered);
        if limits.max_triggered_ops < triggered {
            self.use_up_triggered(triggered - limits.max_triggered_ops)?;
        }
        let headers = u64::from(self.shares.headers);
        if limits.max_unexpected_headers < headers {
            self.use_up_headers(headers - limits.max_unexpected_headers)?;
        }
        Ok(())
    }

    /// Errors: the case may have more commands that wait, and the hardware has refused one.
    pub(super) fn may_refuse_triggered(&self) -> Result<(), NotRun> {
        let triggered = u64::from(self.shares.triggered);
        match self.limits.max_triggered_ops > triggered {
            true => Err(beyond("max_triggered_ops", triggered)),
            false => Ok(()),
        }
    }

    /// Errors: the case may have more unexpected headers than the hardware, and a message was refused while all of them
    /// were taken.
    pub(super) fn may_refuse_message(&mut self) -> Result<(), NotRun> {
        let headers = u64::from(self.shares.headers);
        if self.limits.max_unexpected_headers <= headers {
            return Ok(());
        }
        match self.unexpected()? as u64 >= headers {
            true => Err(beyond("max_unexpected_headers", headers)),
            false => Ok(()),
        }
    }

    /// Whether the list of pieces of a match entry, if it has one, can be read, and its pieces have less than 2^64
    /// bytes.
    pub(super) fn has_pieces(&self, me: &MatchEntry) -> bool {
        let memory = (self.memory as u64).next_multiple_of(LINE);
        let end = u128::from(me.start) + 16 * u128::from(me.length);
        if !me.options.has(MeOption::Iovec) || end > memory.into() {
            return !me.options.has(MeOption::Iovec);
        }
        let memory = self.node.memory.memory(CONTEXT);
        let length = |number| u128::from(memory.read_u64(me.start + 16 * number + 8));
        (0..me.length).map(length).sum::<u128>() <= u64::MAX.into()
    }

    /// NO_SPACE if the list is as long as the case lets it be. Errors: nobody can know how long it will be when the
    /// command fires.
    pub(super) fn list_has_room(
        &mut self,
        when: Option<Trigger>,
        portal: Portal,
        list: List,
    ) -> Result<Result<(), Refusal>, NotRun> {
        let limit = self.limits.max_list_size;
        if limit >= u64::from(self.shares.entries) {
            return Ok(Ok(()));
        }
        if when.is_some() {
            let why = format!("max_list_size of {limit}, and a triggered append");
            return Err(NotRun::unsupported("LIMITS", why));
        }
        let found = self
            .stores
            .portal(self.node.engine(), CONTEXT, pt(portal).0);
        let found = found.map_err(|why| self.failed(why))?;
        let length = match list {
            List::Priority => found.priority.len(),
            List::Overflow => found.overflow.len(),
        };
        match (length as u64) < limit {
            true => Ok(Ok(())),
            false => Ok(Err(Refusal::NoSpace)),
        }
    }

    /// Errors: this node is to take more of the atomic than the hardware can.
    pub(super) fn takes_atomic(&self, request: &Request) -> Result<(), NotRun> {
        let (limit, length) = (self.limits.max_atomic_size, request.rlength);
        let single = request.kind.operation();
        let single = single.is_some_and(|operation| operation.uses_operand());
        let done = if single { 0 } else { length.min(limit) };
        if length > MTU as u64 || done > LONGEST_ATOMIC {
            let why = format!(
                "an atomic of {length} bytes, max_atomic_size {limit}: the hardware's is {LONGEST_ATOMIC}, in one packet"
            );
            return Err(NotRun::unsupported("LIMITS", why));
        }
        Ok(())
    }

    /// Errors: the atomic is to be sent, and the hardware does not.
    pub(super) fn sends_atomic(&self, command: &Command) -> Result<(), NotRun> {
        match command {
            Command::Transfer(transfer)
                if transfer.kind.operation().is_some() && transfer.length > LONGEST_ATOMIC =>
            {
                let why = format!(
                    "an atomic of {} bytes: the hardware's limit is {LONGEST_ATOMIC}",
                    transfer.length
                );
                Err(NotRun::unsupported("LIMITS", why))
            }
            _ => Ok(()),
        }
    }

    /// Errors: a command fails.
    fn succeed(&mut self, commands: &[host::Command]) -> Result<(), NotRun> {
        for commands in commands.chunks(AT_ONCE) {
            for result in self.run(commands)? {
                result.map_err(|why| self.failed(format!("using up what is spare: {why}")))?;
            }
        }
        Ok(())
    }

    fn use_up_triggered(&mut self, count: u64) -> Result<(), NotRun> {
        let never = host::Trigger {
            counter: self.numbers.spare_counter()?,
            threshold: u64::MAX,
        };
        let waiting = (0..count).map(|_| host::nop().triggered(never));
        let commands: Vec<_> = [host::ptl_ct_alloc(never.counter)]
            .into_iter()
            .chain(waiting)
            .collect();
        self.succeed(&commands)
    }

    fn use_up_headers(&mut self, count: u64) -> Result<(), NotRun> {
        let none = || NotRun::unsupported("LIMITS", "every portal entry is taken".to_owned());
        let portal = self.numbers.spare_portal().ok_or_else(none)?;
        let entry = host::MatchEntry {
            me: self.numbers.spare_entry()?,
            pt_index: pt(portal),
            list: host::List::Overflow,
            options: me_option::OP_PUT | me_option::LINK_DISABLE | me_option::COMM_DISABLE,
            ignore_bits: u64::MAX,
            ..host::MatchEntry::default()
        };
        self.succeed(&[
            host::ptl_pt_alloc(pt(portal), portal_option::MATCHING),
            host::ptl_me_append(&entry),
        ])?;
        for id in 0..count {
            let message = Message::from_outside(&self.empty_message(portal), id as u16)?;
            self.offer(&message);
        }
        self.settle().map(|_| ())
    }

    fn empty_message(&self, portal: Portal) -> Request {
        Request {
            kind: RequestKind::Put,
            source: Rank(0),
            uid: 0,
            target: self.rank(),
            portal,
            match_bits: 0,
            roffset: 0,
            rlength: 0,
            ack: AckRequest::None,
            hdr_data: 0,
            data: Vec::new(),
            operand: Vec::new(),
            handle: 0,
        }
    }
}
