//! # xtq-rtl: the hardware
//!
//! Synthesizable rust-hdl blocks and nothing else: no I/O, no clock driving, no models. One file is one block; its
//! head comment gives purpose, symbol, contract, internals and an example. `docs/blocks/` has a page for each.
//!
//! Conventions that hold for every block:
//!
//! * `clk` is the only clock, `rst` the synchronous reset, active high.
//! * A stream is `x`, `x_valid`, `x_ready`. Valid never waits for ready, there is no combinational path from a ready
//!   input to a valid output, and the payload is stable while valid waits.
//! * Byte order is little endian: byte *i* of a 512-bit beat is bits `8 i + 7 .. 8 i`.

#[macro_use]
mod constants;
pub mod admission;
pub mod admission_commit;
pub mod admission_output;
pub mod admission_steps;
pub mod atomic_alu;
pub mod atomic_check;
pub mod atomic_codes;
pub mod atomic_fork;
pub mod atomic_unit;
pub mod axi_lite_slave;
pub mod body_cut;
pub mod command_check;
pub mod command_choice;
pub mod command_class;
pub mod command_codes;
pub mod command_pointers;
pub mod command_ring;
pub mod command_stage;
pub mod command_status_codes;
pub mod completer;
pub mod context_bank;
pub mod context_flags;
pub mod counter_bank;
pub mod counter_codes;
pub mod counter_owners;
pub mod counter_unit;
pub mod doorbell_writer;
pub mod enqueuer;
pub mod event_merge;
pub mod event_places;
pub mod event_rings;
pub mod gather_unit;
pub mod header_writer;
pub mod index_swap;
pub mod initiator;
pub mod initiator_codes;
pub mod initiator_completer;
pub mod invalidator;
pub mod iovec_gather;
pub mod iovec_reader;
pub mod iovec_scatter;
pub mod iovec_sum;
pub mod iovec_walker;
pub mod l2;
pub mod leaf;
pub mod list_arbiter;
pub mod list_codes;
pub mod list_completer;
pub mod list_ends;
pub mod list_job;
pub mod list_responses;
pub mod list_unit;
pub mod list_waits;
pub mod long_messages;
pub mod lookup_address;
pub mod lookup_cache;
pub mod lookup_stage;
pub mod lookup_tags;
pub mod match_stage;
pub mod match_unit;
pub mod md_table;
pub mod message_jobs;
pub mod message_places;
pub mod message_table;
pub mod message_timer;
pub mod message_tracker;
pub mod miss_tracker;
pub mod nic;
pub mod open_messages;
pub mod open_places;
pub mod orphan_messages;
pub mod outcome;
pub mod packet_store;
pub mod packetiser;
pub mod payload_tracker;
pub mod payload_writer;
pub mod per_context;
pub mod place_queue;
pub mod portal_check;
pub mod portal_stop;
pub mod portal_table;
pub mod pulse_counter;
pub mod queue_admission;
pub mod queue_key;
pub mod queue_states;
pub mod read_port;
pub mod receive_parser;
pub mod receive_splitter;
pub mod register_addresses;
pub mod register_decoder;
pub mod registers;
pub mod reply_unit;
pub mod rewrite_engine;
pub mod send_arbiter;
pub mod size_limits;
pub mod status_codes;
pub mod status_counts;
pub mod table_writer;
pub mod target_pipeline;
pub mod task_check;
pub mod trigger_engine;
pub mod tx_arbiter;
pub mod write_port;
pub mod xtq_target;
