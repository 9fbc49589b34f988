//! Counters and triggered operations: what is counted, when it fires, and that the host may sleep.

use xtq_testbench::host::{
    AckRequest, Command, CommandError, CounterValue, Ct, Md, MemoryDescriptor, Put, Trigger,
    md_option, nop, ptl_ct_alloc, ptl_ct_free, ptl_ct_get, ptl_ct_inc, ptl_ct_set, ptl_md_bind,
    ptl_put, ptl_triggered_ct_inc, ptl_triggered_ct_set, ptl_triggered_put,
};

use super::fixture::{LANDING, SOURCE, SOURCE_BYTES, TARGET, World, pattern};

pub(super) fn success(count: u64) -> CounterValue {
    CounterValue {
        success: count,
        failure: 0,
    }
}

fn failure(count: u64) -> CounterValue {
    CounterValue {
        success: 0,
        failure: count,
    }
}

pub(super) fn at(counter: u16, threshold: u64) -> Trigger {
    Trigger {
        counter: Ct(counter),
        threshold,
    }
}

/// Posts the commands, each with a completion, and gives their results.
pub(super) fn results(world: &mut World, commands: &[Command]) -> Vec<Result<(), CommandError>> {
    let commands: Vec<_> = commands
        .iter()
        .map(|c| c.clone().with_completion())
        .collect();
    world.post(0, &commands);
    world.settle();
    let events = world.events(0);
    events.iter().filter_map(|event| event.result()).collect()
}

/// The value of a counter of node 0.
pub(super) fn value(world: &mut World, counter: u16) -> CounterValue {
    world.post(0, &[ptl_ct_get(Ct(counter)).with_completion()]);
    world.settle();
    let event = world.events(0).pop().unwrap();
    assert_eq!(event.result(), Some(Ok(())));
    event.counter()
}

pub(super) fn counting(md: u16, options: u32, counter: u16) -> Command {
    ptl_md_bind(&MemoryDescriptor {
        md: Md(md),
        start: SOURCE,
        length: SOURCE_BYTES,
        options,
        counter: Some(Ct(counter)),
    })
}

pub(super) fn put(md: u16, length: u64, ack: AckRequest) -> Put {
    Put {
        md: Md(md),
        length,
        ack,
        target: TARGET,
        ..Put::default()
    }
}

/// The first bytes of what landed at node 1, in order, one put of one byte each.
fn landed(world: &World, count: usize) -> Vec<u8> {
    world.read(1, LANDING, count)
}

/// A put of the one byte at this offset.
pub(super) fn byte(offset: u64) -> Put {
    Put {
        local_offset: offset,
        ..put(0, 1, AckRequest::None)
    }
}

#[test]
fn counters_are_made_changed_read_and_given_back() {
    let mut world = World::two();
    let found = results(
        &mut world,
        &[
            ptl_ct_inc(Ct(5), success(1)),
            ptl_ct_alloc(Ct(5)),
            ptl_ct_alloc(Ct(5)),
            ptl_ct_inc(Ct(5), success(7)),
            ptl_ct_inc(Ct(5), failure(2)),
            ptl_ct_inc(
                Ct(5),
                CounterValue {
                    success: 1,
                    failure: 1,
                },
            ),
            ptl_ct_inc(Ct(64), success(1)),
        ],
    );
    assert_eq!(
        found,
        [
            Err(CommandError::BadCounter),
            Ok(()),
            Err(CommandError::InUse),
            Ok(()),
            Ok(()),
            Err(CommandError::BadArgument),
            Err(CommandError::BadCounter),
        ]
    );
    assert_eq!(
        value(&mut world, 5),
        CounterValue {
            success: 7,
            failure: 2
        }
    );
    let set = CounterValue {
        success: u64::MAX,
        failure: 3,
    };
    assert_eq!(results(&mut world, &[ptl_ct_set(Ct(5), set)]), [Ok(())]);
    assert_eq!(value(&mut world, 5), set);
    assert_eq!(
        results(
            &mut world,
            &[ptl_ct_free(Ct(5)), ptl_ct_free(Ct(5)), ptl_ct_alloc(Ct(5))]
        ),
        [Ok(()), Err(CommandError::BadCounter), Ok(()),]
    );
    assert_eq!(value(&mut world, 5), success(0));
}

#[test]
fn descriptors_count_what_is_sent_and_acknowledged_in_messages_or_bytes() {
    let mut world = World::two();
    let bytes = md_option::CT_BYTES;
    let setup: Vec<Command> = (0..4)
        .map(|ct| ptl_ct_alloc(Ct(ct)))
        .chain([
            counting(1, md_option::CT_SEND, 0),
            counting(2, md_option::CT_ACK, 1),
            counting(3, md_option::CT_SEND | bytes, 2),
            counting(4, md_option::CT_ACK | bytes, 3),
        ])
        .collect();
    world.post(0, &setup);
    for md in 1..5 {
        for (length, ack) in [
            (100, AckRequest::Ack),
            (5000, AckRequest::Ct),
            (7, AckRequest::Oc),
            (9, AckRequest::None),
        ] {
            world.post(0, &[ptl_put(&put(md, length, ack))]);
        }
    }
    world.settle();
    // Of these descriptors no events are wanted.
    assert_eq!(world.events(0), []);
    assert_eq!(value(&mut world, 0), success(4));
    assert_eq!(value(&mut world, 1), success(3));
    assert_eq!(value(&mut world, 2), success(100 + 5000 + 7 + 9));
    assert_eq!(
        value(&mut world, 3),
        success(100 + 5000 + 1),
        "an OC acknowledgement counts operations"
    );
}

