//! Random packets through the hardware, with pauses everywhere, and through the model: the same effects in the same order.

use proptest::prelude::*;
use xtq_engine::Engine;
use xtq_rtl::admission::Admission;
use xtq_rtl::types::Wire;
use xtq_rtl::types::event::{access, status};
use xtq_rtl::types::pipe::{
    MessageInfo, MessageRecord, PacketHead, PortalEntry, QueueInfo, RewriteJob,
};
use xtq_testbench::bus::{Gaps, Pin};
use xtq_testbench::pins;

use super::model::{Effect, Model, Packet, Portal};
use super::task_check::{any_task, entry_words, queue_words};

struct Hardware {
    engine: Box<dyn Engine>,
    portals: Vec<Portal>,
    room: (u64, u64),
    pauses: Gaps,
    /// Cycles from `admit` to `admitted`; drawn if none.
    answer_after: Option<u64>,
}

impl Hardware {
    fn new(portals: Vec<Portal>, room: (u64, u64), pauses: Gaps) -> Self {
        let mut engine = pins!(Admission::default() => clk;
            in: rst, head, head_aql, head_there, head_valid, type_ok, agent, task_found, task_error, task_entry,
                queue_found, queue_error, queue_entry, queue_index, entry, admit_ready, admitted, admit_status,
                admit_access, room, room_flow, job_ready, record_ready, enabled, freed, freed_valid;
            out: head_ready, lookup, hold, commit, commit_index, commit_offset, commit_remaining, commit_disable,
                admit, admit_context, admit_valid, event_context, reserve, lost, info_slot, write_info, info,
                queue_info, decided, job, job_valid, record, record_valid)
        .unwrap();
        engine.reset(2).unwrap();
        Self {
            engine: Box::new(engine),
            portals,
            room,
            pauses,
            answer_after: None,
        }
    }

    fn set(&mut self, name: &str, words: &[u64]) {
        let pin = Pin::input(&*self.engine, name).unwrap();
        pin.set_words(&mut *self.engine, words).unwrap();
    }

    fn words(&self, name: &str) -> Vec<u64> {
        Pin::output(&*self.engine, name)
            .unwrap()
            .get_words(&*self.engine)
    }

    fn get(&self, name: &str) -> u64 {
        self.words(name)[0]
    }

    fn flag(&self, name: &str) -> bool {
        self.get(name) == 1
    }

    /// The portal entry asked for, as of this cycle.
    fn entry(&mut self) {
        self.engine.eval().unwrap();
        let portal = &self.portals[self.get("lookup") as usize];
        let bit = |flag: bool| u64::from(flag).into();
        let entry = PortalEntry {
            enabled: bit(portal.enabled),
            flow_control: bit(portal.flow_control),
            event_success: bit(portal.event_success),
            event_failure: bit(portal.event_failure),
            start: portal.start.into(),
            offset: portal.offset.into(),
            remaining: portal.remaining.into(),
        };
        let mut words = vec![0; 4];
        entry.to_words(&mut words);
        self.set("entry", &words);
        self.engine.eval().unwrap();
    }

    /// Runs one packet to its end and then until job and record are out; gives the effects and the cycles it took.
    fn packet(&mut self, p: &Packet) -> (Vec<Effect>, u64) {
        self.run(p, true, 0)
    }

    /// Disables contexts (a bit each) for a cycle and runs until everything is out. There is no packet, but what it would say is on the pins.
    fn disable(&mut self, contexts: u64, noise: &Packet) -> Vec<Effect> {
        self.run(noise, false, contexts).0
    }

