//! `LookupStage`: contract tests with exact cycles, and random packets against a naive model.

#[path = "lookup/entries.rs"]
mod entries;

use entries::entry;
use proptest::prelude::*;
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;
use rust_hdl::prelude::*;
use xtq_engine::Engine;
use xtq_rtl::lookup_stage::LookupStage;
use xtq_rtl::types::Wire;
use xtq_rtl::types::pipe::{LookupRequest, LookupResult, PacketHead};
use xtq_testbench::bus::{Bench, Gaps, Model, Pin, Violation, WordSink, WordSource, run_cycle};
use xtq_testbench::pins;
use xtq_testbench::verilog_tools::accept;

const KERNEL: u64 = 0;
const FUNCTION: u64 = 1;
const QUEUE: u64 = 2;

/// What answered a request: the stage must pass it on.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Answer {
    hit: bool,
    error: bool,
    entry: Bits<512>,
}

/// Takes requests and answers them once, `latency` cycles later; more than one due: in random order.
struct Answers {
    request: WordSink,
    latency: (u64, u64),
    held: bool,
    /// Every request and how it was answered, in the order of the requests.
    log: Vec<(LookupRequest, Answer)>,
    result: Pin,
    result_valid: Pin,
    waiting: Vec<(u64, LookupResult)>,
    answering: bool,
    rng: ChaCha8Rng,
    cycle: u64,
}

impl Model for Answers {
    fn drive(&mut self, engine: &mut dyn Engine) -> xtq_engine::Result<()> {
        self.request.drive(engine)?;
        let due: Vec<usize> = (0..self.waiting.len())
            .filter(|i| !self.held && self.waiting[*i].0 <= self.cycle)
            .collect();
        let mut words = [u64::MAX; 9];
        self.answering = !due.is_empty();
        if self.answering {
            let place = due[self.rng.random_range(0..due.len())];
            let (_, result) = self.waiting.swap_remove(place);
            result.to_words(&mut words);
        }
        self.result_valid.set(engine, self.answering.into())?;
        self.result.set_words(engine, &words)
    }

    fn sample(&mut self, engine: &dyn Engine, cycle: u64) -> Result<(), Violation> {
        let before = self.request.received().len();
        self.request.sample(engine, cycle)?;
        for (_, words) in &self.request.received()[before..] {
            let request = LookupRequest::from_words(words);
            let taken = self
                .waiting
                .iter()
                .any(|(_, result)| result.tag == request.tag);
            assert!(
                !taken,
                "cycle {cycle}: tag {:?} is still in use",
                request.tag
            );
            let answer = Answer {
                hit: self.rng.random(),
                error: self.rng.random_bool(0.2),
                entry: entry(request.address.to_u64(), self.rng.random()),
            };
            let due = cycle + self.rng.random_range(self.latency.0..=self.latency.1);
            let result = LookupResult {
                tag: request.tag,
                hit: u64::from(answer.hit).to_bits(),
                error: u64::from(answer.error).to_bits(),
                entry: answer.entry,
            };
            self.waiting.push((due, result));
            self.log.push((request, answer));
        }
        self.cycle = cycle + 1;
        Ok(())
    }
}

/// Raises `halt` after a pause, and holds it for some cycles more when `empty` is up; notes both in every cycle.
struct Halts {
    halt: Pin,
    empty: Pin,
    gaps: Gaps,
    left: Option<u64>,
    seen: Vec<(u64, bool, bool)>,
}

impl Model for Halts {
    fn drive(&mut self, engine: &mut dyn Engine) -> xtq_engine::Result<()> {
        if self.left.is_none() && !self.gaps.pause() {
            self.left = Some(self.gaps.noise() % 6);
        }
        self.halt.set(engine, self.left.is_some().into())
    }

    fn sample(&mut self, engine: &dyn Engine, cycle: u64) -> Result<(), Violation> {
        let empty = self.empty.is_high(engine);
        self.seen.push((cycle, self.left.is_some(), empty));
        if empty {
            self.left = self.left.and_then(|left| left.checked_sub(1));
        }
        Ok(())
    }
}

