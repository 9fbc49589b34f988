//! What calls promise.

use super::{Told, cluster, config, pattern};
use xtq_compute::compute_node::{ComputeCluster, ComputeConfig, Shmem};
use xtq_testbench::compnet::design::Design;

const DESIGNS: [Design; 4] = [
    Design::CompNet,
    Design::Apu,
    Design::Dgpu,
    Design::DgpuGpuQueue,
];
/// Cycles in which a test must be over.
const PATIENCE: u64 = 400_000;

/// Runs to the end, and compares both nodes' memories in the cycle in which a blocking call has ended; how many did.
fn run_and_peek(cluster: &mut ComputeCluster, nodes: usize) -> usize {
    let mut seen = 0;
    for _ in 0..PATIENCE {
        if cluster.running() == 0 {
            return seen;
        }
        cluster.cycle().unwrap();
        for pe in 0..nodes {
            for ended in cluster.take_ended(pe) {
                let here = cluster.read(pe, ended.local, ended.length as usize);
                let there = cluster.read(ended.pe, ended.remote, ended.length as usize);
                assert_eq!(here, there, "{ended:?}");
                seen += 1;
            }
        }
    }
    panic!("not done");
}

#[test]
fn a_blocking_call_that_has_ended_has_moved_its_bytes() {
    for design in DESIGNS {
        let mut cluster = cluster(&config(design, 2, 1));
        let sizes = [1, 7, 8, 63, 64, 200, 4096, 10_000];
        let [from, to, back] = [0; 3].map(|_| cluster.shmalloc(10_000).unwrap());
        cluster.write(0, from, &pattern(3, 10_000));
        cluster.write(1, from, &pattern(5, 10_000));
        let program = move |mut shmem: Shmem| async move {
            for size in sizes {
                shmem.put(to, from, size, 1).await;
                shmem.get(back, from, size, 1).await;
            }
        };
        cluster.launch(0, 0, program).unwrap();
        assert_eq!(run_and_peek(&mut cluster, 2), 2 * sizes.len(), "{design:?}");
        assert_eq!(cluster.read(1, to, 10_000), pattern(3, 10_000));
        assert_eq!(cluster.read(0, back, 10_000), pattern(5, 10_000));
    }
}

#[test]
fn more_calls_than_a_queue_has_entries_all_arrive_once() {
    for design in [Design::CompNet, Design::Dgpu] {
        let mut cluster = cluster(&config(design, 2, 2));
        let to = cluster.shmalloc(2 * 8 * 150).unwrap();
        for context in 0..2 {
            let program = move |mut shmem: Shmem| async move {
                for number in 0..150 {
                    let place = to + 8 * (150 * context + number);
                    shmem.p(place, number << 8 | context, 7, 1).await;
                }
                shmem.quiet().await;
            };
            cluster.launch(0, context, program).unwrap();
        }
        let ran = cluster.run(4 * PATIENCE);
        assert!(ran.is_ok(), "{design:?}: {ran:?}, {:?}", cluster.calls(0));
        assert_eq!(cluster.calls(0), (300, 0), "a call is one command");
        for context in 0..2u64 {
            for number in 0..150u64 {
                let place = to + 8 * (150 * context + number);
                let found = cluster.read(1, place, 8);
                assert_eq!(found, (number << 8 | context).to_le_bytes(), "{design:?}");
            }
        }
    }
}

/// A work-group with two contexts; the message of the first is held up at node 2.
#[test]
fn quiet_waits_for_its_own_context_only() {
    for design in [Design::CompNet, Design::Dgpu] {
        let mut cluster = cluster(&config(design, 3, 2));
        let [from, to] = [0; 2].map(|_| cluster.shmalloc(64).unwrap());
        cluster.write(0, from, &pattern(9, 64));
        cluster.set_memory_open(2, false);
        let told = Told::<&str>::default();
        let tell = told.clone();
        let program = move |mut first: Shmem| async move {
            let mut second = first.ctx_create(1);
            first.put_nbi(to, from, 64, 2).await;
            second.put_nbi(to, from, 64, 1).await;
            second.quiet().await;
            tell.borrow_mut().push("second");
            first.quiet().await;
            tell.borrow_mut().push("first");
        };
        cluster.launch(0, 0, program).unwrap();
        let mut cycles = 0;
        while told.borrow().is_empty() {
            cluster.cycle().unwrap();
            cycles += 1;
            assert!(cycles < PATIENCE, "{design:?}: the second context waits");
        }
        assert_eq!(cluster.read(1, to, 64), pattern(9, 64));
        for _ in 0..20_000 {
            cluster.cycle().unwrap();
        }
        assert_eq!(*told.borrow(), ["second"], "{design:?}");
        assert_eq!(cluster.read(2, to, 64), [0; 64]);
        cluster.set_memory_open(2, true);
        cluster.run(PATIENCE).unwrap();
        assert_eq!(*told.borrow(), ["second", "first"], "{design:?}");
        assert_eq!(cluster.read(2, to, 64), pattern(9, 64));
    }
}

