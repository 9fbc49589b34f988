//! Receives from any source, on the untimed NIC: each matching that comes out is one that MPI allows and the
//! interpreter has too, more than one comes out, and each rule has a fault that some graph shows.

use crate::compiled::fault;
use crate::named::{NAME, Named, PROTOCOLS, options};
use xtq_cdag::arithmetic::{Datatype, Operation};
use xtq_cdag::check::check;
use xtq_cdag::choice::{choices, undetermined};
use xtq_cdag::compile::{Flaw, Options, Protocol, compile};
use xtq_cdag::error::GraphError;
use xtq_cdag::goal;
use xtq_cdag::graph::{ANY_TAG, Graph, Slice, VertexId};
use xtq_cdag::plan::{Limits, Plan};
use xtq_cdag::random::Random;
use xtq_cdag::rounds::in_rounds;
use xtq_cdag::schedule::{Action, MessageKind, handshake_bits};

/// All ranks but the first send it two messages, one after the other; it receives them one after the other, or at once.
fn race(ranks: usize, in_turn: bool) -> Named {
    let mut named = Named::new(ranks);
    let mut last = Vec::new();
    for rank in 1..ranks {
        let first = named.send(rank, 0, 3, &[]);
        named.send(rank, 0, 4, &[first]);
        for _ in 0..2 {
            let recv = named.recv(0, None, ANY_TAG, &last);
            last = if in_turn { vec![recv] } else { Vec::new() };
        }
    }
    named
}

/// Any source and any tag beside one source and one tag: what waits for rank 2 alone gets its message, what takes any
/// of tag 5 gets those of rank 1 in their order, and the messages of tag 6 race to what is left.
fn mixed() -> Named {
    let mut named = Named::new(4);
    let first = named.send(1, 0, 5, &[]);
    let second = named.send(1, 0, 5, &[first]);
    named.send(1, 0, 6, &[second]);
    named.send(2, 0, 5, &[]);
    named.send(3, 0, 6, &[]);
    let only = named.recv(0, Some(2), Some(5), &[]);
    let one = named.recv(0, None, Some(5), &[only]);
    let two = named.recv(0, None, Some(5), &[one]);
    let six = named.recv(0, None, Some(6), &[]);
    named.recv(0, None, ANY_TAG, &[two, six]);
    named
}

/// Rank 1 sends twice, and which of its messages a receive of rank 0 may have is known by way of rank 2: what the
/// earlier receive of the list waits for may itself come from the later one.
fn roundabout() -> Named {
    let mut named = Named::new(4);
    named.send(3, 2, 5, &[]);
    let one = named.recv(2, None, Some(5), &[]);
    named.recv(2, None, Some(5), &[one]);
    named.send(2, 0, 9, &[one]);
    let told = named.recv(0, Some(2), Some(9), &[]);
    let early = named.recv(0, None, Some(1), &[told]);
    let late = named.recv(0, None, Some(1), &[]);
    named.recv(0, None, Some(1), &[early, late]);
    named.send(0, 2, 5, &[late]);
    let first = named.send(1, 0, 1, &[]);
    named.send(1, 0, 1, &[first]);
    named.send(3, 0, 1, &[]);
    named
}

#[test]
fn all_that_comes_out_is_possible_and_more_than_one_does() {
    for named in [race(3, true), race(3, false), mixed(), roundabout()] {
        let possible = named.possible(3000).expect("it ends");
        for protocol in PROTOCOLS {
            for eager in [0, 4096] {
                let played = named.played(&options(protocol, eager), 300);
                let played = played.unwrap_or_else(|fault| panic!("{protocol:?}: {fault}"));
                assert!(played.is_subset(&possible), "{protocol:?}, {eager}");
                // Matched beforehand there is one outcome.
                let is_before = matches!(protocol, Protocol::Rendezvous | Protocol::Get)
                    || matches!(protocol, Protocol::Literal | Protocol::Unmatched) && eager == 0;
                assert_eq!(played.len() == 1, is_before, "{protocol:?}, {eager}");
            }
        }
    }
}

#[test]
fn many_ranks_race_and_no_message_overtakes_one_of_its_rank() {
    for ranks in [2, 3, 5, 8] {
        for in_turn in [false, true] {
            let named = race(ranks, in_turn);
            named.possible(20).expect("it ends");
            for protocol in PROTOCOLS {
                for barrier in [false, true] {
                    let options = Options {
                        barrier,
                        ..options(protocol, 4096)
                    };
                    let played = named.played(&options, 40);
                    played.unwrap_or_else(|fault| panic!("{ranks}, {protocol:?}: {fault}"));
                }
            }
        }
    }
}

