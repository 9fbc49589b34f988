//! Offsets and lengths near 2^64: values, never a panic.

use crate::portals_model::setup::*;
use proptest::prelude::*;
use xtq_testbench::portals::{
    AckRequest, AtomicOp, Command, CounterId, Datatype, Limits, List, MatchEntry, MdId, MeOption,
    MeOptions, MemoryDescriptor, NiFail, Place, Refusal, Request, RequestKind, Search, Transfer,
};

/// Numbers at which something may overflow.
fn number() -> impl Strategy<Value = u64> {
    prop_oneof![
        0_u64..80,
        Just(MEMORY as u64),
        (u64::MAX - 80)..=u64::MAX,
        Just(1 << 63),
        any::<u64>(),
    ]
}

#[derive(Clone, Debug)]
enum Step {
    Append(bool, u64, u64, u32, u64),
    Put(u64, usize, u64),
    Get(u64, u64),
    Fetch(u64, usize),
    Search(bool, u64, u32),
    Unlink(u32),
    Send(u64, u64, u64, u64, bool),
    Count(u64, u64),
    When(u64),
}

fn step() -> impl Strategy<Value = Step> {
    // Bits 1 to 19 are options; IOVEC has tests of its own.
    let options = (0_u32..1 << 19).prop_map(|bits| bits << 1);
    let few = 0_u64..3;
    prop_oneof![
        (any::<bool>(), number(), number(), options.clone(), number()).prop_map(
            |(over, start, length, options, min_free)| Step::Append(
                over, start, length, options, min_free
            )
        ),
        (number(), 0_usize..80, few.clone())
            .prop_map(|(offset, length, bits)| Step::Put(offset, length, bits)),
        (number(), number()).prop_map(|(offset, length)| Step::Get(offset, length)),
        (number(), 0_usize..80).prop_map(|(offset, length)| Step::Fetch(offset, length)),
        (any::<bool>(), few, options)
            .prop_map(|(delete, bits, options)| Step::Search(delete, bits, options)),
        (0_u32..20).prop_map(Step::Unlink),
        (number(), number(), number(), number(), any::<bool>()).prop_map(
            |(start, length, offset, count, get)| Step::Send(start, length, offset, count, get)
        ),
        (number(), number()).prop_map(|(success, failure)| Step::Count(success, failure)),
        number().prop_map(Step::When),
    ]
}

