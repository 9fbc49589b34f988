//! Two classes of packets: answers drain whatever requests do, so no load makes nodes wait for each other for ever.
//!
//! The control: where the gate is held open by force, as if it were not there, a load stands still.

use xtq_engine::Engine;
use xtq_testbench::bus::Beat;
use xtq_testbench::bytes::Bytes;
use xtq_testbench::cluster::Cluster;
use xtq_testbench::host::{
    Ct, Get, List, MatchEntry, Md, Me, MemoryDescriptor, Process, ProcessConfig, ProcessId, Pt,
    Put, Ring, md_option, me_option, portal_option, ptl_ct_alloc, ptl_get, ptl_md_bind,
    ptl_me_append, ptl_pt_alloc, ptl_put,
};
use xtq_testbench::network::{Class, NetworkConfig, Station};
use xtq_testbench::node::{Node, NodeConfig, NodeError, Top};
use xtq_types::wire_header::MTU;

/// What others read, and where what was read goes.
const OFFERED: u64 = 0x5000_0000;
const LANDING: u64 = 0x2000_0000;
const LANDING_BYTES: u64 = 0x100_0000;
const LISTS: Pt = Pt(20);

/// ReplyUnit, the acknowledgements, the old bytes of atomics.
const QUEUES: [&str; 3] = [
    "initiator$replies$get_ready",
    "acknowledgements$write_ready",
    "initiator$old_bytes$write_ready",
];

/// A node of which the test can hold the gate open, and that can stop to take requests.
struct Site {
    node: Node,
    /// Path of the register that counts the requests inside.
    inside: String,
    /// Paths of what says that a queue of answers takes another.
    queues: Vec<String>,
    holds_open: bool,
    takes_requests: bool,
}

impl Site {
    fn new(mut node: Node) -> Self {
        let signals = node.engine().signals();
        let path = |end: &str| {
            let mut paths = signals.iter().map(|signal| &signal.path);
            let found = paths.find(|path| path.replace('.', "$").ends_with(end));
            found.expect("is a register of the NIC").clone()
        };
        let inside = path("gate$requests_q$q");
        let queues = QUEUES.map(path).to_vec();
        Self {
            node,
            inside,
            queues,
            holds_open: false,
            takes_requests: true,
        }
    }

    /// Requests inside.
    fn inside(&mut self) -> u64 {
        self.node.engine().peek(&self.inside).unwrap()[0]
    }
}

impl Station for Site {
    type Error = NodeError;
    type Hardware<'a> = &'a mut dyn Engine;

    fn clock(&self) -> u64 {
        self.node.clock()
    }
    fn connect(&mut self) {
        self.node.connect();
    }
    fn has_room(&self, class: Class) -> bool {
        (self.takes_requests || class == Class::Answer) && self.node.has_room(class)
    }
    fn receive_beat(&mut self, class: Class, beat: &Beat) {
        self.node.receive_beat(class, beat);
    }
    fn drive(&mut self, ready: [bool; 2]) -> Result<(), NodeError> {
        // The count stays far from that at which the gate closes.
        if self.holds_open && self.clock().is_multiple_of(16) {
            self.node.engine().poke(&self.inside, &[32])?;
        }
        Station::drive(&mut self.node, ready)
    }
    fn hardware(&mut self) -> Option<&mut dyn Engine> {
        self.node.hardware()
    }
    fn sample(&mut self) -> Result<(), NodeError> {
        Station::sample(&mut self.node)
    }
    fn collect(&mut self) -> Result<[Option<Beat>; 2], NodeError> {
        let sent = Station::collect(&mut self.node)?;
        if !self.holds_open {
            let queues: Vec<&str> = self.queues.iter().map(String::as_str).collect();
            let ready = self.node.engine().peek_many(&queues)?;
            assert!(
                ready.iter().all(|ready| ready[0] == 1),
                "the pipeline never waits to answer"
            );
        }
        Ok(sent)
    }
    fn busy(&self) -> Option<&'static str> {
        Node::busy(&self.node)
    }
    fn quiet_cycles(&self) -> u64 {
        Node::quiet_cycles(&self.node)
    }
    fn settle(&mut self) {
        Station::settle(&mut self.node);
    }
}

