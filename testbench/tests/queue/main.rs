//! The queue manager: `QueueAdmission`, `Enqueuer`, `HeaderWriter`, `DoorbellWriter`, each alone and all joined.

mod doorbell_writer;
mod enqueuer;
mod header_writer;
mod joined;
mod joined_block;
mod joined_random;
mod log_check;
mod memory;
mod queue_admission;
mod queue_admission_random;
mod queues;
mod rig;
mod shared_queue;
