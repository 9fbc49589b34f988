//! Waiting for counters: `PtlCTWait` and `PtlCTPoll`, which read them by [`ptl_ct_get`].

use super::ids::{CounterValue, Ct};
use super::objects::ptl_ct_get;
use super::port::NicPort;
use super::process::{Outcome, Process, ProcessError};

/// Looks into the event ring within which a counter must be read.
const LOOKS: u32 = 100_000;

/// A counter now.
fn read<P: NicPort>(process: &mut Process, port: &mut P, ct: Ct) -> Outcome<CounterValue, P> {
    let event = process.ask(port, ptl_ct_get(ct), LOOKS)?;
    match event.result() {
        Some(Err(why)) => Err(ProcessError::Refused(why)),
        _ => Ok(event.counter()),
    }
}

/// `PtlCTPoll`: which of these counters has reached its value, the first of them, and what it is now. A counter that
/// has counted a failure has reached any. Reads them one after the other, `rounds` times at most; `None`: none has
/// reached it. Other events stay where they are.
///
/// Errors: there is no such counter; as [`Process::post`] and [`Process::wait_for`].
///
/// ```
/// use xtq_catalogue as _; // links the hardware
/// use xtq_testbench::host::*;
/// use xtq_testbench::node::{Node, NodeConfig, Top};
///
/// let mut node = Node::new(&NodeConfig { top: Top::Nic, ..NodeConfig::default() })?;
/// let mut process = Process::open(&mut node, 0, &ProcessConfig::default())?;
/// let failed = CounterValue { success: 0, failure: 1 };
/// process.post_all(&mut node, &[ptl_ct_alloc(Ct(3)), ptl_ct_alloc(Ct(4)), ptl_ct_inc(Ct(4), failed)])?;
/// let reached = ptl_ct_poll(&mut process, &mut node, &[(Ct(3), 1), (Ct(4), 7)], 1)?;
/// assert_eq!(reached, Some((1, failed)));
/// assert_eq!(ptl_ct_poll(&mut process, &mut node, &[(Ct(3), 1)], 2)?, None);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn ptl_ct_poll<P: NicPort>(
    process: &mut Process,
    port: &mut P,
    tests: &[(Ct, u64)],
    rounds: u32,
) -> Outcome<Option<(usize, CounterValue)>, P> {
    for _ in 0..rounds {
        for (which, (ct, test)) in tests.iter().enumerate() {
            let value = read(process, port, *ct)?;
            if value.success >= *test || value.failure > 0 {
                return Ok(Some((which, value)));
            }
        }
    }
    Ok(None)
}

/// `PtlCTWait`: reads a counter until it has reached a value or has counted a failure, `rounds` times at most; what it
/// is then.
///
/// Errors: it has not reached the value; as [`ptl_ct_poll`].
///
/// ```
/// use xtq_catalogue as _; // links the hardware
/// use xtq_testbench::host::*;
/// use xtq_testbench::node::{Node, NodeConfig, Top};
///
/// let mut node = Node::new(&NodeConfig { top: Top::Nic, ..NodeConfig::default() })?;
/// let mut process = Process::open(&mut node, 0, &ProcessConfig::default())?;
/// let two = CounterValue { success: 2, failure: 0 };
/// process.post_all(&mut node, &[ptl_ct_alloc(Ct(3)), ptl_ct_inc(Ct(3), two)])?;
/// assert_eq!(ptl_ct_wait(&mut process, &mut node, Ct(3), 2, 10)?, two);
/// assert!(ptl_ct_wait(&mut process, &mut node, Ct(3), 3, 10).is_err());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn ptl_ct_wait<P: NicPort>(
    process: &mut Process,
    port: &mut P,
    ct: Ct,
    test: u64,
    rounds: u32,
) -> Outcome<CounterValue, P> {
    match ptl_ct_poll(process, port, &[(ct, test)], rounds)? {
        Some((_, value)) => Ok(value),
        None => Err(ProcessError::NotReached { ct, test, rounds }),
    }
}
