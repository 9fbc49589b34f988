//! Room `commands`: commands of the host: fetched, checked, turned into messages.

pub mod command_check;
pub mod command_choice;
pub mod command_class;
pub mod command_pointers;
pub mod command_ring;
pub mod command_stage;
pub mod list_ends;
pub mod list_job;
pub mod md_table;
pub mod message_jobs;
pub mod message_pipeline;
