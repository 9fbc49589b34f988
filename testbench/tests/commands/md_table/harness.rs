//! The pins of the table, a cycle at a time.

use rust_hdl::prelude::*;
use xtq_engine::Engine;
use xtq_engine::EngineKind;
use xtq_engine::blocks;
use xtq_testbench::bus::Pin;
use xtq_types::Wire;
use xtq_types::command::command_status;
use xtq_types::send::{MdBind, MdFound, MdInfo, MdLookup};

/// Context and number of a descriptor.
pub type Name = (u64, u64);

/// What a descriptor says.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Says {
    pub start: u64,
    pub length: u64,
    pub pieces: u64,
    pub options: u64,
    pub counter: u64,
    pub counted: u64,
}

#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Bytes {
    pub offset: u64,
    pub length: u64,
}

/// What drives the table in one cycle.
#[derive(Clone, Copy, Debug, Default)]
pub struct Inputs {
    pub bind: Option<(Name, Says)>,
    pub release: Option<Name>,
    pub lookup: Option<(Name, Bytes)>,
    pub hold: Option<Name>,
    pub drop: Option<Name>,
    pub read: Name,
}

/// What the table says in one cycle; `found` is status, address, pieces, options, counter, counted.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Outputs {
    pub bind_ready: bool,
    pub release_ready: bool,
    pub bound: Option<u64>,
    pub released: Option<u64>,
    pub found: Option<[u64; 6]>,
    pub read_info: [u64; 3],
}

pub struct Hardware(pub Box<dyn Engine>);

impl Hardware {
    /// With 64 descriptors for each context.
    pub fn new() -> Self {
        Self::of("md_table")
    }

    /// With 256 descriptors for each context.
    pub fn large() -> Self {
        Self::of("md_table_2")
    }

    fn of(name: &str) -> Self {
        let mut engine = blocks::engine(name, EngineKind::Jit).expect("the ports are complete");
        engine.reset(2).expect("has rst");
        Self(Box::new(engine))
    }

    pub fn set(&mut self, name: &str, value: u64) {
        let pin = Pin::input(&*self.0, name).expect("is an input");
        pin.set(&mut *self.0, value).expect("is an input");
    }

    /// Sets a stream or pulse; while it is not valid its payload is noise.
    pub fn offer(&mut self, name: &str, value: Option<Vec<u64>>) {
        self.set(&format!("{name}_valid"), value.is_some().into());
        let pin = Pin::input(&*self.0, name).expect("is an input");
        let noise = vec![0x5555_5555_5555_5555; pin.words()];
        let words = value.unwrap_or(noise);
        pin.set_words(&mut *self.0, &words).expect("is an input");
    }

    pub fn words(&self, name: &str) -> Vec<u64> {
        let pin = Pin::output(&*self.0, name).expect("is an output");
        pin.get_words(&*self.0)
    }

    pub fn is_high(&self, name: &str) -> bool {
        self.words(name)[0] == 1
    }

    /// Drives a cycle up to the sample.
    pub fn settle(&mut self, inputs: &Inputs) -> Outputs {
        let bind = |((context, number), says): (Name, Says)| {
            words_of(MdBind {
                context: context.to_bits(),
                number: number.to_bits(),
                start: says.start.to_bits(),
                length: says.length.to_bits(),
                pieces: says.pieces.to_bits(),
                options: says.options.to_bits(),
                counter: says.counter.to_bits(),
                counted: says.counted.to_bits(),
            })
        };
        let lookup = |((context, number), bytes): (Name, Bytes)| {
            words_of(MdLookup {
                context: context.to_bits(),
                number: number.to_bits(),
                offset: bytes.offset.to_bits(),
                length: bytes.length.to_bits(),
            })
        };
        let short = |(context, number): Name| vec![context << 8 | number];
        self.offer("bind_md", inputs.bind.map(bind));
        let release = |(context, number): Name| vec![context << 16 | number];
        self.offer("release_md", inputs.release.map(release));
        self.offer("lookup", inputs.lookup.map(lookup));
        self.offer("hold", inputs.hold.map(short));
        self.offer("drop", inputs.drop.map(short));
        self.set("read", short(inputs.read)[0]);
        self.0.eval().expect("settles");
        assert!(self.is_high("lookup_ready"), "a lookup is always taken");
        let status = |valid: &str, name: &str| self.is_high(valid).then(|| self.words(name)[0]);
        let found = MdFound::from_words(&self.words("found"));
        let info = MdInfo::from_words(&self.words("read_info"));
        Outputs {
            bind_ready: self.is_high("bind_md_ready"),
            release_ready: self.is_high("release_md_ready"),
            bound: status("bound", "bind_status"),
            released: status("released", "release_status"),
            found: self.is_high("found_valid").then(|| {
                let (status, counted) = (found.status.to_u64(), found.counted.to_u64());
                let (options, counter) = (found.options.to_u64(), found.counter.to_u64());
                let (address, pieces) = (found.address.to_u64(), found.pieces.to_u64());
                [status, address, pieces, options, counter, counted]
            }),
            read_info: [
                info.options.to_u64(),
                info.counter.to_u64(),
                info.counted.to_u64(),
            ],
        }
    }

    pub fn cycle(&mut self, inputs: Inputs) -> Outputs {
        let outputs = self.settle(&inputs);
        self.0.step().expect("settles");
        outputs
    }

    pub fn bind(&mut self, name: Name, says: Says) -> u64 {
        let bind = Some((name, says));
        self.cycle(Inputs {
            bind,
            ..Inputs::default()
        });
        self.cycle(Inputs::default())
            .bound
            .expect("told in the next cycle")
    }

    pub fn release(&mut self, name: Name) -> u64 {
        let release = Some(name);
        self.cycle(Inputs {
            release,
            ..Inputs::default()
        });
        self.cycle(Inputs::default())
            .released
            .expect("told in the next cycle")
    }

    pub fn lookup(&mut self, name: Name, offset: u64, length: u64) -> [u64; 6] {
        let lookup = Some((name, Bytes { offset, length }));
        self.cycle(Inputs {
            lookup,
            ..Inputs::default()
        });
        self.cycle(Inputs::default());
        self.cycle(Inputs::default());
        self.cycle(Inputs::default())
            .found
            .expect("three cycles later")
    }

    pub fn hold(&mut self, name: Name) {
        self.cycle(Inputs {
            hold: Some(name),
            ..Inputs::default()
        });
    }

    pub fn drop(&mut self, name: Name) {
        self.cycle(Inputs {
            drop: Some(name),
            ..Inputs::default()
        });
    }
}

pub fn words_of<T: Wire>(value: T) -> Vec<u64> {
    let mut words = vec![0; T::BITS.div_ceil(64)];
    value.to_words(&mut words);
    words
}

/// How a command ends.
pub const OK: u64 = command_status::OK as u64;
pub const BAD_DESCRIPTOR: u64 = command_status::BAD_DESCRIPTOR as u64;
pub const DESCRIPTOR_OVERFLOW: u64 = command_status::DESCRIPTOR_OVERFLOW as u64;
pub const IN_USE: u64 = command_status::IN_USE as u64;
/// What a refused lookup says.
pub const REFUSED: [u64; 6] = [BAD_DESCRIPTOR, 0, 0, 0, 0, 0];
pub const OVERFLOW: [u64; 6] = [DESCRIPTOR_OVERFLOW, 0, 0, 0, 0, 0];

pub fn bytes(start: u64, length: u64) -> Says {
    Says {
        start,
        length,
        pieces: 0,
        options: 0xA5C3,
        counter: 200,
        counted: 1,
    }
}
