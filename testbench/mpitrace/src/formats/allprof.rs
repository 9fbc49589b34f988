//! liballprof: a line a call, its arguments as the prototype of MPI has them, separated by colons.
//!
//! ```text
//!   MPI_Isend:1203:139:1024:13,8,8:1:99:5641280,0,4:7352:1209
//!             start buffer count datatype,size,extent dest tag communicator,rank,size request end
//! ```
//!
//! Times are in microseconds. Only communicators of all ranks are used: their ranks are world ranks. They are numbered
//! by their first use, the first is MPI_COMM_WORLD. As LogGOPSim reads them, source -1 is MPI_ANY_SOURCE and tag -1 is
//! MPI_ANY_TAG; other negative ranks are MPI_PROC_NULL.

use super::csv::tag;
use super::names::{collective, one_sided};
use super::{Lines, Sink, number, peer, rank, shortened};
use crate::call::{Call, Format, LeftOut, Message, Op, Receive};
use std::collections::BTreeMap;

pub(crate) struct Allprof {
    rank: u32,
    time_ns: u64,
    /// Ranks of the job, from the largest communicator so far.
    job: u32,
    /// Sends and receives by the size of their communicator: whether it is the job's is known at the end.
    waiting: Vec<(u32, Call)>,
    communicators: BTreeMap<u64, u64>,
    persistent: BTreeMap<u64, (u32, Op)>,
}

impl Allprof {
    pub(crate) fn new(rank: u32) -> Self {
        Self {
            rank,
            time_ns: 0,
            job: 0,
            waiting: vec![],
            communicators: BTreeMap::new(),
            persistent: BTreeMap::new(),
        }
    }

    /// A communicator's number and size.
    fn communicator(&mut self, text: &str) -> Result<(u64, u32), String> {
        let [handle, _, size] = triple("communicator", text)?;
        let size = rank("size of a communicator", size as i64)?;
        self.job = self.job.max(size);
        let next = self.communicators.len() as u64;
        let number = *self.communicators.entry(handle).or_insert(next);
        Ok((number, size))
    }

    fn keep(&mut self, size: u32, op: Op, sink: &mut Sink) {
        let call = Call {
            time_ns: self.time_ns,
            rank: self.rank,
            op,
            place: sink.place,
        };
        self.waiting.push((size, call));
    }

    /// Arguments `[count, datatype, dest, tag, communicator]`.
    fn send(&mut self, fields: [&str; 5], blocking: bool) -> Result<Option<(u32, Op)>, String> {
        let [count, datatype, dest, of_tag, comm] = fields;
        let (comm, size) = self.communicator(comm)?;
        let elements: u64 = number("count", count)?;
        let [_, element, _] = triple("datatype", datatype)?;
        let Some(to) = peer("destination", number("destination", dest)?)? else {
            return Ok(None);
        };
        let message = Message {
            to,
            tag: number("tag", of_tag)?,
            comm,
            bytes: elements.checked_mul(element),
            elements: Some(elements),
            blocking,
        };
        Ok(Some((size, Op::Send(message))))
    }

    /// Arguments `[source, tag, communicator]`.
    fn receive(&mut self, fields: [&str; 3], blocking: bool) -> Result<Option<(u32, Op)>, String> {
        let [source, of_tag, comm] = fields;
        let (comm, size) = self.communicator(comm)?;
        let from = match number("source", source)? {
            -1 => None,
            value => match peer("source", value)? {
                None => return Ok(None),
                some => some,
            },
        };
        let receive = Receive {
            from,
            tag: tag(number("tag", of_tag)?)?,
            comm,
            blocking,
        };
        Ok(Some((size, Op::Receive(receive))))
    }

    fn store(&mut self, what: Option<(u32, Op)>, sink: &mut Sink) {
        match what {
            Some((size, op)) => self.keep(size, op, sink),
            None => sink.leave_out(LeftOut::ProcNull),
        }
    }

