//! The rewrite of an XTQ put's command, on bytes (LeBeane et al., Extended Task Queuing, section III.C).

use xtq_types::event::status;

use crate::aql::field;
use crate::tables::TaskEntry;
use crate::tables::format::{BYTES, FUNCTION_ENTRY, KERNEL_ENTRY};

/// First bytes of a message that can be rewritten: the first packet's body.
const FIRST_BODY: u64 = 4096;

impl TaskEntry {
    fn get(&self, name: &str) -> u64 {
        let format = if self.agent {
            FUNCTION_ENTRY
        } else {
            KERNEL_ENTRY
        };
        format.get(&self.bytes, name)
    }

    pub(super) fn registered(&self) -> bool {
        self.get("registered") == 1
    }

    fn rewrites_arguments(&self) -> bool {
        !self.agent && self.get("no_rewrite") == 0
    }

    /// The test of the command's length against the entry.
    pub(super) fn check_length(&self, command_length: u64) -> Result<(), u8> {
        let arguments = if self.agent {
            0
        } else {
            self.get("kernarg_size")
        };
        let mut fits = command_length == BYTES as u64 + arguments;
        if self.rewrites_arguments() {
            let pair = self.get("rewrite_offset");
            fits &= pair.is_multiple_of(8)
                && pair + 16 <= arguments
                && BYTES as u64 + pair + 16 <= FIRST_BODY;
        }
        if fits {
            Ok(())
        } else {
            Err(status::BAD_KERNARG_SIZE)
        }
    }

    /// Rewrites the first packet's body of a message that lands at `landing`.
    pub(super) fn rewrite(&self, body: &mut [u8], landing: u64, command_length: u64) {
        let payload = landing.wrapping_add(command_length);
        let buffer = (self.get("buffer_valid") == 1).then(|| self.get("buffer_pointer"));
        field::RESERVED2.write(body, 0);
        if self.agent {
            field::RETURN_ADDRESS.write(body, self.get("function"));
            if let Some(buffer) = buffer {
                field::ARG[0].write(body, buffer);
            }
            field::ARG[1].write(body, payload);
            return;
        }
        field::KERNEL_OBJECT.write(body, self.get("kernel"));
        field::KERNARG_ADDRESS.write(body, landing.wrapping_add(BYTES as u64));
        if self.get("signal_valid") == 1 {
            field::COMPLETION_SIGNAL.write(body, self.get("completion_signal"));
        }
        if self.rewrites_arguments() {
            let pair = BYTES + self.get("rewrite_offset") as usize;
            let mut put = |at: usize, value: u64| {
                for (byte, new) in body.iter_mut().skip(at).zip(value.to_le_bytes()) {
                    *byte = new;
                }
            };
            if let Some(buffer) = buffer {
                put(pair, buffer);
            }
            put(pair + 8, payload);
        }
    }
}
