//! Admission in hardware, driven packet by packet; what it does as a list of effects.

use xtq_engine::Engine;
use xtq_engine::EngineKind;
use xtq_engine::blocks;
use xtq_testbench::bus::{Gaps, Pin};
use xtq_types::Wire;
use xtq_types::pipe::{MessageInfo, PacketHead, RewriteJob};
use xtq_types::queue::{MessageRecord, QueueInfo};

use super::model::{Effect, Packet, Portal};
use super::task_check::{entry_words, queue_words};

/// Admission with its surroundings: portal table, queue admission, event rings, pauses on every stream.
pub struct Hardware {
    engine: Box<dyn Engine>,
    portals: Vec<Portal>,
    room: (u64, u64),
    pauses: Gaps,
    /// Cycles from `admit` to `admitted`; drawn if none.
    pub answer_after: Option<u64>,
}

/// What happens while a packet is decided about, in cycles of the packet.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Meanwhile {
    /// Contexts (a bit each) that are disabled for a cycle, and when. In cycle 0 they go before the packet.
    pub contexts: u64,
    pub contexts_in: u64,
    /// When someone else disables the portal entry.
    pub entry_in: Option<u64>,
}

/// What was seen of a packet.
pub struct Seen {
    pub effects: Vec<Effect>,
    /// Until it was taken.
    pub cycles: u64,
    /// The entry was held when someone else disabled it.
    pub held: bool,
    /// Messages of several packets that were refused or have ended, by context.
    pub long_ended: [i64; 4],
}

/// Admission on the oracle.
pub fn engine() -> impl Engine {
    blocks::engine("admission", EngineKind::Jit).unwrap()
}

/// The packet as the lookup stage gives it.
pub fn head(p: &Packet) -> Vec<u64> {
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
    words
}

impl Hardware {
    pub fn new(portals: Vec<Portal>, room: (u64, u64), pauses: Gaps) -> Self {
        let mut engine = engine();
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
        let entry = self.portals[self.get("lookup") as usize].to_entry();
        let mut words = vec![0; 4];
        entry.to_words(&mut words);
        self.set("entry", &words);
        self.engine.eval().unwrap();
    }

    /// Runs one packet to its end and then until job and record are out; gives the effects and the cycles it took.
    pub fn packet(&mut self, p: &Packet) -> (Vec<Effect>, u64) {
        let seen = self.run(p, true, Meanwhile::default());
        (seen.effects, seen.cycles)
    }

    /// Disables contexts (a bit each) for a cycle and runs until everything is out. There is no packet, but what it
    /// would say is on the pins.
    pub fn disable(&mut self, contexts: u64, noise: &Packet) -> Vec<Effect> {
        let meanwhile = Meanwhile {
            contexts,
            ..Default::default()
        };
        self.run(noise, false, meanwhile).effects
    }

    /// Places in the event rings from now on, one bit per context: for ordinary events, for any.
    pub fn set_room(&mut self, room: (u64, u64)) {
        self.room = room;
    }

    /// As [`packet`](Self::packet), `offered` or not, while other things happen; the packet comes as soon as it must be
    /// after the messages that the contexts disabled in cycle 0 end.
    pub fn run(&mut self, p: &Packet, offered: bool, meanwhile: Meanwhile) -> Seen {
        self.set("head", &head(p));
        self.set("room", &[self.room.0]);
        self.set("room_flow", &[self.room.1]);
        self.set("queue_index", &[p.task.queue_index]);
        self.set("type_ok", &[p.task.type_ok.into()]);
        self.set("agent", &[p.task.agent.into()]);
        let mut effects = Vec::new();
        let (mut jobs, mut records, mut admits) = (Vec::new(), Vec::new(), Vec::new());
        let (mut taken, mut there, mut valid, mut answer, mut quiet) =
            (!offered, false, false, None, 0);
        let index = usize::from(p.context) * 16 + usize::from(p.portal % 16);
        let was_enabled = self.portals[index].enabled;
        let (mut cycles, mut held, mut long_ended) = (0, false, [0; 4]);
        for cycle in 0..400 {
            let contexts = if cycle == meanwhile.contexts_in {
                meanwhile.contexts
            } else {
                0
            };
            self.set("enabled", &[15 & !contexts]);
            let ends = meanwhile.contexts != 0;
            let early = ends && meanwhile.contexts_in == 0 && cycle < 2;
            let expects = (ends && cycle < meanwhile.contexts_in + 3)
                || meanwhile.entry_in.is_some_and(|due| cycle <= due);
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
            if meanwhile.entry_in == Some(cycle) && p.portal < 16 {
                self.portals[index].enabled = false;
            }
            self.entry();
            if self.flag("hold") {
                assert!(was_enabled, "a disabled entry is held");
                held |= meanwhile.entry_in == Some(cycle);
            }
            assert!(self.flag("hold") || !self.flag("commit"), "not held");

            if self.flag("admit_valid") && ready[0] {
                let info = QueueInfo::from_words(&self.words("admit"));
                admits.push(Effect::Admit {
                    context: self.get("admit_context") as u8,
                    queue: info.index.to_u64() as u16,
                });
                let drawn = [1, 2, 7][(self.pauses.noise() % 3) as usize];
                let wait = self.answer_after.unwrap_or(drawn);
                answer = Some(cycle + wait);
                // Room was looked at.
                let (room, room_flow) = (self.pauses.noise() & 15, self.pauses.noise() & 15);
                self.set("room", &[room]);
                self.set("room_flow", &[room_flow]);
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
            if self.flag("long_ended") {
                long_ended[self.get("long_context") as usize] += 1;
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
            quiet = if self.flag("job_valid") || self.flag("record_valid") || !taken || expects {
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
        Seen {
            effects,
            cycles,
            held,
            long_ended,
        }
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
