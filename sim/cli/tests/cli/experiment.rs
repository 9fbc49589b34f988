//! `xtq experiment`: files, parameters, faults in them.

use crate::common::{Folder, root, xtq};
use serde_json::Value;
use xtq_testbench::experiments::EXPERIMENTS;

#[test]
fn a_quick_run_writes_every_file_and_the_same_numbers_again() {
    for name in EXPERIMENTS.iter().map(|experiment| experiment.name()) {
        let folder = Folder::new("experiment");
        let run = || {
            // A folder that does not exist yet, and another file in it.
            let out = folder.path("new/out");
            let more = format!("{out}/more.csv");
            let arguments = ["--quick", "--out", &out, "--csv", &more];
            let ran = xtq(&[&["experiment", name][..], &arguments].concat());
            assert_eq!(ran.code, 0, "{}", ran.stderr);
            assert!(ran.stdout.contains("verdict: "), "{}", ran.stdout);
            assert!(std::fs::exists(more).unwrap());
            let extensions = ["json", "csv", "svg", "png", "md"];
            extensions.map(|extension| std::fs::read(format!("{out}/{name}.{extension}")).unwrap())
        };
        let written = run();
        let [json, csv, svg, png, md] = &written;
        assert!(serde_json::from_slice::<Value>(json).unwrap().is_object());
        assert!(csv.split(|byte| *byte == b'\n').count() > 2);
        assert!(svg.starts_with(b"<svg") && png.starts_with(b"\x89PNG"));
        assert!(!md.is_empty());
        assert_eq!(run(), written);
    }
}

#[test]
fn a_quick_run_of_compnet_hitrate_has_both_ends_of_the_sweep() {
    let folder = Folder::new("experiment-hitrate");
    let [json, csv] = ["json", "csv"].map(|name| folder.path(name));
    let arguments = ["--quick", "--json", &json, "--csv", &csv];
    let ran = xtq(&[&["experiment", "compnet-hitrate"][..], &arguments].concat());
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    let report: Value = serde_json::from_slice(&std::fs::read(json).unwrap()).unwrap();
    assert_eq!(report["rows"].as_array().unwrap().len(), 4);
    for row in report["rows"].as_array().unwrap() {
        assert!(row["calls"].as_u64().unwrap() > 0, "{row}");
    }
    let csv = std::fs::read_to_string(csv).unwrap();
    assert_eq!(csv.split('\n').count(), 6);
}

/// A table of a schema that allows keys that it does not name.
fn open_table(schema: &Value, path: &str) -> Option<String> {
    let open = schema["properties"].is_object() && schema["additionalProperties"] != false;
    let within = schema.as_object().into_iter().flatten();
    let mut within = within.filter_map(|(key, inner)| open_table(inner, &format!("{path}/{key}")));
    open.then(|| path.to_owned()).or_else(|| within.next())
}

#[test]
fn every_experiment_has_its_parameters_in_a_file_and_denies_keys_that_it_does_not_know() {
    for experiment in EXPERIMENTS {
        let name = experiment.name();
        let file = root().join(format!("scenarios/experiments/{name}.toml"));
        let text = std::fs::read_to_string(&file).unwrap();
        assert_eq!(experiment.parameters(), text, "{name}");
        let open = open_table(&experiment.schema(), name);
        assert_eq!(open, None, "a struct without deny_unknown_fields");
        let more = format!("no_such_key = 1\n{text}");
        assert!(
            experiment.prepare("p.toml", &more, false).is_err(),
            "{name}"
        );
        assert!(experiment.prepare("p.toml", &text, true).is_ok(), "{name}");
    }
}

