//! What a campaign has done, by causes, and that it was enough to mean something.

use std::collections::BTreeMap;
use xtq_testbench::host::CommandError;
use xtq_types::event::status;

/// Causes for which messages must have been refused or failed, with their codes.
const CAUSES: [(&str, u8); 15] = [
    ("BAD_TYPE", status::BAD_TYPE),
    ("BAD_ALIGNMENT", status::BAD_ALIGNMENT),
    ("BAD_KERNEL_INDEX", status::BAD_KERNEL_INDEX),
    ("BAD_FUNCTION_INDEX", status::BAD_FUNCTION_INDEX),
    ("BAD_KERNARG_SIZE", status::BAD_KERNARG_SIZE),
    ("BAD_QUEUE_INDEX", status::BAD_QUEUE_INDEX),
    ("QUEUE_FULL", status::QUEUE_FULL),
    ("BUFFER_TOO_SMALL", status::BUFFER_TOO_SMALL),
    ("BAD_LENGTH", status::BAD_LENGTH),
    ("MEMORY_ERROR", status::MEMORY_ERROR),
    ("PT_DISABLED", status::PT_DISABLED),
    ("NO_PORTAL", status::NO_PORTAL),
    ("NO_MATCH", status::NO_MATCH),
    ("PERM_VIOLATION", status::PERM_VIOLATION),
    ("OP_VIOLATION", status::OP_VIOLATION),
];

/// What a campaign has done.
#[derive(Clone, Debug, Default)]
pub struct Counts {
    /// Packets that came, those that the link made of what the NIC sent among them.
    pub packets: usize,
    /// Of the packets drawn: messages that are right as far as the parser goes.
    pub right: usize,
    /// Of these: messages that got past the parser.
    pub right_parsed: usize,
    /// Of these: messages for which there was a buffer, and with an XTQ put a task and a queue.
    pub right_taken: usize,
    /// Messages that were delivered to somebody.
    pub delivered: usize,
    /// Messages that were refused or failed, by status.
    pub refused: BTreeMap<u8, usize>,
    /// Atomics from outside that were done.
    pub atomics: usize,
    /// GETs that were answered with more than 512 bytes.
    pub read: usize,
    /// What the parser and the cache counted.
    pub registers: BTreeMap<&'static str, u64>,
    pub commands: usize,
    /// Commands that were executed.
    pub taken: usize,
    /// How those ended of which the event found a place.
    pub results: BTreeMap<String, usize>,
    /// Messages that left.
    pub sent: usize,
    pub batches: usize,
    /// Batches after which commands waited for a message of which packets are missing.
    pub waited: usize,
    /// Impossible doorbells.
    pub doorbells: usize,
    pub cycles: u64,
}

/// `count` is at least this share of `of`.
fn enough(what: &str, count: usize, of: usize, share: f64) -> Option<String> {
    let got = count as f64 / of as f64;
    (got.is_nan() || got < share).then(|| format!("{what}: {count} of {of}, less than {share}"))
}

impl Counts {
    /// Both together.
    pub fn add(&mut self, other: Self) {
        self.packets += other.packets;
        self.right += other.right;
        self.right_parsed += other.right_parsed;
        self.right_taken += other.right_taken;
        self.delivered += other.delivered;
        self.atomics += other.atomics;
        self.read += other.read;
        self.commands += other.commands;
        self.taken += other.taken;
        self.sent += other.sent;
        self.batches += other.batches;
        self.waited += other.waited;
        self.doorbells += other.doorbells;
        self.cycles += other.cycles;
        for (cause, count) in other.refused {
            *self.refused.entry(cause).or_default() += count;
        }
        for (name, count) in other.registers {
            *self.registers.entry(name).or_default() += count;
        }
        for (result, count) in other.results {
            *self.results.entry(result).or_default() += count;
        }
    }

    pub fn note_result(&mut self, result: Result<(), CommandError>) {
        let name = match result {
            Ok(()) => "Ok".to_owned(),
            Err(error) => format!("{error:?}"),
        };
        *self.results.entry(name).or_default() += 1;
    }

    /// Doorbells that were rung for tasks.
    fn tasks(&self) -> u64 {
        self.registers.get("DOORBELLS").copied().unwrap_or(0)
    }

    /// What there was too little of, one line each.
    pub fn missing(&self) -> Vec<String> {
        let one = |what: &str, count: usize| (count == 0).then(|| format!("no {what}"));
        let mut missing: Vec<Option<String>> = vec![
            enough("right messages", self.right, self.packets, 0.45),
            enough("of them parsed", self.right_parsed, self.right, 0.97),
            enough("of them taken", self.right_taken, self.right_parsed, 0.2),
            enough("messages delivered", self.delivered, self.packets, 0.1),
            enough("atomics done", self.atomics, self.packets, 1.0 / 1500.0),
            enough("GETs answered", self.read, self.packets, 1.0 / 3000.0),
            enough("messages sent", self.sent, self.packets, 0.01),
            enough("commands executed", self.taken, self.commands, 0.9),
            enough(
                "batches at rest",
                self.batches - self.waited,
                self.batches,
                0.2,
            ),
            one("impossible doorbell", self.doorbells),
            enough("tasks rung", self.tasks() as usize, self.packets, 1e-3),
        ];
        for (name, code) in CAUSES {
            missing.push(one(name, self.refused.get(&code).copied().unwrap_or(0)));
        }
        for name in [
            "DROP_VERSION",
            "DROP_OPCODE",
            "DROP_TARGET",
            "DROP_CONTEXT",
            "DROP_LENGTH",
            "DROP_STRAY",
            "STRAY_ANSWERS",
            "EVENTS_LOST",
        ] {
            let count = self.registers.get(name).copied().unwrap_or(0);
            missing.push(one(name, count as usize));
        }
        for error in [
            CommandError::BadOperation,
            CommandError::BadArgument,
            CommandError::BadDescriptor,
            CommandError::DescriptorOverflow,
            CommandError::BadCounter,
            CommandError::BadPortal,
            CommandError::BadEntry,
            CommandError::InUse,
            CommandError::NotFound,
            CommandError::TooLong,
            CommandError::BadIndex,
            CommandError::Unsupported,
        ] {
            let count = self.results.get(&format!("{error:?}")).copied();
            missing.push(one(
                &format!("command that ends with {error:?}"),
                count.unwrap_or(0),
            ));
        }
        missing.into_iter().flatten().collect()
    }
}
