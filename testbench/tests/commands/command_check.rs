//! `CommandCheck` against the list of rules, operation by operation.

use proptest::prelude::*;
use xtq_types::command::{Command, MAX_PIECES, command_status as status, flag, operation as op};
use xtq_types::counter::counter_operation as act;
use xtq_types::matching::match_op;

use xtq_testbench::by_name::{Hardware, pack};

/// Every operation comes in the random commands below; one that this model does not know fails here.
#[test]
fn every_operation_has_a_kind() {
    for code in op::CODES {
        naive_kind(code.value as u8, 0);
        assert!(code.value < 48, "{} is seldom drawn", code.name);
    }
}

/// What is reported about a command of a context with so many counters: status, and for a message its bytes.
fn naive(
    counters: u64,
    operation: u8,
    flags: u8,
    unread: bool,
    fields: &[(&str, u64)],
) -> (u8, Option<u64>) {
    let get = |name: &str| fields.iter().find(|f| f.0 == name).map_or(0, |f| f.1);
    if unread {
        return (status::MEMORY_ERROR, None);
    }
    if !op::CODES
        .iter()
        .any(|code| code.value == u64::from(operation))
    {
        return (status::BAD_OPERATION, None);
    }
    let triggered = flags & flag::TRIGGERED != 0;
    if flags & flag::REARM != 0 && (!triggered || get("threshold") >> 48 == 0) {
        return (status::BAD_ARGUMENT, None);
    }
    let xtq = operation == op::XTQ_PUT;
    let atomic = (op::ATOMIC..=op::SWAP).contains(&operation);
    let sends = xtq || atomic || operation == op::PUT || operation == op::GET;
    let counter = get("counter");
    let counts = (op::CT_INC..=op::CT_FREE).contains(&operation);
    if sends
        && (get("ack_request") > 3 || get("context") > 3 || (xtq && get("command_length") < 64))
    {
        return (status::BAD_ARGUMENT, None);
    }
    if atomic && let Some(wrong) = naive_atomic(operation, &get) {
        return (wrong, None);
    }
    let entry = [op::ME_APPEND, op::ME_SEARCH].contains(&operation);
    if entry && get("list") > 1 {
        return (status::BAD_ARGUMENT, None);
    }
    let may_count = entry || operation == op::MD_BIND;
    if counts && counter >= counters || may_count && counter >= counters && counter != 0xffff {
        return (status::BAD_COUNTER, None);
    }
    if may_count && get("options") & 1 == 1 {
        if get("start") % 8 != 0 {
            return (status::BAD_ARGUMENT, None);
        }
        if get("length") > MAX_PIECES {
            return (status::TOO_MANY_PIECES, None);
        }
    }
    let total = u128::from(get("length"))
        + if xtq {
            u128::from(get("command_length"))
        } else {
            0
        };
    if sends && total > u32::MAX.into() {
        return (status::TOO_LONG, None);
    }
    if flags & flag::TRIGGERED != 0 {
        if get("trigger_counter") >= counters {
            return (status::BAD_COUNTER, None);
        }
    }
    (status::OK, sends.then_some(total as u64))
}

/// Place in `CommandKind` of what an operation does at once, and the code that goes with it: `act` of a counter,
/// `list_op` of a list.
fn naive_kind(operation: u8, list: u64) -> (u64, Option<u8>) {
    match operation {
        op::NOP => (0, None),
        op::PUT | op::GET | op::ATOMIC | op::FETCH_ATOMIC | op::SWAP | op::XTQ_PUT => (1, None),
        op::FENCE => (2, None),
        op::MD_BIND => (3, None),
        op::MD_RELEASE => (4, None),
        op::XTQ_REGISTER_KERNEL | op::XTQ_REGISTER_FUNCTION | op::XTQ_REGISTER_QUEUE => (5, None),
        op::CT_INC => (6, Some(act::INC)),
        op::CT_SET => (6, Some(act::SET)),
        op::CT_GET => (6, Some(act::GET)),
        op::CT_ALLOC => (6, Some(act::ALLOC)),
        op::CT_FREE => (6, Some(act::FREE)),
        op::CT_CANCEL => (7, None),
        op::ME_APPEND => (8, Some(match_op::ME_APPEND)),
        op::ME_UNLINK => (8, Some(match_op::ME_UNLINK)),
        op::ME_SEARCH if list == 1 => (8, Some(match_op::ME_SEARCH_DELETE)),
        op::ME_SEARCH => (8, Some(match_op::ME_SEARCH_ONLY)),
        op::PT_ALLOC => (8, Some(match_op::PT_ALLOC)),
        op::PT_ENABLE => (8, Some(match_op::PT_ENABLE)),
        op::PT_DISABLE => (8, Some(match_op::PT_DISABLE)),
        op::PT_FREE => (8, Some(match_op::PT_FREE)),
        other => panic!("operation {other} is not in naive_kind"),
    }
}

