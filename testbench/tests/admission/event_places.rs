//! `EventPlaces`: every combination of its inputs against the rule.

use xtq_testbench::by_name::Hardware;

#[test]
fn events_take_the_places_in_their_order_and_the_rest_are_missed() {
    let mut block = Hardware::block("event_places");
    for held in 0..4 {
        for events in 0..8u64 {
            let wanted = [0, 1, 2].map(|bit| events >> bit & 1 == 1);
            // Who wants a place gets one if those before it have left one.
            let mut places = held;
            let gets = wanted.map(|wants| {
                let gets = wants && places > 0;
                places -= u64::from(gets);
                gets
            });
            let missed = (0..3).filter(|&i| wanted[i] && !gets[i]).count() as u64;
            block.set("held", &[held]);
            for (name, wants) in ["own", "unlinks", "frees"].into_iter().zip(wanted) {
                block.set(name, &[wants.into()]);
            }
            block.eval();
            let told =
                ["taken", "missed", "tells_unlink", "tells_free"].map(|name| block.get(name)[0]);
            let rule = [held - places, missed, gets[1].into(), gets[2].into()];
            assert_eq!(told, rule, "held {held}, wanted {wanted:?}");
        }
    }
}
