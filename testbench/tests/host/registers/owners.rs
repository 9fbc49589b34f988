//! What stands after the register interface: portal table, event rings, command rings, invalidator.

use std::collections::BTreeMap;

use xtq_engine::Engine;
use xtq_testbench::bus::{Gaps, Model, Pin, Violation};
use xtq_types::register_map::{portal_control, portal_word};

/// What was reported to an owner.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Told {
    /// {context, table, word} and data.
    Table(u64, u64),
    /// {context, word} and data.
    Ring(u64, u64),
    /// {context, word} and data.
    Command(u64, u64),
    /// {context, kind, index}.
    Forgotten(u64),
    /// Context, counter, successes.
    Counted(u64, u64, u64),
}

/// The owners. Each answers after a random pause; while it pauses, what it shows is noise.
pub struct Owners {
    pub told: Vec<Told>,
    /// Words of portal entries by {context, entry, word}; CONTROL is 1 if enabled.
    pub portals: BTreeMap<u64, u32>,
    /// Words of event rings by {context, word}.
    pub rings: BTreeMap<u64, u32>,
    /// Words of command rings by {context, word}.
    pub commands: BTreeMap<u64, u32>,
    /// The portal table enables this entry, for so many cycles more.
    enabling: Option<(u64, u32)>,
    /// Nothing is taken as long as this is set.
    pub stuck: bool,
    ready: bool,
    /// The entry that the invalidator has taken.
    forgetting: Option<u64>,
    gaps: Gaps,
    status: (u64, u64, u64),
    /// The portal table was at work when it was asked: what it shows is noise.
    noisy: bool,
}

impl Owners {
    pub fn new(gaps: Gaps) -> Self {
        Self {
            told: Vec::new(),
            portals: BTreeMap::new(),
            rings: BTreeMap::new(),
            commands: BTreeMap::new(),
            enabling: None,
            stuck: false,
            ready: false,
            forgetting: None,
            gaps,
            status: (0, 0, 0),
            noisy: false,
        }
    }

    fn control(address: u64) -> u64 {
        address | u64::from(portal_word::CONTROL)
    }

    fn is_enabled(&self, address: u64) -> bool {
        self.portals.get(&Self::control(address)) == Some(&1)
    }

    /// Whether a write to an entry is refused: it would set up an enabled one.
    fn refuses(&self, address: u64, data: u64) -> bool {
        let sets_up = match (address & 7) as u32 {
            portal_word::OPTIONS => false,
            portal_word::CONTROL => data == u64::from(portal_control::ENABLE),
            _ => true,
        };
        sets_up && self.is_enabled(address)
    }
}

impl Model for Owners {
    fn drive(&mut self, engine: &mut dyn Engine) -> xtq_engine::Result<()> {
        self.ready = !self.stuck && !self.gaps.pause();
        let get = |name: &str| Ok::<u64, xtq_engine::Error>(Pin::any(engine, name)?.get(engine));
        let (address, data) = (get("portal_cfg_addr")?, get("portal_cfg_data")?);
        let refused = self.refuses(address, data);
        let portal = if self.noisy {
            self.gaps.noise() as u32
        } else {
            self.portals.get(&self.status.0).copied().unwrap_or(0)
        };
        let ring = self.rings.get(&self.status.1).copied().unwrap_or(0);
        let command = self.commands.get(&self.status.2).copied().unwrap_or(0);
        let portal_ready = self.ready && self.enabling.is_none();
        for (name, value) in [
            ("portal_cfg_ready", portal_ready.into()),
            ("portal_cfg_refused", refused.into()),
            (
                "invalidate_ready",
                (self.ready && self.forgetting.is_none()).into(),
            ),
            (
                "invalidated",
                (self.ready && self.forgetting.is_some()).into(),
            ),
            ("increment_ready", self.ready.into()),
            ("command_status_data", command.into()),
            ("portal_status_data", portal.into()),
            ("ring_status_data", ring.into()),
        ] {
            Pin::input(engine, name)?.set(engine, value)?;
        }
        Ok(())
    }

    fn sample(&mut self, engine: &dyn Engine, _cycle: u64) -> Result<(), Violation> {
        let get = |name: &str| Pin::any(engine, name).expect("is a port").get(engine);
        self.status = (
            get("portal_status_addr"),
            get("ring_status_addr"),
            get("command_status_addr"),
        );
        self.noisy = self.enabling.is_some();
        if get("table_cfg_write") == 1 {
            self.told
                .push(Told::Table(get("table_cfg_addr"), get("table_cfg_data")));
        }
        if get("ring_cfg_write") == 1 {
            let (address, data) = (get("ring_cfg_addr"), get("ring_cfg_data"));
            self.told.push(Told::Ring(address, data));
            let place = (address >> 2) << 3 | (address & 3);
            self.rings.insert(place, data as u32);
        }
        if get("command_cfg_write") == 1 {
            let (address, data) = (get("command_cfg_addr"), get("command_cfg_data"));
            self.told.push(Told::Command(address, data));
            let place = (address >> 2) << 3 | (address & 3);
            self.commands.insert(place, data as u32);
        }
        if get("increment_valid") == 1 && get("increment_ready") == 1 {
            let pin = Pin::output(engine, "increment").expect("is a port");
            let words = pin.get_words(engine);
            assert_eq!(
                (words[0] >> 34, words[1], words[2]),
                (0, 0, 0),
                "no failures"
            );
            let (context, counter) = (words[0] & 3, words[0] >> 2 & 0xFF);
            self.told
                .push(Told::Counted(context, counter, words[0] >> 10));
        }
        if get("invalidated") == 1 {
            self.told
                .extend(self.forgetting.take().map(Told::Forgotten));
        }
        if get("invalidate_valid") == 1 && get("invalidate_ready") == 1 {
            self.forgetting = Some(get("invalidate"));
        }
        match self.enabling {
            Some((address, 0)) => {
                self.portals.insert(address, 1);
                self.enabling = None;
            }
            Some((address, left)) => self.enabling = Some((address, left - 1)),
            None if get("portal_cfg_write") == 1 && get("portal_cfg_ready") == 1 => {
                let (address, data) = (get("portal_cfg_addr"), get("portal_cfg_data"));
                if self.refuses(address, data) {
                    return Ok(());
                }
                match ((address & 7) as u32, data as u32) {
                    (portal_word::CONTROL, portal_control::ENABLE) => {
                        self.enabling = Some((address, 2));
                    }
                    (portal_word::CONTROL, portal_control::DISABLE | portal_control::RELEASE) => {
                        self.portals.insert(address, 0);
                    }
                    (portal_word::CONTROL, _) => {}
                    (portal_word::OPTIONS, _) => {
                        self.portals.insert(address, data as u32 & 7);
                    }
                    _ => {
                        self.portals.insert(address, data as u32);
                    }
                }
            }
            None => {}
        }
        Ok(())
    }
}
