//! `xtq run --trace`: the format, and the rules by which its readers go.

use crate::common::{Folder, root, xtq};
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};

/// Writes the trace of a scenario and reads it.
fn trace(scenario: &str) -> Value {
    let folder = Folder::new(&format!("trace-{}", scenario.replace('/', "-")));
    let file = folder.path("t.json");
    let ran = xtq(&["run", scenario, "-q", "--trace", &file]);
    assert!(ran.code == 0 || ran.code == 1, "{scenario}: {}", ran.stderr);
    serde_json::from_slice(&std::fs::read(file).unwrap()).unwrap()
}

fn events(trace: &Value) -> &[Value] {
    trace["traceEvents"].as_array().unwrap()
}

fn number(event: &Value, key: &str) -> u64 {
    event[key].as_u64().unwrap()
}

/// A time in cycles, as Perfetto reads it: what is after the point is cut off.
fn cycles(event: &Value, key: &str) -> u64 {
    (event[key].as_f64().unwrap() * 1000.0) as u64
}

fn of<'a>(events: &'a [Value], kinds: &'a [&str]) -> impl Iterator<Item = &'a Value> {
    let is = |event: &&Value| kinds.contains(&event["ph"].as_str().unwrap());
    events.iter().filter(is)
}

/// Slices by thread: first and last cycle.
fn slices(events: &[Value]) -> BTreeMap<u64, Vec<(u64, u64)>> {
    let mut slices: BTreeMap<u64, Vec<(u64, u64)>> = BTreeMap::new();
    for slice in of(events, &["X"]) {
        let start = cycles(slice, "ts");
        let end = start + cycles(slice, "dur");
        slices
            .entry(number(slice, "tid"))
            .or_default()
            .push((start, end));
    }
    slices
}

/// What is wrong with a trace, by the rules of its readers.
fn fault(trace: &Value) -> Option<String> {
    let events = events(trace);
    let mut processes: BTreeMap<u64, u64> = BTreeMap::new();
    for event in events {
        let (pid, tid) = (number(event, "pid"), number(event, "tid"));
        if *processes.entry(tid).or_insert(pid) != pid {
            return Some(format!("thread {tid} is in two processes"));
        }
    }
    let named: BTreeSet<u64> = of(events, &["M"])
        .filter(|event| event["name"] == "thread_name")
        .map(|event| number(event, "tid"))
        .collect();
    let mut slices = slices(events);
    for (thread, slices) in &mut slices {
        if !named.contains(thread) {
            return Some(format!("thread {thread} has no name"));
        }
        slices.sort_unstable();
        if let Some(pair) = slices.windows(2).find(|pair| pair[0].1 > pair[1].0) {
            return Some(format!("thread {thread} has slices that overlap: {pair:?}"));
        }
    }
    let mut flows: BTreeMap<u64, Vec<(&str, u64)>> = BTreeMap::new();
    for step in of(events, &["s", "t", "f"]) {
        let (thread, at) = (number(step, "tid"), cycles(step, "ts"));
        let inside = |(start, end): &(u64, u64)| (*start..*end).contains(&at);
        if !slices.get(&thread).is_some_and(|of| of.iter().any(inside)) {
            return Some(format!("a flow has no slice at {at} on thread {thread}"));
        }
        let kind = step["ph"].as_str().unwrap();
        flows
            .entry(number(step, "id"))
            .or_default()
            .push((kind, at));
    }
    for (id, steps) in &flows {
        let kinds: String = steps.iter().map(|(kind, _)| *kind).collect();
        let middle = kinds.trim_start_matches('s').trim_end_matches('f');
        let whole = kinds.starts_with('s') && kinds.ends_with('f') && kinds.len() >= 2;
        if !whole || middle.chars().any(|kind| kind != 't') {
            return Some(format!("flow {id} is {kinds}"));
        }
        if steps.windows(2).any(|pair| pair[0].1 > pair[1].1) {
            return Some(format!("flow {id} goes back in time: {steps:?}"));
        }
    }
    None
}

fn shipped() -> Vec<String> {
    let folder = std::fs::read_dir(root().join("scenarios")).unwrap();
    let files = folder.map(|entry| entry.unwrap().path());
    let files = files.filter(|path| path.extension().is_some_and(|end| end == "toml"));
    files
        .map(|path| format!("scenarios/{}", path.file_name().unwrap().display()))
        .collect()
}

#[test]
fn the_trace_of_every_shipped_scenario_is_of_the_format_and_can_be_drawn() {
    let file = root().join("docs/reference/trace-event.schema.json");
    let schema: Value = serde_json::from_slice(&std::fs::read(file).unwrap()).unwrap();
    let (mut schemas, mut compiler) = (boon::Schemas::new(), boon::Compiler::new());
    compiler.add_resource("trace.json", schema).unwrap();
    let schema = compiler.compile("trace.json", &mut schemas).unwrap();
    for scenario in shipped() {
        let trace = trace(&scenario);
        let found = schemas.validate(&trace, schema);
        assert!(found.is_ok(), "{scenario}: {}", found.unwrap_err());
        assert_eq!(fault(&trace), None, "{scenario}");
    }
}

