//! Commands about descriptors, counters, match entries, portal entries and tables.

use super::{at, is_exactly};
use crate::host::*;

#[test]
fn a_match_entry_has_every_field_at_its_place() {
    let entry = MatchEntry {
        me: Me(1),
        pt_index: Pt(2),
        list: List::Overflow,
        start: 3,
        length: 4,
        counter: Some(Ct(5)),
        user_id: Some(6),
        options: 7,
        source_node: Some(8),
        source_context: Some(3),
        match_bits: 10,
        ignore_bits: 11,
        min_free: 12,
        user_ptr: 13,
    };
    let parts: [(usize, &[u8]); 14] = [
        (0, &[24]),
        (7, &[1]),
        (16, &[13]),
        (28, &[5]),
        (30, &[1]),
        (32, &[2]),
        (34, &[8, 0, 3]),
        (40, &[7]),
        (44, &[6]),
        (48, &[10]),
        (56, &[11]),
        (64, &[3]),
        (72, &[4]),
        (80, &[12]),
    ];
    is_exactly(&ptl_me_append(&entry), &parts);
    let mut search = parts;
    (search[0].1, search[1].1, search[4].1) = (&[26], &[0], &[0]);
    is_exactly(&ptl_me_search(&entry, Search::Only), &search);
}

#[test]
fn a_source_that_is_not_given_is_any_and_no_counter_is_all_ones() {
    let append = ptl_me_append(&MatchEntry::default());
    is_exactly(
        &append,
        &[(0, &[24]), (28, &[0xff, 0xff]), (43, &[0b1110_0000])],
    );
    let one = |entry| at::<4>(&ptl_me_append(&entry), 40) >> 29;
    let default = MatchEntry::default();
    let (source_node, source_context, user_id) = (Some(0), Some(0), Some(0));
    assert_eq!(
        one(MatchEntry {
            source_node,
            ..default
        }),
        0b110
    );
    assert_eq!(
        one(MatchEntry {
            source_context,
            ..default
        }),
        0b101
    );
    assert_eq!(one(MatchEntry { user_id, ..default }), 0b011);
}

#[test]
fn counters_descriptors_and_portal_entries_have_their_fields() {
    let value = CounterValue {
        success: 0x11,
        failure: 0x22,
    };
    let ct: [(usize, &[u8]); 3] = [(28, &[5]), (56, &[0x11]), (80, &[0x22])];
    is_exactly(
        &ptl_ct_inc(Ct(5), value),
        &[&ct[..], &[(0, &[16])]].concat(),
    );
    is_exactly(
        &ptl_ct_set(Ct(5), value),
        &[&ct[..], &[(0, &[17])]].concat(),
    );
    is_exactly(&ptl_ct_get(Ct(5)), &[(0, &[18, 2]), (28, &[5])]);
    is_exactly(&ptl_ct_cancel_triggered(Ct(5)), &[(0, &[19]), (28, &[5])]);
    is_exactly(&ptl_ct_alloc(Ct(5)), &[(0, &[20]), (28, &[5])]);
    is_exactly(&ptl_ct_free(Ct(5)), &[(0, &[21]), (28, &[5])]);
    is_exactly(&ptl_me_unlink(Me(6)), &[(0, &[25]), (30, &[6])]);
    is_exactly(
        &ptl_pt_alloc(Pt(7), 5),
        &[(0, &[28]), (32, &[7]), (40, &[5])],
    );
    is_exactly(&ptl_pt_enable(Pt(7)), &[(0, &[29]), (32, &[7])]);
    is_exactly(&ptl_pt_disable(Pt(7)), &[(0, &[30]), (32, &[7])]);
    is_exactly(&ptl_pt_free(Pt(7)), &[(0, &[31]), (32, &[7])]);
    let md = MemoryDescriptor {
        md: Md(1),
        start: 2,
        length: 3,
        options: 4,
        counter: None,
    };
    let parts: [(usize, &[u8]); 6] = [
        (0, &[32]),
        (24, &[1]),
        (28, &[0xff, 0xff]),
        (40, &[4]),
        (64, &[2]),
        (72, &[3]),
    ];
    is_exactly(&ptl_md_bind(&md), &parts);
    is_exactly(&ptl_md_release(Md(1)), &[(0, &[33]), (24, &[1])]);
    is_exactly(&fence(), &[(0, &[9])]);
    is_exactly(&nop(), &[]);
}

#[test]
fn a_registration_carries_the_table_entry_in_its_second_half() {
    let kernel = Kernel {
        kernel: 0x11,
        kernarg_size: 24,
        rewrite_offset: 8,
        buffer_pointer: 0x22,
        completion_signal: 0,
    };
    let parts: [(usize, &[u8]); 7] = [
        (0, &[40]),
        (30, &[42]),
        (64, &[0b0011]),
        (68, &[24]),
        (72, &[8]),
        (80, &[0x11]),
        (88, &[0x22]),
    ];
    is_exactly(&xtq_register_kernel(42, &kernel), &parts);
    let small = Kernel {
        kernarg_size: 15,
        completion_signal: 1,
        ..Kernel::default()
    };
    assert_eq!(at::<1>(&xtq_register_kernel(0, &small), 64), 0b1101);
    let function = Function {
        function: 0x11,
        buffer_pointer: 0,
    };
    is_exactly(
        &xtq_register_function(42, &function),
        &[(0, &[41]), (30, &[42]), (64, &[1]), (72, &[0x11])],
    );
    let queue = HostQueue {
        base: 1,
        size: 2,
        write_index_address: 3,
        read_index_address: 4,
        doorbell_address: 5,
        doorbell_plus_one: true,
        shared: true,
    };
    let parts: [(usize, &[u8]); 8] = [
        (0, &[42]),
        (30, &[42]),
        (64, &[0b111]),
        (68, &[2]),
        (72, &[1]),
        (80, &[3]),
        (88, &[4]),
        (96, &[5]),
    ];
    is_exactly(&xtq_register_queue(42, &queue), &parts);
}
