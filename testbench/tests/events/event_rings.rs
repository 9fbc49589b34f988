//! `EventRings` against a naive ring a context, and its contract.

use proptest::prelude::*;
use xtq_rtl::events::event_rings::EventRings;
use xtq_testbench::by_name;
use xtq_testbench::pins;
use xtq_types::register_map::event_word;

/// What drives the rings in one cycle; every pulse names its context.
#[derive(Clone, Debug, Default)]
struct Inputs {
    reserve: Option<usize>,
    unreserve: Option<usize>,
    /// Context and how many.
    lost: Option<(usize, u32)>,
    /// Context and how many; in `give_back` the context is that of `lost`.
    hold: Option<(usize, u32)>,
    give_back: Option<(usize, u32)>,
    post: Option<usize>,
    visible: Option<usize>,
    /// Context, word, data.
    cfg: Option<(usize, u32, u32)>,
    /// Context, word.
    status: (usize, u32),
    flow_portals: [u64; 4],
    flow_held: [u64; 4],
}

struct Hardware(by_name::Hardware);

impl Hardware {
    fn new() -> Self {
        Self::of(EventRings::<4>::default())
    }

    fn of(rings: EventRings) -> Self {
        let engine = pins!(
            rings => clk;
            in: rst, cfg.write, cfg.addr, "cfg_data" cfg.data, status.addr, flow_portals, flow_held, hold,
                hold_context, give_back, reserve.valid, reserve.data, lost_count, lost, unreserve.valid, unreserve.data, post_context, post, visible.valid, visible.data;
            out: "status_data" status.data, places, has_ring, room, room_flow, post_address, post_dropped
        )
        .expect("the ports are complete");
        Self(by_name::Hardware::new(engine))
    }

    fn set(&mut self, name: &str, value: u64) {
        self.0.drive(name, value);
    }

    fn get(&self, name: &str) -> u64 {
        self.0.word(name)
    }

    /// Drives a cycle up to the sample: room, room_flow, post_address, post_dropped, status_data.
    fn settle(&mut self, inputs: &Inputs) -> (u64, u64, u64, u64, u32) {
        for (name, pulse) in [
            ("reserve", inputs.reserve),
            ("unreserve", inputs.unreserve),
            ("visible", inputs.visible),
        ] {
            self.set(&format!("{name}_valid"), pulse.is_some().into());
            self.set(name, pulse.unwrap_or(3) as u64);
        }
        let (context, count) = inputs.hold.unwrap_or((1, 0));
        self.set("hold_context", context as u64);
        self.set("hold", count.into());
        let shared = inputs
            .lost
            .or(inputs.give_back)
            .map_or(3, |(context, _)| context);
        self.set("lost", shared as u64);
        self.set(
            "lost_count",
            inputs.lost.map_or(0, |(_, count)| count).into(),
        );
        self.set(
            "give_back",
            inputs.give_back.map_or(0, |(_, count)| count).into(),
        );
        self.set("post", inputs.post.is_some().into());
        self.set("post_context", inputs.post.unwrap_or(2) as u64);
        let (context, word, data) = inputs.cfg.unwrap_or((1, 2, 64));
        self.set("cfg_write", inputs.cfg.is_some().into());
        self.set("cfg_addr", (context as u64) << 2 | u64::from(word));
        self.set("cfg_data", data.into());
        self.set(
            "status_addr",
            (inputs.status.0 as u64) << 3 | u64::from(inputs.status.1),
        );
        let flow = inputs.flow_portals.iter().rev();
        self.set(
            "flow_portals",
            flow.fold(0, |bits, count| bits << 5 | count),
        );
        let held = inputs.flow_held.iter().rev();
        self.set("flow_held", held.fold(0, |bits, count| bits << 7 | count));
        self.0.eval();
        (
            self.get("room"),
            self.get("room_flow"),
            self.get("post_address"),
            self.get("post_dropped"),
            self.get("status_data") as u32,
        )
    }

    fn cycle(&mut self, inputs: &Inputs) {
        self.settle(inputs);
        self.0.step();
    }