/// Who offers what: bytes that differ by node and context.
fn offered(node: u16, context: u8, length: usize) -> Vec<u8> {
    let byte = |i: usize| (i * 7 + i / 256 + usize::from(node) * 31 + usize::from(context)) as u8;
    (0..length).map(byte).collect()
}

/// Nodes of which each context reads from the nodes that `targets` names, in turn.
struct World {
    cluster: Cluster<Site>,
    processes: Vec<Vec<Process>>,
    targets: Vec<Vec<u16>>,
    gets: u64,
    /// Bytes of each.
    length: usize,
}

impl World {
    fn new(top: Top, nodes: u16, contexts: u8, targets: impl Fn(u16) -> Vec<u16>) -> Self {
        let (mut sites, mut processes) = (Vec::new(), Vec::new());
        for number in 0..nodes {
            let config = NodeConfig {
                top,
                ..NodeConfig::default()
            };
            let mut node = Node::new(&config).unwrap();
            node.set_node_id(number).unwrap();
            node.keep_logs(false);
            let opened = (0..contexts).map(|context| set_up(&mut node, number, context));
            processes.push(opened.collect());
            node.run_to_quiescence(20_000).unwrap();
            sites.push(Site::new(node));
        }
        let network = NetworkConfig {
            buffer_beats: 130,
            ..NetworkConfig::default()
        };
        Self {
            cluster: Cluster::of_stations(sites, &network).unwrap(),
            processes,
            targets: (0..nodes).map(targets).collect(),
            gets: 0,
            length: MTU,
        }
    }

    /// Every context of every node posts `gets` GETs.
    fn post(&mut self, gets: u64) {
        self.gets = gets;
        let length = self.length as u64;
        let sites = self.cluster.nodes_mut().iter_mut();
        for (site, (processes, targets)) in sites.zip(self.processes.iter_mut().zip(&self.targets))
        {
            for (context, process) in (0..).zip(processes) {
                let get = |number: u64| {
                    let target = ProcessId {
                        node: targets[number as usize % targets.len()],
                        context,
                    };
                    ptl_get(&Get {
                        md: Md(0),
                        local_offset: number * length,
                        length,
                        target,
                        pt_index: LISTS,
                        ..Get::default()
                    })
                };
                let commands: Vec<_> = (0..gets).map(get).collect();
                process.post_all(&mut site.node, &commands).unwrap();
            }
        }
    }

    /// Replies that are in memory.
    fn landed(&self) -> usize {
        let mut landed = 0;
        let sites = self.cluster.nodes().iter().zip(&self.targets);
        for (site, targets) in sites {
            for context in 0..self.processes[0].len() as u8 {
                for number in 0..self.gets as usize {
                    let mut found = vec![0; self.length];
                    let address = LANDING + (number * self.length) as u64;
                    site.node.memory.memory(context).read(address, &mut found);
                    let from = targets[number % targets.len()];
                    let wanted = offered(from, context, self.length);
                    landed += usize::from(found == wanted);
                }
            }
        }
        landed
    }

    fn all(&self) -> usize {
        self.gets as usize * self.processes.iter().map(Vec::len).sum::<usize>()
    }

    /// Requests inside all nodes, and the most in one.
    fn inside(&mut self) -> (u64, u64) {
        let sites = self.cluster.nodes_mut().iter_mut();
        let inside: Vec<u64> = sites.map(Site::inside).collect();
        (inside.iter().sum(), inside.into_iter().max().unwrap_or(0))
    }

    fn run(&mut self, cycles: u64) {
        for _ in 0..cycles {
            self.cluster.cycle().unwrap();
        }
    }
}

