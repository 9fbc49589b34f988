//! Counters.

use super::{Compiler, Made, OWN};
use crate::host::{self, CounterValue, Ct, EventKind};
use crate::input::KeyFault;
use crate::scenario::nodes::calls::{CtGet, CtInc, CtSet, CtWait};
use crate::scenario::nodes::program::{Op, Wanted};

impl Compiler<'_> {
    pub(super) fn ct_inc(&self, a: &CtInc) -> Result<host::Command, KeyFault> {
        let value = counter_value(a.success, a.failure);
        Ok(host::ptl_ct_inc(self.ct(&a.ct)?, value))
    }

    pub(super) fn ct_set(&self, a: &CtSet) -> Result<host::Command, KeyFault> {
        let value = counter_value(a.success, a.failure);
        Ok(host::ptl_ct_set(self.ct(&a.ct)?, value))
    }

    pub(super) fn ct_get(&self, number: u64, a: &CtGet) -> Result<Made, KeyFault> {
        let counter = [a.success, a.failure];
        Ok(Made::Ops(get_counter(
            number,
            self.ct(&a.ct)?,
            &a.ct,
            counter,
        )))
    }

    pub(super) fn ct_wait(&self, number: u64, a: &CtWait) -> Result<Made, KeyFault> {
        let ct = self.ct(&a.ct)?;
        let reached = host::Trigger {
            counter: ct,
            threshold: a.threshold,
        };
        let pointer = OWN | number << 1 | 1;
        let waits = host::nop().with_completion().with_user_ptr(pointer);
        let what = format!("counter '{}' to reach {}", a.ct, a.threshold);
        let mut ops = vec![
            Op::Post(Box::new(waits.triggered(reached))),
            Op::Await(Box::new(Wanted::new(
                EventKind::Command,
                Some(pointer),
                what,
            ))),
        ];
        ops.extend(get_counter(number, ct, &a.ct, [None, Some(0)]));
        Ok(Made::Ops(ops))
    }
}

fn counter_value(success: u64, failure: u64) -> CounterValue {
    CounterValue { success, failure }
}

/// Reads a counter and checks what is given of it.
fn get_counter(number: u64, ct: Ct, name: &str, counter: [Option<u64>; 2]) -> Vec<Op> {
    let pointer = OWN | number << 1;
    let what = format!("the value of counter '{name}'");
    vec![
        Op::Post(Box::new(host::ptl_ct_get(ct).with_user_ptr(pointer))),
        Op::Await(Box::new(Wanted {
            counter,
            ..Wanted::new(EventKind::Command, Some(pointer), what)
        })),
    ]
}