#[test]
fn wait_until_sees_what_another_node_puts_after_its_data() {
    let mut cluster = cluster(&config(Design::CompNet, 2, 1));
    let [data, flag] = [0; 2].map(|_| cluster.shmalloc(256).unwrap());
    cluster.write(0, data, &pattern(1, 256));
    let told = Told::<u64>::default();
    let tell = told.clone();
    let ping = move |mut shmem: Shmem| async move {
        shmem.put(data, data, 256, 1).await;
        shmem.p(flag, 1, 7, 1).await;
        shmem.quiet().await;
    };
    let pong = move |mut shmem: Shmem| async move {
        // Both are in the L2 before anything comes.
        let old = [shmem.load(data).await, shmem.load(flag).await];
        assert_eq!(old, [0, 0]);
        shmem.wait_until(flag, 1).await;
        shmem.acquire(data, 256).await;
        for word in 0..32 {
            let value = shmem.load(data + 8 * word).await;
            tell.borrow_mut().push(value);
        }
    };
    cluster.launch(0, 0, ping).unwrap();
    cluster.launch(1, 0, pong).unwrap();
    cluster.run(PATIENCE).unwrap();
    let bytes: Vec<u8> = told
        .borrow()
        .iter()
        .flat_map(|word| word.to_le_bytes())
        .collect();
    assert_eq!(bytes, pattern(1, 256));
}

#[test]
fn nobody_leaves_a_barrier_before_all_have_come() {
    for nodes in [2, 3] {
        let mut cluster = cluster(&config(Design::CompNet, nodes, 1));
        let told = Told::<(usize, bool)>::default();
        for pe in 0..nodes {
            let tell = told.clone();
            let program = move |mut shmem: Shmem| async move {
                for round in 0..2 {
                    shmem.work(4000 * ((pe + round) % nodes) as u64).await;
                    tell.borrow_mut().push((round, true));
                    shmem.barrier_all().await;
                    tell.borrow_mut().push((round, false));
                }
            };
            cluster.launch(pe, 0, program).unwrap();
        }
        cluster.run(PATIENCE).unwrap();
        let told = told.borrow();
        assert_eq!(told.len(), 4 * nodes);
        for round in 0..2 {
            let came = told.iter().rposition(|one| *one == (round, true));
            let left = told.iter().position(|one| *one == (round, false));
            assert!(came < left, "{nodes}: {told:?}");
        }
    }
}

#[test]
fn what_cannot_be_is_an_error() {
    let config = config(Design::CompNet, 2, 1);
    let mut cluster = cluster(&config);
    let heap = cluster.shmalloc(1 << 40).unwrap_err();
    assert!(heap.to_string().contains("bytes of the heap"), "{heap}");
    let idle = |_: Shmem| async {};
    assert!(cluster.launch(0, 1, idle).is_err());
    assert!(cluster.launch(2, 0, idle).is_err());
    let program = |mut shmem: Shmem| async move { shmem.get(0, 64, 8, 1).await };
    cluster.launch(0, 0, program).unwrap();
    assert!(cluster.launch(0, 0, idle).is_err(), "taken");
    let outside = cluster.run(PATIENCE).unwrap_err();
    assert!(outside.to_string().contains("not in a heap"), "{outside}");
    type Change = (&'static str, fn(&mut ComputeConfig));
    let changes: [Change; 4] = [
        ("threads", |config| config.threads = 5),
        ("contexts", |config| config.contexts = 481),
        ("nic.pcie_ns", |config| config.nic.pcie_ns = f64::NAN),
        ("gpu.memory_ns", |config| config.gpu.memory_ns = [9.0, 8.0]),
    ];
    for (key, change) in changes {
        let mut config = config.clone();
        change(&mut config);
        assert_eq!(config.check().unwrap_err().0, key);
    }
}

#[test]
fn an_atomic_adds_once_and_gives_the_old_value() {
    for design in [Design::CompNet, Design::Dgpu] {
        let mut cluster = cluster(&config(design, 3, 1));
        let [word, local] = [0; 2].map(|_| cluster.shmalloc(64).unwrap());
        cluster.write(2, word, &100u64.to_le_bytes());
        let told = Told::<u64>::default();
        for pe in 0..2 {
            let tell = told.clone();
            let program = move |mut shmem: Shmem| async move {
                for _ in 0..4 {
                    let old = shmem.fetch_add(local, word, 1, 2).await;
                    tell.borrow_mut().push(old);
                    shmem.atomic_add(word + 8, 10, 2).await;
                }
                shmem.quiet().await;
            };
            cluster.launch(pe, 0, program).unwrap();
        }
        cluster.run(PATIENCE).unwrap();
        let mut old = told.borrow().clone();
        old.sort_unstable();
        assert_eq!(old, (100..108).collect::<Vec<_>>(), "{design:?}");
        let found = [108u64, 80].map(u64::to_le_bytes);
        assert_eq!(cluster.read(2, word, 16), found.concat(), "{design:?}");
    }
}

#[test]
fn an_allreduce_gives_every_node_the_sum() {
    for nodes in [1u64, 2, 3] {
        let mut cluster = cluster(&config(Design::CompNet, nodes as usize, 1));
        let words = 16 * nodes;
        let [data, scratch] = [0; 2].map(|_| cluster.shmalloc(8 * words).unwrap());
        let value = |pe: u64, word: u64| (pe + 1) * 1000 + word;
        for pe in 0..nodes {
            let program = move |mut shmem: Shmem| async move {
                for word in 0..words {
                    let bytes = value(pe, word).to_le_bytes();
                    shmem.store(data + 8 * word, &bytes).await;
                }
                // Twice: the second adds what the first gave.
                for _ in 0..2 {
                    shmem.allreduce(data, scratch, words).await;
                }
                let mut found = Vec::new();
                for word in 0..words {
                    found.push(shmem.load(data + 8 * word).await);
                }
                let sum = |word| (0..nodes).map(|pe| value(pe, word)).sum::<u64>();
                let expected: Vec<_> = (0..words).map(|word| nodes * sum(word)).collect();
                assert_eq!(found, expected, "node {pe} of {nodes}");
            };
            cluster.launch(pe as usize, 0, program).unwrap();
        }
        cluster.run(PATIENCE).unwrap();
    }
}
