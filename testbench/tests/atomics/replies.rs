//! The old bytes that an `AtomicUnit` gives to who answers fetches.

use xtq_testbench::bus::WordSink;

/// What a sink took of the stream `reply`: replies, each the bytes up to a last beat.
pub fn replies(taken: &WordSink) -> Vec<Vec<u8>> {
    let (mut replies, mut reply) = (Vec::new(), Vec::new());
    for (_, words) in taken.received() {
        let bytes: Vec<u8> = words[..8].iter().flat_map(|w| w.to_le_bytes()).collect();
        let [count, last, error] = [words[8] & 0x7F, words[8] >> 7 & 1, words[8] >> 8 & 1];
        assert_eq!(error, 0);
        assert!(last == 1 || count == 64);
        reply.extend(&bytes[..count as usize]);
        if last == 1 {
            replies.push(std::mem::take(&mut reply));
        }
    }
    assert!(reply.is_empty());
    replies
}
