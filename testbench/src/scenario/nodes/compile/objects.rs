//! Portal entries and memory descriptors.

use super::Compiler;
use crate::host;
use crate::input::KeyFault;
use crate::scenario::nodes::calls::{MdBind, MdOption, PtAlloc};

impl Compiler<'_> {
    pub(super) fn pt_alloc(&self, a: &PtAlloc) -> Result<host::Command, KeyFault> {
        let flow = if a.flow_control {
            host::portal_option::FLOW_CONTROL
        } else {
            0
        };
        let options = host::portal_option::MATCHING | flow;
        Ok(host::ptl_pt_alloc(self.pt(&a.pt)?, options))
    }

    pub(super) fn md_bind(&self, a: &MdBind) -> Result<host::Command, KeyFault> {
        Ok(host::ptl_md_bind(&host::MemoryDescriptor {
            md: self.md("md", &a.md)?,
            start: a.start,
            length: a.length,
            options: a.options.iter().fold(0, |all, one| all | md_option(*one)),
            counter: a.ct.as_ref().map(|ct| self.ct(ct)).transpose()?,
        }))
    }
}

fn md_option(option: MdOption) -> u32 {
    match option {
        MdOption::Events => host::md_option::EVENTS,
        MdOption::CtSend => host::md_option::CT_SEND,
        MdOption::CtAck => host::md_option::CT_ACK,
        MdOption::CtReply => host::md_option::CT_REPLY,
        MdOption::CtBytes => host::md_option::CT_BYTES,
        MdOption::SuccessDisable => host::md_option::SUCCESS_DISABLE,
        MdOption::SendDisable => host::md_option::SEND_DISABLE,
        MdOption::Iovec => host::md_option::IOVEC,
    }
}
