//! Commands of lists in `CommandStage`, and `ListJob`: what ListUnit is given, and how the command ends.

mod waits;

use xtq_types::command::{Command, NO_COUNTER, command_status, flag, me_source, operation as op};
use xtq_types::matching::{MatchCommand, match_op, me_option};
use xtq_types::send::{CommandDone, RingCommand};

use xtq_testbench::by_name::{Hardware, field, pack};

/// A stage with one command of context 2 in its ring.
fn stage(fields: &[(&str, u64)]) -> Hardware {
    let mut stage = Hardware::block("command_stage");
    stage.set("room", &[15]);
    let mut ring = pack(Command::FIELDS, fields);
    ring.resize(
        RingCommand::FIELDS
            .iter()
            .map(|f| f.width)
            .sum::<usize>()
            .div_ceil(64),
        0,
    );
    stage.set("command", &ring);
    stage.set("waiting", &[4]);
    for name in [
        "act_ready",
        "request_ready",
        "bind_md_ready",
        "release_md_ready",
        "register_ready",
    ] {
        stage.set(name, &[1]);
    }
    assert!(takes(&mut stage));
    assert_eq!(stage.get("choose"), [2]);
    stage.step();
    stage.set("waiting", &[0]);
    stage
}

/// Whether `take` is high in the second cycle after this one, in which the command is shown: it is chosen, then taken.
fn takes(stage: &mut Hardware) -> bool {
    for _ in 0..2 {
        stage.eval();
        assert!(!stage.high("take"), "not yet");
        stage.step();
    }
    stage.eval();
    stage.high("take")
}

/// Steps until a pin is high.
fn until(stage: &mut Hardware, name: &str) {
    for _ in 0..20 {
        stage.eval();
        if stage.high(name) {
            return;
        }
        stage.step();
    }
    panic!("{name} never");
}

/// What ListUnit is given.
fn given(stage: &mut Hardware, name: &str) -> u64 {
    until(stage, "list_command_valid");
    field(MatchCommand::FIELDS, &stage.get("list_command"), name)
}

#[test]
fn each_operation_has_its_own() {
    for (operation, list, expected) in [
        (op::ME_APPEND, 0, match_op::ME_APPEND),
        (op::ME_APPEND, 1, match_op::ME_APPEND),
        (op::ME_UNLINK, 0, match_op::ME_UNLINK),
        (op::ME_SEARCH, 0, match_op::ME_SEARCH_ONLY),
        (op::ME_SEARCH, 1, match_op::ME_SEARCH_DELETE),
        (op::PT_ALLOC, 0, match_op::PT_ALLOC),
        (op::PT_FREE, 0, match_op::PT_FREE),
        (op::PT_ENABLE, 0, match_op::PT_ENABLE),
        (op::PT_DISABLE, 0, match_op::PT_DISABLE),
    ] {
        let mut stage = stage(&[("operation", operation.into()), ("list", list)]);
        assert_eq!(given(&mut stage, "op"), u64::from(expected));
        assert_eq!(given(&mut stage, "list"), list);
    }
}

#[test]
fn every_field_of_an_entry_is_handed_on() {
    let sources = u64::from(me_source::ANY_NODE | me_source::ANY_USER);
    let fields = [
        ("operation", op::ME_APPEND.into()),
        ("list", 1),
        ("counter", 63),
        ("entry", 0x1234),
        ("portal_index", 0xabcd),
        ("node", 0x5678),
        ("context", 0x9a),
        ("options", sources | 0xf_fffe),
        ("user_id", 0x1111_2222),
        ("match_bits", 0x0123_4567_89ab_cdef),
        ("ignore_bits", 0xfedc_ba98_7654_3210),
        ("start", 0xaaaa_5555_aaaa_5555),
        ("length", 0x1_0000_0001),
        ("remote_offset", 0x2_0000_0003),
        ("user_pointer", 0x3333_4444_5555_6666),
    ];
    let expected = [
        ("op", match_op::ME_APPEND.into()),
        ("context", 2),
        ("portal_index", 0xabcd),
        ("id", 0x1234),
        ("list", 1),
        ("options", 0xf_fffe),
        ("any_node", 1),
        ("any_context", 0),
        ("any_user", 1),
        ("source_node", 0x5678),
        ("source_context", 0x9a),
        ("user_id", 0x1111_2222),
        ("match_bits", 0x0123_4567_89ab_cdef),
        ("ignore_bits", 0xfedc_ba98_7654_3210),
        ("start", 0xaaaa_5555_aaaa_5555),
        ("length", 0x1_0000_0001),
        ("min_free", 0x2_0000_0003),
        ("counter", 63),
        ("user_ptr", 0x3333_4444_5555_6666),
        ("handle", 0),
    ];
    let mut stage = stage(&fields);
    for (name, value) in expected {
        assert_eq!(given(&mut stage, name), value, "{name}");
    }
    let context_only = [
        ("operation", op::ME_APPEND.into()),
        ("options", me_source::ANY_CONTEXT.into()),
    ];
    let mut stage = self::stage(&context_only);
    assert_eq!(
        ["any_node", "any_context", "any_user"].map(|name| given(&mut stage, name)),
        [0, 1, 0]
    );
}

