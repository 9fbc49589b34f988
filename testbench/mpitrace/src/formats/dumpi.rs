//! DUMPI as text: `MPI_x entering at walltime ..`, an argument a line, `MPI_x returning at walltime ..`.
//!
//! Ranks are those of a communicator; only MPI_COMM_WORLD, its duplicates and MPI_COMM_SELF say which world ranks they
//! are. MPI_ANY_SOURCE and MPI_ANY_TAG are -1; other negative ranks are MPI_PROC_NULL.

use super::csv::tag;
use super::names::{bytes_of, collective, one_sided};
use super::{Lines, Sink, number, peer, shortened};
use crate::call::{Format, LeftOut, Message, Op, Receive};
use std::collections::{BTreeMap, BTreeSet};
use std::str::FromStr;

/// Handles of DUMPI.
const COMM_WORLD: u64 = 2;
const COMM_SELF: u64 = 3;

pub(crate) struct Dumpi {
    rank: u32,
    time_ns: u64,
    open: Option<Open>,
    duplicates: BTreeSet<u64>,
    persistent: BTreeMap<u64, Op>,
}

/// A call that has not returned.
struct Open {
    name: String,
    arguments: BTreeMap<String, String>,
}

/// Names of the arguments of a message.
struct Names {
    count: &'static str,
    datatype: &'static str,
    tag: &'static str,
}

const PLAIN: Names = Names {
    count: "count",
    datatype: "datatype",
    tag: "tag",
};

impl Dumpi {
    pub(crate) fn new(rank: u32) -> Self {
        Self {
            rank,
            time_ns: 0,
            open: None,
            duplicates: BTreeSet::new(),
            persistent: BTreeMap::new(),
        }
    }

    fn enter(&mut self, name: &str, when: &str) -> Result<(), String> {
        let time = time_ns(when)?;
        // The order of the file is the order of the rank, whatever its clock does.
        self.time_ns = self.time_ns.max(time);
        self.open = Some(Open {
            name: name.into(),
            arguments: BTreeMap::new(),
        });
        Ok(())
    }

    /// The world rank of a communicator's rank; `Err`: why there is none.
    fn world(&self, comm: u64, value: u32) -> Result<(u32, u64), LeftOut> {
        match comm {
            COMM_WORLD => Ok((value, 0)),
            COMM_SELF => Ok((self.rank, comm)),
            _ if self.duplicates.contains(&comm) => Ok((value, comm)),
            _ => Err(LeftOut::Members),
        }
    }

    fn send(
        &self,
        call: &Open,
        names: Names,
        blocking: bool,
    ) -> Result<Result<Op, LeftOut>, String> {
        let (Some(to), Some(of_tag), Some(comm)) = (
            call.int("dest")?,
            call.int::<i32>(names.tag)?,
            call.int("comm")?,
        ) else {
            return Ok(Err(LeftOut::Argument));
        };
        let Some(to) = peer("dest", to)? else {
            return Ok(Err(LeftOut::ProcNull));
        };
        let elements = call.int(names.count)?;
        let element = call.named(names.datatype).and_then(bytes_of);
        let world = self.world(comm, to);
        if of_tag < 0 {
            return Err(format!("tag {of_tag} of a send is below 0"));
        }
        Ok(world.map(|(to, comm)| {
            Op::Send(Message {
                to,
                tag: of_tag,
                comm,
                bytes: element
                    .zip(elements)
                    .and_then(|(size, count)| size.checked_mul(count)),
                elements,
                blocking,
            })
        }))
    }

    fn receive(
        &self,
        call: &Open,
        name: &str,
        blocking: bool,
    ) -> Result<Result<Op, LeftOut>, String> {
        let (Some(source), Some(of_tag), Some(comm)) =
            (call.int("source")?, call.int(name)?, call.int("comm")?)
        else {
            return Ok(Err(LeftOut::Argument));
        };
        let (from, comm) = match (source, peer("source", source)?) {
            (_, Some(from)) => match self.world(comm, from) {
                Ok((from, comm)) => (Some(from), comm),
                Err(why) => return Ok(Err(why)),
            },
            // Whether the communicator is known; its rank 0 stands for any.
            (-1, None) => match self.world(comm, 0) {
                Ok((_, comm)) => (None, comm),
                Err(why) => return Ok(Err(why)),
            },
            _ => return Ok(Err(LeftOut::ProcNull)),
        };
        let of_tag = tag(of_tag)?;
        Ok(Ok(Op::Receive(Receive {
            from,
            tag: of_tag,
            comm,
            blocking,
        })))
    }

