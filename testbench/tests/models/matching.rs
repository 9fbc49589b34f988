//! The dissertation's statements about matching, judged on runs made by hand; the drivers of the matchers against the
//! naive matcher.

use proptest::prelude::*;
use serde_json::Value;
use xtq_mpi_trace::{Arrival, Happening, Matcher as Naive, QueueStatistics, Receive};
use xtq_testbench::cases::{On, Status, run_text};
use xtq_testbench::experiments::match_rate::{self, Order};
use xtq_testbench::experiments::match_traces::{self, Spread};
use xtq_testbench::matchers::{Came, Kind, Step};

/// A run of the benchmark: a matcher, an order, a length, equal messages, and cycles.
fn row(matcher: &'static str, order: Order, length: usize, cycles: u64) -> match_rate::Row {
    match_rate::Row {
        series: match_rate::Series::Length,
        matcher,
        side: match_rate::Side::Messages,
        order,
        length,
        sources: 1,
        multiplicity: 0,
        fill_cycles: vec![length as u64],
        match_cycles: vec![cycles],
        placed_mhz: Some(100.0),
    }
}

#[test]
fn rates_are_matches_in_a_second() {
    let row = row("list", Order::Best, 256, 1024);
    assert_eq!(row.at_1_ghz(), 250.0);
    assert_eq!(row.at_placed(), Some(25.0));
    assert_eq!(row.both_at_1_ghz(), 200.0);
    let row = match_rate::Row {
        fill_cycles: vec![256, 256],
        match_cycles: vec![1024, 512],
        ..row
    };
    assert_eq!(row.at_1_ghz(), 375.0);
    assert!(row.interval().half > 1000.0);
    assert_eq!(row.both_at_1_ghz(), 250.0);
}

#[test]
fn statements_about_rates_hold_at_the_dissertations_numbers_and_not_below() {
    use Order::{Average, Best, Worst};
    let judged = |scale: u64| {
        let mut rows = vec![
            row("list", Best, 256, 256 * 40 * scale),
            row("list", Average, 256, 256 * 100 * scale),
            row("list", Average, 1024, 1024 * 500 * scale),
            row("NIC", Best, 256, 256 * 40 * scale),
            row("NIC", Average, 256, 256 * 100 * scale),
            row("hash", Average, 1024, 1024 * 4 * scale * scale * scale),
            row("hash", Worst, 64, 64),
            row("hash", Worst, 1024, 1024 * scale),
        ];
        for (equal, cycles) in [(0, 256), (20, 256 * scale)] {
            rows.push(match_rate::Row {
                series: match_rate::Series::Multiplicity,
                multiplicity: equal,
                ..row("hash", Average, 256, cycles)
            });
        }
        for side in match_rate::Side::ALL {
            // Four senders four times as fast as one, and 60 million a second; or twice, and half as many.
            for (sources, cycles) in [(1, 256 * 64), (4, 256 * 16 * scale), (16, 256 * 16 * scale)]
            {
                rows.push(match_rate::Row {
                    series: match_rate::Series::Sources,
                    side,
                    sources,
                    ..row("partitioned", Average, 256, cycles)
                });
            }
        }
        let statements = match_rate::statements(&rows);
        statements.iter().map(|one| one.holds).collect::<Vec<_>>()
    };
    assert_eq!(judged(1), [true; 12]);
    assert_eq!(judged(2), [false; 12]);
    assert!(match_rate::statements(&[]).is_empty());
}

#[test]
fn statements_about_traces_hold_at_the_dissertations_numbers_and_not_beside_them() {
    let spread = |value: usize| Spread {
        quartiles: [value; 5],
        mean: value as f64,
    };
    let judged = |unexpected_percent, median, depth, wildcards, bytes, equal| {
        let queues = match_traces::Queues {
            unexpected_percent,
            posted_length: spread(median),
            posted_depth: spread(median),
            unexpected_length: spread(100),
            unexpected_depth: spread(depth),
            ..match_traces::Queues::new("a", false, QueueStatistics::of(1, &[], false))
        };
        let calls = match_traces::Calls {
            load: "a".into(),
            format: "CSV",
            ranks: 2,
            missing_ranks: 0,
            isend_percent: 0.0,
            irecv_percent: 0.0,
            wildcards,
            peers: 1.0,
            bytes: spread(bytes),
            message_bytes_percent: 0.0,
            collectives: Default::default(),
            left_out: vec![],
            not_in_the_trace: &[],
        };
        let run = match_traces::Run {
            load: "a".into(),
            expected_only: false,
            matcher: "list",
            events: 10,
            wildcard_events: 0,
            pairs: 5,
            equal,
            different: 5 - equal,
            refused: 0,
            cycles: 10,
        };
        let statements = match_traces::statements(&[calls], &[queues], &[run]);
        statements.iter().map(|one| one.holds).collect::<Vec<_>>()
    };
    assert_eq!(judged(36.0, 128, 100, 0, 5_000, 5), [true; 6]);
    assert_eq!(judged(60.0, 5, 10, 3, 50_000, 4), [false; 6]);
}

