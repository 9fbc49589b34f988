//! Encodings against literal tables of the HSA specification.

use proptest::prelude::*;
use std::collections::BTreeMap;
use xtq_testbench::aql::{AqlError, Header, Layout, decode, encode, slot_address};

/// Offsets and widths as the specification's table gives them, row by row.
fn specified(layout: Layout) -> Vec<(&'static str, usize, usize)> {
    let dispatch_tail = [("reserved2", 48, 8), ("completion_signal", 56, 8)];
    let mut table = match layout {
        Layout::KernelDispatch => vec![
            ("header", 0, 2),
            ("setup", 2, 2),
            ("workgroup_size_x", 4, 2),
            ("workgroup_size_y", 6, 2),
            ("workgroup_size_z", 8, 2),
            ("reserved0", 10, 2),
            ("grid_size_x", 12, 4),
            ("grid_size_y", 16, 4),
            ("grid_size_z", 20, 4),
            ("private_segment_size", 24, 4),
            ("group_segment_size", 28, 4),
            ("kernel_object", 32, 8),
            ("kernarg_address", 40, 8),
        ],
        Layout::AgentDispatch => vec![
            ("header", 0, 2),
            ("type", 2, 2),
            ("reserved0", 4, 4),
            ("return_address", 8, 8),
            ("arg0", 16, 8),
            ("arg1", 24, 8),
            ("arg2", 32, 8),
            ("arg3", 40, 8),
        ],
        Layout::BarrierAnd | Layout::BarrierOr => vec![
            ("header", 0, 2),
            ("reserved0", 2, 2),
            ("reserved1", 4, 4),
            ("dep0", 8, 8),
            ("dep1", 16, 8),
            ("dep2", 24, 8),
            ("dep3", 32, 8),
            ("dep4", 40, 8),
        ],
        Layout::HsaQueue => {
            return vec![
                ("type", 0, 4),
                ("features", 4, 4),
                ("base_address", 8, 8),
                ("doorbell_signal", 16, 8),
                ("size", 24, 4),
                ("reserved1", 28, 4),
                ("id", 32, 8),
            ];
        }
    };
    table.extend(dispatch_tail);
    table
}

#[test]
fn every_field_is_where_the_specification_puts_it() {
    for layout in Layout::ALL {
        let table: Vec<_> = layout
            .fields()
            .iter()
            .map(|f| (f.name, f.offset, f.width))
            .collect();
        assert_eq!(table, specified(layout), "{layout:?}");
    }
}

#[test]
fn the_fields_of_a_layout_cover_every_byte_once() {
    for layout in Layout::ALL {
        let mut next = 0;
        for field in layout.fields() {
            assert_eq!(field.offset, next, "{layout:?} {}", field.name);
            next += field.width;
        }
        assert_eq!(next, layout.size(), "{layout:?}");
    }
    assert_eq!(Layout::KernelDispatch.size(), 64);
    assert_eq!(Layout::HsaQueue.size(), 40);
}

#[test]
fn the_specification_s_header_examples_are_met() {
    let word = |kind, barrier, acquire, release| {
        let header = Header {
            kind,
            barrier,
            acquire,
            release,
            reserved: 0,
        };
        header.to_word().unwrap()
    };
    assert_eq!(word(2, true, 2, 2), 0x1502);
    assert_eq!(word(2, false, 2, 2), 0x1402);
    assert_eq!(word(4, false, 1, 1), 0x0a04);
    assert_eq!(word(3, true, 0, 2), 0x1103);
}

#[test]
fn every_header_word_survives_decoding_and_encoding() {
    for word in 0..=u16::MAX {
        assert_eq!(Header::from_word(word).to_word(), Ok(word));
    }
}

#[test]
fn header_fields_wider_than_their_bits_are_refused() {
    let wide = |header: Header| header.to_word().unwrap_err().to_string();
    let none = Header::default();
    assert_eq!(
        wide(Header { acquire: 4, ..none }),
        "4 does not fit the 2-bit field 'acquire'"
    );
    assert_eq!(
        wide(Header { release: 7, ..none }),
        "7 does not fit the 2-bit field 'release'"
    );
    assert_eq!(
        wide(Header {
            reserved: 8,
            ..none
        }),
        "8 does not fit the 3-bit field 'reserved'"
    );
}

