use super::*;
use crate::netlist::{is_source, reachable};

/// State word `word`.
fn load(graph: &mut Graph, word: u32) -> Id {
    graph.source(Op::Load(word), 64)
}

/// `length` additions, each of the one before.
fn chain(graph: &mut Graph, start: Id, length: usize) -> Id {
    let step = load(graph, 9);
    (0..length).fold(start, |value, _| graph.add(Op::Add(value, step)))
}

fn condition(graph: &mut Graph, word: u32) -> Id {
    let value = load(graph, word);
    let zero = graph.constant(0);
    graph.add(Op::Eq(value, zero))
}

fn scheduled(graph: &Graph, roots: &[Id]) -> Vec<Item> {
    let mut nodes = reachable(graph, roots);
    nodes.retain(|id| !is_source(graph.op(*id)));
    schedule(graph, &nodes, roots)
}

fn branches(items: &[Item]) -> Vec<&Branch> {
    let mut outer = Vec::new();
    for item in items {
        if let Item::Branch(branch) = item {
            outer.push(branch);
        }
    }
    let inner = outer.iter().flat_map(|branch| {
        let lists = [&branch.then, &branch.otherwise];
        lists.into_iter().flat_map(|items| branches(items))
    });
    let inner: Vec<&Branch> = inner.collect();
    [outer, inner].concat()
}

/// A multiplexer of two chains that nobody else needs.
fn choice(graph: &mut Graph, then: usize, otherwise: usize) -> Id {
    let cond = condition(graph, 0);
    let (a, b) = (load(graph, 1), load(graph, 2));
    let (a, b) = (chain(graph, a, then), chain(graph, b, otherwise));
    graph.add(Op::Mux(cond, a, b))
}

#[test]
fn what_one_choice_needs_is_computed_in_its_branch_only() {
    let mut graph = Graph::default();
    let root = choice(&mut graph, 20, 30);
    let items = scheduled(&graph, &[root]);
    let found = branches(&items);
    assert_eq!(found.len(), 1);
    assert_eq!((found[0].then.len(), found[0].otherwise.len()), (20, 30));
    assert_eq!(found[0].muxes, [root]);
    // The condition is the only node outside.
    assert_eq!(items.len(), 2);
}

#[test]
fn a_few_nodes_are_worth_no_branch() {
    for (nodes, expected) in [(FEWEST - 1, 0), (FEWEST, 1)] {
        let mut graph = Graph::default();
        let root = choice(&mut graph, nodes, 0);
        let items = scheduled(&graph, &[root]);
        assert_eq!(branches(&items).len(), expected, "{nodes} nodes");
    }
}

#[test]
fn what_others_need_too_stays_outside() {
    let mut graph = Graph::default();
    let cond = condition(&mut graph, 0);
    let (start, other) = (load(&mut graph, 1), load(&mut graph, 2));
    let shared = chain(&mut graph, start, 20);
    let own = chain(&mut graph, shared, 15);
    let root = graph.add(Op::Mux(cond, own, other));
    let items = scheduled(&graph, &[root, shared]);
    let found = branches(&items);
    assert_eq!(found.len(), 1);
    assert_eq!(found[0].then.len(), 15);
    assert!(found[0].otherwise.is_empty());
    assert_eq!(items.len(), 20 + 2);
}

#[test]
fn choices_on_one_condition_are_one_branch_and_nest() {
    let mut graph = Graph::default();
    let (outer, inner) = (condition(&mut graph, 0), condition(&mut graph, 3));
    let starts = [1, 2, 4].map(|word| load(&mut graph, word));
    let [a, b, c] = starts.map(|start| chain(&mut graph, start, 15));
    let nested = graph.add(Op::Mux(inner, a, starts[1]));
    let nested = chain(&mut graph, nested, 15);
    let first = graph.add(Op::Mux(outer, nested, b));
    let second = graph.add(Op::Mux(outer, starts[0], c));
    let items = scheduled(&graph, &[first, second]);
    let found = branches(&items);
    assert_eq!(found.len(), 2);
    assert_eq!(found[0].cond, outer);
    assert_eq!(found[0].muxes, [first, second]);
    assert_eq!(found[1].cond, inner);
    assert_eq!(found[1].then.len(), 15);
}

#[test]
fn every_node_is_computed_and_none_twice() {
    let mut graph = Graph::default();
    let roots: Vec<Id> = (0..4)
        .map(|at| {
            let cond = condition(&mut graph, at);
            let inner = choice(&mut graph, 13 + at as usize, 40);
            let start = load(&mut graph, 5 + at);
            let other = chain(&mut graph, start, 25);
            graph.add(Op::Mux(cond, inner, other))
        })
        .collect();
    let mut computed = Vec::new();
    collect(&scheduled(&graph, &roots), &mut computed);
    computed.sort();
    let nodes = reachable(&graph, &roots).into_iter();
    let wanted: Vec<Id> = nodes.filter(|id| !is_source(graph.op(*id))).collect();
    assert_eq!(computed, wanted);
}

/// Everything that the items compute.
fn collect(items: &[Item], ids: &mut Vec<Id>) {
    for item in items {
        ids.extend(item.results());
        if let Item::Branch(branch) = item {
            collect(&branch.then, ids);
            collect(&branch.otherwise, ids);
        }
    }
}
