//! A run as a trace in the JSON trace event format, which Perfetto and `chrome://tracing` show.
//!
//! Nodes are groups of tracks; the stages of a NIC, the tasks of a GPU and the steps of a host program are slices on
//! them, and a flow connects the slices of one message. Slices of a track that overlap stand on lanes of their own:
//! viewers take slices of one thread for nested. A cycle is a nanosecond.

mod l2;
mod nodes;
mod stages;
mod target;

pub use l2::of_l2;
pub use nodes::of_nodes;
pub use target::of_target;

use serde::Serialize;
use serde_json::{Value, json};

/// A group of tracks.
#[derive(Clone, Copy)]
struct Group(usize);

/// A track of a group, made of as many lanes as its slices need.
#[derive(Clone, Copy)]
struct Track(usize);

/// A slice that a flow passes.
#[derive(Clone, Copy)]
struct Slice(usize);

/// A trace that is put together.
pub struct Trace {
    title: String,
    engine: String,
    groups: Vec<String>,
    /// Group and name.
    tracks: Vec<(usize, String)>,
    slices: Vec<Span>,
    instants: Vec<Instant>,
    /// Name, and the slices that it passes.
    flows: Vec<(String, Vec<usize>)>,
}

/// A slice: from the start of one cycle to that of another.
struct Span {
    track: usize,
    name: String,
    category: &'static str,
    start: u64,
    end: u64,
    args: Value,
}

/// What happened in no time.
struct Instant {
    track: usize,
    name: String,
    category: &'static str,
    cycle: u64,
}

/// What viewers read.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Document<'a> {
    display_time_unit: &'static str,
    other_data: Value,
    trace_events: Vec<Event<'a>>,
}

/// An event of the format; the names of the fields are the format's.
#[derive(Default, Serialize)]
struct Event<'a> {
    ph: &'static str,
    name: &'a str,
    pid: usize,
    tid: usize,
    #[serde(skip_serializing_if = "Option::is_none")]
    cat: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    ts: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    dur: Option<f64>,
    /// Number of a flow.
    #[serde(skip_serializing_if = "Option::is_none")]
    id: Option<usize>,
    /// The end of a flow is in the slice around it, not in the next.
    #[serde(skip_serializing_if = "Option::is_none")]
    bp: Option<&'static str>,
    /// An instant is one of its thread.
    #[serde(skip_serializing_if = "Option::is_none")]
    s: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    args: Option<Value>,
}

impl Trace {
    fn new(title: &str, engine: &str) -> Self {
        Self {
            title: title.to_owned(),
            engine: engine.to_owned(),
            groups: Vec::new(),
            tracks: Vec::new(),
            slices: Vec::new(),
            instants: Vec::new(),
            flows: Vec::new(),
        }
    }

    fn group(&mut self, name: impl Into<String>) -> Group {
        self.groups.push(name.into());
        Group(self.groups.len() - 1)
    }

    fn track(&mut self, group: Group, name: impl Into<String>) -> Track {
        self.tracks.push((group.0, name.into()));
        Track(self.tracks.len() - 1)
    }

    /// Adds a slice; none if one end is not known, or nothing passes between them.
    fn slice(
        &mut self,
        track: Track,
        name: impl Into<String>,
        category: &'static str,
        (start, end): (Option<u64>, Option<u64>),
        args: Value,
    ) -> Option<Slice> {
        let (start, end) = (start?, end?);
        if start >= end {
            return None;
        }
        self.slices.push(Span {
            track: track.0,
            name: name.into(),
            category,
            start,
            end,
            args,
        });
        Some(Slice(self.slices.len() - 1))
    }

    fn instant(
        &mut self,
        track: Track,
        name: impl Into<String>,
        category: &'static str,
        cycle: u64,
    ) {
        self.instants.push(Instant {
            track: track.0,
            name: name.into(),
            category,
            cycle,
        });
    }

    /// Connects slices, in the order in which they begin. One slice alone needs no flow.
    fn flow(&mut self, name: impl Into<String>, slices: impl IntoIterator<Item = Slice>) {
        let mut slices: Vec<usize> = slices.into_iter().map(|slice| slice.0).collect();
        slices.sort_by_key(|slice| self.slices[*slice].start);
        if slices.len() > 1 {
            self.flows.push((name.into(), slices));
        }
    }

