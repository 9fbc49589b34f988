//! `MatchStage` against a naive model of what is held, undecided and under way.

use std::collections::VecDeque;

use proptest::prelude::*;
use xtq_types::Wire;
use xtq_types::matching::{MatchRequest, request_kind};
use xtq_types::pipe::PacketHead;

use xtq_testbench::by_name::Hardware;

/// A head: XTQ put, GET, reply or plain put (0 to 3), first of its message, context, portal entry, last of its message.
type Head = (u8, bool, u8, u16, bool);

/// A request's head, the places that it holds, whether it is crowded, and the limits when it was made.
type Asked = (Head, u64, bool, [(u32, u32); 4]);

/// What the surroundings do in one cycle.
#[derive(Clone, Debug)]
struct Cycle {
    offered: bool,
    out_ready: bool,
    request_ready: bool,
    busy: bool,
    busy_context: u8,
    /// How far the single buffers move.
    turn: u32,
    decides: bool,
    /// The oldest message, or a younger one, is delivered.
    delivers: Option<prop::sample::Index>,
    line: Option<u8>,
    /// A message of several packets of this context, if there is one, has ended.
    ends: Option<u8>,
    /// Admission takes a head.
    takes: bool,
    flows: [u8; 4],
    /// What others take (-) or give back (+).
    others: [i8; 4],
}

/// A context, usually 0, which so gets more messages than it has places.
fn context() -> impl Strategy<Value = u8> {
    prop_oneof![3 => Just(0u8), 1 => 0..4u8]
}

fn cycle() -> impl Strategy<Value = Cycle> {
    let flow = || prop_oneof![8 => Just(1u8), 1 => 0..4u8];
    let others = || prop_oneof![8 => Just(0i8), 1 => -2..3i8];
    (
        (
            prop::bool::weighted(0.8),
            prop::bool::weighted(0.7),
            prop::bool::weighted(0.7),
            prop::bool::weighted(0.2),
        ),
        (
            prop::bool::weighted(0.4),
            prop::option::weighted(0.3, any::<prop::sample::Index>()),
            prop::option::weighted(0.1, 0..4u8),
            prop::option::weighted(0.05, context()),
            prop::bool::weighted(0.4),
        ),
        (0..4u8, prop_oneof![3 => Just(0u32), 1 => 0..64u32]),
        [flow(), flow(), flow(), flow()],
        [others(), others(), others(), others()],
    )
        .prop_map(|(streams, pipeline, admission, flows, others)| Cycle {
            offered: streams.0,
            out_ready: streams.1,
            request_ready: streams.2,
            busy: streams.3,
            busy_context: admission.0,
            turn: admission.1,
            decides: pipeline.0,
            delivers: pipeline.1,
            line: pipeline.2,
            ends: pipeline.3,
            takes: pipeline.4,
            flows,
            others,
        })
}

/// Operation of a head: of an ATOMIC or FETCH_ATOMIC any but those of SWAP, of other messages noise.
fn what_it_does(head: &Head) -> u8 {
    match head.0 {
        4 | 5 => (head.3 % 10) as u8,
        6 => 10 + (head.3 / 10 % 8) as u8,
        _ => head.3 as u8,
    }
}