/// Posts and arrivals of few senders and tags; some receives from any sender, or with any tag.
fn steps(any_sender: bool, any_tag: bool) -> impl Strategy<Value = Vec<Step>> {
    let one = (any::<bool>(), 0..5u32, 0..4i32, 0..2u64, 0..8u8);
    prop::collection::vec(one, 1..120).prop_map(move |steps| {
        let steps = steps.into_iter().enumerate();
        let step = |(number, (posts, from, tag, comm, any))| {
            let what = if posts {
                Happening::Post(Receive {
                    from: (!any_sender || any & 1 == 0).then_some(from),
                    tag: (!any_tag || any & 2 == 0).then_some(tag),
                    comm,
                    blocking: false,
                })
            } else {
                Happening::Arrive(Arrival { from, tag, comm })
            };
            (number, what)
        };
        steps.map(step).collect()
    })
}

fn compare(kind: Kind, steps: &[Step]) {
    let mut naive = Naive::new(1);
    let body = kind.body().unwrap();
    let played = kind.build(&body, true).unwrap().play(steps).unwrap();
    for ((number, what), came) in steps.iter().zip(&played.came) {
        let found = match *what {
            Happening::Post(post) => naive.post(0, post, *number),
            Happening::Arrive(message) => naive.arrive(0, message, *number),
        };
        let expected = found.partner.map_or(Came::Waits, Came::Matched);
        assert_eq!(*came, expected, "{}: step {number}, {what:?}", kind.name());
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(12))]

    #[test]
    fn a_list_finds_the_naive_matchers_partners_with_wildcards(steps in steps(true, true)) {
        compare(Kind::List, &steps);
    }

    #[test]
    fn a_nic_finds_the_naive_matchers_partners_with_wildcards(steps in steps(true, true)) {
        compare(Kind::Nic, &steps);
    }

    #[test]
    fn partitions_find_the_naive_matchers_partners_with_any_tag(steps in steps(false, true)) {
        compare(Kind::Partitioned, &steps);
    }

    #[test]
    fn an_exact_matcher_finds_the_naive_matchers_partners(steps in steps(false, false)) {
        compare(Kind::Exact, &steps);
    }

    #[test]
    fn a_hash_table_finds_the_naive_matchers_partners(steps in steps(false, false)) {
        compare(Kind::Hash, &steps);
    }
}

#[test]
fn a_full_matcher_refuses_and_keeps_what_it_has() {
    let message = |tag| {
        Happening::Arrive(Arrival {
            from: 1,
            tag,
            comm: 0,
        })
    };
    for kind in Kind::ALL {
        let all = kind.room() as i32 + 1;
        let mut steps: Vec<Step> = (0..all).map(|tag| (tag as usize, message(tag))).collect();
        let receive = Receive {
            from: Some(1),
            tag: Some(3),
            comm: 0,
            blocking: false,
        };
        steps.push((5000, Happening::Post(receive)));
        let body = kind.body().unwrap();
        let played = kind.build(&body, true).unwrap().play(&steps).unwrap();
        assert_eq!(played.refused(), 1, "{}", kind.name());
        assert_eq!(played.came[all as usize - 1], Came::Refused);
        assert_eq!(played.came.last(), Some(&Came::Matched(3)));
    }
}

/// Whether a matcher's rules have all steps of a case.
fn has_steps(kind: Kind, steps: &[Value]) -> bool {
    let takes = |step: &Value| {
        let step = step.as_array().unwrap();
        let op = step[0].as_str().unwrap();
        let (source, tag) = match op {
            "post" => (&step[2], &step[3]),
            "probe" | "mprobe" => (&step[1], &step[2]),
            _ => (&Value::Null, &Value::Null),
        };
        match kind {
            Kind::List | Kind::Nic => true,
            Kind::Partitioned => source != -1,
            Kind::Hash | Kind::Exact => source != -1 && tag != -1,
        }
    };
    steps.iter().all(takes)
}

#[test]
fn the_open_cases_of_mpi_pass_on_each_matcher_whose_rules_have_their_steps() {
    let file = include_str!("../../cases/portals-mpi.json");
    let document: Value = serde_json::from_str(file).unwrap();
    let kinds = [
        (Kind::List, 28),
        (Kind::Partitioned, 21),
        (Kind::Hash, 18),
        (Kind::Exact, 18),
    ];
    for (kind, wanted) in kinds {
        let outcomes = run_text("portals-mpi.json", file, On::Matcher(kind)).unwrap();
        let cases = document["cases"].as_array().unwrap();
        assert_eq!(cases.len(), outcomes.len());
        let mut passed = 0;
        for (case, outcome) in cases.iter().zip(&outcomes) {
            let status = match case["kind"].as_str() {
                Some("mpi") if has_steps(kind, case["steps"].as_array().unwrap()) => Status::Passed,
                _ => Status::Unsupported,
            };
            assert_eq!(outcome.status, status, "{}: {outcome:?}", kind.name());
            passed += usize::from(status == Status::Passed);
        }
        assert_eq!(passed, wanted, "{}", kind.name());
    }
}
