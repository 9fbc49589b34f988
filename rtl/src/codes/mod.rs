//! Room `codes`: numbers that stand in formats, as outputs that a kernel can name.

#[macro_use]
mod constants;
pub mod atomic_codes;
pub mod command_codes;
pub mod command_status_codes;
pub mod counter_codes;
pub mod hash_codes;
pub mod initiator_codes;
pub mod list_codes;
pub mod match_codes;
pub mod status_codes;