fn bits(count: usize, test: impl Fn(usize) -> bool) -> u64 {
    (0..count).fold(0, |bits, i| bits | u64::from(test(i)) << i)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(60))]

    #[test]
    fn requests_hold_places_and_heads_go_on_in_order(
        heads in prop::collection::vec((0..7u8, prop::bool::weighted(0.7), context(), prop_oneof![0..20u16, any::<u16>()], prop::bool::weighted(0.3)), 1..90),
        script in prop::collection::vec(cycle(), 1..400),
        single in any::<u64>(),
        rings in prop::array::uniform4(prop::bool::weighted(0.8)),
        has_lists in prop::bool::weighted(0.9),
        sizes in prop::array::uniform4((prop_oneof![Just(u32::MAX), any::<u32>()], 0u32..=512)),
    ) {
        let mut block = Hardware::block("match_stage");
        block.set("has_lists", &[has_lists.into()]);
        block.set("has_ring", &[bits(4, |c| rings[c])]);
        let mut sizes = sizes;
        let wants = |head: &Head, single: u64| has_lists && head.1 && head.0 != 2 && (head.3 >= 16 || single >> (u16::from(head.2) * 16 + head.3) & 1 == 0);
        let mut single = single;
        // Whether the head on offer goes to the lists, decided when it was offered first; of those that have not passed
        // too.
        let mut to_lists = None;
        let mut marks: VecDeque<bool> = VecDeque::new();
        let mut heads: VecDeque<Head> = heads.into();
        let (mut passed, mut asked): (VecDeque<Head>, VecDeque<Asked>) = (heads.clone(), VecDeque::new());
        // Places that are free; requests that admission has not decided about; messages under way: context, colour as
        // reported, before the line.
        let mut free = [9i64; 4];
        let mut undecided: VecDeque<(u8, u64)> = VecDeque::new();
        let mut flying: Vec<(u8, u64, bool)> = Vec::new();
        let mut drawn = [false; 4];
        let mut kept = [0u8; 4];
        // Messages of several packets.
        let mut long = [0u32; 4];
        // Heads that went on and that admission has not taken.
        let mut ahead = 0;
        let is_long = |head: &Head| head.1 && !head.4;
        let mut offering = false;
        for c in &script {
            offering = (offering || c.offered) && !heads.is_empty();
            // Entries become single buffers at any time.
            single = single.rotate_left(c.turn);
            block.set("single", &[single]);
            // Limits change at any time.
            sizes.rotate_left(c.turn as usize % 4);
            block.set("max_message_sizes", &[0, 2].map(|c| u64::from(sizes[c].0) | u64::from(sizes[c + 1].0) << 32));
            block.set("max_atomic_sizes", &[(0..4).fold(0, |bits, c| bits | u64::from(sizes[c].1) << (10 * c))]);
            if offering && to_lists.is_none() {
                to_lists = Some(wants(&heads[0], single));
                marks.extend(to_lists);
            }
            if let Some(head) = heads.front() {
                let wire = PacketHead {
                    xtq: u64::from(head.0 == 0).into(), get: u64::from(head.0 == 1).into(), reply: u64::from(head.0 == 2).into(),
                    atomic: u64::from(head.0 > 3).into(), fetch: u64::from(head.0 > 4).into(), swap: u64::from(head.0 == 6).into(),
                    operation: u64::from(what_it_does(head)).into(), datatype: u64::from(head.3 % 12).into(), first: u64::from(head.1).into(), last: u64::from(head.4).into(), context: u64::from(head.2).into(),
                    portal_index: u64::from(head.3).into(), message_length: 77.into(), match_bits: 5.into(), remote_offset: 6.into(),
                    header_data: 7.into(), user_id: 8.into(), source_node: 9.into(), source_context: 10.into(), ..Default::default()
                };
                let mut words = vec![0; 8];
                wire.to_words(&mut words);
                block.set("head", &words);
            }
            for (free, change) in free.iter_mut().zip(c.others) {
                *free = (*free + i64::from(change)).clamp(0, 12);
            }
            let room = |context: usize| (free[context] - i64::from(kept[context])).clamp(0, 3) as u64;
            block.set("places", &[(0..4).fold(0, |bits, i| bits | room(i) << (2 * i))]);
            block.set("flow_portals", &[(0..4).fold(0, |bits, i| bits | u64::from(c.flows[i]) << (7 * i))]);
            let decides = c.decides && !undecided.is_empty();
            let decided: Vec<_> = flying.iter().enumerate().filter(|(i, _)| *i < flying.len() - undecided.len().min(flying.len())).map(|(i, _)| i).collect();
            let delivers = c.delivers.filter(|_| !decided.is_empty()).map(|index| decided[index.index(decided.len())]);
            // The lookup stage holds eight, others are after it.
            let out_ready = c.out_ready && ahead < 20;
            let ends = c.ends.filter(|context| long[usize::from(*context)] > 0);
            // A line is drawn when nothing from before the last one is under way.
            let line = c.line.filter(|context| !flying.iter().any(|(of, _, before)| of == context && *before));
            for (name, value) in [
                ("head_valid", offering.into()), ("out_ready", out_ready.into()), ("request_ready", c.request_ready.into()),
                ("busy", c.busy.into()), ("busy_context", c.busy_context.into()), ("decided", decides.into()),
                ("decided_context", undecided.front().map_or(3, |(context, _)| u64::from(*context))), ("delivered", delivers.is_some().into()),
                ("delivered_context", delivers.map_or(3, |i| flying[i].0.into())),
                ("delivered_colour", delivers.map_or(1, |i| flying[i].1)),
                ("line", line.unwrap_or(2).into()), ("line_valid", line.is_some().into()),
                ("taken", (c.takes && ahead > 0).into()), ("long_ended", ends.is_some().into()), ("long_context", ends.unwrap_or(3).into()),
            ] {
                block.set(name, &[value]);
            }
            block.eval();
            let word = |name| block.get(name)[0];
            let flag = |name| word(name) == 1;
            let held: u64 = (0..4).fold(0, |bits, i| bits | u64::from(kept[i]) << (7 * i));
            prop_assert_eq!(word("flow_held"), held);
            prop_assert_eq!(word("undecided"), bits(4, |i| undecided.iter().any(|(context, _)| usize::from(*context) == i)));
            let waits = |context: usize| drawn[context] && flying.iter().any(|(of, _, before)| usize::from(*of) == context && *before);
            for (context, is_drawn) in drawn.iter().enumerate() {
                if *is_drawn {
                    prop_assert_eq!(word("in_flight") >> context & 1 == 1, waits(context), "context {}", context);
                }
            }
            let issues = flag("holding");
            if issues {
                let head = heads[0];
                let places = room(head.2.into());
                prop_assert!(offering && to_lists == Some(true) && (!c.busy || c.busy_context != head.2), "{:?}", head);
                prop_assert!(places == 3 || undecided.is_empty() || !rings[usize::from(head.2)], "held {} while another may not need all it holds", places);
                prop_assert_eq!((word("hold"), word("hold_context")), (places, head.2.into()));
                free[usize::from(head.2)] -= places as i64;
                let crowded = is_long(&head) && long[usize::from(head.2)] >= 16;
                prop_assert!(!crowded || ahead == 0, "refused for a place that one of {} heads may give back", ahead);
                asked.push_back((head, places, crowded, sizes));
            } else {
                prop_assert_eq!(word("hold"), 0);
            }
            if flag("request_valid") && c.request_ready {
                let request = MatchRequest::from_words(&block.get("request"));
                let ((what, _, context, portal, _), places, crowded, sizes) = asked.pop_front().expect("a request for a head");
                let kind = [request_kind::XTQ_PUT, request_kind::GET, u8::MAX, request_kind::PUT, request_kind::ATOMIC, request_kind::FETCH, request_kind::SWAP][usize::from(what)];
                prop_assert_eq!(request.kind, u64::from(kind));
                prop_assert_eq!((request.context.to_u64(), request.portal_index.to_u64()), (context.into(), portal.into()));
                prop_assert_eq!((request.event_room.to_u64(), request.handle.to_u64() & 3), (places, places));
                prop_assert_eq!(request.crowded == 1u64, crowded);
                // One datum of CSWAP and its kin; an operand of 16 bytes is refused before.
                let limit = match (what, what_it_does(&(what, true, context, portal, true))) {
                    (0..=3, _) => sizes[usize::from(context)].0,
                    (6, 11..) => [1, 1, 2, 2, 4, 4, 4, 8, 8, 8, 8, 8][usize::from(portal % 12)],
                    _ => sizes[usize::from(context)].1,
                };
                prop_assert_eq!((request.length.to_u64(), request.limit.to_u64()), (77, limit.into()));
                prop_assert_eq!((request.match_bits.to_u64(), request.remote_offset.to_u64(), request.header_data.to_u64()), (5, 6, 7));
                prop_assert_eq!((request.user_id.to_u64(), request.source_node.to_u64(), request.source_context.to_u64()), (8, 9, 10));
            }
            if flag("out_valid") && out_ready {
                let out = PacketHead::from_words(&block.get("out"));
                let head = passed.pop_front().expect("a head");
                prop_assert_eq!((out.context.to_u64(), out.portal_index.to_u64()), (head.2.into(), head.3.into()));
                prop_assert_eq!(Some(out.lists == 1u64), marks.pop_front(), "{:?}", head);
            }
            let taken = flag("head_ready") && offering;
            let alone = undecided.is_empty();
            block.step();
            if let Some(context) = line {
                drawn[usize::from(context)] = true;
                for message in flying.iter_mut().filter(|message| message.0 == context) {
                    message.2 = true;
                }
            }
            if let Some(i) = delivers {
                flying.remove(i);
            }
            if decides {
                let (context, places) = undecided.pop_front().expect("undecided");
                free[usize::from(context)] += places as i64;
            }
            if issues {
                let (head, places, ..) = *asked.back().expect("just asked");
                // The colour is that which the request will carry; found by looking.
                block.set("request_ready", &[0]);
                block.eval();
                let request = MatchRequest::from_words(&block.get("request"));
                undecided.push_back((head.2, places));
                let before = line == Some(head.2);
                flying.push((head.2, request.handle.to_u64() >> 2 & 1, before));
            }
            for (kept, flows) in kept.iter_mut().zip(c.flows) {
                if alone || flows > *kept {
                    *kept = flows;
                }
            }
            if let Some(context) = ends {
                long[usize::from(context)] -= 1;
            }
            ahead -= u32::from(c.takes && ahead > 0);
            if taken {
                ahead += 1;
                let head = heads.pop_front().expect("was offered");
                long[usize::from(head.2)] += u32::from(is_long(&head));
                offering = false;
                to_lists = None;
            }
        }
    }
}