/// Rank 0 receives into the same bytes again and again, and adds each to a sum.
fn sum_of_all(ranks: usize, length: u64) -> (Graph, Vec<Vec<u8>>) {
    let mut graph = Graph::new(ranks).expect("ranks");
    let sum = graph.buffer(0, length).expect("memory");
    let through = graph.scratch(0, length).expect("memory");
    let mut last = None;
    for rank in 1..ranks {
        let bytes = graph.buffer(rank, length).expect("memory");
        graph.send(rank, bytes, 0, rank as u32).expect("a send");
        let recv = graph.recv_from_any(0, through, ANY_TAG).expect("a receive");
        let add = graph.op(0, Operation::Sum, Datatype::Uint64, through, sum);
        let add = add.expect("an operation");
        graph.after(add, recv).expect("an edge");
        if let Some(last) = last {
            graph.after(recv, last).expect("an edge");
        }
        last = Some(add);
    }
    let bytes = |rank: usize| {
        (0..length)
            .map(|place| (rank * 40 + place as usize) as u8)
            .collect()
    };
    (graph, (0..ranks).map(bytes).collect())
}

#[test]
fn a_sum_of_what_comes_is_the_same_whatever_comes_first() {
    for ranks in [2, 3, 5, 8] {
        let (graph, memory) = sum_of_all(ranks, 64);
        for protocol in PROTOCOLS {
            for eager in [0, 4096] {
                let fault = fault(&graph, &memory, &options(protocol, eager), 60);
                assert_eq!(fault, None, "{ranks}, {protocol:?}, {eager}");
            }
        }
    }
}

/// Listing 1 of the paper as it stands: the root receives from any source.
#[test]
fn listing_1_receives_from_any_source_without_more_operations() {
    let mut graph = Graph::new(8).expect("ranks");
    let none = Slice::default();
    let mut heard = Vec::new();
    for rank in 1..8 {
        graph.send(rank, none, 0, 0).expect("a send");
        heard.push(graph.recv_from_any(0, none, Some(0)).expect("a receive"));
    }
    for rank in 1..8 {
        let send = graph.send(0, none, rank, 0).expect("a send");
        heard
            .iter()
            .for_each(|before| graph.after(send, *before).expect("an edge"));
        graph.recv_from_any(rank, none, Some(0)).expect("a receive");
    }
    let memory = vec![Vec::new(); 8];
    for protocol in PROTOCOLS {
        assert_eq!(
            fault(&graph, &memory, &options(protocol, 4096), 100),
            None,
            "{protocol:?}"
        );
    }
    let rounds = in_rounds(&graph).expect("rounds");
    assert_eq!(fault(&rounds, &memory, &Options::default(), 100), None);
    let schedule = compile(&graph, &Options::default()).expect("it compiles");
    let plan = Plan::new(&schedule, Limits::NIC).expect("it fits");
    // An entry for each receive, one counter for all, and nothing but the sends.
    let root = plan.needs[0];
    assert_eq!((root.triggered, root.entries), (7, 7));
    assert_eq!((root.counters, plan.late_posts(), plan.works()), (2, 0, 0));
}

/// Figure 6: a message is named by its tag where that names it, else by the number of its receive.
#[test]
fn without_matching_beforehand_entries_come_and_go() {
    let mut named = Named::new(2);
    let first = named.send(0, 1, 7, &[]);
    let second = named.send(0, 1, 8, &[first]);
    named.send(0, 1, 8, &[second]);
    let came = named.recv(1, Some(0), Some(7), &[]);
    let second = named.recv(1, Some(0), Some(8), &[came]);
    named.recv(1, Some(0), Some(8), &[second]);
    let options = options(Protocol::Unmatched, 4096);
    named.played(&options, 300).expect("it is right");
    let schedule = compile(&named.graph, &options).expect("it compiles");
    let entries = |rank: usize| {
        let triggered = schedule.programs[rank].triggered.iter();
        let appended = triggered.filter_map(|one| match one.action {
            Action::Append { entry, .. } => Some(entry.bits),
            _ => None,
        });
        appended.collect::<Vec<_>>()
    };
    // One a send, two a receive, and nothing is in the list before the start.
    assert_eq!((entries(0).len(), entries(1).len()), (3, 6));
    assert!(
        schedule
            .programs
            .iter()
            .all(|program| program.entries.is_empty())
    );
    assert!(entries(0).contains(&handshake_bits(MessageKind::Ready, 0, 7)));
    let plan = Plan::new(&schedule, Limits::NIC).expect("it fits");
    assert_eq!(
        (plan.needs[1].entries, plan.again, plan.works()),
        (6, false, 0)
    );
    // Senders wait for receivers, so not in a circle.
    let mut named = Named::new(2);
    let first = named.send(0, 1, 7, &[]);
    named.send(0, 1, 8, &[first]);
    let early = named.recv(1, Some(0), Some(8), &[]);
    named.recv(1, Some(0), Some(7), &[early]);
    let stuck = compile(&named.graph, &options);
    assert!(matches!(stuck, Err(GraphError::RendezvousStuck(_))));
}

