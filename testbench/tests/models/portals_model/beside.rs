//! Stepping a node beside hardware: what a step caused, what is there, and that every difference is named.

use crate::portals_model::setup::*;
use std::collections::{BTreeMap, VecDeque};
use xtq_testbench::portals::{
    Action, Command, CounterId, Effects, EventKind, Limits, List, MatchEntry, MdOption, MeOption,
    Network, NiFail, Node, Portal, Rank, Refusal, RequestKind, Search, State, Transfer, Trigger,
};

fn step(node: &mut Node, action: Action) -> Effects {
    node.step(action).unwrap()
}

fn command(node: &mut Node, command: Command) -> Effects {
    step(node, Action::Command(None, command))
}

fn after(counter: u32, threshold: u64, command: Command) -> Action {
    let counter = CounterId(counter);
    Action::Command(Some(Trigger { counter, threshold }), command)
}

fn counting() -> MatchEntry {
    MatchEntry {
        counter: Some(CounterId(2)),
        ..entry(&[MeOption::OpPut, MeOption::CtComm, MeOption::UseOnce])
    }
}

/// A node whose next put fires a put of its own.
fn armed() -> Node {
    let mut node = node();
    bind(&mut node, &[]);
    append(&mut node, 1, counting());
    let effects = step(&mut node, after(2, 1, Command::Transfer(send(9, 4))));
    assert_eq!(effects, Effects::default());
    node
}

#[test]
fn a_step_tells_everything_that_it_caused() {
    let mut node = armed();
    let effects = step(&mut node, Action::Request(put(0, &[1, 2, 3])));
    assert_eq!(effects.refusal, None);
    assert_eq!(effects.response.unwrap().mlength, 3);
    assert_eq!(effects.sent.len(), 1);
    assert_eq!(effects.sent[0].match_bits, 9);
    let kinds = |queue| -> Vec<EventKind> {
        let events = effects.events[&queue].iter();
        events.map(|event| event.kind).collect()
    };
    assert_eq!(kinds(EVENTS), [EventKind::Put, EventKind::AutoUnlink]);
    assert_eq!(kinds(MD_EVENTS), [EventKind::Send]);
    let nothing = command(&mut node, inc(3, 1));
    assert_eq!(
        nothing,
        Effects::default(),
        "what was told is not told again"
    );
}

#[test]
fn a_refused_command_tells_why() {
    let mut node = node();
    let wrong = command(&mut node, inc(99, 1));
    assert_eq!(wrong.refusal, Some(Refusal::ArgInvalid));
    let wrong = step(&mut node, after(99, 1, inc(1, 1)));
    assert_eq!(wrong.refusal, Some(Refusal::ArgInvalid));
}

#[test]
fn a_request_that_cannot_be_changes_nothing() {
    let mut node = armed();
    let before = node.state();
    let mut request = put(0, &[1, 2, 3]);
    request.data.pop();
    assert!(node.step(Action::Request(request)).is_err());
    assert_eq!(node.state(), before);
    assert_eq!(command(&mut node, inc(3, 1)), Effects::default());
}

#[test]
fn events_that_the_host_has_not_read_are_told_once_and_also_when_older_ones_are_lost() {
    let mut config = config(Limits::default());
    config.queues = vec![2, 2];
    let mut node = Node::new(Rank(0), &config);
    furnish(&mut node, PLAIN);
    append(&mut node, 1, entry(&[MeOption::OpPut]));
    for number in 0..5 {
        let mut request = put(0, &[1]);
        request.hdr_data = number;
        let effects = step(&mut node, Action::Request(request));
        assert_eq!(effects.events[&EVENTS].len(), 1);
        assert_eq!(details(&node).last().unwrap().hdr_data, number);
    }
    assert_eq!(node.queue(EVENTS).unwrap().posted(), 6, "with LINK");
}

