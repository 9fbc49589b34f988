//! Which faults with a `count` the golden model can follow: those whose accesses come in an order that does not depend
//! on time.

use super::schema::{Context, Fault, Scenario};

/// Bytes of a line, of a queue's packet and of an event.
const LINE: u64 = 64;

/// Whether the golden model knows which accesses a fault strikes: it has no `count`, or lies in the event ring of one
/// context, or in one line of a queue's ring or of a receive buffer. (Bodies and header words of several packets
/// overtake each other; so do bursts of a payload. Doorbells are merged, table entries cached, indices read again if a
/// queue looks full.)
pub(super) fn is_ordered(scenario: &Scenario, fault: &Fault) -> bool {
    if fault.count.is_none() {
        return true;
    }
    let default = [Context::new(0)];
    let contexts = match scenario.contexts.is_empty() {
        true => &default[..],
        false => &scenario.contexts,
    };
    let mut hit = contexts
        .iter()
        .filter(|context| fault.context.is_none_or(|id| id == context.id));
    let (Some(context), None) = (hit.next(), hit.next()) else {
        return false;
    };
    let (first, last) = (fault.address, fault.address + (fault.length - 1));
    let within = |base: u64, bytes: u64| first >= base && last - base < bytes;
    let mut places = Vec::new();
    let queues = scenario.queues.iter().filter(|q| q.context == context.id);
    places.extend(queues.map(|queue| (queue.base, LINE * u64::from(queue.size))));
    let portals = scenario.portals.iter().filter(|p| p.context == context.id);
    places.extend(portals.map(|portal| (portal.start, portal.length)));
    let one_line = first / LINE == last / LINE;
    within(context.event_ring, LINE * u64::from(context.events))
        || (one_line && places.iter().any(|(base, bytes)| within(*base, *bytes)))
}
