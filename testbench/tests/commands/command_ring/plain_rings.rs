//! Random doorbells, restarts, pauses and takes against plain rings.

use std::collections::VecDeque;

use proptest::prelude::*;
use xtq_rtl::commands::command_ring::CommandRing;
use xtq_types::register_map::command_word::{BASE_HI, BASE_LO, HEAD, SIZE, TAIL};

use crate::command_ring::harness::{Hardware, Inputs, Line, Outputs};

/// A command of a ring: context, which ring of the context, running count.
type Command = (usize, u32, u32);

/// Its words, and whether its lines can be read.
fn content((context, ring, count): Command) -> ([u64; 16], [bool; 2]) {
    let seed = (u64::from(ring) << 34 | u64::from(count)) << 2 | context as u64;
    let words = std::array::from_fn(|word| {
        (seed ^ (word as u64) << 58).wrapping_mul(0x9e37_79b9_7f4a_7c15)
    });
    (words, [words[3] % 9 == 0, words[5] % 9 == 0])
}

/// One ring as the specification reports it.
#[derive(Clone, Debug, Default)]
struct Ring {
    base: u64,
    size: u32,
    head: u32,
    tail: u32,
    /// How often it was begun.
    begun: u32,
    /// Running counts of the commands asked for, and of those that are there.
    asked: u32,
    ready: u32,
}

impl Ring {
    fn write(&mut self, word: u32, data: u32, first: u32) {
        match word {
            BASE_LO => self.base = self.base >> 32 << 32 | u64::from(data & !127),
            BASE_HI => self.base = self.base << 32 >> 32 | u64::from(data) << 32,
            SIZE => {
                let good = data.is_power_of_two() && data <= 32_768;
                self.size = if good { data } else { 0 };
                self.begun += 1;
                (self.head, self.tail, self.asked, self.ready) = (first, first, first, first);
            }
            _ => unreachable!("TAIL is tested in the next cycle"),
        }
    }

    /// Whether the commands up to `tail` find room; counted one by one.
    fn takes(&self, tail: u32) -> bool {
        let posted = self.tail.wrapping_sub(self.head);
        u64::from(posted) + u64::from(tail.wrapping_sub(self.tail)) <= u64::from(self.size)
    }

    fn status(&self, word: u32) -> u32 {
        match word {
            BASE_LO => self.base as u32,
            BASE_HI => (self.base >> 32) as u32,
            SIZE => self.size,
            TAIL => self.tail,
            HEAD => self.head,
            _ => 0,
        }
    }
}

#[derive(Clone, Copy, Debug)]
enum Write {
    /// So many commands more.
    Post(u32),
    Tail(u32),
    Restart(u32),
    Move(u64, u32),
}

/// What is wished for in one cycle.
#[derive(Clone, Copy, Debug)]
struct Wish {
    write: Option<(usize, Write)>,
    toggle: Option<usize>,
    status: (u64, u32),
    request_ready: bool,
    answers: bool,
    choose_next: u64,
    take: bool,
}

fn wish() -> impl Strategy<Value = Wish> {
    let size = prop::sample::select(vec![0, 1, 2, 4, 4, 8, 64, 3, 65_536]);
    let size_2 = size.clone();
    let write = prop_oneof![
        30 => (0u32..6).prop_map(Write::Post),
        2 => any::<u32>().prop_map(Write::Tail),
        2 => (1u32..9).prop_map(|back| Write::Post(0u32.wrapping_sub(back))),
        2 => size.prop_map(Write::Restart),
        2 => (any::<u64>(), size_2).prop_map(|(base, size)| Write::Move(base, size)),
    ];
    (
        prop::option::weighted(0.5, (0usize..4, write)),
        prop::option::weighted(0.05, 0usize..4),
        (0u64..4, 0u32..8),
        prop::bool::weighted(0.7),
        prop::bool::weighted(0.7),
        0u64..4,
        prop::bool::weighted(0.6),
    )
        .prop_map(
            |(write, toggle, status, request_ready, answers, choose_next, take)| Wish {
                write,
                toggle,
                status,
                request_ready,
                answers,
                choose_next,
                take,
            },
        )
}

