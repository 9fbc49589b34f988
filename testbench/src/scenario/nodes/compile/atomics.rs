//! Atomics. What Portals 4 does not know is refused here, with its key; what it knows and the hardware has not, by the
//! hardware.

use xtq_types::command::operation;

use super::transfer::{Transfer, sent, transfer};
use super::{Compiler, Made};
use crate::host;
use crate::input::KeyFault;
use crate::scenario::nodes::calls::{Atomic, FetchAtomic, OpName, Swap, TypeName};

/// The most bytes of an atomic.
const LONGEST: u64 = 512;

impl Compiler<'_> {
    pub(super) fn ptl_atomic(&self, a: &Atomic) -> Result<Made, KeyFault> {
        self.check_atomic(false, a.operation, a.datatype, a.length)?;
        let (put, to) = self.put(&transfer!(a))?;
        let message = sent(&put, to, operation::ATOMIC, 0);
        let atomic = host::Atomic {
            put,
            operation: a.operation.into(),
            datatype: a.datatype.into(),
        };
        Ok(Made::Message(host::ptl_atomic(&atomic), message))
    }

    pub(super) fn ptl_fetch_atomic(&self, a: &FetchAtomic) -> Result<Made, KeyFault> {
        self.check_atomic(false, a.operation, a.datatype, a.length)?;
        let (put, to) = self.put(&transfer!(a))?;
        let message = sent(&put, to, operation::FETCH_ATOMIC, 0);
        let fetch = host::FetchAtomic {
            get_md: self.md("get_md", &a.get_md)?,
            local_get_offset: a.local_get_offset,
            put,
            operation: a.operation.into(),
            datatype: a.datatype.into(),
        };
        Ok(Made::Message(host::ptl_fetch_atomic(&fetch), message))
    }

    pub(super) fn ptl_swap(&self, a: &Swap) -> Result<Made, KeyFault> {
        self.check_atomic(true, a.operation, a.datatype, a.length)?;
        let bits = 8 * a.datatype.size();
        match a.operand {
            Some(_) if !a.operation.is_single() => {
                let message = format!("'{}' has no operand", a.operation.name());
                return self.fault("operand", message);
            }
            Some(operand) if bits < 64 && operand >> bits != 0 => {
                let message = format!("{operand:#x} is no '{}'", a.datatype.name());
                return self.fault("operand", message);
            }
            _ => {}
        }
        let (put, to) = self.put(&transfer!(a))?;
        let message = sent(&put, to, operation::SWAP, 0);
        let swap = host::Swap {
            fetch: host::FetchAtomic {
                get_md: self.md("get_md", &a.get_md)?,
                local_get_offset: a.local_get_offset,
                put,
                operation: a.operation.into(),
                datatype: a.datatype.into(),
            },
            operand: a.operand.unwrap_or(0),
        };
        Ok(Made::Message(host::ptl_swap(&swap), message))
    }

    /// What Portals 4 asks of an atomic of `length` bytes, of PtlSwap or not.
    fn check_atomic(
        &self,
        swap: bool,
        operation: OpName,
        datatype: TypeName,
        length: u64,
    ) -> Result<(), KeyFault> {
        let (name, kind, size) = (operation.name(), datatype.name(), datatype.size());
        if operation.is_swap() != swap {
            let of = match swap {
                true => "ptl_atomic and ptl_fetch_atomic",
                false => "ptl_swap",
            };
            return self.fault("operation", format!("'{name}' is an operation of {of}"));
        }
        if !operation.takes(datatype) {
            return self.fault("datatype", format!("there is no '{name}' of '{kind}'"));
        }
        if length > LONGEST {
            let message = format!("{length} bytes are more than {LONGEST}");
            return self.fault("length", message);
        }
        match operation.is_single() {
            true if length != size => {
                let message = format!("'{name}' takes one '{kind}' of {size} bytes, not {length}");
                self.fault("length", message)
            }
            false if !length.is_multiple_of(size) => {
                let message = format!("{length} bytes are no whole '{kind}' of {size} bytes");
                self.fault("length", message)
            }
            _ => Ok(()),
        }
    }
}
