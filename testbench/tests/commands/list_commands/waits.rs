//! Commands that wait for a counter: what the trigger engine is given.

use xtq_types::command::{flag, operation as op};
use xtq_types::counter::TriggerRequest;

use super::{stage, until};
use xtq_testbench::by_name::field;

#[test]
fn a_command_that_re_arms_waits_with_threshold_and_period_and_without_its_flags() {
    let (threshold, period) = (0x1234_5678_9abc, 0xfedc);
    let flags = flag::TRIGGERED | flag::REARM | flag::COMPLETION;
    let fields = [
        ("operation", op::ME_APPEND.into()),
        ("flags", flags.into()),
        ("trigger_counter", 5),
        ("threshold", period << 48 | threshold),
    ];
    let mut stage = stage(&fields);
    until(&mut stage, "request_valid");
    let request = stage.get("request");
    let get = |name| field(TriggerRequest::FIELDS, &request, name);
    assert_eq!(
        ["counter", "threshold", "period"].map(get),
        [5, threshold, period]
    );
    let command = TriggerRequest::FIELDS
        .iter()
        .find(|field| field.name == "command");
    let at = command.expect("a command").offset;
    let low = request[at / 64] >> (at % 64);
    assert_eq!(
        low & 0xffff,
        u64::from(flag::COMPLETION) << 8 | u64::from(op::ME_APPEND)
    );
}

#[test]
fn a_triggered_append_waits_for_its_counter() {
    let fields = [
        ("operation", op::ME_APPEND.into()),
        ("flags", flag::TRIGGERED.into()),
        ("trigger_counter", 5),
        ("threshold", 7 << 48 | 3),
    ];
    let mut stage = stage(&fields);
    until(&mut stage, "request_valid");
    let request = stage.get("request");
    let get = |name| field(TriggerRequest::FIELDS, &request, name);
    assert_eq!(
        ["context", "counter", "threshold", "period"].map(get),
        [2, 5, 7 << 48 | 3, 0]
    );
    assert!(!stage.high("list_command_valid"));
}
