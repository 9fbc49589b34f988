//! Every rule of the AXI checker, kept and broken.

use xtq_testbench::bus::{
    ATOMIC_COMPARE, Address, AxiChecker, BURST_WRAP, Model, Violation, WordChecker,
};

use crate::bus::axi_master::{FROM_MASTER, FROM_SLAVE, burst, put_address};
use crate::bus::scripted::ScriptedEngine;

/// A handshake in a cycle of the script.
#[derive(Clone, Copy, Debug)]
enum Beat {
    Aw(Address),
    /// Strobes, last.
    W(u64, bool),
    /// Id, response.
    B(u8, u8),
    Ar(Address),
    /// Id, response, last.
    R(u8, u8, bool),
}

use Beat::{Ar, Aw, B, R, W};

const ALL: u64 = u64::MAX;

fn put(engine: &mut ScriptedEngine, beat: &Beat) {
    let mut handshake = |channel: &str| {
        engine.put(&format!("m_axi_{channel}valid"), &[1]);
        engine.put(&format!("m_axi_{channel}ready"), &[1]);
    };
    match *beat {
        Aw(address) => {
            handshake("aw");
            put_address(engine, "aw", &address);
        }
        W(strobes, last) => {
            handshake("w");
            engine.put("m_axi_wstrb", &[strobes]);
            engine.put("m_axi_wlast", &[last.into()]);
        }
        B(id, resp) => {
            handshake("b");
            engine.put("m_axi_bid", &[id.into()]);
            engine.put("m_axi_bresp", &[resp.into()]);
        }
        Ar(address) => {
            handshake("ar");
            put_address(engine, "ar", &address);
        }
        R(id, resp, last) => {
            handshake("r");
            engine.put("m_axi_rid", &[id.into()]);
            engine.put("m_axi_rresp", &[resp.into()]);
            engine.put("m_axi_rlast", &[last.into()]);
        }
    }
}

/// Plays cycles of handshakes; gives the checker at the end.
fn play(cycles: &[&[Beat]]) -> Result<AxiChecker, Violation> {
    let mut engine = ScriptedEngine::new(&FROM_SLAVE, &FROM_MASTER);
    let mut checker = AxiChecker::new(&engine, "m_axi_").unwrap();
    for (cycle, beats) in cycles.iter().enumerate() {
        for channel in ["aw", "w", "b", "ar", "r"] {
            engine.put(&format!("m_axi_{channel}valid"), &[0]);
        }
        beats.iter().for_each(|beat| put(&mut engine, beat));
        checker.sample(&engine, cycle as u64)?;
    }
    Ok(checker)
}

/// Plays cycles of which the last breaks `rule` on `channel`.
#[track_caller]
fn breaks(cycles: &[&[Beat]], channel: &str, rule: &str) {
    let violation = play(cycles).expect_err(rule);
    assert_eq!(violation.rule, rule, "{violation}");
    assert_eq!(violation.channel, format!("m_axi_{channel}"), "{violation}");
    assert_eq!(violation.cycle, cycles.len() as u64 - 1, "{violation}");
}

fn compare(id: u8, address: u64) -> Address {
    Address {
        size: 4,
        atop: ATOMIC_COMPARE,
        burst: if address & 8 == 0 { 1 } else { BURST_WRAP },
        ..burst(0, id, address, 1)
    }
}

#[test]
fn a_conforming_run_is_idle_at_the_end_and_is_counted() {
    let checker = play(&[
        &[Aw(burst(0, 1, 0xfc0, 1)), W(ALL, true)],
        &[
            Aw(burst(1, 2, 0x1000, 2)),
            W(ALL, false),
            Ar(burst(0, 1, 0x40, 2)),
        ],
        &[W(0xf0, true), B(1, 0), R(1, 0, false)],
        &[R(1, 2, true), B(2, 3)],
        &[W(0, true)],
        &[Aw(burst(0, 3, 0x33, 1)), Ar(burst(0, 4, 0, 64))],
        &[B(3, 0)],
    ])
    .unwrap();
    assert_eq!(checker.early_data(), 1);
    let counts = checker.counts();
    assert_eq!(
        (counts.aw, counts.w, counts.b, counts.ar, counts.r),
        (3, 4, 3, 2, 2)
    );
    let violation = checker.finish(9).unwrap_err();
    assert_eq!(
        (violation.cycle, violation.rule),
        (9, AxiChecker::OUTSTANDING)
    );
    play(&[&[Ar(burst(0, 4, 0, 1))], &[R(4, 0, true)]])
        .unwrap()
        .finish(2)
        .unwrap();
}