    /// As [`packet`](Self::packet), `offered` or not, and perhaps contexts are disabled in the first cycle; then the packet comes as soon as it must
    /// be behind the messages that this ends.
    fn run(&mut self, p: &Packet, offered: bool, disabled: u64) -> (Vec<Effect>, u64) {
        let head = PacketHead {
            xtq: u64::from(p.xtq).into(),
            first: u64::from(p.first).into(),
            last: u64::from(p.last).into(),
            context: u64::from(p.context).into(),
            body_bytes: u64::from(p.body_bytes).into(),
            source_node: u64::from(p.source).into(),
            portal_index: u64::from(p.portal).into(),
            message_length: u64::from(p.length).into(),
            packet_offset: u64::from(p.packet_offset).into(),
            message_id: u64::from(p.message).into(),
            command_length: p.task.command_length.into(),
            ..Default::default()
        };
        let mut words = vec![0; 8];
        head.to_words(&mut words);
        self.set("head", &words);
        self.set("room", &[self.room.0]);
        self.set("room_flow", &[self.room.1]);
        self.set("queue_index", &[p.task.queue_index]);
        self.set("type_ok", &[p.task.type_ok.into()]);
        self.set("agent", &[p.task.agent.into()]);
        let mut effects = Vec::new();
        let (mut jobs, mut records, mut admits) = (Vec::new(), Vec::new(), Vec::new());
        let (mut taken, mut there, mut valid, mut answer, mut quiet) =
            (!offered, false, false, None, 0);
        let mut cycles = 0;
        for cycle in 0..400 {
            self.set("enabled", &[if cycle == 0 { 15 & !disabled } else { 15 }]);
            let early = disabled != 0 && cycle < 2;
            there = !taken && !early && (there || !self.pauses.pause());
            // Without lookups there is nothing to wait for.
            let asks = p.xtq && p.first && p.task.type_ok;
            valid = there && (valid || !asks || !self.pauses.pause());
            self.set("head_there", &[there.into()]);
            self.set("head_valid", &[valid.into()]);
            // Before they are valid, the results of the lookups are anything.
            let known =
                |word: bool, pauses: &mut Gaps| if valid { word } else { pauses.noise() & 1 == 1 };
            let flags = [
                ("task_found", p.task.task_found),
                ("task_error", p.task.task_error),
                ("queue_found", p.task.queue_found),
                ("queue_error", p.task.queue_error),
            ]
            .map(|(name, word)| (name, known(word, &mut self.pauses)));
            for (name, word) in flags {
                self.set(name, &[word.into()]);
            }
            let noise = vec![self.pauses.noise(); 8];
            self.set(
                "task_entry",
                &if valid {
                    entry_words(&p.task)
                } else {
                    noise.clone()
                },
            );
            self.set(
                "queue_entry",
                &if valid { queue_words(&p.task) } else { noise },
            );
            let ready = [
                self.pauses.pause(),
                self.pauses.pause(),
                self.pauses.pause(),
            ]
            .map(|pause| !pause);
            for (name, ready) in ["admit_ready", "job_ready", "record_ready"]
                .iter()
                .zip(ready)
            {
                self.set(name, &[ready.into()]);
            }
            let now = answer == Some(cycle);
            self.set("admitted", &[now.into()]);
            let noise = [self.pauses.noise() & 0xff, self.pauses.noise() & 0xff];
            let (code, failed) = if now {
                p.queue_answer
            } else {
                (noise[0] as u8, noise[1] as u8)
            };
            self.set("admit_status", &[code.into()]);
            self.set("admit_access", &[failed.into()]);
            self.entry();

            if self.flag("admit_valid") && ready[0] {
                let info = QueueInfo::from_words(&self.words("admit"));
                admits.push(Effect::Admit {
                    context: self.get("admit_context") as u8,
                    queue: info.index.to_u64() as u16,
                });
                let drawn = [1, 2, 7][(self.pauses.noise() % 3) as usize];
                let wait = self.answer_after.unwrap_or(drawn);
                answer = Some(cycle + wait);
            }
            if self.flag("write_info") {
                let info = MessageInfo::from_words(&self.words("info"));
                assert_eq!(self.flag("reserve"), info.event_reserved.any());
                effects.push(Effect::Info {
                    slot: self.get("info_slot") as u8,
                    status: self.get("decided") as u8,
                    reserved: info.event_reserved.any(),
                    disabled: info.portal_disabled.any(),
                });
            }
            if self.flag("lost") {
                effects.push(Effect::Lost {
                    context: self.get("event_context") as u8,
                });
            }
            if self.flag("commit") {
                let index = self.get("commit_index") as usize;
                let (offset, remaining) = (self.get("commit_offset"), self.get("commit_remaining"));
                let disable = self.flag("commit_disable");
                effects.push(Effect::Commit {
                    portal: index,
                    offset,
                    remaining,
                    disable,
                });
                let portal = &mut self.portals[index];
                (portal.offset, portal.remaining) = (offset, remaining);
                portal.enabled &= !disable;
            }
            if self.flag("job_valid") && ready[1] {
                jobs.push(job(&RewriteJob::from_words(&self.words("job"))));
            }
            if self.flag("record_valid") && ready[2] {
                records.push(record(&MessageRecord::from_words(&self.words("record"))));
            }
            let done = self.flag("head_ready") && valid;
            quiet = if self.flag("job_valid") || self.flag("record_valid") || !taken || early {
                0
            } else {
                quiet + 1
            };
            self.engine.step().unwrap();
            if done {
                assert!(!taken, "the packet is taken twice");
                (taken, valid, there) = (true, false, false);
                cycles = cycle + 1;
            }
            if quiet > 2 {
                break;
            }
        }
        assert!(taken, "the packet is never taken: {p:?}");
        // Streams and pulses are separate; put them into the model's order.
        effects.extend(admits);
        effects.extend(jobs);
        effects.extend(records);
        (effects, cycles)
    }
}

