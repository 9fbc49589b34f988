//! The messages that end, as the tests make them.

use xtq_types::pipe::MessageInfo;
use xtq_types::queue::Completion;

/// A message that ends: what the doorbell writer says, what admission noted, how its event write fares.
#[derive(Clone, Debug)]
pub struct Message {
    pub completion: Completion,
    pub info: MessageInfo,
    /// Its portal entry when it ends: flow control, enabled.
    pub portal: (bool, bool),
    pub event_error: bool,
    /// Cycles from the event's handshake to its acknowledgement, at least.
    pub latency: u64,
}

/// Gives every message a slot of its own.
pub fn with_slots(mut messages: Vec<Message>) -> Vec<Message> {
    for (i, message) in messages.iter_mut().enumerate() {
        message.completion.slot = ((37 * i as u64) & 255).into();
    }
    messages
}

/// A delivered XTQ put that asks for everything.
pub fn plain(latency: u64) -> Message {
    let mut info = MessageInfo {
        xtq: 1.into(),
        event_success: 1.into(),
        event_failure: 1.into(),
        event_reserved: 1.into(),
        message_length: 100.into(),
        delivered_length: 100.into(),
        ..MessageInfo::default()
    };
    info.ack_request = 1.into();
    Message {
        completion: Completion::default(),
        info,
        portal: (true, true),
        event_error: false,
        latency,
    }
}
