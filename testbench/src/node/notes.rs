//! Where messages begin in what comes to a node.

use super::harness::{Node, Sent};
use super::inside;
use crate::bus::Beat;
use crate::network::Class;
use crate::tables::format::{BYTES, WIRE};

impl Node {
    /// Notes where messages begin in what is queued for the node.
    pub(super) fn note_beat(&mut self, class: Class, beat: &Beat) {
        let number = self.beats[class.index()];
        match self.unfinished_beats[class.index()] {
            _ if !self.keeps => {}
            0 => {
                if let Some((header, _)) = beat.bytes.split_first_chunk::<BYTES>()
                    && WIRE.get(header, "packet_offset") == 0
                {
                    self.sent.push(Sent {
                        header: *header,
                        queue_index: 0,
                        class,
                        beat: number,
                        inside: None,
                    });
                }
            }
            1 => {
                let of_class = |sent: &&mut Sent| sent.class == class && sent.inside.is_none();
                let message = self.sent.iter_mut().rev().find(of_class);
                if let Some(message) = message.filter(|sent| sent.beat + 1 == number) {
                    message.queue_index = crate::aql::field::RESERVED2.read(&beat.bytes);
                }
            }
            _ => {}
        }
        self.beats[class.index()] += 1;
        let unfinished = &mut self.unfinished_beats[class.index()];
        *unfinished = if beat.last { 0 } else { *unfinished + 1 };
    }

    /// Notes where messages begin in what comes from inside.
    pub(super) fn note_inside(&mut self, cycle: u64) {
        for class in Class::ALL {
            let Some(beat) = self.inside.taken_now()[class.index()] else {
                continue;
            };
            let (number, in_packet) = self.places[class.index()].next(beat);
            if !self.keeps {
                continue;
            }
            match (in_packet, inside::header(beat)) {
                (0, Some(header)) if WIRE.get(header, "packet_offset") == 0 => {
                    self.sent.push(Sent {
                        header: *header,
                        queue_index: 0,
                        class,
                        beat: number,
                        inside: Some(cycle),
                    });
                }
                (1, _) => {
                    let of_class = |sent: &&mut Sent| sent.class == class && sent.inside.is_some();
                    let message = self.sent.iter_mut().rev().find(of_class);
                    if let Some(message) = message.filter(|sent| sent.beat + 1 == number) {
                        message.queue_index = crate::aql::field::RESERVED2.read(&beat.bytes);
                    }
                }
                _ => {}
            }
        }
    }
}
