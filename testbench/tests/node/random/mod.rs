//! Random processes, messages and faults against the golden model, under random memories and pauses.
//!
//! A case is a list of seeds, one a message and one a fault, so that what makes a case fail can be found by leaving
//! others out. Between the rounds of a case the host moves: it drains, registers, enables, posts again.

mod draw;
mod faults;
mod traffic;
mod world;

use draw::{Draw, draw, often, rarely};
use proptest::prelude::*;
use rand::Rng;
use std::collections::BTreeMap;
use world::{World, buffer};
use xtq_testbench::bytes::Bytes;
use xtq_testbench::golden::Checked;
use xtq_testbench::node::{Node, NodeConfig};
use xtq_testbench::tables::Outcome;
use xtq_types::event::{access, status};
use xtq_types::tables::table_id;

/// Cases of a test. A case takes 2,000 to 5,000 cycles, on the compiled engine about 20 ms.
const CASES: u32 = 300;

/// The ids that the processors should have run, by context and doorbell; none for a queue that failed.
type Announced = BTreeMap<(u8, u64), Option<Vec<u64>>>;

/// The host's moves between two rounds.
fn host(checked: &mut Checked, world: &World, draw: &mut Draw) {
    for process in &world.processes {
        let context = process.context;
        for queue in process.queues.iter().filter(|queue| !queue.gpu) {
            let known = checked
                .node
                .state
                .queues
                .get(&(context, queue.index))
                .copied();
            let failed = known.is_some_and(|queue| queue.failure.is_some());
            if (failed && often(draw)) || rarely(draw) {
                queue.fill(&mut checked.node, context, draw);
                let (table, entry) = (table_id::QUEUE, &queue.entry);
                let node = &mut checked.node;
                node.write_entry(context, table, queue.index, entry)
                    .unwrap();
            } else if known.is_some() && !failed && draw.random() {
                let memory = checked.node.memory.memory_mut(context);
                let write = memory.read_u64(queue.queue.write_index_address);
                memory.write_u64(queue.queue.read_index_address, write);
            }
            if queue.queue.shared && draw.random() {
                queue.rival(&mut checked.node, context, draw);
            }
        }
        for (entry, _) in &process.portals {
            let portal =
                checked.node.state.contexts[usize::from(context)].portals[usize::from(*entry)];
            let node = &mut checked.node;
            match draw.random_range(0..4) {
                0 => {
                    let buffer = buffer(draw, *entry, process.habits);
                    node.post_buffer(context, *entry, &buffer).unwrap();
                }
                1 | 2 if !portal.enabled => node.enable_portal(context, *entry).unwrap(),
                1 if rarely(draw) => node.disable_portal(context, *entry).unwrap(),
                _ => {}
            }
        }
    }
}

/// Adds the packets that a round announced to the processors.
fn announce(announced: &mut Announced, outcomes: &[Outcome]) {
    for outcome in outcomes {
        let Some(task) = outcome.task else { continue };
        // A packet that does nothing leaves its message the error it had, even if its doorbell fails.
        let failed_write = (outcome.status == status::MEMORY_ERROR
            && outcome.access != access::PAYLOAD)
            || (outcome.rings() && !task.announced);
        let ids = announced
            .entry((outcome.context, task.doorbell))
            .or_insert_with(|| Some(Vec::new()));
        if failed_write {
            *ids = None;
        } else if let Some(ids) = ids
            && outcome.rings()
        {
            ids.push(task.packet_id);
        }
    }
}

/// Every processor has run what was announced to it, in order, and nothing else.
fn check_gpus(node: &Node, announced: &Announced) -> Result<(), TestCaseError> {
    for gpu in node.gpus() {
        prop_assert_eq!(gpu.error(), None);
        let Some(Some(ids)) = announced.get(&(gpu.context(), gpu.doorbell())) else {
            continue;
        };
        let mut runs: Vec<u64> = gpu.runs().iter().map(|run| run.id).collect();
        runs.sort_unstable();
        prop_assert_eq!(&runs, ids);
        prop_assert!(gpu.runs().iter().all(|run| run.completed.is_some()));
        if let Some(last) = ids.last() {
            prop_assert_eq!(gpu.read_index(), last + 1);
        }
    }
    Ok(())
}

fn run(seed: u64, rounds: &[(Vec<u64>, Vec<u64>)]) -> Result<(), TestCaseError> {
    let draw = &mut draw(seed);
    let mut config = NodeConfig::random(seed);
    if often(draw) {
        // Else setting things up takes longer than the messages.
        config.register_gaps = 0.0;
    }
    config.atomics = draw.random();
    let mut checked = Checked::new(Node::new(&config).unwrap());
    checked.atomics = config.atomics;
    let world = World::new(draw, config.atomics);
    world.set_up(&mut checked.node, draw);
    let mut announced = Announced::new();
    for (round, (messages, faults)) in rounds.iter().enumerate() {
        if round > 0 {
            host(&mut checked, &world, draw);
        }
        for fault in faults {
            faults::inject(&mut checked, &world, *fault);
        }
        let packets = traffic::packets(&world, messages, 100 * round);
        let failed = |error| TestCaseError::fail(format!("round {round}: {error}"));
        let outcomes = checked.deliver(&packets, 200_000).map_err(failed)?;
        announce(&mut announced, &outcomes);
        checked.clear_faults();
    }
    check_gpus(&checked.node, &announced)?;
    let differs = |error| TestCaseError::fail(format!("registers: {error}"));
    checked.check_registers().map_err(differs)
}

/// Two rounds of messages with so many faults each.
fn rounds(faults: std::ops::Range<usize>) -> impl Strategy<Value = Vec<(Vec<u64>, Vec<u64>)>> {
    let seed = || any::<u64>().no_shrink();
    let messages = prop::collection::vec(seed(), 1..14);
    prop::collection::vec((messages, prop::collection::vec(seed(), faults)), 2)
}

fn config() -> ProptestConfig {
    ProptestConfig {
        cases: CASES,
        max_shrink_iters: 20,
        ..ProptestConfig::default()
    }
}

proptest! {
    #![proptest_config(config())]

    #[test]
    fn any_mix_of_messages_is_delivered_as_the_golden_model_says(
        seed in any::<u64>().no_shrink(), rounds in rounds(0..1),
    ) {
        run(seed, &rounds)?;
    }

    #[test]
    fn any_mix_of_messages_and_memory_faults_is_as_the_golden_model_says(
        seed in any::<u64>().no_shrink(), rounds in rounds(1..6),
    ) {
        run(seed, &rounds)?;
    }
}
