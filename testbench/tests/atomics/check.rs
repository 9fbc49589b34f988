//! `AtomicCheck` against the table of Portals 4.

use xtq_rtl::atomics::atomic_check::AtomicCheck;
use xtq_types::atomic::operation as o;

use crate::hardware::{Pins, engine};
use crate::model::{DATATYPES, OPERATIONS, is_built, size_of};

/// A line of the table of Portals 4: operations, then whether they exist on integers, real and complex numbers.
const TABLE: [(&[u8], [bool; 3]); 6] = [
    (&[o::MIN, o::MAX], [true, true, false]),
    (&[o::SUM, o::PROD], [true, true, true]),
    (
        &[o::LOR, o::LAND, o::LXOR, o::BOR, o::BAND, o::BXOR],
        [true, false, false],
    ),
    (&[o::SWAP, o::CSWAP, o::CSWAP_NE], [true, true, true]),
    (
        &[o::CSWAP_LE, o::CSWAP_LT, o::CSWAP_GE, o::CSWAP_GT],
        [true, true, false],
    ),
    (&[o::MSWAP], [true, false, false]),
];

/// Column of the table in which a datatype is.
fn column(datatype: &str) -> usize {
    match datatype {
        "FLOAT" | "DOUBLE" | "LONG_DOUBLE" => 1,
        name if name.ends_with("COMPLEX") => 2,
        _ => 0,
    }
}

#[test]
fn every_pair_of_codes_is_judged_as_in_the_table_of_portals() {
    let mut pins = Pins(engine::<AtomicCheck>());
    let mut counts = [0; 3];
    for operation in 0..=255 {
        for datatype in 0..=255 {
            pins.set("operation", operation);
            pins.set("datatype", datatype);
            xtq_engine::Engine::eval(&mut pins.0).unwrap();
            let (operation, datatype) = (operation as u8, datatype as u8);
            let row = TABLE.iter().find(|(row, _)| row.contains(&operation));
            let known = DATATYPES.iter().find(|(_, code)| *code == datatype);
            let legal = row
                .zip(known)
                .is_some_and(|((_, legal), (name, _))| legal[column(name)]);
            let built = is_built(operation, datatype);
            let which = format!("operation {operation}, datatype {datatype}");
            assert_eq!(pins.get("invalid") == 1, !legal, "{which}");
            assert_eq!(pins.get("unsupported") == 1, legal && !built, "{which}");
            counts[if !legal { 0 } else { 1 + usize::from(built) }] += 1;
            assert_eq!(
                pins.get("swap") == 1,
                (o::SWAP..=o::MSWAP).contains(&operation),
                "{which}"
            );
            assert_eq!(
                pins.get("single") == 1,
                (o::CSWAP..=o::MSWAP).contains(&operation),
                "{which}"
            );
            if built {
                assert_eq!(1 << pins.get("size"), size_of(datatype), "{which}");
            }
        }
    }
    // 18 operations on 8 integers, 11 on 2 real numbers, 5 and 3 on complex ones; 11 on LONG_DOUBLE, 5 on its complex
    // type, and 2 with operands of 16 bytes.
    assert_eq!(counts[2], 18 * 8 + 11 * 2 + 5 + 3);
    assert_eq!(counts[1], 11 + 5 + 2);
}

#[test]
fn the_names_of_the_codes_are_those_of_portals() {
    let codes = OPERATIONS.iter().map(|(_, code)| *code);
    assert!(codes.eq(0..18));
    let codes = DATATYPES.iter().map(|(_, code)| *code);
    assert!(codes.eq(0..14));
}
