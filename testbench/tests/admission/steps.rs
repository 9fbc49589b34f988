//! `AdmissionSteps`: what is decided about a packet, in which order, whatever waits.

use proptest::prelude::*;
use xtq_testbench::bus::Gaps;
use xtq_types::event::{access, status};

use xtq_testbench::by_name::Hardware;

/// A packet and what the other blocks say of it.
#[derive(Clone, Debug)]
struct Packet {
    first: bool,
    xtq: bool,
    open_hit: bool,
    continues: bool,
    orphan: bool,
    /// The first packet of a reply that nobody waits for.
    unasked: bool,
    early: u8,
    task: (u8, u8),
    queue: (u8, u8),
}

/// What happens at an edge.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Event {
    OrphanEnds,
    OpenEnds,
    Asked,
    Stray,
    Decided(u8, u8),
}

fn events(p: &Packet) -> Vec<Event> {
    let mut events = Vec::new();
    if p.orphan {
        events.push(Event::OrphanEnds);
    }
    let continues = p.open_hit && p.continues && !p.first;
    if p.open_hit && !continues {
        events.push(Event::OpenEnds);
    }
    let (queue, access) = p.queue;
    let known = if p.early != 0 {
        (p.early, access::NONE)
    } else {
        p.task
    };
    match (p.first, p.xtq) {
        (false, _) if continues => events.push(Event::Decided(status::OK, access::NONE)),
        (false, _) => events.push(Event::Stray),
        (true, false) if p.unasked => events.push(Event::Stray),
        (true, false) => events.push(Event::Decided(p.early, access::NONE)),
        (true, true) if known.0 != 0 => events.push(Event::Decided(known.0, known.1)),
        (true, true) => events.extend([Event::Asked, Event::Decided(queue, access)]),
    }
    events
}

/// Runs the packets with pauses everywhere; what is asked for stays until it can be done.
fn run(packets: &[Packet], gaps: &mut Gaps) -> Result<(), TestCaseError> {
    let mut steps = Hardware::block("admission_steps");
    for packet in packets {
        let mut now = packet.clone();
        let mut seen = Vec::new();
        let (mut there, mut valid, mut answer, mut asked) = (false, false, None, None);
        for cycle in 0.. {
            prop_assert!(cycle < 200, "stuck behind {:?}", seen);
            there = there || !gaps.pause();
            valid = valid || (there && !gaps.pause());
            let (can, ready) = (!gaps.pause(), !gaps.pause());
            let answered = answer == Some(cycle);
            let noise = [(); 4].map(|()| gaps.noise() & 255);
            for (name, flag) in [
                ("head_there", there),
                ("head_valid", valid),
                ("first", now.first),
                ("xtq", now.xtq),
                ("open_hit", now.open_hit),
                ("continues", now.open_hit && now.continues && !now.first),
                ("orphan", now.orphan),
                ("unasked", now.unasked && now.first && !now.xtq),
                ("admit_ready", ready),
                ("admitted", answered),
                ("can", can),
            ] {
                steps.set(name, &[flag.into()]);
            }
            steps.set("early", &[now.early.into()]);
            let task = if valid {
                [now.task.0, now.task.1].map(u64::from)
            } else {
                [noise[0], noise[1]]
            };
            let queue = if answered {
                [now.queue.0, now.queue.1].map(u64::from)
            } else {
                [noise[2], noise[3]]
            };
            for (name, word) in ["task_status", "task_access", "admit_status", "admit_access"]
                .iter()
                .zip(task.into_iter().chain(queue))
            {
                steps.set(name, &[word]);
            }
            steps.eval();
            let word = |name| steps.get(name)[0];
            let flag = |name| word(name) == 1;
            let wants = match (flag("finish"), flag("stray"), flag("aborting")) {
                (true, false, false) => {
                    Some(Event::Decided(word("status") as u8, word("access") as u8))
                }
                (false, true, false) => Some(Event::Stray),
                (false, false, true) if flag("orphaning") => Some(Event::OrphanEnds),
                (false, false, true) => Some(Event::OpenEnds),
                (false, false, false) => None,
                _ => return Err(TestCaseError::fail("two things at once")),
            };
            prop_assert!(
                asked.is_none() || asked == wants,
                "{:?}, then {:?}",
                asked,
                wants
            );
            asked = wants.filter(|_| !can);
            if flag("admit_valid") && ready {
                seen.push(Event::Asked);
                answer = Some(cycle + 1 + gaps.noise() % 4);
            }
            steps.step();
            let Some(event) = wants.filter(|_| can) else {
                continue;
            };
            seen.push(event);
            match event {
                Event::OrphanEnds => now.orphan = false,
                Event::OpenEnds => now.open_hit = false,
                _ => break,
            }
        }
        prop_assert_eq!(seen, events(packet), "{:?}", packet);
        // Nothing happens between two packets.
        steps.set("head_there", &[0]);
        steps.set("head_valid", &[0]);
        steps.set("orphan", &[0]);
        steps.eval();
        prop_assert_eq!(steps.get("checking"), [1]);
    }
    Ok(())
}

fn packet() -> impl Strategy<Value = Packet> {
    let code = || prop_oneof![4 => Just(status::OK), 1 => 1..16u8];
    (
        any::<(bool, bool, bool, bool)>(),
        (prop::bool::weighted(0.2), prop::bool::weighted(0.2)),
        code(),
        (code(), 1..8u8),
        (code(), any::<u8>()),
    )
        .prop_map(
            |((first, xtq, open_hit, continues), (orphan, unasked), early, task, queue)| Packet {
                first,
                xtq,
                open_hit,
                continues,
                orphan,
                unasked,
                early,
                task,
                queue,
            },
        )
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(150))]

    #[test]
    fn every_packet_is_decided_about_once_and_what_cannot_be_done_waits(
        packets in prop::collection::vec(packet(), 1..12), pause in 0.0..0.8f64, seed in any::<u64>(),
    ) {
        run(&packets, &mut Gaps::random(pause, seed))?;
    }
}