fn set_up(node: &mut Node, number: u16, context: u8) -> Process {
    let config = ProcessConfig {
        commands: Ring {
            base: 0x1100_0000,
            size: 512,
        },
        ..ProcessConfig::default()
    };
    let mut process = Process::open(node, context, &config).unwrap();
    let bytes = offered(number, context, 0x1_0000);
    node.memory.memory_mut(context).write(OFFERED, &bytes);
    let options = me_option::OP_GET | me_option::OP_PUT;
    let entry = MatchEntry {
        me: Me(1),
        pt_index: LISTS,
        list: List::Priority,
        start: OFFERED,
        length: 0x10_0000,
        options: options | me_option::LINK_DISABLE | me_option::COMM_DISABLE,
        ..MatchEntry::default()
    };
    let commands = [
        ptl_ct_alloc(Ct(1)),
        ptl_md_bind(&MemoryDescriptor {
            md: Md(0),
            start: LANDING,
            length: LANDING_BYTES,
            options: md_option::SUCCESS_DISABLE | md_option::CT_REPLY,
            counter: Some(Ct(1)),
        }),
        ptl_pt_alloc(LISTS, portal_option::MATCHING),
        ptl_me_append(&entry),
    ];
    process.post_all(node, &commands).unwrap();
    process
}

/// All nodes but itself.
fn others(nodes: u16) -> impl Fn(u16) -> Vec<u16> {
    move |own| (0..nodes).filter(|node| *node != own).collect()
}

#[test]
fn all_nodes_read_from_all_with_more_pending_than_places_and_all_end() {
    let mut world = World::new(Top::SmallNic, 8, 2, others(8));
    world.post(80);
    let (mut most, mut full) = (0, [0; 2]);
    while world.cluster.cycle_count() < 40_000 && world.cluster.busy().is_some() {
        world.run(50);
        most = most.max(world.inside().1);
        let cycle = world.cluster.cycle_count();
        for node in 0..8 {
            let ready = world.cluster.network().ready(cycle, node);
            (0..2).for_each(|class| full[class] += u64::from(!ready[class]));
        }
    }
    world.cluster.run_to_quiescence(5_000).unwrap();
    assert_eq!(world.landed(), world.all());
    assert_eq!(most, 63, "all places were taken");
    assert!(full[1] > 100, "links of answers were full: {full:?}");
    assert_eq!(world.inside(), (0, 0), "each place was given back");
    let log = world.cluster.network().log();
    let of = |class| log.iter().filter(|record| record.class == class).count();
    assert_eq!(Class::ALL.map(of), [world.all(); 2]);
}

/// Seven small nodes read from two of them what a source has no room for in the network. More is pending than the
/// queues and the pipelines of the two hold.
#[test]
fn without_the_gate_two_nodes_wait_for_each_other_and_with_it_links_are_full() {
    for holds_open in [false, true] {
        let targets = |own: u16| (0..2).filter(|node| *node != own).collect();
        let mut world = World::new(Top::SmallNic, 7, 2, targets);
        for site in world.cluster.nodes_mut() {
            site.holds_open = holds_open;
        }
        world.length = 4 * MTU;
        world.post(64);
        world.run(8000);
        let before = world.landed();
        world.run(3000);
        // 260 beats each, from two nodes: 23 if they never answered the same node at once, 11 if always.
        match (holds_open, world.landed() - before) {
            (true, moved) => assert_eq!(moved, 0, "of {before}"),
            (false, moved) => assert!(moved >= 12, "{moved}, not 3000 / 260"),
        }
    }
}

#[test]
fn two_nodes_from_which_all_read_answer_more_than_1024_at_once() {
    let targets = |own: u16| (0..2).filter(|node| *node != own).collect();
    let mut world = World::new(Top::Nic, 12, 4, targets);
    world.post(128);
    let mut most = 0;
    while world.cluster.cycle_count() < 500_000 && world.cluster.busy().is_some() {
        world.run(500);
        most = most.max(world.inside().1);
    }
    world.cluster.run_to_quiescence(5_000).unwrap();
    assert_eq!(world.landed(), world.all());
    assert_eq!(most, 1023, "all places were taken");
    assert_eq!(world.inside(), (0, 0));
}

