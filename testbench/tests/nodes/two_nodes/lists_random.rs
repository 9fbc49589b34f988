//! Random puts to three processes that append, search and enable meanwhile: every put is answered once, reported once,
//! and lands where nothing else does.

use proptest::prelude::*;
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;
use xtq_testbench::bytes::Bytes;
use xtq_testbench::host::{
    AckRequest, Event, EventKind, List, MatchEntry, Md, Me, MemoryDescriptor, Process,
    ProcessConfig, ProcessId, Pt, Put, Ring, md_option, me_option, portal_option, ptl_md_bind,
    ptl_me_append, ptl_me_unlink, ptl_pt_alloc, ptl_pt_enable, ptl_put,
};
use xtq_testbench::network::NetworkConfig;
use xtq_types::wire_header::ni_fail;

use super::fixture::{CYCLES, SOURCE, SOURCE_BYTES, World, pattern};

const CONTEXTS: usize = 3;
const PUTS: u64 = 60;
/// Bytes between the sources of two puts.
const STRIDE: u64 = 0x4000;
/// With flow control, and without.
const PORTALS: [Pt; 2] = [Pt(30), Pt(31)];

/// What is known of a put.
#[derive(Clone, Debug, Default)]
struct Sent {
    context: usize,
    length: usize,
    /// `ni_fail` and bytes of each acknowledgement.
    acks: Vec<(u8, u32)>,
    /// Its events at the target.
    told: Vec<Event>,
    /// Of the append that took its header.
    taken: Vec<Event>,
}

struct Rig {
    world: World,
    targets: Vec<Process>,
    sent: Vec<Sent>,
    rng: ChaCha8Rng,
    /// Where the next entry's buffer begins, and the next entry's number, of each context.
    regions: [u64; CONTEXTS],
    entries: [u16; CONTEXTS],
    /// Events lost, of each context.
    lost: [u64; CONTEXTS],
}

impl Rig {
    fn new(seed: u64) -> Self {
        let mut world = World::new(2, Some(seed), &NetworkConfig::default());
        // The sender's event ring has room for an acknowledgement of each put, and no more.
        let quiet = ptl_md_bind(&MemoryDescriptor {
            md: Md(1),
            start: SOURCE,
            length: SOURCE_BYTES,
            options: md_option::EVENTS | md_option::SEND_DISABLE,
            counter: None,
        });
        world.post(0, &[quiet]);
        let mut targets = Vec::new();
        for context in 0..CONTEXTS {
            let config = ProcessConfig {
                events: Ring {
                    base: 0x3800_0000,
                    // The last one loses events.
                    size: [1024, 256, 8][context],
                },
                commands: Ring {
                    base: 0x3900_0000,
                    size: 512,
                },
                ..ProcessConfig::default()
            };
            let mut port = world.cluster.port(1);
            let mut process = Process::open(&mut port, context as u8, &config).unwrap();
            let flow = portal_option::FLOW_CONTROL | portal_option::MATCHING;
            let commands = [
                ptl_pt_alloc(PORTALS[0], flow),
                ptl_pt_alloc(PORTALS[1], portal_option::MATCHING),
            ];
            process.post_all(&mut port, &commands).unwrap();
            targets.push(process);
        }
        world.settle();
        Self {
            world,
            targets,
            sent: Vec::new(),
            rng: ChaCha8Rng::seed_from_u64(seed),
            regions: [0x5000_0000; CONTEXTS],
            entries: [0; CONTEXTS],
            lost: [0; CONTEXTS],
        }
    }

    fn put(&mut self) {
        let id = self.sent.len() as u64;
        let length = match self.rng.random_range(0..4) {
            0 => 0,
            1 => self.rng.random_range(1..200),
            2 => self.rng.random_range(1..5000),
            _ => self.rng.random_range(4000..13_000),
        };
        let context = self.rng.random_range(0..CONTEXTS);
        let bytes = pattern(length, id + 1);
        self.world.write(0, SOURCE + STRIDE * id, &bytes);
        let put = Put {
            md: Md(1),
            local_offset: STRIDE * id,
            length: length as u64,
            ack: AckRequest::Ack,
            target: ProcessId {
                node: 1,
                context: context as u8,
            },
            pt_index: PORTALS[self.rng.random_range(0..2)],
            match_bits: self.rng.random_range(0..3),
            user_ptr: id + 1,
            hdr_data: id + 1,
            ..Put::default()
        };
        self.sent.push(Sent {
            context,
            length,
            ..Sent::default()
        });
        self.world.post(0, &[ptl_put(&put)]);
    }

