//! What the NIC keeps and reports to nobody: match lists, and commands that wait for a counter. Read out of its
//! memories by name, between two cycles, while nothing is under way.
//!
//! A program cannot ask for this; cases do. Paths and layouts are those of `MatchUnit` (`entry_store.rs`,
//! `chunk_links.rs`, `header_store.rs`, `portal_states.rs`) and `TriggerLists`: one that is not there is an error with
//! its name.

use xtq_engine::{Engine, Error, Result, Signal};
use xtq_types::matching::list;

use crate::tables::format::{ENTRY_FACTS, ENTRY_HOLD, ENTRY_KEY, FLOOR, Format, PORTAL_STATE};

/// Signals by which the two units are found, wherever they stand.
const MATCH_UNIT: &str = "entries$links$somes$read_addr";
const TRIGGER_LISTS: &str = "words$heads$read_addr";
const TRIGGER_STORE: &str = "store$commands$read_addr";
/// Registers with a bit for each counter, and for each memory descriptor: a context made it. A fourth is a context's.
const COUNTERS: &str = "bank$owners$allocated_q$q";
const DESCRIPTORS: &str = "descriptors$bound_q$q";
/// Slots of a chunk.
const SLOTS: u64 = 4;
/// More chunks than a list can have, and more commands than can wait.
const MOST: usize = 4096;

/// A portal entry and its lists.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PortalLists {
    /// It is allocated.
    pub allocated: bool,
    /// It takes messages.
    pub enabled: bool,
    /// User pointers of the entries, first one first.
    pub priority: Vec<u64>,
    /// The same of the overflow list.
    pub overflow: Vec<u64>,
    /// Unexpected headers.
    pub unexpected: usize,
}

/// Where the memories are.
#[derive(Clone, Debug)]
pub struct Stores {
    matching: String,
    triggers: String,
    commands: String,
}

/// The first signal whose path ends so. Errors: there is none.
fn find<'a>(engine: &'a dyn Engine, end: &str) -> Result<&'a Signal> {
    let mut signals = engine.signals().iter();
    let found = signals.find(|signal| signal.path.replace('.', "$").ends_with(end));
    found.ok_or_else(|| Error::NoSuchPath(format!("...{end}")))
}

/// What stands in front of `signal` in the path of the first signal that ends so. Errors: there is none.
fn prefix(engine: &dyn Engine, signal: &str) -> Result<String> {
    let path = find(engine, signal)?.path.replace('.', "$");
    Ok(path[..path.len() - signal.len()].to_owned())
}

/// Bits that are set in a context's fourth of the register whose path ends so. Errors: there is none.
fn share(engine: &dyn Engine, register: &str, context: u8) -> Result<u32> {
    let signal = find(engine, register)?;
    let words = engine.peek(&signal.path)?;
    let share = signal.width / 4;
    let first = usize::from(context) * share;
    let bits = (first..first + share).filter(|bit| words[bit / 64] >> (bit % 64) & 1 == 1);
    Ok(bits.count() as u32)
}

/// A number with its context, as the match unit has it.
fn of(context: u8, number: u64) -> u64 {
    number << 2 | u64::from(context)
}

fn bytes(words: &[u64]) -> Vec<u8> {
    words.iter().flat_map(|word| word.to_le_bytes()).collect()
}

impl Stores {
    /// The memories of a design. Errors: it has no match unit, or no trigger engine.
    pub fn find(engine: &dyn Engine) -> Result<Self> {
        Ok(Self {
            matching: prefix(engine, MATCH_UNIT)?,
            triggers: prefix(engine, TRIGGER_LISTS)?,
            commands: prefix(engine, TRIGGER_STORE)?,
        })
    }

    /// The memories of a match unit that stands alone. Errors: it is none.
    pub fn of_match_unit(engine: &dyn Engine) -> Result<Self> {
        Ok(Self {
            matching: prefix(engine, MATCH_UNIT)?,
            triggers: String::new(),
            commands: String::new(),
        })
    }

    /// An entry of a memory of the match unit.
    fn word(&self, engine: &dyn Engine, memory: &str, entry: u64) -> Result<Vec<u64>> {
        engine.peek(&format!("{}{memory}${entry}", self.matching))
    }

    /// The only word of an entry.
    fn number(&self, engine: &dyn Engine, memory: &str, entry: u64) -> Result<u64> {
        Ok(self.word(engine, memory, entry)?[0])
    }

    /// A field of an entry.
    fn field(
        &self,
        engine: &dyn Engine,
        (memory, entry): (&str, u64),
        format: Format,
        name: &str,
    ) -> Result<u64> {
        let words = self.word(engine, memory, entry)?;
        Ok(format.get(&bytes(&words), name))
    }

