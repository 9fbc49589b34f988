//! The signals of a design by path: found once with a [`Probe`], read when asked for.

use std::collections::HashMap;

use rust_hdl::core::ast::VerilogLiteral;
use rust_hdl::prelude::{AtomKind, Block, Synth, TypeDescriptor, TypeKind};

use crate::base::{WaveVar, canonical, is_clock, number, slice};
use crate::design::Field;
use crate::{Direction, Error, Result};

mod walk;

pub(crate) use walk::{local, symbol, walk};

/// A signal or constant of the design, or one field of a struct-typed signal.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Signal {
    /// `child.sub.signal`. Elements of arrays are `name$0`, fields and members of interfaces `name$field`, as in the
    /// exported Verilog.
    pub path: String,
    /// Width in bits.
    pub width: usize,
    /// Names of the values 0, 1, ... if it is an enum, else empty.
    pub variants: Vec<String>,
}

impl Signal {
    /// Adds a signal and, if it is a struct, its fields.
    pub(crate) fn add(
        list: &mut Vec<Signal>,
        path: &str,
        width: usize,
        variants: &[String],
        fields: &[Field],
    ) {
        list.push(Signal {
            path: path.into(),
            width,
            variants: variants.to_vec(),
        });
        for field in fields {
            let path = format!("{path}${}", field.name);
            Self::add(list, &path, field.width, &field.variants, &field.fields);
        }
    }
}

/// Lowest bit and width of a field (`a` or `a$b`).
pub(crate) fn field(fields: &[Field], path: &str) -> Option<(usize, usize)> {
    fields.iter().find_map(|f| {
        let rest = path.strip_prefix(f.name.as_str())?;
        match rest.strip_prefix('$') {
            Some(inner) => field(&f.fields, inner),
            None => rest.is_empty().then_some((f.offset, f.width)),
        }
    })
}

/// Where a signal is: the atom's number in the order of the walk, and a slice of it in bits.
#[derive(Clone, Copy)]
pub(crate) struct Place {
    atom: usize,
    offset: usize,
    width: usize,
}

/// What stands directly in the top.
pub(crate) struct TopSignal {
    pub(crate) name: String,
    pub(crate) width: usize,
    pub(crate) kind: AtomKind,
    pub(crate) clock: bool,
}

/// All signals, with an index by path.
pub(crate) struct SignalTable {
    list: Vec<Signal>,
    /// By canonical path.
    index: HashMap<String, Place>,
    top: Vec<TopSignal>,
    /// Signals that are no structs, and fields; positions of words as in [`SignalTable::values`].
    vars: Vec<WaveVar>,
    /// Words of all atoms.
    words: usize,
}

/// Names of the variants of an enum without the name of the type; empty for other types.
fn variants(kind: &TypeKind) -> Vec<String> {
    match kind {
        TypeKind::Enum(names) => names
            .iter()
            .map(|n| n.rsplit("::").next().unwrap_or(n).to_string())
            .collect(),
        _ => Vec::new(),
    }
}

/// Width of a type in bits.
fn width(kind: &TypeKind) -> usize {
    match kind {
        TypeKind::Bits(n) | TypeKind::Signed(n) => *n,
        TypeKind::Enum(names) => names.len().next_power_of_two().trailing_zeros() as usize,
        TypeKind::Composite(fields) => fields.iter().map(|f| width(&f.kind.kind)).sum(),
    }
}

impl SignalTable {
    /// Walks the design once.
    pub(crate) fn new(design: &dyn Block) -> Self {
        let mut table = Self {
            list: Vec::new(),
            index: HashMap::new(),
            top: Vec::new(),
            vars: Vec::new(),
            words: 0,
        };
        walk(design, |position, atom, name, signal| {
            let (width, kind) = (signal.bits(), signal.descriptor());
            if position.scope().is_empty() {
                let (name, clock) = (position.local(name), is_clock(&kind));
                table.top.push(TopSignal {
                    name,
                    width,
                    kind: signal.kind(),
                    clock,
                });
            }
            let place = Place {
                atom,
                offset: 0,
                width,
            };
            let direction = match signal.kind() {
                AtomKind::InputParameter => Some(Direction::In),
                AtomKind::OutputParameter => Some(Direction::Out),
                _ => None,
            };
            table.add(position.path(name), &kind, place, direction);
            table.words += width.div_ceil(64);
        });
        table
    }

