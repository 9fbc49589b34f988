//! What the golden model believes of an observer when a queue fails: lawful outcomes only, in a lawful order.

mod shared;

use xtq_testbench::bus::{Access, ErrorResponse, Fault, WriteRecord};
use xtq_testbench::bytes::{Bytes, SparseMemory};
use xtq_testbench::golden::{Delivery, Witness};
use xtq_testbench::node::{Message, Trace};
use xtq_testbench::tables::format::{FUNCTION_ENTRY, QUEUE_ENTRY};
use xtq_testbench::tables::{NicState, Portal, Reached, Table};
use xtq_types::event::{access, status};

const TABLE: u64 = 1 << 40;
const RING: u64 = 2 << 40;
const WORDS: u64 = 3 << 40;
const SIZE: u64 = 16;

/// How the hardware is reported to have treated a message.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Seen {
    /// Not stopped.
    Rung,
    /// BAD_QUEUE_INDEX at admission, without a place in a shared queue, and without a header word; a place that was
    /// filled; a header word without a doorbell.
    Refused,
    Unclaimed,
    NoHeader,
    Filled,
    NoDoorbell,
}
use Seen::{Filled, NoDoorbell, NoHeader, Refused, Rung, Unclaimed};

/// When the hardware is reported to have treated a message: the parser's head, the acknowledgements of slot body and
/// header word, its end.
#[derive(Clone, Copy, Debug)]
struct When {
    parsed: u64,
    body: u64,
    header: u64,
    done: u64,
}

/// Everything before the end of any message.
const EARLY: When = When {
    parsed: 1,
    body: 2,
    header: 3,
    done: 100,
};

/// One function and one queue; a fault of the write access to this address, after `spared` others.
fn model(address: u64, spared: u32) -> Delivery {
    model_of(0, address, spared)
}

fn model_of(shared: u64, address: u64, spared: u32) -> Delivery {
    let mut memory = SparseMemory::new();
    memory.write(TABLE, &FUNCTION_ENTRY.pack(&[("registered", 1)]));
    let queue = QUEUE_ENTRY.pack(&[
        ("registered", 1),
        ("shared", shared),
        ("size", SIZE),
        ("ring_base", RING),
        ("write_index_address", WORDS),
        ("read_index_address", WORDS + 64),
        ("doorbell_address", WORDS + 128),
    ]);
    memory.write(TABLE + 64, &queue);
    let mut state = NicState::default();
    let context = &mut state.contexts[0];
    context.enabled = true;
    let table = |base| Table { base, entries: 1 };
    context.tables = [table(TABLE), table(TABLE), table(TABLE + 64)];
    context.portals[0] = Portal {
        enabled: true,
        length: 1 << 20,
        remaining: 1 << 20,
        ..Portal::default()
    };
    let mut memories: [SparseMemory; 4] = Default::default();
    memories[0] = memory;
    let mut model = Delivery::new(state, memories);
    model.atomics = true;
    let fault = Fault {
        context: None,
        addresses: address..=address + 3,
        access: Access::Write,
        response: ErrorResponse::SlaveError,
        code: 0,
        count: Some(1),
    };
    model.faults.inject(fault, spared);
    model
}

/// A witness who says this of one message after the other; those that were not refused have the slots in order.
fn witness(said: &[Seen]) -> Witness {
    timed(&said.iter().map(|seen| (*seen, EARLY)).collect::<Vec<_>>())
}

