//! A store to CT_INC counts, as a message does: a GPU or a host fires triggered operations with it.

use xtq_testbench::host::{
    AckRequest, Ct, Md, NicPort, Put, Trigger, ptl_ct_alloc, ptl_triggered_put,
};
use xtq_types::register_map::{context, context_address};

use super::fixture::{SOURCE, TARGET, World, pattern};

/// Stores to CT_INC of this context of node 0, and waits for the answer.
fn store(world: &mut World, of: u32, counter: u32, amount: u32) {
    let mut port = world.cluster.port(0);
    let address = context_address(of, context::CT_INC);
    port.post(address, counter << 24 | amount);
    // The answer of a read comes after that of the write.
    port.read(context_address(of, context::CQ_HEAD)).unwrap();
    world.settle();
}

/// Two nodes; on node 0 a put of one byte waits for three successes of counter 5.
fn waiting() -> World {
    let mut world = World::two();
    world.write(0, SOURCE, &pattern(8, 1));
    let put = Put {
        md: Md(0),
        length: 1,
        ack: AckRequest::None,
        target: TARGET,
        ..Put::default()
    };
    let trigger = Trigger {
        counter: Ct(5),
        threshold: 3,
    };
    world.post(0, &[ptl_ct_alloc(Ct(5)), ptl_triggered_put(&put, trigger)]);
    world.settle();
    world
}

#[test]
fn stores_fire_a_put_when_they_have_counted_enough() {
    let mut world = waiting();
    store(&mut world, 0, 5, 1);
    store(&mut world, 0, 5, 1);
    assert_eq!(world.events(1).len(), 0);
    assert_eq!(world.count(0, 5).success, 2);
    store(&mut world, 0, 5, 1);
    assert_eq!(world.events(1).len(), 1);
    store(&mut world, 0, 5, 0xFF_FFFF);
    let count = world.count(0, 5);
    assert_eq!((count.success, count.failure), (0x100_0002, 0));
    assert_eq!(world.events(1).len(), 0, "once");
}

#[test]
fn a_store_counts_only_on_counters_of_its_own_page() {
    let mut world = waiting();
    for other in 1..4 {
        store(&mut world, other, 5, 9);
    }
    // A counter that nobody has.
    store(&mut world, 0, 6, 9);
    assert_eq!(world.events(1).len(), 0);
    assert_eq!(world.count(0, 5).success, 0);
}
