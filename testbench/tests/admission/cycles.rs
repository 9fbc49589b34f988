//! The cycles of Admission's contract, with one packet right after the other.

use super::decisions::packet;
use super::hardware::head;
use super::model::Packet;
use super::waiting::open;
use xtq_testbench::by_name::Hardware;

/// Admission, and whoever takes at once what it gives.
struct Row(Hardware);

impl Row {
    fn new() -> Self {
        let mut block = open();
        for name in ["job_ready", "record_ready", "admit_ready"] {
            block.set(name, &[1]);
        }
        Self(block)
    }

    /// Offers a packet from now on; cycles until it is taken.
    fn packet(&mut self, p: &Packet) -> u64 {
        let Self(block) = self;
        block.set("head", &head(p));
        for name in ["head_there", "head_valid"] {
            block.set(name, &[1]);
        }
        for cycle in 1..20 {
            block.eval();
            let taken = block.get("head_ready") == [1];
            block.step();
            if taken {
                return cycle;
            }
        }
        panic!("it is not taken: {p:?}");
    }

    /// So many cycles without a packet.
    fn pause(&mut self, cycles: usize) {
        for name in ["head_there", "head_valid"] {
            self.0.set(name, &[0]);
        }
        for _ in 0..cycles {
            self.0.eval();
            self.0.step();
        }
    }
}

/// Packet number `number` of the 3 of a message of 12,000 bytes.
fn part(source: u16, number: u32) -> Packet {
    Packet {
        first: number == 0,
        last: number == 2,
        packet_offset: 4096 * number,
        body_bytes: (12_000 - 4096 * number).min(4096) as u16,
        ..packet(false, source, 12_000)
    }
}

/// Of another source, in one packet.
fn single() -> Packet {
    packet(false, 9, 64)
}

#[test]
fn a_later_packet_takes_3_cycles_and_any_behind_one_that_opened_or_advanced_a_message_1_more() {
    let mut row = Row::new();
    for (packet, cycles) in [
        (single(), 2),
        (part(1, 0), 2),
        // Right after the one that opened it, and the one that advanced it.
        (part(1, 1), 3 + 1),
        (part(1, 2), 3 + 1),
        // What was closed is not stored.
        (single(), 2),
        (part(2, 0), 2),
        (single(), 2 + 1),
        (part(2, 1), 3),
        (part(3, 0), 2 + 1),
        (part(2, 2), 3 + 1),
        (part(3, 1), 3),
        (single(), 2 + 1),
    ] {
        assert_eq!(row.packet(&packet), cycles, "{packet:?}");
    }
    // A pause is as good as a packet.
    row.packet(&part(4, 0));
    row.pause(1);
    assert_eq!(row.packet(&part(4, 1)), 3);
    row.pause(3);
    assert_eq!(row.packet(&part(4, 2)), 3);
}

#[test]
fn to_end_the_open_message_of_the_source_first_takes_3_cycles_more_for_a_later_packet_4() {
    for pause in [1, 2, 5] {
        let mut row = Row::new();
        row.packet(&part(1, 0));
        row.pause(pause);
        let again = packet(false, 1, 64);
        assert_eq!(row.packet(&again), 2 + 3, "{pause}");
        // It is gone.
        assert_eq!(row.packet(&again), 2, "{pause}");
        row.packet(&part(1, 0));
        row.pause(pause);
        // Out of turn.
        assert_eq!(row.packet(&part(1, 2)), 3 + 4, "{pause}");
        assert_eq!(row.packet(&again), 2, "{pause}");
    }
}