#[test]
fn without_a_counter_nothing_counts() {
    let counting = u64::from(me_option::CT_COMM | me_option::CT_OVERFLOW);
    for operation in [op::ME_APPEND, op::ME_SEARCH] {
        let fields = [
            ("operation", operation.into()),
            ("counter", NO_COUNTER.into()),
            ("options", 0xf_fffe),
        ];
        assert_eq!(given(&mut stage(&fields), "options"), 0xf_fffe & !counting);
    }
}

#[test]
fn a_command_ends_when_list_unit_has_told_all() {
    let mut stage = stage(&[("operation", op::PT_ALLOC.into()), ("user_pointer", 99)]);
    until(&mut stage, "list_command_valid");
    let offered = stage.get("list_command");
    for _ in 0..5 {
        stage.step();
        stage.eval();
        assert!(stage.high("list_command_valid"));
        assert_eq!(stage.get("list_command"), offered);
    }
    stage.set("list_command_ready", &[1]);
    stage.step();
    stage.set("list_command_ready", &[0]);
    for _ in 0..5 {
        stage.eval();
        assert!(!stage.high("list_command_valid") && !stage.high("done_valid"));
        assert!(stage.high("working"));
        stage.step();
    }
    stage.set("list_done", &[1]);
    stage.set("list_context", &[2]);
    stage.set("list_status", &[command_status::IN_USE.into()]);
    stage.step();
    stage.set("list_done", &[0]);
    stage.set("list_context", &[0]);
    stage.set("list_status", &[0]);
    until(&mut stage, "done_valid");
    let done = stage.get("done");
    let told = ["context", "operation", "status", "user_pointer"]
        .map(|name| field(CommandDone::FIELDS, &done, name));
    assert_eq!(
        told,
        [2, op::PT_ALLOC.into(), command_status::IN_USE.into(), 99]
    );
}

/// A stage of which a PT_ALLOC of context 2, which asks for a completion, is with ListUnit.
fn away() -> Hardware {
    let mut stage = stage(&[
        ("operation", op::PT_ALLOC.into()),
        ("flags", flag::COMPLETION.into()),
        ("user_pointer", 99),
    ]);
    until(&mut stage, "list_command_valid");
    stage.set("list_command_ready", &[1]);
    stage.step();
    stage.set("list_command_ready", &[0]);
    stage
}

/// ListUnit has reported how the command of context 2 ended.
fn ends(stage: &mut Hardware) {
    stage.set("list_done", &[1]);
    stage.set("list_context", &[2]);
    stage.step();
    stage.set("list_done", &[0]);
}

#[test]
fn only_its_own_context_waits_for_a_command_of_lists() {
    let mut stage = away();
    stage.set("waiting", &[4]);
    for _ in 0..20 {
        stage.eval();
        assert!(!stage.high("take"), "of the context that waits");
        stage.step();
    }
    stage.set("waiting", &[4 | 8]);
    until(&mut stage, "take");
    assert_eq!(stage.get("choose"), [3]);
    stage.step();
    stage.set("waiting", &[4]);
    // That of context 3 is with ListUnit too; both end, and both are reported.
    until(&mut stage, "list_command_valid");
    stage.set("list_command_ready", &[1]);
    stage.step();
    stage.set("list_command_ready", &[0]);
    ends(&mut stage);
    for _ in 0..6 {
        stage.eval();
        assert!(!stage.high("take"), "its end is not told");
        stage.step();
    }
    stage.set("done_ready", &[1]);
    until(&mut stage, "done_valid");
    assert_eq!(field(CommandDone::FIELDS, &stage.get("done"), "context"), 2);
    stage.step();
    until(&mut stage, "take");
    assert_eq!(stage.get("choose"), [2]);
}

/// A command of this operation has fired.
fn fire(stage: &mut Hardware, operation: u8, context: u64) {
    let command = pack(Command::FIELDS, &[("operation", operation.into())]);
    let mut fired = vec![0; 17];
    for (i, word) in command.iter().enumerate() {
        fired[i] |= word << 2;
        fired[i + 1] |= word >> 62;
    }
    fired[0] |= context;
    stage.set("fired", &fired);
    stage.set("fired_valid", &[1]);
    stage.eval();
}