#[test]
fn a_message_that_fails_counts_one_failure() {
    let mut world = World::two();
    world.post(
        0,
        &[
            ptl_ct_alloc(Ct(0)),
            counting(1, md_option::CT_ACK | md_option::CT_BYTES, 0),
        ],
    );
    let nowhere = Put {
        pt_index: xtq_testbench::host::Pt(9),
        ..put(1, 100, AckRequest::Ct)
    };
    world.post(
        0,
        &[ptl_put(&nowhere), ptl_put(&put(1, 100, AckRequest::Ct))],
    );
    world.settle();
    assert_eq!(
        value(&mut world, 0),
        CounterValue {
            success: 100,
            failure: 1
        }
    );
}

#[test]
fn an_oc_acknowledgement_counts_an_operation_also_of_a_message_that_was_refused() {
    let mut world = World::two();
    world.post(0, &[ptl_ct_alloc(Ct(0)), counting(1, md_option::CT_ACK, 0)]);
    let nowhere = Put {
        pt_index: xtq_testbench::host::Pt(9),
        ..put(1, 100, AckRequest::Oc)
    };
    world.post(
        0,
        &[ptl_put(&nowhere), ptl_put(&put(1, 100, AckRequest::Oc))],
    );
    world.settle();
    assert_eq!(value(&mut world, 0), success(2));
}

#[test]
fn a_put_fires_when_its_counter_is_reached_and_not_before() {
    let mut world = World::two();
    world.write(0, SOURCE, &pattern(64, 1));
    world.post(
        0,
        &[
            ptl_ct_alloc(Ct(0)),
            ptl_triggered_put(&byte(1), at(0, 3)),
            ptl_ct_inc(Ct(0), success(1)),
            ptl_ct_inc(Ct(0), failure(1)),
        ],
    );
    world.settle();
    assert_eq!(world.events(1).len(), 0);
    world.post(0, &[ptl_ct_inc(Ct(0), success(1))]);
    world.settle();
    assert_eq!(world.events(1).len(), 1);
    world.post(0, &[ptl_ct_inc(Ct(0), success(100))]);
    world.settle();
    assert_eq!(world.events(1).len(), 0, "once");
}

#[test]
fn what_fires_together_fires_in_the_order_of_posting() {
    let mut world = World::two();
    world.write(0, SOURCE, &(0..64).collect::<Vec<u8>>());
    // Thresholds out of order; a jump of the counter reaches all. 0 is reached at once.
    let mut commands = vec![ptl_ct_alloc(Ct(9))];
    for (number, threshold) in [(1, 0), (2, 5), (3, 2), (4, 9), (5, 2)] {
        commands.push(ptl_triggered_put(&byte(number), at(9, threshold)));
    }
    commands.push(ptl_ct_inc(Ct(9), success(50)));
    world.post(0, &commands);
    world.settle();
    assert_eq!(world.events(1).len(), 5);
    assert_eq!(landed(&world, 5), [1, 2, 3, 4, 5]);
}

#[test]
fn a_chain_of_puts_and_counters_runs_with_the_host_asleep() {
    let mut world = World::two();
    world.write(0, SOURCE, &(0..64).collect::<Vec<u8>>());
    // Counter 0 counts acknowledgements: each put waits for the one before; counter 1 follows counter 0 and sets it
    // back.
    let mut commands = vec![
        ptl_ct_alloc(Ct(0)),
        ptl_ct_alloc(Ct(1)),
        counting(1, md_option::CT_ACK, 0),
    ];
    for number in 1..20 {
        let put = Put {
            local_offset: number,
            ..put(1, 1, AckRequest::Ct)
        };
        commands.push(ptl_triggered_put(&put, at(0, number - 1)));
    }
    commands.push(ptl_triggered_ct_inc(Ct(1), success(1), at(0, 19)));
    commands.push(ptl_triggered_ct_set(Ct(0), success(0), at(1, 1)).with_completion());
    commands.push(nop());
    world.post(0, &commands);
    world.settle();
    assert_eq!(landed(&world, 19), (1..20).collect::<Vec<u8>>());
    let events = world.events(0);
    assert_eq!(events.len(), 1, "{events:?}");
    assert_eq!(events[0].result(), Some(Ok(())));
    assert_eq!(
        (value(&mut world, 0), value(&mut world, 1)),
        (success(0), success(1))
    );
}