    fn keep(&self, what: Result<Op, LeftOut>, sink: &mut Sink) {
        match what {
            Ok(op) => sink.call(self.time_ns, self.rank, op),
            Err(why) => sink.leave_out(why),
        }
    }

    fn returned(&mut self, call: &Open, sink: &mut Sink) -> Result<(), String> {
        let lower = call.name.strip_prefix("MPI_").unwrap_or(&call.name);
        let lower = lower.to_ascii_lowercase();
        match lower.as_str() {
            "send" | "bsend" | "ssend" | "rsend" => {
                self.keep(self.send(call, PLAIN, true)?, sink);
            }
            "isend" | "ibsend" | "issend" | "irsend" => {
                self.keep(self.send(call, PLAIN, false)?, sink);
            }
            "recv" | "irecv" => self.keep(self.receive(call, "tag", lower == "recv")?, sink),
            "sendrecv" | "sendrecv_replace" => {
                let (count, datatype) = match lower.as_str() {
                    "sendrecv" => ("sendcount", "sendtype"),
                    _ => ("count", "datatype"),
                };
                self.keep(self.receive(call, "recvtag", true)?, sink);
                let names = Names {
                    count,
                    datatype,
                    tag: "sendtag",
                };
                self.keep(self.send(call, names, true)?, sink);
            }
            "send_init" | "bsend_init" | "ssend_init" | "rsend_init" => {
                let what = self.send(call, PLAIN, false)?;
                self.persist(call, what, sink)?;
            }
            "recv_init" => {
                let what = self.receive(call, "tag", false)?;
                self.persist(call, what, sink)?;
            }
            "start" => self.start(call, "request", sink)?,
            "startall" => self.start(call, "requests", sink)?,
            "wait" => sink.call(self.time_ns, self.rank, Op::Wait(1)),
            "waitall" | "waitany" | "waitsome" => {
                let count: Option<u32> = call.int("count")?;
                sink.call(self.time_ns, self.rank, Op::Wait(count.unwrap_or(0)));
            }
            "comm_dup" => {
                self.duplicate(call)?;
                sink.other(&call.name);
            }
            other => self.other(call, other, sink)?,
        }
        Ok(())
    }

    fn other(&self, call: &Open, lower: &str, sink: &mut Sink) -> Result<(), String> {
        let op = match (collective(lower), one_sided(lower)) {
            (Some(name), _) => Op::Collective(name, call.contribution()?),
            (_, Some(name)) => Op::OneSided(name, call.contribution()?),
            _ => {
                // The only place where the size of the job stands.
                if lower == "comm_size" && call.int::<u64>("comm")? == Some(COMM_WORLD) {
                    let size: Option<i64> = call.int("size")?;
                    let last = size.map(|size| super::rank("size", size - 1)).transpose()?;
                    last.into_iter().for_each(|rank| sink.name(rank));
                }
                sink.other(&call.name);
                return Ok(());
            }
        };
        sink.call(self.time_ns, self.rank, op);
        Ok(())
    }

    fn duplicate(&mut self, call: &Open) -> Result<(), String> {
        let old = match call.int("oldcomm")? {
            None => call.int("comm")?,
            some => some,
        };
        if old.is_some_and(|old| old == COMM_WORLD || self.duplicates.contains(&old)) {
            self.duplicates.extend(call.int::<u64>("newcomm")?);
        }
        Ok(())
    }

    fn persist(
        &mut self,
        call: &Open,
        what: Result<Op, LeftOut>,
        sink: &mut Sink,
    ) -> Result<(), String> {
        match (what, call.list("request")?.first()) {
            (Ok(op), Some(&request)) => {
                self.persistent.insert(request, op);
            }
            (Err(why), _) => sink.leave_out(why),
            (_, None) => sink.leave_out(LeftOut::Argument),
        }
        Ok(())
    }

    fn start(&mut self, call: &Open, requests: &str, sink: &mut Sink) -> Result<(), String> {
        let requests = call.list(requests)?;
        if requests.is_empty() {
            sink.leave_out(LeftOut::Argument);
        }
        for request in requests {
            let known = self.persistent.get(&request).copied();
            self.keep(known.ok_or(LeftOut::Argument), sink);
        }
        Ok(())
    }
}

