//! `PortalTable` against a naive table of entries, and its contract.

mod late;
mod set_up;

use proptest::prelude::*;
use xtq_testbench::by_name;
use xtq_types::Wire;
use xtq_types::pipe::PortalEntry;
use xtq_types::register_map::{portal_control, portal_options, portal_word};

/// What drives the table in one cycle.
#[derive(Clone, Debug, Default)]
struct Inputs {
    lookup: usize,
    hold: bool,
    /// Entry, offset, remaining, disable.
    commit: Option<(usize, u64, u64, bool)>,
    /// Entry that the completer names, and whether it is to be disabled.
    late: (usize, bool),
    /// Entry, word, data; held until it is taken.
    cfg: Option<(usize, u32, u32)>,
    /// Entry, word.
    status: (usize, u32),
}

/// What the table shows in one cycle.
#[derive(Clone, Debug, PartialEq)]
struct Outputs {
    entry: PortalEntry,
    flow_portals: u64,
    /// One bit per entry.
    single: u64,
    /// Flow control, enabled, disabling is done.
    late: (bool, bool, bool),
    /// Taken, and refused with it.
    cfg: (bool, bool),
    status_data: u32,
}

struct Hardware(by_name::Hardware);

impl Hardware {
    fn new() -> Self {
        Self(by_name::Hardware::block("portal_table"))
    }

    fn set(&mut self, name: &str, value: u64) {
        self.0.drive(name, value);
    }

    fn get(&self, name: &str) -> u64 {
        self.0.word(name)
    }

    fn cycle(&mut self, inputs: &Inputs) -> Outputs {
        let commit = inputs.commit.unwrap_or((63, 7, 9, true));
        let cfg = inputs.cfg.unwrap_or((63, 7, 2));
        self.set("lookup", inputs.lookup as u64);
        self.set("hold", inputs.hold.into());
        self.set("commit", inputs.commit.is_some().into());
        self.set("commit_index", commit.0 as u64);
        self.set("commit_offset", commit.1);
        self.set("commit_remaining", commit.2);
        self.set("commit_disable", commit.3.into());
        self.set("late", inputs.late.0 as u64);
        self.set("late_valid", inputs.late.1.into());
        self.set("cfg_write", inputs.cfg.is_some().into());
        self.set("cfg_addr", (cfg.0 as u64) << 3 | u64::from(cfg.1));
        self.set("cfg_data", cfg.2.into());
        self.set(
            "status_addr",
            (inputs.status.0 as u64) << 3 | u64::from(inputs.status.1),
        );
        self.0.eval();
        let outputs = Outputs {
            entry: PortalEntry::from_words(&self.0.get("entry")),
            flow_portals: self.get("flow_portals"),
            single: self.get("single"),
            late: (
                self.get("late_flow") == 1,
                self.get("late_enabled") == 1,
                self.get("late_ready") == 1,
            ),
            cfg: (self.get("cfg_ready") == 1, self.get("cfg_refused") == 1),
            status_data: self.get("status_data") as u32,
        };
        self.0.step();
        outputs
    }

    /// Writes a word and waits until it is taken; gives the cycles that took.
    fn write(&mut self, entry: usize, word: u32, data: u32) -> u32 {
        let inputs = Inputs {
            cfg: Some((entry, word, data)),
            ..Inputs::default()
        };
        for cycles in 1..20 {
            if self.cycle(&inputs).cfg.0 {
                return cycles;
            }
        }
        panic!("a window write was not taken in 20 cycles");
    }

    fn read(&mut self, entry: usize, word: u32) -> u32 {
        self.cycle(&Inputs {
            status: (entry, word),
            ..Inputs::default()
        });
        self.cycle(&Inputs::default()).status_data
    }

    fn lookup(&mut self, entry: usize) -> Outputs {
        self.cycle(&Inputs {
            lookup: entry,
            ..Inputs::default()
        })
    }

    /// Sets an entry up as a host does and waits until it is enabled.
    fn set_up(&mut self, entry: usize, start: u64, length: u64, offset: u64, options: u32) {
        self.write(entry, portal_word::CONTROL, portal_control::DISABLE);
        for (word, value) in [
            (portal_word::START_LO, start),
            (portal_word::LENGTH_LO, length),
            (portal_word::OFFSET_LO, offset),
        ] {
            self.write(entry, word, value as u32);
            self.write(entry, word + 1, (value >> 32) as u32);
        }
        self.write(entry, portal_word::OPTIONS, options);
        self.write(entry, portal_word::CONTROL, portal_control::ENABLE);
        for _ in 0..3 {
            self.cycle(&Inputs::default());
        }
    }
}

