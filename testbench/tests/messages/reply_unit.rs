//! `ReplyUnit`: what is sent for each GET, in what order, and what goes back to the completer.

use std::collections::VecDeque;

use proptest::prelude::*;
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;
use xtq_types::event::{access, status};
use xtq_types::pipe::{MessageInfo, ReplyOutcome};
use xtq_types::send::{GatherJob, SendJob, SentNote};
use xtq_types::wire_header::{ni_fail, opcode};

use xtq_testbench::by_name::{Hardware, field, pack};

/// A GET as the completer gives it: fields of its info, and of its outcome.
#[derive(Clone, Debug)]
struct Asked {
    info: Vec<(&'static str, u64)>,
    context: u64,
    status: u8,
}

impl Asked {
    fn random(rng: &mut ChaCha8Rng, number: u64) -> Self {
        let statuses = [
            status::OK,
            status::OK,
            status::OK,
            status::NO_MATCH,
            status::OP_VIOLATION,
            status::PERM_VIOLATION,
            status::PT_DISABLED,
            status::NO_PORTAL,
        ];
        let length = [0, rng.random_range(1..20_000)][rng.random_range(0..2usize)];
        let fetch = rng.random_bool(0.4);
        Self {
            info: vec![
                // Else the rest of a message, that waits and is sent nothing.
                ("get", (!fetch && rng.random_bool(0.8)).into()),
                ("atomic", fetch.into()),
                ("fetch", fetch.into()),
                ("source_node", rng.random_range(0..0x1_0000)),
                ("source_context", rng.random_range(0..4)),
                ("portal_index", rng.random_range(0..64)),
                ("start", rng.random()),
                ("offset", rng.random()),
                (
                    "pieces",
                    if rng.random_bool(0.3) {
                        rng.random_range(1..=1024)
                    } else {
                        0
                    },
                ),
                ("message_length", length + 5),
                ("delivered_length", length),
                ("user_pointer", number),
                ("initiator_handle", rng.random_range(0..0x1_0000)),
            ],
            context: rng.random_range(0..4),
            status: statuses[rng.random_range(0..statuses.len())],
        }
    }

    fn get(&self, name: &str) -> u64 {
        self.info.iter().find(|f| f.0 == name).map_or(0, |f| f.1)
    }

    fn replies(&self) -> bool {
        self.get("get") == 1 || self.get("fetch") == 1
    }

    /// Bytes of the reply.
    fn length(&self) -> u64 {
        match self.status {
            status::OK if self.replies() => self.get("delivered_length"),
            _ => 0,
        }
    }

    /// Bytes of it that are read from memory: the old bytes of an atomic are not.
    fn gathered(&self) -> u64 {
        if self.get("fetch") == 1 {
            0
        } else {
            self.length()
        }
    }

    fn outcome(&self) -> Vec<u64> {
        let fields = [("context", self.context), ("status", self.status.into())];
        pack(ReplyOutcome::FIELDS, &fields)
    }

    /// The headers of its reply.
    fn job(&self) -> Vec<u64> {
        let ok = self.status == status::OK;
        let fail = match self.status {
            status::OK => ni_fail::OK,
            status::OP_VIOLATION => ni_fail::OP_VIOLATION,
            status::PERM_VIOLATION => ni_fail::PERM_VIOLATION,
            status::PT_DISABLED => ni_fail::PT_DISABLED,
            _ => ni_fail::DROPPED,
        };
        let fields = [
            ("opcode", opcode::REPLY.into()),
            ("ni_fail", fail.into()),
            ("context", self.context),
            ("target_node", self.get("source_node")),
            ("target_context", self.get("source_context")),
            ("portal_index", self.get("portal_index")),
            ("remote_offset", if ok { self.get("offset") } else { 0 }),
            ("length", self.length()),
            ("has_body", (self.length() > 0).into()),
            ("initiator_handle", self.get("initiator_handle")),
            ("operation", self.status.into()),
            ("kept", self.get("fetch")),
        ];
        pack(SendJob::FIELDS, &fields)
    }

    fn span(&self) -> Vec<u64> {
        // The list of a buffer of pieces begins at its start.
        let list = self.get("start").wrapping_sub(self.get("offset"));
        let listed = self.get("pieces") != 0;
        let fields = [
            ("context", self.context),
            (
                "first_address",
                if listed { list } else { self.get("start") },
            ),
            ("first_length", self.length()),
            ("first_pieces", self.get("pieces")),
            ("first_offset", self.get("offset")),
        ];
        pack(GatherJob::FIELDS, &fields)
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(16))]

