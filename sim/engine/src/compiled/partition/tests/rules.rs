//! Wrong parts and wrong plans are refused before anything runs.

use super::*;
use crate::netlist::Op;

/// Designs with the partition that is chosen for them.
fn chosen(run: impl Fn(u64, &Needs, Partition)) {
    for seed in 1..30 {
        let mut random = Random(seed);
        let netlist = netlist(&mut random);
        let needs = Needs::new(&netlist, &[]);
        let partition = by_lot(&needs, &mut random);
        partition.check(&needs).unwrap();
        run(seed, &needs, partition);
    }
}

#[test]
fn a_value_that_a_later_part_computes_is_refused() {
    chosen(|seed, needs, mut partition| {
        let homes = partition.homes(needs.netlist);
        let graph = &needs.netlist.graph;
        let uses = |part: usize, of: usize| {
            let mut operands = partition.parts[part]
                .iter()
                .flat_map(|id| graph.op(*id).operands());
            operands.any(|id| homes[id.index()] == of)
        };
        let parts = 0..partition.parts.len();
        let pair = parts.clone().find_map(|part| {
            let mut earlier = parts.clone().take(part);
            earlier.find(|of| uses(part, *of)).map(|of| (part, of))
        });
        let Some((part, of)) = pair else { return };
        partition.parts.swap(part, of);
        assert!(partition.check(needs).is_err(), "seed {seed}");
    });
}

#[test]
fn an_operation_that_no_part_has_is_refused() {
    chosen(|seed, needs, mut partition| {
        partition.parts.last_mut().unwrap().pop();
        assert!(partition.check(needs).is_err(), "seed {seed}");
    });
}

#[test]
fn an_operation_that_two_parts_have_is_refused() {
    chosen(|seed, needs, mut partition| {
        let id = partition.parts[0][0];
        partition.parts.last_mut().unwrap().push(id);
        assert!(partition.check(needs).is_err(), "seed {seed}");
    });
}

#[test]
fn what_is_shown_must_be_computed_by_the_first_parts() {
    chosen(|seed, needs, mut partition| {
        if partition.shown > 0 {
            partition.shown = 0;
            assert!(partition.check(needs).is_err(), "seed {seed}");
        }
    });
}

#[test]
fn a_register_in_place_that_somebody_reads_later_is_refused() {
    let mut refused = 0;
    let refused_of = |seed: u64| {
        let mut random = Random(seed);
        let netlist = netlist(&mut random);
        let needs = Needs::new(&netlist, &[]);
        let partition = by_lot(&needs, &mut random);
        let mut refused = 0;
        // Those that were not chosen must not be.
        for (word, _) in &netlist.next {
            if !partition.in_place.contains(&(*word as usize)) {
                let mut wrong = partition.clone();
                wrong.in_place.insert(*word as usize);
                refused += usize::from(wrong.check(&needs).is_err());
            }
        }
        refused
    };
    for seed in 1..30 {
        refused += refused_of(seed);
    }
    assert!(refused > 100, "{refused}");
}

#[test]
fn a_reader_that_is_not_among_the_marks_is_found() {
    chosen(|seed, needs, partition| {
        let plan = Plan::new(needs, partition, &[]).unwrap();
        for part in 0..plan.parts.len() {
            for group in 0..plan.parts[part].groups.len() {
                let marks = &plan.parts[part].groups[group].marks;
                // Marks of shadows are no readers.
                let flags = plan.flags..plan.flags + 2 * plan.flag_words;
                let readers = marks.iter().filter(|mark| flags.contains(&mark.word));
                for reader in readers {
                    let mut wrong = plan.clone();
                    let marks = &mut wrong.parts[part].groups[group].marks;
                    let mark = marks.iter_mut().find(|mark| *mark == reader).unwrap();
                    // The last reader of the mark.
                    mark.bits &= mark.bits - 1;
                    assert!(
                        wrong.check(needs.netlist, &[]).is_err(),
                        "seed {seed}, part {part}"
                    );
                }
            }
        }
        for write in 0..plan.writes.len() {
            let mut wrong = plan.clone();
            let had = wrong.writes[write].marks.drain(..).count();
            assert_eq!(
                wrong.check(needs.netlist, &[]).is_err(),
                had > 0,
                "seed {seed}"
            );
        }
        for word in 0..plan.inputs {
            let mut wrong = plan.clone();
            let had = wrong.input_marks[word].drain(..).count();
            assert_eq!(
                wrong.check(needs.netlist, &[]).is_err(),
                had > 0,
                "seed {seed}"
            );
        }
    });
}

#[test]
fn a_register_that_a_write_takes_directly_keeps_the_instance_awake() {
    chosen(|_, needs, partition| {
        let plan = Plan::new(needs, partition, &[]).unwrap();
        let direct = needs
            .written
            .iter()
            .filter_map(|id| match needs.netlist.graph.op(*id) {
                Op::Load(word) => Some(plan.place[word as usize]),
                _ => None,
            });
        for place in direct.filter(|place| *place >= plan.inputs) {
            let groups = plan.parts.iter().flat_map(|part| &part.groups);
            let mut of = groups.filter(|group| group.values.iter().any(|(_, word)| *word == place));
            let group = of.next().unwrap();
            let next = plan.wake_mark.word + plan.flag_words;
            let wakes = |word: usize| {
                let mut marks = group.marks.iter();
                marks.any(|mark| mark.word == word && mark.bits & plan.wake_mark.bits != 0)
            };
            assert!(wakes(next), "in the next cycle");
        }
    });
}

/// Flags cost more than they save where nearly everything changes.
#[test]
fn a_design_in_which_most_operations_are_active_gets_few_large_parts() {
    for seed in 1..30 {
        let netlist = netlist(&mut Random(seed));
        let needs = Needs::new(&netlist, &[]);
        let nodes = netlist.graph.ops().len();
        let with = |active: usize| {
            let mut activity = Activity {
                operands: vec![[0; _]; nodes],
                changed: vec![[0; _]; nodes],
                state: vec![[!0; _]; netlist.initial.len()],
                cycles: SAMPLES,
            };
            for id in &needs.order[..active] {
                activity.operands[id.index()] = [!0; _];
            }
            Partition::new(&needs, Some(&activity)).parts
        };
        let large = Partition::large(&needs).parts;
        let border = needs.order.len() * 6 / 10;
        assert!(with(needs.order.len()) == large, "seed {seed}");
        assert!(with(border + 1) == large, "seed {seed}");
        assert!(with(border) != large, "seed {seed}");
    }
}
