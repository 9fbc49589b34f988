//! Every variant of table I, run by the interpreter, gives what a serial program gives.

use crate::common::{NODES, parameters};
use xtq_cdag::arithmetic::{Datatype, Operation, apply};
use xtq_cdag::check::check;
use xtq_cdag::collectives::{Built, Parameters, VARIANTS, Variant, variant};
use xtq_cdag::graph::Slice;
use xtq_cdag::interpret::interpret;
use xtq_cdag::round_optimal;
use xtq_cdag::topology::{Tree, rounds};

/// What each rank must have at the end, by the definitions of MPI 3.0, chapter 5.
fn expected(variant: &Variant, p: &Parameters, built: &Built, memory: &[Vec<u8>]) -> Vec<Vec<u8>> {
    let bytes =
        |rank: usize, slice: Slice| memory[rank][slice.at as usize..slice.end() as usize].to_vec();
    let input: Vec<Vec<u8>> = (0..p.nodes)
        .map(|rank| bytes(rank, built.input[rank]))
        .collect();
    let block = |from: usize, number: usize| {
        let size = p.bytes as usize;
        input[from][number * size..(number + 1) * size].to_vec()
    };
    let sum = |ranks: std::ops::Range<usize>| {
        let mut total = input[ranks.start].clone();
        for rank in ranks.skip(1) {
            apply(p.operation, p.datatype, &mut total, &input[rank]);
        }
        total
    };
    let all = 0..p.nodes;
    let result = |rank: usize| match variant.collective {
        "broadcast" => input[p.root].clone(),
        "scatter" => block(p.root, rank),
        "gather" if rank != p.root => input[rank].clone(),
        "gather" | "allgather" => input.concat(),
        "barrier" => Vec::new(),
        // A rank's own block is the host's to copy, before.
        "alltoall" => (0..p.nodes)
            .flat_map(|from| {
                if from == rank {
                    vec![0; p.bytes as usize]
                } else {
                    block(from, rank)
                }
            })
            .collect(),
        "reduce" if rank != p.root => Vec::new(),
        "reduce" | "allreduce" => sum(all.clone()),
        "reduce_scatter" => {
            sum(all.clone())[rank * p.bytes as usize..(rank + 1) * p.bytes as usize].to_vec()
        }
        "scan" => sum(0..rank + 1),
        "exscan" if rank == 0 => Vec::new(),
        "exscan" => sum(0..rank),
        other => panic!("no reference for {other}"),
    };
    all.clone().map(result).collect()
}

/// The results of a run.
fn results(built: &Built, memory: &[Vec<u8>]) -> Vec<Vec<u8>> {
    let of = |(rank, slice): (usize, &Slice)| {
        memory[rank][slice.at as usize..slice.end() as usize].to_vec()
    };
    built.output.iter().enumerate().map(of).collect()
}

fn same(variant: &Variant, parameters: &Parameters, seeds: u64) {
    let name = format!(
        "{} {} {parameters:?}",
        variant.collective, variant.algorithm
    );
    let built = variant
        .build(parameters)
        .unwrap_or_else(|error| panic!("{name}: {error}"));
    check(&built.graph).unwrap_or_else(|error| panic!("{name}: {error}"));
    let memory = built.memory_for(parameters.operation, parameters.datatype, 5);
    let wanted = expected(variant, parameters, &built, &memory);
    for seed in 0..seeds {
        let found = interpret(&built.graph, &memory, seed)
            .unwrap_or_else(|error| panic!("{name}: {error}"));
        assert!(results(&built, &found) == wanted, "{name}, seed {seed}");
    }
}

#[test]
fn every_variant_gives_what_a_serial_program_gives() {
    for variant in VARIANTS {
        for nodes in NODES {
            same(variant, &parameters(nodes), if nodes > 16 { 1 } else { 5 });
        }
    }
}

#[test]
fn trees_have_every_k_and_vectors_may_be_shorter_than_their_segments() {
    for variant in VARIANTS {
        for (k, segments, bytes) in [(3, 1, 20), (4, 5, 4), (7, 2, 0)] {
            same(
                variant,
                &Parameters {
                    k,
                    segments,
                    bytes,
                    ..parameters(11)
                },
                2,
            );
        }
    }
}

#[test]
fn every_rank_may_be_the_root() {
    for variant in VARIANTS {
        for (nodes, roots) in [(5, 0..5), (16, 9..11)] {
            for root in roots {
                same(
                    variant,
                    &Parameters {
                        root,
                        segments: 2,
                        ..parameters(nodes)
                    },
                    1,
                );
            }
        }
        let outside = Parameters {
            root: 5,
            ..parameters(5)
        };
        assert!(variant.build(&outside).is_err(), "{}", variant.collective);
    }
}