/// A witness who also says when.
fn timed(said: &[(Seen, When)]) -> Witness {
    let mut trace = Vec::new();
    let mut log = Vec::new();
    let mut slot = 0;
    for (number, (seen, when)) in (0u8..).zip(said) {
        let bad = status::BAD_QUEUE_INDEX;
        let (source_node, message_id) = (1, number.into());
        trace.push((
            when.parsed,
            Trace::Parsed {
                source_node,
                message_id,
            },
        ));
        trace.push((
            when.parsed,
            Trace::Admitted {
                slot: number,
                source_node,
                message_id,
                status: if *seen == Refused { bad } else { status::OK },
                task_hit: true,
                queue_hit: true,
            },
        ));
        trace.push((
            when.done,
            Trace::Done {
                slot: number,
                status: match seen {
                    Rung => status::OK,
                    NoDoorbell => status::MEMORY_ERROR,
                    Refused | Unclaimed | NoHeader | Filled => bad,
                },
                packet_id: 0,
            },
        ));
        let mut add = |id, line, strobes, value, b_cycle| {
            log.push(WriteRecord {
                b_cycle,
                ..write(id, line, strobes, value)
            });
        };
        let place = RING + 64 * slot;
        if !matches!(seen, Refused | Unclaimed) {
            add(0, place, !0xf, 0, when.body);
        }
        if *seen == Filled {
            add(0, place, !0xf, 0, when.body);
        }
        if matches!(seen, Rung | NoDoorbell | Filled) {
            add(2, place, 0xf, 0, when.header);
        }
        let held = said[..usize::from(number)].iter();
        if *seen == Rung && !held.clone().any(|(seen, _)| *seen == NoDoorbell) {
            add(3, WORDS + 128, 0xff, slot as u8, when.header);
        }
        slot += u64::from(!matches!(seen, Refused | Unclaimed));
    }
    Witness::new(&trace, &log)
}

fn write(id: u8, line: u64, strobes: u64, first: u8) -> WriteRecord {
    let mut data = [0; 64];
    data[0] = first;
    WriteRecord {
        aw_cycle: 1,
        w_cycle: 1,
        visible_cycle: Some(0),
        b_cycle: 0,
        burst: 0,
        id,
        context: 0,
        line,
        data,
        strobes,
        resp: 0,
    }
}

/// What became of a message; of one that failed by itself the access.
type Told = Result<Seen, u8>;

/// What the model makes of so many messages of which this is reported; and whether a queue stopped messages without a
/// cause.
fn outcomes(model: Delivery, said: &[Seen]) -> (Vec<Told>, bool) {
    outcomes_with(model, witness(said), said.len())
}

fn outcomes_with(mut model: Delivery, witness: Witness, messages: usize) -> (Vec<Told>, bool) {
    model.witness = Some(witness);
    for id in 0..messages as u16 {
        let mut packet = [0; 64];
        packet[0] = 4;
        model.packet(&Message::xtq(id, &packet, &[], &[]).packets()[0]);
    }
    let told = model.outcomes.iter().map(|outcome| {
        let reached = outcome.task.map(|task| task.reached);
        match (outcome.status, reached) {
            (status::OK, Some(Reached::Doorbell)) => Ok(Rung),
            (status::BAD_QUEUE_INDEX, None) if outcome.accepted => Ok(Unclaimed),
            (status::BAD_QUEUE_INDEX, None) => Ok(Refused),
            (status::BAD_QUEUE_INDEX, Some(Reached::Slot)) => Ok(NoHeader),
            (status::BAD_QUEUE_INDEX, Some(Reached::Header)) => Ok(Filled),
            (status::MEMORY_ERROR, Some(Reached::Header)) if outcome.access == access::DOORBELL => {
                Ok(NoDoorbell)
            }
            _ => Err(outcome.access),
        }
    });
    let told = told.collect();
    (told, !model.finish().is_empty())
}

/// A slot that fails, the second message's; a header word and a doorbell that fail, the first message's.
fn slot() -> Delivery {
    model(RING + 64, 0)
}
fn header() -> Delivery {
    model(RING, 1)
}
fn doorbell() -> Delivery {
    model(WORDS + 128, 0)
}