    /// Adds a signal and, if it is a struct, its fields; the first field has the lowest bits.
    fn add(
        &mut self,
        path: String,
        kind: &TypeDescriptor,
        place: Place,
        direction: Option<Direction>,
    ) {
        self.index.insert(canonical(&path), place);
        self.list.push(Signal {
            path: path.clone(),
            width: place.width,
            variants: variants(&kind.kind),
        });
        if !matches!(kind.kind, TypeKind::Composite(_)) {
            self.vars.push(WaveVar {
                path: path.clone(),
                width: place.width,
                variants: variants(&kind.kind),
                clock: is_clock(kind),
                direction,
                words: (self.words, (place.offset + place.width).div_ceil(64)),
                offset: place.offset,
                alias: None,
            });
        }
        if let TypeKind::Composite(fields) = &kind.kind {
            let mut offset = place.offset;
            for field in fields {
                let width = width(&field.kind.kind);
                let path = format!("{path}${}", field.fieldname);
                let place = Place {
                    offset,
                    width,
                    ..place
                };
                self.add(path, &field.kind, place, direction);
                offset += width;
            }
        }
    }

    /// The variables that a waveform shows.
    pub(crate) fn vars(&self) -> &[WaveVar] {
        &self.vars
    }

    /// The words of all atoms of a settled design, one after the other, into `values`.
    pub(crate) fn values(&self, design: &dyn Block, values: &mut Vec<u64>) {
        values.clear();
        values.reserve(self.words);
        walk(design, |_, _, _, signal| {
            values.extend(words(&signal.verilog(), signal.bits()));
        });
    }

    pub(crate) fn list(&self) -> &[Signal] {
        &self.list
    }

    /// Place of the signal at `path`, in any accepted spelling.
    pub(crate) fn find(&self, path: &str) -> Result<Place> {
        self.index
            .get(&canonical(path))
            .copied()
            .ok_or_else(|| Error::NoSuchPath(path.into()))
    }

    /// The signals of the top itself.
    pub(crate) fn top(&self) -> &[TopSignal] {
        &self.top
    }
}

/// Value at `place` of a settled design, as little-endian words.
pub(crate) fn read(design: &dyn Block, place: Place) -> Vec<u64> {
    read_many(design, &[place]).remove(0)
}

/// Values at several places of a settled design.
pub(crate) fn read_many(design: &dyn Block, places: &[Place]) -> Vec<Vec<u64>> {
    let mut wanted: HashMap<usize, Vec<usize>> = HashMap::new();
    for (number, place) in places.iter().enumerate() {
        wanted.entry(place.atom).or_default().push(number);
    }
    let mut values = vec![Vec::new(); places.len()];
    walk(design, |_, atom, _, signal| {
        let Some(numbers) = wanted.get(&atom) else {
            return;
        };
        let words = words(&signal.verilog(), signal.bits());
        for &number in numbers {
            let Place { offset, width, .. } = places[number];
            values[number] = slice(&words, offset, width);
        }
    });
    values
}

/// A value of any type that rust-hdl has, as little-endian words; for pins whose type has no faster way.
pub fn sample<T: Synth>(value: T, words: &mut [u64]) {
    let value = self::words(&value.verilog(), T::BITS);
    words
        .iter_mut()
        .zip(value)
        .for_each(|(word, value)| *word = value);
}

/// A literal of `width` bits as little-endian words.
fn words(literal: &VerilogLiteral, width: usize) -> Vec<u64> {
    let value = number(literal, width);
    let mut words = value.to_u64_digits();
    words.resize(width.div_ceil(64), 0);
    words
}
