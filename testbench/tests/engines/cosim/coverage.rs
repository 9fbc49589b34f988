//! That random programs do interesting things: counted on the model, so that the generator cannot rot unseen.

use crate::cosim::program::{LISTS, NODES, Program, SIZES, program};
use crate::cosim::tasks::QUEUES_AT;
use proptest::strategy::{Strategy, ValueTree};
use proptest::test_runner::TestRunner;
use std::collections::BTreeMap;
use xtq_testbench::cases::NotRun;
use xtq_testbench::cases::portals::{Observed, PortalsNodes};
use xtq_testbench::host::PLAIN;
use xtq_testbench::portals::{
    Command, Detail, Event, EventKind, Header, MdOption, MeOption, Network, NiFail, NodeConfig,
    Rank, Refusal, Request, RequestKind, Transfer, Trigger,
};
use xtq_types::Code;
use xtq_types::command::operation;
use xtq_types::event::status;
use xtq_types::wire_header::MTU;

/// Programs that are counted.
const PROGRAMS: usize = 1200;

/// The model, with a note of what happened.
struct Counted {
    nodes: Network,
    counts: BTreeMap<String, usize>,
}

/// What became of an XTQ put.
fn task_end(code: u8) -> &'static str {
    match code {
        status::OK => "launched",
        status::BAD_TYPE => "bad type",
        status::BAD_ALIGNMENT => "bad alignment",
        status::BAD_KERNEL_INDEX => "bad kernel index",
        status::BAD_FUNCTION_INDEX => "bad function index",
        status::BAD_KERNARG_SIZE => "bad kernarg size",
        status::BAD_QUEUE_INDEX => "bad queue index",
        status::BAD_QUEUE_SIZE => "bad queue size",
        status::QUEUE_FULL => "queue full",
        status::SHARED_REFUSED => "shared queue",
        status::BUFFER_TOO_SMALL => "buffer too small",
        status::MEMORY_ERROR => "memory error",
        _ => "another end",
    }
}

impl Counted {
    fn note(&mut self, what: impl Into<String>) {
        *self.counts.entry(what.into()).or_default() += 1;
    }

    /// Pending operations of a node.
    fn pending(&self, rank: Rank) -> usize {
        self.nodes
            .node(rank)
            .map_or(0, |node| node.triggers().pending().len())
    }

    /// Unexpected headers of XTQ puts, and of those that were launched.
    fn unexpected_tasks(&self, rank: Rank) -> [usize; 2] {
        let node = self.nodes.node(rank).into_iter();
        let portals = node.flat_map(|node| node.portals().values());
        let headers = portals.flat_map(|portal| &portal.unexpected);
        let task = |header: &&Header| matches!(header.request.kind, RequestKind::XtqPut { .. });
        let ends: Vec<NiFail> = headers.filter(task).map(|header| header.ni_fail).collect();
        let launched = ends.iter().filter(|end| **end == NiFail::Ok).count();
        [ends.len(), launched]
    }

    /// Notes how many operations fired, of those that were pending.
    fn fired(&mut self, before: usize, rank: Rank, what: &str) {
        match before.saturating_sub(self.pending(rank)) {
            0 => {}
            1 => self.note(format!("{what}: one fires")),
            _ => self.note(format!("{what}: several fire")),
        }
    }

    fn events(&mut self, events: &[Event]) {
        for event in events {
            self.note(format!("event {:?} {:?}", event.kind, event.ni_fail));
            if let Detail::Target(detail) = event.detail
                && detail.mlength < detail.rlength
            {
                self.note("truncated");
                let (what, place) = match event.kind {
                    EventKind::Put | EventKind::Get => ("max_msg_size", 0),
                    _ => ("max_atomic_size", 1),
                };
                if SIZES.iter().any(|sizes| detail.mlength == sizes[place]) {
                    self.note(format!("cut by {what}"));
                }
            }
            if let Detail::Task(detail) = event.detail {
                self.note(format!("task: {}", task_end(detail.status)));
                if detail.rlength > MTU as u64 {
                    self.note("task of several packets");
                }
            }
            if let Detail::Target(detail) = event.detail
                && (LISTS..QUEUES_AT).contains(&detail.start)
                && detail.mlength > 0
            {
                self.note(format!("in a list: {:?} {:?}", event.kind, event.ni_fail));
            }
        }
    }
}

impl PortalsNodes for Counted {
    fn open(configs: &BTreeMap<Rank, NodeConfig>) -> Result<Self, NotRun> {
        Ok(Self {
            nodes: Network::new(configs),
            counts: BTreeMap::new(),
        })
    }

