//! Room `admission`: whether a message is taken: portal, permission, task, room for its event; the messages that are
//! open.

#[allow(clippy::module_inception)] // The block is called as its room is.
pub mod admission;
pub mod admission_commit;
pub mod admission_output;
pub mod admission_steps;
pub mod event_places;
pub mod message_tracker;
pub mod portal_check;
pub mod portal_stop;
pub mod portal_table;
pub mod task_check;
