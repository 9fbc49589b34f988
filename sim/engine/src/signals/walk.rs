//! The walk over all signals of a block, always in the same order.

use rust_hdl::prelude::{Atom, Block, Probe};

/// Where a walk is: the blocks entered and the interfaces inside the last one.
#[derive(Default)]
pub(crate) struct Position {
    blocks: Vec<String>,
    interfaces: Vec<String>,
}

impl Position {
    /// The blocks from the top (itself excepted) to here.
    pub(crate) fn scope(&self) -> &[String] {
        self.blocks.get(1..).unwrap_or_default()
    }

    /// Name of a signal in its block, as in the exported Verilog.
    pub(crate) fn local(&self, name: &str) -> String {
        local(&self.interfaces, name)
    }

    /// Path of a signal from the top.
    pub(crate) fn path(&self, name: &str) -> String {
        let scope = self.scope().iter().flat_map(|b| [b.as_str(), "."]);
        scope.chain([self.local(name).as_str()]).collect()
    }
}

/// Name of a signal in its block: with those of the interfaces it is in, unless it bears the name of the last one
/// itself, as a bundle's members do (`own`, `own_valid`).
pub(crate) fn local(interfaces: &[String], name: &str) -> String {
    if in_bundle(interfaces, name).is_some() {
        return name.into();
    }
    let interfaces = interfaces.iter().flat_map(|i| [i.as_str(), "$"]);
    interfaces.chain([name]).collect()
}

/// How kernels call the same signal: `own$data`, `own$valid`.
pub(crate) fn symbol(interfaces: &[String], name: &str) -> String {
    match in_bundle(interfaces, name) {
        Some((bundle, "")) => format!("{bundle}$data"),
        Some((bundle, member)) => format!("{bundle}${member}"),
        None => local(interfaces, name),
    }
}

/// The bundle that a signal is a member of, and which; none for the one with the bundle's own name.
fn in_bundle<'a>(interfaces: &'a [String], name: &'a str) -> Option<(&'a str, &'a str)> {
    let bundle = interfaces.last()?;
    let member = name.strip_prefix(bundle.as_str())?;
    // The three spellings of `xtq_kernel::member`.
    let member = match (bundle.contains("axi_"), bundle.contains("axis_")) {
        _ if member.is_empty() => member,
        (true, _) => member,
        (_, true) => member.strip_prefix("_t")?,
        _ => member.strip_prefix('_')?,
    };
    Some((bundle, member))
}

/// Calls `visit` with position, number, name and value of every signal and constant, always in the same order.
pub(crate) fn walk(design: &dyn Block, visit: impl FnMut(&Position, usize, &str, &dyn Atom)) {
    design.accept(
        "top",
        &mut Walk {
            position: Position::default(),
            atoms: 0,
            visit,
        },
    );
}

struct Walk<F> {
    position: Position,
    atoms: usize,
    visit: F,
}

impl<F: FnMut(&Position, usize, &str, &dyn Atom)> Probe for Walk<F> {
    fn visit_start_scope(&mut self, name: &str, _node: &dyn Block) {
        self.position.blocks.push(name.into());
    }

    fn visit_start_namespace(&mut self, name: &str, _node: &dyn Block) {
        self.position.interfaces.push(name.into());
    }

    fn visit_atom(&mut self, name: &str, signal: &dyn Atom) {
        (self.visit)(&self.position, self.atoms, name, signal);
        self.atoms += 1;
    }

    fn visit_end_namespace(&mut self, _name: &str, _node: &dyn Block) {
        self.position.interfaces.pop();
    }

    fn visit_end_scope(&mut self, _name: &str, _node: &dyn Block) {
        self.position.blocks.pop();
    }
}

#[cfg(test)]
mod tests {
    use super::{local, symbol};

    #[test]
    fn members_of_bundles_are_told_from_signals_that_only_begin_alike() {
        for (interface, name, in_verilog, in_kernels) in [
            ("own", "own", "own", "own$data"),
            ("own", "own_valid", "own_valid", "own$valid"),
            ("own", "owner", "own$owner", "own$owner"),
            ("own", "valid", "own$valid", "own$valid"),
            ("m_axi_aw", "m_axi_awid", "m_axi_awid", "m_axi_aw$id"),
            (
                "s_axis_net",
                "s_axis_net_tdata",
                "s_axis_net_tdata",
                "s_axis_net$data",
            ),
        ] {
            let interfaces = [interface.to_owned()];
            assert_eq!(local(&interfaces, name), in_verilog, "{interface}, {name}");
            assert_eq!(symbol(&interfaces, name), in_kernels, "{interface}, {name}");
        }
    }
}
