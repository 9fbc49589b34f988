//! The ports to memory, and lists of pieces.

use xtq_catalogue as _;
mod iovec;
mod read_port;
mod write_port;
