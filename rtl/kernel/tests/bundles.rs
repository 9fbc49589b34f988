//! Bundles: names of members, both ends, and what `connect!` stands for.

use rust_hdl::core::ast::{Verilog, VerilogLink, VerilogStatement};
use rust_hdl::core::atom::Atom;
use rust_hdl::prelude::*;
use xtq_kernel::{block, bundle, kernel};

/// A stream.
#[bundle(StreamOut)]
struct StreamIn<T: Synth> {
    #[plain]
    data: Signal<In, T>,
    valid: Signal<In, Bit>,
    ready: Signal<Out, Bit>,
}

/// A stage that does nothing.
#[block]
struct Pass {
    s: StreamIn<Bits<8>>,
    m: StreamOut<Bits<8>>,
}

#[kernel]
impl Logic for Pass {
    fn update(&mut self) {
        connect!(self.s => self.m);
    }
}

/// Stages one after the other.
#[block]
struct Row {
    s: StreamIn<Bits<8>>,
    m_axi_w: StreamOut<Bits<8>>,
    first: Pass,
    others: [Pass; 2],
    last: [Pass; 2],
}

#[kernel]
impl Logic for Row {
    fn update(&mut self) {
        connect!(self.s => self.first.s);
        connect!(self.first.m => self.others[0].s);
        for i in 0..2 {
            connect!(self.others[i].m => self.last[i].s);
        }
        self.others[1].s.data.next = self.last[0].m.data.val() + 1;
        self.others[1].s.valid.next = self.last[0].m.valid.val();
        self.last[0].m.ready.next = self.others[1].s.ready.val();
        connect!(self.last[1].m => self.m_axi_w);
    }
}

/// Names of signals, and the paths of those inputs of children and own outputs that nobody drives.
#[derive(Default)]
struct Names {
    path: Vec<String>,
    own: Vec<String>,
    open: Vec<String>,
}

impl Probe for Names {
    fn visit_start_scope(&mut self, name: &str, _: &dyn Block) {
        self.path.push(name.into());
    }

    fn visit_end_scope(&mut self, _: &str, _: &dyn Block) {
        self.path.pop();
    }

    fn visit_atom(&mut self, name: &str, signal: &dyn Atom) {
        let own = self.path.len() == 1;
        if own {
            self.own.push(name.into());
        }
        let input = signal.kind() == AtomKind::InputParameter;
        if own != input && !signal.connected() {
            self.open.push(format!("{}.{name}", self.path.join(".")));
        }
    }
}

#[test]
fn members_bear_the_name_of_their_bundle_and_all_of_them_are_driven() {
    let mut row = Row::default();
    row.connect_all();
    let mut names = Names::default();
    row.accept("top", &mut names);
    let expected = [
        "s",
        "s_valid",
        "s_ready",
        "m_axi_w",
        "m_axi_wvalid",
        "m_axi_wready",
    ];
    assert_eq!(names.own, expected);
    assert!(names.open.is_empty(), "nobody drives {:?}", names.open);
}

#[test]
fn what_is_connected_flows_both_ways() {
    let mut row = Row::default();
    row.s.data.next = 5.into();
    row.s.valid.next = true;
    row.m_axi_w.ready.next = true;
    for _ in 0..20 {
        row.update_all();
    }
    assert_eq!(row.m_axi_w.data.val(), bits(6));
    assert!(row.m_axi_w.valid.val() && row.s.ready.val());
    row.m_axi_w.ready.next = false;
    for _ in 0..20 {
        row.update_all();
    }
    assert!(!row.s.ready.val());
}

#[test]
fn the_tree_has_a_link_for_each_member() {
    let Verilog::Combinatorial(statements) = Pass::default().hdl() else {
        panic!("a kernel");
    };
    let [VerilogStatement::Link(links)] = &statements[..] else {
        panic!("one connection");
    };
    let text = |link: &VerilogLink| match link {
        VerilogLink::Forward(d) => format!("{} > {}", d.owner_name, d.other_name),
        VerilogLink::Backward(d) => format!("{} < {}", d.owner_name, d.other_name),
        VerilogLink::Bidirectional(_) => panic!("no such signal"),
    };
    let links: Vec<String> = links.iter().map(text).collect();
    let expected = ["s$data > m$data", "s$valid > m$valid", "s$ready < m$ready"];
    assert_eq!(links, expected);
}
