//! What is reported to a waveform.

use super::design::SIGNALS;
use super::*;
use crate::wave::GROUP;

#[test]
fn every_observed_value_that_changed_is_in_a_group_that_is_told() {
    let mut quiet = 0;
    for seed in 1..40 {
        let mut random = Random(seed);
        let netlist = netlist(&mut random);
        let body = Body::of_netlist(Arc::new(netlist), Backend::Interp).unwrap();
        // All, or a few, so that some registers are written in place.
        let signals: Vec<usize> = (0..SIGNALS).step_by(1 + seed as usize % 7).collect();
        let body = body.observing(&signals).unwrap();
        let mut engine = Compiled::new(Arc::new(body));
        let mut last: Vec<u64> = Vec::new();
        for cycle in 0..60 {
            for _ in 0..random.below(3) {
                let inputs: Vec<u64> = (0..3).map(|_| random.word() >> 40).collect();
                engine.set_inputs(&inputs).unwrap();
                engine.eval().unwrap();
            }
            engine.eval().unwrap();
            let plan = &engine.body.plan;
            let buffer = &mut engine.state.buffer;
            let words = plan.observed_words.iter();
            let values: Vec<u64> = words.map(|word| buffer[*word]).collect();
            for (at, (new, old)) in values.iter().zip(&last).enumerate() {
                let group = at / GROUP;
                let told = buffer[plan.group_range()][group / 64] >> (group % 64) & 1 == 1;
                assert!(told || new == old, "seed {seed}, cycle {cycle}, word {at}");
                quiet += usize::from(!told);
            }
            last = values;
            buffer[plan.group_range()].fill(0);
            engine.step().unwrap();
        }
    }
    assert!(quiet > 1000, "{quiet}");
}

#[test]
fn an_observed_value_of_which_nobody_is_told_is_found() {
    for seed in 1..20 {
        let mut random = Random(seed);
        let netlist = netlist(&mut random);
        let signals: Vec<usize> = (0..SIGNALS).collect();
        let needs = Needs::new(&netlist, &signals);
        let partition = Partition::new(&needs, None);
        let plan = Plan::new(&needs, partition, &signals).unwrap();
        let range = plan.group_range();
        let own = |word: usize| {
            let now = word.checked_sub(plan.flag_words);
            range.contains(&word) || now.is_some_and(|word| range.contains(&word))
        };
        for part in 0..plan.parts.len() {
            for group in 0..plan.parts[part].groups.len() {
                let mut wrong = plan.clone();
                let marks = &mut wrong.parts[part].groups[group].marks;
                let had = marks.len();
                marks.retain(|mark| !own(mark.word));
                if marks.len() < had {
                    assert!(wrong.check(&netlist, &signals).is_err(), "seed {seed}");
                }
            }
        }
    }
}
