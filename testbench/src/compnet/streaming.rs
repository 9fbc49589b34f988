//! A streaming work-group: copies one array to another, as a kernel does whose data is used once.

use super::core::Thread;
use super::counts::Class;
use crate::bus::LINE_BYTES;

/// Where arrays of streaming work-groups lie.
const ARRAYS: u64 = 0x10_0000_0000;

/// What a streaming work-group does, for ever: `b[i] = a[i]`, a wavefront's width at a time.
#[derive(Clone, Debug)]
pub struct Streamer {
    /// Number of the work-group.
    pub number: u64,
    /// Bytes of each of its two arrays; begins anew at the end.
    pub array_bytes: u64,
    /// Bytes that a wavefront loads with one instruction: 64 lanes of 4 bytes are 256.
    pub vector_bytes: u64,
    /// Such loads that it has in flight before it stores what they brought.
    pub in_flight: u64,
}

/// The program.
pub async fn run(thread: Thread, streamer: Streamer) {
    let lines = (streamer.vector_bytes * streamer.in_flight / LINE_BYTES).max(1);
    let size = streamer.array_bytes.max(lines * LINE_BYTES);
    let source = ARRAYS + streamer.number * 2 * size;
    let target = source + size;
    loop {
        for offset in (0..size).step_by((lines * LINE_BYTES) as usize) {
            let addresses = (0..lines).map(|line| source + offset + line * LINE_BYTES);
            thread.load_lines(addresses, Class::Stream).await;
            // The stores of the round before, so that no work-group runs ahead without end.
            thread.release().await;
            for line in 0..lines {
                let address = target + offset + line * LINE_BYTES;
                thread
                    .store(
                        address,
                        &[offset as u8; LINE_BYTES as usize],
                        Class::Stream,
                        false,
                    )
                    .await;
            }
        }
    }
}
