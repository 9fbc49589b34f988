//! What a process does itself.

use super::{Compiler, Made};
use crate::host::EventKind;
use crate::input::KeyFault;
use crate::scenario::nodes::calls::{Barrier, WaitEvent};
use crate::scenario::nodes::check::some_bytes;
use crate::scenario::nodes::names::NO_NAME;
use crate::scenario::nodes::outcome::{is_outcome, kind_name};
use crate::scenario::nodes::program::{Op, Wanted};
use crate::scenario::values::Data;

impl<'a> Compiler<'a> {
    pub(super) fn wanted(&self, a: &WaitEvent) -> Result<Wanted, KeyFault> {
        let kind = EventKind::from(a.kind);
        let user_ptr = match &a.of {
            None => None,
            Some(name) => {
                let step = self.own.steps.get(&self.at("of"), name)?;
                let pointer = self.commands.get(&step).copied();
                Some(pointer.ok_or_else(|| self.no_events(step, name))?)
            }
        };
        if let Some(status) = a.status.as_ref().filter(|status| !is_outcome(status)) {
            return self.fault("status", format!("nothing ends with '{status}'"));
        }
        let from = match &a.from {
            None => None,
            Some(name) => Some((self.process("from", name)?.0, name.clone())),
        };
        let of = a.of.as_ref().map(|of| format!(" of '{of}'"));
        let what = kind_name(kind);
        let what = format!("event '{what}'{}", of.unwrap_or_default());
        let ok = Wanted::new(kind, user_ptr, what);
        Ok(Wanted {
            status: a.status.clone().unwrap_or(ok.status),
            length: a.length,
            from,
            match_bits: a.match_bits,
            hdr_data: a.hdr_data,
            start: a.start,
            ..ok
        })
    }

    /// Why no event of this step can be waited for.
    fn no_events(&self, step: usize, name: &str) -> KeyFault {
        let calls = self.process.program[step].calls();
        let message = match calls.first() {
            Some((call, arguments)) if !arguments.is_command() => {
                format!("'{name}' is a '{call}', which is no call of the NIC: no event is about it")
            }
            _ => format!("'{name}' is not before this step"),
        };
        KeyFault::value(self.at("of"), message)
    }

    /// Bytes in memory, of which there is at least one.
    pub(super) fn bytes(&self, address: u64, bytes: &Data) -> Result<(u64, Vec<u8>), KeyFault> {
        some_bytes(&self.key, address, bytes)?;
        Ok((address, bytes.0.clone()))
    }

    pub(super) fn barrier(&mut self, a: &'a Barrier) -> Result<Made, KeyFault> {
        if a.name.is_empty() {
            return self.fault("name", NO_NAME);
        }
        if !self.barriers.insert(&a.name) {
            let message = format!("the program has the barrier '{}' already", a.name);
            return self.fault("name", message);
        }
        Ok(Made::Ops(vec![Op::Barrier(a.name.clone())]))
    }
}