    fn write(&mut self, context: usize, word: u32, data: u32) {
        self.cycle(&Inputs {
            cfg: Some((context, word, data)),
            ..Inputs::default()
        });
        self.cycle(&Inputs::default());
    }

    fn read(&mut self, context: usize, word: u32) -> u32 {
        self.cycle(&Inputs {
            status: (context, word),
            ..Inputs::default()
        });
        self.settle(&Inputs::default()).4
    }

    fn set_up(&mut self, context: usize, base: u64, size: u32) {
        self.write(context, event_word::BASE_LO, base as u32);
        self.write(context, event_word::BASE_HI, (base >> 32) as u32);
        self.write(context, event_word::SIZE, size);
    }

    fn room(&mut self, context: usize) -> bool {
        self.settle(&Inputs::default()).0 >> context & 1 == 1
    }

    /// Reserve, post and make visible; gives address and dropped count of the event.
    fn event(&mut self, context: usize) -> (u64, u64) {
        self.cycle(&Inputs {
            reserve: Some(context),
            ..Inputs::default()
        });
        let post = Inputs {
            post: Some(context),
            ..Inputs::default()
        };
        let (_, _, address, dropped, _) = self.settle(&post);
        self.cycle(&post);
        self.cycle(&Inputs {
            visible: Some(context),
            ..Inputs::default()
        });
        (address, dropped)
    }
}

/// One ring: the counts of the specification, nothing derived.
#[derive(Clone, Copy, Debug, Default)]
struct Ring {
    base: u64,
    size: u32,
    consumer: u32,
    producer: u32,
    posted: u32,
    reserved: u32,
    dropped: u64,
}

impl Ring {
    fn free(&self) -> u32 {
        self.size - self.posted.wrapping_sub(self.consumer) - self.reserved
    }

    fn address(&self) -> u64 {
        self.base + 64 * u64::from(self.posted % self.size.max(1))
    }

    fn status(&self, word: u32) -> u32 {
        match word {
            event_word::BASE_LO => self.base as u32,
            event_word::BASE_HI => (self.base >> 32) as u32,
            event_word::SIZE => self.size,
            event_word::CONSUMER => self.consumer,
            event_word::PRODUCER => self.producer,
            _ => self.dropped as u32,
        }
    }

    fn consume(&mut self, consumer: u32) {
        if consumer.wrapping_sub(self.consumer) <= self.producer.wrapping_sub(self.consumer) {
            self.consumer = consumer;
        }
    }
}

/// Wishes of one cycle; only those that the contract allows are carried out.
#[derive(Clone, Debug)]
struct Wish {
    pulses: [Option<usize>; 4],
    /// Contexts and how many.
    lost: Option<(usize, u32)>,
    hold: Option<(usize, u32)>,
    give_back: Option<(usize, u32)>,
    /// Context and how many events the consumer takes (too many: the write must be ignored).
    consume: Option<(usize, u32)>,
    status: (usize, u32),
    flow_portals: [u64; 4],
    flow_held: [u64; 4],
}

