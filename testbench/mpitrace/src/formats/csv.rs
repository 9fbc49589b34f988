//! CSV: one row a call, all ranks in one file, sorted by time.
//!
//! | column | meaning |
//! |---|---|
//! | `t_ns` | time, good for ordering only |
//! | `rank` | the caller |
//! | `op` | send, isend, recv, irecv, wait, waitall, waitany, a collective, accumulate, put, get |
//! | `peer` | world rank; of receives -1 is MPI_ANY_SOURCE, -2 MPI_PROC_NULL |
//! | `tag` | -1 is MPI_ANY_TAG |
//! | `comm` | 0 is MPI_COMM_WORLD, else a number of that rank |
//! | `bytes` | the caller's contribution; of waits the number of requests |

use super::names::{collective, one_sided};
use super::{Lines, Sink, number, peer, rank, shortened};
use crate::call::{Format, LeftOut, Message, Op, Receive};

/// Names of the columns.
pub(super) const COLUMNS: [&str; 7] = ["t_ns", "rank", "op", "peer", "tag", "comm", "bytes"];

#[derive(Default)]
pub(crate) struct Csv {
    rank: Option<u32>,
    time: u64,
}

impl Lines for Csv {
    fn format(&self) -> Format {
        Format::Csv
    }

    fn rank(&self) -> Option<u32> {
        self.rank
    }

    fn line(&mut self, line: &str, sink: &mut Sink) -> Result<(), String> {
        self.rank = None;
        let fields: Vec<&str> = line.split(',').map(str::trim).collect();
        let Ok(fields) = <[&str; 7]>::try_from(fields) else {
            let columns = line.split(',').count();
            return Err(format!(
                "{columns} columns, must be 7: {}",
                COLUMNS.join(", ")
            ));
        };
        if fields == COLUMNS {
            return Ok(());
        }
        let [time, of_rank, op, other, tag, comm, bytes] = fields;
        let of_rank = rank("rank", number("rank", of_rank)?)?;
        self.rank = Some(of_rank);
        let time: u64 = number("t_ns", time)?;
        if time < self.time {
            return Err(format!(
                "t_ns {time} is before the row above; rows are sorted by time"
            ));
        }
        self.time = time;
        let row = Row {
            op,
            peer: number("peer", other)?,
            tag: number("tag", tag)?,
            comm: number("comm", comm)?,
            bytes: number("bytes", bytes)?,
        };
        match row.op()? {
            Some(op) => sink.call(time, of_rank, op),
            None => sink.leave_out(LeftOut::ProcNull),
        }
        Ok(())
    }

    fn end(&mut self, _: &mut Sink) -> Result<(), String> {
        Ok(())
    }
}

struct Row<'a> {
    op: &'a str,
    peer: i64,
    tag: i32,
    comm: u64,
    bytes: u64,
}

impl Row<'_> {
    /// What it does; nothing with MPI_PROC_NULL.
    fn op(&self) -> Result<Option<Op>, String> {
        let bytes = Some(self.bytes);
        Ok(Some(match self.op {
            "send" | "isend" => {
                if self.tag < 0 {
                    return Err(format!("tag {} of a send is below 0", self.tag));
                }
                let Some(to) = peer("peer", self.peer)? else {
                    return Ok(None);
                };
                Op::Send(Message {
                    to,
                    tag: self.tag,
                    comm: self.comm,
                    bytes,
                    elements: None,
                    blocking: self.op == "send",
                })
            }
            "recv" | "irecv" => {
                let from = match self.peer {
                    -1 => None,
                    value => match peer("peer", value)? {
                        None => return Ok(None),
                        some => some,
                    },
                };
                Op::Receive(Receive {
                    from,
                    tag: tag(self.tag)?,
                    comm: self.comm,
                    blocking: self.op == "recv",
                })
            }
            "wait" | "waitall" | "waitany" => {
                let requests = u32::try_from(self.bytes);
                Op::Wait(requests.map_err(|_| format!("{} requests of a wait", self.bytes))?)
            }
            other => match (collective(other), one_sided(other)) {
                (Some(name), _) => Op::Collective(name, bytes),
                (_, Some(name)) => Op::OneSided(name, bytes),
                _ => return Err(format!("no operation {:?}", shortened(other))),
            },
        }))
    }
}

/// The tag of a receive; -1 is any.
pub(super) fn tag(value: i32) -> Result<Option<i32>, String> {
    match value {
        -1 => Ok(None),
        0.. => Ok(Some(value)),
        _ => Err(format!("tag {value} of a receive; -1 is MPI_ANY_TAG")),
    }
}
