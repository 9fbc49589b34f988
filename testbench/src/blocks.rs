//! Every block of `rtl/` by name, on any engine: for lockstep, lint and export.
//!
//! The list is made from the sources by `build.rs`.

use rust_hdl::prelude::*;
use xtq_engine::elaborate::elaborate;
use xtq_engine::{
    Ahead, Body, Compiled, Cosim, Engine, EngineKind, Error, Oracle, Result, Simulator, sample,
};
use xtq_types::Wire;
use xtq_types::register_map::CONTEXTS;

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

/// Builds a block: those that exist with atomics and without by `new`, the others by `default`.
macro_rules! made {
    ($block:ty, new, $atomics:expr) => {
        <$block>::new($atomics)
    };
    ($block:ty, default, $atomics:expr) => {{
        let _ = $atomics;
        <$block>::default()
    }};
}

/// Whether a block exists with atomics.
macro_rules! has_atomics {
    (new) => {
        true
    };
    (default) => {
        false
    };
}

/// Gives `NAMES`, `path_of`, `is_top`, `oracle_of` and `design_of` from lines of name, type, how it is made, clock and pins.
macro_rules! blocks {
    ($($name:literal, $block:ty, $made:ident $(=> $clock:ident)?; in: $($input:ident),*; out: $($output:ident),*;)*) => {
        /// Names of all blocks, in order.
        pub const NAMES: &[&str] = &[$($name),*];

        /// The type of the block of this name, as it is written in Rust.
        fn path_of(name: &str) -> Option<&'static str> {
            match name {
                $($name => Some(stringify!($block)),)*
                _ => None,
            }
        }

        /// Whether the block of this name is a top: there are two builds of it, with atomics and without.
        pub fn is_top(name: &str) -> bool {
            match name {
                $($name => has_atomics!($made),)*
                _ => false,
            }
        }

        /// A build of the block of this name on rust-hdl's own loop. Errors: there is none; of the engine.
        pub fn oracle_of(name: &str, atomics: bool) -> Result<Box<dyn Engine>> {
            check(name, atomics)?;
            match name {
                $($name => {
                    // A function of its own: the compiler takes minutes for one with all blocks.
                    fn build(atomics: bool) -> Result<Box<dyn Engine>> {
                        let builder = Oracle::<$block>::builder(boxed(move || made!($block, $made, atomics))?);
                        let builder = builder
                            $(.clock(|design, level| design.$clock.next = level.into()))?
                            $(.input(stringify!($input), |design, words| {
                                design.$input.next = Wire::from_words(words);
                            }))*
                            $(.output(stringify!($output), |design, words| {
                                sample(design.$output.val(), words);
                            }))*;
                        Ok(Box::new(builder.build()?))
                    }
                    build(atomics)
                })*
                _ => Err(Error::NoSuchBlock(name.into())),
            }
        }

        /// A build of the block of this name. Errors: there is none.
        pub fn design_of(name: &str, atomics: bool) -> Result<Box<dyn Block>> {
            check(name, atomics)?;
            match name {
                $($name => Ok(boxed(move || made!($block, $made, atomics))?),)*
                _ => Err(Error::NoSuchBlock(name.into())),
            }
        }
    };
}

include!(concat!(env!("OUT_DIR"), "/blocks.rs"));

/// The struct of the block of this name.
pub fn type_of(name: &str) -> Option<&'static str> {
    let path = path_of(name)?.split('<').next()?;
    path.rsplit(':').next().map(str::trim)
}

/// The generic arguments of the block of this name, in the order of its parameters.
pub fn arguments(name: &str) -> Vec<&'static str> {
    let path = path_of(name).and_then(|path| path.trim().strip_suffix('>'));
    let Some((_, list)) = path.and_then(|path| path.split_once('<')) else {
        return Vec::new();
    };
    let mut depth = 0;
    // A comma inside an argument is none between two.
    let between = |letter: char| {
        depth += i32::from(letter == '<') - i32::from(letter == '>');
        letter == ',' && depth == 0
    };
    list.split(between).map(str::trim).collect()
}

/// Refuses a build that there is not.
fn check(name: &str, atomics: bool) -> Result<()> {
    match atomics && !is_top(name) {
        true => Err(Error::NoSuchBlock(format!("{name} with atomics"))),
        false => Ok(()),
    }
}

/// The block of this name without atomics on rust-hdl's own loop. Errors: there is none; of the engine.
pub fn oracle(name: &str) -> Result<Box<dyn Engine>> {
    oracle_of(name, false)
}

/// The block of this name, without atomics. Errors: there is none.
pub fn design(name: &str) -> Result<Box<dyn Block>> {
    design_of(name, false)
}

/// Other names of blocks.
const ALIASES: &[(&str, &str)] = &[
    ("target", "xtq_target"),
    ("match", "match_unit"),
    ("match_large", "match_unit_2"),
    ("nic_large", "nic_2"),
    ("nic_small", "nic_3"),
    ("l2_bank_small", "l2_bank_2"),
    ("lock_unit_small", "lock_unit_2"),
    ("victim_select_small", "victim_select_2"),
    ("trigger", "trigger_engine"),
    ("counter", "counter_bank"),
];

/// The block that a person calls so: its name, one of the [shorter ones](other_names), both also with `-` for `_`.
pub fn find(called: &str) -> Option<&'static str> {
    let called = called.replace('-', "_");
    let alias = ALIASES.iter().find(|(alias, _)| *alias == called);
    let name = alias.map_or(called.as_str(), |(_, name)| *name);
    NAMES.iter().find(|known| **known == name).copied()
}

/// Other names of blocks, and what they are.
pub fn other_names() -> impl Iterator<Item = (String, &'static str)> {
    ALIASES
        .iter()
        .map(|(alias, name)| (alias.replace('_', "-"), *name))
}

/// Contexts of a top.
pub fn contexts(name: &str) -> u32 {
    match name {
        "nic_3" => CONTEXTS / 2,
        _ => CONTEXTS,
    }
}

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
    use super::{ALIASES, NAMES, arguments, design_of, find, is_top, type_of};

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

    #[test]
    fn the_arguments_of_a_block_are_those_of_its_type() {
        assert_eq!(arguments("nic_3"), ["7", "8", "6", "7", "8", "2"]);
        assert_eq!(arguments("ram"), ["Bits<100>", "4"]);
        assert!(arguments("xtq_target").is_empty() && arguments("nothing").is_empty());
    }

    #[test]
    fn a_block_is_found_by_its_name_and_by_shorter_ones() {
        assert_eq!(find("lookup_cache"), Some("lookup_cache"));
        assert_eq!(find("lookup-cache"), Some("lookup_cache"));
        assert_eq!(find("target"), Some("xtq_target"));
        assert_eq!(find("nic-large"), Some("nic_2"));
        assert_eq!(find("nic-small"), Some("nic_3"));
        assert_eq!(find("nothing"), None);
        for (alias, name) in ALIASES {
            assert!(!NAMES.contains(alias), "{alias}");
            assert_eq!(find(alias), Some(*name));
        }
    }

    #[test]
    fn only_tops_are_built_with_atomics() {
        assert!(
            ["nic", "nic_2", "nic_3", "xtq_target"]
                .into_iter()
                .all(is_top)
        );
        assert!(design_of("fifo", false).is_ok());
        let refused = design_of("fifo", true).err().unwrap().to_string();
        assert_eq!(refused, "no block is called 'fifo with atomics'");
    }
}
