//! What the unit's memories hold, as a test bench reads them, is what the model has.

use xtq_testbench::node::{PortalLists, Stores};

use super::random::drive;
use super::unit::{Gaps, Size, Unit};

#[test]
fn lists_and_headers_can_be_read_out_of_the_memories() {
    let (mut longest, mut most, mut disabled) = (0, 0, 0);
    for seed in 0..20 {
        let size = match seed % 2 {
            0 => Size::Tiny,
            _ => Size::Default,
        };
        let mut unit = Unit::new(size, Gaps::default(), seed);
        let stores = Stores::of_match_unit(unit.engine()).unwrap();
        for round in 0..4 {
            drive(&mut unit, 100 * seed + round, 150, 0.5);
            for context in 0..4u8 {
                for portal in [0, 1, 2, 3, 62, 63] {
                    let found = stores.portal(unit.engine(), context, portal).unwrap();
                    let PortalLists {
                        priority,
                        overflow,
                        unexpected,
                        ..
                    } = &found;
                    longest = longest.max(priority.len().min(overflow.len()));
                    most = most.max(*unexpected);
                    disabled += usize::from(found.allocated && !found.enabled);
                    let expected = unit.model().lists(context.into(), portal.into());
                    assert_eq!(found, expected, "seed {seed}, {context}, {portal}");
                }
                for id in 0..unit.size().share() {
                    let used = stores.is_used(unit.engine(), context, id as u16).unwrap();
                    let expected = unit.model().has_entry(context.into(), id);
                    assert_eq!(used, expected, "seed {seed}, {context}, entry {id}");
                }
            }
        }
    }
    assert!(
        longest > 3 && most > 4 && disabled > 10,
        "{longest} {most} {disabled}"
    );
}
