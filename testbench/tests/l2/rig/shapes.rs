//! The banks under test and their shapes.

use std::sync::{Arc, OnceLock};

use rust_hdl::prelude::Block;
use xtq_engine::blocks::boxed;
use xtq_engine::{Backend, Body};
use xtq_rtl::l2::L2Bank;

/// 2 ways, 2 sets, 4 requests that wait, lines of 8 bytes: the configuration of the proofs, with a longer watchdog.
pub type Small = L2Bank<2, 1, 1, 2, 2, 4, 2, 64, 8, 11, 10, 4, 2, 3>;

/// 4 ways, 2 sets, 8 requests that wait, lines of 16 bytes.
pub type Middle = L2Bank<4, 2, 1, 2, 3, 8, 3, 128, 16, 11, 10, 8, 3, 4>;

/// The default.
pub type Full = L2Bank<16, 4, 7, 128, 11, 16, 4, 512, 64, 17, 16, 4, 2, 3>;

/// The shape of a bank, for those who compute what it does.
#[derive(Clone, Copy, Debug)]
pub struct Shape {
    pub ways: usize,
    pub sets: u64,
    pub places: usize,
    pub words: usize,
    pub longest_limit: u64,
}

pub const SMALL: Shape = Shape {
    ways: 2,
    sets: 2,
    places: 4,
    words: 1,
    longest_limit: 1023,
};

pub const MIDDLE: Shape = Shape {
    ways: 4,
    sets: 2,
    places: 8,
    words: 2,
    longest_limit: 1023,
};

pub const FULL: Shape = Shape {
    ways: 16,
    sets: 128,
    places: 16,
    words: 8,
    longest_limit: 65_535,
};

pub fn body(shape: Shape) -> Arc<Body> {
    static BODIES: [OnceLock<Arc<Body>>; 3] = [OnceLock::new(), OnceLock::new(), OnceLock::new()];
    let (slot, build): (usize, fn() -> Box<dyn Block>) = match shape.ways {
        2 => (0, || Box::new(Small::default())),
        4 => (1, || Box::new(Middle::default())),
        _ => (2, || Box::new(Full::default())),
    };
    let make = move || {
        let design = build();
        Arc::new(Body::new(design.as_ref(), Backend::Jit).expect("keeps the rules"))
    };
    let built = || *boxed(make).expect("there is a thread to build it on");
    BODIES[slot].get_or_init(built).clone()
}
