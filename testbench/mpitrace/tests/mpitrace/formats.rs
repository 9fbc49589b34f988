//! Each format, by a small trace made by hand from its description.

use crate::common::{data, trace};
use std::cell::RefCell;
use xtq_mpi_trace::{Call, Format, LeftOut, Message, Op, Place, Receive, read};

fn ops(name: &str) -> Vec<(u64, u32, Op)> {
    let calls = trace(name).calls;
    calls
        .iter()
        .map(|call| (call.time_ns, call.rank, call.op))
        .collect()
}

fn message(to: u32, tag: i32, comm: u64, bytes: u64) -> Message {
    Message {
        to,
        tag,
        comm,
        bytes: Some(bytes),
        elements: None,
        blocking: true,
    }
}

fn receive(from: impl Into<Option<u32>>, tag: impl Into<Option<i32>>) -> Receive {
    Receive {
        from: from.into(),
        tag: tag.into(),
        comm: 0,
        blocking: false,
    }
}

#[test]
fn a_csv_trace_has_wildcards_blocking_calls_and_no_proc_null() {
    let isend = Message {
        blocking: false,
        ..message(0, 5, 0, 64)
    };
    let recv = Receive {
        blocking: true,
        ..receive(3, 9)
    };
    let expected = [
        (10, 0, Op::Receive(receive(1, 5))),
        (20, 0, Op::Receive(receive(None, None))),
        (30, 2, Op::Send(message(0, 7, 0, 8))),
        (40, 1, Op::Send(isend)),
        (50, 3, Op::Send(message(0, 9, 0, 16))),
        (60, 0, Op::Receive(recv)),
        (70, 0, Op::Wait(2)),
        (100, 0, Op::Collective("allreduce", Some(8))),
        (110, 1, Op::OneSided("accumulate", Some(128))),
    ];
    assert_eq!(ops("four.csv"), expected);
    let trace = trace("four.csv");
    assert_eq!((trace.format, trace.ranks), (Format::Csv, 4));
    assert_eq!(trace.left_out[&LeftOut::ProcNull], 2);
    assert_eq!(trace.missing(), []);
    assert_eq!(trace.calls[0].place, Place { file: 0, line: 2 });
}

#[test]
fn zstd_is_unpacked() {
    assert_eq!(ops("four.csv.zst"), ops("four.csv"));
}

#[test]
fn dumpi_files_of_two_ranks_become_one_order() {
    let any = Receive {
        comm: 4,
        ..receive(None, None)
    };
    let started = Message {
        elements: Some(2),
        blocking: false,
        ..message(1, 6, 0, 16)
    };
    let posted = Receive {
        blocking: true,
        ..receive(0, 6)
    };
    let sent = Message {
        elements: Some(3),
        ..message(0, 1, 0, 12)
    };
    // Its datatype is user-defined: elements are known, bytes are not.
    let last = Message {
        bytes: None,
        elements: Some(1),
        ..message(0, 2, 4, 0)
    };
    let at = |ns: u64| 100_000_000_000 + ns;
    let expected = [
        (at(10), 0, Op::Receive(any)),
        (at(12), 1, Op::Receive(posted)),
        (at(12), 1, Op::Send(sent)),
        (at(14), 0, Op::Send(started)),
        (at(18), 0, Op::Wait(2)),
        (at(20), 1, Op::Send(last)),
    ];
    assert_eq!(ops("dumpi"), expected);
    let trace = trace("dumpi");
    assert_eq!((trace.format, trace.ranks), (Format::Dumpi, 3));
    assert_eq!(trace.missing(), [2]);
    assert_eq!(trace.left_out[&LeftOut::Members], 1);
    assert_eq!(trace.others["MPI_Comm_dup"], 2);
}

#[test]
fn allprof_files_of_two_ranks_become_one_order() {
    let posted = receive(1, 9);
    let any = Receive {
        blocking: true,
        ..receive(None, None)
    };
    let started = Message {
        elements: Some(4),
        blocking: false,
        ..message(0, 9, 0, 16)
    };
    let sent = Message { tag: 1, ..started };
    let expected = [
        (2_000, 0, Op::Receive(posted)),
        (2_250, 1, Op::Send(started)),
        (3_000, 0, Op::Receive(any)),
        (3_500, 1, Op::Send(sent)),
        (4_000, 1, Op::Wait(2)),
        (7_000, 0, Op::Collective("bcast", Some(12))),
        (9_000, 0, Op::Collective("barrier", None)),
    ];
    assert_eq!(ops("allprof"), expected);
    let trace = trace("allprof");
    assert_eq!((trace.format, trace.ranks), (Format::Allprof, 2));
    assert_eq!(trace.left_out[&LeftOut::Members], 1);
    assert_eq!(trace.left_out[&LeftOut::ProcNull], 1);
    assert_eq!(trace.others["MPI_Finalize"], 2);
}

#[test]
fn progress_ends_with_all_bytes() {
    let seen = RefCell::new(vec![]);
    let size = std::fs::metadata(data("four.csv.zst")).unwrap().len();
    read(&[data("four.csv.zst")], &|done, total| {
        seen.borrow_mut().push((done, total));
    })
    .unwrap();
    let seen = seen.into_inner();
    assert!(seen.windows(2).all(|pair| pair[0].0 <= pair[1].0));
    assert_eq!(seen.last(), Some(&(size, size)));
}

#[test]
fn every_call_names_its_line() {
    let trace = trace("allprof");
    let place = |call: &Call| {
        (
            trace.files[call.place.file as usize].clone(),
            call.place.line,
        )
    };
    let (file, line) = place(&trace.calls[1]);
    assert!(file.ends_with("trace-1.dat"), "{file}");
    assert_eq!(line, 4);
}
