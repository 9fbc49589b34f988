//! Room `memory`: reads and writes of host memory over AXI.

pub mod gather_unit;
pub mod iovec;
pub mod read_port;
pub mod write_port;