#[test]
fn the_state_shows_counters_pending_operations_lists_status_and_memory() {
    let mut node = armed();
    append_overflow(&mut node, 7, entry(&[MeOption::OpPut]));
    when(&mut node, 5, 3, inc(1, 1)).unwrap();
    when(&mut node, 5, 4, inc(1, 1)).unwrap();
    let state = node.state();
    assert_eq!(
        state.pending,
        BTreeMap::from([(CounterId(2), 1), (CounterId(5), 2)])
    );
    let lists = &state.lists[&PORTAL];
    assert_eq!(
        (&lists.priority[..], &lists.overflow[..]),
        (&[1][..], &[7][..])
    );
    assert!(lists.enabled);
    receive(&mut node, &put(0, &[1, 2, 3]));
    receive(&mut node, &put(0, &[4]));
    node.post(Command::PtDisable(PORTAL)).unwrap();
    receive(&mut node, &put(0, &[5]));
    let state = node.state();
    assert_eq!(state.counters[&CounterId(2)], value(1, 0));
    assert_eq!(state.pending, BTreeMap::from([(CounterId(5), 2)]));
    let lists = &state.lists[&PORTAL];
    assert_eq!((lists.priority.len(), lists.unexpected), (0, 1));
    assert!(!lists.enabled);
    assert_eq!(state.status.drop, 1);
    assert_eq!(state.memory.read(256, 3), Ok(&[4, 2, 3][..]));
}

/// What hardware would have shown, were one thing of it different.
fn changed<T: Clone>(right: &T, change: impl FnOnce(&mut T)) -> T {
    let mut wrong = right.clone();
    change(&mut wrong);
    wrong
}

#[test]
fn every_difference_of_a_state_is_named() {
    let mut node = armed();
    receive(&mut node, &put(3, &[1, 2, 3]));
    let right = node.state();
    assert_eq!(right.differences(&right), Vec::<String>::new());
    let lines = |change: &dyn Fn(&mut State)| right.differences(&changed(&right, change));
    assert_eq!(
        lines(&|state| state.counters.get_mut(&CounterId(2)).unwrap().failure = 1),
        [
            "counters.2: expected Some(Counter { success: 1, failure: 0 }), got Some(Counter { success: 1, failure: 1 })"
        ]
    );
    assert_eq!(
        lines(&|state| state.pending.extend([(CounterId(2), 1)])),
        ["pending.2: expected None, got Some(1)"]
    );
    let list = lines(&|state| state.lists.get_mut(&PORTAL).unwrap().unexpected = 1);
    assert!(
        list[0].starts_with("lists.0: expected Some(Lists {"),
        "{list:?}"
    );
    let status = lines(&|state| state.status.drop = 1);
    assert!(
        status[0].starts_with("status: expected Status {"),
        "{status:?}"
    );
    assert_eq!(
        lines(&|state| {
            state.memory.write(257, &[9, 9]).unwrap();
            state.memory.write(4095, &[5]).unwrap();
        }),
        [
            "memory[0x101]: expected [02, 03], got [09, 09]",
            "memory[0xfff]: expected [00], got [05]"
        ]
    );
    assert_eq!(
        lines(&|state| state.memory = xtq_testbench::portals::Memory::new(&[(0, 1)])),
        ["memory: expected pieces [(0, 4096)], got [(0, 1)]"]
    );
}

#[test]
fn every_difference_of_a_step_is_named() {
    let mut node = armed();
    let right = step(&mut node, Action::Request(put(3, &[1, 2, 3])));
    assert_eq!(right.differences(&right), Vec::<String>::new());
    let lines = |change: &dyn Fn(&mut Effects)| right.differences(&changed(&right, change));
    assert_eq!(
        lines(&|effects| effects.refusal = Some(Refusal::NoSpace)),
        ["refusal: expected None, got Some(NoSpace)"]
    );
    let response = lines(&|effects| effects.response.as_mut().unwrap().ni_fail = NiFail::Segv);
    assert!(
        response[0].starts_with("response: expected Some("),
        "{response:?}"
    );
    let sent = lines(&|effects| effects.sent[0].match_bits = 8);
    assert!(sent[0].starts_with("sent[0]: expected Some("), "{sent:?}");
    assert!(lines(&|effects| effects.sent[0].handle += 1).is_empty());
    let missing = lines(&|effects| effects.events.retain(|queue, _| *queue != MD_EVENTS));
    assert!(
        missing[0].starts_with("events.1[0]: expected Some("),
        "{missing:?}"
    );
    let swapped = lines(&|effects| effects.events.get_mut(&EVENTS).unwrap().swap(0, 1));
    assert_eq!(swapped.len(), 2, "{swapped:?}");
    let more = lines(&|effects| {
        let events = effects.events.get_mut(&EVENTS).unwrap();
        events.push(events[0]);
    });
    assert!(
        more[0].starts_with("events.0[2]: expected None, got Some("),
        "{more:?}"
    );
}