#[derive(Clone, Copy, Default)]
struct Entry {
    /// Window words; CONTROL is not kept here.
    words: [u32; 7],
    remaining: u64,
    enabled: bool,
}

impl Entry {
    fn double(&self, low: u32) -> u64 {
        let low = low as usize;
        u64::from(self.words[low]) | u64::from(self.words[low + 1]) << 32
    }

    fn set_offset(&mut self, offset: u64) {
        self.words[portal_word::OFFSET_LO as usize] = offset as u32;
        self.words[portal_word::OFFSET_HI as usize] = (offset >> 32) as u32;
    }
}

/// The table as plain data; CONTROL = 1 is an entry and the cycles it still takes.
struct Naive {
    entries: [Entry; 64],
    pending: Option<(usize, u32)>,
    status: Option<u32>,
    /// One bit per entry that has been enabled since it was released.
    single: u64,
}

impl Naive {
    fn new() -> Self {
        Self {
            entries: [Entry::default(); 64],
            pending: None,
            status: None,
            single: 0,
        }
    }

    /// Outputs of this cycle (`status_data` only where it is defined), then the edge.
    fn cycle(&mut self, inputs: &Inputs) -> (Outputs, bool) {
        let flag = |bit| (bit as u64).into();
        let found = self.entries[inputs.lookup];
        let options = found.words[portal_word::OPTIONS as usize];
        let flow = |context: usize| {
            let entries = &self.entries[16 * context..16 * (context + 1)];
            let live = entries.iter().filter(|entry| {
                entry.enabled && entry.words[4] & portal_options::FLOW_CONTROL != 0
            });
            (live.count() as u64) << (5 * context)
        };
        let cfg = inputs.cfg.unwrap_or((63, 7, 2));
        let sets_up = match cfg.1 {
            portal_word::OPTIONS => false,
            portal_word::CONTROL => cfg.2 == portal_control::ENABLE,
            _ => true,
        };
        let enabled = self.entries[cfg.0].enabled;
        let refused = sets_up && enabled;
        let decided_about = inputs.hold && inputs.lookup == cfg.0;
        let held = decided_about && !enabled && cfg.1 != portal_word::OPTIONS;
        let (late, disable_late) = inputs.late;
        let taken = inputs.commit.is_some() || disable_late;
        let ready = self.pending.is_none() && !taken && !held;
        let late_flow = self.entries[late].words[4] & portal_options::FLOW_CONTROL != 0;
        let outputs = Outputs {
            entry: PortalEntry {
                enabled: flag(found.enabled as u8),
                flow_control: flag((options & portal_options::FLOW_CONTROL != 0) as u8),
                event_success: flag((options & portal_options::EVENT_SUCCESS != 0) as u8),
                event_failure: flag((options & portal_options::EVENT_FAILURE != 0) as u8),
                start: found.double(portal_word::START_LO).into(),
                offset: found.double(portal_word::OFFSET_LO).into(),
                remaining: found.remaining.into(),
            },
            flow_portals: (0..4).map(flow).sum(),
            single: self.single,
            late: (
                late_flow,
                self.entries[late].enabled,
                inputs.commit.is_none(),
            ),
            cfg: (ready, refused),
            status_data: self.status.unwrap_or(0),
        };
        let status_known = self.status.is_some();

        let (entry, word) = inputs.status;
        let busy = self.pending.is_some() || inputs.cfg.is_some();
        self.status = (!busy).then(|| match word {
            portal_word::CONTROL => self.entries[entry].enabled.into(),
            _ => self.entries[entry].words[word as usize],
        });

        match self.pending {
            Some((index, 0)) if !taken => {
                let entry = &mut self.entries[index];
                let length = entry.double(portal_word::LENGTH_LO);
                entry.remaining = length.saturating_sub(entry.double(portal_word::OFFSET_LO));
                entry.enabled = true;
                self.pending = None;
                self.single |= 1 << index;
            }
            Some((entry, left)) => self.pending = Some((entry, left.saturating_sub(1))),
            None => {}
        }
        if let Some((index, offset, remaining, disable)) = inputs.commit {
            let entry = &mut self.entries[index];
            entry.set_offset(offset);
            entry.remaining = remaining;
            entry.enabled &= !disable;
        } else if disable_late {
            self.entries[late].enabled = false;
        }
        if inputs.cfg.is_some() && ready && !refused {
            let (entry, word, data) = cfg;
            match (word, data) {
                (portal_word::CONTROL, portal_control::ENABLE) => self.pending = Some((entry, 2)),
                (portal_word::CONTROL, portal_control::DISABLE) => {
                    self.entries[entry].enabled = false;
                }
                (portal_word::CONTROL, portal_control::RELEASE) => {
                    self.entries[entry].enabled = false;
                    self.single &= !(1 << entry);
                }
                (portal_word::CONTROL, _) => {}
                (portal_word::OPTIONS, _) => self.entries[entry].words[4] = data & 7,
                _ => self.entries[entry].words[word as usize] = data,
            }
        }
        (outputs, status_known)
    }
}

