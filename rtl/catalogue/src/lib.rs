//! # xtq-catalogue: every block of `rtl/`, by name
//!
//! The one crate that names the types of the blocks; everybody else asks [`xtq_engine::blocks`] for a block by its
//! name. A program or a test that wants the hardware links this crate: `use xtq_catalogue as _;`. The list is made from
//! the sources by `build.rs`.

#![allow(unsafe_code)] // The linker collects the list: a static in a section of its own.

use linkme::distributed_slice;
use rust_hdl::prelude::*;
use xtq_engine::blocks::{Entry, LINKED, Pinned, boxed};
use xtq_engine::{Result, sample};
use xtq_types::Wire;

/// Builds a block: those that take an argument by `new`, the others by `default`.
macro_rules! made {
    ($block:ty, default, $argument:ident) => {{
        let _ = $argument;
        <$block>::default()
    }};
    ($block:ty, bool, $argument:ident) => {
        <$block>::new($argument != 0)
    };
    ($block:ty, u8, $argument:ident) => {
        // The engine has checked the range.
        <$block>::new($argument as u8)
    };
}

/// The entries, from lines of names, type, how it is made, clock and numbered pins.
macro_rules! blocks {
    ($($name:literal, $listed:literal, [$($other:literal),*], $block:ty, $made:ident, $argument:expr $(, $clock:ident)?;
       in: $($i:literal $input:literal $($to:ident).+),*; out: $($o:literal $output:literal $($from:ident).+),*;)*) => {
        /// All blocks, in the order of their names.
        #[distributed_slice(LINKED)]
        static ENTRIES: &[Entry] = &[$(
            Entry {
                name: $name,
                listed: $listed,
                others: &[$($other),*],
                path: stringify!($block),
                argument: $argument,
                design: {
                    fn design(argument: u64) -> Result<Box<dyn Block>> {
                        let design: Box<$block> = boxed(move || made!($block, $made, argument))?;
                        Ok(design)
                    }
                    design
                },
                oracle: {
                    fn oracle(argument: u64) -> Result<Box<dyn Pinned>> {
                        Ok(Box::new(xtq_engine::blocks::Pins {
                            design: boxed(move || made!($block, $made, argument))?,
                            clock: |_design, _level| {
                                $(_design.$clock.next = _level.into();)?
                            },
                            drive: |_design, pin, _words| match pin {
                                $($i => _design.$($to).+.next = Wire::from_words(_words),)*
                                _ => {}
                            },
                            sample: |design, pin, words| match pin {
                                $($o => sample(design.$($from).+.val(), words),)*
                                _ => {}
                            },
                        }))
                    }
                    oracle
                },
                clocked: {
                    const CLOCK: &[&str] = &[$(stringify!($clock))?];
                    !CLOCK.is_empty()
                },
                inputs: &[$($input),*],
                outputs: &[$($output),*],
            },
        )*];
    };
}

include!(concat!(env!("OUT_DIR"), "/blocks.rs"));
