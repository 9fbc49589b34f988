//! Commands that are wrong, and those that wait: a named error, and the next command runs.

use xtq_testbench::bus::Access;
use xtq_testbench::host::{
    AckRequest, Atomic, AtomicOp, CommandError, Datatype, EventKind, Md, NicPort, ProcessConfig,
    ProcessId, Put, fence, nop, ptl_atomic, ptl_md_release, ptl_put,
};
use xtq_types::command::operation;
use xtq_types::register_map::{context as reg, context_address, error_cause};

use super::fixture::{SOURCE, SOURCE_BYTES, TARGET, World, bind, fault, kinds, pattern};

/// Posts the commands, each with a completion, and gives their results.
fn results(
    world: &mut World,
    commands: Vec<xtq_testbench::host::Command>,
) -> Vec<Result<(), CommandError>> {
    let commands: Vec<_> = commands.into_iter().map(|c| c.with_completion()).collect();
    world.post(0, &commands);
    world.settle();
    let events = world.events(0);
    events.iter().filter_map(|event| event.result()).collect()
}

fn put(md: u16, offset: u64, length: u64) -> Put {
    Put {
        md: Md(md),
        local_offset: offset,
        length,
        target: TARGET,
        ..Put::default()
    }
}

#[test]
fn a_command_that_cannot_be_read_is_told_and_the_next_runs() {
    let ring = ProcessConfig::default().commands.base;
    // Place 0 had the descriptor; of place 2 one half cannot be read.
    for half in [0, 64] {
        let mut world = World::two();
        let bytes = ring + 2 * 128 + half..=ring + 2 * 128 + half + 63;
        fault(&mut world, 0, bytes, Access::Read);
        let found = results(&mut world, vec![nop(), ptl_put(&put(0, 0, 8)), nop()]);
        assert_eq!(found, [Ok(()), Err(CommandError::MemoryError), Ok(())]);
        assert_eq!(world.events(1), [], "nothing was sent");
        let sent = world.run(0, &[ptl_put(&put(0, 0, 8))]);
        assert_eq!(kinds(&sent), [EventKind::Send]);
        assert_eq!(world.events(1).len(), 1);
    }
}

#[test]
fn a_wrong_command_is_told_by_name_and_the_next_runs() {
    let mut world = World::two();
    let end = SOURCE_BYTES;
    let far = ProcessId {
        node: 1,
        context: 4,
    };
    let found = results(
        &mut world,
        vec![
            nop(),
            ptl_put(&put(1, 0, 1)),
            ptl_put(&put(64, 0, 1)),
            ptl_put(&put(0, end, 1)),
            ptl_put(&put(0, end, 0)),
            ptl_put(&put(0, u64::MAX, 1)),
            ptl_put(&put(0, u64::MAX, u32::MAX.into())),
            ptl_put(&put(0, 0, 1 << 32)),
            ptl_put(&Put {
                target: far,
                ..put(0, 0, 1)
            }),
            bind(0, 0, 1),
            bind(63, SOURCE, 10),
            bind(64, SOURCE, 10),
            ptl_md_release(Md(62)),
            ptl_md_release(Md(63)),
            ptl_md_release(Md(63)),
            nop(),
        ],
    );
    assert_eq!(
        found,
        [
            Ok(()),
            Err(CommandError::BadDescriptor),
            Err(CommandError::BadDescriptor),
            Err(CommandError::DescriptorOverflow),
            Ok(()),
            Err(CommandError::DescriptorOverflow),
            Err(CommandError::DescriptorOverflow),
            Err(CommandError::TooLong),
            Err(CommandError::BadArgument),
            Err(CommandError::InUse),
            Ok(()),
            Err(CommandError::BadDescriptor),
            Err(CommandError::BadDescriptor),
            Ok(()),
            Err(CommandError::BadDescriptor),
            Ok(()),
        ]
    );
}