fn entry_of(start: u64, length: u64, options: u32, min_free: u64) -> MatchEntry {
    MatchEntry {
        start,
        length,
        options: MeOptions(options),
        ignore_bits: u64::MAX,
        min_free,
        counter: Some(CounterId(1)),
        ..MatchEntry::default()
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(600))]

    #[test]
    fn no_number_makes_a_node_panic_or_lose_its_balance(steps in prop::collection::vec(step(), 1..40)) {
        let limits = Limits { max_unexpected_headers: 3, max_triggered_ops: 4, max_entries: 8, ..Limits::default() };
        let mut node = node_with(limits, PLAIN);
        for (number, step) in steps.into_iter().enumerate() {
            let id = number as u32;
            match step {
                Step::Append(over, start, length, options, min_free) => {
                    let list = if over { List::Overflow } else { List::Priority };
                    let result = node.post(append_to(list, id, entry_of(start, length, options, min_free)));
                    prop_assert!(matches!(result, Ok(()) | Err(Refusal::NoSpace)));
                }
                Step::Put(roffset, length, bits) => {
                    receive(&mut node, &Request { roffset, ..put(bits, &vec![7; length]) });
                }
                Step::Get(roffset, rlength) => {
                    let request = Request { roffset, ..get(0, rlength) };
                    let response = receive(&mut node, &request).expect("a get is always answered");
                    prop_assert_eq!(response.data.len() as u64, response.mlength);
                    prop_assert!(response.mlength <= rlength);
                    prop_assert!(response.ni_fail == NiFail::Ok || response.mlength == 0);
                }
                Step::Fetch(roffset, length) => {
                    let kind = RequestKind::Fetch(operation(AtomicOp::Max, Datatype::Int16));
                    receive(&mut node, &Request { kind, roffset, ..put(0, &vec![7; length]) });
                }
                Step::Search(delete, bits, options) => {
                    let kind = if delete { Search::Delete } else { Search::Only };
                    let me = MatchEntry { match_bits: bits, ignore_bits: 0, ..entry_of(0, 8, options, 0) };
                    search(&mut node, kind, 1000, me);
                }
                Step::Unlink(id) => {
                    let _ = node.post(Command::MeUnlink(xtq_testbench::portals::EntryId(id)));
                }
                Step::Send(start, length, offset, count, get) => {
                    let md = MemoryDescriptor { start, length, ..MemoryDescriptor::default() };
                    node.post(Command::MdBind(MdId(id), md)).unwrap();
                    let place = Some(Place { md: MdId(id), offset });
                    let transfer = Transfer {
                        kind: if get { RequestKind::Get } else { RequestKind::Put },
                        from: place.filter(|_| !get),
                        into: place.filter(|_| get),
                        ack: AckRequest::None,
                        ..send(0, count)
                    };
                    let fits = u128::from(offset) + u128::from(count) <= u128::from(length) && count <= 1 << 30;
                    prop_assert_eq!(node.post(Command::Transfer(transfer)).is_ok(), fits);
                }
                Step::Count(success, failure) => node.post(set(1, success, failure)).unwrap(),
                Step::When(threshold) => {
                    let _ = when(&mut node, 1, threshold, inc(2, 1));
                }
            }
            let portal = &node.portals()[&PORTAL];
            prop_assert!(portal.unexpected.len() <= 3 && node.triggers().pending().len() <= 4);
            // Every listed entry exists and is linked; every other entry has a header that needs it; every header has
            // its entry.
            let listed: Vec<_> = portal.priority.iter().chain(&portal.overflow).collect();
            for (id, entry) in node.entries() {
                prop_assert_eq!(entry.linked, listed.contains(&id));
                prop_assert!(entry.linked || portal.unexpected.iter().any(|header| header.entry == *id));
            }
            prop_assert!(listed.iter().all(|id| node.entries().contains_key(id)));
            prop_assert!(portal.unexpected.iter().all(|header| node.entries().contains_key(&header.entry)));
            // Nothing that is pending is reached.
            for (trigger, _) in node.triggers().pending() {
                prop_assert!(!node.counters()[&trigger.counter].reaches(trigger.threshold));
            }
        }
    }
}

#[test]
fn an_offset_that_passes_2_to_the_64_moves_nothing() {
    let mut node = node();
    append(&mut node, 1, entry(&[MeOption::OpPut, MeOption::OpGet]));
    for roffset in [u64::MAX, u64::MAX - 255] {
        assert_eq!(
            outcome(
                &mut node,
                &Request {
                    roffset,
                    ..put(0, &[1; 8])
                }
            ),
            (NiFail::Ok, 0)
        );
        assert_eq!(
            outcome(
                &mut node,
                &Request {
                    roffset,
                    ..get(0, u64::MAX)
                }
            ),
            (NiFail::Ok, 0)
        );
    }
    let whole = MatchEntry {
        length: u64::MAX,
        ..entry(&[MeOption::OpPut, MeOption::NoTruncate])
    };
    let mut node = self::node();
    append(&mut node, 1, whole);
    let over = Request {
        roffset: u64::MAX,
        ..put(0, &[1])
    };
    assert_eq!(
        outcome(&mut node, &over),
        (NiFail::Dropped, 0),
        "offset + length is more than 64 bits"
    );
}

#[test]
fn an_entry_that_wraps_around_the_address_space_is_not_there() {
    let mut node = node();
    let me = MatchEntry {
        start: u64::MAX - 3,
        length: 64,
        ..entry(&[MeOption::OpPut])
    };
    append(&mut node, 1, me);
    assert_eq!(outcome(&mut node, &put(0, &[1; 8])), (NiFail::Segv, 0));
    assert_eq!(bytes(&node, 0, 8), [0; 8]);
}
