//! Leaf widgets: the only places where state is kept, and the small blocks every other block is made of.

pub mod ram;
pub mod reg;

pub use ram::Ram;
pub use reg::Reg;