#[test]
fn reductions_have_every_operation_and_type() {
    let reduce = variant("allreduce", "butterfly").expect("it is in the list");
    for datatype in Datatype::ALL {
        for operation in Operation::ALL {
            let parameters = Parameters {
                operation,
                datatype,
                ..parameters(5)
            };
            let bits = matches!(
                operation,
                Operation::Band | Operation::Bor | Operation::Bxor
            );
            let order = matches!(operation, Operation::Min | Operation::Max);
            if datatype.is_float() && bits || datatype.is_complex() && order {
                assert!(
                    reduce.build(&parameters).is_err(),
                    "{operation:?} {datatype:?}"
                );
            } else {
                // Sums and products of these numbers are exact in every order.
                same(reduce, &parameters, 2);
            }
        }
    }
}

#[test]
fn complex_numbers_are_added_and_multiplied_as_pairs() {
    let single = |parts: [f64; 4]| parts.map(|part| (part as f32).to_le_bytes()).concat();
    let double = |parts: [f64; 4]| parts.map(f64::to_le_bytes).concat();
    let (target, source) = ([1.0, 2.0, 0.5, 4.0], [3.0, 4.0, -2.0, -1.0]);
    for (operation, wanted) in [
        (Operation::Sum, [4.0, 6.0, -1.5, 3.0]),
        // (1 + 2i)(3 + 4i) and (0.5 + 4i)(-2 - i).
        (Operation::Prod, [-5.0, 10.0, 3.0, -8.5]),
    ] {
        let mut found = single(target);
        apply(
            operation,
            Datatype::FloatComplex,
            &mut found,
            &single(source),
        );
        assert_eq!(found, single(wanted), "{operation:?}");
        let mut found = double(target);
        apply(
            operation,
            Datatype::DoubleComplex,
            &mut found,
            &double(source),
        );
        assert_eq!(found, double(wanted), "{operation:?}");
    }
}

#[test]
fn trees_reach_all_ranks_once_and_subtrees_are_consecutive() {
    for ranks in 1..70 {
        for k in 1..6 {
            for tree in [Tree::knomial(ranks, k), Tree::kary(ranks, k)] {
                let mut seen: Vec<usize> = tree.children.concat();
                seen.sort_unstable();
                assert_eq!(
                    seen,
                    (1..ranks).collect::<Vec<_>>(),
                    "{ranks} ranks, k = {k}"
                );
                for (rank, children) in tree.children.iter().enumerate() {
                    let mut ranges: Vec<_> = children
                        .iter()
                        .map(|child| (*child, child + tree.size[*child]))
                        .collect();
                    ranges.sort_unstable();
                    let ends = ranges.iter().map(|range| range.1);
                    let starts = [rank + 1].into_iter().chain(ends).collect::<Vec<_>>();
                    assert!(
                        ranges
                            .iter()
                            .map(|range| range.0)
                            .eq(starts[..ranges.len()].iter().copied())
                    );
                }
            }
        }
    }
    assert_eq!(Tree::knomial(8, 2).children[0], [4, 2, 1]);
    assert_eq!(Tree::kary(7, 2).children[0], [1, 4]);
}

#[test]
fn the_broadcast_in_blocks_takes_the_least_rounds_and_a_rank_gets_one_block_in_each() {
    for ranks in 2..70 {
        for blocks in [1, 2, 3, 7, 20] {
            let all = round_optimal::rounds(ranks, blocks);
            assert_eq!(
                all.len(),
                rounds(ranks) + blocks - 1,
                "{ranks} ranks, {blocks} blocks"
            );
            let mut has = vec![vec![false; blocks]; ranks];
            has[0] = vec![true; blocks];
            for round in &all {
                let before = has.clone();
                let (mut from, mut to) = (vec![0; ranks], vec![0; ranks]);
                for step in round {
                    assert!(
                        before[step.from][step.block],
                        "{ranks} ranks, {blocks} blocks: {step:?}"
                    );
                    has[step.to][step.block] = true;
                    from[step.from] += 1;
                    to[step.to] += 1;
                }
                assert!(from.iter().chain(&to).all(|count| *count <= 1));
            }
            assert!(
                has.iter().flatten().all(|has| *has),
                "{ranks} ranks, {blocks} blocks"
            );
        }
    }
}