#[test]
fn every_lawful_outcome_is_taken_as_observed() {
    let (slot_failed, header_failed) = (Err(access::SLOT), Err(access::HEADER));
    let doorbell_failed = Err(access::DOORBELL);
    let cases: [(Delivery, &[Seen], &[Told]); 6] = [
        (
            slot(),
            &[Rung, Rung, NoHeader, Refused],
            &[Ok(Rung), slot_failed, Ok(NoHeader), Ok(Refused)],
        ),
        (
            slot(),
            &[NoDoorbell, Rung, Refused],
            &[Ok(NoDoorbell), slot_failed, Ok(Refused)],
        ),
        (
            header(),
            &[Rung, NoDoorbell, NoHeader],
            &[header_failed, Ok(NoDoorbell), Ok(NoHeader)],
        ),
        (
            header(),
            &[Rung, NoHeader, Refused],
            &[header_failed, Ok(NoHeader), Ok(Refused)],
        ),
        (
            doorbell(),
            &[Rung, Rung, NoDoorbell, NoHeader],
            &[doorbell_failed, Ok(Rung), Ok(NoDoorbell), Ok(NoHeader)],
        ),
        (
            doorbell(),
            &[Rung, Refused, Refused],
            &[doorbell_failed, Ok(Refused), Ok(Refused)],
        ),
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
fn a_queue_that_has_not_failed_stops_nothing() {
    let nothing = || model(1 << 50, 0);
    for said in [[Refused, Rung], [NoHeader, Rung], [Rung, Refused]] {
        assert_eq!(outcomes(nothing(), &said), (vec![Ok(Rung); 2], false));
    }
    // A doorbell can be held back by a failure after it; then that must come.
    let (_, causeless) = outcomes(nothing(), &[NoDoorbell, NoDoorbell]);
    assert!(causeless);
    assert_eq!(
        outcomes(slot(), &[Rung, Rung]),
        (vec![Ok(Rung), Err(access::SLOT)], false)
    );
}

#[test]
fn what_fails_at_the_doorbells_stops_no_message_in_front_of_it() {
    // The second message's header word, and its doorbell, with a first message whose doorbell was held back.
    for model in [model(RING + 64, 1), model(WORDS + 128, 0)] {
        let (told, causeless) = outcomes(model, &[NoDoorbell, Rung, Rung]);
        assert_eq!(told[0], Ok(NoDoorbell));
        assert!(causeless, "{told:?}");
    }
}

#[test]
fn what_comes_to_a_stage_when_the_failed_message_is_done_is_stopped_there() {
    let late = |when: When| (Rung, when);
    let cases = [
        (
            late(When {
                parsed: 101,
                ..EARLY
            }),
            Refused,
        ),
        (late(When { body: 100, ..EARLY }), NoHeader),
        (
            late(When {
                header: 100,
                ..EARLY
            }),
            NoDoorbell,
        ),
        (
            late(When {
                header: 99,
                ..EARLY
            }),
            Rung,
        ),
    ];
    for (said, expected) in cases {
        let witness = timed(&[(Rung, EARLY), said]);
        let (told, _) = outcomes_with(doorbell(), witness, 2);
        assert_eq!(told, [Err(access::DOORBELL), Ok(expected)], "{said:?}");
    }
}

#[test]
fn what_comes_behind_a_failure_is_never_published_as_if_nothing_had_happened() {
    let (told, _) = outcomes(slot(), &[Rung, Rung, Rung, NoDoorbell]);
    assert_eq!(told[2..], [Ok(NoHeader), Ok(NoHeader)]);
    let (told, _) = outcomes(header(), &[Rung, Rung, Rung]);
    assert_eq!(told[1..], [Ok(NoDoorbell), Ok(NoDoorbell)]);
}

#[test]
fn once_stopped_or_refused_no_later_message_comes_further() {
    let (told, _) = outcomes(doorbell(), &[Rung, NoDoorbell, Rung, NoHeader, NoDoorbell]);
    let expected = [NoDoorbell, NoDoorbell, NoHeader, NoHeader].map(Ok);
    assert_eq!(told[1..], expected);
    let (told, _) = outcomes(doorbell(), &[Rung, Refused, NoHeader, Rung]);
    assert_eq!(told[1..], [Ok(Refused); 3]);
}

#[test]
fn after_the_end_of_a_delivery_a_failed_queue_refuses_everything() {
    let mut model = doorbell();
    let mut packet = [0; 64];
    packet[0] = 4;
    let packet = Message::xtq(1, &packet, &[], &[]).packets().remove(0);
    model.witness = Some(witness(&[Rung]));
    model.packet(&packet);
    model.finish();
    model.witness = Some(witness(&[Rung, Rung]));
    model.packet(&packet);
    let last = model.outcomes.last().unwrap();
    assert_eq!((last.status, last.task), (status::BAD_QUEUE_INDEX, None));
}
