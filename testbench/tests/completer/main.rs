//! `Completer` against the rules of the contract, one message at a time.

use xtq_catalogue as _;
mod by_hand;
mod expected;
mod gets;
mod message;
mod random_messages;
mod replies;
mod rules;
mod surroundings;

use rust_hdl::prelude::{Bits, Block};
use xtq_engine::Engine;
use xtq_rtl::events::completer::Completer;
use xtq_testbench::bus::Pin;
use xtq_testbench::pins;
use xtq_testbench::verilog_tools::accept;

const NODE: u64 = 0xBEEF;

fn engine() -> impl Engine {
    let mut engine = pins!(
        Completer::default() => clk;
        in: rst, node, completion, completion_valid, info, event_write_ready, event_write_done, event_write_error, ack_ready,
            late_flow, late_enabled, late_ready, post_address, post_dropped, count_ready,
            get_ready, replied, replied_outcome, replied_valid, reply_ready;
        out: completion_ready, late, late_lists, late_flow_lists, late_valid, count, count_valid, delivered, delivered_colour, slot, event_write, event_write_valid, ack, ack_valid, freed, freed_valid, post_context, post,
            unreserve, unreserve_valid, visible, visible_valid, event_failed, event_failed_valid, memory_error,
            memory_error_valid, count_ok, count_failed, ended, ended_valid, ended_header, count_late_drop, get, get_outcome, get_valid, replied_ready, reply, reply_valid
    )
    .expect("the ports are complete");
    engine.reset(2).expect("has rst");
    let node = Pin::input(&engine, "node").expect("is an input");
    node.set(&mut engine, NODE).expect("is an input");
    let room = Pin::input(&engine, "get_ready").expect("is an input");
    room.set(&mut engine, 1).expect("is an input");
    engine
}

fn number<const N: usize>(value: Bits<N>) -> u64 {
    value.to_u64()
}

#[test]
fn three_tools_accept_the_verilog() {
    let mut block = Completer::default();
    block.connect_all();
    accept("Completer", &block).expect("accepted");
}
