//! `Completer` against the rules of the contract, one message at a time.

mod by_hand;
mod expected;
mod gets;
mod message;
mod random_messages;
mod replies;
mod rules;
mod surroundings;

use rust_hdl::prelude::Bits;
use xtq_engine::Engine;
use xtq_engine::EngineKind;
use xtq_engine::blocks;
use xtq_testbench::bus::Pin;

const NODE: u64 = 0xBEEF;

fn engine() -> impl Engine {
    let mut engine = blocks::engine("completer", EngineKind::Jit).expect("the ports are complete");
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
