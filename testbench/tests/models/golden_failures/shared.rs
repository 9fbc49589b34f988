//! A shared queue that fails.

use Seen::{Filled, NoDoorbell, NoHeader, Refused, Rung, Unclaimed};
use xtq_testbench::bytes::Bytes;
use xtq_testbench::golden::Delivery;
use xtq_testbench::node::Message;
use xtq_types::event::access;

use super::{RING, Seen, Told, WORDS, doorbell, model_of, outcomes, witness};

/// A swap that fails, the third message's; of a shared queue.
fn swap() -> Delivery {
    model_of(1, WORDS, 2)
}

#[test]
fn every_lawful_outcome_of_a_shared_queue_is_taken_as_observed() {
    let of_shared = |address, spared| model_of(1, address, spared);
    let cases: [(Delivery, &[Seen], &[Told]); 5] = [
        (
            of_shared(WORDS + 128, 0),
            &[Rung, Rung, NoDoorbell, Filled, Unclaimed, Refused],
            &[
                Err(access::DOORBELL),
                Ok(Rung),
                Ok(NoDoorbell),
                Ok(Filled),
                Ok(Unclaimed),
                Ok(Refused),
            ],
        ),
        (
            of_shared(RING, 0),
            &[Rung, Filled, Unclaimed],
            &[Err(access::SLOT), Ok(Filled), Ok(Unclaimed)],
        ),
        (
            of_shared(RING, 1),
            &[Rung, NoDoorbell, Unclaimed],
            &[Err(access::HEADER), Ok(NoDoorbell), Ok(Unclaimed)],
        ),
        // In front of a swap that fails.
        (
            swap(),
            &[NoDoorbell, Filled, Rung, Unclaimed, Refused],
            &[
                Ok(NoDoorbell),
                Ok(Filled),
                Err(access::INDEX),
                Ok(Unclaimed),
                Ok(Refused),
            ],
        ),
        (swap(), &[Rung, Rung], &[Ok(Rung), Ok(Rung)]),
    ];
    for (model, said, expected) in cases {
        assert_eq!(
            outcomes(model, said),
            (expected.to_vec(), false),
            "{said:?}"
        );
    }
}

#[test]
fn a_shared_queue_stops_nothing_without_a_cause_and_nothing_later_comes_further() {
    let good = || model_of(1, 1 << 50, 0);
    // Nobody but a swap that fails can be after a place that was filled.
    let (told, causeless) = outcomes(good(), &[Filled, Filled]);
    assert_eq!((told, causeless), (vec![Ok(Filled); 2], true));
    // Before anything has failed no message goes without a place.
    let (told, causeless) = outcomes(good(), &[Unclaimed, Unclaimed]);
    assert!(causeless && !told.contains(&Ok(Unclaimed)), "{told:?}");
    let bell = || model_of(1, WORDS + 128, 0);
    // A place that was written into was claimed, whoever is reported to have done it; what follows comes no further.
    let (told, _) = outcomes(bell(), &[Rung, Unclaimed, Filled, Rung]);
    assert_eq!(told[1..], [Ok(Filled); 3]);
    let (told, _) = outcomes(bell(), &[Rung, Filled, NoDoorbell, Rung]);
    assert_eq!(told[1..], [Ok(Filled); 3]);
    let (told, _) = outcomes(swap(), &[Rung, Rung, Rung, Filled, Rung]);
    assert_eq!(
        told[2..],
        [Err(access::INDEX), Ok(Unclaimed), Ok(Unclaimed)]
    );
    // An exclusive queue has no places to claim.
    let (told, _) = outcomes(doorbell(), &[Rung, Unclaimed]);
    assert_eq!(told[1..], [Ok(NoHeader)]);
}

#[test]
fn a_filled_place_holds_a_packet_that_does_nothing() {
    let mut model = model_of(1, WORDS + 128, 0);
    model.witness = Some(witness(&[Rung, Filled, Unclaimed]));
    for id in 0..3 {
        let mut packet = [0x55; 64];
        packet[..4].copy_from_slice(&[4, 0, 0, 0]);
        packet[48..56].copy_from_slice(&[0; 8]);
        packet[8..16].copy_from_slice(&[0; 8]);
        model.packet(&Message::xtq(id, &packet, &[], &[]).packets()[0]);
    }
    let mut slot = [0; 64];
    model.memories[0].read(RING + 64, &mut slot);
    let mut filler = [0; 64];
    filler[0] = 3;
    assert_eq!(slot, filler);
    assert_eq!(model.memories[0].read_u64(WORDS), 2, "places claimed");
    let tasks: Vec<_> = model.outcomes.iter().map(|outcome| outcome.task).collect();
    assert!(tasks[1].is_some() && tasks[2].is_none());
}
