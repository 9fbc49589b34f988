//! Random accesses, against the registers as plain words.

use std::collections::BTreeMap;

use proptest::prelude::*;
use xtq_types::register_list::Access;
use xtq_types::register_map::{self, context, portal_control, portal_word, response};

use super::map::{Place, places};
use super::owners::Told;
use super::rig::{Rig, at};

/// The registers as plain words; windows of portal entries as their owner keeps them.
#[derive(Default)]
struct Naive {
    words: BTreeMap<u16, u32>,
    told: Vec<Told>,
}

impl Naive {
    fn read(&self, place: Option<&Place>, address: u16) -> (u8, u32) {
        let Some(place) = place else {
            return (response::DECERR, 0);
        };
        if place.info.access == Access::WriteOnly || !address.is_multiple_of(4) {
            return (response::SLVERR, 0);
        }
        let value = match (place.context, place.info.name) {
            (None, "VERSION") => register_map::VERSION,
            (None, "BUILD") => register_map::build(4, false),
            (None, "LINK_CHECKED") => 1,
            (None, "MESSAGE_LIMIT") => self.words.get(&address).copied().unwrap_or(64),
            (Some(_), "MAX_MESSAGE_SIZE") => self.words.get(&address).copied().unwrap_or(u32::MAX),
            (Some(_), "MAX_ATOMIC_SIZE") => self.words.get(&address).copied().unwrap_or(512),
            _ => self.words.get(&address).copied().unwrap_or(0),
        };
        (response::OKAY, value)
    }

    fn write(&mut self, place: Option<&Place>, address: u16, data: u32, strobes: u8) -> u8 {
        let Some(place) = place else {
            return response::DECERR;
        };
        if place.info.access == Access::ReadOnly || !address.is_multiple_of(4) || strobes != 15 {
            return response::SLVERR;
        }
        let mask = u32::MAX >> (32 - place.info.width);
        let page = u64::from(place.context.unwrap_or(0));
        if place.portal.is_some() {
            let control = (address & !0x1C) | (4 * portal_word::CONTROL as u16);
            let enabled = self.words.get(&control) == Some(&1);
            let word = u32::from(address % 32 / 4);
            match (word, data) {
                (portal_word::OPTIONS, _) => {}
                (portal_word::CONTROL, portal_control::DISABLE | portal_control::RELEASE) => {
                    self.words.insert(control, 0);
                    return response::OKAY;
                }
                (portal_word::CONTROL, data) if data != portal_control::ENABLE => {
                    return response::OKAY;
                }
                _ if enabled => return response::SLVERR,
                _ => {}
            }
        }
        let row = u64::from(address % 0x1000);
        match (place.context, place.info.name) {
            (None, "COUNTERS_CLEAR") => return response::OKAY,
            (_, "TABLE_INVALIDATE") => {
                let (kind, index) = (u64::from(data >> 16 & 3), u64::from(data & 0xFFFF));
                if kind == 3 {
                    return response::SLVERR;
                }
                self.told
                    .push(Told::Forgotten(page << 18 | kind << 16 | index));
                return response::OKAY;
            }
            (_, "CT_INC") => {
                let (counter, amount) = (data >> 24, data & 0xFF_FFFF);
                self.told
                    .push(Told::Counted(page, counter.into(), amount.into()));
                return response::OKAY;
            }
            // No window's.
            (Some(_), "MAX_MESSAGE_SIZE") => {}
            (Some(_), "MAX_ATOMIC_SIZE") => {
                self.words.insert(address, data.min(512));
                return response::OKAY;
            }
            (Some(_), "ERROR_CAUSE" | "IRQ_STATUS") => {
                *self.words.entry(address).or_insert(0) &= !data;
                return response::OKAY;
            }
            (Some(_), name) if name.starts_with("EQ_") => {
                let word = row / 4 % 4;
                self.told.push(Told::Ring(page << 2 | word, data.into()));
            }
            (Some(_), name) if name.starts_with("CQ_") => {
                let word = row / 4 % 4;
                self.told.push(Told::Command(page << 2 | word, data.into()));
            }
            (Some(_), name) if name.contains("_BASE_") || name.ends_with("_SIZE") => {
                let (table, word) = (row / 16 % 4, row / 4 % 4);
                let place = page << 4 | table << 2 | word;
                self.told.push(Told::Table(place, data.into()));
            }
            _ => {}
        }
        self.words.insert(address, data & mask);
        response::OKAY
    }
}

#[derive(Clone, Copy, Debug)]
enum Access1 {
    Read(u16),
    Write(u16, u32, u8),
}

fn address() -> impl Strategy<Value = u16> {
    let all: Vec<u16> = places().into_keys().collect();
    let flat: Vec<u16> = all
        .iter()
        .copied()
        .filter(|at| at % 0x1000 < 0x200)
        .collect();
    let entry: Vec<u16> = (0..8)
        .map(|word| at(1, context::PORTAL + 4 * word))
        .collect();
    prop_oneof![
        6 => prop::sample::select(flat),
        3 => prop::sample::select(entry),
        2 => prop::sample::select(all),
        1 => any::<u16>(),
        1 => 0x1000u16..0x1090,
    ]
}

fn access() -> impl Strategy<Value = Access1> {
    let data = prop_oneof![3 => 0u32..4, 1 => any::<u32>(), 1 => 0x2_0000u32..0x2_0080];
    let strobes = prop_oneof![9 => Just(15u8), 1 => 0u8..16];
    prop_oneof![
        address().prop_map(Access1::Read),
        (address(), data, strobes)
            .prop_map(|(at, data, strobes)| Access1::Write(at, data, strobes)),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    #[test]
    fn behaves_like_a_list_of_words_with_owners(
        script in prop::collection::vec(access(), 1..120),
        pauses in prop::sample::select(vec![0.0, 0.5]),
        seed in any::<u32>(),
    ) {
        let places = places();
        let (mut rig, mut naive) = (Rig::new(pauses, seed.into()), Naive::default());
        for access in &script {
            match *access {
                Access1::Read(address) => rig.master.read(address),
                Access1::Write(address, data, strobes) => rig.master.write_bytes(address, data, strobes),
            }
        }
        let results = rig.finish();
        prop_assert_eq!(results.len(), script.len());
        for (access, result) in script.iter().zip(results) {
            match *access {
                Access1::Read(address) => {
                    let expected = naive.read(places.get(&(address & !3)), address);
                    prop_assert_eq!((result.resp, result.data), expected, "{:x?}", access);
                }
                Access1::Write(address, data, strobes) => {
                    let expected = naive.write(places.get(&(address & !3)), address, data, strobes);
                    prop_assert_eq!(result.resp, expected, "{:x?}", access);
                }
            }
        }
        prop_assert_eq!(rig.owners.told, naive.told);
    }
}
