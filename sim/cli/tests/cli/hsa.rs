//! Packets of real programs: a C program writes AQL packets with the structs of `hsa.h`, the simulated NIC delivers
//! them, another C program reads the ring from simulated memory with the same structs.

use crate::common::{Folder, ran, root, xtq};
use std::collections::BTreeMap;
use std::io::ErrorKind;
use std::process::Command;

/// Compiles `testbench/c/NAME.c`; the path of the program.
fn compile(folder: &Folder, name: &str) -> String {
    let program = folder.path(name);
    let source = root().join("testbench/c").join(format!("{name}.c"));
    let output = Command::new("cc")
        .args(["-std=c11", "-Wall", "-Wextra", "-Werror", "-o", &program])
        .arg(source)
        .output();
    let output = output.unwrap_or_else(|error| match error.kind() {
        ErrorKind::NotFound => {
            panic!("there is no C compiler `cc`: run ./test.sh, which installs gcc")
        }
        _ => panic!("cc: {error}"),
    });
    let stderr = String::from_utf8_lossy(&output.stderr);
    assert!(
        !stderr.contains("hsa/hsa.h: No such file"),
        "hsa/hsa.h is missing: run ./test.sh, which installs libhsa-runtime-dev"
    );
    assert!(output.status.success(), "{name}.c: {stderr}");
    program
}

/// Each line of key=value as a map.
fn parse(text: &str) -> Vec<BTreeMap<&str, &str>> {
    text.lines()
        .map(|line| {
            line.split(' ')
                .filter_map(|pair| pair.split_once('='))
                .collect()
        })
        .collect()
}

/// The folder with both programs' files and a scenario like the shipped one, with `gpu` for its `enabled`.
fn deliver(test: &str, gpu: bool) -> (String, Vec<u8>) {
    let folder = Folder::new(test);
    let writer = compile(&folder, "write_packets");
    let reader = compile(&folder, "read_ring");
    let files = folder.path("aql-file");
    std::fs::create_dir(&files).unwrap();
    assert_eq!(
        ran(Command::new(writer).arg(&files).output().unwrap()).code,
        0
    );
    let shipped = std::fs::read_to_string(root().join("scenarios/aql-file.toml")).unwrap();
    let scenario = folder.write(
        "s.toml",
        &shipped.replace("enabled = true", &format!("enabled = {gpu}")),
    );
    let (ring, buffer) = (folder.path("ring.bin"), folder.path("buffer.bin"));
    let ran_xtq = xtq(&[
        "run",
        &scenario,
        "--dump-memory",
        &format!("0x3000_0000:256:{ring}"),
        "--dump-memory",
        &format!("0x2000_0000:1024:{buffer}"),
    ]);
    assert_eq!(ran_xtq.code, 0, "{}{}", ran_xtq.stdout, ran_xtq.stderr);
    let read = ran(Command::new(reader).arg(&ring).output().unwrap());
    assert_eq!((read.code, read.stderr.as_str()), (0, ""));
    (read.stdout, std::fs::read(buffer).unwrap())
}

fn expect(slot: &BTreeMap<&str, &str>, fields: &[(&str, &str)]) {
    for (name, value) in fields {
        assert_eq!(slot.get(name), Some(value), "{name} of {slot:?}");
    }
}

#[test]
fn packets_written_by_a_c_program_are_rewritten_and_read_back_by_another() {
    let (text, buffer) = deliver("hsa-ring", false);
    let slots = parse(&text);
    assert_eq!(slots.len(), 4);
    expect(
        &slots[0],
        &[
            ("header", "0x1402"),
            ("setup", "1"),
            ("workgroup", "64x1x1"),
            ("grid", "256x1x1"),
            ("private", "16"),
            ("group", "1024"),
            ("kernel_object", "0x50000000"),
            ("kernarg_address", "0x20000040"),
            ("reserved2", "0x0"),
            ("completion_signal", "0x40000000"),
        ],
    );
    // 64 + 32 + 128 bytes after the first message, at the next multiple of 64.
    expect(
        &slots[1],
        &[
            ("header", "0x1404"),
            ("agent_type", "0x8001"),
            ("return_address", "0x70000000"),
            ("arg0", "0x60008000"),
            ("arg1", "0x20000140"),
            ("arg2", "0x1111"),
            ("arg3", "0x2222"),
            ("reserved2", "0x0"),
            ("completion_signal", "0x40000040"),
        ],
    );
    expect(
        &slots[2],
        &[
            ("header", "0x1502"),
            ("grid", "1024x1x1"),
            ("kernel_object", "0x50000000"),
            ("kernarg_address", "0x20000200"),
            ("completion_signal", "0x40000000"),
        ],
    );
    expect(&slots[3], &[("header", "0x0001"), ("type", "1")]);
    let word = |at: usize| u64::from_le_bytes(buffer[at..at + 8].try_into().unwrap());
    let arguments: Vec<u64> = (0..4).map(|i| word(0x40 + 8 * i)).collect();
    assert_eq!(arguments, [0x1000, 0x6000_0000, 0x2000_0060, 0x1003]);
    let payload: Vec<u8> = (0..128).collect();
    assert_eq!(buffer[0x60..0xe0], payload[..]);
}

#[test]
fn the_gpu_takes_the_packets_and_leaves_invalid_headers() {
    let (text, _) = deliver("hsa-gpu", true);
    for slot in parse(&text) {
        assert_eq!(slot["type"], "1", "{slot:?}");
    }
}

#[test]
fn the_shipped_files_are_what_the_c_program_writes() {
    let folder = Folder::new("hsa-files");
    let writer = compile(&folder, "write_packets");
    assert_eq!(
        ran(Command::new(writer).arg(&folder.0).output().unwrap()).code,
        0
    );
    for name in ["packets.aql", "arguments.bin", "payload.bin"] {
        let shipped = std::fs::read(root().join("scenarios/aql-file").join(name)).unwrap();
        assert_eq!(std::fs::read(folder.path(name)).unwrap(), shipped, "{name}");
    }
}
