//! `DoorbellWriter` alone: random traffic, failures and closed queues against a naive model.

use proptest::prelude::*;
use xtq_types::Wire;
use xtq_types::event::{access, status};
use xtq_types::queue::Completion;

use super::doorbell_writer::{SPOILED, bells, filled, job, rig, spoiled};
use super::queues::Queue;

/// Whether the header word of a job failed: see the kinds in the test.
fn header_fails_of(kind: u8, number: u64) -> bool {
    kind == 1 || (kind == 2 || kind == 3) && number.is_multiple_of(2)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    #[test]
    fn every_message_completes_in_order_after_a_doorbell_that_covers_it(
        kinds in prop::collection::vec((0..3usize, 0..10u8), 1..150), seed in 0..10_000u64, gaps in 0..3u32, stall in 0..4u32,
        latency in 1..60u64, faults in 0..2u32, closings in prop::collection::vec((0..3usize, 0..600u64), 0..3),
    ) {
        use rand::{Rng, SeedableRng};
        let queues = [Queue::new(2, 5, 8), Queue::new(1, 5, 8), Queue::new(2, 6, 8)];
        let mut rig = rig(f64::from(gaps) * 0.3, f64::from(stall) * 0.3, (1, latency), seed);
        let mut rng = rand_chacha::ChaCha8Rng::seed_from_u64(seed);
        rig.memory.faults = Box::new(move |_, _, _| rng.random_bool(f64::from(faults) * 0.1));
        for (queue, cycle) in closings {
            rig.queues().close(queues[queue].key(), cycle);
        }
        for (number, &(queue, kind)) in kinds.iter().enumerate() {
            // Kind 0 has no header word, of kind 1 it failed, of kind 2 it filled a slot, of kind 3 that of a message
            // that had failed.
            let (queue, number) = (queues[queue], number as u64);
            let job = match kind {
                2 => filled(number, queue),
                3 => spoiled(number, queue),
                _ => job(number, queue, number, kind != 0),
            };
            rig.source("job").push_value(job);
            if kind != 0 {
                rig.source("headers").push(&[u64::from(header_fails_of(kind, number))]);
            }
        }
        rig.run_until(30_000, |rig| rig.received("completion").len() == kinds.len());
        rig.run(10);
        let mut headers = 0;
        let (mut header_fails, mut doorbell_fails) = (Vec::new(), Vec::new());
        // First cycle in which the job at hand can have been taken.
        let mut taken = 0;
        let log = rig.memory.of("doorbell").into_iter().cloned().collect::<Vec<_>>();
        let bells = bells(&rig);
        for (number, &(queue, kind)) in kinds.iter().enumerate() {
            let (completed, words) = &rig.received("completion")[number];
            let completion = Completion::from_words(words);
            let outcome = (completion.status.to_u64() as u8, completion.access.to_u64() as u8);
            let number = number as u64;
            prop_assert_eq!((completion.slot.to_u64(), completion.packet_id.to_u64()), (number, number));
            prop_assert_eq!(completion.context.to_u64(), queues[queue].context);
            let completed = *completed;
            taken += 1;
            if kind == 0 {
                prop_assert_eq!(outcome, (status::QUEUE_FULL, access::NONE));
                continue;
            }
            let header = rig.source("headers").accepted()[headers];
            headers += 1;
            taken = taken.max(header);
            let at = (queues[queue].context, queues[queue].doorbell());
            let own = bells.iter().any(|bell| bell.2 == number);
            let header_failed = header_fails_of(kind, number);
            prop_assert!(kind > 2 && !header_failed || !own, "job {} rung", number);
            // What is reported of a message that had failed before its queue did.
            let or_before = |outcome| if kind == 3 { SPOILED } else { outcome };
            if kind == 2 {
                prop_assert_eq!(outcome, (status::BAD_QUEUE_INDEX, access::NONE));
                prop_assert!(completed >= header, "complete before the header");
                continue;
            }
            // Closed for certain after a header that failed; by others if they closed it before the job was gone.
            let closed_since = rig.queues().closed_since(queues[queue].key());
            let certain = header_fails.contains(&queues[queue].key());
            if header_failed {
                if certain || outcome.0 == status::BAD_QUEUE_INDEX {
                    prop_assert_eq!(outcome, (status::BAD_QUEUE_INDEX, access::NONE), "job {}", number);
                    prop_assert!(closed_since < completed);
                } else {
                    prop_assert!(closed_since > taken, "job {} in a closed queue", number);
                    prop_assert_eq!(outcome, (status::MEMORY_ERROR, access::HEADER));
                    header_fails.push(queues[queue].key());
                }
                continue;
            }
            // The doorbells are in the order of the messages; this message's is the first that is not older.
            let bell = bells.iter().position(|bell| bell.2 >= number);
            let Some(bell) = bell.filter(|&bell| (bells[bell].0, bells[bell].1) == at) else {
                let unrung = or_before((status::MEMORY_ERROR, access::DOORBELL));
                prop_assert_eq!(outcome, unrung, "job {} is not rung", number);
                prop_assert!(closed_since < completed, "job {} not rung in an open queue", number);
                continue;
            };
            prop_assert!(!certain && closed_since > taken, "job {} rung in a closed queue", number);
            prop_assert!(log[bell].accepted >= header, "doorbell before the header");
            prop_assert!(completed >= log[bell].answered, "complete before the doorbell");
            if log[bell].failed {
                prop_assert_eq!(outcome, or_before((status::MEMORY_ERROR, access::DOORBELL)));
                doorbell_fails.push(queues[queue].key());
            } else {
                prop_assert_eq!(outcome, or_before((status::OK, access::NONE)));
            }
        }
        for (port, fails) in [("header_fail", header_fails), ("doorbell_fail", doorbell_fails)] {
            let told: Vec<u64> = rig.received(port).iter().map(|(_, words)| words[0]).collect();
            prop_assert_eq!(told, fails);
        }
        prop_assert!(bells.windows(2).all(|pair| pair[0].2 < pair[1].2), "a doorbell older than the one before");
    }
}
