//! Every block of `rtl/` by name, on any engine: for lockstep, lint and export.
//!
//! The list is made from the sources by `build.rs`.

use rust_hdl::prelude::*;
use xtq_engine::{Body, Compiled, Engine, EngineKind, Error, Oracle, Result, sample};
use xtq_rtl::types::Wire;

/// Bytes of stack on which a block is built before it is boxed: large ones do not fit a thread's usual stack.
const STACK_BYTES: usize = 64 << 20;

/// Builds a block in a box. Errors: there is no thread to build it on.
pub fn boxed<D: Send + 'static>(build: impl FnOnce() -> D + Send + 'static) -> Result<Box<D>> {
    let thread = std::thread::Builder::new()
        .stack_size(STACK_BYTES)
        .spawn(move || Box::new(build()))
        .map_err(|error| Error::BadDesign(format!("no thread to build it on: {error}")))?;
    Ok(thread
        .join()
        .unwrap_or_else(|panic| std::panic::resume_unwind(panic)))
}

/// Gives `NAMES`, `oracle` and `design` from lines of name, type, clock and pins.
macro_rules! blocks {
    ($($name:literal, $block:ty $(=> $clock:ident)?; in: $($input:ident),*; out: $($output:ident),*;)*) => {
        /// Names of all blocks, in order.
        pub const NAMES: &[&str] = &[$($name),*];

        /// The block of this name on rust-hdl's own loop. Errors: there is none; of the engine.
        pub fn oracle(name: &str) -> Result<Box<dyn Engine>> {
            match name {
                $($name => {
                    let builder = Oracle::<$block>::builder(boxed(<$block>::default)?);
                    let builder = builder
                        $(.clock(|design, level| design.$clock.next = level.into()))?
                        $(.input(stringify!($input), |design, words| {
                            design.$input.next = Wire::from_words(words);
                        }))*
                        $(.output(stringify!($output), |design, words| {
                            sample(design.$output.val(), words);
                        }))*;
                    Ok(Box::new(builder.build()?))
                })*
                _ => Err(Error::NoSuchBlock(name.into())),
            }
        }

        /// The block of this name. Errors: there is none.
        pub fn design(name: &str) -> Result<Box<dyn Block>> {
            match name {
                $($name => Ok(boxed(<$block>::default)?),)*
                _ => Err(Error::NoSuchBlock(name.into())),
            }
        }
    };
}

include!(concat!(env!("OUT_DIR"), "/blocks.rs"));

/// The block of this name on an engine of this kind. Errors: there is none; of the engine.
pub fn engine(name: &str, kind: EngineKind) -> Result<Box<dyn Engine>> {
    let Some(backend) = kind.backend() else {
        return oracle(name);
    };
    let body = Body::new(design(name)?.as_ref(), backend)?;
    Ok(Box::new(Compiled::new(std::sync::Arc::new(body))))
}