impl Lines for Dumpi {
    fn format(&self) -> Format {
        Format::Dumpi
    }

    fn rank(&self) -> Option<u32> {
        Some(self.rank)
    }

    fn line(&mut self, line: &str, sink: &mut Sink) -> Result<(), String> {
        if let Some((name, when)) = line.split_once(" entering at walltime ") {
            if let Some(open) = &self.open {
                return Err(format!("{name} enters, but {} has not returned", open.name));
            }
            return self.enter(name, when);
        }
        if let Some((name, when)) = line.split_once(" returning at walltime ") {
            time_ns(when)?;
            let Some(open) = self.open.take_if(|open| open.name == name) else {
                return Err(match &self.open {
                    Some(open) => format!("{name} returns, but {} was entered", open.name),
                    None => format!("{name} returns, but was not entered"),
                });
            };
            return self.returned(&open, sink);
        }
        let Some(open) = &mut self.open else {
            // Before the first call stand facts of the run, after the last one counts of functions.
            return Ok(());
        };
        if line.starts_with("Perfcounters:") {
            return Ok(());
        }
        let Some((left, value)) = line.split_once('=') else {
            return Err(format!(
                "no argument of {}: {:?}",
                open.name,
                shortened(line)
            ));
        };
        let name = left.rsplit(' ').next().unwrap_or(left);
        let name = name.split('[').next().unwrap_or(name);
        open.arguments.insert(name.into(), value.into());
        Ok(())
    }

    fn end(&mut self, sink: &mut Sink) -> Result<(), String> {
        sink.name(self.rank);
        match &self.open {
            Some(open) => Err(format!("the file ends, but {} has not returned", open.name)),
            None => Ok(()),
        }
    }
}

impl Open {
    /// An argument that is there.
    fn text(&self, name: &str) -> Option<&str> {
        let text = self.arguments.get(name)?;
        (text != "<IGNORED>").then_some(text)
    }

    /// `9 (MPI_INT)`: the number.
    fn int<T: FromStr>(&self, name: &str) -> Result<Option<T>, String> {
        let Some(text) = self.text(name) else {
            return Ok(None);
        };
        let digits = text.split(' ').next().unwrap_or(text);
        number(name, digits).map(Some)
    }

    /// `9 (MPI_INT)`: the name.
    fn named(&self, name: &str) -> Option<&str> {
        let (_, named) = self.text(name)?.split_once('(')?;
        named.strip_suffix(')')
    }

    /// `[2, 3]`.
    fn list(&self, name: &str) -> Result<Vec<u64>, String> {
        let Some(text) = self.text(name) else {
            return Ok(vec![]);
        };
        let inner = text
            .strip_prefix('[')
            .and_then(|text| text.strip_suffix(']'));
        let inner = inner.ok_or_else(|| format!("{name} is {:?}, no list", shortened(text)))?;
        let numbers = inner.split(',').filter(|part| !part.trim().is_empty());
        numbers.map(|part| number(name, part)).collect()
    }

    /// Bytes of the caller's own buffer.
    fn contribution(&self) -> Result<Option<u64>, String> {
        for (count, datatype) in [
            ("count", "datatype"),
            ("sendcount", "sendtype"),
            ("origincount", "origintype"),
        ] {
            // Counts of alltoallv are lists; their sum is not looked at.
            let list = self.text(count).is_some_and(|text| text.starts_with('['));
            if let (false, Some(size)) = (list, self.named(datatype).and_then(bytes_of)) {
                let count: Option<u64> = self.int(count)?;
                return Ok(count.and_then(|count| count.checked_mul(size)));
            }
        }
        Ok(None)
    }
}

/// `1296777956.737669000, cputime 0.007712000 seconds in thread 0.`: the first time in nanoseconds.
fn time_ns(when: &str) -> Result<u64, String> {
    let wrong = || {
        format!(
            "walltime {:?}, must be seconds.nanoseconds",
            shortened(when)
        )
    };
    let (seconds, rest) = when.split_once('.').ok_or_else(wrong)?;
    let (nanoseconds, _) = rest.split_once(',').ok_or_else(wrong)?;
    let seconds: u64 = number("seconds", seconds)?;
    let nanoseconds: u64 = number("nanoseconds", nanoseconds)?;
    let whole = seconds.checked_mul(1_000_000_000).ok_or_else(wrong)?;
    whole.checked_add(nanoseconds).ok_or_else(wrong)
}
