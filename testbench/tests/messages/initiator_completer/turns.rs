//! How often something is taken, and whose turn it is.

use super::{Item, Message, Run};
use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;
use std::collections::VecDeque;

#[test]
fn a_message_that_is_sent_is_done_every_two_cycles() {
    let mut rng = ChaCha8Rng::seed_from_u64(1);
    let mut run = Run::new(&mut rng);
    run.queues = Default::default();
    for (at, message) in run.table.iter_mut().enumerate() {
        // One event or one count each, and it has not ended.
        *message = Message {
            number: at as u64,
            ack: 1,
            replies: false,
            two: false,
            descriptors: [if at % 2 == 0 { 1 } else { 34 }, 0],
            sent: false,
            answered: false,
        };
        run.queues[0].push_back(Item::Sent(at, false));
    }
    run.model.messages = run.table.clone();
    for _ in 0..30 {
        run.cycle([true; 4], [true; 2]);
    }
    assert!(run.model.expected.is_empty());
    assert_eq!(run.accepted, [0, 2, 4, 6, 8]);
}

/// While messages of one context are sent without end, an answer, a reply and a command's end are taken in turn.
#[test]
fn none_of_the_four_waits_for_ever() {
    for ends in [false, true] {
        let mut rng = ChaCha8Rng::seed_from_u64(2);
        let mut run = Run::new(&mut rng);
        run.queues = Default::default();
        for (at, message) in run.table.iter_mut().enumerate() {
            // Place 0 is sent again and again; an answer is asked of two others, and replies of two.
            *message = Message {
                number: at as u64,
                ack: u64::from(at > 0),
                replies: at > 2,
                two: false,
                descriptors: [if ends { 35 } else { 0 }, 0],
                sent: at > 0,
                answered: at == 0,
            };
        }
        run.model.messages = run.table.clone();
        let generation = run.model.generations[1];
        run.queues[1].extend([Item::Answer(1, generation), Item::Answer(2, generation)]);
        run.queues[2].extend([Item::Reply(3), Item::Reply(4)]);
        run.queues[3].extend([Item::Command(7), Item::Command(8)]);
        let mut streamed = 0;
        for _ in 0..80 {
            if run.queues[0].is_empty() {
                run.queues[0].push_back(Item::Sent(0, false));
                streamed += 1;
            }
            run.cycle([true; 4], [true; 2]);
        }
        assert!(
            run.queues[1..].iter().all(VecDeque::is_empty),
            "{:?}",
            run.queues
        );
        assert!(streamed > 12, "{streamed}");
    }
}
