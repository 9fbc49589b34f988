//! Synchronisation at system scope: what a program sees that leaves it out.

use super::{Told, cluster, config, pattern};
use xtq_compute::compute_node::{ComputeConfig, Leaves, Shmem};
use xtq_testbench::compnet::design::Design;

const PATIENCE: u64 = 200_000;
const BYTES: usize = 128;

/// A work-group stores, and puts what it has stored: what has arrived.
fn put_after_stores(config: &ComputeConfig) -> Vec<u8> {
    let mut cluster = cluster(config);
    let [from, to] = [0; 2].map(|_| cluster.shmalloc(BYTES as u64).unwrap());
    cluster.write(0, from, &pattern(1, BYTES));
    let program = move |mut shmem: Shmem| async move {
        shmem.store(from, &pattern(2, BYTES)).await;
        shmem.put(to, from, BYTES as u64, 1).await;
    };
    cluster.launch(0, 0, program).unwrap();
    cluster.run(PATIENCE).unwrap();
    cluster.read(1, to, BYTES)
}

/// A work-group loads, gets something into the same place and loads again: what it loads.
fn load_after_get(config: &ComputeConfig) -> Vec<u8> {
    let mut cluster = cluster(config);
    let [from, to] = [0; 2].map(|_| cluster.shmalloc(BYTES as u64).unwrap());
    cluster.write(0, to, &pattern(1, BYTES));
    cluster.write(1, from, &pattern(2, BYTES));
    let told = Told::<u64>::default();
    let tell = told.clone();
    let program = move |mut shmem: Shmem| async move {
        for word in 0..BYTES as u64 / 8 {
            shmem.load(to + 8 * word).await;
        }
        shmem.get(to, from, BYTES as u64, 1).await;
        for word in 0..BYTES as u64 / 8 {
            let value = shmem.load(to + 8 * word).await;
            tell.borrow_mut().push(value);
        }
    };
    cluster.launch(0, 0, program).unwrap();
    cluster.run(PATIENCE).unwrap();
    // The NIC has written memory in any case.
    assert_eq!(cluster.read(0, to, BYTES), pattern(2, BYTES));
    told.borrow()
        .iter()
        .flat_map(|word| word.to_le_bytes())
        .collect()
}

#[test]
fn without_write_back_a_put_sends_old_bytes() {
    for design in [Design::CompNet, Design::Dgpu] {
        let mut config = config(design, 2, 1);
        assert_eq!(put_after_stores(&config), pattern(2, BYTES), "{design:?}");
        config.leaves = Leaves {
            write_backs: true,
            ..Leaves::default()
        };
        assert_eq!(put_after_stores(&config), pattern(1, BYTES), "{design:?}");
    }
}

#[test]
fn without_invalidate_a_load_after_a_get_reads_old_bytes() {
    for design in [Design::CompNet, Design::Dgpu] {
        let mut config = config(design, 2, 1);
        assert_eq!(load_after_get(&config), pattern(2, BYTES), "{design:?}");
        config.leaves = Leaves {
            invalidates: true,
            ..Leaves::default()
        };
        assert_eq!(load_after_get(&config), pattern(1, BYTES), "{design:?}");
    }
}

#[test]
fn a_get_into_stored_lines_is_not_written_over() {
    let mut cluster = cluster(&config(Design::CompNet, 2, 1));
    let [from, to] = [0; 2].map(|_| cluster.shmalloc(BYTES as u64).unwrap());
    cluster.write(1, from, &pattern(2, BYTES));
    let program = move |mut shmem: Shmem| async move {
        // Dirty in the L2.
        shmem.store(to, &pattern(3, BYTES)).await;
        shmem.get(to, from, BYTES as u64, 1).await;
        // Were it still there, it would be written back now.
        shmem.acquire(to, BYTES as u64).await;
        shmem.work(2000).await;
    };
    cluster.launch(0, 0, program).unwrap();
    cluster.run(PATIENCE).unwrap();
    assert_eq!(cluster.read(0, to, BYTES), pattern(2, BYTES));
}