/// A step's effects with one event at another place.
fn moved(effects: &Effects, from: usize, to: usize) -> Effects {
    changed(effects, |effects| {
        let events = effects.events.get_mut(&EVENTS).unwrap();
        let event = events.remove(from);
        events.insert(to, event);
    })
}

#[test]
fn auto_free_floats_in_a_step() {
    let mut node = node();
    let once = entry(&[MeOption::OpPut, MeOption::UseOnce]);
    append_overflow(&mut node, 7, once.clone());
    receive(&mut node, &put(0, &[1]));
    let right = command(&mut node, append_to(List::Priority, 1, once));
    let place = right.events[&EVENTS]
        .iter()
        .position(|event| event.kind == EventKind::AutoFree)
        .unwrap();
    assert!(right.differences(&moved(&right, place, 2)).is_empty());
    assert!(right.differences(&moved(&right, place, 1)).is_empty());
    assert!(!right.differences(&moved(&right, place, 0)).is_empty());
    let of_another = changed(&right, |effects| {
        effects.events.get_mut(&EVENTS).unwrap()[place].user_ptr = Some(8);
    });
    assert_eq!(right.differences(&of_another).len(), 1);
}

#[test]
fn auto_free_stays_behind_its_auto_unlink() {
    let mut node = node();
    let options = [
        MeOption::OpPut,
        MeOption::UseOnce,
        MeOption::UnexpectedHdrDisable,
    ];
    append_overflow(&mut node, 7, entry(&options));
    let right = step(&mut node, Action::Request(put(0, &[1])));
    assert_eq!(right.events[&EVENTS][2].kind, EventKind::AutoFree);
    assert!(!right.differences(&moved(&right, 2, 1)).is_empty());
}

#[test]
fn what_is_reached_can_be_run_one_by_one_behind_other_things() {
    let mut config = config(Limits {
        max_entries: 2,
        ..Limits::default()
    });
    config.fires_by_step = true;
    let mut node = Node::new(Rank(0), &config);
    furnish(&mut node, PLAIN);
    let me = entry(&[MeOption::OpPut]);
    let linking = append_to(List::Priority, 1, me.clone());
    step(&mut node, after(1, 1, linking.clone()));
    step(&mut node, after(1, 1, inc(2, 1)));
    step(&mut node, after(2, 1, inc(3, 1)));
    command(&mut node, inc(1, 1));
    assert_eq!(node.triggers().reached().count(), 2);
    assert_eq!(node.state().pending, BTreeMap::from([(CounterId(2), 1)]));
    // A message that overtakes the append, and an append that must not take its number or its place.
    assert_eq!(outcome(&mut node, &put(0, &[1])).0, NiFail::Dropped);
    let refused = command(&mut node, linking).refusal;
    assert_eq!(refused, Some(Refusal::InUse));
    let second = |id| append_to(List::Priority, id, me.clone());
    assert_eq!(command(&mut node, second(2)).refusal, None);
    assert_eq!(
        command(&mut node, second(3)).refusal,
        Some(Refusal::NoSpace)
    );
    let linked_now = step(&mut node, Action::Fire);
    assert_eq!(linked_now.events[&EVENTS][0].kind, EventKind::Link);
    assert_eq!(linked(&node, List::Priority), [2, 1]);
    assert_eq!(count(&node, 2), (0, 0));
    step(&mut node, Action::Fire);
    assert_eq!((count(&node, 2), count(&node, 3)), ((1, 0), (0, 0)));
    step(&mut node, Action::Fire);
    assert_eq!(count(&node, 3), (1, 0));
    assert_eq!(step(&mut node, Action::Fire), Effects::default());
}

