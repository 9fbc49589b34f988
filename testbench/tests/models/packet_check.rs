//! Which packets are malformed.

use xtq_testbench::aql::{Layout, Packet, encode};
use xtq_testbench::packet_check::Checks::{Format, FormatAndSizes};
use xtq_testbench::packet_check::{Malformed, check_packet};

/// A packet with these fields on top of a one-dimensional kernel, or of nothing.
fn packet(layout: Layout, changes: &[(&str, u64)]) -> Packet {
    let kernel = [
        ("header", 0x1402),
        ("setup", 1),
        ("workgroup_size_x", 64),
        ("workgroup_size_y", 1),
        ("workgroup_size_z", 1),
        ("grid_size_x", 256),
        ("grid_size_y", 1),
        ("grid_size_z", 1),
    ];
    let base: &[(&str, u64)] = match layout {
        Layout::KernelDispatch => &kernel,
        Layout::AgentDispatch => &[("header", 4)],
        Layout::BarrierAnd => &[("header", 3)],
        _ => &[("header", 5)],
    };
    let bytes = encode(layout, base.iter().chain(changes).copied()).expect("the fields exist");
    bytes.try_into().expect("packets are 64 bytes")
}

fn kernel(changes: &[(&str, u64)]) -> Packet {
    packet(Layout::KernelDispatch, changes)
}

#[test]
fn well_formed_packets_of_all_four_formats_pass() {
    for layout in &Layout::ALL[..4] {
        assert_eq!(check_packet(&packet(*layout, &[]), FormatAndSizes), Ok(()));
    }
    let all_dimensions = [
        ("setup", 3),
        ("workgroup_size_y", 4),
        ("workgroup_size_z", 2),
        ("grid_size_y", 512),
        ("grid_size_z", 2),
    ];
    assert_eq!(
        check_packet(&kernel(&all_dimensions), FormatAndSizes),
        Ok(())
    );
}

#[test]
fn the_specification_s_examples_of_header_words_pass() {
    for (layout, header) in [
        (Layout::KernelDispatch, 0x1502),
        (Layout::AgentDispatch, 0x0a04),
        (Layout::BarrierAnd, 0x1103),
    ] {
        let packet = packet(layout, &[("header", header)]);
        assert_eq!(check_packet(&packet, FormatAndSizes), Ok(()));
    }
}

#[test]
fn a_zeroed_slot_is_vendor_specific_and_malformed_here() {
    assert_eq!(
        check_packet(&[0; 64], Format),
        Err(Malformed::VendorSpecific)
    );
}

#[test]
fn every_type_from_6_is_unknown() {
    for kind in 6..=255 {
        let mut packet = kernel(&[]);
        packet[0] = kind;
        assert_eq!(
            check_packet(&packet, Format),
            Err(Malformed::UnknownType(kind))
        );
    }
}

#[test]
fn fence_scope_3_is_undefined() {
    let acquire = kernel(&[("header", 2 | 3 << 9)]);
    assert_eq!(
        check_packet(&acquire, Format),
        Err(Malformed::FenceScope("acquire"))
    );
    let release = kernel(&[("header", 2 | 3 << 11)]);
    assert_eq!(
        check_packet(&release, Format),
        Err(Malformed::FenceScope("release"))
    );
}

#[test]
fn every_reserved_field_and_bit_must_be_0() {
    for layout in &Layout::ALL[..4] {
        for field in layout.fields().iter().filter(|f| f.is_reserved()) {
            let packet = packet(*layout, &[(field.name, 1)]);
            let fault = Malformed::Reserved {
                field: field.name,
                value: 1,
            };
            assert_eq!(check_packet(&packet, Format), Err(fault));
        }
    }
    for bit in 13..16 {
        let packet = kernel(&[("header", 2 | 1 << bit)]);
        let fault = Malformed::Reserved {
            field: "header",
            value: 1 << (bit - 13),
        };
        assert_eq!(check_packet(&packet, Format), Err(fault));
    }
    for bit in 2..16 {
        let packet = kernel(&[("setup", 1 | 1 << bit)]);
        let fault = Malformed::Reserved {
            field: "setup",
            value: 1 << (bit - 2),
        };
        assert_eq!(check_packet(&packet, Format), Err(fault));
    }
}

#[test]
fn the_queue_index_left_in_reserved2_is_malformed() {
    let fault = check_packet(&kernel(&[("reserved2", 5)]), Format).unwrap_err();
    assert_eq!(
        fault.to_string(),
        "reserved field 'reserved2' is 0x5, not 0"
    );
}

#[test]
fn a_kernel_has_at_least_one_dimension() {
    assert_eq!(
        check_packet(&kernel(&[("setup", 0)]), Format),
        Err(Malformed::NoDimensions)
    );
}

#[test]
fn sizes_are_checked_only_when_asked_for() {
    for (changes, message) in [
        (
            &[("workgroup_size_x", 0)][..],
            "workgroup_size_x is 0, but a work-group has at least 1 work-item",
        ),
        (
            &[("workgroup_size_z", 0)],
            "workgroup_size_z is 0, but a work-group has at least 1 work-item",
        ),
        (
            &[("workgroup_size_y", 2)],
            "workgroup_size_y is 2, but an unused dimension is exactly 1",
        ),
        (
            &[("grid_size_y", 2)],
            "grid_size_y is 2, but an unused dimension is exactly 1",
        ),
        (
            &[("grid_size_z", 0)],
            "grid_size_z is 0, but an unused dimension is exactly 1",
        ),
        (
            &[("setup", 2), ("grid_size_z", 7)],
            "grid_size_z is 7, but an unused dimension is exactly 1",
        ),
        (
            &[("grid_size_x", 63)],
            "grid_size_x is 63, but a grid is not smaller than its work-group",
        ),
        (
            &[("setup", 2), ("grid_size_y", 0)],
            "grid_size_y is 0, but a grid is not smaller than its work-group",
        ),
    ] {
        let packet = kernel(changes);
        assert_eq!(
            check_packet(&packet, FormatAndSizes)
                .unwrap_err()
                .to_string(),
            message
        );
        assert_eq!(check_packet(&packet, Format), Ok(()));
    }
}