/// A message as the test made it.
#[derive(Clone, Debug)]
struct Packet {
    head: PacketHead,
    aql: [u64; 8],
}

impl Packet {
    fn put() -> Self {
        let head = PacketHead {
            first: 1u64.to_bits(),
            ..PacketHead::default()
        };
        Self {
            head,
            aql: [u64::MAX; 8],
        }
    }

    /// The first packet of an XTQ put; `task` is the kernel or function index.
    fn xtq(packet_type: u64, context: u64, task: u64, queue: u64) -> Self {
        let mut aql = [0x5555_5555_5555_5555; 8];
        aql[0] = 0x1234_5678_9abc_1500 | packet_type;
        aql[if packet_type == 4 { 1 } else { 4 }] = task;
        aql[6] = queue;
        let head = PacketHead {
            xtq: 1u64.to_bits(),
            first: 1u64.to_bits(),
            context: context.to_bits(),
            ..PacketHead::default()
        };
        Self { head, aql }
    }

    fn asks(&self) -> bool {
        self.head.xtq.any() && self.head.first.any() && matches!(self.aql[0] & 255, 2 | 4)
    }

    /// Kind and index of the task and of the queue entry.
    fn entries(&self) -> [(u64, u64); 2] {
        let task = match self.aql[0] & 255 {
            4 => (FUNCTION, self.aql[1]),
            _ => (KERNEL, self.aql[4]),
        };
        [task, (QUEUE, self.aql[6])]
    }
}

/// What leaves the stage for one message.
#[derive(Debug, PartialEq)]
struct Left {
    head: PacketHead,
    aql: Vec<u64>,
    type_ok: bool,
    agent: bool,
    /// Task and queue: found, and if so the answer.
    entries: [Option<Answer>; 2],
    queue_index: u64,
}

struct Stage {
    engine: Box<dyn Engine>,
    heads: WordSource,
    out: WordSink,
    answers: Answers,
    halts: Halts,
    /// {base, size} by {context, kind}.
    tables: [(u64, u64); 16],
    pushed: Vec<Packet>,
}

impl Stage {
    fn new(gaps: [Gaps; 4], seed: u64) -> Self {
        let engine = pins!(LookupStage::default() => clk;
            in: rst, head, head_aql, head_valid, out_ready, request_ready, result, result_valid,
                cfg_write, cfg_addr, cfg_data, halt;
            out: head_ready, out, out_aql, out_there, out_valid, type_ok, agent, task_found, task_error, task_hit,
                task_entry, queue_found, queue_error, queue_hit, queue_entry, queue_index, request,
                request_valid, empty);
        let mut engine: Box<dyn Engine> = Box::new(engine.unwrap());
        engine.reset(2).unwrap();
        let [head_gaps, out_gaps, request_gaps, halt_gaps] = gaps;
        let heads = ["head", "head_aql"];
        let out = [
            "out",
            "out_aql",
            "type_ok",
            "agent",
            "task_found",
            "task_error",
            "task_hit",
            "task_entry",
            "queue_found",
            "queue_error",
            "queue_hit",
            "queue_entry",
            "queue_index",
        ];
        let answers = Answers {
            request: WordSink::new(&*engine, "request", request_gaps).unwrap(),
            latency: (2, 2),
            held: false,
            log: Vec::new(),
            result: Pin::input(&*engine, "result").unwrap(),
            result_valid: Pin::input(&*engine, "result_valid").unwrap(),
            waiting: Vec::new(),
            answering: false,
            rng: ChaCha8Rng::seed_from_u64(seed),
            cycle: 0,
        };
        Self {
            heads: WordSource::with_ports(&*engine, &heads, "head_valid", "head_ready", head_gaps)
                .unwrap(),
            out: WordSink::with_ports(&*engine, "out", &out, "out_valid", "out_ready", out_gaps)
                .unwrap(),
            answers,
            halts: Halts {
                halt: Pin::input(&*engine, "halt").unwrap(),
                empty: Pin::output(&*engine, "empty").unwrap(),
                gaps: halt_gaps,
                left: None,
                seen: Vec::new(),
            },
            tables: [(0, 0); 16],
            pushed: Vec::new(),
            engine,
        }
    }