    fn function(&mut self, function: &str, fields: &[&str], sink: &mut Sink) -> Result<(), String> {
        let name = function
            .strip_prefix("MPI_")
            .unwrap_or(function)
            .to_ascii_lowercase();
        let name = name.as_str();
        let waits = |count: &str| number("count", count).map(Op::Wait);
        match (name, fields) {
            ("send" | "bsend" | "ssend" | "rsend", [_, a, b, c, d, e]) => {
                let what = self.send([a, b, c, d, e], true)?;
                self.store(what, sink);
            }
            ("isend" | "ibsend" | "issend" | "irsend", [_, a, b, c, d, e, _]) => {
                let what = self.send([a, b, c, d, e], false)?;
                self.store(what, sink);
            }
            ("recv" | "irecv", [_, _, _, a, b, c, _]) => {
                let what = self.receive([a, b, c], name == "recv")?;
                self.store(what, sink);
            }
            ("sendrecv", [_, a, b, c, d, _, _, _, f, g, comm, _]) => {
                let posted = self.receive([f, g, comm], true)?;
                self.store(posted, sink);
                let sent = self.send([a, b, c, d, comm], true)?;
                self.store(sent, sink);
            }
            ("sendrecv_replace", [_, a, b, c, d, f, g, comm, _]) => {
                let posted = self.receive([f, g, comm], true)?;
                self.store(posted, sink);
                let sent = self.send([a, b, c, d, comm], true)?;
                self.store(sent, sink);
            }
            (
                "send_init" | "bsend_init" | "ssend_init" | "rsend_init",
                [_, a, b, c, d, e, request],
            ) => {
                let what = self.send([a, b, c, d, e], false)?;
                self.persist(request, what)?;
            }
            ("recv_init", [_, _, _, a, b, c, request]) => {
                let what = self.receive([a, b, c], false)?;
                self.persist(request, what)?;
            }
            ("start", [request]) => match self.persistent.get(&number("request", request)?) {
                Some(&(size, op)) => self.keep(size, op, sink),
                None => sink.leave_out(LeftOut::Argument),
            },
            ("startall", [count, _]) => {
                for _ in 0..number::<u16>("count", count)? {
                    sink.leave_out(LeftOut::Argument);
                }
            }
            ("wait", [_, _]) => sink.call(self.time_ns, self.rank, Op::Wait(1)),
            ("waitall", [count, _, _])
            | ("waitany", [count, _, _, _])
            | ("waitsome", [count, ..]) => {
                sink.call(self.time_ns, self.rank, waits(count)?);
            }
            (
                "send" | "bsend" | "ssend" | "rsend" | "isend" | "ibsend" | "issend" | "irsend",
                _,
            )
            | ("recv" | "irecv" | "sendrecv" | "sendrecv_replace" | "recv_init" | "start", _)
            | ("send_init" | "bsend_init" | "ssend_init" | "rsend_init" | "startall", _)
            | ("wait" | "waitall" | "waitany" | "waitsome", _) => {
                return Err(format!("{function} with {} arguments", fields.len()));
            }
            _ => self.other(function, name, fields, sink),
        }
        Ok(())
    }

    fn persist(&mut self, request: &str, what: Option<(u32, Op)>) -> Result<(), String> {
        let request = number("request", request)?;
        match what {
            Some(what) => self.persistent.insert(request, what),
            None => self.persistent.remove(&request),
        };
        Ok(())
    }

    fn other(&mut self, function: &str, name: &str, fields: &[&str], sink: &mut Sink) {
        let op = match (collective(name), one_sided(name)) {
            (Some(name), _) => Op::Collective(name, contribution(fields)),
            (_, Some(name)) => Op::OneSided(name, contribution(fields)),
            _ => return sink.other(function),
        };
        sink.call(self.time_ns, self.rank, op);
    }
}

impl Lines for Allprof {
    fn format(&self) -> Format {
        Format::Allprof
    }

    fn rank(&self) -> Option<u32> {
        Some(self.rank)
    }

    fn line(&mut self, line: &str, sink: &mut Sink) -> Result<(), String> {
        if line.starts_with('#') {
            return Ok(());
        }
        let fields: Vec<&str> = line.split(':').collect();
        let [function, start, arguments @ .., end] = &fields[..] else {
            return Err(format!("no call: {:?}", shortened(line)));
        };
        if !function.starts_with("MPI_") {
            return Err(format!("no function of MPI: {:?}", shortened(function)));
        }
        if let Some(time) = time_ns(start)? {
            // The order of the file is the order of the rank, whatever its clock does.
            self.time_ns = self.time_ns.max(time);
        }
        time_ns(end)?;
        self.function(function, arguments, sink)
    }

    fn end(&mut self, sink: &mut Sink) -> Result<(), String> {
        sink.name(self.rank);
        if self.job > 0 {
            sink.name(self.job - 1);
        }
        for (size, call) in std::mem::take(&mut self.waiting) {
            if size == self.job {
                sink.place = call.place;
                sink.call(call.time_ns, call.rank, call.op);
            } else {
                sink.leave_out(LeftOut::Members);
            }
        }
        Ok(())
    }
}

/// Microseconds as nanoseconds; `-` is no time.
fn time_ns(text: &str) -> Result<Option<u64>, String> {
    if text == "-" {
        return Ok(None);
    }
    let microseconds: f64 = number("time", text)?;
    if !(0.0..1e15).contains(&microseconds) {
        return Err(format!("time {microseconds} microseconds"));
    }
    Ok(Some((microseconds * 1e3).round() as u64))
}

/// `a,b,c`.
fn triple(what: &str, text: &str) -> Result<[u64; 3], String> {
    let parts: Vec<&str> = text.split(',').collect();
    let Ok([a, b, c]) = <[&str; 3]>::try_from(parts) else {
        return Err(format!(
            "{what} is {:?}, must be three numbers",
            shortened(text)
        ));
    };
    Ok([number(what, a)?, number(what, b)?, number(what, c)?])
}

/// Bytes of the first buffer: the first `count:datatype,size,extent`. A communicator alone has no count before it.
fn contribution(fields: &[&str]) -> Option<u64> {
    let (count, datatype) = fields
        .iter()
        .zip(fields.get(1..)?)
        .find(|(count, datatype)| count.parse::<u64>().is_ok() && triple("", datatype).is_ok())?;
    let [_, size, _] = triple("", datatype).ok()?;
    count.parse::<u64>().ok()?.checked_mul(size)
}
