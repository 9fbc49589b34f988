//! The GPU's shared L2 with lockable lines (ComP-Net, PACT 2018, sections 4.2.2 and 4.2.3).

pub mod lock_unit;
pub mod victim_select;

pub use lock_unit::LockUnit;
pub use victim_select::VictimSelect;