    /// Without pauses, all tables of 64 entries.
    fn simple() -> Self {
        let none = Gaps::none;
        let mut stage = Self::new([none(), none(), none(), Gaps::random(1.0, 0)], 7);
        for place in 0..16 {
            stage.set_table(place, 0x7fff_0000_0000 + (place << 16), 64);
        }
        stage
    }

    fn write(&mut self, address: u64, data: u64) {
        for (name, value) in [("cfg_write", 1), ("cfg_addr", address), ("cfg_data", data)] {
            let pin = Pin::input(&*self.engine, name).unwrap();
            pin.set(&mut *self.engine, value).unwrap();
        }
        self.engine.step().unwrap();
        let pin = Pin::input(&*self.engine, "cfg_write").unwrap();
        pin.set(&mut *self.engine, 0).unwrap();
    }

    /// Sets base and size of table {context, kind}.
    fn set_table(&mut self, place: u64, base: u64, size: u64) {
        self.write(4 * place, base & 0xffff_ffff);
        self.write(4 * place + 1, base >> 32);
        self.write(4 * place + 2, size);
        self.write(4 * place + 3, u64::MAX);
        self.tables[place as usize] = (base, size);
    }

    fn push(&mut self, packet: Packet) {
        let mut words = [0; 15];
        packet.head.to_words(&mut words[..7]);
        words[7..].copy_from_slice(&packet.aql);
        self.heads.push(&words);
        self.pushed.push(packet);
    }

    fn cycle(&mut self) {
        let models: &mut [&mut dyn Model] = &mut [
            &mut self.heads,
            &mut self.out,
            &mut self.answers,
            &mut self.halts,
        ];
        run_cycle(&mut *self.engine, models).unwrap();
    }

    fn run(&mut self, cycles: u64) {
        for _ in 0..cycles {
            self.cycle();
        }
    }

    /// Runs until everything pushed has left, then compares all of it with the naive model.
    fn run_and_check(&mut self) {
        for _ in 0..200 * self.pushed.len() + 200 {
            if self.out.received().len() == self.pushed.len() {
                break;
            }
            self.cycle();
        }
        self.run(10);
        assert_eq!(
            self.out.received().len(),
            self.pushed.len(),
            "heads that left"
        );
        let mut answers = self.answers.log.iter();
        for (number, packet) in self.pushed.iter().enumerate() {
            let mut entries = [None, None];
            if packet.asks() {
                for (half, (kind, index)) in packet.entries().into_iter().enumerate() {
                    let context = packet.head.context.to_u64();
                    let (base, size) = self.tables[(4 * context + kind) as usize];
                    if index >= size {
                        continue;
                    }
                    let (request, answer) = answers.next().expect("a request is missing");
                    let expected = LookupRequest {
                        tag: (2 * (number as u64 % 8) + half as u64).to_bits(),
                        context: packet.head.context,
                        kind: kind.to_bits(),
                        index: index.to_bits(),
                        address: (base & !63).wrapping_add(64 * index).to_bits(),
                    };
                    assert_eq!(*request, expected, "message {number}");
                    entries[half] = Some(*answer);
                }
            }
            let expected = Left {
                head: packet.head,
                aql: packet.aql.to_vec(),
                type_ok: packet.asks(),
                agent: packet.asks() && packet.aql[0] & 255 == 4,
                entries,
                queue_index: packet.aql[6] & 0xffff,
            };
            assert_eq!(self.left(number), expected, "message {number}");
        }
        assert!(answers.next().is_none(), "a request too many");
        self.check_halts();
    }