#[test]
fn a_fault_in_any_rule_is_caught() {
    let all = [
        (Flaw::ListOrder, race(3, true)),
        (Flaw::NoStartOrder, roundabout()),
        (Flaw::TakesAll, mixed()),
        (Flaw::AnyLength, two_lengths()),
        (Flaw::TakesMore, race(3, false)),
        (Flaw::AlwaysDirect, reused()),
        (Flaw::SaysOnce, chain()),
        (Flaw::DoesNotAsk, chain()),
        (Flaw::SaysEarly, chain()),
    ];
    for (flaw, named) in all {
        let of_figure_6 = matches!(flaw, Flaw::SaysOnce | Flaw::DoesNotAsk | Flaw::SaysEarly);
        let protocol = match of_figure_6 {
            true => Protocol::Unmatched,
            false => Protocol::Auto,
        };
        let right = options(protocol, 4096);
        named.played(&right, 2000).expect("without the fault");
        let options = Options {
            flaw: Some(flaw),
            ..right
        };
        assert!(named.played(&options, 2000).is_err(), "{flaw:?}");
    }
}

/// Messages of two lengths from each of two ranks, to receives of any tag.
fn two_lengths() -> Named {
    let mut named = Named::new(3);
    for length in [16, NAME] {
        named.length = length;
        for rank in 1..3 {
            named.send(rank, 0, 1, &[]);
            named.recv(0, None, ANY_TAG, &[]);
        }
    }
    named
}

/// Three ranks, one after the other.
fn chain() -> Named {
    let mut named = Named::new(3);
    named.send(0, 1, 1, &[]);
    let came = named.recv(1, Some(0), Some(1), &[]);
    named.send(1, 2, 1, &[came]);
    named.recv(2, Some(1), Some(1), &[]);
    named
}

/// A rank sends from bytes before it receives there from whoever is first.
fn reused() -> Named {
    let mut named = Named::new(3);
    let bytes = named.graph.buffer(0, NAME).expect("memory");
    let send = named.graph.send(0, bytes, 1, 1).expect("a send");
    named.recv(1, Some(0), Some(1), &[]);
    let recv = named
        .graph
        .recv_from_any(0, bytes, Some(2))
        .expect("a receive");
    named.after(recv, &[send]);
    named.recv(0, None, Some(2), &[recv]);
    named.send(1, 0, 2, &[]);
    named.send(2, 0, 2, &[]);
    named
}

#[test]
fn random_races_are_as_mpi_has_them() {
    let (mut graphs, mut open) = (0, 0);
    for seed in 0..400 {
        let mut random = Random::new(seed);
        let ranks = 3 + random.below(3);
        let mut named = Named::new(ranks);
        let mut last: Vec<Vec<VertexId>> = vec![Vec::new(); ranks];
        for _ in 0..3 + random.below(6) {
            let from = random.below(ranks);
            let to = (from + 1 + random.below(ranks - 1)) % ranks;
            let tag = random.below(2) as u32;
            let before = |random: &mut Random, all: &[VertexId]| match all {
                [] => Vec::new(),
                all if random.below(3) > 0 => vec![all[random.below(all.len())]],
                _ => Vec::new(),
            };
            let after = before(&mut random, &last[from]);
            let send = named.send(from, to, tag, &after);
            last[from].push(send);
            let source = (random.below(3) == 0).then_some(from);
            let wanted = (random.below(3) > 0).then_some(tag);
            let after = before(&mut random, &last[to]);
            let recv = named.recv(to, source, wanted, &after);
            last[to].push(recv);
        }
        // Not all matchings of what is drawn let it end; those graphs are their users' fault.
        if named.possible(2000).is_err() {
            continue;
        }
        graphs += 1;
        let matching = check(&named.graph).expect("it ends");
        open += usize::from(!choices(&named.graph, &matching).is_empty());
        for protocol in PROTOCOLS {
            for eager in [0, 4096] {
                let options = Options {
                    barrier: seed % 2 == 0,
                    ..options(protocol, eager)
                };
                let played = named.played(&options, 30);
                played.unwrap_or_else(|fault| {
                    panic!(
                        "graph {seed}, {options:?}: {fault}\n{}",
                        goal::write(&named.graph)
                    )
                });
            }
        }
    }
    assert!(
        graphs > 100 && open > 50,
        "{graphs} graphs, {open} with a choice"
    );
}

