//! `Outcome`: every status with every state of message and portal entry.

use xtq_testbench::by_name::Hardware;
use xtq_types::event::{kind, status};
use xtq_types::wire_header::{self, ni_fail, opcode};

const PINS: [&str; 8] = [
    "early", "done", "flow", "enabled", "xtq", "get", "atomic", "fetch",
];

/// What is reported: status, to be disabled now, was disabled, kind of the event, `ni_fail`.
type Said = (u8, bool, bool, u8, u8);

fn said(found: u8, [early, done, flow, enabled, xtq, get, atomic, fetch]: [bool; 8]) -> Said {
    let put = match (xtq, get) {
        _ if atomic && fetch => kind::FETCH_ATOMIC,
        _ if atomic => kind::ATOMIC,
        (_, true) => kind::GET,
        (true, _) => kind::XTQ_PUT,
        _ => kind::PUT,
    };
    // The message that disabled its entry says so, whatever happens to the entry then.
    if early || done {
        let fail = if found == status::OK {
            ni_fail::OK
        } else {
            ni_fail::PT_DISABLED
        };
        return (found, false, true, kind::PT_DISABLED, fail);
    }
    match found {
        status::OK => (found, false, false, put, ni_fail::OK),
        status::MEMORY_ERROR => (found, false, false, put, ni_fail::SEGV),
        status::PT_DISABLED => (found, false, false, put, ni_fail::PT_DISABLED),
        status::PERM_VIOLATION => (found, false, false, put, ni_fail::PERM_VIOLATION),
        status::OP_VIOLATION => (found, false, false, put, ni_fail::OP_VIOLATION),
        status::QUEUE_FULL if flow && !enabled => {
            (status::PT_DISABLED, false, false, put, ni_fail::PT_DISABLED)
        }
        // It says more when it has disabled the entry.
        status::QUEUE_FULL => (found, flow, false, put, ni_fail::DROPPED),
        _ => (found, false, false, put, ni_fail::DROPPED),
    }
}

#[test]
fn every_outcome_says_what_the_rules_say() {
    let mut block = Hardware::block("outcome");
    for found in 0..=20u8 {
        for state in 0..256 {
            let state = std::array::from_fn(|pin| state >> pin & 1 == 1);
            block.set("found", &[found.into()]);
            for (name, flag) in PINS.iter().zip(state) {
                block.set(name, &[flag.into()]);
            }
            block.eval();
            let word = |name| block.get(name)[0];
            let byte = |name| word(name) as u8;
            let told = (
                byte("told"),
                word("disabling") == 1,
                word("disabled") == 1,
                byte("kind"),
                byte("ni_fail"),
            );
            assert_eq!(told, said(found, state), "{found}, {PINS:?} {state:?}");
            let constants = ["auto_unlink", "auto_free", "success", "no_fail"].map(byte);
            assert_eq!(
                constants,
                [kind::AUTO_UNLINK, kind::AUTO_FREE, status::OK, ni_fail::OK]
            );
            assert_eq!(word("ok") == 1, found == status::OK);
            assert_eq!(word("memory_error") == 1, found == status::MEMORY_ERROR);
            assert_eq!(
                (byte("version"), byte("opcode")),
                (wire_header::VERSION, opcode::ACK)
            );
        }
    }
}
