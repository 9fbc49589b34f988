//! The queue manager: `QueueAdmission`, `Enqueuer`, `HeaderWriter`, `DoorbellWriter`, each alone and all joined.

use xtq_catalogue as _;
mod acks;
mod acks_waiting;
mod doorbell_writer;
mod doorbell_writer_random;
mod enqueuer;
mod header_writer;
mod header_writer_random;
mod index_swap;
mod joined;
mod joined_block;
mod joined_failures;
mod joined_random;
mod log_check;
mod memory;
mod open_queues;
mod queue_admission;
mod queue_admission_random;
mod queue_states;
mod queues;
mod rig;
mod shared_queue;