    /// The lane of each slice on its track, and how many lanes each track has: the first that is free.
    fn lanes(&self) -> (Vec<usize>, Vec<usize>) {
        let mut order: Vec<usize> = (0..self.slices.len()).collect();
        order.sort_by_key(|slice| (self.slices[*slice].start, self.slices[*slice].end));
        let mut ends: Vec<Vec<u64>> = vec![Vec::new(); self.tracks.len()];
        let mut lanes = vec![0; self.slices.len()];
        for slice in order {
            let Span {
                track, start, end, ..
            } = self.slices[slice];
            let free = ends[track].iter().position(|taken| *taken <= start);
            let lane = free.unwrap_or_else(|| {
                ends[track].push(0);
                ends[track].len() - 1
            });
            ends[track][lane] = end;
            lanes[slice] = lane;
        }
        (lanes, ends.iter().map(|ends| ends.len().max(1)).collect())
    }

    /// The trace as JSON. The number of a thread is that of no other in the whole trace, nor of a process: Perfetto
    /// takes equal numbers for one thread. Errors: of the writer.
    pub fn json(&self) -> serde_json::Result<String> {
        let (lanes, counts) = self.lanes();
        // The number of each track's first thread.
        let firsts: Vec<usize> = counts
            .iter()
            .scan(self.groups.len() + 1, |next, count| {
                let first = *next;
                *next += count;
                Some(first)
            })
            .collect();
        let place = |track: usize, lane: usize| (self.tracks[track].0 + 1, firsts[track] + lane);
        let mut events = Vec::new();
        for (number, name) in self.groups.iter().enumerate() {
            events.extend(named("process", (number + 1, number + 1), name, number));
        }
        for (number, (_, name)) in self.tracks.iter().enumerate() {
            for lane in 0..counts[number] {
                events.extend(named("thread", place(number, lane), name, number));
            }
        }
        for (span, lane) in self.slices.iter().zip(&lanes) {
            let (pid, tid) = place(span.track, *lane);
            events.push(Event {
                ph: "X",
                name: &span.name,
                cat: Some(span.category),
                ts: Some(microseconds(span.start)),
                dur: Some(microseconds(span.end - span.start)),
                args: Some(span.args.clone()),
                ..at(pid, tid)
            });
        }
        for instant in &self.instants {
            let (pid, tid) = place(instant.track, 0);
            events.push(Event {
                ph: "i",
                name: &instant.name,
                cat: Some(instant.category),
                ts: Some(microseconds(instant.cycle)),
                s: Some("t"),
                ..at(pid, tid)
            });
        }
        for (number, (name, slices)) in self.flows.iter().enumerate() {
            for (step, slice) in slices.iter().enumerate() {
                let span = &self.slices[*slice];
                let (pid, tid) = place(span.track, lanes[*slice]);
                let (first, last) = (step == 0, step + 1 == slices.len());
                events.push(Event {
                    ph: if first {
                        "s"
                    } else if last {
                        "f"
                    } else {
                        "t"
                    },
                    name,
                    cat: Some("message"),
                    id: Some(number + 1),
                    ts: Some(microseconds(span.start)),
                    bp: last.then_some("e"),
                    ..at(pid, tid)
                });
            }
        }
        serde_json::to_string(&Document {
            display_time_unit: "ns",
            other_data: json!({ "title": self.title, "engine": self.engine, "cycle": "1 ns" }),
            trace_events: events,
        })
    }
}

/// An event on a thread.
fn at<'a>(pid: usize, tid: usize) -> Event<'a> {
    Event {
        pid,
        tid,
        ..Event::default()
    }
}

/// The name of a process or thread, and its place among the others.
fn named<'a>(what: &str, (pid, tid): (usize, usize), name: &str, order: usize) -> [Event<'a>; 2] {
    let (title, place) = match what {
        "process" => ("process_name", "process_sort_index"),
        _ => ("thread_name", "thread_sort_index"),
    };
    let metadata = |kind, args| Event {
        ph: "M",
        name: kind,
        args: Some(args),
        ..at(pid, tid)
    };
    [
        metadata(title, json!({ "name": name })),
        metadata(place, json!({ "sort_index": order })),
    ]
}

/// Cycles as the format counts time. Readers multiply by 1000 and cut off what is after the point, so the number is the
/// least that gives these cycles again.
fn microseconds(cycles: u64) -> f64 {
    let mut time = cycles as f64 / 1000.0;
    while ((time * 1000.0) as u64) < cycles {
        time = time.next_up();
    }
    time
}