fn wish() -> impl Strategy<Value = Wish> {
    let pulse = |probability| prop::option::weighted(probability, 0usize..4);
    let counts = |probability| prop::option::weighted(probability, (0usize..4, 1u32..4));
    (
        (pulse(0.8), pulse(0.1), pulse(0.8), pulse(0.8)),
        (counts(0.1), counts(0.5), counts(0.4)),
        prop::option::weighted(
            0.3,
            (0usize..4, prop_oneof![4 => 0u32..5, 1 => any::<u32>()]),
        ),
        (0usize..4, 0u32..6),
        prop::array::uniform4(0u64..=16),
        prop::array::uniform4(0u64..=64),
    )
        .prop_map(
            |(pulses, (lost, hold, give_back), consume, status, flow, held)| Wish {
                pulses: pulses.into(),
                lost,
                hold,
                give_back,
                flow_held: held.map(|count| if count > 3 { 0 } else { count }),
                consume,
                status,
                flow_portals: flow.map(|count| if count > 3 { 0 } else { count }),
            },
        )
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    #[test]
    fn behaves_like_a_ring_a_context_in_every_cycle(
        sizes in prop::array::uniform4(prop::sample::select(vec![0u32, 1, 2, 4, 8, 64])),
        first in prop::sample::select(vec![0u32, 0u32.wrapping_sub(64)]),
        script in prop::collection::vec(wish(), 1..300),
    ) {
        let mut hardware = Hardware::of(EventRings::<4>::counting_from(first));
        let mut rings = [Ring::default(); 4];
        for (context, ring) in rings.iter_mut().enumerate() {
            let base = 0xFFFF_FF00 + 0x10_0000 * context as u64;
            hardware.set_up(context, base, sizes[context]);
            *ring = Ring { base, size: sizes[context], consumer: first, producer: first, posted: first,
                ..Ring::default() };
        }
        let mut status = None;
        // The write of CONSUMER and the cycle in which it counts.
        let mut consumer: Option<(usize, u32)> = None;
        for (cycle, wish) in script.iter().enumerate() {
            let ring = |context: &usize| rings[*context];
            let [reserve, unreserve, post, visible] = wish.pulses;
            let unreserve = unreserve.filter(|context| ring(context).reserved > 0);
            let spare = |context: &usize| ring(context).reserved > u32::from(unreserve == Some(*context));
            let post = post.filter(spare);
            let used = |context: usize| u32::from(unreserve == Some(context)) + u32::from(post == Some(context));
            // What is given back goes to the context of what is lost, if anything is.
            let give_back = wish.give_back.map(|(context, count)| (wish.lost.map_or(context, |(lost, _)| lost), count));
            let reserve = reserve.filter(|context| ring(context).free() > 0);
            let inputs = Inputs {
                reserve,
                unreserve,
                lost: wish.lost,
                give_back: give_back.filter(|(context, count)| ring(context).reserved >= count + used(*context)),
                hold: wish.hold.filter(|(context, count)| {
                    ring(context).free() >= count + u32::from(reserve == Some(*context))
                }),
                post,
                visible: visible.filter(|context| ring(context).posted != ring(context).producer),
                cfg: wish.consume.filter(|_| consumer.is_none()).map(|(context, step)| {
                    (context, event_word::CONSUMER, ring(&context).consumer.wrapping_add(step))
                }),
                status: wish.status,
                flow_portals: wish.flow_portals,
                flow_held: wish.flow_held,
            };
            let got = hardware.settle(&inputs);
            let bits = |test: &dyn Fn(usize) -> bool| {
                (0..4).fold(0u64, |bits, context| bits | u64::from(test(context)) << context)
            };
            let ordinary = |c: usize| u64::from(rings[c].free()).saturating_sub(inputs.flow_portals[c] + inputs.flow_held[c]);
            let room = bits(&|c| ordinary(c) > 0);
            let places = (0..4).fold(0, |bits, c| bits | ordinary(c).min(3) << (2 * c));
            prop_assert_eq!(hardware.get("places"), places, "cycle {}: {:?} {:?}", cycle, inputs, rings);
            prop_assert_eq!(hardware.get("has_ring"), bits(&|c| rings[c].size > 0), "cycle {}", cycle);
            let room_flow = bits(&|c| rings[c].free() > 0);
            prop_assert_eq!((got.0, got.1), (room, room_flow), "cycle {}: {:?} {:?}", cycle, inputs, rings);
            if let Some(context) = inputs.post {
                let ring = rings[context];
                prop_assert_eq!((got.2, got.3), (ring.address(), ring.dropped.min(255)), "cycle {}", cycle);
            }
            if let Some(status) = status {
                prop_assert_eq!(got.4, status, "cycle {}", cycle);
            }
            hardware.0.step();

            status = Some(rings[inputs.status.0].status(inputs.status.1));
            if let Some((context, count)) = consumer.take() {
                rings[context].consume(count);
            }
            consumer = inputs.cfg.map(|(context, _, count)| (context, count));
            if let Some(context) = inputs.reserve {
                rings[context].reserved += 1;
            }
            if let Some(context) = inputs.unreserve {
                rings[context].reserved -= 1;
            }
            if let Some(context) = inputs.post {
                let ring = &mut rings[context];
                ring.posted = ring.posted.wrapping_add(1);
                ring.reserved -= 1;
                ring.dropped = 0;
            }
            if let Some((context, count)) = inputs.lost {
                rings[context].dropped += u64::from(count);
            }
            if let Some((context, count)) = inputs.hold {
                rings[context].reserved += count;
            }
            if let Some((context, count)) = inputs.give_back {
                rings[context].reserved -= count;
            }
            if let Some(context) = inputs.visible {
                rings[context].producer = rings[context].producer.wrapping_add(1);
            }
        }
    }
}

