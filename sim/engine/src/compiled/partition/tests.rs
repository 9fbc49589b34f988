//! Every sentence of the module's head, on designs and partitions that nobody chose.

use std::collections::{BTreeMap, HashSet};
use std::sync::Arc;

use super::activity::{Activity, SAMPLES};
use super::order::ordered;
use super::{NOWHERE, Needs, Partition};
use crate::compiled::body::{Backend, Body};
use crate::compiled::instance::Compiled;
use crate::compiled::plan::Plan;
use crate::engine::Engine;
use crate::netlist::{Id, Netlist};

mod design;
mod observed;
mod rules;

use design::{Random, Simple, netlist};

/// Parts of each kind at most.
const PARTS: u64 = 12;

/// Parts that nobody would choose: in order, but otherwise by lot.
fn by_lot(needs: &Needs, random: &mut Random) -> Partition {
    let graph = &needs.netlist.graph;
    let shown = needs.for_shown();
    let mut home = vec![NOWHERE; graph.ops().len()];
    let mut parts: BTreeMap<(bool, usize), Vec<Id>> = BTreeMap::new();
    for &id in &needs.order {
        let kind = shown[id.index()];
        let operands = graph.op(id).operands();
        let same = operands.filter(|id| home[id.index()] != NOWHERE && shown[id.index()] == kind);
        let least = same.map(|id| home[id.index()]).max().unwrap_or(0) as u64;
        let part = (least + random.below(4)).min(PARTS - 1) as usize;
        home[id.index()] = part;
        parts.entry((!kind, part)).or_default().push(id);
    }
    let parts = parts
        .into_values()
        .map(|part| (part, random.below(9) as u32));
    ordered(needs, parts.collect(), HashSet::new())
}

/// Parts for a run that was not there.
fn by_activity(needs: &Needs, random: &mut Random) -> Partition {
    let nodes = needs.netlist.graph.ops().len();
    let mut some = |count: usize| {
        let cycles = |_| std::array::from_fn(|_| random.word() & random.word() & random.word());
        (0..count).map(cycles).collect::<Vec<_>>()
    };
    let mut activity = Activity {
        operands: some(nodes),
        changed: some(nodes),
        state: some(needs.netlist.initial.len()),
        cycles: SAMPLES,
    };
    // Half of the registers never changed, so that their functions are copied.
    for state in activity.state.iter_mut().step_by(2) {
        *state = [0; _];
    }
    Partition::new(needs, Some(&activity))
}

fn partitions(netlist: &Netlist, random: &mut Random) -> Vec<Partition> {
    let needs = Needs::new(netlist, &[]);
    vec![
        Partition::new(&needs, None),
        by_activity(&needs, random),
        Partition::large(&needs),
        by_lot(&needs, random),
        by_lot(&needs, random),
    ]
}

/// Drives an engine and the simple run with the same; compares everything.
fn compare(netlist: &Netlist, engine: &mut Compiled, seed: u64) {
    let mut random = Random(seed);
    let mut simple = Simple::new(netlist);
    let registers: Vec<String> = netlist
        .registers
        .iter()
        .map(|one| one.name.clone())
        .collect();
    let mut outputs = vec![0; netlist.outputs.iter().map(|one| one.2.len()).sum()];
    let mut saved = None;
    for cycle in 0..60 {
        // Now and then the inputs stay, so that something can fall asleep.
        for _ in 0..random.below(3) {
            let inputs: Vec<u64> = (0..simple.inputs()).map(|_| random.word() >> 40).collect();
            engine.set_inputs(&inputs).unwrap();
            simple.drive(&inputs);
            if random.below(2) == 0 {
                engine.eval().unwrap();
                engine.get_outputs(&mut outputs);
                assert_eq!(outputs, simple.outputs(), "seed {seed}, cycle {cycle}");
            }
        }
        match random.below(12) {
            0 => {
                let at = random.below(registers.len() as u64) as usize;
                let value = random.word() >> 32;
                engine.poke(&registers[at], &[value]).unwrap();
                simple.poke(at, value);
            }
            1 => {
                let value = random.word() >> 32;
                engine.poke("memory$3", &[value]).unwrap();
                simple.memories[0][3] = value;
            }
            2 => engine.set_sleep(random.below(2) == 0),
            3 => saved = Some((engine.snapshot(), simple.clone())),
            4 => {
                if let Some((snapshot, then)) = &saved {
                    engine.restore(snapshot).unwrap();
                    simple = then.clone();
                }
            }
            _ => {}
        }
        engine.step().unwrap();
        simple.step();
        let (state, memories) = engine.contents_of();
        assert_eq!(state, simple.state, "seed {seed}, cycle {cycle}");
        assert_eq!(
            memories,
            simple.memories.concat(),
            "seed {seed}, cycle {cycle}"
        );
    }
}

impl Compiled {
    fn contents_of(&self) -> (Vec<u64>, Vec<u64>) {
        let mut state = self.contents();
        let memories = state.split_off(self.body.netlist.initial.len());
        (state, memories)
    }
}

#[test]
fn any_partition_of_any_design_is_the_run_without_one() {
    for seed in 1..60 {
        let mut random = Random(seed);
        let netlist = netlist(&mut random);
        for partition in partitions(&netlist, &mut random) {
            // Machine code for some of them only: it takes its time.
            let jit = (seed % 6 == 0).then_some(Backend::Jit);
            for backend in [Backend::Interp].into_iter().chain(jit) {
                let body = Body::of_parts(netlist.clone(), backend, partition.clone()).unwrap();
                let mut engine = Compiled::new(Arc::new(body));
                compare(&netlist, &mut engine, seed);
            }
        }
    }
}
