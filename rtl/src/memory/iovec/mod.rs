//! Memory in pieces: lists of address and length (IOVECs) that a message is gathered from or scattered to.

pub mod iovec_gather;
pub mod iovec_reader;
pub mod iovec_scatter;
pub mod iovec_sum;
pub mod iovec_walker;
