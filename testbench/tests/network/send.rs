//! The sending half of the initiator, block by block on the JIT: `Packetiser` and `TxArbiter`
//! against naive models, their contracts in cycles, and their Verilog.

mod packetiser;
mod packetiser_cycles;
mod packetiser_model;
mod packetiser_target;
mod tx_arbiter;
