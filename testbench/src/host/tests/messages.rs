//! Commands that send messages, and their triggered forms.

use super::{at, is_exactly};
use crate::host::*;

fn put() -> Put {
    Put {
        md: Md(0x3a),
        local_offset: 0x0102_0304_0506_0708,
        length: 0x1112_1314_1516_1718,
        ack: AckRequest::Oc,
        target: ProcessId {
            node: 0x2122,
            context: 3,
        },
        pt_index: Pt(0x4142),
        match_bits: 0x5152_5354_5556_5758,
        remote_offset: 0x6162_6364_6566_6768,
        user_ptr: 0x7172_7374_7576_7778,
        hdr_data: 0x8182_8384_8586_8788,
    }
}

/// What a put and all that is like it have in common.
const PUT_PARTS: [(usize, &[u8]); 10] = [
    (4, &[3]),
    (16, &[0x78, 0x77, 0x76, 0x75, 0x74, 0x73, 0x72, 0x71]),
    (24, &[0x3a]),
    (32, &[0x42, 0x41]),
    (34, &[0x22, 0x21, 3]),
    (48, &[0x58, 0x57, 0x56, 0x55, 0x54, 0x53, 0x52, 0x51]),
    (56, &[0x88, 0x87, 0x86, 0x85, 0x84, 0x83, 0x82, 0x81]),
    (64, &[8, 7, 6, 5, 4, 3, 2, 1]),
    (72, &[0x18, 0x17, 0x16, 0x15, 0x14, 0x13, 0x12, 0x11]),
    (80, &[0x68, 0x67, 0x66, 0x65, 0x64, 0x63, 0x62, 0x61]),
];

fn with(parts: &[(usize, &'static [u8])]) -> Vec<(usize, &'static [u8])> {
    [&PUT_PARTS[..], parts].concat()
}

#[test]
fn a_put_has_every_field_at_its_place_and_nothing_else() {
    is_exactly(&ptl_put(&put()), &with(&[(0, &[1])]));
}

#[test]
fn atomics_add_operation_and_datatype_and_fetches_the_second_descriptor() {
    let atomic = Atomic {
        put: put(),
        operation: AtomicOp::Bxor,
        datatype: Datatype::Int32,
    };
    is_exactly(&ptl_atomic(&atomic), &with(&[(0, &[4]), (5, &[9, 4])]));
    let fetch = FetchAtomic {
        get_md: Md(0x15),
        local_get_offset: 0x99,
        put: put(),
        operation: AtomicOp::Mswap,
        datatype: Datatype::Double,
    };
    let second: [(usize, &[u8]); 4] = [(4, &[0]), (5, &[17, 9]), (26, &[0x15]), (88, &[0x99])];
    is_exactly(
        &ptl_fetch_atomic(&fetch),
        &with(&[&second[..], &[(0, &[5])]].concat()),
    );
    let swap = Swap {
        fetch,
        operand: 0xa1a2,
    };
    is_exactly(
        &ptl_swap(&swap),
        &with(&[&second[..], &[(0, &[6]), (96, &[0xa2, 0xa1])]].concat()),
    );
}

#[test]
fn a_get_names_its_descriptor_as_the_second() {
    let get = ptl_get(&Get {
        md: Md(5),
        local_offset: 6,
        length: 7,
        target: ProcessId {
            node: 8,
            context: 1,
        },
        pt_index: Pt(9),
        match_bits: 10,
        remote_offset: 11,
        user_ptr: 12,
    });
    let parts: [(usize, &[u8]); 9] = [
        (0, &[2]),
        (16, &[12]),
        (26, &[5]),
        (32, &[9]),
        (34, &[8, 0, 1]),
        (48, &[10]),
        (72, &[7]),
        (80, &[11]),
        (88, &[6]),
    ];
    is_exactly(&get, &parts);
}

#[test]
fn an_xtq_put_gathers_command_and_payload() {
    let task = xtq_put(&XtqPut {
        command_md: Md(1),
        command_offset: 0x40,
        command_length: 0x160,
        payload: Put {
            md: Md(2),
            local_offset: 0x30,
            length: 0x20,
            ..Put::default()
        },
    });
    let parts: [(usize, &[u8]); 7] = [
        (0, &[8]),
        (24, &[1]),
        (26, &[2]),
        (38, &[0x60, 1]),
        (64, &[0x40]),
        (72, &[0x20]),
        (88, &[0x30]),
    ];
    is_exactly(&task, &parts);
}

#[test]
fn a_triggered_command_differs_from_the_command_in_flag_counter_and_threshold_only() {
    let trigger = Trigger {
        counter: Ct(0x3f),
        threshold: 0x0102_0304_0506_0708,
    };
    let value = CounterValue {
        success: 1,
        failure: 0,
    };
    let entry = MatchEntry::default();
    let fetch = FetchAtomic::default();
    let pairs = [
        (ptl_put(&put()), ptl_triggered_put(&put(), trigger)),
        (
            ptl_get(&Get::default()),
            ptl_triggered_get(&Get::default(), trigger),
        ),
        (
            ptl_atomic(&Atomic::default()),
            ptl_triggered_atomic(&Atomic::default(), trigger),
        ),
        (
            ptl_fetch_atomic(&fetch),
            ptl_triggered_fetch_atomic(&fetch, trigger),
        ),
        (
            ptl_swap(&Swap::default()),
            ptl_triggered_swap(&Swap::default(), trigger),
        ),
        (
            ptl_ct_inc(Ct(1), value),
            ptl_triggered_ct_inc(Ct(1), value, trigger),
        ),
        (
            ptl_ct_set(Ct(1), value),
            ptl_triggered_ct_set(Ct(1), value, trigger),
        ),
        (
            ptl_me_append(&entry),
            ptl_triggered_me_append(&entry, trigger),
        ),
        (
            ptl_me_unlink(Me(2)),
            ptl_triggered_me_unlink(Me(2), trigger),
        ),
        (
            xtq_put(&XtqPut::default()),
            xtq_triggered_put(&XtqPut::default(), trigger),
        ),
    ];
    for (now, later) in pairs {
        let mut wanted = *now.bytes();
        wanted[1] = 1;
        wanted[2] = 0x3f;
        wanted[8..16].copy_from_slice(&[8, 7, 6, 5, 4, 3, 2, 1]);
        assert_eq!(later.bytes(), &wanted);
    }
    let both = nop().with_completion().triggered(trigger).with_user_ptr(9);
    assert_eq!((at::<1>(&both, 1), at::<8>(&both, 16)), (3, 9));
}
