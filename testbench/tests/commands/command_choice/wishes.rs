//! What comes to the block in a cycle, drawn at random.

use proptest::prelude::*;
use xtq_types::command::{Command, flag, operation as op};

use xtq_testbench::by_name::pack;

/// What matters of a command here.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Kind {
    Nop,
    Message,
    List,
    Fence,
    PostedMessage,
    PostedFence,
    UnreadFence,
}

const KINDS: [Kind; 7] = [
    Kind::Nop,
    Kind::Message,
    Kind::List,
    Kind::Fence,
    Kind::PostedMessage,
    Kind::PostedFence,
    Kind::UnreadFence,
];

impl Kind {
    /// The words of the command, which `number` distinguishes from others.
    pub fn words(self, number: u64) -> Vec<u64> {
        let (operation, flags) = match self {
            Kind::Nop => (op::NOP, 0),
            Kind::Message => (op::PUT, 0),
            Kind::List => (op::ME_APPEND, 0),
            Kind::Fence | Kind::UnreadFence => (op::FENCE, 0),
            Kind::PostedMessage => (op::PUT, flag::TRIGGERED),
            Kind::PostedFence => (op::FENCE, flag::TRIGGERED),
        };
        let fields = [("operation", operation.into()), ("flags", flags.into())];
        let mut words = pack(Command::FIELDS, &fields);
        // What is after operation and flags does not matter here, and must come through.
        for (i, word) in words.iter_mut().enumerate() {
            let noise = (number * 16 + i as u64 + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15);
            *word |= if i == 0 { noise << 16 } else { noise };
        }
        words
    }
}

/// In the number of a command that has fired: it will wait again.
pub const REARMS: u64 = 1 << 40;

/// What comes to the block in one cycle. Bits are those of contexts.
#[derive(Clone, Debug)]
pub struct Wish {
    /// A command is written to the ring of this context.
    pub post: Option<(usize, Kind)>,
    /// One of this context fires.
    pub fire: Option<(usize, Kind)>,
    /// It will wait again.
    pub rearms: bool,
    /// The ring of this context begins again.
    pub restart: Option<usize>,
    /// Contexts that are not enabled, have no room, have a command of lists away, are posting.
    pub hidden: u64,
    pub full: u64,
    pub away: u64,
    pub posting: u64,
    /// Contexts whose messages before the line end.
    pub ends: u64,
    /// Cycles that a message which is taken now is under way, beyond the eight at least.
    pub flight: u32,
    /// Cycles that the command takes, if one is taken now, beyond the one at least.
    pub busy: u32,
}

pub fn wish() -> impl Strategy<Value = Wish> {
    let rare = || prop_oneof![3 => Just(0u64), 1 => 0u64..16];
    let command = |kinds: usize| (0usize..4, prop::sample::select(KINDS[..kinds].to_vec()));
    (
        prop::option::weighted(0.4, command(7)),
        (
            prop::option::weighted(0.1, command(4)),
            prop::bool::weighted(0.4),
        ),
        prop::option::weighted(0.02, 0usize..4),
        [rare(), rare(), rare(), rare(), rare()],
        prop_oneof![3 => Just(0u32), 1 => 0u32..30],
        prop_oneof![3 => Just(0u32), 1 => 0u32..6],
    )
        .prop_map(
            |(post, (fire, rearms), restart, [hidden, full, away, posting, ends], flight, busy)| {
                Wish {
                    post,
                    fire,
                    rearms,
                    restart,
                    hidden,
                    full,
                    away,
                    posting,
                    ends,
                    flight,
                    busy,
                }
            },
        )
}
