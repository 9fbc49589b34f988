//! Storage widgets: recognised by the name in [`Logic::timing`](rust_hdl::core::logic::Logic::timing), read as data.
//!
//! | name | ports | constants |
//! |---|---|---|
//! | `xtq.reg` | `rst`, `en`, `d`, `q` | `reset_value` |
//! | `xtq.ram`, `xtq.lane_ram` | `write_addr`, `write_data`, `write_en`, (`write_mask`), `read_addr`, `read_data` | `contents$0`, ... |
//! | `xtq.lut_ram` | as `xtq.ram`; the word is read in the same cycle | |
//! | `dff` (rust-hdl's own) | `d`, `q` | |

use num_bigint::BigUint;
use rust_hdl::prelude::Block;

use super::Frame;
use crate::base::{Finding, Rule};
use crate::design::{Leaf, MAX_ADDRESS, Name, SignalKind};

/// What the block stores, if it is a storage widget.
pub(super) fn storage(
    node: &dyn Block,
    frame: &Frame,
    findings: &mut Vec<Finding>,
) -> Option<Leaf> {
    let timing = node.timing();
    let name = &timing.first()?.name;
    let kind = name.split(' ').next().unwrap_or_default();
    let ports = Ports { frame };
    let leaf = match kind {
        "xtq.reg" => ports.register(true),
        "dff" => ports.register(false),
        "xtq.ram" => ports.memory(false, false),
        "xtq.lane_ram" => ports.memory(true, false),
        "xtq.lut_ram" => ports.memory(false, true),
        _ => None,
    };
    if leaf.is_none() {
        findings.push(Finding {
            rule: Rule::Unsupported,
            block: frame.shown_path(),
            signal: name.clone(),
            detail: "is not a storage widget with the ports and widths this engine knows".into(),
        });
    }
    leaf
}

struct Ports<'a> {
    frame: &'a Frame,
}

impl Ports<'_> {
    fn port(&self, name: &str) -> Option<usize> {
        match self.frame.symbols.get(name)? {
            Name::Own(signal) => Some(*signal),
            Name::Port { .. } => None,
        }
    }

    fn width(&self, port: usize) -> usize {
        self.frame.signals[port].ty.width
    }

    fn constant(&self, name: &str) -> Option<BigUint> {
        match &self.frame.signals[self.port(name)?].kind {
            SignalKind::Constant(value) => Some(value.clone()),
            _ => None,
        }
    }

    fn register(&self, controlled: bool) -> Option<Leaf> {
        let control = |name: &str| match controlled {
            true => self.port(name).map(Some),
            false => Some(None),
        };
        let (d, q) = (self.port("d")?, self.port("q")?);
        (self.width(d) == self.width(q)).then_some(())?;
        Some(Leaf::Reg {
            rst: control("rst")?,
            en: control("en")?,
            d,
            q,
            reset: self.constant("reset_value").unwrap_or_default(),
        })
    }

    fn memory(&self, lanes: bool, asynchronous: bool) -> Option<Leaf> {
        let contents: Vec<_> = (0..)
            .map_while(|i| self.constant(&format!("contents${i}")))
            .collect();
        let [write_addr, write_data] = [self.port("write_addr")?, self.port("write_data")?];
        let [read_addr, read_data] = [self.port("read_addr")?, self.port("read_data")?];
        let write_mask = match lanes {
            true => Some(self.port("write_mask")?),
            false => None,
        };
        let (address, width) = (self.width(write_addr), self.width(write_data));
        let fits = self.width(read_addr) == address
            && self.width(read_data) == width
            && (1..=MAX_ADDRESS).contains(&address)
            && contents.len() <= 1 << address
            && write_mask
                .is_none_or(|mask| self.width(mask) > 0 && width.is_multiple_of(self.width(mask)));
        fits.then_some(())?;
        Some(Leaf::Ram {
            write_addr,
            write_data,
            write_en: self.port("write_en")?,
            write_mask,
            read_addr,
            read_data,
            asynchronous,
            contents,
        })
    }
}