#[test]
fn a_failed_command_is_told_without_being_asked_and_a_good_one_is_not() {
    let mut world = World::two();
    world.post(0, &[nop(), ptl_put(&put(9, 0, 1)).with_user_ptr(77), nop()]);
    world.settle();
    let events = world.events(0);
    assert_eq!(events.len(), 1);
    assert_eq!(events[0].result(), Some(Err(CommandError::BadDescriptor)));
    assert_eq!(events[0].user_ptr(), Some(77));
    assert_eq!(events[0].access, operation::PUT);
}

#[test]
fn a_fence_ends_when_all_puts_before_it_are_acknowledged() {
    let mut world = World::two();
    world.write(0, SOURCE, &pattern(9000, 1));
    let acked = |n| {
        ptl_put(&Put {
            ack: AckRequest::Ack,
            user_ptr: n,
            ..put(0, 0, 9000)
        })
    };
    world.post(
        0,
        &[
            acked(1),
            acked(2),
            fence().with_completion(),
            acked(3),
            fence().with_completion(),
        ],
    );
    world.settle();
    let told: Vec<(EventKind, u64)> = world
        .events(0)
        .iter()
        .map(|e| (e.kind, e.user_ptr().unwrap_or(0)))
        .collect();
    let place = |what| told.iter().position(|e| *e == what).unwrap();
    let fences: Vec<usize> = (0..told.len())
        .filter(|i| told[*i].0 == EventKind::Command)
        .collect();
    assert_eq!(fences.len(), 2, "{told:?}");
    assert!(place((EventKind::Ack, 1)) < fences[0] && place((EventKind::Ack, 2)) < fences[0]);
    assert!(fences[0] < place((EventKind::Send, 3)));
    assert_eq!(fences[1], told.len() - 1);
}

#[test]
fn a_descriptor_that_a_message_uses_cannot_be_released() {
    let mut world = World::two();
    world.post(0, &[bind(1, SOURCE, 9000)]);
    world.settle();
    let put = ptl_put(&Put {
        ack: AckRequest::Ack,
        ..put(1, 0, 9000)
    });
    let found = results(
        &mut world,
        vec![put, ptl_md_release(Md(1)), fence(), ptl_md_release(Md(1))],
    );
    assert_eq!(found, [Ok(()), Err(CommandError::InUse), Ok(()), Ok(())]);
}

#[test]
fn what_is_not_built_is_refused_by_name() {
    let mut world = World::two();
    let sum = Atomic {
        put: put(0, 0, 16),
        operation: AtomicOp::Sum,
        datatype: Datatype::LongDouble,
    };
    let found = results(&mut world, vec![ptl_atomic(&sum), nop()]);
    assert_eq!(found, [Err(CommandError::Unsupported), Ok(())]);
}

#[test]
fn an_impossible_doorbell_is_ignored_and_told() {
    let mut world = World::two();
    let tail = context_address(0, reg::CQ_TAIL);
    let cause = context_address(0, reg::ERROR_CAUSE);
    let mut port = world.cluster.port(0);
    let before = port.read(tail).unwrap();
    port.post(tail, before.wrapping_add(65));
    assert_eq!(port.read(cause).unwrap(), error_cause::BAD_TAIL);
    assert_eq!(port.read(tail).unwrap(), before);
    port.post(cause, error_cause::BAD_TAIL);
    assert_eq!(port.read(cause).unwrap(), 0);
    assert_eq!(results(&mut world, vec![nop()]), [Ok(())]);
}

#[test]
fn a_ring_wraps_many_times_and_says_when_it_is_full() {
    let mut world = World::two();
    for _ in 0..40 {
        let commands: Vec<_> = (0..13).map(|_| nop().with_completion()).collect();
        world.post(0, &commands);
        world.settle();
        assert_eq!(world.events(0).len(), 13);
    }
    let commands: Vec<_> = (0..65).map(|_| nop()).collect();
    let mut port = world.cluster.port(0);
    assert!(world.processes[0].post_all(&mut port, &commands).is_err());
}