    #[test]
    fn every_get_is_answered_once_and_told_when_its_reply_has_left(
        seed: u64,
        pauses in prop::array::uniform5(prop::sample::select(vec![0.0, 0.4, 0.9])),
    ) {
        let mut rng = ChaCha8Rng::seed_from_u64(seed);
        let mut hardware = Hardware::block("reply_unit");
        let mut gets: VecDeque<Asked> = (0..60).map(|i| Asked::random(&mut rng, i)).collect();
        let (mut to_send, mut to_gather, mut to_tell) = (VecDeque::new(), VecDeque::new(), VecDeque::new());
        // Replies whose headers and bytes were both taken, and what the packetiser says of them.
        let (mut sent, mut gathered, mut noted) = (0usize, 0usize, 0usize);
        let mut notes: VecDeque<bool> = VecDeque::new();
        let replies: Vec<Asked> = gets.iter().filter(|a| a.replies()).cloned().collect();
        let mut offered = false;
        let mut told = 0;
        for _ in 0..6000 {
            let [get, send, gather, note, tell] = pauses.map(|pause| !rng.random_bool(pause));
            offered = !gets.is_empty() && (offered || get);
            if let Some(asked) = gets.front() {
                hardware.set("get", &pack(MessageInfo::FIELDS, &asked.info));
                hardware.set("get_outcome", &asked.outcome());
            }
            hardware.set("get_valid", &[offered.into()]);
            hardware.set("send_ready", &[send.into()]);
            hardware.set("gather_ready", &[gather.into()]);
            // A message is noted when all of it was taken; bytes may fail.
            if note && noted < sent && replies[..=noted].iter().filter(|a| a.gathered() > 0).count() <= gathered {
                notes.push_back(replies[noted].gathered() > 0 && rng.random_bool(0.3));
                noted += 1;
            }
            let error = notes.front().copied();
            hardware.set("sent", &pack(SentNote::FIELDS, &[("error", error.unwrap_or(false).into())]));
            hardware.set("sent_valid", &[error.is_some().into()]);
            hardware.set("replied_ready", &[tell.into()]);
            hardware.eval();
            if hardware.high("send_valid") && send {
                let expected: Asked = to_send.pop_front().expect("a GET");
                prop_assert_eq!(hardware.get("send"), expected.job());
                sent += 1;
            }
            if hardware.high("gather_valid") && gather {
                let expected: Asked = to_gather.pop_front().expect("a GET with bytes");
                prop_assert_eq!(hardware.get("gather"), expected.span());
                gathered += 1;
            }
            if hardware.high("replied_valid") && tell {
                let expected: Asked = to_tell.pop_front().expect("a GET");
                let info = hardware.get("replied");
                prop_assert_eq!(field(MessageInfo::FIELDS, &info, "user_pointer"), expected.get("user_pointer"));
                let outcome = hardware.get("replied_outcome");
                let said = |name| field(ReplyOutcome::FIELDS, &outcome, name) as u8;
                let answered = expected.replies();
                let wanted = match error.filter(|_| answered) {
                    Some(true) => (status::MEMORY_ERROR, access::GATHER),
                    _ => (expected.status, access::NONE),
                };
                prop_assert_eq!((said("status"), said("access")), wanted);
                prop_assert_eq!(u64::from(said("context")), expected.context);
                prop_assert!(error.is_some() || !answered, "before its reply has left");
                prop_assert_eq!(hardware.high("sent_ready"), answered);
                prop_assert!(hardware.high("busy"));
                if answered {
                    notes.pop_front();
                }
                told += 1;
            }
            if offered && hardware.high("get_ready") {
                let asked = gets.pop_front().expect("is offered");
                if asked.gathered() > 0 {
                    to_gather.push_back(asked.clone());
                }
                if asked.replies() {
                    to_send.push_back(asked.clone());
                }
                to_tell.push_back(asked);
                offered = false;
            }
            hardware.step();
        }
        prop_assert_eq!(told, 60);
        hardware.eval();
        prop_assert!(!hardware.high("busy"));
    }
}

#[test]
fn a_thousand_gets_wait_while_nothing_leaves() {
    let mut hardware = Hardware::block("reply_unit");
    let mut rng = ChaCha8Rng::seed_from_u64(1);
    let mut asked = Asked::random(&mut rng, 0);
    asked.info[0].1 = 1;
    hardware.set("get", &pack(MessageInfo::FIELDS, &asked.info));
    hardware.set("get_outcome", &asked.outcome());
    hardware.set("get_valid", &[1]);
    let mut taken = 0;
    for _ in 0..1100 {
        hardware.eval();
        taken += u32::from(hardware.high("get_ready"));
        hardware.step();
    }
    assert_eq!(taken, 1024);
}

#[test]
fn a_get_is_a_job_two_cycles_later_and_the_next_one_two_behind_it() {
    let mut hardware = Hardware::block("reply_unit");
    let mut rng = ChaCha8Rng::seed_from_u64(2);
    let mut asked = Asked {
        status: status::OK,
        ..Asked::random(&mut rng, 0)
    };
    asked.info[0].1 = 1;
    hardware.set("get", &pack(MessageInfo::FIELDS, &asked.info));
    hardware.set("get_outcome", &asked.outcome());
    for name in ["get_valid", "send_ready", "gather_ready"] {
        hardware.set(name, &[1]);
    }
    let mut jobs = Vec::new();
    for cycle in 0..12 {
        hardware.eval();
        if hardware.high("send_valid") {
            jobs.push(cycle);
        }
        hardware.step();
    }
    assert_eq!(jobs[..4], [2, 3, 4, 5]);
    // Eight are under way, none of which has left.
    assert_eq!(jobs.len(), 8);
}
