//! xtq
fn main() {}
