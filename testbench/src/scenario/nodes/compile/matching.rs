//! Match entries.

use super::Compiler;
use crate::host::{self, Me};
use crate::input::KeyFault;
use crate::scenario::nodes::calls::{MeAppend, MeOption, MeSearch, MeUnlink};

impl Compiler<'_> {
    pub(super) fn entry(&self, a: &MeAppend, user_ptr: u64) -> Result<host::MatchEntry, KeyFault> {
        let source = a.source.as_ref();
        let source = source.map(|s| self.process("source", s)).transpose()?;
        Ok(host::MatchEntry {
            me: Me(self.own.mes.get(&self.at("me"), &a.me)?),
            pt_index: self.pt(&a.pt)?,
            list: a.list.into(),
            start: a.start,
            length: a.length,
            counter: a.ct.as_ref().map(|ct| self.ct(ct)).transpose()?,
            user_id: a.user_id,
            options: me_options(&a.options),
            source_node: source.map(|(id, _)| id.node),
            source_context: source.map(|(id, _)| id.context),
            match_bits: a.match_bits,
            ignore_bits: a.ignore_bits,
            min_free: a.min_free,
            user_ptr,
        })
    }

    pub(super) fn me_unlink(&self, a: &MeUnlink) -> Result<host::Command, KeyFault> {
        let me = self.own.mes.get(&self.at("me"), &a.me)?;
        Ok(host::ptl_me_unlink(Me(me)))
    }

    pub(super) fn me_search(&self, a: &MeSearch) -> Result<host::Command, KeyFault> {
        let source = a.source.as_ref();
        let source = source.map(|s| self.process("source", s)).transpose()?;
        let wanted = host::MatchEntry {
            pt_index: self.pt(&a.pt)?,
            user_id: a.user_id,
            options: me_options(&a.options),
            source_node: source.map(|(id, _)| id.node),
            source_context: source.map(|(id, _)| id.context),
            match_bits: a.match_bits,
            ignore_bits: a.ignore_bits,
            ..host::MatchEntry::default()
        };
        Ok(host::ptl_me_search(&wanted, a.search.into()))
    }
}

fn me_options(options: &[MeOption]) -> u32 {
    use host::me_option as bits;
    let bit = |option: &MeOption| match option {
        MeOption::OpPut => bits::OP_PUT,
        MeOption::OpGet => bits::OP_GET,
        MeOption::UseOnce => bits::USE_ONCE,
        MeOption::AckDisable => bits::ACK_DISABLE,
        MeOption::UnexpectedHdrDisable => bits::UNEXPECTED_HDR_DISABLE,
        MeOption::LinkDisable => bits::LINK_DISABLE,
        MeOption::CommDisable => bits::COMM_DISABLE,
        MeOption::FlowctrlDisable => bits::FLOWCTRL_DISABLE,
        MeOption::SuccessDisable => bits::SUCCESS_DISABLE,
        MeOption::OverDisable => bits::OVER_DISABLE,
        MeOption::UnlinkDisable => bits::UNLINK_DISABLE,
        MeOption::CtComm => bits::CT_COMM,
        MeOption::CtOverflow => bits::CT_OVERFLOW,
        MeOption::CtBytes => bits::CT_BYTES,
        MeOption::ManageLocal => bits::MANAGE_LOCAL,
        MeOption::NoTruncate => bits::NO_TRUNCATE,
        MeOption::Iovec => bits::IOVEC,
    };
    options.iter().map(bit).fold(0, |all, bit| all | bit)
}