fn job(job: &RewriteJob) -> Effect {
    let (discard, command) = (job.discard.any(), job.command.any());
    Effect::Job {
        slot: if discard { 0 } else { job.slot.to_u64() as u8 },
        context: job.context.to_u64() as u8,
        discard,
        has_body: job.has_body.any(),
        message_last: job.message_last.any(),
        command: command && !discard,
        address: if discard { 0 } else { job.address.to_u64() },
        payload: if command && !discard {
            job.payload_address.to_u64()
        } else {
            0
        },
    }
}

fn record(record: &MessageRecord) -> Effect {
    Effect::Record {
        slot: record.slot.to_u64() as u8,
        context: record.context.to_u64() as u8,
        xtq: record.xtq.any(),
        has_payload: record.has_payload.any(),
        status: record.status.to_u64() as u8,
        access: record.access.to_u64() as u8,
    }
}

/// Order by kind, and forget the slot of what is discarded (nobody reads it).
fn sorted(mut effects: Vec<Effect>) -> Vec<Effect> {
    for effect in &mut effects {
        if let Effect::Job {
            slot,
            discard: true,
            ..
        } = effect
        {
            *slot = 0;
        }
    }
    effects.sort_by_key(|effect| match effect {
        Effect::Info { .. } => 0,
        Effect::Lost { .. } => 1,
        Effect::Commit { .. } => 2,
        Effect::Admit { .. } => 3,
        Effect::Job { .. } => 4,
        Effect::Record { .. } => 5,
    });
    effects
}

fn any_portal() -> impl Strategy<Value = Portal> {
    let start = prop_oneof![6 => any::<u32>().prop_map(|s| u64::from(s) << 6), 1 => any::<u64>()];
    let remaining = prop_oneof![4 => 0x1_0000..u64::MAX / 2, 2 => 0..2000u64, 1 => Just(0)];
    (
        prop::bool::weighted(0.9),
        any::<bool>(),
        any::<bool>(),
        any::<bool>(),
        start,
        0..1_000_000u64,
        remaining,
    )
        .prop_map(
            |(enabled, flow_control, event_success, event_failure, start, offset, remaining)| {
                Portal {
                    enabled,
                    flow_control,
                    event_success,
                    event_failure,
                    start,
                    offset,
                    remaining,
                }
            },
        )
}

fn any_packet() -> impl Strategy<Value = Packet> {
    let answer = prop_oneof![
        5 => Just((status::OK, access::NONE)),
        1 => Just((status::QUEUE_FULL, access::NONE)),
        1 => Just((status::MEMORY_ERROR, access::INDEX)),
        1 => Just((status::BAD_QUEUE_SIZE, access::NONE)),
    ];
    let place = (
        0..4u8,
        prop_oneof![9 => 0..3u16, 1 => 14..20u16, 1 => any::<u16>()],
        0..20u16,
        0..2u16,
    );
    let length = prop_oneof![3 => 0..300u32, 2 => 4096..13_000u32, 1 => any::<u32>()];
    (any::<bool>(), 0..5u8, place, length, any_task(), answer).prop_map(
        |(xtq, part, (context, portal, source, message), length, task, queue_answer)| {
            let length = if xtq {
                length.max(task.command_length as u32)
            } else {
                length
            };
            // Three of five are first packets, the others anywhere in a message.
            let packets = length.div_ceil(4096).max(1);
            let number = if part < 3 {
                0
            } else {
                u32::from(part - 2).min(packets - 1)
            };
            let packet_offset = number * 4096;
            let body = (length - packet_offset).min(4096);
            Packet {
                xtq,
                first: number == 0,
                last: number == packets - 1,
                context,
                portal,
                source,
                message,
                packet_offset,
                length,
                body_bytes: body as u16,
                task,
                queue_answer,
            }
        },
    )
}

fn bits(flags: [bool; 4]) -> u64 {
    flags
        .iter()
        .enumerate()
        .map(|(i, flag)| u64::from(*flag) << i)
        .sum()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(60))]

    #[test]
    fn every_packet_has_the_effects_of_the_model(
        portals in prop::collection::vec(any_portal(), 64),
        packets in prop::collection::vec((any_packet(), prop::option::weighted(0.15, 0..16u64)), 1..60),
        room in any::<[bool; 4]>(), spare in any::<[bool; 4]>(), pause in 0.0..0.7f64, seed in any::<u64>(),
    ) {
        let room_flow = std::array::from_fn(|i| room[i] || spare[i]);
        let mut model = Model::new(portals.clone(), room, room_flow);
        let mut hardware = Hardware::new(portals, (bits(room), bits(room_flow)), Gaps::random(pause, seed));
        for (packet, disabled) in &packets {
            let disabled = disabled.unwrap_or(0);
            let mut expected = model.disable(disabled);
            expected.extend(model.packet(packet));
            let (effects, _) = hardware.run(packet, true, disabled);
            prop_assert_eq!(sorted(effects), sorted(expected), "{:?}, disabled {}", packet, disabled);
        }
    }
}