#[test]
fn a_waiting_channel_must_keep_valid_and_payload() {
    for channel in ["aw", "w", "b", "ar", "r"] {
        for (valid, rule) in [
            (0, WordChecker::VALID_STAYS),
            (1, WordChecker::PAYLOAD_STABLE),
        ] {
            let mut engine = ScriptedEngine::new(&FROM_SLAVE, &FROM_MASTER);
            let mut checker = AxiChecker::new(&engine, "m_axi_").unwrap();
            engine.put(&format!("m_axi_{channel}valid"), &[1]);
            checker.sample(&engine, 0).unwrap();
            checker.sample(&engine, 1).unwrap();
            engine.put(&format!("m_axi_{channel}valid"), &[valid]);
            let field = if channel == "w" { "data" } else { "id" };
            engine.put(&format!("m_axi_{channel}{field}"), &[7]);
            let violation = checker.sample(&engine, 2).unwrap_err();
            assert_eq!((violation.cycle, violation.rule), (2, rule));
            assert_eq!(violation.channel, format!("m_axi_{channel}"));
        }
    }
}

#[test]
fn a_burst_must_not_cross_4_kib() {
    for (address, beats) in [(0xfc0, 2), (0xfff, 2), (0x1001, 65)] {
        breaks(
            &[&[Aw(burst(0, 0, address, beats))]],
            "aw",
            AxiChecker::BOUNDARY,
        );
        breaks(
            &[&[Ar(burst(0, 0, address, beats))]],
            "ar",
            AxiChecker::BOUNDARY,
        );
    }
    play(&[&[Ar(burst(0, 0, 0x1000, 64)), Aw(burst(0, 0, 0xfff, 1))]]).unwrap();
    play(&[&[Ar(burst(0, 0, u64::MAX, 1))]]).unwrap();
}

#[test]
fn only_incrementing_bursts_of_at_most_64_byte_beats_are_legal() {
    for kind in [0, 2, 3] {
        let address = Address {
            burst: kind,
            ..burst(0, 0, 0, 1)
        };
        breaks(&[&[Aw(address)]], "aw", AxiChecker::BURST);
        breaks(&[&[Ar(address)]], "ar", AxiChecker::BURST);
    }
    let wide = Address {
        size: 7,
        ..burst(0, 0, 0, 1)
    };
    breaks(&[&[Aw(wide)]], "aw", AxiChecker::SIZE);
}

#[test]
fn wlast_comes_with_the_last_beat_and_no_other() {
    breaks(
        &[&[Aw(burst(0, 0, 0, 2)), W(ALL, true)]],
        "w",
        AxiChecker::WRITE_LAST,
    );
    breaks(
        &[&[Aw(burst(0, 0, 0, 2))], &[W(ALL, false)], &[W(ALL, false)]],
        "w",
        AxiChecker::WRITE_LAST,
    );
    breaks(
        &[&[Aw(burst(0, 0, 0, 1)), W(ALL, false)]],
        "w",
        AxiChecker::WRITE_LAST,
    );
    breaks(
        &[&[W(ALL, true)], &[Aw(burst(0, 0, 0, 2))]],
        "w",
        AxiChecker::WRITE_LAST,
    );
}

#[test]
fn strobes_stay_in_the_lanes_of_the_beat() {
    let narrow = Address {
        size: 2,
        ..burst(0, 0, 0x48, 3)
    };
    play(&[
        &[Aw(narrow), W(0xf00, false)],
        &[W(0xf000, false)],
        &[W(0x50000, true)],
    ])
    .unwrap();
    breaks(&[&[Aw(narrow), W(0x1f00, false)]], "w", AxiChecker::STROBES);
    breaks(
        &[&[Aw(narrow), W(0xf00, false)], &[W(0xf00, false)]],
        "w",
        AxiChecker::STROBES,
    );
    let unaligned = burst(0, 0, 0x45, 2);
    play(&[&[Aw(unaligned), W(ALL << 5, false)], &[W(1, true)]]).unwrap();
    breaks(&[&[Aw(unaligned), W(ALL, false)]], "w", AxiChecker::STROBES);
}

