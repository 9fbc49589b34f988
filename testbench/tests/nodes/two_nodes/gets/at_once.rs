//! Random GETs of all nodes at once.

use proptest::prelude::*;
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;
use xtq_testbench::host::{
    EventKind, Get, MatchEntry, ProcessId, me_option, portal_option, ptl_get, ptl_me_append,
    ptl_pt_alloc,
};
use xtq_testbench::network::NetworkConfig;
use xtq_types::event::status;

use super::{REPLIES, get};
use crate::two_nodes::fixture::{LISTS, SHARED, World, entry, pattern};

proptest! {
    #![proptest_config(ProptestConfig::with_cases(6))]

    /// Every node gets from every other at once, more than any queue but that of replies holds.
    #[test]
    fn nodes_that_get_from_each_other_at_once_lose_nothing(seed in any::<u32>(), nodes in 2usize..4) {
        let mut rng = ChaCha8Rng::seed_from_u64(seed.into());
        let network = NetworkConfig {
            jitter: rng.random_range(0..40),
            seed: seed.into(),
            ..NetworkConfig::default()
        };
        let mut world = World::new(nodes, Some(seed.into()), &network);
        for node in 0..nodes {
            world.write(node, SHARED, &pattern(40_000, node as u64));
            world.post(node, &[
                ptl_pt_alloc(LISTS, portal_option::MATCHING),
                ptl_me_append(&MatchEntry {
                    options: me_option::OP_GET | me_option::LINK_DISABLE | me_option::COMM_DISABLE,
                    ..entry(1, 5, 30_000)
                }),
            ]);
        }
        world.settle();
        for _ in 0..2 {
            let mut asked: Vec<Vec<(usize, u64, u64, u64)>> = vec![Vec::new(); nodes];
            for (node, asked) in asked.iter_mut().enumerate() {
                let mut local = rng.random_range(0..64);
                let mut commands = Vec::new();
                for _ in 0..60 {
                    let target = (node + rng.random_range(1..nodes)) % nodes;
                    let length = if rng.random_bool(0.2) { rng.random_range(0..9000) } else { rng.random_range(0..200) };
                    let remote = rng.random_range(0..30_000);
                    let id = asked.len() as u64;
                    asked.push((target, length, remote, local));
                    commands.push(ptl_get(&Get {
                        target: ProcessId { node: target as u16, context: 0 },
                        user_ptr: id,
                        ..get(local, length, remote)
                    }));
                    local += length + rng.random_range(0..3);
                }
                world.post(node, &commands);
            }
            world.settle();
            for (node, asked) in asked.iter().enumerate() {
                let events = world.events(node);
                let replies: Vec<_> = events.iter().filter(|event| event.kind == EventKind::Reply).collect();
                prop_assert_eq!(replies.len(), 60);
                for reply in replies {
                    prop_assert_eq!(reply.status, status::OK);
                    let (target, length, remote, local) = asked[reply.user_ptr().unwrap() as usize];
                    let mlength = length.min(30_000 - remote);
                    prop_assert_eq!(u64::from(reply.mlength), mlength);
                    let bytes = pattern(40_000, target as u64);
                    let found = world.read(node, REPLIES + local, mlength as usize);
                    prop_assert!(found == bytes[remote as usize..(remote + mlength) as usize]);
                }
            }
        }
    }
}
