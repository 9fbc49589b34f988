//! Random requesters on small banks, whose sets fill with locks, against the naive model; invariants inside in every
//! cycle.

use std::collections::{HashMap, HashSet};

use proptest::prelude::*;
use proptest::strategy::ValueTree;
use proptest::test_runner::TestRunner;
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;

use super::memory::Timing;
use super::model::{Model, replay, requesters};
use super::rig::{Answer, Ask, MIDDLE, Rig, SMALL, Shape, Who};
use xtq_types::l2::{op, status};

/// What a run is like.
#[derive(Clone, Debug)]
struct Plan {
    seed: u64,
    shape: Shape,
    lines: u64,
    requests: usize,
    latency: u64,
    errors: f64,
    pauses: f64,
    gaps: f64,
    /// Probability that a thread never writes after its RMW_READ.
    death: f64,
    limit: u64,
    ways_limit: u64,
    /// Ways that only misses of the command processor fill, a bit each; in the first half of the requests, and then.
    cp_ways: [u64; 2],
}

/// Locks by set, a bit for each way, and tags of a bank in one cycle.
#[derive(Default)]
struct Inside {
    rmw: Vec<u64>,
    store: Vec<u64>,
    tags: HashMap<(usize, usize), u64>,
}

impl Inside {
    /// Looks, and checks what must hold in every cycle. Errors: what does not.
    fn look(rig: &Rig) -> Result<Self, String> {
        let Shape {
            ways, sets, places, ..
        } = rig.shape;
        let sets = sets as usize;
        // A bit for each way of a set; what was not written since reset is zero.
        let flags = |name: &str| -> Vec<u64> {
            let written = rig.peek(&format!("{name}.written_q.q"));
            (0..sets)
                .map(|set| (written >> set & 1) * rig.peek(&format!("{name}.words[{set}]")))
                .collect()
        };
        let (locked, valid) = (flags("locks.locked"), flags("tags.valids"));
        let count: u32 = locked.iter().map(|ways| ways.count_ones()).sum();
        if u64::from(count) != rig.peek("locks.count_q.q") {
            return Err(format!(
                "{count} locks, counted as {}",
                rig.peek("locks.count_q.q")
            ));
        }
        if flags("locks.sweep_locked") != locked {
            return Err(format!("the sweep does not see the locks {locked:?}"));
        }
        let (mut rmw, mut store) = (Vec::new(), Vec::new());
        let mut tags = HashMap::new();
        for set in 0..sets {
            let kinds = rig.peek(&format!("locks.rmws[{set}]"));
            rmw.push(locked[set] & kinds);
            store.push(locked[set] & !kinds);
            if rmw[set].count_ones() as usize >= ways {
                return Err(format!("set {set}: all ways are RMW-locked"));
            }
            if locked[set] & !valid[set] != 0 {
                return Err(format!("set {set}: a lock where nothing is"));
            }
            for way in 0..ways {
                if valid[set] >> way & 1 == 1 {
                    let tag = rig.peek(&format!("tags.tags[{way}][{set}]"));
                    if tags
                        .iter()
                        .any(|((_, other), its)| *other == set && *its == tag)
                    {
                        return Err(format!("line {tag} is there twice"));
                    }
                    tags.insert((way, set), tag);
                }
            }
        }
        let valid = rig.peek("queue.valid_q.q");
        let states = ["ready", "fetch", "flying", "filled"]
            .map(|name| rig.peek(&format!("queue.{name}_q.q")));
        let once = states
            .iter()
            .try_fold(0, |all, state| (all & state == 0).then_some(all | state));
        if once.is_none_or(|all| all & !valid != 0) {
            return Err(format!(
                "places {valid:b} of the queue in states {states:?}"
            ));
        }
        let alone = states[1] | states[2] | states[3];
        for place in (0..places).filter(|place| alone >> place & 1 == 1) {
            let line = rig.peek(&format!("queue.line_q[{place}].q"));
            let twice = (0..places).any(|other| {
                other != place
                    && alone >> other & 1 == 1
                    && rig.peek(&format!("queue.line_q[{other}].q")) == line
            });
            if rig.peek(&format!("queue.ahead_q[{place}].q")) != 0
                || twice
                || tags.values().any(|tag| *tag == line)
            {
                return Err(format!("line {line} is fetched twice, or is there"));
            }
        }
        Self::fill_is_allowed(rig)?;
        Ok(Self { rmw, store, tags })
    }

    /// Checks that a miss of a compute unit fills no way of the command processor. Errors: it does.
    fn fill_is_allowed(rig: &Rig) -> Result<(), String> {
        let is = |name: &str| rig.peek(name) == 1;
        let way = rig.peek("tags.way") & rig.peek("cp_ways");
        if is("tags.install") && is("s1_fill_q.q") && !is("locks.cp") && way != 0 {
            return Err(format!(
                "a compute unit fills way {way:b}, which is not for it"
            ));
        }
        Ok(())
    }

