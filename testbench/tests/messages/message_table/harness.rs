//! The pins of the table, a cycle at a time.

use rust_hdl::prelude::*;
use xtq_testbench::by_name;
use xtq_types::Wire;
use xtq_types::send::{MessageNote, ReplyTarget};

/// Context and number of a place.
pub type Place = (u64, u64);

/// What drives the table in one cycle.
#[derive(Clone, Copy, Debug, Default)]
pub struct Inputs {
    /// Context, whether it waits for an answer, and something to distinguish messages.
    pub open: Option<(u64, bool, u64)>,
    pub read: Place,
    pub sent: Option<Place>,
    pub answered: Option<Place>,
    pub fence: Option<u64>,
}

/// What the table says in one cycle; `handle` is generation and place, `read` is note, generation and whether it is
/// open.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Outputs {
    pub room: u64,
    pub handle: Option<(u64, Place)>,
    pub read: (MessageNote, u64, bool),
    pub used: [u64; 4],
    pub epoch_clear: u64,
}

/// The note of a message; every field follows from its arguments.
pub fn note((context, waits, mark): (u64, bool, u64)) -> MessageNote {
    let spread = mark.wrapping_mul(0x9e37_79b9_7f4a_7c15);
    let words = [0, 17, 40, 5, 29].map(|by| spread.rotate_left(by));
    let mut note = MessageNote::from_words(&words);
    let ack = if waits { 1 + mark % 3 } else { 0 };
    note.context = context.to_bits();
    note.ack_request = ack.to_bits();
    note
}

pub struct Hardware(pub by_name::Hardware);

impl Hardware {
    pub fn new() -> Self {
        let mut table = Self(by_name::Hardware::block("message_table"));
        table.limit(64);
        table
    }

    /// How many messages of a context may be under way.
    pub fn limit(&mut self, messages: u64) {
        self.set("limit", &[messages]);
    }

    fn set(&mut self, name: &str, words: &[u64]) {
        self.0.set(name, words);
    }

    fn get(&self, name: &str) -> u64 {
        self.0.word(name)
    }

    /// Drives a cycle up to the sample. What is not valid is noise.
    pub fn settle(&mut self, inputs: &Inputs) -> Outputs {
        let open = inputs.open.unwrap_or((3, false, 77));
        let mut words = [0; 5];
        note(open).to_words(&mut words);
        self.set("open_info", &words);
        self.set("open", &[inputs.open.is_some().into()]);
        let word = |(context, number): Place| context << 6 | number;
        self.set("read", &[word(inputs.read)]);
        for (name, pulse) in [("sent", inputs.sent), ("answered", inputs.answered)] {
            self.set(name, &[word(pulse.unwrap_or((0, 0)))]);
            self.set(&format!("{name}_valid"), &[pulse.is_some().into()]);
        }
        self.set("fence", &[inputs.fence.unwrap_or(0)]);
        self.set("fence_valid", &[inputs.fence.is_some().into()]);
        self.0.eval();
        let handle = self.get("open_handle");
        let place = (handle >> 6 & 3, handle & 63);
        let used = self.get("used");
        let read_note = MessageNote::from_words(&self.0.get("read_note"));
        Outputs {
            room: self.get("room"),
            handle: inputs.open.map(|_| (handle >> 8, place)),
            read: (
                read_note,
                self.get("read_generation"),
                self.get("read_open") == 1,
            ),
            used: [0, 7, 14, 21].map(|shift| used >> shift & 127),
            epoch_clear: self.get("epoch_clear"),
        }
    }

    /// What a reply that names this place is held against; with `claim` it is taken.
    pub fn reply(&mut self, place: Place, claim: bool) -> ReplyTarget {
        self.set("check", &[place.0 << 6 | place.1]);
        self.set("claim", &[claim.into()]);
        self.cycle(Inputs::default());
        self.set("claim", &[0]);
        self.look();
        ReplyTarget::from_words(&self.0.get("reply_target"))
    }

    pub fn cycle(&mut self, inputs: Inputs) -> Outputs {
        let outputs = self.settle(&inputs);
        self.0.step();
        outputs
    }

    /// State of the registered outputs now.
    pub fn look(&mut self) -> Outputs {
        self.settle(&Inputs::default())
    }

    /// Opens a message that waits for an answer: its generation and place.
    pub fn open(&mut self, context: u64) -> (u64, Place) {
        self.open_as(context, true)
    }

    pub fn open_as(&mut self, context: u64, waits: bool) -> (u64, Place) {
        let open = Some((context, waits, 1));
        let outputs = self.cycle(Inputs {
            open,
            ..Inputs::default()
        });
        outputs.handle.expect("of an open")
    }

    pub fn sent(&mut self, place: Place) {
        self.cycle(Inputs {
            sent: Some(place),
            ..Inputs::default()
        });
    }

    pub fn answered(&mut self, place: Place) {
        self.cycle(Inputs {
            answered: Some(place),
            ..Inputs::default()
        });
    }

    pub fn end(&mut self, place: Place) {
        self.sent(place);
        self.answered(place);
    }

    pub fn fence(&mut self, context: u64) {
        self.cycle(Inputs {
            fence: Some(context),
            ..Inputs::default()
        });
    }

    pub fn is_clear(&mut self, context: u64) -> bool {
        self.look().epoch_clear >> context & 1 == 1
    }

    pub fn used(&mut self, context: usize) -> u64 {
        self.look().used[context]
    }
}