struct Run {
    hardware: Hardware,
    /// Where the counts start.
    first: u32,
    rings: [Ring; 4],
    enabled: u64,
    /// Window writes to come, and the TAIL that is tested in this cycle.
    writes: VecDeque<(usize, u32, u32)>,
    tested: Option<(usize, u32)>,
    wrote: bool,
    status: u32,
    /// The command on the request pins, and those under way.
    offered: Option<Command>,
    under_way: VecDeque<Command>,
    second_line: bool,
    /// A command whose second line came in the cycle before.
    came: Option<Command>,
    /// Whose command is looked at.
    choose: u64,
}

impl Run {
    fn new(first: u32) -> Self {
        let ring = Ring {
            head: first,
            tail: first,
            asked: first,
            ready: first,
            ..Ring::default()
        };
        Self {
            hardware: Hardware::of(CommandRing::<4>::counting_from(first)),
            first,
            rings: [(); 4].map(|()| ring.clone()),
            enabled: 15,
            writes: VecDeque::new(),
            tested: None,
            wrote: false,
            status: 0,
            offered: None,
            under_way: VecDeque::new(),
            second_line: false,
            came: None,
            choose: 0,
        }
    }

    fn plan(&mut self, context: usize, write: Write) {
        let tail = self.rings[context].tail;
        let begin = |size| (context, SIZE, size);
        match write {
            Write::Post(more) => self
                .writes
                .push_back((context, TAIL, tail.wrapping_add(more))),
            Write::Tail(tail) => self.writes.push_back((context, TAIL, tail)),
            Write::Restart(size) => self.writes.push_back(begin(size)),
            // A base moves while there is no ring.
            Write::Move(base, size) => self.writes.extend([
                begin(0),
                (context, BASE_LO, base as u32),
                (context, BASE_HI, (base >> 32) as u32),
                begin(size),
            ]),
        }
    }

    /// What has not come to an end: window writes, fetches, commands.
    fn rest(&self) -> usize {
        let rings = self
            .rings
            .iter()
            .map(|ring| ring.tail.wrapping_sub(ring.head) as usize);
        let writes = self.writes.len() + usize::from(self.tested.is_some());
        let fetches = usize::from(self.offered.is_some()) + self.under_way.len();
        writes + fetches + usize::from(self.came.is_some()) + rings.sum::<usize>()
    }

    fn line(&self) -> Option<Line> {
        let (words, errors) = content(*self.under_way.front()?);
        let half = usize::from(self.second_line);
        let data = std::array::from_fn(|word| words[8 * half + word]);
        Some(Line {
            data,
            error: errors[half],
            last: self.second_line,
        })
    }

    fn is_there(&self, context: usize) -> bool {
        self.rings[context].ready != self.rings[context].head
    }

    fn waiting(&self) -> u64 {
        let waits = |c: usize| self.is_there(c) && self.enabled >> c & 1 == 1;
        (0..4).fold(0, |bits, c| bits | u64::from(waits(c)) << c)
    }

    fn check(
        &mut self,
        inputs: &Inputs,
        outputs: &Outputs,
        was_enabled: u64,
    ) -> Result<(), TestCaseError> {
        prop_assert_eq!(outputs.status, self.status);
        prop_assert_eq!(outputs.waiting, self.waiting());
        let refused = self
            .tested
            .filter(|(context, tail)| !self.rings[*context].takes(*tail));
        prop_assert_eq!(outputs.bad_tail, refused.map(|(context, _)| context as u64));
        let context = inputs.choose as usize;
        if self.is_there(context) {
            let (words, errors) =
                content((context, self.rings[context].begun, self.rings[context].head));
            prop_assert_eq!(outputs.command, (words, errors[0] | errors[1]));
        }
        if let (Some((context, address)), None) = (outputs.request, self.offered) {
            // A new request: the next command of its ring, which has room for it.
            let ring = &mut self.rings[context as usize];
            prop_assert!(
                ring.asked != ring.tail && ring.asked.wrapping_sub(ring.head) < 64,
                "{:?}",
                ring
            );
            let place = u64::from(ring.asked % ring.size);
            prop_assert_eq!(address, ring.base.wrapping_add(128 * place));
            prop_assert_eq!(was_enabled >> context & 1, 1);
            prop_assert!(self.under_way.len() < 64);
            self.offered = Some((context as usize, ring.begun, ring.asked));
            ring.asked = ring.asked.wrapping_add(1);
        }
        Ok(())
    }

