//! A streaming work-group: copies one array to another, or only reads, as a kernel does whose data is used once.

use super::counts::Class;
use super::thread::Thread;
use crate::bus::LINE_BYTES;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// What streaming work-groups do.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Streams {
    /// `b[i] = a[i]`: each line that is read is followed by one that is written.
    Copy,
    /// `sum += a[i]`: lines are only read.
    Read,
}

/// What a streaming work-group does, for ever, a wavefront's width at a time.
#[derive(Clone, Debug)]
pub struct Streamer {
    /// What it does.
    pub streams: Streams,
    /// Where its two arrays lie: what it reads, what it writes.
    pub arrays: [u64; 2],
    /// Bytes of each; begins again at the end.
    pub array_bytes: u64,
    /// Lines that it has in flight before it stores what they brought.
    pub lines: u64,
    /// Cycles before it begins.
    pub start: u64,
}

/// The program.
pub async fn run(thread: Thread, streamer: Streamer) {
    let Streamer {
        streams,
        arrays: [source, target],
        array_bytes,
        lines,
        start,
    } = streamer;
    thread.work(start).await;
    loop {
        for offset in (0..array_bytes).step_by((lines * LINE_BYTES) as usize) {
            let addresses = (0..lines).map(|line| source + offset + line * LINE_BYTES);
            thread.load_lines(addresses, Class::Stream).await;
            if streams == Streams::Read {
                continue;
            }
            // The stores of the round before, so that no work-group runs ahead without end.
            thread.release().await;
            for line in 0..lines {
                let address = target + offset + line * LINE_BYTES;
                let bytes = [offset as u8; LINE_BYTES as usize];
                thread.store(address, &bytes, Class::Stream, false).await;
            }
        }
    }
}
