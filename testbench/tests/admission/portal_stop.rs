//! `PortalStop` against a set of stopped entries.

use std::collections::{BTreeSet, VecDeque};

use proptest::prelude::*;

use xtq_testbench::by_name::Hardware;

/// Pins of one cycle.
#[derive(Clone, Debug)]
struct Cycle {
    asked: u8,
    stop: bool,
    /// The lists have disabled the entry themselves.
    mark: bool,
    late: Option<u8>,
    late_lists: bool,
    flow: [bool; 2],
    table: [bool; 2],
    enabled: Option<u8>,
    taken: bool,
}

fn cycle() -> impl Strategy<Value = Cycle> {
    // Few entries, so that they meet; the highest bits differ too.
    let entry = || prop::sample::select(vec![0u8, 1, 16, 63, 64, 255]);
    (
        (
            entry(),
            prop::bool::weighted(0.3),
            prop::bool::weighted(0.1),
        ),
        (prop::option::weighted(0.4, entry()), any::<bool>()),
        (any::<[bool; 2]>(), any::<[bool; 2]>()),
        (
            prop::option::weighted(0.2, entry()),
            prop::bool::weighted(0.3),
        ),
    )
        .prop_map(|(admission, late, answers, lists)| Cycle {
            asked: admission.0,
            stop: admission.1,
            mark: admission.2,
            late: late.0,
            late_lists: late.1,
            flow: answers.0,
            table: answers.1,
            enabled: lists.0,
            taken: lists.1,
        })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(60))]

    #[test]
    fn what_was_stopped_is_refused_until_the_host_enables_it(script in prop::collection::vec(cycle(), 1..200)) {
        let mut block = Hardware::block("portal_stop");
        let mut stopped = BTreeSet::new();
        let mut commands = VecDeque::new();
        for c in &script {
            block.set("asked", &[c.asked.into()]);
            block.set("stop", &[0]);
            block.set("late", &[c.late.unwrap_or(7).into()]);
            block.set("late_lists", &[c.late_lists.into()]);
            block.set("late_flow_lists", &[c.flow[0].into()]);
            block.set("portal_late_flow", &[c.flow[1].into()]);
            block.set("portal_late_enabled", &[c.table[0].into()]);
            block.set("portal_late_ready", &[c.table[1].into()]);
            block.set("enabled", &[c.enabled.unwrap_or(9).into()]);
            block.set("enabled_valid", &[c.enabled.is_some().into()]);
            block.set("shut_ready", &[c.taken.into()]);
            block.eval();
            let stop = c.stop && !c.mark;
            block.set("stop", &[stop.into()]);
            block.set("mark", &[c.mark.into()]);
            block.set("late_valid", &[c.late.is_some().into()]);
            block.eval();
            let flag = |name| block.get(name)[0] == 1;
            prop_assert_eq!(flag("stopped"), stopped.contains(&c.asked));
            let late = c.late.unwrap_or(7);
            let (flow, enabled) = if c.late_lists { (c.flow[0], !stopped.contains(&late)) } else { (c.flow[1], c.table[0]) };
            prop_assert_eq!((flag("late_flow"), flag("late_enabled")), (flow, enabled));
            prop_assert_eq!(flag("portal_late_valid"), c.late.is_some() && !c.late_lists);
            prop_assert_eq!(block.get("portal_late")[0], u64::from(late >> 6 << 4 | late & 15));
            if !c.late_lists {
                prop_assert_eq!(flag("late_ready"), c.table[1]);
            }
            let late_done = c.late.filter(|_| c.late_lists && flag("late_ready"));
            // Admission never waits, the completer only for admission.
            prop_assert!(!(late_done.is_some() && (stop || c.mark)));
            prop_assert!(!c.late_lists || flag("late_ready") != (stop || c.mark));
            if flag("shut_valid") && c.taken {
                prop_assert_eq!(Some(block.get("shut")[0] as u8), commands.pop_front());
            }
            block.step();
            if let Some(entry) = c.enabled {
                stopped.remove(&entry);
            }
            let stops = late_done.or(stop.then_some(c.asked));
            stopped.extend(stops);
            stopped.extend(c.mark.then_some(c.asked));
            commands.extend(stops);
        }
        // Everything that was stopped becomes a command.
        block.set("stop", &[0]);
        block.set("late_valid", &[0]);
        block.set("shut_ready", &[1]);
        for _ in 0..1000 {
            block.eval();
            if block.get("shut_valid")[0] == 1 {
                prop_assert_eq!(Some(block.get("shut")[0] as u8), commands.pop_front());
            }
            block.step();
        }
        prop_assert!(commands.is_empty());
    }
}