/// What is replaced in the parameters, by which fault, and the key that the message names.
type Fault = (&'static str, &'static str, &'static str);

/// Faults in the parameters of each experiment.
const FAULTS: &[(&str, &[Fault])] = &[
    ("compnet-hitrate", HITRATE),
    ("match-rate", RATE),
    ("match-traces", TRACES),
];

const RATE: &[Fault] = &[
    ("lengths = [1, ", "lengths = [0, ", "sweep.lengths[0]"),
    (
        "lengths = [1, 2,",
        "lengths = [1, 2000,",
        "sweep.lengths[1]",
    ),
    ("sources = [1, ", "sources = [0, ", "sweep.sources[0]"),
    (
        "multiplicity = [0, ",
        "multiplicity = [101, ",
        "sweep.multiplicity[0]",
    ),
    ("length = 256", "length = 1025", "sweep.length"),
    ("list = ", "list = -", "placed_mhz.list"),
    ("seed = 1", "seeds = 1", "sweep.seeds"),
];

const TRACES: &[Fault] = &[
    ("lengths = [128, ", "lengths = [0, ", "synthetic.lengths[0]"),
    ("rounds = 4", "rounds = 0", "synthetic.rounds"),
    ("peers = 23", "peers = 0", "synthetic.peers"),
    (
        "unexpected = 36",
        "unexpected = 101",
        "synthetic.unexpected",
    ),
    ("seed = 1", "seeds = 1", "synthetic.seeds"),
    ("traces = [", "trace = [", "trace"),
];

const HITRATE: &[Fault] = &[
    ("networking = 4", "networking = 0", "sweep.networking"),
    (
        "streaming = [0, 1,",
        "streaming = [1, 0,",
        "sweep.streaming",
    ),
    ("8, 16, 36]", "8, 16, 37]", "sweep.streaming"),
    ("\nsets = 16\n", "\nsets = 9\n", "system.l2.sets"),
    ("other_sets = [8]", "other_sets = [16]", "sweep.other_sets"),
    ("clock_mhz = 1500", "clock_mhz = 0", "system.gpu.clock_mhz"),
    ("threads = 2 ", "thread = 2 ", "system.cp.thread"),
    (
        "locked_ways = 12",
        "locked_ways = 17",
        "system.l2.locked_ways",
    ),
    (
        "vectors_in_flight = 1 ",
        "vectors_in_flight = 64 ",
        "system.gpu.vectors_in_flight",
    ),
    (
        "array_bytes = 8388608",
        "array_bytes = 1152921504606846976",
        "system.gpu.array_bytes",
    ),
    (
        "l1_bytes = 32768",
        "l1_bytes = 999999999999",
        "system.cp.l1_bytes",
    ),
    (
        "payload_bytes = 4 ",
        "payload_bytes = 2000 ",
        "system.calls.payload_bytes",
    ),
    (
        "set = { calls = { blocking = 0.5 } }",
        "set = { calls = { blocks = 0.5 } }",
        "variants[",
    ),
    (
        "networking = 20\nstreaming = 20",
        "networking = 20\nstreaming = 21",
        "variants[14].streaming",
    ),
    ("window_ns = 240_000", "window_ns = -1", "sweep.window_ns"),
    ("parts = 3", "parts = 0", "sweep.parts"),
];

#[test]
fn faults_in_parameters_are_named_with_line_and_key() {
    let folder = Folder::new("experiment-faults");
    for experiment in EXPERIMENTS {
        let name = experiment.name();
        let faults = FAULTS.iter().find(|(of, _)| *of == name);
        let (_, faults) = faults.unwrap_or_else(|| panic!("FAULTS has none of {name}"));
        for (from, to, key) in *faults {
            let text = experiment.parameters();
            assert!(text.contains(from), "{from}");
            let file = folder.write("p.toml", &text.replacen(from, to, 1));
            let ran = xtq(&["experiment", name, &file]);
            assert_eq!(ran.code, 2, "{to}");
            assert!(
                ran.stderr.contains(key) && ran.stderr.contains("p.toml:"),
                "{to}: {}",
                ran.stderr
            );
        }
    }
}

#[test]
fn match_traces_takes_a_file_a_folder_and_names_faults_in_them() {
    let folder = Folder::new("experiment-trace");
    let csv = folder.write(
        "a.csv",
        "0,0,irecv,1,5,0,8\n1,1,send,0,5,0,8\n2,0,wait,0,0,0,1\n",
    );
    let ran = xtq(&["experiment", "match-traces", "--quick", "--trace", &csv]);
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    assert!(ran.stdout.contains("a.csv"), "{}", ran.stdout);
    assert!(!ran.stdout.contains("lammps"), "{}", ran.stdout);

    let data = root().join("testbench/mpitrace/tests/data/dumpi");
    let dumpi = data.display().to_string();
    let ran = xtq(&[
        "experiment",
        "match-traces",
        "--quick",
        "--trace",
        &dumpi,
        "--trace",
        &csv,
    ]);
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    assert!(ran.stdout.contains("DUMPI text"), "{}", ran.stdout);

    let wrong = folder.write("b.csv", "0,0,irecv,1,5,0,8\n1,1,shout,0,5,0,8\n");
    let ran = xtq(&["experiment", "match-traces", "--trace", &wrong]);
    assert_ne!(ran.code, 0);
    assert!(
        ran.stderr
            .contains("b.csv:2: rank 1: no operation \"shout\""),
        "{}",
        ran.stderr
    );
    let ran = xtq(&["experiment", "match-rate", "--trace", &wrong]);
    assert_eq!(ran.code, 2, "it takes no traces");
}

#[test]
fn a_missing_parameter_file_is_named() {
    let ran = xtq(&["experiment", "compnet-hitrate", "no/such.toml"]);
    assert_eq!(ran.code, 2);
    assert!(ran.stderr.contains("no/such.toml"), "{}", ran.stderr);
}

#[test]
fn the_schema_of_the_parameters_knows_the_tables_and_needs_no_key_in_a_variant() {
    let ran = xtq(&["experiment", "compnet-hitrate", "--print-schema"]);
    assert_eq!(ran.code, 0);
    let schema: Value = serde_json::from_str(&ran.stdout).unwrap();
    let tables = schema["properties"].as_object().unwrap();
    assert_eq!(
        tables.keys().collect::<Vec<_>>(),
        ["sweep", "system", "variants"]
    );
    let set = &schema["$defs"]["Variant"]["properties"]["set"];
    let latency = &set["properties"]["memory"]["properties"]["latency_ns"];
    assert_eq!(latency["maxItems"], 2, "{set:#}");
    assert!(!set.to_string().contains("required"), "{set:#}");
}
