//! Random programs against a naive model: an array of bytes for each node.

use super::{cluster, config, pattern};
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;
use xtq_compute::compute_node::Shmem;
use xtq_testbench::compnet::design::Design;

/// Bytes of a node that one other writes in a round.
const SLOT: u64 = 512;
const ROUNDS: usize = 4;

/// What a program does; `at` counts from the area's beginning.
#[derive(Clone, Copy, Debug)]
enum Step {
    Put {
        blocks: bool,
        to: u64,
        from: u64,
        bytes: u64,
        pe: usize,
    },
    Get {
        blocks: bool,
        to: u64,
        from: u64,
        bytes: u64,
        pe: usize,
    },
    Fence,
}

/// In even rounds nodes write into the first area and read the second, in odd ones the reverse; each node writes only
/// its own slot, so the order between nodes does not matter.
struct ShmemModel {
    nodes: usize,
    memories: Vec<Vec<u8>>,
}

impl ShmemModel {
    fn area(&self, round: usize) -> u64 {
        (round % 2 * self.nodes) as u64 * SLOT
    }

    fn draw(&self, rng: &mut ChaCha8Rng, round: usize, own: usize) -> Step {
        let mine = self.area(round) + own as u64 * SLOT;
        let read = self.area(round + 1);
        let pe = rng.random_range(0..self.nodes);
        let bytes = rng.random_range(1..=200);
        let into = mine + rng.random_range(0..SLOT - bytes);
        let from = read + rng.random_range(0..self.nodes as u64 * SLOT - bytes);
        let blocks = rng.random();
        match rng.random_range(0..5) {
            0 | 1 if pe != own => Step::Put {
                blocks,
                to: into,
                from,
                bytes,
                pe,
            },
            0..=3 => Step::Get {
                blocks,
                to: into,
                from,
                bytes,
                pe,
            },
            _ => Step::Fence,
        }
    }

    fn apply(&mut self, own: usize, step: Step) {
        let (source, target, from, to, bytes) = match step {
            Step::Put {
                to,
                from,
                bytes,
                pe,
                ..
            } => (own, pe, from, to, bytes),
            Step::Get {
                to,
                from,
                bytes,
                pe,
                ..
            } => (pe, own, from, to, bytes),
            Step::Fence => return,
        };
        let moved = self.memories[source][from as usize..(from + bytes) as usize].to_vec();
        self.memories[target][to as usize..(to + bytes) as usize].copy_from_slice(&moved);
    }
}

async fn perform(shmem: &mut Shmem, base: u64, step: Step) {
    match step {
        Step::Put {
            blocks: true,
            to,
            from,
            bytes,
            pe,
        } => {
            shmem.put(base + to, base + from, bytes, pe).await;
        }
        // Calls that overlap have no order but that of a fence.
        Step::Put {
            to,
            from,
            bytes,
            pe,
            ..
        } => {
            shmem.put_nbi(base + to, base + from, bytes, pe).await;
            shmem.fence().await;
        }
        Step::Get {
            blocks: true,
            to,
            from,
            bytes,
            pe,
        } => {
            shmem.get(base + to, base + from, bytes, pe).await;
        }
        Step::Get {
            to,
            from,
            bytes,
            pe,
            ..
        } => {
            shmem.get_nbi(base + to, base + from, bytes, pe).await;
            shmem.fence().await;
        }
        Step::Fence => shmem.fence().await,
    }
}

#[test]
fn random_programs_leave_the_memories_of_the_model() {
    for (seed, design, nodes) in [
        (1, Design::CompNet, 2),
        (2, Design::CompNet, 3),
        (3, Design::Dgpu, 2),
    ] {
        let rng = &mut ChaCha8Rng::seed_from_u64(seed);
        let bytes = 2 * nodes * SLOT as usize;
        let mut cluster = cluster(&config(design, nodes, 1));
        let base = cluster.shmalloc(bytes as u64).unwrap();
        let memories: Vec<_> = (0..nodes).map(|pe| pattern(pe as u8, bytes)).collect();
        for (pe, memory) in memories.iter().enumerate() {
            cluster.write(pe, base, memory);
        }
        let mut model = ShmemModel { nodes, memories };
        let mut programs = vec![Vec::new(); nodes];
        for round in 0..ROUNDS {
            for (own, program) in programs.iter_mut().enumerate() {
                let steps: Vec<_> = (0..6).map(|_| model.draw(rng, round, own)).collect();
                for step in &steps {
                    model.apply(own, *step);
                }
                program.push(steps);
            }
        }
        for (pe, program) in programs.iter().cloned().enumerate() {
            let run = move |mut shmem: Shmem| async move {
                for steps in program {
                    for step in steps {
                        perform(&mut shmem, base, step).await;
                    }
                    shmem.barrier_all().await;
                    // What others have put here.
                    shmem.acquire(base, bytes as u64).await;
                }
            };
            cluster.launch(pe, 0, run).unwrap();
        }
        cluster
            .run(800_000)
            .unwrap_or_else(|error| panic!("seed {seed}: {error}"));
        for (pe, memory) in model.memories.iter().enumerate() {
            let found = cluster.read(pe, base, bytes);
            let first = (0..bytes).find(|at| found[*at] != memory[*at]);
            assert_eq!(
                first, None,
                "seed {seed}, {design:?}, node {pe}: {programs:?}"
            );
        }
    }
}
