//! Random MPI matching on the model against MPI's rules of matching on two plain lists.

use crate::portals_model::setup::*;
use proptest::prelude::*;
use serde_json::{Value, json};
use xtq_testbench::cases::mpi;
use xtq_testbench::portals::Network;

/// (source, tag, communicator); -1 is any.
type Envelope = (i64, i64, u16);

#[derive(Clone, Debug)]
enum Step {
    Post(Envelope),
    Arrive(Envelope),
    Probe(Envelope),
    Mprobe(Envelope),
    /// The n-th receive, if there are any.
    Cancel(prop::sample::Index),
}

/// MPI's rules of matching: posted receives and unexpected messages, both in order.
#[derive(Default)]
struct Naive {
    prq: Vec<(String, Envelope)>,
    umq: Vec<(String, Envelope)>,
    pairs: Vec<(String, String)>,
    probes: Vec<Option<String>>,
}

fn takes(wanted: Envelope, message: Envelope) -> bool {
    wanted.2 == message.2
        && (wanted.0 == -1 || wanted.0 == message.0)
        && (wanted.1 == -1 || wanted.1 == message.1)
}

impl Naive {
    fn oldest_unexpected(&self, wanted: Envelope) -> Option<usize> {
        self.umq
            .iter()
            .position(|(_, message)| takes(wanted, *message))
    }

    fn post(&mut self, name: &str, wanted: Envelope) {
        match self.oldest_unexpected(wanted) {
            Some(place) => {
                let (message, _) = self.umq.remove(place);
                self.pairs.push((name.to_owned(), message));
            }
            None => self.prq.push((name.to_owned(), wanted)),
        }
    }

    fn arrive(&mut self, name: &str, message: Envelope) {
        match self
            .prq
            .iter()
            .position(|(_, wanted)| takes(*wanted, message))
        {
            Some(place) => {
                let (receive, _) = self.prq.remove(place);
                self.pairs.push((receive, name.to_owned()));
            }
            None => self.umq.push((name.to_owned(), message)),
        }
    }

    fn probe(&mut self, wanted: Envelope, remove: bool) {
        let place = self.oldest_unexpected(wanted);
        self.probes
            .push(place.map(|place| self.umq[place].0.clone()));
        if let (Some(place), true) = (place, remove) {
            self.umq.remove(place);
        }
    }

    fn result(&self) -> Value {
        let names = |list: &[(String, Envelope)]| -> Vec<String> {
            list.iter().map(|(name, _)| name.clone()).collect()
        };
        json!({
            "pairs": self.pairs, "prq": names(&self.prq), "umq": names(&self.umq), "probes": self.probes,
        })
    }
}

/// The steps of a case, and what the two lists say of them.
fn play(steps: &[Step]) -> (Vec<Value>, Value) {
    let (mut naive, mut list, mut receives) = (Naive::default(), Vec::new(), Vec::new());
    for (number, step) in steps.iter().enumerate() {
        list.push(match step {
            Step::Post(e) => {
                let name = format!("r{number}");
                naive.post(&name, *e);
                receives.push(name.clone());
                json!(["post", name, e.0, e.1, e.2])
            }
            Step::Arrive(e) => {
                let name = format!("m{number}");
                naive.arrive(&name, *e);
                json!(["arrive", name, e.0, e.1, e.2])
            }
            Step::Probe(e) => {
                naive.probe(*e, false);
                json!(["probe", e.0, e.1, e.2])
            }
            Step::Mprobe(e) => {
                naive.probe(*e, true);
                json!(["mprobe", e.0, e.1, e.2])
            }
            Step::Cancel(_) if receives.is_empty() => continue,
            Step::Cancel(which) => {
                let name = &receives[which.index(receives.len())];
                naive.prq.retain(|(other, _)| other != name);
                json!(["cancel", name])
            }
        });
    }
    (list, naive.result())
}

/// Few values, so that much matches; the ends of the ranges are among them.
fn step() -> impl Strategy<Value = Step> {
    let source = || prop_oneof![0_i64..3, Just(65_535)];
    let tag = || prop_oneof![0_i64..3, Just(i64::from(u32::MAX))];
    let context = || prop_oneof![Just(0_u16), Just(0), Just(1), Just(65_535)];
    let wanted = || {
        let any = || Just(-1_i64);
        (
            prop_oneof![3 => source(), 1 => any()],
            prop_oneof![3 => tag(), 1 => any()],
            context(),
        )
    };
    prop_oneof![
        6 => wanted().prop_map(Step::Post),
        6 => (source(), tag(), context()).prop_map(Step::Arrive),
        1 => wanted().prop_map(Step::Probe),
        1 => wanted().prop_map(Step::Mprobe),
        1 => any::<prop::sample::Index>().prop_map(Step::Cancel),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    #[test]
    fn any_sequence_of_posts_and_arrivals_is_paired_as_two_plain_lists_pair_it(
        steps in prop::collection::vec(step(), 0..120),
    ) {
        let (list, wanted) = play(&steps);
        let case = json!({"steps": list, "expect": wanted});
        let (result, differences) = mpi::run::<Network>(&case).expect("it runs");
        prop_assert!(differences.is_empty(), "{:?}\n{}", differences, result);
    }
}

#[test]
fn long_queues_are_paired_at_head_middle_and_tail() {
    for length in [0_i64, 1, 127, 128, 129, 1000] {
        for hit in [0, length / 2, (length - 1).max(0)] {
            let mut steps: Vec<Step> = (0..length).map(|tag| Step::Arrive((1, tag, 0))).collect();
            steps.push(Step::Post((1, hit, 0)));
            steps.extend((0..length).map(|tag| Step::Post((2, tag, 0))));
            steps.push(Step::Arrive((2, hit, 0)));
            let (list, wanted) = play(&steps);
            let case = json!({"steps": list, "expect": wanted});
            let (_, differences) = mpi::run::<Network>(&case).expect("it runs");
            assert!(differences.is_empty(), "{length} {hit}: {differences:?}");
        }
    }
}

#[test]
fn a_message_that_is_too_long_for_a_receive_matches_it_all_the_same() {
    let mut node = node();
    let me = xtq_testbench::portals::MatchEntry {
        length: 4,
        ..entry(&[
            xtq_testbench::portals::MeOption::OpPut,
            xtq_testbench::portals::MeOption::UseOnce,
        ])
    };
    append(&mut node, 1, me.clone());
    append(
        &mut node,
        2,
        xtq_testbench::portals::MatchEntry { length: 64, ..me },
    );
    receive(&mut node, &put(0, &[7; 8]));
    assert_eq!(linked(&node, xtq_testbench::portals::List::Priority), [2]);
}
