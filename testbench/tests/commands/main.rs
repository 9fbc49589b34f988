//! Command rings and what becomes of commands.

use xtq_catalogue as _;
mod command_check;
mod command_choice;
mod command_ring;
mod fired_fence;
mod list_commands;
mod md_table;
mod message_pipeline;