    /// No head was accepted while `halt` was up, and `empty` is up when all accepted before have left.
    fn check_halts(&self) {
        let (accepted, left) = (self.heads.accepted(), self.left_at());
        for &(cycle, halt, empty) in &self.halts.seen {
            let before = |cycles: &[u64]| cycles.partition_point(|at| *at < cycle);
            assert_eq!(empty, before(accepted) == before(&left), "cycle {cycle}");
            assert!(!halt || !accepted.contains(&cycle), "cycle {cycle}");
        }
    }

    fn left(&self, number: usize) -> Left {
        let words = &self.out.received()[number].1;
        let answer = |at: usize| {
            let (found, error, hit) = (words[at] == 1, words[at + 1] == 1, words[at + 2] == 1);
            let first = if at == 17 { 20 } else { 31 };
            let entry = Bits::from_words(&words[first..first + 8]);
            assert!(
                found || (!error && !hit),
                "message {number}: flags without an entry"
            );
            found.then_some(Answer { hit, error, entry })
        };
        Left {
            head: PacketHead::from_words(&words[..7]),
            aql: words[7..15].to_vec(),
            type_ok: words[15] == 1,
            agent: words[16] == 1,
            entries: [answer(17), answer(28)],
            queue_index: words[39],
        }
    }

    fn left_at(&self) -> Vec<u64> {
        self.out
            .received()
            .iter()
            .map(|(cycle, _)| *cycle)
            .collect()
    }
}

#[test]
fn a_plain_put_leaves_one_cycle_after_it_came() {
    let mut stage = Stage::simple();
    stage.push(Packet::put());
    stage.run_and_check();
    assert_eq!(stage.left_at()[0], stage.heads.accepted()[0] + 1);
}

#[test]
fn an_xtq_put_leaves_seven_cycles_after_it_came_when_both_entries_hit() {
    for packet_type in [2, 4] {
        let mut stage = Stage::simple();
        stage.push(Packet::xtq(packet_type, 3, 63, 0));
        stage.run_and_check();
        assert_eq!(stage.left_at()[0], stage.heads.accepted()[0] + 7);
        let asked: Vec<u64> = stage
            .answers
            .request
            .received()
            .iter()
            .map(|r| r.0)
            .collect();
        let accepted = stage.heads.accepted()[0];
        assert_eq!(asked, [accepted + 3, accepted + 4]);
    }
}

#[test]
fn the_next_head_is_shown_while_its_entries_are_still_read() {
    let mut stage = Stage::simple();
    stage.answers.held = true;
    stage.push(Packet::xtq(4, 2, 9, 0x1_0000_0007));
    let mut there = Vec::new();
    for _ in 0..20 {
        stage.cycle();
        let pin = |name| Pin::output(&*stage.engine, name).unwrap();
        let high = |name| pin(name).is_high(&*stage.engine);
        assert!(!high("out_valid"));
        if high("out_there") {
            there.push(stage.engine.cycle());
            let words = |name| pin(name).get_words(&*stage.engine);
            let head = PacketHead::from_words(&words("out"));
            assert_eq!(head, stage.pushed[0].head);
            assert_eq!(words("out_aql"), stage.pushed[0].aql);
            assert!(high("type_ok") && high("agent"));
            assert_eq!(words("queue_index"), [7]);
        }
    }
    let first = stage.heads.accepted()[0] + 1;
    assert_eq!(there, (first..=stage.engine.cycle()).collect::<Vec<_>>());
    stage.answers.held = false;
    stage.run_and_check();
}

#[test]
fn xtq_puts_leave_every_two_cycles() {
    let mut stage = Stage::simple();
    for i in 0..60 {
        stage.push(Packet::xtq(2 + 2 * (i % 2), i % 4, i, 63 - i));
    }
    stage.run_and_check();
    let left = stage.left_at();
    assert!(
        left.windows(2).all(|pair| pair[1] == pair[0] + 2),
        "{left:?}"
    );
}

#[test]
fn plain_puts_pass_one_a_cycle() {
    let mut stage = Stage::simple();
    for _ in 0..60 {
        stage.push(Packet::put());
    }
    stage.run_and_check();
    let left = stage.left_at();
    assert!(
        left.windows(2).all(|pair| pair[1] == pair[0] + 1),
        "{left:?}"
    );
}

