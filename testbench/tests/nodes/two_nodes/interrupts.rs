//! The interrupt pin `irq` of a running NIC: which events and errors raise it, what holds it, and what lets it fall.

use xtq_testbench::bus::{Access, Pin};
use xtq_testbench::host::{AckRequest, EventKind, NicPort, Process, ProcessConfig, Put, ptl_put};
use xtq_testbench::node::Buffer;
use xtq_types::register_map::{context, context_address, error_cause, irq_cause};

use super::fixture::{CYCLES, LANDING, TARGET, World, fault};

/// The node that is interrupted.
const NODE: usize = 1;
const BOTH: u32 = irq_cause::EVENT | irq_cause::ERROR;

/// The pin.
fn irq(world: &mut World) -> bool {
    let engine = world.cluster.nodes_mut()[NODE].engine();
    let pin = Pin::output(engine, "irq").expect("is an output");
    pin.is_high(engine)
}

fn read(world: &mut World, of: u32, offset: u32) -> u32 {
    let mut port = world.cluster.port(NODE);
    port.read(context_address(of, offset)).unwrap()
}

/// A write that is done when this returns.
fn write(world: &mut World, of: u32, offset: u32, value: u32) {
    let mut port = world.cluster.port(NODE);
    port.post(context_address(of, offset), value);
    port.read(context_address(of, offset)).unwrap();
}

/// Nothing is pending, these causes interrupt.
fn with_mask(mask: u32) -> World {
    let mut world = World::two();
    write(&mut world, 0, context::IRQ_STATUS, BOTH);
    assert!(!irq(&mut world), "nothing has happened");
    write(&mut world, 0, context::IRQ_MASK, mask);
    world
}

/// A put to a context of the node.
fn send(world: &mut World, context: u8) {
    let target = xtq_testbench::host::ProcessId { context, ..TARGET };
    let put = Put {
        length: 100,
        ack: AckRequest::None,
        target,
        ..Put::default()
    };
    world.post(0, &[ptl_put(&put)]);
}

/// Runs to the interrupt.
fn await_irq(world: &mut World) {
    for _ in 0..CYCLES {
        if irq(world) {
            return;
        }
        world.cluster.cycle().unwrap();
    }
    panic!("no interrupt");
}

#[test]
fn an_event_interrupts_when_it_can_be_read_and_until_it_is_cleared() {
    let mut world = with_mask(irq_cause::EVENT);
    for round in 1..4 {
        send(&mut world, 0);
        await_irq(&mut world);
        assert_eq!(read(&mut world, 0, context::EQ_PRODUCER), round);
        let told = world.events(NODE);
        assert_eq!(told.len(), 1, "{told:?}");
        assert_eq!((told[0].kind, told[0].mlength), (EventKind::Put, 100));
        // Neither reading the status nor taking the event lets it fall.
        assert_eq!(read(&mut world, 0, context::IRQ_STATUS), irq_cause::EVENT);
        world.settle();
        assert!(irq(&mut world));
        // Nor does a write of the other bit.
        write(&mut world, 0, context::IRQ_STATUS, irq_cause::ERROR);
        assert!(irq(&mut world));
        write(&mut world, 0, context::IRQ_STATUS, irq_cause::EVENT);
        assert!(!irq(&mut world));
        assert_eq!(read(&mut world, 0, context::IRQ_STATUS), 0);
        world.settle();
        assert!(!irq(&mut world), "it has fallen for good");
    }
}

#[test]
fn the_mask_holds_the_pin_and_not_the_cause() {
    let mut world = with_mask(irq_cause::ERROR);
    send(&mut world, 0);
    for _ in 0..2000 {
        world.cluster.cycle().unwrap();
        assert!(!irq(&mut world), "an event that is masked");
    }
    assert_eq!(read(&mut world, 0, context::IRQ_STATUS), irq_cause::EVENT);
    for (mask, high) in [(BOTH, true), (0, false), (irq_cause::EVENT, true)] {
        write(&mut world, 0, context::IRQ_MASK, mask);
        assert_eq!(irq(&mut world), high, "mask {mask}");
        assert_eq!(read(&mut world, 0, context::IRQ_STATUS), irq_cause::EVENT);
    }
}

#[test]
fn every_error_interrupts_with_its_cause() {
    let events = ProcessConfig::default().events;
    let causes = [
        error_cause::MEMORY_ERROR,
        error_cause::EVENT_FAILED,
        error_cause::BAD_TAIL,
        error_cause::EVENT_LOST,
    ];
    for cause in causes {
        let mut world = with_mask(irq_cause::ERROR);
        match cause {
            error_cause::MEMORY_ERROR => {
                fault(&mut world, NODE, LANDING..=LANDING + 63, Access::Write);
                send(&mut world, 0);
            }
            error_cause::EVENT_FAILED => {
                let ring = events.base..=events.base + 64 * u64::from(events.size) - 1;
                fault(&mut world, NODE, ring, Access::Write);
                send(&mut world, 0);
            }
            error_cause::BAD_TAIL => {
                let tail = context_address(0, context::CQ_TAIL);
                world.cluster.port(NODE).post(tail, 1_000_000);
            }
            // Nobody takes the events.
            _ => {
                for _ in 0..=events.size {
                    send(&mut world, 0);
                    world.settle();
                }
            }
        }
        await_irq(&mut world);
        let status = read(&mut world, 0, context::IRQ_STATUS);
        assert_eq!(status & irq_cause::ERROR, irq_cause::ERROR);
        assert_eq!(read(&mut world, 0, context::ERROR_CAUSE), cause);
        world.settle();
        // The pin goes by IRQ_STATUS; the cause stays until it is cleared itself.
        write(&mut world, 0, context::IRQ_STATUS, irq_cause::ERROR);
        assert!(!irq(&mut world), "cause {cause}");
        assert_eq!(read(&mut world, 0, context::ERROR_CAUSE), cause);
        write(&mut world, 0, context::ERROR_CAUSE, cause);
        assert_eq!(read(&mut world, 0, context::ERROR_CAUSE), 0);
        assert!(!irq(&mut world), "cause {cause}");
    }
}

#[test]
fn the_pin_is_high_while_any_context_interrupts() {
    let mut world = with_mask(irq_cause::EVENT);
    let other = 2;
    Process::open(
        &mut world.cluster.port(NODE),
        other,
        &ProcessConfig::default(),
    )
    .unwrap();
    let buffer = Buffer::new(LANDING, 0x1000);
    world.cluster.nodes_mut()[NODE]
        .post_buffer(other, 0, &buffer)
        .unwrap();
    write(&mut world, 2, context::IRQ_MASK, irq_cause::EVENT);
    for context in [0, other] {
        send(&mut world, context);
    }
    world.settle();
    assert!(irq(&mut world));
    write(&mut world, 0, context::IRQ_STATUS, BOTH);
    assert_eq!(read(&mut world, 2, context::IRQ_STATUS), irq_cause::EVENT);
    assert!(irq(&mut world), "the other one's event");
    write(&mut world, 2, context::IRQ_STATUS, BOTH);
    assert!(!irq(&mut world));
    assert_eq!(read(&mut world, 1, context::IRQ_STATUS), 0);
}
