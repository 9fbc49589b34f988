//! The GPU's shared L2 with lockable lines (ComP-Net, PACT 2018, sections 4.2.2 and 4.2.3).

pub mod access_rules;
pub mod bank_counters;
pub mod data_array;
#[allow(clippy::module_inception)] // The block is called as its folder is.
pub mod l2;
pub mod l2_bank;
pub mod line_update;
pub mod lock_unit;
pub mod ones;
pub mod stall_queue;
pub mod tag_array;
pub mod victim_select;
pub mod write_buffer;

pub use access_rules::AccessRules;
pub use bank_counters::BankCounters;
pub use data_array::DataArray;
pub use l2::L2;
pub use l2_bank::L2Bank;
pub use line_update::LineUpdate;
pub use lock_unit::LockUnit;
pub use ones::Ones;
pub use stall_queue::StallQueue;
pub use tag_array::TagArray;
pub use victim_select::VictimSelect;
pub use write_buffer::WriteBuffer;
