//! Random messages, gaps, latencies and write errors. Its seeds are in `../proptest-regressions/random_messages.txt`.

use proptest::prelude::*;
use rust_hdl::prelude::ToBits;
use xtq_types::Wire;
use xtq_types::event::status;
use xtq_types::pipe::MessageInfo;
use xtq_types::queue::Completion;

use crate::completer::expected::expect;
use crate::completer::message::{Message, with_slots};
use crate::completer::surroundings::run;

fn message() -> impl Strategy<Value = Message> {
    let code = prop_oneof![
        3 => Just(status::OK),
        1 => Just(status::MEMORY_ERROR),
        1 => Just(status::PT_DISABLED),
        2 => Just(status::QUEUE_FULL),
        3 => 1u8..19,
    ];
    let disabled = prop::bool::weighted(0.15);
    (
        prop::array::uniform10(any::<u64>()),
        prop::array::uniform2(any::<u64>()),
        code,
        disabled,
        any::<(bool, bool)>(),
        prop::bool::weighted(0.1),
        0u64..40,
    )
        .prop_map(
            |(info, completion, code, disabled, portal, event_error, latency)| {
                let mut info = MessageInfo::from_words(&info);
                let mut completion = Completion::from_words(&completion);
                completion.status = code.to_bits();
                info.portal_disabled = u64::from(disabled).into();
                (info.get, info.fetch, info.reply) = (0.into(), 0.into(), 0.into());
                Message {
                    completion,
                    info,
                    portal,
                    event_error,
                    latency: latency + 1,
                }
            },
        )
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(40))]

    #[test]
    fn every_message_gets_its_event_acknowledgement_and_release_in_order(
        messages in prop::collection::vec(message(), 1..60),
        gaps in prop::array::uniform3(prop::sample::select(vec![0.0, 0.3, 0.8])),
        seed in any::<u32>(),
    ) {
        let messages = with_slots(messages);
        let (told, _) = run(&messages, gaps, seed.into());
        prop_assert_eq!(told, expect(&messages));
    }
}
