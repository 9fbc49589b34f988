//! What is wrong in files with several nodes.

use super::{changed, line};
use crate::common::{Folder, root, xtq};

#[test]
fn what_is_wrong_in_a_file_is_told_with_line_and_key() {
    let folder = Folder::new("nodes-wrong");
    for (from, to, part, fault) in [
        // Both shapes in one file.
        (
            "title = ",
            "node = 3\ntitle = ",
            "3",
            "node: belongs to a file without 'nodes'",
        ),
        (
            "title = ",
            "wat = 3\ntitle = ",
            "wat",
            "wat: unknown field `wat`",
        ),
        // Names.
        (
            "of = \"queue\"",
            "of = \"que\"",
            "\"que\"",
            "program[4].wait_event.of: there is no step 'que'",
        ),
        (
            "target = \"receiver\"",
            "target = \"nobody\"",
            "\"nobody\"",
            "program[3].xtq_put.target: there is no process 'nobody'",
        ),
        (
            "pt = \"tasks\", ack",
            "pt = \"task\", ack",
            "\"task\"",
            "program[3].xtq_put.pt: there is no portal entry 'task'",
        ),
        (
            "{ md = \"payload\", start",
            "{ md = \"command\", start",
            "\"command\", start = 0x2000_1000",
            "program[1].ptl_md_bind.md: there is a memory descriptor 'command' already",
        ),
        (
            "name = \"receiver\"",
            "name = \"sender\"",
            "\"sender\"\nuser_id = 101",
            "nodes[1].processes[0].name: there is a process 'sender' already",
        ),
        (
            "queue = \"gpu\" }",
            "queue = \"cpu\" }",
            "\"cpu\"",
            "xtq_register_queue.queue: there is no queue 'cpu'",
        ),
        (
            "signal = \"done\", value",
            "signal = \"over\", value",
            "\"over\"",
            "wait_signal.signal: there is no signal 'over'",
        ),
        (
            "ptl_pt_alloc = { pt = \"tasks\" }",
            "ptl_pt_alloc = { pt = \"tasks\" }, trigger = { ct = \"c\", threshold = 1 }",
            "\"c\"",
            "trigger.ct: there is no counter 'c'",
        ),
        // Steps.
        (
            "{ ptl_pt_alloc",
            "{ completion = true }, { ptl_pt_alloc",
            "{ completion",
            "program[0]: the step has no call",
        ),
        (
            "{ ptl_pt_alloc",
            "{ nop = {}, ptl_pt_alloc",
            "{}, ptl_pt",
            "a step has one call, not 'ptl_pt_alloc' and 'nop'",
        ),
        (
            "{ ptl_pt_alloc = { pt",
            "{ ptl_pt_alloc = { portal = 1, pt",
            "portal = 1",
            "program[0].ptl_pt_alloc.portal: unknown field `portal`",
        ),
        (
            "{ ptl_pt_alloc",
            "{ ptl_pt_aloc",
            "ptl_pt_aloc",
            "program[0].ptl_pt_aloc: unknown field `ptl_pt_aloc`",
        ),
        (
            "wait_signal = { signal = \"done\", value = 0 }",
            "wait_signal = { signal = \"done\" }, completion = true",
            "true },\n  { wait_event = { kind = \"xtq",
            "completion: 'wait_signal' is no call of the NIC",
        ),
        (
            "length = 160 } },\n]\n\n[[nodes]]",
            "status = \"fine\" } },\n]\n\n[[nodes]]",
            "\"fine\"",
            "wait_event.status: nothing ends with 'fine'",
        ),
        (
            "{ barrier = { name = \"registered\" } },\n  # (7)",
            "{ barrier = { name = \"registered\" } }, { barrier = { name = \"registered\" } },\n  # (7)",
            "{ barrier = { name = \"registered\" } }, {",
            "program[6].barrier.name: the program has the barrier 'registered' already",
        ),
        // Values.
        (
            "latency = 10 ",
            "latency = 0 ",
            "0            # cycles a link",
            "network.latency: a link with a latency of 0 cycles",
        ),
        (
            "size = 16",
            "size = 15",
            "size = 15",
            "queues[0].size: 15 is not a power of two",
        ),
        (
            "handle = 0x4000_0000",
            "handle = 0x3000_0000",
            "0x3000_0000, value",
            "overlap",
        ),
        (
            "[0, 0, 256, 0] }",
            "[0, 0, 256, 0], agent = {} }",
            "{ address = 0x2000_0040",
            "data[1]: exactly one of",
        ),
        (
            "user_id = 101",
            "user_id = 101\ncommand_ring = 64",
            "64\n",
            "command_ring: 0x40 is not a multiple of 128",
        ),
        (
            "gpu = { duration = 200 }",
            "gpu = { duration = 200 }\nmemory = { beats = [2, 1] }",
            "[2, 1]",
            "nodes[1].memory.beats: 2 beats",
        ),
    ] {
        let text = changed(from, to);
        let ran = xtq(&["run", &folder.write("s.toml", &text)]);
        assert_eq!(ran.code, 2, "{to}: {}{}", ran.stdout, ran.stderr);
        let place = format!("s.toml:{}:", line(&text, part));
        assert!(ran.stderr.contains(&place), "{to}: {place}: {}", ran.stderr);
        assert!(ran.stderr.contains(fault), "{to}: {fault}: {}", ran.stderr);
    }
}

#[test]
fn tables_of_the_target_side_do_not_go_with_nodes() {
    let folder = Folder::new("nodes-mixed");
    let good = std::fs::read_to_string(root().join("scenarios/figure6.toml")).unwrap();
    for table in ["messages", "portals", "queues", "kernels", "host"] {
        let text = format!("{good}\n[[{table}]]\nname = \"x\"\n");
        let ran = xtq(&["run", &folder.write("s.toml", &text)]);
        assert_eq!(ran.code, 2);
        let place = format!("s.toml:{}:", good.lines().count() + 2);
        let fault = format!("{table}: belongs to a file without 'nodes'");
        for part in [&place, &fault] {
            assert!(ran.stderr.contains(part), "{part}: {}", ran.stderr);
        }
    }
}
