//! Room `events`: events: what the program on the host reads of a message or command.

pub mod completer;
pub mod event_merge;
pub mod event_rings;
pub mod ring_arbiter;