#[test]
fn of_what_has_fired_messages_wait_for_a_place() {
    for (operation, waits) in [
        (op::CT_INC, false),
        (op::ME_APPEND, false),
        (op::PUT, true),
        (op::XTQ_PUT, true),
        (op::GET, true),
    ] {
        for context in [1, 2] {
            let mut stage = Hardware::block("command_stage");
            stage.set("room", &[15 & !4]);
            fire(&mut stage, operation, context);
            assert_eq!(
                stage.high("fired_ready"),
                !(waits && context == 2),
                "operation {operation} of context {context}"
            );
            let passed = stage.high("fired_pass");
            assert_eq!(passed, waits && context == 2, "others may go");
        }
    }
}

#[test]
fn of_what_has_fired_only_commands_of_lists_wait() {
    for (operation, waits) in [
        (op::CT_INC, false),
        (op::PUT, false),
        (op::ME_APPEND, true),
        (op::ME_UNLINK, true),
        (op::ME_SEARCH, true),
        (op::PT_ALLOC, true),
        (op::PT_FREE, true),
        (op::PT_ENABLE, true),
        (op::PT_DISABLE, true),
    ] {
        for context in [1, 2] {
            let mut stage = away();
            fire(&mut stage, operation, context);
            assert_eq!(
                stage.high("fired_ready"),
                !(waits && context == 2),
                "operation {operation} of context {context}"
            );
            let passed = stage.high("fired_pass");
            assert_eq!(passed, waits && context == 2, "others may go");
        }
    }
}

#[test]
fn of_a_ring_only_messages_wait_for_a_place() {
    for (operation, waits) in [
        (op::NOP, false),
        (op::CT_INC, false),
        (op::MD_RELEASE, false),
        (op::ME_UNLINK, false),
        (op::PUT, true),
        (op::GET, true),
        (op::ATOMIC, true),
        (op::FETCH_ATOMIC, true),
        (op::SWAP, true),
        (op::XTQ_PUT, true),
    ] {
        for full in [0, 1, 2, 4, 15] {
            let mut stage = Hardware::block("command_stage");
            stage.set("room", &[15 & !full]);
            let ring = pack(Command::FIELDS, &[("operation", operation.into())]);
            let bits: usize = RingCommand::FIELDS.iter().map(|field| field.width).sum();
            let mut ring = ring.to_vec();
            ring.resize(bits.div_ceil(64), 0);
            stage.set("command", &ring);
            stage.set("waiting", &[4]);
            let taken = !(waits && full & 4 != 0);
            assert_eq!(
                takes(&mut stage),
                taken,
                "operation {operation}, full {full}"
            );
            // What waits is passed by.
            stage.step();
            if !taken {
                stage.set("waiting", &[4 | 8]);
                for _ in 0..4 {
                    stage.eval();
                    if stage.get("choose") == [3] {
                        break;
                    }
                    stage.step();
                }
                assert_eq!(stage.get("choose"), [3]);
                stage.step();
                stage.eval();
                assert_eq!(stage.high("take"), full & 8 == 0);
            }
        }
    }
}

#[test]
fn nothing_of_a_ring_goes_before_what_its_context_has_fired() {
    for waits in 0..16 {
        let mut stage = Hardware::block("command_stage");
        stage.set("room", &[15]);
        stage.set("waiting", &[15]);
        stage.set("fired_waits", &[waits]);
        assert_eq!(takes(&mut stage), waits != 15);
        assert!(waits == 15 || waits >> stage.get("choose")[0] & 1 == 0);
    }
}

#[test]
fn commands_that_do_nothing_are_taken_every_3_cycles() {
    for waiting in [4, 15] {
        let mut stage = Hardware::block("command_stage");
        stage.set("waiting", &[waiting]);
        let mut taken = Vec::new();
        for cycle in 0..40 {
            stage.eval();
            if stage.high("take") {
                taken.push(cycle);
            }
            stage.step();
        }
        assert_eq!(taken[0], 2);
        assert!(
            taken.windows(2).all(|pair| pair[1] - pair[0] == 3),
            "{taken:?}"
        );
    }
}

#[test]
fn an_end_nobody_asked_for_is_not_told() {
    let mut stage = stage(&[("operation", op::PT_ALLOC.into())]);
    until(&mut stage, "list_command_valid");
    stage.set("list_command_ready", &[1]);
    stage.step();
    stage.set("list_command_ready", &[0]);
    stage.set("waiting", &[4]);
    ends(&mut stage);
    for _ in 0..4 {
        stage.eval();
        assert!(!stage.high("done_valid"));
        if stage.high("take") {
            return;
        }
        stage.step();
    }
    panic!("the next command is not taken");
}