    /// What the edge does.
    fn advance(&mut self, inputs: &Inputs, taken: bool) {
        self.status = self.rings[inputs.status.0 as usize].status(inputs.status.1);
        if let Some((context, tail)) = self.tested.take()
            && self.rings[context].takes(tail)
        {
            self.rings[context].tail = tail;
        }
        if taken {
            let ring = &mut self.rings[inputs.choose as usize];
            ring.head = ring.head.wrapping_add(1);
        }
        if let Some((context, begun, _)) = self.came.take() {
            let ring = &mut self.rings[context];
            ring.ready = ring.ready.wrapping_add(u32::from(ring.begun == begun));
        }
        if let Some(line) = inputs.result {
            self.second_line = !line.last;
            if line.last {
                self.came = self.under_way.pop_front();
                assert!(self.came.is_some(), "under way");
            }
        }
        self.choose = inputs.choose_next.expect("is chosen");
        if inputs.request_ready {
            self.under_way.extend(self.offered.take());
        }
        match inputs.cfg {
            Some((context, TAIL, tail)) => self.tested = Some((context as usize, tail)),
            Some((context, word, data)) => {
                self.rings[context as usize].write(word, data, self.first)
            }
            None => {}
        }
    }

    fn cycle(&mut self, wish: &Wish) -> Result<(), TestCaseError> {
        let was_enabled = self.enabled;
        if let Some(context) = wish.toggle {
            self.enabled ^= 1 << context;
        }
        if let Some((context, write)) = wish.write.filter(|_| self.writes.is_empty() && !self.wrote)
        {
            self.plan(context, write);
        }
        let cfg = if self.wrote {
            None
        } else {
            self.writes.pop_front()
        };
        let inputs = Inputs {
            cfg: cfg.map(|(context, word, data)| (context as u64, word, data)),
            status: wish.status,
            enabled: self.enabled,
            request_ready: wish.request_ready,
            result: self.line().filter(|_| wish.answers),
            choose: self.choose,
            choose_next: Some(wish.choose_next),
            take: wish.take,
        };
        let outputs = self.hardware.cycle(&inputs);
        self.check(&inputs, &outputs, was_enabled)?;
        // A take counts also if the context has been disabled meanwhile.
        let taken = wish.take && self.is_there(inputs.choose as usize);
        self.advance(&inputs, taken);
        self.wrote = cfg.is_some();
        Ok(())
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    #[test]
    fn behaves_like_plain_rings_in_every_cycle(
        first in prop::sample::select(vec![0u32, 0u32.wrapping_sub(64)]),
        sizes in prop::array::uniform4(prop::sample::select(vec![1u32, 2, 4, 8, 64])),
        script in prop::collection::vec(wish(), 1..300),
    ) {
        let mut run = Run::new(first);
        let idle = Wish {
            write: None, toggle: None, status: (0, 0), request_ready: true, answers: true, choose_next: 0, take: false,
        };
        for (context, size) in sizes.into_iter().enumerate() {
            let write = Some((context, Write::Move(0x1000 << (10 * context), size)));
            for wish in [Wish { write, ..idle }].iter().chain(&[idle; 8]) {
                run.cycle(wish)?;
            }
        }
        for wish in &script {
            run.cycle(wish)?;
        }
        // Everything that was posted comes.
        run.enabled = 15;
        for cycle in 0..800 {
            if run.rest() == 0 {
                break;
            }
            run.cycle(&Wish { choose_next: cycle % 4, take: true, ..idle })?;
        }
        prop_assert_eq!(run.rest(), 0, "{:?}", run.rings);
    }
}
