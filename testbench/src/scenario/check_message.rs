//! Checks of messages and host actions.

use super::schema::HostVerb::{DisablePortal, EnablePortal, RegisterQueue};
use super::schema::{Message, Scenario};
use super::values::LONGEST;
use crate::input::KeyFault;

/// Phases of a scenario.
const PHASES: u32 = 1000;

/// A fault, if there is one.
pub(super) type Checked = Result<(), KeyFault>;

/// The keys of a message that go together.
pub(super) fn check_message(key: &str, message: &Message) -> Checked {
    phase(&format!("{key}.phase"), message.phase)?;
    let kinds = [
        ("kernel", message.kernel.is_some()),
        ("agent", message.agent.is_some()),
        ("packet", message.packet.is_some()),
        ("packets_file", message.packets_file.is_some()),
    ];
    let mut given = kinds
        .iter()
        .filter(|(_, given)| *given)
        .map(|(name, _)| *name);
    let kind = given.next();
    if let (Some(first), Some(second)) = (kind, given.next()) {
        let message = format!("a message has either '{first}' or '{second}'");
        return Err(KeyFault::value(format!("{key}.{second}"), message));
    }
    let series = kind == Some("packets_file");
    let needs_series = [
        ("arguments_file", message.arguments_file.is_some()),
        ("payload_file", message.payload_file.is_some()),
        ("interval", message.interval != 0),
    ];
    for (name, given) in needs_series {
        if given && !series {
            return Err(KeyFault::value(
                format!("{key}.{name}"),
                "goes with 'packets_file'",
            ));
        }
    }
    if message.payload_length.is_some() && message.payload_file.is_none() {
        return Err(KeyFault::value(
            format!("{key}.payload_length"),
            "goes with 'payload_file'",
        ));
    }
    if message.arguments.is_some() && kind.is_none() {
        let message = "arguments go with 'kernel', 'agent', 'packet' or 'packets_file'";
        return Err(KeyFault::value(format!("{key}.arguments"), message));
    }
    let twice = [
        (
            "arguments_file",
            message.arguments_file.is_some() && message.arguments.is_some(),
        ),
        (
            "payload_file",
            message.payload_file.is_some() && message.payload.is_some(),
        ),
    ];
    for (name, given) in twice {
        if given {
            return Err(KeyFault::value(
                format!("{key}.{name}"),
                "the bytes are given twice",
            ));
        }
    }
    if message
        .arguments
        .as_ref()
        .is_some_and(|data| data.0.len() > usize::from(u16::MAX) - 64)
    {
        let message = "a command is at most 65,535 bytes, 64 of them the packet";
        return Err(KeyFault::value(format!("{key}.arguments"), message));
    }
    if message.wire.surplus > LONGEST {
        return Err(KeyFault::value(
            format!("{key}.wire.surplus"),
            format!("more than {LONGEST} bytes"),
        ));
    }
    Ok(())
}

/// Host actions: the entry they are about must be there.
pub(super) fn check_host(scenario: &Scenario) -> Checked {
    for (i, action) in scenario.host.iter().enumerate() {
        let key = format!("host[{i}]");
        phase(&format!("{key}.before_phase"), action.before_phase)?;
        let entry = (action.context, action.portal);
        let queue = (action.context, action.queue);
        let (name, known) = match action.action {
            EnablePortal | DisablePortal => (
                "portal",
                scenario
                    .portals
                    .iter()
                    .any(|p| (p.context, p.index) == entry),
            ),
            RegisterQueue => (
                "queue",
                scenario
                    .queues
                    .iter()
                    .any(|q| (q.context, q.index) == queue),
            ),
        };
        if !known {
            let message = format!("there is no such {name} in context {}", action.context);
            return Err(KeyFault::value(format!("{key}.{name}"), message));
        }
    }
    Ok(())
}

pub(super) fn phase(key: &str, phase: u32) -> Checked {
    match phase < PHASES {
        true => Ok(()),
        false => Err(KeyFault::value(
            key,
            format!("{phase} is not below {PHASES}"),
        )),
    }
}
