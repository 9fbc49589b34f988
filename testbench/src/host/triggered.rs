//! The triggered operations of Portals, and those of Schneider et al.: each is its command with a [`Trigger`].

use super::command::Command;
use super::ids::{CounterValue, Ct, Me, Trigger};
use super::objects::{MatchEntry, ptl_ct_inc, ptl_ct_set, ptl_me_append, ptl_me_unlink};
use super::transfer::{
    Atomic, FetchAtomic, Get, Put, Swap, XtqPut, ptl_atomic, ptl_fetch_atomic, ptl_get, ptl_put,
    ptl_swap, xtq_put,
};

/// `PtlTriggeredPut`.
///
/// ```
/// use xtq_testbench::host::{Ct, Put, Trigger, ptl_put, ptl_triggered_put};
///
/// let put = Put { length: 8, ..Put::default() };
/// let trigger = Trigger { counter: Ct(3), threshold: 4 };
/// let later = ptl_triggered_put(&put, trigger);
/// assert_eq!((later.get("flags"), later.get("trigger_counter"), later.get("threshold")), (1, 3, 4));
/// assert_eq!(later, ptl_put(&put).triggered(trigger));
/// ```
pub fn ptl_triggered_put(put: &Put, trigger: Trigger) -> Command {
    ptl_put(put).triggered(trigger)
}

/// `PtlTriggeredGet`.
///
/// ```
/// use xtq_testbench::host::{Get, Trigger, ptl_triggered_get};
///
/// assert_eq!(ptl_triggered_get(&Get::default(), Trigger::default()).get("flags"), 1);
/// ```
pub fn ptl_triggered_get(get: &Get, trigger: Trigger) -> Command {
    ptl_get(get).triggered(trigger)
}

/// `PtlTriggeredAtomic`.
///
/// ```
/// use xtq_testbench::host::{Atomic, Trigger, ptl_triggered_atomic};
///
/// assert_eq!(ptl_triggered_atomic(&Atomic::default(), Trigger::default()).get("flags"), 1);
/// ```
pub fn ptl_triggered_atomic(atomic: &Atomic, trigger: Trigger) -> Command {
    ptl_atomic(atomic).triggered(trigger)
}

/// `PtlTriggeredFetchAtomic`.
///
/// ```
/// use xtq_testbench::host::{FetchAtomic, Trigger, ptl_triggered_fetch_atomic};
///
/// assert_eq!(ptl_triggered_fetch_atomic(&FetchAtomic::default(), Trigger::default()).get("flags"), 1);
/// ```
pub fn ptl_triggered_fetch_atomic(fetch: &FetchAtomic, trigger: Trigger) -> Command {
    ptl_fetch_atomic(fetch).triggered(trigger)
}

/// `PtlTriggeredSwap`.
///
/// ```
/// use xtq_testbench::host::{Swap, Trigger, ptl_triggered_swap};
///
/// assert_eq!(ptl_triggered_swap(&Swap::default(), Trigger::default()).get("flags"), 1);
/// ```
pub fn ptl_triggered_swap(swap: &Swap, trigger: Trigger) -> Command {
    ptl_swap(swap).triggered(trigger)
}

/// `PtlTriggeredCTInc`.
///
/// ```
/// use xtq_testbench::host::{CounterValue, Ct, Trigger, ptl_triggered_ct_inc};
///
/// let trigger = Trigger { counter: Ct(1), threshold: 10 };
/// let inc = ptl_triggered_ct_inc(Ct(2), CounterValue { success: 1, failure: 0 }, trigger);
/// assert_eq!((inc.get("counter"), inc.get("trigger_counter")), (2, 1));
/// ```
pub fn ptl_triggered_ct_inc(ct: Ct, increment: CounterValue, trigger: Trigger) -> Command {
    ptl_ct_inc(ct, increment).triggered(trigger)
}

/// `PtlTriggeredCTSet`.
///
/// ```
/// use xtq_testbench::host::{CounterValue, Ct, Trigger, ptl_triggered_ct_set};
///
/// let trigger = Trigger { counter: Ct(1), threshold: 10 };
/// assert_eq!(ptl_triggered_ct_set(Ct(1), CounterValue::default(), trigger).get("threshold"), 10);
/// ```
pub fn ptl_triggered_ct_set(ct: Ct, value: CounterValue, trigger: Trigger) -> Command {
    ptl_ct_set(ct, value).triggered(trigger)
}

/// `PtlTriggeredMEAppend`. The entry has its number from now on, so that it can be unlinked before it was appended.
///
/// ```
/// use xtq_testbench::host::{MatchEntry, Trigger, ptl_triggered_me_append};
///
/// assert_eq!(ptl_triggered_me_append(&MatchEntry::default(), Trigger::default()).get("flags"), 1);
/// ```
pub fn ptl_triggered_me_append(entry: &MatchEntry, trigger: Trigger) -> Command {
    ptl_me_append(entry).triggered(trigger)
}

/// `PtlTriggeredMEUnlink`.
///
/// ```
/// use xtq_testbench::host::{Me, Trigger, ptl_triggered_me_unlink};
///
/// assert_eq!(ptl_triggered_me_unlink(Me(4), Trigger::default()).get("entry"), 4);
/// ```
pub fn ptl_triggered_me_unlink(me: Me, trigger: Trigger) -> Command {
    ptl_me_unlink(me).triggered(trigger)
}

/// [`xtq_put`] when a counter says so.
///
/// ```
/// use xtq_testbench::host::{Trigger, XtqPut, xtq_triggered_put};
///
/// assert_eq!(xtq_triggered_put(&XtqPut::default(), Trigger::default()).get("flags"), 1);
/// ```
pub fn xtq_triggered_put(put: &XtqPut, trigger: Trigger) -> Command {
    xtq_put(put).triggered(trigger)
}
