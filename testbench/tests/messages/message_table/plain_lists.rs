//! Random pulses, also senseless ones, against plain lists.

use std::collections::VecDeque;

use proptest::prelude::*;
use xtq_types::send::MessageNote;

use crate::message_table::harness::{Hardware, Inputs, Outputs, Place, note};

#[derive(Clone, Copy, Debug, Default)]
struct Message {
    open: bool,
    sent: bool,
    answered: bool,
    /// When it was opened.
    opened: usize,
    generation: Option<u64>,
    note: MessageNote,
}

/// One context as the specification reports it.
struct Context {
    free: VecDeque<usize>,
    messages: Vec<Message>,
    /// Messages opened up to this cycle are waited for.
    fence: Option<usize>,
}

impl Context {
    fn new() -> Self {
        Self {
            free: (0..64).collect(),
            messages: vec![Message::default(); 64],
            fence: None,
        }
    }

    fn next(&self) -> Option<(u64, usize)> {
        let place = *self.free.front()?;
        let generation = self.messages[place].generation;
        Some((
            generation.map_or(0, |generation| (generation + 1) % 256),
            place,
        ))
    }

    fn is_clear(&self) -> bool {
        let waits = |message: &&Message| message.open && Some(message.opened) <= self.fence;
        self.messages.iter().filter(waits).count() == 0
    }

    fn open(&mut self, opened: usize, waits: bool, note: MessageNote) {
        let (generation, place) = self.next().expect("there is room");
        self.free.pop_front();
        let generation = Some(generation);
        self.messages[place] = Message {
            open: true,
            sent: false,
            answered: !waits,
            opened,
            generation,
            note,
        };
    }

    fn end(&mut self, place: usize) {
        let message = &mut self.messages[place];
        if message.open && message.sent && message.answered {
            message.open = false;
            self.free.push_back(place);
        }
    }
}

/// What is wished for in one cycle; places are chosen among the open ones if there are any.
#[derive(Clone, Copy, Debug)]
struct Wish {
    open: Option<(u64, bool, u64)>,
    sent: Option<Target>,
    answered: Option<Target>,
    fence: Option<u64>,
    read: Place,
}

#[derive(Clone, Copy, Debug)]
struct Target {
    place: Place,
    /// Takes the open place with this index instead, if the context has any.
    pick: Option<usize>,
}

fn context() -> impl Strategy<Value = u64> {
    prop_oneof![3 => 0u64..1, 1 => 1u64..4]
}

fn target() -> impl Strategy<Value = Target> {
    let place = (context(), 0u64..64);
    let pick = prop::option::weighted(0.9, 0usize..6);
    (place, pick).prop_map(|(place, pick)| Target { place, pick })
}

fn wish() -> impl Strategy<Value = Wish> {
    let open = prop::option::weighted(0.6, (context(), any::<bool>(), any::<u64>()));
    let pulse = || prop::option::weighted(0.6, target());
    let fence = prop::option::weighted(0.1, context());
    (open, pulse(), pulse(), fence, (context(), 0u64..64)).prop_map(
        |(open, sent, answered, fence, read)| Wish {
            open,
            sent,
            answered,
            fence,
            read,
        },
    )
}

impl Target {
    fn place(self, contexts: &[Context]) -> Place {
        let context = &contexts[self.place.0 as usize];
        let open: Vec<u64> = (0..64)
            .filter(|place| context.messages[*place as usize].open)
            .collect();
        match self.pick {
            Some(pick) if !open.is_empty() => (self.place.0, open[pick % open.len()]),
            _ => self.place,
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(32))]

    #[test]
    fn behaves_like_plain_lists_in_every_cycle(
        filled in prop::sample::select(vec![0usize, 0, 60, 64]),
        script in prop::collection::vec(wish(), 1..400),
    ) {
        let mut hardware = Hardware::new();
        let mut contexts = [(); 4].map(|()| Context::new());
        let fill = (0..filled).map(|mark| Inputs { open: Some((0, true, mark as u64)), ..Inputs::default() });
        let mut fill = fill.collect::<VecDeque<_>>();
        let mut read = None;
        for cycle in 0..filled + script.len() {
            let inputs = fill.pop_front().unwrap_or_else(|| {
                let wish = &script[cycle - filled];
                Inputs {
                    open: wish.open.filter(|open| contexts[open.0 as usize].next().is_some()),
                    sent: wish.sent.map(|target| target.place(&contexts)),
                    answered: wish.answered.map(|target| target.place(&contexts)),
                    fence: wish.fence.filter(|context| contexts[*context as usize].is_clear()),
                    read: wish.read,
                }
            });
            let outputs = hardware.cycle(inputs);
            let bits = |test: &dyn Fn(&Context) -> bool| {
                (0..4).fold(0, |bits, c| bits | u64::from(test(&contexts[c])) << c)
            };
            let expected = Outputs {
                room: bits(&|context| context.next().is_some()),
                handle: inputs.open.map(|(context, ..)| {
                    let (generation, place) = contexts[context as usize].next().expect("there is room");
                    (generation, (context, place as u64))
                }),
                read: read.unwrap_or(outputs.read),
                used: [0, 1, 2, 3].map(|c: usize| 64 - contexts[c].free.len() as u64),
                epoch_clear: bits(&Context::is_clear),
            };
            prop_assert_eq!(outputs, expected, "cycle {}: {:?}", cycle, inputs);

            let message = contexts[inputs.read.0 as usize].messages[inputs.read.1 as usize];
            read = message.generation.map(|generation| (message.note, generation, message.open));
            for (pulse, is_sent) in [(inputs.sent, true), (inputs.answered, false)] {
                let Some((context, place)) = pulse else { continue };
                let message = &mut contexts[context as usize].messages[place as usize];
                message.sent |= message.open && is_sent;
                message.answered |= message.open && !is_sent;
            }
            // Only when both are noted: of two that end the one that was sent is first.
            for (context, place) in [inputs.sent, inputs.answered].into_iter().flatten() {
                contexts[context as usize].end(place as usize);
            }
            if let Some((context, waits, mark)) = inputs.open {
                contexts[context as usize].open(cycle, waits, note((context, waits, mark)));
            }
            if let Some(context) = inputs.fence {
                contexts[context as usize].fence = Some(cycle);
            }
        }
    }
}