#[test]
fn packet_types_have_their_layouts() {
    let layouts = (0..=255).map(Layout::of_packet_type).collect::<Vec<_>>();
    assert_eq!(layouts[2], Some(Layout::KernelDispatch));
    assert_eq!(layouts[3], Some(Layout::BarrierAnd));
    assert_eq!(layouts[4], Some(Layout::AgentDispatch));
    assert_eq!(layouts[5], Some(Layout::BarrierOr));
    assert_eq!(layouts.iter().flatten().count(), 4);
}

#[test]
fn a_field_that_does_not_exist_or_fit_is_refused_by_name() {
    let unknown = encode(Layout::BarrierAnd, [("arg0", 1)]).unwrap_err();
    assert!(
        unknown
            .to_string()
            .starts_with("barrier_and has no field 'arg0' (it has header,")
    );
    let wide = encode(Layout::KernelDispatch, [("grid_size_x", 1 << 32)]).unwrap_err();
    let expected = AqlError::TooWide {
        field: "grid_size_x".to_owned(),
        bits: 32,
        value: 1 << 32,
    };
    assert_eq!(wide, expected);
    assert!(encode(Layout::KernelDispatch, [("kernel_object", u64::MAX)]).is_ok());
}

#[test]
fn decoding_wants_the_exact_size() {
    for layout in Layout::ALL {
        let size = layout.size();
        assert!(decode(layout, &vec![0; size]).is_ok());
        for wrong in [0, size - 1, size + 1] {
            let fault = decode(layout, &vec![0; wrong]).unwrap_err().to_string();
            assert_eq!(
                fault,
                format!("{} is {size} bytes, not {wrong}", layout.name())
            );
        }
    }
}

#[test]
fn slots_repeat_every_size_packets_and_never_overflow() {
    assert_eq!(slot_address(0x1_0000, 4, 0), Some(0x1_0000));
    assert_eq!(slot_address(0x1_0000, 4, 7), Some(0x1_00c0));
    assert_eq!(slot_address(0x1_0000, 1, u64::MAX), Some(0x1_0000));
    assert_eq!(slot_address(64, 64, u64::MAX), Some(64 + 63 * 64));
    assert_eq!(slot_address(64, 0, 5), None);
    assert_eq!(slot_address(u64::MAX - 127, 2, 1), Some(u64::MAX - 63));
    assert_eq!(slot_address(u64::MAX - 63, 2, 1), None);
    assert_eq!(slot_address(0, u64::MAX, u64::MAX - 1), None);
}

fn any_layout() -> impl Strategy<Value = Layout> {
    prop::sample::select(Layout::ALL.to_vec())
}

proptest! {
    #[test]
    fn decoded_bytes_encode_to_themselves(layout in any_layout(), bytes in prop::collection::vec(any::<u8>(), 64)) {
        let bytes = &bytes[..layout.size()];
        let fields = decode(layout, bytes).unwrap();
        prop_assert_eq!(encode(layout, fields).unwrap(), bytes);
    }

    #[test]
    fn encoded_fields_lie_little_endian_at_their_place_and_all_else_is_0(
        layout in any_layout(),
        place in any::<prop::sample::Index>(),
        value in any::<u64>(),
    ) {
        let table = specified(layout);
        let (name, offset, width) = *place.get(&table);
        let value = value >> (64 - 8 * width);
        let bytes = encode(layout, [(name, value)]).unwrap();
        for (i, &byte) in bytes.iter().enumerate() {
            let inside = (offset..offset + width).contains(&i);
            let expected = if inside { (value >> (8 * (i - offset))) as u8 } else { 0 };
            prop_assert_eq!(byte, expected, "byte {}", i);
        }
        let back = decode(layout, &bytes).unwrap();
        let named: BTreeMap<_, _> = back.into_iter().filter(|&(_, v)| v != 0).collect();
        prop_assert_eq!(named.get(name).copied().unwrap_or(0), value);
        prop_assert_eq!(named.len(), usize::from(value != 0));
    }
}
