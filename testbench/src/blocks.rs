//! Every block of `rtl/` by name, on any engine: for lockstep, lint and export.
//!
//! The list is made from the sources by `build.rs`.

use rust_hdl::prelude::*;
use xtq_engine::elaborate::elaborate;
use xtq_engine::{
    Ahead, Body, Compiled, Cosim, Engine, EngineKind, Error, Oracle, Result, Simulator, sample,
};
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

/// Gives `NAMES`, `type_of`, `oracle` and `design` from lines of name, type, clock and pins.
macro_rules! blocks {
    ($($name:literal, $block:ty $(=> $clock:ident)?; in: $($input:ident),*; out: $($output:ident),*;)*) => {
        /// Names of all blocks, in order.
        pub const NAMES: &[&str] = &[$($name),*];

        /// The struct of the block of this name.
        pub fn type_of(name: &str) -> Option<&'static str> {
            let path = match name {
                $($name => stringify!($block),)*
                _ => return None,
            };
            let path = path.split('<').next().unwrap_or(path);
            path.rsplit(':').next().map(str::trim)
        }

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

/// Generated code of the block, if it is one of the shipped tops.
pub fn ahead(name: &str) -> Option<&'static Ahead> {
    (name == "xtq_target").then_some(&xtq_aot::XTQ_TARGET)
}

/// The kinds of engine that can run the block of this name.
pub fn kinds(name: &str) -> Vec<EngineKind> {
    let all = EngineKind::ALL.into_iter();
    all.filter(|kind| kind.backend(ahead(name)).is_ok())
        .collect()
}

/// The block of this name on an engine of this kind. Errors: there is none; of the engine.
pub fn engine(name: &str, kind: EngineKind) -> Result<Box<dyn Engine>> {
    let Some(backend) = kind.backend(ahead(name))? else {
        return oracle(name);
    };
    let body = Body::new(design(name)?.as_ref(), backend)?;
    Ok(Box::new(Compiled::new(std::sync::Arc::new(body))))
}

/// The Verilog of the block of this name in a foreign simulator. Errors: there is none; of the simulator.
pub fn cosim(name: &str, simulator: Simulator) -> Result<Box<dyn Engine>> {
    let design = elaborate(design(name)?.as_ref()).map_err(Error::Findings)?;
    Ok(Box::new(Cosim::new(&design, simulator)?))
}

#[cfg(test)]
mod tests {
    use super::{NAMES, type_of};

    #[test]
    fn every_block_has_a_struct() {
        assert_eq!(type_of("lane_ram_2"), Some("LaneRam"));
        assert_eq!(type_of("xtq_target"), Some("XtqTarget"));
        assert_eq!(type_of("nothing"), None);
        for name in NAMES {
            let found = type_of(name).unwrap_or_default();
            assert!(
                found.starts_with(|c: char| c.is_ascii_uppercase()),
                "{name}: {found}"
            );
        }
    }
}
