//! How messages end: in time, with their context, by their last packet.

use super::{Bench, part};

#[test]
fn a_message_that_does_not_go_on_in_time_ends_and_one_that_does_stays() {
    let mut bench = Bench::new(5);
    for source in [0, 1] {
        bench.packet(&part(source, 0, false)).unwrap();
    }
    // One goes on within less than 32 cycles, the other does not go on for more than 64.
    for offset in 1..8 {
        bench.pause(12).unwrap();
        bench.packet(&part(1, offset, false)).unwrap();
    }
    assert_eq!((bench.late, bench.ended), (1, 1));
    bench.packet(&part(1, 8, true)).unwrap();
    assert_eq!((bench.late, bench.ended), (1, 2));
    assert!(bench.open.is_empty());
    // With 0 there is no time.
    let mut bench = Bench::new(0);
    bench.packet(&part(0, 0, false)).unwrap();
    bench.pause(3000).unwrap();
    bench.packet(&part(0, 1, true)).unwrap();
    assert_eq!((bench.late, bench.ended), (0, 1));
}

#[test]
fn a_message_whose_context_is_disabled_while_its_next_packet_is_looked_at_ends_behind_it() {
    // In the cycle of the look-up, in that of the decision, and in that between them.
    for disabled in 0..3 {
        for last in [false, true] {
            let mut bench = Bench::new(0);
            bench.packet(&part(0, 0, false)).unwrap();
            let mut next = part(0, 1, last);
            next.disabled[disabled] = 1 << 1;
            // So that it is looked at once: nothing is being stored.
            next.pause = 2;
            bench.packet(&next).unwrap();
            // The packet goes on as ever; the last one closes its message.
            assert_eq!(bench.ended, usize::from(last), "{disabled}, {last}");
            // Before another packet is looked at; and no message ends twice.
            bench.packet(&part(1, 0, true)).unwrap();
            bench.pause(10).unwrap();
            bench.packet(&part(1, 0, true)).unwrap();
            assert_eq!(bench.ended, 1, "{disabled}, {last}");
            assert!(bench.open.is_empty(), "{disabled}, {last}");
        }
    }
}

#[test]
fn a_message_of_one_packet_closes_no_other_when_all_16_places_are_taken() {
    let mut bench = Bench::new(0);
    for source in 0..16 {
        bench.packet(&part(source, 0, false)).unwrap();
    }
    bench.packet(&part(16, 0, true)).unwrap();
    for source in 0..16 {
        bench.packet(&part(source, 1, true)).unwrap();
    }
    assert!(bench.open.is_empty());
}
