//! Room `host`: registers of the host over AXI-Lite.

pub mod axi_lite_slave;
pub mod context_bank;
pub mod context_flags;
pub mod register_addresses;
pub mod register_decoder;
pub mod registers;
pub mod size_limits;
pub mod status_counts;