#[test]
fn a_put_behind_an_xtq_put_waits_for_it() {
    let mut stage = Stage::simple();
    stage.push(Packet::xtq(2, 0, 1, 1));
    stage.push(Packet::put());
    stage.run_and_check();
    let left = stage.left_at();
    assert_eq!(left[1], left[0] + 1);
}

#[test]
fn all_bits_of_an_index_count() {
    let mut stage = Stage::simple();
    let far = [1 << 16, 1 << 31, 1 << 32, 1 << 48, 1 << 63].map(|high: u64| high | 3);
    let mut indices = vec![
        0,
        62,
        63,
        64,
        65,
        127,
        65_535,
        u64::MAX,
        u64::MAX << 32,
        1 << 32,
    ];
    indices.extend(far);
    indices.extend((6..64).map(|bit| 1u64 << bit));
    for &index in &indices {
        stage.push(Packet::xtq(2, 1, index, 5));
        stage.push(Packet::xtq(4, 2, 5, index));
        stage.push(Packet::xtq(4, 3, index, index));
    }
    stage.run_and_check();
    let found = stage.pushed.iter().enumerate();
    let found = found.filter(|(number, _)| stage.left(*number).entries.iter().all(Option::is_some));
    assert_eq!(
        found.count(),
        3 * 3,
        "only 0, 62 and 63 are in a table of 64"
    );
}

#[test]
fn table_sizes_and_bases_are_kept_apart() {
    let mut stage = Stage::simple();
    stage.set_table(0, 0xffff_ffff_ffff_ffff, 1); // bits 5:0 are ignored, the last entry of the address space
    stage.set_table(2, 0, 65_535);
    stage.set_table(6, 0xffff_ffc0, 2); // the carry goes into the upper word
    stage.set_table(4, 64, 0);
    for (context, task, queue) in [
        (0, 0, 65_534),
        (0, 1, 65_535),
        (1, 0, 1),
        (1, 0, 2),
        (2, 63, 63),
    ] {
        stage.push(Packet::xtq(2, context, task, queue));
    }
    stage.run_and_check();
    let address = |number: usize| stage.answers.log[number].0.address.to_u64();
    assert_eq!(address(0), 0xffff_ffff_ffff_ffc0);
    assert_eq!(address(1), 64 * 65_534);
    assert_eq!(address(2), 0x1_0000_0000);
}

#[test]
fn after_reset_no_table_has_entries() {
    let mut stage = Stage::simple();
    stage.engine.reset(1).unwrap();
    stage.tables = [(0, 0); 16];
    for context in 0..4 {
        stage.push(Packet::xtq(2, context, 0, 0));
        stage.push(Packet::xtq(4, context, 0, 0));
    }
    stage.run_and_check();
    assert!(stage.answers.log.is_empty());
}

#[test]
fn other_types_and_later_packets_ask_for_nothing() {
    let mut stage = Stage::simple();
    for packet_type in (0..256).filter(|t| !matches!(t, 2 | 4)) {
        stage.push(Packet::xtq(packet_type, 0, 1, 1));
    }
    let mut later = Packet::xtq(2, 0, 1, 1);
    later.head.first = 0u64.to_bits();
    stage.push(later);
    let mut put = Packet::xtq(4, 0, 1, 1);
    put.head.xtq = 0u64.to_bits();
    stage.push(put);
    stage.run_and_check();
    assert!(stage.answers.log.is_empty());
}

#[test]
fn eight_messages_wait_and_use_all_sixteen_tags() {
    let mut stage = Stage::simple();
    stage.answers.held = true;
    for i in 0..10 {
        stage.push(Packet::xtq(2, 0, i, i));
    }
    stage.run(60);
    assert_eq!(stage.heads.accepted().len(), 8);
    let mut tags: Vec<u64> = stage
        .answers
        .log
        .iter()
        .map(|(r, _)| r.tag.to_u64())
        .collect();
    tags.sort_unstable();
    assert_eq!(tags, (0..16).collect::<Vec<_>>());
    assert!(stage.out.received().is_empty());
    stage.answers.held = false;
    stage.run_and_check();
}