    /// Chunk and slot of what is in a list of a store, in order.
    fn slots(&self, engine: &dyn Engine, store: &str, list: u64) -> Result<Vec<(u64, u64)>> {
        let memory = |name: &str| format!("{store}$links${name}");
        let mut found = Vec::new();
        if self.number(engine, &memory("somes"), list)? == 0 {
            return Ok(found);
        }
        let mut chunk = self.number(engine, &memory("heads"), list)?;
        // A chunk's number has as many bits as there are chunks; the bit above says that one is after.
        let more = self.chunks(engine, &memory("nexts$0"))?;
        for _ in 0..MOST {
            for slot in 0..SLOTS {
                if self.number(engine, &memory(&format!("uses${slot}")), chunk)? == 1 {
                    found.push((chunk, slot));
                }
            }
            let next = self.number(engine, &memory("nexts$0"), chunk)?;
            if next & more == 0 {
                return Ok(found);
            }
            chunk = next & (more - 1);
        }
        Err(Error::NoSuchPath(format!(
            "{store}: the end of list {list}"
        )))
    }

    /// Entries of a memory, a power of two.
    fn chunks(&self, engine: &dyn Engine, memory: &str) -> Result<u64> {
        let exists = |bits: &u32| self.word(engine, memory, 1 << bits).is_err();
        let bits = (0..=MOST.ilog2()).find(exists);
        bits.map(|bits| 1 << bits)
            .ok_or_else(|| Error::NoSuchPath(memory.to_owned()))
    }

    /// User pointers of the entries of a list.
    fn entries(&self, engine: &dyn Engine, list: u8, portal: u64) -> Result<Vec<u64>> {
        let slots = self.slots(engine, "entries", u64::from(list) << 8 | portal)?;
        let pointers = slots.into_iter().map(|(chunk, slot)| {
            let bank = format!("entries$keys$banks${slot}");
            let id = self.field(engine, (bank.as_str(), chunk), ENTRY_KEY, "id")?;
            self.field(engine, ("entries$facts_ram", id), ENTRY_FACTS, "user_ptr")
        });
        pointers.collect()
    }

    /// A portal entry of a context. Errors: a memory is missing.
    pub fn portal(&self, engine: &dyn Engine, context: u8, index: u16) -> Result<PortalLists> {
        let portal = of(context, index.into());
        let state = |name| {
            let memory = ("portals$states", portal);
            Ok::<_, Error>(self.field(engine, memory, PORTAL_STATE, name)? == 1)
        };
        let allocated = state("allocated")?;
        Ok(PortalLists {
            allocated,
            enabled: allocated && state("enabled")?,
            priority: self.entries(engine, list::PRIORITY, portal)?,
            overflow: self.entries(engine, list::OVERFLOW, portal)?,
            unexpected: self.slots(engine, "headers", portal)?.len(),
        })
    }

    /// Whether a context's match entry of this number is in a list, or needed by unexpected headers. Errors: a memory
    /// is missing.
    pub fn is_used(&self, engine: &dyn Engine, context: u8, entry: u16) -> Result<bool> {
        let memory = ("entries$holds", of(context, entry.into()));
        let linked = self.field(engine, memory, ENTRY_HOLD, "linked")?;
        Ok(linked == 1 || self.field(engine, memory, ENTRY_HOLD, "lingering")? == 1)
    }

    /// How many commands wait for a context's counter. Errors: a memory is missing.
    pub fn waiting(&self, engine: &dyn Engine, context: u8, counter: u16) -> Result<usize> {
        Ok(self.places(engine, context, counter)?.len())
    }

    /// How many counters a context has made and not freed. Errors: the register is missing.
    pub fn counters(&self, engine: &dyn Engine, context: u8) -> Result<u32> {
        share(engine, COUNTERS, context)
    }

    /// How many memory descriptors a context has made and not released. Errors: the register is missing.
    pub fn descriptors(&self, engine: &dyn Engine, context: u8) -> Result<u32> {
        share(engine, DESCRIPTORS, context)
    }

    /// Bytes of the commands that wait for a context's counter, in the order of posting. Errors: a memory is missing.
    pub fn commands(&self, engine: &dyn Engine, context: u8, counter: u16) -> Result<Vec<Vec<u8>>> {
        let places = self.places(engine, context, counter)?.into_iter();
        let commands = places.map(|place| {
            let words = engine.peek(&format!("{}store$commands${place}", self.commands))?;
            Ok(bytes(&words))
        });
        commands.collect()
    }

    /// Places of the commands that wait for a context's counter.
    fn places(&self, engine: &dyn Engine, context: u8, counter: u16) -> Result<Vec<u64>> {
        let entry =
            |memory: &str, entry: u64| engine.peek(&format!("{}{memory}${entry}", self.triggers));
        // Four contexts have a share of the counters each.
        let is_share = |bits: &u32| entry("words$heads", 4 << bits).is_err();
        let share = (0..=MOST.ilog2()).find(is_share);
        let share = share.ok_or_else(|| Error::NoSuchPath("words$heads".to_owned()))?;
        let counter = u64::from(context) << share | u64::from(counter);
        if FLOOR.get(&bytes(&entry("words$floors", counter)?), "some") == 0 {
            return Ok(Vec::new());
        }
        let last = entry("words$tails", counter)?[0];
        let mut places = vec![entry("words$heads", counter)?[0]];
        while places.len() <= MOST {
            let place = places[places.len() - 1];
            if place == last {
                return Ok(places);
            }
            places.push(entry("nexts", place)?[0]);
        }
        Err(Error::NoSuchPath(format!(
            "the end of the list of counter {counter}"
        )))
    }
}
