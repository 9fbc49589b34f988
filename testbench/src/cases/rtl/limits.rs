//! Limits of a case that are lower than the hardware's: what is beyond them is used up before the first step.
//!
//! Unexpected headers are used up by messages of no bytes to a portal entry that the case has not, triggered operations by NOPs that wait for a counter that the case has not and that never
//! counts. No event tells of either, and no status register counts them. How many match entries there may be is the library's to count.
//!
//! Limits that are higher than the hardware's matter when a case comes to the hardware's: it is then unsupported, by the name of the limit.

use super::LONGEST_ATOMIC;
use super::calls::pt;
use super::message::Message;
use super::node::{AT_ONCE, RtlNode};
use crate::cases::NotRun;
use crate::host::{self, me_option, portal_option};
use crate::node::Top;
use crate::portals::{AckRequest, Command, Portal, Rank, Request, RequestKind};

/// Commands of a context that can wait.
const TRIGGERED: u64 = 127;

/// What a context of the hardware has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Shares {
    /// Match entries.
    pub(super) entries: u16,
    /// Unexpected headers.
    pub(super) headers: u16,
}

impl Shares {
    pub(super) fn of(top: Top) -> Self {
        let (entries, headers) = match top {
            Top::LargeNic => (256, 256),
            Top::Nic | Top::Target => (64, 32),
        };
        Self { entries, headers }
    }
}

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
        for (name, limit, least) in [
            (
                "max_list_size",
                limits.max_list_size,
                self.shares.entries.into(),
            ),
            ("max_msg_size", limits.max_msg_size, 1 << 24),
        ] {
            if limit < least {
                let why = format!("{name} of {limit}: the hardware has no such limit");
                return Err(NotRun::unsupported("LIMITS", why));
            }
        }
        if limits.max_triggered_ops < TRIGGERED {
            self.use_up_triggered(TRIGGERED - limits.max_triggered_ops)?;
        }
        let headers = u64::from(self.shares.headers);
        if limits.max_unexpected_headers < headers {
            self.use_up_headers(headers - limits.max_unexpected_headers)?;
        }
        Ok(())
    }

    /// Errors: the case may have more commands that wait, and the hardware has refused one.
    pub(super) fn may_refuse_triggered(&self) -> Result<(), NotRun> {
        match self.limits.max_triggered_ops > TRIGGERED {
            true => Err(beyond("max_triggered_ops", TRIGGERED)),
            false => Ok(()),
        }
    }

    /// Errors: the case may have more unexpected headers than the hardware, and a message was refused while all of them were taken.
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

    /// Errors: this node is to take more or less of the atomic than the hardware does.
    pub(super) fn takes_atomic(&self, request: &Request) -> Result<(), NotRun> {
        let limit = self.limits.max_atomic_size;
        let single = request.kind.operation();
        let single = single.is_some_and(|operation| operation.uses_operand());
        let length = request.rlength;
        if length > LONGEST_ATOMIC || (!single && length > limit) {
            let why = format!(
                "an atomic of {length} bytes, max_atomic_size {limit}: the hardware's is {LONGEST_ATOMIC}"
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