/// Two nodes that answer each other; each has a descriptor, an entry for puts and one for gets.
fn pair() -> BTreeMap<Rank, xtq_testbench::portals::NodeConfig> {
    let config = || config(Limits::default());
    BTreeMap::from([(Rank(0), config()), (Rank(1), config())])
}

fn furniture() -> Vec<Command> {
    let md = xtq_testbench::portals::MemoryDescriptor {
        start: 512,
        length: 64,
        options: [MdOption::CtSend, MdOption::CtAck, MdOption::CtReply]
            .into_iter()
            .collect(),
        queue: Some(MD_EVENTS),
        counter: Some(CounterId(1)),
    };
    let mut commands = vec![Command::PtAlloc(PORTAL, PLAIN)];
    commands.extend((1..=6).map(|id| Command::CtAlloc(CounterId(id))));
    commands.push(Command::MdBind(MD.md, md));
    let both = entry(&[MeOption::OpPut, MeOption::OpGet, MeOption::CtComm]);
    commands.push(append_to(
        List::Priority,
        1,
        MatchEntry {
            counter: Some(CounterId(2)),
            ..both
        },
    ));
    commands
}

/// What both hosts do: a put of each to the other and, when that came, a get.
fn programme() -> Vec<(Rank, Action)> {
    let mut actions = Vec::new();
    for (node, other) in [(Rank(0), Rank(1)), (Rank(1), Rank(0))] {
        for command in furniture() {
            actions.push((node, Action::Command(None, command)));
        }
        let put = Transfer {
            target: other,
            ack: xtq_testbench::portals::AckRequest::Ack,
            ..send(1, 8)
        };
        let get = Transfer {
            kind: RequestKind::Get,
            from: None,
            into: Some(MD),
            ..put.clone()
        };
        actions.push((node, after(2, 1, Command::Transfer(get))));
        actions.push((node, Action::Command(None, Command::Transfer(put))));
    }
    actions
}

#[test]
fn nodes_stepped_by_hand_are_those_of_a_network() {
    let mut network = Network::new(&pair());
    let mut nodes: BTreeMap<Rank, Node> = pair()
        .iter()
        .map(|(rank, config)| (*rank, Node::new(*rank, config)))
        .collect();
    let mut fifo = VecDeque::new();
    for (rank, action) in programme() {
        let Action::Command(trigger, command) = action.clone() else {
            panic!("the programme has commands only");
        };
        network.post(rank, trigger, command).unwrap();
        let effects = nodes.get_mut(&rank).unwrap().step(action).unwrap();
        assert_eq!(effects.refusal, None);
        fifo.extend(effects.sent.into_iter().map(Action::Request));
    }
    let mut delivered = 0;
    while let Some(action) = fifo.pop_front() {
        let rank = match &action {
            Action::Request(request) => request.target,
            Action::Response(response) => response.to,
            Action::Command(..) | Action::Fire | Action::FireAt(_) => {
                panic!("no command is under way")
            }
        };
        let effects = nodes.get_mut(&rank).unwrap().step(action).unwrap();
        fifo.extend(effects.response.map(Action::Response));
        fifo.extend(effects.sent.into_iter().map(Action::Request));
        assert!(network.deliver_one().unwrap());
        delivered += 1;
        for (rank, node) in &nodes {
            let state = network.node(*rank).unwrap().state();
            let differences = node.state().differences(&state);
            assert!(differences.is_empty(), "{delivered}: {differences:?}");
        }
    }
    assert!(!network.deliver_one().unwrap(), "nothing is left");
    assert_eq!(delivered, 8, "two puts, two gets, and what answers them");
    let state = nodes[&Rank(0)].state();
    assert_eq!(state.counters[&CounterId(1)], value(3, 0));
    assert_eq!(state.counters[&CounterId(2)], value(2, 0));
}

#[test]
fn a_search_is_a_step_like_any_other() {
    let mut node = node();
    let me = entry(&[MeOption::UseOnce]);
    let portal = PORTAL;
    let kind = Search::Only;
    let effects = command(&mut node, Command::MeSearch { portal, kind, me });
    assert_eq!(effects.events[&EVENTS][0].ni_fail, NiFail::NoMatch);
    assert_eq!(effects.events[&EVENTS][0].portal, Some(Portal(0)));
}