    /// The host of a target appends an entry over bytes that no other entry had.
    fn append(&mut self, context: usize) {
        let length = self.rng.random_range(0..16_000u64);
        let managed = self.rng.random_bool(0.6);
        let overflow = self.rng.random_bool(0.3);
        let entry = MatchEntry {
            me: Me(self.entries[context] % 64),
            pt_index: PORTALS[self.rng.random_range(0..2)],
            list: if overflow {
                List::Overflow
            } else {
                List::Priority
            },
            start: self.regions[context] + self.rng.random_range(0..64),
            length,
            min_free: if managed { 500 } else { 0 },
            options: me_option::OP_PUT
                | if managed {
                    me_option::MANAGE_LOCAL
                } else {
                    me_option::USE_ONCE
                },
            match_bits: self.rng.random_range(0..3),
            ignore_bits: if overflow { u64::MAX } else { 0 },
            ..MatchEntry::default()
        };
        self.regions[context] += 0x1_0000;
        self.entries[context] += 1;
        let mut commands = vec![ptl_me_append(&entry)];
        if self.rng.random_bool(0.2) {
            commands.push(ptl_me_unlink(Me(self.rng.random_range(0..64))));
        }
        let mut port = self.world.cluster.port(1);
        self.targets[context]
            .post_all(&mut port, &commands)
            .unwrap();
    }

    /// Hosts read their events and act.
    fn hosts(&mut self) {
        for event in self.world.events(0) {
            if event.kind == EventKind::Ack {
                let id = event.user_ptr().unwrap() as usize - 1;
                self.sent[id].acks.push((event.ni_fail, event.mlength));
            }
        }
        for context in 0..CONTEXTS {
            let told = self.targets[context]
                .events(&mut self.world.cluster.port(1))
                .unwrap();
            for event in told {
                self.lost[context] += u64::from(event.dropped);
                let id = event.hdr_data.wrapping_sub(1) as usize;
                match event.kind {
                    EventKind::Put => self.sent[id].told.push(event),
                    EventKind::PutOverflow => self.sent[id].taken.push(event),
                    EventKind::PtDisabled => {
                        assert_eq!(event.pt_index, PORTALS[0]);
                        let enable = [ptl_pt_enable(event.pt_index)];
                        let mut port = self.world.cluster.port(1);
                        self.targets[context].post_all(&mut port, &enable).unwrap();
                    }
                    _ => {}
                }
            }
        }
    }

    fn check(&self) -> Result<(), TestCaseError> {
        let mut landed: Vec<(usize, u64, u64)> = Vec::new();
        for (id, sent) in self.sent.iter().enumerate() {
            prop_assert_eq!(sent.acks.len(), 1, "put {}: {:?}", id, sent);
            let (fail, mlength) = sent.acks[0];
            let ok = fail == ni_fail::OK;
            prop_assert!(
                ok || fail == ni_fail::DROPPED || fail == ni_fail::PT_DISABLED,
                "put {}: {:?}",
                id,
                sent
            );
            // Of the context with the small ring events may be lost, of the others none.
            if sent.context < 2 {
                prop_assert_eq!(sent.told.len(), usize::from(ok), "put {}: {:?}", id, sent);
            }
            prop_assert!(sent.told.len() <= usize::from(ok) && sent.taken.len() <= usize::from(ok));
            for event in sent.told.iter().chain(&sent.taken) {
                prop_assert_eq!(
                    (event.mlength, event.rlength as usize),
                    (mlength, sent.length)
                );
                let mut bytes = vec![0; mlength as usize];
                let memory = self.world.cluster.nodes()[1]
                    .memory
                    .memory(sent.context as u8);
                memory.read(event.start, &mut bytes);
                let whole = pattern(sent.length, id as u64 + 1);
                prop_assert_eq!(&bytes[..], &whole[..mlength as usize], "put {}", id);
            }
            if let (Some(told), Some(taken)) = (sent.told.first(), sent.taken.first()) {
                prop_assert_eq!(told.start, taken.start);
                prop_assert_eq!(told.queue_index, 1, "only overflow entries keep headers");
            }
            if let Some(event) = sent.told.first().filter(|event| event.mlength > 0) {
                landed.push((
                    sent.context,
                    event.start,
                    event.start + u64::from(event.mlength),
                ));
            }
        }
        landed.sort_unstable();
        for pair in landed.windows(2) {
            let apart = pair[0].0 != pair[1].0 || pair[0].2 <= pair[1].1;
            prop_assert!(apart, "two messages in the same bytes: {:?}", pair);
        }
        prop_assert_eq!([self.lost[0], self.lost[1]], [0, 0]);
        Ok(())
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(12))]

    #[test]
    fn puts_to_busy_lists_are_answered_told_and_apart(seed: u64) {
        let mut rig = Rig::new(seed);
        while (rig.sent.len() as u64) < PUTS {
            for _ in 0..rig.rng.random_range(1..7) {
                if (rig.sent.len() as u64) < PUTS {
                    rig.put();
                }
            }
            for _ in 0..rig.rng.random_range(0..500) {
                rig.world.cluster.cycle().unwrap();
            }
            for context in 0..CONTEXTS {
                for _ in 0..rig.rng.random_range(0..3) {
                    rig.append(context);
                }
            }
            rig.hosts();
        }
        for _ in 0..4 {
            rig.world.cluster.run_to_quiescence(CYCLES).unwrap();
            rig.hosts();
        }
        rig.check()?;
    }
}