    fn post(
        &mut self,
        node: Rank,
        trigger: Option<Trigger>,
        command: Command,
    ) -> Result<Result<(), Refusal>, NotRun> {
        let before = self.pending(node);
        let name = format!("{command:?}");
        let name = name.split(['(', ' ', '{']).next();
        let name = match &command {
            Command::Transfer(Transfer {
                kind: RequestKind::XtqPut { .. },
                ..
            }) => "XtqPut".to_owned(),
            _ => name.unwrap_or_default().to_owned(),
        };
        let listed = match &command {
            Command::MeAppend { me, .. } | Command::MeSearch { me, .. } => {
                me.options.has(MeOption::Iovec)
            }
            Command::MdBind(_, md) => md.options.has(MdOption::Iovec),
            _ => false,
        };
        let result = PortalsNodes::post(&mut self.nodes, node, trigger, command)?;
        let when = if trigger.is_some() {
            "posted"
        } else {
            "called"
        };
        match result {
            Ok(()) => self.note(format!("{when} {name}")),
            Err(why) => self.note(format!("{when} {name}: {why}")),
        }
        if listed && result.is_ok() {
            self.note(format!("{when} {name} of a list"));
        }
        if trigger.is_none() {
            self.fired(before, node, "call");
        } else if result.is_ok() && self.pending(node) == before {
            self.note("fires when posted");
        }
        Ok(result)
    }

    fn receive(&mut self, request: &Request) -> Result<(), NotRun> {
        let before = self.pending(request.target);
        let tasks = self.unexpected_tasks(request.target);
        self.nodes.receive(request)?;
        let tasks_now = self.unexpected_tasks(request.target);
        if tasks_now[0] > tasks[0] {
            self.note("unexpected task");
        }
        if tasks_now[1] > tasks[1] {
            self.note("unexpected task: launched");
        }
        if let Some(node) = self.nodes.node(request.target)
            && !node.landed().is_empty()
            && node
                .portals()
                .get(&request.portal)
                .is_some_and(|portal| !portal.enabled)
        {
            self.note("flow control: full queue");
        }
        self.fired(before, request.target, "message");
        Ok(())
    }

    fn write_memory(&mut self, node: Rank, address: u64, bytes: &[u8]) -> Result<(), NotRun> {
        PortalsNodes::write_memory(&mut self.nodes, node, address, bytes)
    }

    fn deliver(&mut self) -> Result<(), NotRun> {
        let before: Vec<usize> = (0..NODES).map(|rank| self.pending(Rank(rank))).collect();
        PortalsNodes::deliver(&mut self.nodes)?;
        for (rank, before) in (0..NODES).zip(before) {
            self.fired(before, Rank(rank), "delivery");
        }
        Ok(())
    }

    fn observe(&mut self, node: Rank) -> Result<Observed, NotRun> {
        self.nodes.observe(node)
    }
}

fn count(program: &Program) -> BTreeMap<String, usize> {
    let mut nodes: Counted = program.play().expect("the model plays everything");
    for rank in (0..NODES).map(Rank) {
        let observed = nodes.observe(rank).expect("it is there");
        nodes.events(&observed.events);
        nodes.events(&observed.transfers);
        for response in &observed.responses {
            nodes.note(format!(
                "response {:?} {:?}",
                response.kind, response.ni_fail
            ));
        }
        for request in &observed.sent {
            let kind = match request.kind {
                RequestKind::Put => "PUT",
                RequestKind::Get => "GET",
                RequestKind::Atomic(_) => "ATOMIC",
                RequestKind::Fetch(_) => "FETCH_ATOMIC",
                RequestKind::Swap(_) => "SWAP",
                RequestKind::XtqPut { .. } => "XTQ_PUT",
            };
            nodes.note(format!("sends {kind}"));
            if request.target == rank {
                nodes.note("sends to itself");
            }
        }
        let state = observed.state;
        if state.lists.values().any(|lists| !lists.enabled) {
            nodes.note("ends disabled");
        }
        if state.lists.values().any(|lists| lists.unexpected > 1) {
            nodes.note("ends with headers");
        }
        if !state.pending.is_empty() {
            nodes.note("ends with pending operations");
        }
        if state.counters.values().any(|counter| counter.failure > 0) {
            nodes.note("counts failures");
        }
    }
    nodes.counts
}

