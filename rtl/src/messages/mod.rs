//! Room `messages`: messages that were sent and wait for their acknowledgement or reply.

pub mod initiator_completer;
pub mod message_places;
pub mod message_table;
pub mod place_queue;
pub mod reply_unit;
