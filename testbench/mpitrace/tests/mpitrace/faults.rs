//! What is wrong with a trace is reported with file, line and rank.

use crate::common::{of_texts, trace};
use xtq_mpi_trace::TraceError;

/// The message for a file, without the folder.
fn fault(name: &str, text: &[u8]) -> String {
    let error = of_texts(&[(name, text)]).unwrap_err().to_string();
    match error.find(name) {
        Some(at) => error[at..].to_owned(),
        None => error,
    }
}

#[test]
fn faults_of_csv_name_line_and_rank() {
    let row = |row: &str| fault("a.csv", format!("0,0,send,1,0,0,8\n{row}\n").as_bytes());
    for (text, message) in [
        (
            "1,0,send,1",
            "a.csv:2: 4 columns, must be 7: t_ns, rank, op, peer, tag, comm, bytes",
        ),
        (
            "1,x,send,1,0,0,8",
            "a.csv:2: rank is \"x\", not a number that can be",
        ),
        (
            "1,70000,send,1,0,0,8",
            "a.csv:2: rank 70000: ranks go from 0 to 65535",
        ),
        (
            "1,3,shout,1,0,0,8",
            "a.csv:2: rank 3: no operation \"shout\"",
        ),
        (
            "1,3,send,70000,0,0,8",
            "a.csv:2: rank 3: peer 70000: ranks go from 0 to 65535",
        ),
        (
            "1,3,send,1,-1,0,8",
            "a.csv:2: rank 3: tag -1 of a send is below 0",
        ),
        (
            "1,3,recv,1,-2,0,8",
            "a.csv:2: rank 3: tag -2 of a receive; -1 is MPI_ANY_TAG",
        ),
        (
            "1,3,send,1,0,0,-8",
            "a.csv:2: rank 3: bytes is \"-8\", not a number that can be",
        ),
        (
            "1,3,waitall,1,0,0,5000000000",
            "a.csv:2: rank 3: 5000000000 requests of a wait",
        ),
    ] {
        assert_eq!(row(text), message);
    }
    let back = fault("a.csv", b"5,0,barrier,-1,0,0,0\n4,1,barrier,-1,0,0,0\n");
    assert_eq!(
        back,
        "a.csv:2: rank 1: t_ns 4 is before the row above; rows are sorted by time"
    );
}

#[test]
fn faults_of_dumpi_name_line_and_rank() {
    let enter = "MPI_Send entering at walltime 1.0, cputime 0.0 seconds in thread 0.\n";
    let leave = "MPI_Send returning at walltime 1.0, cputime 0.0 seconds in thread 0.\n";
    let call = |inside: &str| fault("d-0007.txt", format!("{enter}{inside}{leave}").as_bytes());
    let message = "int count=1\nint dest=1\nint tag=0\nMPI_Comm comm=2 (MPI_COMM_WORLD)\n";
    assert_eq!(
        call(enter),
        "d-0007.txt:2: rank 7: MPI_Send enters, but MPI_Send has not returned"
    );
    assert_eq!(
        call("nonsense\n"),
        "d-0007.txt:2: rank 7: no argument of MPI_Send: \"nonsense\""
    );
    assert_eq!(
        call(&message.replace("dest=1", "dest=one")),
        "d-0007.txt:6: rank 7: dest is \"one\", not a number that can be"
    );
    assert_eq!(
        call(&message.replace("dest=1", "dest=65536")),
        "d-0007.txt:6: rank 7: dest 65536: ranks go from 0 to 65535"
    );
    assert_eq!(
        fault("d-0007.txt", enter.as_bytes()),
        "d-0007.txt:1: rank 7: the file ends, but MPI_Send has not returned"
    );
    assert_eq!(
        fault("d-0007.txt", format!("version=1\n{leave}").as_bytes()),
        "d-0007.txt:2: rank 7: MPI_Send returns, but was not entered"
    );
    let wrong = enter.replace("1.0,", "soon,");
    assert_eq!(
        fault("d-0007.txt", wrong.as_bytes()),
        "d-0007.txt:1: rank 7: walltime \"soon, cputime 0.0 seconds in thread 0.\", \
         must be seconds.nanoseconds"
    );
}

#[test]
fn faults_of_allprof_name_line_and_rank() {
    let line = |line: &str| fault("t-2.dat", format!("# collprof\n{line}\n").as_bytes());
    for (text, message) in [
        ("MPI_Send:1", "t-2.dat:2: rank 2: no call: \"MPI_Send:1\""),
        (
            "Send:1:2",
            "t-2.dat:2: rank 2: no function of MPI: \"Send\"",
        ),
        (
            "MPI_Send:1:2:3",
            "t-2.dat:2: rank 2: MPI_Send with 1 arguments",
        ),
        (
            "MPI_Wtime:now:3",
            "t-2.dat:2: rank 2: time is \"now\", not a number that can be",
        ),
        ("MPI_Wtime:-1:3", "t-2.dat:2: rank 2: time -1 microseconds"),
        (
            "MPI_Send:1:0:4:13,4:1:0:5,0,4:2",
            "t-2.dat:2: rank 2: datatype is \"13,4\", must be three numbers",
        ),
        (
            "MPI_Send:1:0:4:13,4,4:1:0:5,0,99999:2",
            "t-2.dat:2: rank 2: size of a communicator 99999: ranks go from 0 to 65535",
        ),
    ] {
        assert_eq!(line(text), message);
    }
}

#[test]
fn files_that_cannot_be_a_trace_are_refused() {
    assert_eq!(
        fault("a.txt", b"hello\n"),
        "a.txt:1: neither CSV (t_ns,rank,op,peer,tag,comm,bytes), nor DUMPI text, nor liballprof"
    );
    assert_eq!(fault("a.csv", b""), "a.csv: the file is empty");
    assert_eq!(fault("a.csv", b"\xff\xfe\n"), "a.csv:1: not text (UTF-8)");
    assert_eq!(of_texts(&[]).unwrap_err().to_string(), "no files to read");
    assert!(fault("a.csv.zst", b"no zstd at all").starts_with("a.csv.zst: no zstd data: "));
    let long = vec![b'1'; (1 << 20) + 1];
    assert_eq!(fault("a.csv", &long), "a.csv:1: a line of more than 1 MiB");
    assert_eq!(
        fault("names.txt", b"version=1\n"),
        "names.txt:1: the name of a file of one rank ends in its number below 65536, as dumpi-0003.txt"
    );
    let twice = of_texts(&[("a-1.dat", b"# x\n"), ("b-1.dat", b"# x\n")]).unwrap_err();
    assert!(
        twice
            .to_string()
            .ends_with("b-1.dat: a second file of rank 1"),
        "{twice}"
    );
    let mixed = of_texts(&[("a-1.dat", b"# x\n"), ("b.csv", b"0,0,barrier,0,0,0,0\n")]);
    let mixed = mixed.unwrap_err().to_string();
    assert!(
        mixed.ends_with("is CSV, the files before it are not; a trace has one format"),
        "{mixed}"
    );
}

#[test]
fn a_cut_zstd_file_is_an_error_of_the_file() {
    let whole = std::fs::read(crate::common::data("four.csv.zst")).unwrap();
    let cut = &whole[..whole.len() - 20];
    let error = of_texts(&[("a.csv.zst", cut)]).unwrap_err();
    assert!(matches!(error, TraceError::Io { .. }), "{error}");
    assert_eq!(trace("four.csv.zst").calls.len(), 9);
}