    /// Checks that what is locked in both is the same line.
    fn stays(&self, after: &Self) -> Result<(), String> {
        for (&(way, set), tag) in &self.tags {
            let locked = |inside: &Self| (inside.rmw[set] | inside.store[set]) >> way & 1 == 1;
            let same_kind = self.rmw[set] >> way & 1 == after.rmw[set] >> way & 1;
            // A dropped STORE lock gives its way to an RMW lock.
            if locked(self)
                && locked(after)
                && same_kind
                && after.tags.get(&(way, set)) != Some(tag)
            {
                return Err(format!(
                    "way {way}, set {set}: locked line {tag} was replaced"
                ));
            }
        }
        Ok(())
    }
}

/// An access that is a hit or a miss.
fn tells_hits(answer: &Answer) -> bool {
    let others = [op::RMW_WRITE, op::INVALIDATE, op::WRITE_BACK];
    !others.contains(&answer.ask.op) && answer.status != status::REFUSED
}

/// A random access.
fn draw(rng: &mut ChaCha8Rng, who: Who, line: u64) -> Ask {
    let op = match rng.random_range(0..20) {
        0..5 => op::LOAD,
        5..8 => op::STORE,
        8..12 if !who.is_cp() => op::LOCKED_STORE,
        8..14 if who.is_cp() => op::RMW_READ,
        14 => op::INVALIDATE,
        15 => op::WRITE_BACK,
        16 if rng.random_bool(0.2) => op::LOCKED_STORE,
        17 => op::ATOMIC_SWAP,
        18 => op::ATOMIC_CAS,
        _ => op::ATOMIC_ADD,
    };
    let wide = rng.random_bool(0.7);
    Ask {
        byte: rng.random_range(0..64),
        wide,
        compare: rng.random_range(0..4),
        strobe: if rng.random_bool(0.5) {
            u64::MAX
        } else {
            rng.random()
        },
        data: (0..8)
            .map(|_| {
                if rng.random_bool(0.5) {
                    rng.random_range(0..4)
                } else {
                    rng.random()
                }
            })
            .collect(),
        ..Ask::new(who, op, line)
    }
}

/// What was met: locked stores that got no lock, STORE locks dropped, locks that expired, answers without a place in
/// the cache, hits that were answered at once.
fn run(plan: &Plan) -> Result<[u64; 5], String> {
    let mut rng = ChaCha8Rng::seed_from_u64(plan.seed);
    let timing = Timing {
        latency: plan.latency,
        pauses: plan.pauses,
        errors: plan.errors,
        seed: plan.seed | 1,
    };
    let mut rig = Rig::new(plan.shape, timing, plan.gaps);
    rig.limits(plan.limit, plan.ways_limit);
    rig.cp_ways(plan.cp_ways[0]);
    let mut masks = vec![(0, plan.cp_ways[0])];
    let all = requesters(4, 4);
    let mut open: HashMap<Who, usize> = HashMap::new();
    let (mut asked, mut seen, mut idle, mut now) = (0, 0, 0, 0);
    let mut told_at_once = 0;
    let mut inside = Inside::look(&rig)?;
    // Lines in the tags by cycle, as a request that was accepted in it finds them when it is tried first, in the next.
    let mut there: HashMap<u64, HashSet<u64>> = HashMap::new();
    loop {
        for &who in &all {
            if asked < plan.requests
                && open.get(&who).copied().unwrap_or(0) < 2
                && rng.random_bool(0.3)
            {
                let line = rng.random_range(0..plan.lines);
                rig.ask(draw(&mut rng, who, line));
                *open.entry(who).or_default() += 1;
                asked += 1;
            }
        }
        if asked > plan.requests / 2 && masks.len() == 1 {
            rig.cp_ways(plan.cp_ways[1]);
            masks.push((now, plan.cp_ways[1]));
        }
        if rng.random_bool(0.01) && asked < plan.requests {
            // A write that may be nobody's, or somebody else's.
            let who = all[rng.random_range(0..all.len())];
            let line = rng.random_range(0..plan.lines);
            rig.ask(Ask::new(who, op::RMW_WRITE, line).with(rng.random()));
            *open.entry(who).or_default() += 1;
        }
        now = rig.cycle();
        let after = Inside::look(&rig)?;
        inside.stays(&after)?;
        there.insert(now, after.tags.values().copied().collect());
        inside = after;
        while let Some(answer) = rig.answers.get(seen).cloned() {
            seen += 1;
            idle = 0;
            *open.get_mut(&answer.ask.who).ok_or("an answer to nobody")? -= 1;
            // A line that was there may be gone when what it has to wait for is over.
            let was_there = there[&answer.accepted].contains(&answer.ask.line);
            let at_once = answer.cycle == answer.accepted + 3;
            told_at_once += u64::from(at_once && answer.hit);
            if (answer.hit || at_once) && answer.hit != was_there && tells_hits(&answer) {
                return Err(format!("the line was there: {was_there}; {answer:?}"));
            }
            let taken = answer.ask.op == op::RMW_READ && answer.status == status::OK;
            if taken && !rng.random_bool(plan.death) {
                rig.ask(
                    Ask::new(answer.ask.who, op::RMW_WRITE, answer.ask.line)
                        .with(answer.data[0].wrapping_add(1)),
                );
                *open.entry(answer.ask.who).or_default() += 1;
            }
        }
        idle += 1;
        if idle > 20 * (plan.limit + 10 * plan.latency + 100) {
            return Err(format!(
                "no answer for {idle} cycles, {} wait",
                rig.unanswered()
            ));
        }
        if asked == plan.requests && rig.unanswered() == 0 {
            break;
        }
    }
    // All locks expire; then everything is written back, and memory is what the model says.
    rig.run(plan.limit + 100);
    let model = Model::new(plan.shape, plan.limit, plan.ways_limit);
    let mut model = model.keeping(masks);
    for line in 0..plan.lines {
        rig.ask(Ask::new(Who::Cu(0), op::INVALIDATE, line));
    }
    rig.finish_within(100_000);
    while rig.peek("writes.busy_q.q") != 0 {
        rig.cycle();
    }
    rig.run(2);
    replay(&mut model, &rig.steps)?;
    for line in 0..plan.lines {
        if rig.memory.line(line) != model.line(line) {
            return Err(format!(
                "line {line} in memory: {:x?}, must be {:x?}",
                rig.memory.line(line),
                model.line(line)
            ));
        }
    }
    let counted = [
        "cu_hits",
        "cp_hits",
        "cu_misses",
        "cp_misses",
        "lock_overflows",
        "dropped_locks",
        "watchdog_drops",
        "locked_lines",
    ]
    .map(|name| rig.out(name));
    let expected = [
        model.hits[0],
        model.hits[1],
        model.misses[0],
        model.misses[1],
        model.overflows,
        model.dropped,
        model.expired,
        model.locked() as u64,
    ];
    if counted != expected {
        return Err(format!("counted {counted:?}, must be {expected:?}"));
    }
    let uncached = rig.answers.iter().filter(|answer| answer.uncached).count();
    Ok([
        model.overflows,
        model.dropped,
        model.expired,
        uncached as u64,
        told_at_once,
    ])
}