#[test]
fn an_operation_is_of_the_class_of_its_kind() {
    let mut hardware = Hardware::block("command_class");
    for operation in 0..=u8::MAX {
        let known = op::CODES
            .iter()
            .any(|code| code.value == u64::from(operation));
        let kind = known.then(|| naive_kind(operation, 0).0);
        hardware.drive("operation", operation);
        hardware.eval();
        let classes = [hardware.high("sends"), hardware.high("lists")];
        assert_eq!(classes, [kind == Some(1), kind == Some(8)], "{operation}");
    }
}

/// What is wrong with an atomic: the tables of Portals 4, and its length.
fn naive_atomic(command: u8, get: &dyn Fn(&str) -> u64) -> Option<u8> {
    let (what, of, length) = (get("atomic"), get("datatype"), get("length"));
    // Bytes of a datum; whether it is an integer, a complex number, and built. An operand has eight bytes.
    let operand = [11, 12].contains(&what);
    let (size, integer, complex, built) = match of {
        0 | 1 => (1, true, false, true),
        2 | 3 => (2, true, false, true),
        4 | 5 => (4, true, false, true),
        7 | 8 => (8, true, false, true),
        6 => (4, false, false, true),
        9 => (8, false, false, true),
        10 => (8, false, true, true),
        11 => (16, false, true, !operand),
        12 => (16, false, false, false),
        13 => (32, false, true, false),
        _ => return Some(status::BAD_ARGUMENT),
    };
    let known = match what {
        // SUM, PROD, SWAP, CSWAP, CSWAP_NE
        2 | 3 | 10..=12 => true,
        // MIN, MAX, CSWAP_LE to CSWAP_GT
        0 | 1 | 13..=16 => !complex,
        // Logical, bitwise, MSWAP
        4..=9 | 17 => integer,
        _ => false,
    };
    if !known || (what >= 10) != (command == op::SWAP) {
        return Some(status::BAD_ARGUMENT);
    }
    if !built {
        return Some(status::UNSUPPORTED);
    }
    if length > 512 {
        return Some(status::TOO_LONG);
    }
    let single = what > 10;
    if length % size != 0 || (single && length != size) {
        return Some(status::BAD_ARGUMENT);
    }
    None
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    #[test]
    fn every_command_is_judged_by_the_first_rule_that_applies(
        large: bool, script in prop::collection::vec((
            prop_oneof![3 => 0u8..48, 6 => op::ATOMIC..=op::SWAP, 2 => Just(op::PUT), 2 => Just(op::GET), 2 => Just(op::XTQ_PUT), 2 => op::ME_APPEND..=op::PT_FREE, 1 => any::<u8>()],
            prop_oneof![3 => 0u8..4, 2 => 0u8..8],
            prop::bool::weighted(0.05),
            (0u64..6, 0u64..6, prop_oneof![0u64..200, 0u64..0x1_0000], prop_oneof![0u64..70, 250u64..260, Just(0xffff), 0u64..0x1_0000]),
            prop_oneof![0u64..10_000, prop::sample::select(vec![0u64, 1, 2, 4, 8, 16, 504, 512, 513, 520, 1024, 1025]), 0xffff_0000u64..0x1_0000_0100, (0u64..0x1_0000).prop_map(|upper| upper << 16 | 0xffff), any::<u64>()],
            prop_oneof![9 => 0u64..64, 2 => 64u64..260, 1 => 64u64..0x1_0000],
            (prop_oneof![3 => 0u64..2, 1 => 2u64..256], any::<u32>(), prop::bool::weighted(0.2)),
            (prop_oneof![Just(0u64), 0u64..1 << 48, any::<u64>(), (0u64..16).prop_map(|bit| 1 << (48 + bit))], prop_oneof![9 => 0u64..18, 1 => 0u64..256], prop_oneof![9 => 0u64..10, 3 => 0u64..14, 1 => 0u64..256]),
        ), 50..200),
    ) {
        // The default, and one with 256 counters for each context.
        let (block, counters) = if large { ("command_check_2", 256) } else { ("command_check", 64) };
        let mut hardware = Hardware::block(block);
        for (operation, flags, unread, (ack, context, command_length, counter), length, trigger, (list, options, iovec), (threshold, atomic, datatype)) in script {
            let options = u64::from(options & !1) | u64::from(iovec);
            let fields = [
                ("operation", operation.into()),
                ("flags", flags.into()),
                ("ack_request", ack),
                ("context", context),
                ("command_length", command_length),
                ("counter", counter),
                ("trigger_counter", trigger),
                ("threshold", threshold),
                ("length", length),
                ("list", list),
                ("atomic", atomic),
                ("datatype", datatype),
                ("options", options),
                ("start", if options % 5 == 1 { options >> 3 } else { options >> 3 << 3 }),
            ];
            hardware.set("command", &pack(Command::FIELDS, &fields));
            hardware.set("unread", &[unread.into()]);
            hardware.eval();
            let (expected, total) = naive(counters, operation, flags, unread, &fields);
            prop_assert_eq!(hardware.get("status"), [u64::from(expected)], "{:?}", fields);
            if let Some(total) = total {
                prop_assert_eq!(hardware.get("total"), [total]);
                let xtq = operation == op::XTQ_PUT;
                prop_assert_eq!(hardware.high("xtq"), xtq);
                prop_assert_eq!(hardware.high("get"), operation == op::GET);
                let fetch = [op::FETCH_ATOMIC, op::SWAP].contains(&operation);
                prop_assert_eq!(hardware.high("fetch"), fetch);
                prop_assert_eq!(hardware.high("single"), operation == op::SWAP && atomic > 10);
                prop_assert_eq!(hardware.high("two"), (xtq && length > 0) || fetch);
            }
            if expected == status::OK {
                let (kind, code) = naive_kind(operation, list);
                let waits = flags & flag::TRIGGERED != 0;
                prop_assert_eq!(hardware.get("kind"), [if waits { 9 } else { kind }], "{:?}", fields);
                if let Some(code) = code {
                    let name = if kind == 6 { "act" } else { "list_op" };
                    prop_assert_eq!(hardware.get(name), [u64::from(code)], "{:?}", fields);
                }
            }
            prop_assert_eq!(hardware.high("rearms"), flags & flag::REARM != 0);
            let lists = [op::MD_BIND, op::ME_APPEND, op::ME_SEARCH].contains(&operation);
            prop_assert_eq!(hardware.high("iovec"), lists && iovec);
            let table = operation.checked_sub(op::XTQ_REGISTER_KERNEL);
            if expected == status::OK && let Some(table @ 0..3) = table {
                prop_assert_eq!(hardware.get("which_table"), [u64::from(table)]);
            }
        }
    }
}

#[test]
fn a_message_is_too_long_from_four_gib_on() {
    let mut hardware = Hardware::block("command_check");
    for (command_length, length, expected) in [
        (64, 0xffff_ffbf, status::OK),
        (64, 0xffff_ffc0, status::TOO_LONG),
        (0xffff, 0xffff_0000, status::OK),
        (0xffff, 0xffff_0001, status::TOO_LONG),
        // A carry, and a place for it above.
        (0xffff, 0xfffe_ffff, status::OK),
        (0xffff, 0x7fff_ffff, status::OK),
        (0xffff, 0x0000_ffff, status::OK),
    ] {
        let fields = [
            ("operation", op::XTQ_PUT.into()),
            ("command_length", command_length),
            ("length", length),
        ];
        hardware.set("command", &pack(Command::FIELDS, &fields));
        hardware.eval();
        assert_eq!(hardware.get("status"), [u64::from(expected)], "{fields:x?}");
        if expected == status::OK {
            assert_eq!(hardware.get("total"), [command_length + length]);
        }
    }
}
