//! `Channel`: the bandwidth of a node's memory, one token bucket for NIC, GPU and host.
//!
//! Tokens are bytes; they come at the memory's rate. The NIC takes its beats first, as a device with a buffer of a few
//! packets must; it stops while it owes more than it has. What it leaves is divided among the streams (of kernels, and
//! of a core's long sums and copies) to equal parts, and what a stream cannot use goes to the others. Between two
//! changes nothing has to be computed: the end of a stream is known in closed form.

use std::collections::BTreeMap;

/// Beats of the NIC that the bucket holds: a packet of the largest size.
const BURST: f64 = 64.0;
/// Bytes of a beat.
const BEAT: f64 = 64.0;
/// Less than this is nothing: the rounding of some additions.
const NOTHING: f64 = 1e-6;

/// Number of a stream.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Stream(u64);

#[derive(Clone, Debug)]
struct Demand {
    /// Bytes to come.
    left: f64,
    /// Most bytes a ns.
    most: f64,
}

/// The memory's bandwidth.
#[derive(Clone, Debug)]
pub(crate) struct Channel {
    /// Bytes a ns.
    rate: f64,
    /// Time up to which everything is accounted for, ns.
    now: f64,
    /// What the NIC may still take.
    nic: f64,
    /// What the NIC, and cores line by line, have taken and the streams have not yet gone without.
    owed: f64,
    streams: BTreeMap<Stream, Demand>,
    next: u64,
}

impl Channel {
    /// Memory of this bandwidth, bytes a ns.
    pub(crate) fn new(rate: f64) -> Self {
        Self {
            rate,
            now: 0.0,
            nic: BURST * BEAT,
            owed: 0.0,
            streams: BTreeMap::new(),
            next: 0,
        }
    }

    /// A stream of so many bytes that takes at most `most` a ns, from `now` on.
    pub(crate) fn begin(&mut self, now: f64, bytes: f64, most: f64) -> Stream {
        self.advance(now);
        let stream = Stream(self.next);
        self.next += 1;
        self.streams.insert(stream, Demand { left: bytes, most });
        stream
    }

    /// Whether all bytes of a stream have come.
    pub(crate) fn has_ended(&self, stream: Stream) -> bool {
        self.streams
            .get(&stream)
            .is_none_or(|demand| demand.left <= NOTHING)
    }

    /// Forgets a stream.
    pub(crate) fn end(&mut self, stream: Stream) {
        self.streams.remove(&stream);
    }

    /// Whether the NIC may move a beat.
    pub(crate) fn is_open(&self) -> bool {
        self.nic >= BEAT
    }

    /// The NIC has moved so many beats since the time accounted for.
    pub(crate) fn take(&mut self, beats: u64) {
        let bytes = beats as f64 * BEAT;
        self.nic -= bytes;
        self.owed += bytes;
    }

    /// The host has taken so many lines, one by one.
    pub(crate) fn owe(&mut self, lines: u64) {
        self.owed += lines as f64 * BEAT;
    }

    /// Accounts for the time up to `to`, ns.
    pub(crate) fn advance(&mut self, to: f64) {
        if to <= self.now {
            return;
        }
        self.nic = (self.nic + self.rate * (to - self.now)).min(BURST * BEAT);
        let paid = self.owed.min(self.rate * (to - self.now));
        self.owed -= paid;
        let mut at = self.now + paid / self.rate;
        self.now = to;
        while at < to {
            let shares = self.shares();
            let ends = shares
                .iter()
                .map(|(stream, share)| self.streams[stream].left / share);
            let step = ends.fold(to - at, f64::min).max(0.0);
            if shares.is_empty() {
                return;
            }
            for (stream, share) in shares {
                if let Some(demand) = self.streams.get_mut(&stream) {
                    demand.left = (demand.left - share * step).max(0.0);
                    if demand.left <= NOTHING {
                        demand.left = 0.0;
                    }
                }
            }
            at += step;
        }
    }