fn open_portal() -> Portal {
    Portal {
        enabled: true,
        flow_control: false,
        event_success: true,
        event_failure: true,
        start: 0x1000,
        offset: 0,
        remaining: 1 << 40,
    }
}

fn packet(xtq: bool, source: u16, length: u32) -> Packet {
    Packet {
        xtq,
        first: true,
        last: length <= 4096,
        context: 0,
        portal: 0,
        source,
        message: 1,
        packet_offset: 0,
        length,
        body_bytes: length.min(4096) as u16,
        task: Default::default(),
        queue_answer: (status::OK, access::NONE),
    }
}

#[test]
fn a_put_takes_2_cycles_and_an_xtq_put_with_a_warm_queue_5() {
    let mut hardware = Hardware::new(vec![open_portal(); 64], (15, 15), Gaps::none());
    hardware.answer_after = Some(2);
    assert_eq!(hardware.packet(&packet(false, 1, 64)).1, 2);
    assert_eq!(hardware.packet(&packet(true, 1, 200)).1, 5);
}

#[test]
fn the_seventeenth_open_message_is_refused_and_its_packets_are_discarded() {
    let mut hardware = Hardware::new(vec![open_portal(); 64], (15, 15), Gaps::none());
    for source in 0..16 {
        let (effects, _) = hardware.packet(&packet(false, source, 5000));
        assert!(
            effects.iter().any(|e| matches!(
                e,
                Effect::Info {
                    status: status::OK,
                    ..
                }
            )),
            "{source}"
        );
    }
    let (effects, _) = hardware.packet(&packet(false, 16, 5000));
    assert!(effects.iter().any(|e| matches!(
        e,
        Effect::Info {
            status: status::NO_MESSAGE_SLOT,
            ..
        }
    )));
    let rest = Packet {
        first: false,
        last: true,
        packet_offset: 4096,
        body_bytes: 904,
        ..packet(false, 16, 5000)
    };
    let (effects, _) = hardware.packet(&rest);
    assert!(matches!(effects[..], [Effect::Job { discard: true, .. }]));
}

/// The second and last packet of a message of 5,000 bytes.
fn rest(source: u16) -> Packet {
    Packet {
        first: false,
        last: true,
        packet_offset: 4096,
        body_bytes: 904,
        ..packet(false, source, 5000)
    }
}

#[test]
fn a_context_that_is_disabled_loses_its_open_messages_and_no_other_does() {
    let mut hardware = Hardware::new(vec![open_portal(); 64], (15, 15), Gaps::none());
    for source in 0..16 {
        let first = Packet {
            context: (source % 4) as u8,
            ..packet(source % 3 == 0, source, 5000)
        };
        hardware.packet(&first);
    }
    // The packet on the pins is of another context; it is not there.
    let effects = hardware.disable(1 << 2, &packet(true, 3, 200));
    let ended: Vec<(u8, bool)> = effects
        .iter()
        .filter_map(|effect| match effect {
            Effect::Record {
                slot,
                context: 2,
                xtq,
                has_payload: true,
                status: status::OK,
                ..
            } => Some((*slot, *xtq)),
            _ => None,
        })
        .collect();
    // The first message took the highest place.
    assert_eq!(ended, [(2, false), (6, true), (10, false), (14, false)]);
    assert_eq!(effects.len(), 8, "a job and a record each");
    for source in 0..16 {
        let last = Packet {
            context: (source % 4) as u8,
            ..rest(source)
        };
        let (effects, _) = hardware.packet(&last);
        let discarded = matches!(effects[..], [Effect::Job { discard: true, .. }]);
        assert_eq!(discarded, source % 4 == 2, "{source}");
    }
}

#[test]
fn an_open_message_is_ended_in_2_cycles_and_a_context_enabled_again_has_its_places_back() {
    let mut hardware = Hardware::new(vec![open_portal(); 64], (15, 15), Gaps::none());
    for round in 0..2 {
        for source in 0..16 {
            let (effects, _) = hardware.packet(&packet(false, source, 5000));
            let accepted = |e: &Effect| {
                matches!(
                    e,
                    Effect::Info {
                        status: status::OK,
                        ..
                    }
                )
            };
            assert!(effects.iter().any(accepted), "{round}, {source}");
        }
        // Offered in the second cycle behind, taken when all 16 are gone.
        let (effects, cycles) = hardware.run(&packet(false, 16, 64), true, 1);
        assert_eq!(cycles, 2 + 2 * 16 + 2);
        assert_eq!(effects.len(), 2 * 16 + 4);
    }
}
