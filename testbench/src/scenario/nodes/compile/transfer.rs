//! Messages.

use xtq_types::wire_header::opcode;

use super::{Compiler, Made};
use crate::host;
use crate::input::KeyFault;
use crate::scenario::message::AckRequest;
use crate::scenario::nodes::calls::{Get, Put, XtqPut};
use crate::scenario::nodes::program::SentMessage;

/// What all messages have.
pub(super) struct Transfer<'a> {
    pub(super) md: &'a str,
    pub(super) local_offset: u64,
    pub(super) length: u64,
    pub(super) ack: AckRequest,
    pub(super) target: &'a str,
    pub(super) pt: &'a str,
    pub(super) match_bits: u64,
    pub(super) remote_offset: u64,
    pub(super) hdr_data: u64,
}

macro_rules! transfer {
    ($call:expr) => {
        Transfer {
            md: &$call.md,
            local_offset: $call.local_offset,
            length: $call.length,
            ack: $call.ack,
            target: &$call.target,
            pt: &$call.pt,
            match_bits: $call.match_bits,
            remote_offset: $call.remote_offset,
            hdr_data: $call.hdr_data,
        }
    };
}

pub(super) use transfer;

impl Compiler<'_> {
    pub(super) fn ptl_put(&self, a: &Put) -> Result<Made, KeyFault> {
        let (put, to) = self.put(&transfer!(a))?;
        let message = sent(&put, to, opcode::PUT, 0);
        Ok(Made::Message(host::ptl_put(&put), message))
    }

    pub(super) fn ptl_get(&self, a: &Get) -> Result<Made, KeyFault> {
        let (target, to) = self.process("target", &a.target)?;
        let get = host::Get {
            md: self.md("md", &a.md)?,
            local_offset: a.local_offset,
            length: a.length,
            target,
            pt_index: self.pt_of(to, &a.pt)?,
            match_bits: a.match_bits,
            remote_offset: a.remote_offset,
            user_ptr: 0,
        };
        let message = SentMessage {
            opcode: opcode::GET,
            target,
            to,
            pt: get.pt_index.0,
            match_bits: get.match_bits,
            length: get.length,
            hdr_data: 0,
            threshold: None,
        };
        Ok(Made::Message(host::ptl_get(&get), message))
    }

    pub(super) fn xtq_put(&self, a: &XtqPut) -> Result<Made, KeyFault> {
        let (payload, to) = self.put(&transfer!(a))?;
        let message = sent(&payload, to, opcode::XTQ_PUT, a.command_length);
        let put = host::XtqPut {
            command_md: self.md("command_md", &a.command_md)?,
            command_offset: a.command_offset,
            command_length: a.command_length,
            payload,
        };
        Ok(Made::Message(host::xtq_put(&put), message))
    }

    /// The put of a transfer, and the place of its target.
    pub(super) fn put(&self, transfer: &Transfer) -> Result<(host::Put, usize), KeyFault> {
        let (target, to) = self.process("target", transfer.target)?;
        let put = host::Put {
            md: self.md("md", transfer.md)?,
            local_offset: transfer.local_offset,
            length: transfer.length,
            ack: transfer.ack.into(),
            target,
            pt_index: self.pt_of(to, transfer.pt)?,
            match_bits: transfer.match_bits,
            remote_offset: transfer.remote_offset,
            user_ptr: 0,
            hdr_data: transfer.hdr_data,
        };
        Ok((put, to))
    }
}

pub(super) fn sent(put: &host::Put, to: usize, opcode: u8, command_length: u16) -> SentMessage {
    SentMessage {
        opcode,
        target: put.target,
        to,
        pt: put.pt_index.0,
        match_bits: put.match_bits,
        length: put.length.saturating_add(command_length.into()),
        hdr_data: put.hdr_data,
        threshold: None,
    }
}