#[test]
fn what_depends_on_the_matching_is_known() {
    let (graph, _) = sum_of_all(3, 64);
    let matching = check(&graph).expect("it ends");
    let open = undetermined(&graph, &matching);
    assert!(open[1].is_empty() && open[2].is_empty());
    // The bytes that are received into, and the sum of them, as nobody looks into what an operation is.
    assert_eq!(open[0].len(), 2);
    // One sender is no choice.
    let (graph, _) = sum_of_all(2, 64);
    let matching = check(&graph).expect("it ends");
    assert!(undetermined(&graph, &matching).iter().all(Vec::is_empty));
}

#[test]
fn what_is_wrong_is_named() {
    let none = Slice::default();
    let mut graph = Graph::new(3).expect("ranks");
    graph.recv_from_any(0, none, Some(2)).expect("a receive");
    let stuck = check(&graph).expect_err("nobody sends").to_string();
    assert!(
        stuck.contains(
            "nothing is sent for vertex 0 of rank 0 (receive of 0 bytes from any rank, tag 2)"
        ),
        "{stuck}"
    );
    assert!(matches!(
        graph.recv_from_any(3, none, ANY_TAG),
        Err(GraphError::NoRank { rank: 3, ranks: 3 })
    ));
    let here = graph.buffer(1, 8).expect("memory");
    graph.send(1, here, 0, 2).expect("a send");
    assert!(matches!(
        check(&graph),
        Err(GraphError::LengthMismatch { .. })
    ));
    // Two senders, and nothing orders what both may write.
    let mut graph = Graph::new(3).expect("ranks");
    let into = graph.buffer(0, 8).expect("memory");
    for rank in 1..3 {
        let bytes = graph.buffer(rank, 8).expect("memory");
        graph.send(rank, bytes, 0, 0).expect("a send");
        graph.recv_from_any(0, into, Some(0)).expect("a receive");
    }
    assert!(matches!(check(&graph), Err(GraphError::Race { .. })));
}

/// A message that would have to wait at its sender is matched beforehand, with all of its class.
#[test]
fn what_is_too_long_for_a_shadow_buffer_is_matched_beforehand() {
    let (graph, memory) = sum_of_all(4, 64);
    let catches = |eager| {
        let schedule = compile(&graph, &options(Protocol::Auto, eager)).expect("it compiles");
        schedule.programs[0]
            .entries
            .iter()
            .filter(|entry| entry.once)
            .count()
    };
    assert_eq!((catches(64), catches(63)), (3, 0));
    assert_eq!(
        fault(&graph, &memory, &options(Protocol::Auto, 63), 50),
        None
    );
}

/// Each piece of a message would need an entry, and a context takes no more long messages at once than 16 ranks'.
#[test]
fn long_messages_of_many_ranks_are_matched_beforehand() {
    for (ranks, length, open) in [(17, 5000, 16), (18, 5000, 0), (18, 4096, 17)] {
        let mut named = Named::new(ranks);
        named.length = length;
        for rank in 1..ranks {
            named.send(rank, 0, 1, &[]);
            named.recv(0, None, Some(1), &[]);
        }
        let options = Options::default();
        named.played(&options, 5).expect("it is right");
        let schedule = compile(&named.graph, &options).expect("it compiles");
        let once = schedule.programs[0]
            .entries
            .iter()
            .filter(|entry| entry.once);
        assert_eq!(once.count(), open, "{ranks} ranks, {length} bytes");
    }
}
