//! Regions of memory must not overlap: the golden model could not know whose bytes they are.

use super::schema::{Context, Scenario};
use crate::input::KeyFault;

/// Bytes of a table of 64 entries.
pub(super) const TABLE: u64 = 64 * 64;

pub(super) struct Region {
    pub(super) context: u8,
    pub(super) start: u64,
    pub(super) length: u64,
    pub(super) key: String,
}

/// The first two regions that overlap; the fault names the later one.
pub(super) fn check_overlap(scenario: &Scenario) -> Result<(), KeyFault> {
    check_regions(regions(scenario))
}

/// The same of any regions.
pub(super) fn check_regions(mut regions: Vec<Region>) -> Result<(), KeyFault> {
    regions.retain(|region| region.length > 0);
    regions.sort_by_key(|region| (region.context, region.start));
    for pair in regions.windows(2) {
        let [first, second] = pair else { continue };
        if first.context == second.context && second.start - first.start < first.length {
            // Tables and event ring of a context that is left out have no key.
            let (here, there) = if second.key.is_empty() {
                (first, second)
            } else {
                (second, first)
            };
            let there = match there.key.as_str() {
                "" => "the tables or the event ring of the context".to_owned(),
                key => format!("'{key}'"),
            };
            let message = format!(
                "the {} bytes at {:#x} overlap {there}",
                here.length, here.start
            );
            return Err(KeyFault::value(&here.key, message).help(
                "every buffer, ring, index, doorbell, signal and table has bytes of its own",
            ));
        }
    }
    Ok(())
}

fn regions(scenario: &Scenario) -> Vec<Region> {
    let mut regions = Vec::new();
    let mut add = |context: u8, start: u64, length: u64, key: String| {
        regions.push(Region {
            context,
            start,
            length,
            key,
        });
    };
    let ids = |context: &Context, name: &str| {
        let place = scenario.contexts.iter().position(|c| c.id == context.id);
        place.map_or_else(String::new, |i| format!("contexts[{i}].{name}"))
    };
    let default = [Context::new(0)];
    let contexts = if scenario.contexts.is_empty() {
        &default[..]
    } else {
        &scenario.contexts
    };
    for context in contexts {
        add(
            context.id,
            context.kernel_table,
            TABLE,
            ids(context, "kernel_table"),
        );
        add(
            context.id,
            context.function_table,
            TABLE,
            ids(context, "function_table"),
        );
        add(
            context.id,
            context.queue_table,
            TABLE,
            ids(context, "queue_table"),
        );
        let length = 64 * u64::from(context.events);
        add(
            context.id,
            context.event_ring,
            length,
            ids(context, "event_ring"),
        );
    }
    for (i, portal) in scenario.portals.iter().enumerate() {
        add(
            portal.context,
            portal.start,
            portal.length,
            format!("portals[{i}].start"),
        );
    }
    for (i, queue) in scenario.queues.iter().enumerate() {
        let (context, bytes) = (queue.context, 64 * u64::from(queue.size));
        add(context, queue.base, bytes, format!("queues[{i}].base"));
        add(
            context,
            queue.write_index_address,
            8,
            format!("queues[{i}].write_index_address"),
        );
        add(
            context,
            queue.read_index_address,
            8,
            format!("queues[{i}].read_index_address"),
        );
        add(
            context,
            queue.doorbell_address,
            8,
            format!("queues[{i}].doorbell_address"),
        );
    }
    for (i, signal) in scenario.signals.iter().enumerate() {
        // The value is at handle + 8; handles near the end of the address space wrap.
        add(
            signal.context,
            signal.handle.wrapping_add(8),
            8,
            format!("signals[{i}].handle"),
        );
    }
    regions
}