#[test]
fn what_was_admitted_is_answered_while_no_node_takes_requests() {
    let mut world = World::new(Top::SmallNic, 8, 2, others(8));
    world.post(80);
    world.run(1500);
    let (owed, _) = world.inside();
    for site in world.cluster.nodes_mut() {
        site.takes_requests = false;
    }
    assert!(owed > 200, "{owed} requests are inside");
    world.run(12_000);
    let landed = world.landed();
    assert_eq!(world.inside(), (0, 0), "every reply owed has left");
    world.run(1000);
    assert_eq!(world.landed(), landed, "and has come; nothing else has");
    assert!(landed < world.all());
    for site in world.cluster.nodes_mut() {
        site.takes_requests = true;
    }
    world.cluster.run_to_quiescence(60_000).unwrap();
    assert_eq!(world.landed(), world.all());
}

#[test]
fn long_replies_leave_at_line_rate_while_requests_have_no_room() {
    const LONG: u64 = 0x1_0000;
    let mut world = World::new(Top::Nic, 2, 1, others(2));
    world.cluster.nodes_mut()[1].takes_requests = false;
    let target = |node| ProcessId { node, context: 0 };
    let put = ptl_put(&Put {
        md: Md(0),
        length: LONG,
        target: target(1),
        pt_index: LISTS,
        ..Put::default()
    });
    let site = &mut world.cluster.nodes_mut()[0];
    world.processes[0][0]
        .post_all(&mut site.node, &vec![put; 8])
        .unwrap();
    world.run(2000);
    let cycle = world.cluster.cycle_count();
    assert!(!world.cluster.network().ready(cycle, 0)[0], "no room");
    let bytes: Vec<u8> = (0..LONG).map(|i| (i % 251) as u8 + 1).collect();
    let sites = world.cluster.nodes_mut();
    sites[0].node.memory.memory_mut(0).write(OFFERED, &bytes);
    let get = ptl_get(&Get {
        md: Md(0),
        length: LONG,
        target: target(0),
        pt_index: LISTS,
        ..Get::default()
    });
    world.processes[1][0]
        .post_all(&mut sites[1].node, &[get])
        .unwrap();
    // 16 packets of 65 beats; two ways of 40 cycles, and less than 100 through both NICs.
    world.run(16 * 65 + 2 * 40 + 100);
    let mut found = vec![0; LONG as usize];
    let memory = world.cluster.nodes()[1].node.memory.memory(0);
    memory.read(LANDING, &mut found);
    assert!(found == bytes, "not all of it is there");
}

/// The ways inside close no circle: here requests to oneself stand before those to others and the other way round, and
/// the gate is shut for both.
#[test]
fn all_nodes_read_from_all_and_from_themselves_and_all_end() {
    let mut world = World::new(Top::SmallNic, 5, 2, |_| (0..5).collect());
    world.post(80);
    let mut most = 0;
    while world.cluster.cycle_count() < 60_000 && world.cluster.busy().is_some() {
        world.run(50);
        most = most.max(world.inside().1);
    }
    world.cluster.run_to_quiescence(5_000).unwrap();
    assert_eq!(world.landed(), world.all());
    assert_eq!(most, 63, "all places were taken");
    assert_eq!(world.inside(), (0, 0), "each place was given back");
    // A fifth of the GETs, and of their replies, did not leave their nodes.
    let inside = world.cluster.nodes().iter();
    let inside: u64 = inside.map(|site| site.node.packets_inside()).sum();
    assert_eq!(inside as usize, 2 * world.all() / 5);
}

/// One node floods itself alone: what it asks for and what it answers use the same pipeline.
#[test]
fn a_node_that_reads_only_from_itself_never_waits_for_itself_for_ever() {
    let mut world = World::new(Top::SmallNic, 2, 2, |own| vec![own]);
    world.length = 4 * MTU;
    world.post(64);
    world.cluster.run_to_quiescence(200_000).unwrap();
    assert_eq!(world.landed(), world.all());
    assert_eq!(world.inside(), (0, 0));
    assert_eq!(world.cluster.network().log(), []);
}