#[test]
fn a_write_response_needs_a_write_of_its_id_with_all_its_data() {
    let write = burst(0, 5, 0, 2);
    breaks(&[&[B(5, 0)]], "b", AxiChecker::WRITE_REPLY);
    breaks(
        &[&[Aw(write), W(ALL, false)], &[B(5, 0)]],
        "b",
        AxiChecker::WRITE_REPLY,
    );
    breaks(
        &[&[Aw(write), W(ALL, false)], &[W(ALL, true), B(5, 0)]],
        "b",
        AxiChecker::WRITE_REPLY,
    );
    breaks(
        &[&[Aw(write), W(ALL, false)], &[W(ALL, true)], &[B(4, 0)]],
        "b",
        AxiChecker::WRITE_REPLY,
    );
    let answered: [&[Beat]; 4] = [
        &[Aw(write), W(ALL, false)],
        &[W(ALL, true)],
        &[B(5, 0)],
        &[B(5, 0)],
    ];
    play(&answered[..3]).unwrap().finish(3).unwrap();
    breaks(&answered, "b", AxiChecker::WRITE_REPLY);
}

#[test]
fn read_data_answer_a_read_of_their_id_and_end_with_rlast() {
    let read = burst(0, 5, 0, 2);
    breaks(&[&[R(5, 0, true)]], "r", AxiChecker::READ_REPLY);
    breaks(&[&[Ar(read), R(5, 0, false)]], "r", AxiChecker::READ_REPLY);
    breaks(
        &[&[Ar(read)], &[R(6, 0, false)]],
        "r",
        AxiChecker::READ_REPLY,
    );
    breaks(&[&[Ar(read)], &[R(5, 0, true)]], "r", AxiChecker::READ_LAST);
    breaks(
        &[&[Ar(read)], &[R(5, 0, false)], &[R(5, 0, false)]],
        "r",
        AxiChecker::READ_LAST,
    );
    breaks(
        &[
            &[Ar(read)],
            &[R(5, 0, false)],
            &[R(5, 0, true)],
            &[R(5, 0, true)],
        ],
        "r",
        AxiChecker::READ_REPLY,
    );
}

#[test]
fn beats_of_reads_with_different_ids_may_interleave() {
    play(&[
        &[Ar(burst(0, 1, 0, 2))],
        &[Ar(burst(0, 2, 0, 2))],
        &[R(2, 0, false)],
        &[R(1, 0, false)],
        &[R(2, 0, true)],
        &[R(1, 0, true)],
    ])
    .unwrap()
    .finish(6)
    .unwrap();
}

#[test]
fn exokay_is_never_a_response() {
    breaks(
        &[&[Aw(burst(0, 0, 0, 1)), W(ALL, true)], &[B(0, 1)]],
        "b",
        AxiChecker::EXOKAY,
    );
    breaks(
        &[&[Ar(burst(0, 0, 0, 1))], &[R(0, 1, true)]],
        "r",
        AxiChecker::EXOKAY,
    );
}

#[test]
fn an_atomic_is_a_16_byte_compare_with_full_strobes() {
    let (lower, upper) = (compare(5, 0x20), compare(5, 0x28));
    for atomic in [lower, upper] {
        let cycles: [&[Beat]; 3] = [
            &[Aw(atomic), W(0xffff << 32, true)],
            &[R(5, 0, true)],
            &[B(5, 0)],
        ];
        play(&cycles).unwrap().finish(3).unwrap();
        breaks(
            &[&[Aw(atomic), W(0xff << 32, true)]],
            "w",
            AxiChecker::STROBES,
        );
        breaks(
            &[&[Aw(Address {
                burst: 3 - atomic.burst,
                ..atomic
            })]],
            "aw",
            AxiChecker::BURST,
        );
    }
    for wrong in [
        Address {
            atop: 0x10,
            ..lower
        },
        Address { size: 3, ..lower },
        Address { len: 1, ..lower },
        Address {
            address: 0x21,
            ..lower
        },
    ] {
        breaks(&[&[Aw(wrong)]], "aw", AxiChecker::ATOMIC);
    }
}

#[test]
fn the_id_of_an_atomic_is_its_own_until_both_responses() {
    let atomic = Aw(compare(5, 0x20));
    let data = W(0xffff << 32, true);
    breaks(
        &[&[Aw(burst(0, 5, 0, 1))], &[atomic]],
        "aw",
        AxiChecker::ATOMIC_ID,
    );
    breaks(
        &[&[Ar(burst(0, 5, 0, 1))], &[atomic]],
        "aw",
        AxiChecker::ATOMIC_ID,
    );
    breaks(
        &[&[atomic, data], &[B(5, 0)], &[Ar(burst(0, 5, 0, 1))]],
        "ar",
        AxiChecker::ATOMIC_ID,
    );
    breaks(
        &[&[atomic, data], &[R(5, 0, true)], &[Aw(burst(0, 5, 0, 1))]],
        "aw",
        AxiChecker::ATOMIC_ID,
    );
    play(&[
        &[atomic, data],
        &[B(5, 0), R(5, 0, true)],
        &[Ar(burst(0, 5, 0, 1))],
    ])
    .unwrap();
}
