//! Room `queue`: user-mode queues of the GPU: a place, the packet, its header last, the doorbell.

pub mod ack_fifo;
pub mod doorbell_writer;
pub mod enqueuer;
pub mod header_writer;
pub mod index_swap;
pub mod queue_admission;
pub mod queue_key;
pub mod queue_states;
