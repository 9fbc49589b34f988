//! The register map as a list of addresses, and `RegisterDecoder` against it, address by address.

use std::collections::BTreeMap;
use xtq_engine::EngineKind;
use xtq_engine::blocks;

use xtq_engine::Engine;
use xtq_testbench::bus::Pin;
use xtq_types::register_list::{
    Access, CONTEXT_REGISTERS, COUNTERS, GLOBAL_INITIATOR_REGISTERS, GLOBAL_REGISTERS,
    INITIATOR_REGISTERS, PORTAL_REGISTERS, RegisterInfo,
};
use xtq_types::register_map::{CONTEXTS, PORTALS, build, global};

/// One register of one context or portal entry.
#[derive(Clone, Copy, Debug)]
pub struct Place {
    pub info: RegisterInfo,
    /// `None`: global.
    pub context: Option<u32>,
    pub portal: Option<u32>,
}

/// Every register by its address.
pub fn places() -> BTreeMap<u16, Place> {
    let mut places = BTreeMap::new();
    let mut add = |address, info: RegisterInfo, context, portal| {
        let place = Place {
            info,
            context,
            portal,
        };
        assert!(
            places.insert(address, place).is_none(),
            "{} stands where another register stands",
            info.name
        );
    };
    for info in GLOBAL_REGISTERS
        .into_iter()
        .chain(GLOBAL_INITIATOR_REGISTERS)
    {
        add(info.global_address(), info, None, None);
    }
    for (i, (name, doc)) in COUNTERS.into_iter().enumerate() {
        let info = RegisterInfo {
            name,
            offset: global::COUNTERS + 4 * i as u32,
            access: Access::ReadOnly,
            width: 32,
            doc,
        };
        add(info.global_address(), info, None, None);
    }
    for context in 0..CONTEXTS {
        for info in CONTEXT_REGISTERS.into_iter().chain(INITIATOR_REGISTERS) {
            add(info.context_address(context), info, Some(context), None);
        }
        for portal in 0..PORTALS {
            for info in PORTAL_REGISTERS {
                let address = info.portal_address(context, portal);
                add(address, info, Some(context), Some(portal));
            }
        }
    }
    places
}

#[test]
fn a_build_says_how_many_contexts_it_has() {
    assert_eq!(said_by("identity_2"), [build(2, false).into(), 2]);
    assert_eq!(said_by("identity"), [build(4, false).into(), 4]);
}

/// BUILD and the number of contexts that this block gives.
fn said_by(name: &str) -> [u64; 2] {
    let mut block = blocks::engine(name, EngineKind::Jit).unwrap();
    block.eval().expect("settles");
    ["build", "contexts"].map(|name| Pin::any(&block, name).expect("is a port").get(&block))
}

#[test]
fn every_address_is_decoded_as_the_map_says() {
    for contexts in [CONTEXTS / 2, CONTEXTS] {
        is_decoded_as_the_map_says(contexts);
    }
}

/// Hardware with so many contexts.
fn is_decoded_as_the_map_says(contexts: u32) {
    let mut places = places();
    places.retain(|address, place| {
        let user = (u32::from(*address)).wrapping_sub(global::USER_ID) / 4;
        let of = place.context.or((user < CONTEXTS).then_some(user));
        of.is_none_or(|of| of < contexts)
    });
    let mut engine =
        blocks::engine("register_decoder", EngineKind::Jit).expect("the ports are complete");
    let pin = |name: &str| Pin::any(&engine, name).expect("is a port");
    let (address, context, ring_word) = (pin("address"), pin("owner"), pin("ring_word"));
    let (readable, writable) = (pin("readable"), pin("writable"));
    let initiator = Pin::any(&engine, "initiator").expect("is a port");
    initiator.set(&mut engine, 1).expect("is an input");
    let there = Pin::any(&engine, "contexts").expect("is a port");
    there
        .set(&mut engine, contexts.into())
        .expect("is an input");
    for at in 0..=u16::MAX {
        // Every register, and around each page's registers every byte; the rest of the pages in steps.
        let near = at & 0xFFF < 0xC0 || (0x1FC..0x210).contains(&(at & 0xFFF));
        if !near && at % 61 != 0 && !places.contains_key(&at) {
            continue;
        }
        address.set(&mut engine, at.into()).expect("is an input");
        engine.eval().expect("settles");
        let known = engine.peek("kind").expect("is a signal")[0] != 0;
        let place = places.get(&(at & !3));
        assert_eq!(known, place.is_some(), "address {at:#06x}");
        let Some(place) = place else { continue };
        let (aligned, access) = (at % 4 == 0, place.info.access);
        let allowed = (
            aligned && access != Access::WriteOnly,
            aligned && access != Access::ReadOnly,
        );
        let got = (readable.is_high(&engine), writable.is_high(&engine));
        assert_eq!(got, allowed, "address {at:#06x}, {}", place.info.name);
        if let Some(expected) = place.context {
            assert_eq!(
                context.get(&engine),
                u64::from(expected),
                "address {at:#06x}"
            );
        }
        let ring = [
            "BASE_LO", "BASE_HI", "SIZE", "CONSUMER", "PRODUCER", "DROPPED",
        ];
        let ring = ring
            .iter()
            .position(|word| place.info.name == format!("EQ_{word}"));
        let command = ["BASE_LO", "BASE_HI", "SIZE", "TAIL", "HEAD"];
        let command = command
            .iter()
            .position(|word| place.info.name == format!("CQ_{word}"));
        let ring = ring.or(command);
        if let Some(word) = ring {
            assert_eq!(ring_word.get(&engine), word as u64, "address {at:#06x}");
        }
    }
}
