//! Bundles: signals that belong together, connected at once.

use rust_hdl::core::ast::{VerilogLink, VerilogLinkDetails};

/// A bundle from which another of its kind can be driven. `#[bundle]` writes it, `connect!` uses it.
pub trait Connect<To> {
    /// Drives what goes from here to there, and what comes back.
    fn flow(&mut self, to: &mut To);

    /// Marks what [`flow`](Self::flow) drives as connected.
    fn mark(&mut self, to: &mut To);

    /// The assignments of [`flow`](Self::flow), between bundles with these names.
    fn links(from: &str, to: &str) -> Vec<VerilogLink>;
}

/// The links between the bundles that a function shows; it only says their types, and is not called.
pub fn links<Block, From: Connect<To>, To>(
    _types: fn(&Block) -> (&From, &To),
    from: &str,
    to: &str,
) -> Vec<VerilogLink> {
    From::links(from, to)
}

/// The link of one member.
pub fn link(from: &str, to: &str, member: &str, forward: bool) -> VerilogLink {
    let details = VerilogLinkDetails {
        my_name: String::new(),
        owner_name: format!("{from}${member}"),
        other_name: format!("{to}${member}"),
    };
    match forward {
        true => VerilogLink::Forward(details),
        false => VerilogLink::Backward(details),
    }
}