#[test]
fn while_it_is_halted_it_takes_no_head_and_becomes_empty() {
    let mut stage = Stage::simple();
    stage.answers.held = true;
    for i in 0..3 {
        stage.push(Packet::xtq(2, 0, i, i));
    }
    stage.run(30);
    stage.halts.left = Some(10);
    for i in 0..60 {
        stage.push(Packet::xtq(2, 0, i, i));
    }
    stage.run(30);
    assert_eq!(stage.heads.accepted().len(), 3);
    assert!(stage.halts.seen[10..].iter().all(|seen| !seen.2));
    stage.answers.held = false;
    stage.run(50);
    let (drained, ..) = stage.halts.seen[60..].iter().find(|seen| seen.2).unwrap();
    assert_eq!(*drained, stage.left_at()[2] + 1);
    assert_eq!(stage.heads.accepted()[3], drained + 11);
    stage.run_and_check();
}

#[test]
fn the_verilog_is_accepted() {
    let mut stage = LookupStage::default();
    stage.connect_all();
    accept("LookupStage", &stage).unwrap();
}

fn random_packet(rng: &mut ChaCha8Rng, tables: &[(u64, u64); 16]) -> Packet {
    let words: Vec<u64> = (0..7).map(|_| rng.random()).collect();
    let mut packet = Packet {
        head: PacketHead::from_words(&words),
        aql: rng.random(),
    };
    packet.head.xtq = u64::from(rng.random_bool(0.7)).to_bits();
    packet.head.first = u64::from(rng.random_bool(0.8)).to_bits();
    if rng.random_bool(0.9) {
        packet.aql[0] = (packet.aql[0] & !255) | if rng.random() { 2 } else { 4 };
    }
    let context = packet.head.context.to_u64() as usize;
    for (word, kind) in [(1, FUNCTION), (4, KERNEL), (6, QUEUE)] {
        let size = tables[4 * context + kind as usize].1;
        packet.aql[word] = match rng.random_range(0..10) {
            0 => size,
            1 => size.saturating_sub(1),
            2 => rng.random(),
            3 => rng.random_range(0..64) | (1 << rng.random_range(16..64)),
            _ => rng.random_range(0..size.max(1)),
        };
    }
    packet
}

fn random_stream(seed: u64, latency: u64, gaps: [f64; 4]) {
    let gaps = [0, 1, 2, 3].map(|i| Gaps::random(gaps[i], seed ^ (1 + i as u64)));
    let mut stage = Stage::new(gaps, seed);
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    stage.answers.latency = (2, latency);
    for place in 0..16 {
        let sizes = [0, 1, 64, 1000, 65_535];
        stage.set_table(place, rng.random(), sizes[rng.random_range(0..5)]);
    }
    for _ in 0..80 {
        let packet = random_packet(&mut rng, &stage.tables);
        stage.push(packet);
    }
    for _ in 0..20 {
        stage.run(5);
        let (sources, sinks, models) = (Vec::new(), Vec::new(), Vec::new());
        let engine = &mut *stage.engine;
        let mut bench = Bench {
            engine,
            sources,
            sinks,
            models,
        };
        bench.check_ready_paths().unwrap();
    }
    stage.run_and_check();
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 40, ..ProptestConfig::default() })]

    #[test]
    fn every_message_leaves_in_order_with_its_entries(
        seed: u64,
        latency in prop_oneof![Just(2u64), 3u64..40],
        gaps in prop::array::uniform3(prop_oneof![Just(0.0), Just(0.3), Just(0.7)]),
        halts in prop_oneof![Just(0.5), Just(0.95), Just(1.0)],
    ) {
        let [heads, out, requests] = gaps;
        random_stream(seed, latency, [heads, out, requests, halts]);
    }
}