fn any_plan() -> impl Strategy<Value = Plan> {
    let memory = (
        prop_oneof![1u64..4, 5u64..60],
        prop_oneof![3 => Just(0.0), 1 => Just(0.1)],
        prop_oneof![Just(0.0), Just(0.5)],
    );
    let requests = (
        prop_oneof![1u64..4, 6u64..20],
        prop_oneof![Just(0.0), Just(0.4)],
        prop_oneof![Just(0.0), Just(0.3)],
    );
    let mask = || prop_oneof![2 => Just(0), 1 => any::<u64>()];
    let limits = (
        prop_oneof![1u64..32, 100u64..900],
        0u64..17,
        [mask(), mask()],
    );
    (any::<u64>(), any::<bool>(), memory, requests, limits).prop_map(
        |(seed, small, memory, (lines, gaps, death), (limit, ways_limit, masks))| {
            let (latency, errors, pauses) = memory;
            let shape = if small { SMALL } else { MIDDLE };
            let ways = (1 << shape.ways) - 1;
            Plan {
                seed,
                shape,
                lines,
                requests: 250,
                latency,
                errors,
                pauses,
                gaps,
                death,
                limit: limit.min(shape.longest_limit),
                ways_limit,
                cp_ways: masks.map(|mask| mask & ways),
            }
        },
    )
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 64, ..ProptestConfig::default() })]

    #[test]
    fn every_run_is_one_of_a_coherent_memory_with_locks(plan in any_plan()) {
        run(&plan).map_err(|wrong| TestCaseError::fail(format!("{wrong}\n{plan:?}")))?;
    }
}

#[test]
fn such_runs_meet_all_that_is_rare() {
    let mut runner = TestRunner::deterministic();
    let mut met = [0; 5];
    for _ in 0..32 {
        let plan = any_plan().new_tree(&mut runner).expect("a plan").current();
        let here = run(&plan).unwrap_or_else(|wrong| panic!("{wrong}\n{plan:?}"));
        met = std::array::from_fn(|i| met[i] + here[i]);
    }
    let least = [40, 3, 300, 40, 900];
    let enough = met.iter().zip(least).all(|(met, least)| *met >= least);
    assert!(
        enough,
        "overflows, dropped, expired, uncached, hits at once: {met:?}, at least {least:?}"
    );
}