#[test]
fn a_context_without_a_ring_has_no_room() {
    let mut hardware = Hardware::new();
    assert_eq!(hardware.settle(&Inputs::default()).0, 0);
    for size in [3, 6, 0xFFFF_FFFF, 0x8000_0001] {
        hardware.set_up(1, 0x1000, size);
        assert_eq!(hardware.settle(&Inputs::default()).1, 0, "size {size}");
        assert_eq!(hardware.read(1, event_word::SIZE), 0);
    }
    hardware.set_up(1, 0x1000, 0x8000_0000);
    assert_eq!(hardware.settle(&Inputs::default()).1, 2);
    hardware.0.0.reset(1).expect("has rst");
    assert_eq!(hardware.settle(&Inputs::default()).1, 0);
    assert_eq!(hardware.read(1, event_word::BASE_LO), 0);
}

#[test]
fn a_full_ring_takes_events_again_when_the_consumer_advances() {
    let mut hardware = Hardware::new();
    hardware.set_up(2, 0x1_0000, 4);
    for place in 0..4 {
        assert!(hardware.room(2));
        assert_eq!(hardware.event(2).0, 0x1_0000 + 64 * place);
    }
    assert!(!hardware.room(2));
    hardware.write(2, event_word::CONSUMER, 5);
    assert!(
        !hardware.room(2),
        "a consumer ahead of the producer is ignored"
    );
    assert_eq!(hardware.read(2, event_word::CONSUMER), 0);
    hardware.write(2, event_word::CONSUMER, 1);
    assert!(hardware.room(2));
    assert_eq!(hardware.event(2).0, 0x1_0000, "the ring wraps");
    assert!(!hardware.room(2));
    assert_eq!(hardware.read(2, event_word::PRODUCER), 5);
}

#[test]
fn a_place_is_kept_for_every_enabled_flow_control_entry() {
    let mut hardware = Hardware::new();
    hardware.set_up(3, 0, 4);
    let mut inputs = Inputs {
        flow_portals: [16, 16, 16, 3],
        ..Inputs::default()
    };
    let before = hardware.settle(&inputs);
    assert_eq!((before.0, before.1), (8, 8));
    inputs.reserve = Some(3);
    hardware.cycle(&inputs);
    inputs.reserve = None;
    let after = hardware.settle(&inputs);
    assert_eq!((after.0, after.1), (0, 8));
}

#[test]
fn the_dropped_count_stops_at_255_and_goes_with_the_next_event() {
    let mut hardware = Hardware::new();
    hardware.set_up(0, 0, 8);
    for _ in 0..300 {
        hardware.cycle(&Inputs {
            lost: Some((0, 1)),
            ..Inputs::default()
        });
    }
    assert_eq!(hardware.read(0, event_word::DROPPED), 255);
    assert_eq!(hardware.event(0), (0, 255));
    assert_eq!(hardware.event(0), (64, 0));
}

#[test]
fn setting_the_size_again_starts_an_empty_ring_at_the_base() {
    let mut hardware = Hardware::new();
    hardware.set_up(1, 0x4000, 2);
    hardware.event(1);
    hardware.event(1);
    hardware.set_up(1, 0x8000, 8);
    assert_eq!(hardware.read(1, event_word::PRODUCER), 0);
    assert_eq!(hardware.event(1), (0x8000, 0));
}