#[test]
fn each_fault_of_a_trace_is_found() {
    let trace = trace("scenarios/ping-pong.toml");
    let change = |what: &dyn Fn(&mut Value) -> bool| {
        let mut changed = trace.clone();
        let events = changed["traceEvents"].as_array_mut().unwrap();
        assert!(events.iter_mut().any(what), "nothing to change");
        fault(&changed)
    };
    let slice = |event: &Value| event["ph"] == "X";
    for (name, what) in [
        (
            "overlap",
            &(|event: &mut Value| {
                slice(event) && {
                    event["dur"] = 1e6.into();
                    true
                }
            }) as &dyn Fn(&mut Value) -> bool,
        ),
        ("two processes", &|event| {
            slice(event) && {
                event["pid"] = (number(event, "pid") + 1).into();
                true
            }
        }),
        ("no slice", &|event| {
            event["ph"] == "t" && {
                event["ts"] = 1e9.into();
                true
            }
        }),
        ("flow", &|event| {
            event["ph"] == "s" && {
                event["ph"] = "t".into();
                true
            }
        }),
        ("no name", &|event| {
            event["name"] == "thread_name" && {
                event["name"] = "thread_sort_index".into();
                true
            }
        }),
    ] {
        let found = change(what);
        assert!(
            found.as_ref().is_some_and(|fault| fault.contains(name)),
            "{name}: {found:?}"
        );
    }
}

#[test]
fn the_stations_of_a_message_are_those_of_the_report() {
    let folder = Folder::new("trace-report");
    let [json, file] = ["r.json", "t.json"].map(|name| folder.path(name));
    // Without a scenario: figure 6.
    let ran = xtq(&["run", "-q", "--json", &json, "--trace", &file]);
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    let [report, trace] = [json, file]
        .map(|file| serde_json::from_slice::<Value>(&std::fs::read(file).unwrap()).unwrap());
    let row = &report["messages"][0];
    let names: BTreeMap<u64, &str> = of(events(&trace), &["M"])
        .filter(|event| event["name"] == "thread_name")
        .map(|event| {
            (
                number(event, "tid"),
                event["args"]["name"].as_str().unwrap(),
            )
        })
        .collect();
    for (track, start, end) in [
        ("NIC sends: packets", "first_beat", "last_beat"),
        ("wire: node 0 to node 1", "first_beat", "arrived"),
        ("NIC receives: match, look up, decide", "parsed", "admitted"),
        ("NIC receives: rewrite", "admitted", "rewritten"),
        ("NIC receives: ring doorbell", "enqueued", "doorbell"),
        ("GPU: task", "launched", "signal"),
    ] {
        let wanted = [start, end].map(|station| row[station].as_u64().unwrap());
        let found = of(events(&trace), &["X"]).any(|slice| {
            let begin = cycles(slice, "ts");
            names[&number(slice, "tid")] == track
                && slice["name"] == row["name"]
                && [begin, begin + cycles(slice, "dur")] == wanted
        });
        assert!(found, "{track} from {start} to {end}: {wanted:?}");
    }
    // The hosts' steps are there, one after the other.
    let steps = &report["nodes"][0]["processes"][0]["timeline"];
    let done: Vec<_> = steps.as_array().unwrap().iter().collect();
    assert_eq!(
        done.len() as u64,
        report["nodes"][0]["processes"][0]["steps"]
            .as_u64()
            .unwrap()
    );
    assert!(
        done.windows(2)
            .all(|pair| pair[0]["done"] == pair[1]["begun"])
    );
    let last = done.last().unwrap();
    assert_eq!(last["done"], report["nodes"][0]["processes"][0]["ended"]);
}

#[test]
fn a_message_of_a_node_to_itself_is_in_table_report_and_trace_and_not_on_the_link() {
    let folder = Folder::new("trace-inside");
    let [json, file] = ["r.json", "t.json"].map(|name| folder.path(name));

    let ran = xtq(&[
        "run",
        "scenarios/eager.toml",
        "--json",
        &json,
        "--trace",
        &file,
    ]);
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    let [report, trace] = [json, file]
        .map(|file| serde_json::from_slice::<Value>(&std::fs::read(file).unwrap()).unwrap());
    // What is copied from a shadow buffer: a packet, which asks for no acknowledgement.
    let second = &report["nodes"][1];
    assert_eq!(second["packets_inside"], 1);
    assert!(
        ran.stdout.contains(" packets sent and 1 inside, "),
        "{}",
        ran.stdout
    );
    let rows = report["messages"].as_array().unwrap();
    let row = rows.iter().find(|row| row["name"] == "copy 1").unwrap();
    assert_eq!(
        row["arrived"].as_u64(),
        row["first_beat"].as_u64().map(|cycle| cycle + 1)
    );
    let track = of(events(&trace), &["M"])
        .find(|event| event["args"]["name"] == "inside: node 1 to itself")
        .map(|event| number(event, "tid"));
    let slices: Vec<&Value> = of(events(&trace), &["X"])
        .filter(|slice| Some(number(slice, "tid")) == track)
        .collect();
    assert_eq!(slices.len(), 1);
    assert_eq!(slices[0]["name"], "copy 1");
    assert_eq!(cycles(slices[0], "dur"), 1);
}

#[test]
fn a_trace_follows_messages_that_a_report_would_not() {
    let folder = Folder::new("trace-follows");
    let file = folder.path("t.json");
    // 18 MiB of messages are not followed by themselves.
    let made = "ring --nodes 3 --rounds 6 --bytes 1048576";
    let arguments = [
        "run",
        "--make",
        made,
        "-q",
        "--max-cycles",
        "20000",
        "--trace",
        &file,
    ];
    let ran = xtq(&arguments);
    assert_eq!(ran.code, 1, "{}", ran.stderr);
    let trace: Value = serde_json::from_slice(&std::fs::read(file).unwrap()).unwrap();
    assert!(of(events(&trace), &["X"]).any(|slice| slice["cat"] == "wire"));
}
