//! What a host calls, as commands of the host library.

use super::numbers::{Numbers, SHARE};
use super::{built, codes, node_number, own_number};
use crate::cases::NotRun;
use crate::host::{self, Md, Me, ProcessId, Pt, me_option, portal_option};
use crate::portals::{
    Command, Counter, List, MatchEntry, MdId, MemoryDescriptor, Place, Portal, PortalOptions, Rank,
    Registration, RequestKind, Transfer,
};

/// Options of entries of a portal without an event queue.
const NO_EVENTS: u32 = me_option::LINK_DISABLE
    | me_option::COMM_DISABLE
    | me_option::OVER_DISABLE
    | me_option::UNLINK_DISABLE;

impl Numbers {
    /// The command of a call. Errors: the hardware does not do it, or has fewer numbers.
    pub(super) fn command(&mut self, command: &Command) -> Result<host::Command, NotRun> {
        Ok(match command {
            Command::Transfer(transfer) => self.transfer(transfer)?,
            Command::CtInc(id, by) => host::ptl_ct_inc(self.counter(*id)?, value(*by)),
            Command::CtSet(id, to) => host::ptl_ct_set(self.counter(*id)?, value(*to)),
            Command::CtCancel(id) => host::ptl_ct_cancel_triggered(self.counter(*id)?),
            Command::CtAlloc(id) => host::ptl_ct_alloc(self.counter(*id)?),
            Command::CtFree(id) => host::ptl_ct_free(self.counter(*id)?),
            Command::MeAppend {
                id,
                portal,
                list,
                me,
            } => {
                let number = self.entry_number(*id)?;
                host::ptl_me_append(&self.entry(number, *portal, *list, me)?)
            }
            Command::MeUnlink(id) => host::ptl_me_unlink(self.entry_number(*id)?),
            Command::MeSearch { portal, kind, me } => {
                let wanted = self.entry(Me(0), *portal, List::Priority, me)?;
                host::ptl_me_search(&wanted, *kind)
            }
            Command::MdBind(id, md) => host::ptl_md_bind(&self.descriptor(*id, md)?),
            Command::MdRelease(id) => host::ptl_md_release(md_number(*id)?),
            Command::PtAlloc(portal, options) => {
                let bit = |on, bit| if on { bit } else { 0 };
                let bits = bit(options.flowctrl, portal_option::FLOW_CONTROL)
                    | bit(options.matching, portal_option::MATCHING);
                host::ptl_pt_alloc(pt(*portal), bits)
            }
            Command::XtqRegister(index, registration) => match registration {
                Registration::Kernel(kernel) => host::xtq_register_kernel(*index, kernel),
                Registration::Function(function) => host::xtq_register_function(*index, function),
                Registration::Queue(queue) => host::xtq_register_queue(*index, queue),
            },
            Command::PtEnable(portal) => host::ptl_pt_enable(pt(*portal)),
            Command::PtDisable(portal) => host::ptl_pt_disable(pt(*portal)),
        })
    }

    fn entry(
        &mut self,
        number: Me,
        portal: Portal,
        list: List,
        me: &MatchEntry,
    ) -> Result<host::MatchEntry, NotRun> {
        let silent = |options: &PortalOptions| options.queue.is_none();
        let silent = self.portals.get(&portal).is_some_and(silent);
        let counter = me.counter.map(|id| self.counter(id)).transpose()?;
        Ok(host::MatchEntry {
            me: number,
            pt_index: pt(portal),
            list,
            start: me.start,
            length: me.length,
            counter,
            user_id: me.uid,
            options: me.options.0 | if silent { NO_EVENTS } else { 0 },
            source_node: me.source.map(|rank| self.named(rank)).transpose()?,
            source_context: me.source.map(|_| 0),
            match_bits: me.match_bits,
            ignore_bits: me.ignore_bits,
            min_free: me.min_free,
            user_ptr: me.user_ptr,
        })
    }

    fn descriptor(
        &mut self,
        id: MdId,
        md: &MemoryDescriptor,
    ) -> Result<host::MemoryDescriptor, NotRun> {
        let events = match md.queue {
            Some(_) => host::md_option::EVENTS,
            None => 0,
        };
        Ok(host::MemoryDescriptor {
            md: md_number(id)?,
            start: md.start,
            length: md.length,
            options: md.options.0 | events,
            counter: md.counter.map(|id| self.counter(id)).transpose()?,
        })
    }

    /// The number by which the process names a rank to the hardware.
    fn named(&self, rank: Rank) -> Result<u16, NotRun> {
        let number = node_number(rank)?;
        Ok(match rank == self.rank {
            true => own_number(number),
            false => number,
        })
    }

    fn transfer(&self, transfer: &Transfer) -> Result<host::Command, NotRun> {
        built(transfer.kind)?;
        let md = |place: Option<Place>| md_number(place.unwrap_or_default().md);
        let offset = |place: Option<Place>| place.unwrap_or_default().offset;
        let target = ProcessId {
            node: self.named(transfer.target)?,
            context: 0,
        };
        let put = host::Put {
            md: md(transfer.from)?,
            local_offset: offset(transfer.from),
            length: transfer.length,
            ack: transfer.ack,
            target,
            pt_index: pt(transfer.portal),
            match_bits: transfer.match_bits,
            remote_offset: transfer.roffset,
            user_ptr: transfer.user_ptr,
            hdr_data: transfer.hdr_data,
        };
        let operation = transfer.kind.operation();
        let (operation, datatype) = match operation {
            None => Default::default(),
            Some(named) => (named.op, named.datatype),
        };
        let fetch = host::FetchAtomic {
            get_md: md(transfer.into)?,
            local_get_offset: offset(transfer.into),
            put,
            operation,
            datatype,
        };
        Ok(match transfer.kind {
            RequestKind::Put => host::ptl_put(&put),
            RequestKind::Get => host::ptl_get(&host::Get {
                md: md(transfer.into)?,
                local_offset: offset(transfer.into),
                length: transfer.length,
                target,
                pt_index: pt(transfer.portal),
                match_bits: transfer.match_bits,
                remote_offset: transfer.roffset,
                user_ptr: transfer.user_ptr,
            }),
            RequestKind::XtqPut { command_length } => host::xtq_put(&host::XtqPut {
                command_md: put.md,
                command_offset: put.local_offset,
                command_length,
                payload: host::Put {
                    md: md(transfer.payload)?,
                    local_offset: offset(transfer.payload),
                    ..put
                },
            }),
            RequestKind::Atomic(_) => host::ptl_atomic(&host::Atomic {
                put,
                operation,
                datatype,
            }),
            RequestKind::Fetch(_) => host::ptl_fetch_atomic(&fetch),
            RequestKind::Swap(_) => host::ptl_swap(&host::Swap {
                fetch,
                operand: codes::operand(&transfer.operand),
            }),
        })
    }
}

fn value(counter: Counter) -> host::CounterValue {
    host::CounterValue {
        success: counter.success,
        failure: counter.failure,
    }
}

/// A portal's number; one that commands cannot carry is one that does not exist.
pub(super) fn pt(portal: Portal) -> Pt {
    Pt(u16::try_from(portal.0).unwrap_or(u16::MAX))
}

fn md_number(id: MdId) -> Result<Md, NotRun> {
    let number = u16::try_from(id.0).ok().filter(|number| *number < SHARE);
    let many = || NotRun::unsupported("DESCRIPTORS", format!("a context has {SHARE}"));
    number.map(Md).ok_or_else(many)
}
