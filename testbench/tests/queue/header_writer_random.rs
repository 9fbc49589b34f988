//! `HeaderWriter` alone: random jobs, acknowledgements and closed queues against a naive model.

use std::collections::{HashMap, HashSet};

use proptest::prelude::*;
use xtq_types::Wire;
use xtq_types::event::{access, status};
use xtq_types::memory::WriteRequest;
use xtq_types::queue::DoorbellJob;

use super::header_writer::{CLOSED, Given, QUEUES, push, push_acks, push_done, rig};
use super::rig::Rig;

impl Given {
    /// In an open queue: outcome, header word if one is written, whether the queue fails.
    fn expected(self, number: u64, repair_failed: bool) -> ((u8, u8), Option<u64>, bool) {
        let own = (self.status, access::NONE);
        let payload = match (self.wait && self.error, self.wait && self.bad) {
            (true, _) => (status::MEMORY_ERROR, access::PAYLOAD),
            (_, true) => (status::BAD_LENGTH, access::NONE),
            _ => (status::OK, access::NONE),
        };
        let payload = match self.wait && self.refused && !self.error {
            true => (status::OP_VIOLATION, access::NONE),
            false => payload,
        };
        let spoilt = payload.0 != status::OK;
        let first = if own.0 == status::OK { payload } else { own };
        if !self.publish {
            return (first, None, false);
        }
        if self.slot || (spoilt && repair_failed && !self.index_failed()) {
            return ((status::MEMORY_ERROR, access::SLOT), None, true);
        }
        if self.index_failed() {
            return ((status::MEMORY_ERROR, access::INDEX), None, true);
        }
        let word = if spoilt { 3 } else { 0x1502 + (number << 16) };
        (first, Some(word), false)
    }

    fn index_failed(self) -> bool {
        self.index && !self.shared
    }
}