/// Few entries, so that commits, window and lookups meet.
fn entry() -> impl Strategy<Value = usize> {
    prop::sample::select(vec![0usize, 1, 15, 16, 47, 63])
}

/// A message for an entry: how long admission thinks about it, and what it commits.
type Message = (usize, u8, Option<(u64, u64, bool)>);

/// One cycle's wishes: a message if admission is idle (and an entry to look at if there is none), a window write if
/// none waits, a word to read back.
#[derive(Clone, Debug)]
struct Wish {
    message: Option<Message>,
    lookup: usize,
    late: (usize, bool),
    cfg: Option<(usize, u32, u32)>,
    status: (usize, u32),
}

fn wish() -> impl Strategy<Value = Wish> {
    let small = prop_oneof![0u64..300, any::<u64>()];
    let commit = prop::option::of((small, any::<u64>(), prop::bool::weighted(0.3)));
    let message = prop::option::weighted(0.6, (entry(), 0u8..8, commit));
    let data = prop_oneof![3 => 0u32..5, 1 => any::<u32>()];
    let word = prop_oneof![1 => 0u32..8, 2 => Just(portal_word::CONTROL)];
    let cfg = prop::option::weighted(0.6, (entry(), word, data));
    let late = (entry(), prop::bool::weighted(0.2));
    let status = (entry(), 0u32..8);
    (message, entry(), late, cfg, status).prop_map(|(message, lookup, late, cfg, status)| Wish {
        message,
        lookup,
        late,
        cfg,
        status,
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    #[test]
    fn behaves_like_a_table_of_entries_in_every_cycle(script in prop::collection::vec(wish(), 1..200)) {
        let (mut hardware, mut naive) = (Hardware::new(), Naive::new());
        let mut cfg = None;
        let mut message: Option<Message> = None;
        for (cycle, wish) in script.iter().enumerate() {
            // Admission holds an entry that it has read as enabled until it has decided.
            message = message.or(wish.message.filter(|message| naive.entries[message.0].enabled));
            let decision = message.filter(|message| message.1 == 0);
            cfg = cfg.or(wish.cfg);
            let inputs = Inputs {
                lookup: message.map_or(wish.lookup, |message| message.0),
                hold: message.is_some(),
                commit: decision.and_then(|message| message.2.map(|(offset, remaining, disable)| {
                    (message.0, offset, remaining, disable)
                })),
                late: wish.late,
                cfg,
                status: wish.status,
            };
            let mut got = hardware.cycle(&inputs);
            let (expected, status_known) = naive.cycle(&inputs);
            if !status_known {
                got.status_data = expected.status_data;
            }
            if cfg.is_none() {
                got.cfg.1 = expected.cfg.1;
            }
            prop_assert_eq!(&got, &expected, "cycle {}: {:?}", cycle, inputs);
            cfg = cfg.filter(|_| !got.cfg.0);
            message = match (decision, message) {
                (None, Some((entry, left, commit))) => Some((entry, left - 1, commit)),
                _ => None,
            };
        }
    }
}

#[test]
fn a_commit_that_disables_takes_the_entry_off_the_flow_control_count() {
    let mut hardware = Hardware::new();
    for entry in [0, 1, 16] {
        hardware.set_up(entry, 0, 4096, 0, portal_options::FLOW_CONTROL);
    }
    assert_eq!(hardware.lookup(0).flow_portals, 2 | 1 << 5);
    hardware.cycle(&Inputs {
        commit: Some((1, 64, 4032, true)),
        ..Inputs::default()
    });
    assert_eq!(hardware.lookup(1).flow_portals, 1 | 1 << 5);
    assert_eq!(hardware.lookup(1).entry.offset, 64u64);
}
