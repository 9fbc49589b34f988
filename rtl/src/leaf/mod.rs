//! Leaf widgets: the only places where state is kept, and the small blocks every other block is made of.

pub mod ack_fifo;
pub mod byte_aligner;
pub mod byte_packer;
pub mod fifo;
pub mod highest;
pub mod junction;
pub mod lane_ram;
pub mod lowest;
pub mod lut_ram;
pub mod number_pool;
pub mod ones;
pub mod queue_room;
pub mod ram;
pub mod ram_fifo;
pub mod reg;
pub mod round_robin;
pub mod skid;

pub use ack_fifo::AckFifo;
pub use byte_aligner::ByteAligner;
pub use byte_packer::BytePacker;
pub use fifo::Fifo;
pub use highest::Highest;
pub use junction::Junction;
pub use lane_ram::LaneRam;
pub use lowest::Lowest;
pub use lut_ram::LutRam;
pub use number_pool::NumberPool;
pub use ones::Ones;
pub use queue_room::QueueRoom;
pub use ram::Ram;
pub use ram_fifo::RamFifo;
pub use reg::Reg;
pub use round_robin::RoundRobin;
pub use skid::Skid;
