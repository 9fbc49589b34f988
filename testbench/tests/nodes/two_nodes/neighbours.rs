//! Several processes of a node: what holds up one does not hold up another, and what is another's is reported to none.

use xtq_testbench::host::{
    AckRequest, Command, CounterValue, Ct, EventKind, Md, MemoryDescriptor, Process, ProcessConfig,
    ProcessId, Put, Trigger, md_option, ptl_ct_alloc, ptl_ct_free, ptl_ct_get, ptl_ct_inc,
    ptl_ct_set, ptl_md_bind, ptl_put, ptl_triggered_ct_inc, ptl_triggered_put,
};

use super::fixture::{SOURCE, SOURCE_BYTES, TARGET, World, bind};

/// A node that does not exist: what goes there is never answered.
const NOWHERE: ProcessId = ProcessId {
    node: 7,
    context: 0,
};
/// Messages without an answer that a context can have.
const PLACES: u64 = 64;
/// Cycles in which some commands are executed and their messages delivered.
const CYCLES: u64 = 3000;

fn at(threshold: u64) -> Trigger {
    Trigger {
        counter: Ct(0),
        threshold,
    }
}

fn success(count: u64) -> CounterValue {
    CounterValue {
        success: count,
        failure: 0,
    }
}

fn to(target: ProcessId, md: u16, ack: AckRequest, user_ptr: u64) -> Put {
    Put {
        md: Md(md),
        length: 8,
        ack,
        target,
        hdr_data: user_ptr,
        ..Put::default()
    }
}

/// Node 0 has a process in each context; `post` gives commands to one of them.
struct Neighbours {
    world: World,
    others: Vec<Process>,
}

impl Neighbours {
    fn new() -> Self {
        let mut world = World::two();
        let others = (1..4).map(|context| {
            let mut port = world.cluster.port(0);
            Process::open(&mut port, context, &ProcessConfig::default()).unwrap()
        });
        let others = others.collect();
        let mut all = Self { world, others };
        for context in 1..4 {
            all.post(
                context,
                &[bind(0, SOURCE, SOURCE_BYTES), ptl_ct_alloc(Ct(0))],
            );
        }
        all
    }

    fn post(&mut self, context: usize, commands: &[Command]) {
        match context {
            0 => self.world.post(0, commands),
            _ => {
                let mut port = self.world.cluster.port(0);
                self.others[context - 1]
                    .post_all(&mut port, commands)
                    .unwrap();
            }
        }
        // Not until it is quiet: a command that has fired and cannot go keeps the node busy.
        for _ in 0..CYCLES {
            self.world.cluster.cycle().unwrap();
        }
    }

    /// Context and number of the puts that came to node 1.
    fn came(&mut self) -> Vec<(u8, u64)> {
        let events = self.world.events(1);
        assert!(events.iter().all(|event| event.kind == EventKind::Put));
        let from = events.iter().map(|e| (e.initiator.context, e.hdr_data));
        from.collect()
    }

    /// Context 0 has no place left, and these puts of it have fired.
    fn block(&mut self, fired: u64) {
        let counting = MemoryDescriptor {
            md: Md(1),
            start: SOURCE,
            length: 64,
            options: md_option::CT_SEND,
            counter: Some(Ct(0)),
        };
        self.post(0, &[ptl_ct_alloc(Ct(0)), ptl_md_bind(&counting)]);
        for number in 0..fired {
            let put = to(TARGET, 0, AckRequest::None, number);
            self.post(0, &[ptl_triggered_put(&put, at(PLACES))]);
        }
        for _ in 0..4 {
            let lost = ptl_put(&to(NOWHERE, 1, AckRequest::Ct, 0));
            self.post(0, &vec![lost; PLACES as usize / 4]);
        }
        assert_eq!(self.came(), []);
    }
}

#[test]
fn a_fired_put_without_a_place_does_not_hold_up_what_others_have_fired() {
    let mut all = Neighbours::new();
    all.block(2);
    for context in 1..4 {
        let post = |number| ptl_triggered_put(&to(TARGET, 0, AckRequest::Ack, number), at(1));
        all.post(
            context,
            &[post(1), post(2), post(3), ptl_ct_inc(Ct(0), success(1))],
        );
        let context = context as u8;
        assert_eq!(all.came(), [(context, 1), (context, 2), (context, 3)]);
    }
}

#[test]
fn several_contexts_without_a_place_do_not_hold_up_the_others() {
    let mut all = Neighbours::new();
    all.block(3);
    // Context 1 as well.
    let counting = MemoryDescriptor {
        md: Md(1),
        start: SOURCE,
        length: 64,
        options: md_option::CT_SEND,
        counter: Some(Ct(0)),
    };
    let put = |number| to(TARGET, 0, AckRequest::None, number);
    all.post(1, &[ptl_md_bind(&counting)]);
    all.post(1, &[ptl_triggered_put(&put(9), at(PLACES))]);
    for _ in 0..4 {
        let lost = ptl_put(&to(NOWHERE, 1, AckRequest::Ct, 0));
        all.post(1, &vec![lost; PLACES as usize / 4]);
    }
    assert_eq!(all.came(), []);
    // A chain of the others: each increment fires the next put.
    for context in 2..4 {
        let mut commands = Vec::new();
        for number in 1..10 {
            commands.push(ptl_triggered_put(&put(number), at(number)));
            commands.push(ptl_triggered_ct_inc(Ct(0), success(1), at(number)));
        }
        commands.push(ptl_ct_inc(Ct(0), success(1)));
        all.post(context, &commands);
        let expected: Vec<_> = (1..10).map(|number| (context as u8, number)).collect();
        assert_eq!(all.came(), expected);
    }
}

#[test]
fn a_command_that_fails_tells_nothing_of_anybodys_counter() {
    let mut all = Neighbours::new();
    let secret = CounterValue {
        success: 0x1111_2222_3333_4444,
        failure: 0x5555_6666_7777_8888,
    };
    all.post(0, &[ptl_ct_alloc(Ct(1)), ptl_ct_set(Ct(1), secret)]);
    let late = Trigger {
        counter: Ct(64),
        threshold: 1,
    };
    let failing = [
        ptl_ct_get(Ct(64)),
        ptl_ct_inc(Ct(70), success(1)),
        ptl_ct_set(Ct(64), success(1)),
        ptl_ct_free(Ct(99)),
        ptl_ct_alloc(Ct(64)),
        ptl_ct_get(Ct(9)),
        ptl_ct_free(Ct(9)),
        ptl_triggered_ct_inc(Ct(0), success(1), late),
        bind(0, SOURCE, SOURCE_BYTES),
    ];
    for (number, command) in failing.into_iter().enumerate() {
        // The NIC's last answer about a counter is that of context 0.
        all.post(0, &[ptl_ct_get(Ct(1))]);
        let read = all.world.events(0).pop().unwrap();
        assert_eq!(read.counter(), secret);
        all.post(1, &[command]);
        let mut port = all.world.cluster.port(0);
        let told = all.others[0].events(&mut port).unwrap();
        let [event] = &told[..] else {
            panic!("command {number}: {told:?}");
        };
        assert!(
            matches!(event.result(), Some(Err(_))),
            "command {number}: {event:?}"
        );
        assert_eq!(
            event.counter(),
            success(0),
            "command {number}: what context 0 counts"
        );
    }
}
