//! Closing a process: everything that it has in the NIC is given back, so that its context can be given to another.

use xtq_types::register_map::{PORTALS, context as reg, portal_control, portal_word};

use super::command::Command;
use super::event::CommandError;
use super::ids::{Ct, Md, Me, Pt};
use super::me_option;
use super::objects::{
    MatchEntry, ptl_ct_cancel_triggered, ptl_ct_free, ptl_md_release, ptl_me_search, ptl_me_unlink,
    ptl_pt_disable, ptl_pt_free,
};
use super::port::NicPort;
use super::process::{Outcome, Process, ProcessError};
use crate::tables::{Search, Shares};

/// Portal entries of a context.
const PORTAL_ENTRIES: u16 = 64;
/// What a context of the largest NIC has; the numbers that another does not have are refused.
const ALL: Shares = Shares::LARGE;

/// The commands, in the order in which they can be given back: nothing fires, nothing comes in any more; headers, then
/// the entries that they need, then the lists; last what messages and entries count with.
fn commands() -> impl Iterator<Item = Command> {
    let everything = |pt_index| MatchEntry {
        pt_index,
        options: me_option::OVER_DISABLE | me_option::UNLINK_DISABLE | me_option::COMM_DISABLE,
        ignore_bits: u64::MAX,
        ..MatchEntry::default()
    };
    let counters = || (0..ALL.counters).map(Ct);
    let portals = || (0..PORTAL_ENTRIES).map(Pt);
    let cancel = counters().map(ptl_ct_cancel_triggered);
    let disable = portals().map(ptl_pt_disable);
    let search = portals().map(move |pt| ptl_me_search(&everything(pt), Search::Delete));
    let unlink = (0..ALL.entries).map(Me).map(ptl_me_unlink);
    let free = portals().map(ptl_pt_free);
    let release = (0..ALL.descriptors).map(Md).map(ptl_md_release);
    let forget = counters().map(ptl_ct_free);
    let lists = disable.chain(search).chain(unlink).chain(free);
    cancel.chain(lists).chain(release).chain(forget)
}

/// Whether nothing of this command's is left in the NIC.
fn is_given_back(result: Result<(), CommandError>) -> bool {
    use CommandError as Error;
    matches!(
        result,
        // There was nothing to give back.
        Ok(())
            | Err(Error::BadDescriptor | Error::BadCounter | Error::BadPortal)
            | Err(Error::BadEntry | Error::NoSpace | Error::NotFound)
    )
}

impl Process {
    /// `PtlNIFini`: gives back all that the process has in the NIC: what waits for counters, portal entries, match
    /// entries, headers, descriptors and counters. Then disables the context, takes its rings and tables away and makes
    /// the NIC forget what it has kept of the tables. Messages to the process of which packets are missing end. Those
    /// to single buffers must have ended: the NIC does not report that. `looks`: as in [`wait_for`](Self::wait_for),
    /// for each command. Errors: messages of the process have not ended and use a descriptor (the context stays
    /// enabled; try again); the NIC does not answer; a register access was refused.
    pub fn close<P: NicPort>(&mut self, port: &mut P, looks: u32) -> Outcome<(), P> {
        self.begin_anew(port)?;
        for entry in 0..PORTALS {
            let control = reg::PORTAL + entry * reg::PORTAL_STRIDE + 4 * portal_word::CONTROL;
            self.write(port, control, portal_control::RELEASE);
        }
        // A message that waits for its packets would hold up the commands of lists.
        self.write(port, reg::ENABLE, 0);
        self.write(port, reg::ENABLE, 1);
        let mut in_use = 0;
        for command in commands() {
            let ended = self.ask(port, command, looks)?;
            in_use += usize::from(!ended.result().is_none_or(is_given_back));
        }
        if in_use > 0 {
            return Err(ProcessError::InUse(in_use));
        }
        self.write(port, reg::ENABLE, 0);
        self.write(port, reg::IRQ_MASK, 0);
        self.write(port, reg::ERROR_CAUSE, !0);
        port.post(self.user_id_register(), 0);
        let sizes = [reg::KERNEL_SIZE, reg::FUNCTION_SIZE, reg::QUEUE_SIZE];
        for ((size, table), entries) in sizes.into_iter().zip(0..).zip(self.table_sizes()) {
            self.write(port, size, 0);
            for index in 0..entries {
                self.write(port, reg::TABLE_INVALIDATE, table << 16 | index);
            }
        }
        self.write(port, reg::EQ_SIZE, 0);
        self.write(port, reg::CQ_SIZE, 0);
        self.read(port, reg::ENABLE)?;
        Ok(())
    }
}