    /// What each stream that has not ended gets, bytes a ns: equal parts, and what one cannot use for the others.
    fn shares(&self) -> Vec<(Stream, f64)> {
        let mut waiting: Vec<(Stream, f64)> = self
            .streams
            .iter()
            .filter(|(_, demand)| demand.left > NOTHING)
            .map(|(stream, demand)| (*stream, demand.most))
            .collect();
        waiting.sort_by(|(a, x), (b, y)| x.total_cmp(y).then(a.cmp(b)));
        let mut left = self.rate;
        let count = waiting.len();
        for (place, (_, most)) in waiting.iter_mut().enumerate() {
            let share = most.min(left / (count - place) as f64);
            left -= share;
            *most = share;
        }
        waiting
    }

    /// First cycle after the time accounted for in which a stream ends if nothing changes; `u64::MAX`: there is none.
    pub(crate) fn next_end(&self) -> u64 {
        let shares = self.shares().into_iter();
        let ends = shares.map(|(stream, share)| self.streams[&stream].left / share);
        match ends.reduce(f64::min) {
            Some(wait) => (self.now + self.owed / self.rate + wait - NOTHING).ceil() as u64,
            None => u64::MAX,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Cycles until a stream ends, and how often it had to look.
    fn end_of(channel: &mut Channel, stream: Stream) -> u64 {
        while !channel.has_ended(stream) {
            let next = channel.next_end();
            channel.advance(next as f64);
        }
        channel.now as u64
    }

    #[test]
    fn two_streams_share_to_equal_parts_and_the_last_has_all() {
        let mut channel = Channel::new(100.0);
        let short = channel.begin(0.0, 1000.0, f64::INFINITY);
        let long = channel.begin(0.0, 3000.0, f64::INFINITY);
        assert_eq!(end_of(&mut channel, short), 20);
        assert_eq!(end_of(&mut channel, long), 40);
    }

    #[test]
    fn what_a_slow_stream_leaves_goes_to_the_others() {
        let mut channel = Channel::new(100.0);
        let slow = channel.begin(0.0, 1000.0, 10.0);
        let fast = channel.begin(0.0, 9000.0, f64::INFINITY);
        assert_eq!(end_of(&mut channel, fast), 100);
        assert_eq!(end_of(&mut channel, slow), 100);
    }

    #[test]
    fn beats_of_the_nic_are_taken_from_the_streams() {
        let mut channel = Channel::new(64.0);
        let stream = channel.begin(0.0, 6400.0, f64::INFINITY);
        channel.take(50);
        assert_eq!(end_of(&mut channel, stream), 150);
    }

    #[test]
    fn the_nic_stops_when_the_bucket_is_empty_and_goes_on_at_the_memory_s_rate() {
        let mut channel = Channel::new(16.0);
        let mut beats = 0;
        for cycle in 0..4000 {
            channel.advance(f64::from(cycle));
            if channel.is_open() {
                channel.take(1);
                beats += 1;
            }
        }
        // 64 beats at once, then one in four cycles.
        assert!((1060..=1068).contains(&beats), "{beats}");
    }

    #[test]
    fn streams_end_in_the_same_cycle_however_often_one_looks() {
        let ends = |step: Option<u64>| {
            let mut channel = Channel::new(102.4);
            let a = channel.begin(0.0, 12_345.0, f64::INFINITY);
            let b = channel.begin(7.0, 54_321.0, 33.3);
            let mut found = Vec::new();
            let mut now = 7;
            while found.len() < 2 {
                now = step.map_or_else(|| channel.next_end(), |step| now + step);
                channel.advance(now as f64);
                for stream in [a, b] {
                    if channel.has_ended(stream) && !found.contains(&(stream, now)) {
                        channel.end(stream);
                        if !found.iter().any(|(known, _)| *known == stream) {
                            found.push((stream, now));
                        }
                    }
                }
            }
            found
        };
        assert_eq!(ends(None), ends(Some(1)));
    }
}