/// What must have happened, and how often at least, in 1200 programs.
const WANTED: &[(&str, usize)] = &[
    ("event Put Ok", 400),
    ("event Put Segv", 6),
    ("event PutOverflow Ok", 15),
    ("event Get Ok", 120),
    ("event Atomic Ok", 50),
    ("event AtomicOverflow Ok", 2),
    ("event FetchAtomic Ok", 100),
    ("event FetchAtomicOverflow Ok", 3),
    ("event Reply Ok", 25),
    ("event Link Ok", 913),
    ("event AutoUnlink Ok", 144),
    ("event AutoFree Ok", 7),
    ("event Search Ok", 7),
    ("event Search NoMatch", 85),
    ("event PtDisabled PtDisabled", 109),
    ("event Send Ok", 130),
    ("event Ack Ok", 15),
    ("event Ack Dropped", 15),
    ("event Ack PtDisabled", 6),
    ("event Ack Undeliverable", 5),
    ("truncated", 164),
    ("cut by max_msg_size", 40),
    ("cut by max_atomic_size", 40),
    ("response Ack Ok", 130),
    ("response Ack Dropped", 150),
    ("response Ack PtDisabled", 40),
    ("response Ack PermViolation", 4),
    ("response Ack OpViolation", 2),
    ("response Reply Ok", 250),
    ("response Reply OpViolation", 15),
    ("response Reply Segv", 4),
    ("response CtAck Ok", 60),
    ("response OcAck Ok", 208),
    ("call: one fires", 32),
    ("call: several fire", 2),
    ("message: one fires", 8),
    ("message: several fire", 1),
    ("delivery: one fires", 10),
    ("fires when posted", 157),
    ("sends PUT", 150),
    ("sends GET", 50),
    ("sends ATOMIC", 18),
    ("sends FETCH_ATOMIC", 15),
    ("sends SWAP", 10),
    ("sends to itself", 110),
    ("counts failures", 116),
    ("ends disabled", 123),
    ("ends with headers", 53),
    ("ends with pending operations", 187),
    ("sends XTQ_PUT", 150),
    ("called XtqPut", 140),
    ("called XtqPut: ARG_INVALID", 70),
    ("posted XtqPut", 60),
    ("posted XtqRegister", 30),
    ("called XtqRegister: ARG_INVALID", 4),
    ("event XtqPut Ok", 200),
    ("event PutOverflow Dropped", 8),
    ("task: launched", 200),
    ("task: bad type", 6),
    ("task: bad alignment", 60),
    ("task: bad kernel index", 5),
    ("task: bad function index", 8),
    ("task: bad kernarg size", 20),
    ("task: bad queue index", 5),
    ("task: queue full", 20),
    ("task: buffer too small", 100),
    ("task: memory error", 8),
    ("task of several packets", 30),
    ("unexpected task", 120),
    ("unexpected task: launched", 20),
    ("flow control: full queue", 25),
    ("called MeUnlink", 71),
    ("called MeUnlink: IN_USE", 3),
    ("posted MeAppend", 161),
    ("posted MeUnlink", 44),
    ("posted Transfer", 105),
    ("called CtCancel", 27),
    ("called CtFree", 31),
    ("called CtAlloc: IN_USE", 50),
    ("called CtInc", 103),
    ("called CtInc: ARG_INVALID", 10),
    ("called CtSet", 49),
    ("called MdRelease", 6),
    ("called MdBind: IN_USE", 4),
    ("called PtAlloc: IN_USE", 14),
    ("called PtEnable", 88),
    ("called Transfer: ARG_INVALID", 50),
];

/// What the random programs do, and how often.
fn counts() -> BTreeMap<String, usize> {
    let mut runner = TestRunner::deterministic();
    let mut counts: BTreeMap<String, usize> = BTreeMap::new();
    for _ in 0..PROGRAMS {
        let tree = program(crate::cosim::step_by_step::STEPS).new_tree(&mut runner);
        let one = count(&tree.expect("a program").current());
        for (what, times) in one {
            *counts.entry(what).or_default() += times;
        }
    }
    counts
}

#[test]
fn random_programs_do_everything_that_matters_often_enough() {
    let counts = counts();
    println!("{counts:#?}");
    let seldom = |(what, least): &&(&str, usize)| counts.get(*what).copied().unwrap_or(0) < *least;
    let seldom: Vec<_> = WANTED.iter().filter(seldom).collect();
    assert!(seldom.is_empty(), "too seldom: {seldom:?}");
}

/// Operations that the model of Portals does not have, and those whose names there are others.
const OTHERWISE: [(&str, &str); 5] = [
    ("CT_GET", ""),
    ("PT_FREE", ""),
    ("XTQ_REGISTER_KERNEL", "XtqRegister"),
    ("XTQ_REGISTER_FUNCTION", "XtqRegister"),
    ("XTQ_REGISTER_QUEUE", "XtqRegister"),
];

#[test]
fn random_programs_have_every_operation() {
    let counts = counts();
    // The model has no command without operands: what those do is seen in time only.
    let is_plain = |code: &&Code| PLAIN.contains(&code.name.to_lowercase().as_str());
    for code in operation::CODES.iter().filter(|code| !is_plain(code)) {
        let words = code.name.split('_');
        let camel = words.map(|word| format!("{}{}", &word[..1], word[1..].to_lowercase()));
        let camel: String = camel.collect();
        let other = OTHERWISE.iter().find(|(name, _)| *name == code.name);
        let wanted = other.map_or(camel.as_str(), |(_, name)| name);
        let sent = format!("sends {}", code.name);
        let found = counts
            .keys()
            .any(|what| what.contains(wanted) || *what == sent);
        assert!(found, "no random program has {}", code.name);
    }
}