fn given() -> impl Strategy<Value = Given> {
    (
        0..8u8,
        any::<bool>(),
        prop::collection::vec(0..16u8, 5),
        any::<bool>(),
        0..QUEUES.len(),
    )
        .prop_map(|(kind, wait, spoilt, shared, queue)| Given {
            publish: kind > 1,
            // What a shared queue publishes has had its done.
            wait: wait && !(kind > 1 && shared),
            status: if kind == 0 {
                status::QUEUE_FULL
            } else {
                status::OK
            },
            error: spoilt[0] == 0,
            bad: spoilt[1] == 0,
            refused: kind <= 1 && spoilt[4] < 3 && spoilt[0] != 0,
            slot: spoilt[2] == 0,
            index: spoilt[3] == 0,
            shared,
            queue: QUEUES[queue],
        })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    #[test]
    fn every_job_leaves_in_order_with_its_outcome(
        givens in prop::collection::vec(given(), 1..100), seed in 0..10_000u64, gaps in 0..3u32,
        closings in prop::collection::vec((0..QUEUES.len(), 0..600u64), 0..3),
    ) {
        use rand::{Rng, SeedableRng};
        let mut rig = rig(f64::from(gaps) * 0.3, seed);
        let mut rng = rand_chacha::ChaCha8Rng::seed_from_u64(seed);
        rig.memory.faults = Box::new(move |_, _, _| rng.random_bool(0.2));
        for (queue, cycle) in closings {
            rig.queues().close(QUEUES[queue], cycle);
        }
        for (number, given) in givens.iter().enumerate() {
            push(&mut rig, number as u64, *given);
            push_acks(&mut rig, *given);
            push_done(&mut rig, *given);
        }
        let mut owed = 0i64;
        let (mut accepted, mut taken) = (0, 0);
        for _ in 0..4000 {
            rig.cycle();
            prop_assert_eq!(rig.get("payload_waiting") == 1, waiting_after(&mut rig, &givens, &mut accepted, &mut taken, &mut owed));
            if rig.received("ring_job").len() == givens.len() {
                break;
            }
        }
        rig.run(20);
        let jobs: Vec<DoorbellJob> = rig.sink("ring_job").values();
        let headers: Vec<WriteRequest> = rig.sink("header").values();
        prop_assert_eq!(jobs.len(), givens.len());
        let mut headers = headers.into_iter().zip(rig.queues().offers.clone());
        let closed_since = QUEUES.map(|queue| (queue, rig.queues().closed_since(queue)));
        let closed_since = HashMap::from(closed_since);
        let mut fails = rig.received("slot_fail").iter().map(|(_, words)| words[0]);
        let mut repairs = rig.memory.of("repair").into_iter().peekable();
        let mut failed = HashSet::new();
        for (number, (given, job)) in givens.iter().zip(jobs).enumerate() {
            let number = number as u64;
            let lost = given.slot || given.index_failed();
            let spoilt = given.wait && (given.error || given.bad);
            let mut repair_failed = false;
            let repair = repairs.next_if(|repair| repair.address == 0x1000 + 64 * number);
            if let Some(repair) = repair {
                let open = spoilt && !failed.contains(&given.queue);
                prop_assert!(given.publish && !lost && (open || given.shared), "repair of {}", number);
                prop_assert_eq!((repair.strobe, repair.data), (!15, [0; 8]));
                prop_assert!(repair.accepted < rig.received("ring_job")[number as usize].0);
                repair_failed = repair.failed;
            }
            let (mut outcome, mut word, mut fails_queue) = given.expected(number, repair_failed);
            let told = (job.status.to_u64() as u8, job.access.to_u64() as u8);
            // Closed by an earlier job for certain; by somebody else if the job left afterwards.
            let left = rig.received("ring_job")[number as usize].0;
            let closed = given.publish && (failed.contains(&given.queue) || told == CLOSED);
            if closed {
                prop_assert!(closed_since[&given.queue] < left, "job {} left in {}", number, left);
                (outcome, word, fails_queue) = (CLOSED, None, false);
                // Others wait after a slot that was written.
                prop_assert!(!given.shared || repair.is_some() != lost, "shared slot of {}", number);
                if given.shared && !lost && !repair_failed {
                    word = Some(3);
                }
            } else if given.publish && spoilt && !lost {
                prop_assert!(repair.is_some(), "no repair of {}", number);
            }
            prop_assert_eq!(told, outcome);
            prop_assert_eq!((job.slot.to_u64(), job.packet_id.to_u64()), (number, number + 5));
            prop_assert_eq!((job.doorbell_address.to_u64(), job.doorbell_value.to_u64()), (0x9000 + 8 * number, number + 7));
            prop_assert_eq!(job.written.to_u64() == 1, word.is_some());
            prop_assert_eq!(job.ring.to_u64() == 1, word.is_some() && !closed);
            if let Some(word) = word {
                let (header, offered) = headers.next().unwrap();
                prop_assert!(closed || offered < closed_since[&given.queue], "job {} published in a closed queue", number);
                let mut data = [0; 8];
                header.data.to_words(&mut data);
                prop_assert_eq!((header.address.to_u64(), header.strobe.to_u64(), data[0]), (0x1000 + 64 * number, 15, word));
                prop_assert_eq!(header.context.to_u64(), given.queue >> 6);
            }
            if fails_queue {
                prop_assert_eq!(fails.next(), Some(given.queue));
                failed.insert(given.queue);
            }
        }
        prop_assert!(headers.next().is_none() && fails.next().is_none() && repairs.next().is_none());
    }
}

/// Whether an accepted job waits for its `done`, after the handshakes so far.
fn waiting_after(
    rig: &mut Rig,
    givens: &[Given],
    accepted: &mut usize,
    taken: &mut usize,
    owed: &mut i64,
) -> bool {
    let jobs = rig.source("job").accepted().len();
    *owed += givens[*accepted..jobs]
        .iter()
        .filter(|given| given.wait)
        .count() as i64;
    *accepted = jobs;
    let dones = rig.source("done").accepted().len();
    *owed -= (dones - *taken) as i64;
    *taken = dones;
    *owed > 0
}
