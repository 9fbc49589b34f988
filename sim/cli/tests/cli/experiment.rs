//! `xtq experiment`: files, parameters, faults in them.

use crate::common::{Folder, root, xtq};
use serde_json::Value;
use xtq_compute::experiments::EXPERIMENTS;

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
    let points = report["points"].as_array().unwrap();
    assert_eq!(points.len(), 2);
    for point in points {
        for row in ["baseline", "unlocked", "locked"] {
            assert!(point[row]["calls"].as_u64().unwrap() > 0, "{point}");
        }
    }
    assert_eq!(points[1]["locked"]["streaming"], 36);
    // Three statements for each way of counting, and the lock times.
    let statements = report["statements"].as_array().unwrap();
    assert_eq!(statements.len(), 7);
    for statement in statements {
        let asked = statement["asked"].as_str().unwrap();
        assert!(ran.stdout.contains(asked), "{asked}");
    }
    let csv = std::fs::read_to_string(csv).unwrap();
    assert_eq!(csv.lines().count(), 7);
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
    ("offloaded-collectives", OFFLOADED),
    ("triggered-overlap", OVERLAP),
    ("xtq-latency", LATENCY),
    ("xtq-reduce", REDUCE),
    ("xtq-allreduce", ALLREDUCE),
    ("xtq-cntk", CNTK),
    ("xtq-nwchem", NWCHEM),
    ("xtq-accumulate", ACCUMULATE),
    ("match-rate", RATE),
    ("match-traces", TRACES),
    ("compnet-queue", QUEUE),
    ("compnet-threads", THREADS),
    ("compnet-get", GET),
];

const REDUCE: &[Fault] = &[
    ("nodes = 2 ", "nodes = 1 ", "sweep.nodes"),
    ("nodes = 2 ", "nodes = 65 ", "sweep.nodes"),
    ("\nbytes = [64, 256", "\nbytes = [256, 64", "sweep.bytes"),
    ("\nbytes = [64, ", "\nbytes = [63, ", "sweep.bytes"),
    (
        "pipelined_bytes = [16384",
        "pipelined_bytes = [0",
        "sweep.pipelined_bytes",
    ),
    ("slots = 2", "slots = 9", "sweep.pipeline.slots"),
    (
        "segment_bytes = 16384",
        "segment_bytes = 16383",
        "sweep.pipeline.segment_bytes",
    ),
    ("\nseeds = 5", "\nseeds = 0", "sweep.seeds"),
    ("ipc = 4.0", "ipc = 5.0", "system.cpu.ipc"),
    (
        "set = { cpu = { ipc = 1.0 } }",
        "set = { cpu = { ipx = 1.0 } }",
        "variants[0]",
    ),
];

const ALLREDUCE: &[Fault] = &[
    ("nodes = [2, 4,", "nodes = [4, 2,", "sweep.nodes"),
    ("48, 64]", "48, 65]", "sweep.nodes"),
    ("nodes_each = [2,", "nodes_each = [1,", "sweep.nodes"),
    ("bytes = 4194304", "bytes = 4194305", "sweep.bytes"),
    ("slots = 2", "slots = 0", "sweep.pipeline.slots"),
    ("lanes = 64", "lanes = 0", "system.gpu.lanes"),
];

const CNTK: &[Fault] = &[
    ("shares = [0.05, 0.1", "shares = [0.1, 0.05", "sweep.shares"),
    ("0.8, 0.9]", "0.8, 1.1]", "sweep.shares"),
    (
        "profiles = []",
        "profiles = [{ name = \"a\", share = 0.0, bytes = 65536 }]",
        "sweep.profiles[0].share",
    ),
    (
        "profiles = []",
        "profiles = [{ name = \"a\", share = 0.5, bytes = 65537 }]",
        "sweep.profiles[0].bytes",
    ),
    ("bytes = [65536", "bytes = [6", "sweep.bytes"),
];

const NWCHEM: &[Fault] = &[
    ("trace = \"\"", "trace = \"no/such.csv\"", "sweep.trace"),
    ("trace = \"\"", "trace = \"Cargo.toml\"", "sweep.trace"),
    ("accumulates = 2500", "accumulates = 0", "sweep.trace"),
    ("epochs = [1, 4, 16]", "epochs = [1, 4, 17]", "sweep.epochs"),
    ("epochs = [1, 4, 16]", "epochs = []", "sweep.epochs"),
    ("slots = 4", "slots = 9", "sweep.slots"),
    (
        "window_elements = 65536",
        "window_elements = 4",
        "sweep.window_elements",
    ),
    ("seeds = 3", "seeds = 101", "sweep.seeds"),
];

const OFFLOADED: &[Fault] = &[
    (
        "collectives = []",
        "collectives = [\"alltoone\"]",
        "sweep.collectives",
    ),
    ("nodes = [2, 3,", "nodes = [3, 2,", "sweep.nodes"),
    ("32, 64]", "32, 65]", "sweep.nodes"),
    ("bytes = 64 ", "bytes = 65 ", "sweep.bytes"),
    ("k = 2 ", "k = 1 ", "sweep.k"),
    ("segments = 2 ", "segments = 0 ", "sweep.segments"),
    ("seeds = [1, 2, 3]", "seeds = []", "sweep.seeds"),
    (
        "algorithm = \"knomial\"",
        "algorithm = \"ring\"",
        "protocols.algorithm",
    ),
    ("nodes = 8", "nodes = 1", "protocols.nodes"),
    ("bytes = [64, 1024", "bytes = [66, 1024", "protocols.bytes"),
    (
        "memory_ns = [50, 70]",
        "memory_ns = [70, 50]",
        "system.memory_ns",
    ),
    (
        "switch_ns = 100 ",
        "switch_ns = 2 ",
        "system.network.switch_ns",
    ),
];

const OVERLAP: &[Fault] = &[
    ("nodes = [2, 4,", "nodes = [4, 2,", "sweep.nodes"),
    ("bytes = [8,", "bytes = [0,", "sweep.bytes"),
    ("k = 2 ", "k = 65 ", "sweep.k"),
    ("seeds = [1, 2, 3]", "seeds = []", "sweep.seeds"),
    ("command_ns = 7 ", "command_ns = 100001 ", "host.command_ns"),
    (
        "message_ns = 1000",
        "message_ns = 100001",
        "variants[2].host.message_ns",
    ),
    ("nodes = [2, 16]", "nodes = [2]", "variants[0].nodes"),
    ("message_ns = 70 ", "messages_ns = 70 ", "host.messages_ns"),
    ("skew_ns = 100 ", "skew_ns = 100001 ", "system.skew_ns"),
];

const LATENCY: &[Fault] = &[
    (
        "payloads = [64, 4096]",
        "payloads = [64, 4095]",
        "sweep.payloads",
    ),
    ("rounds = 6", "rounds = 1", "sweep.rounds"),
    ("seeds = [1, 2", "seed = [1, 2", "sweep.seed"),
    ("ipc = 4 ", "ipc = 5 ", "system.cpu.ipc"),
    ("ways = 2,", "ways = 3,", "system.cpu.l1.bytes"),
    ("simd_bytes = 16", "simd_bytes = 8", "system.cpu.simd_bytes"),
    (
        "spread_ns = 10 ",
        "spread_ns = 60 ",
        "system.memory.spread_ns",
    ),
    ("lanes = 64", "lanes = 0", "system.gpu.lanes"),
    (
        "switch_ns = 100",
        "switch_ns = 2",
        "system.network.switch_ns",
    ),
    (
        "set = { cpu = { ipc = 1 } }",
        "set = { cpu = { ipc = 9 } }",
        "variants[0].set.cpu.ipc",
    ),
    (
        "set = { cpu = { ipc = 2 } }",
        "set = { cpu = { ipx = 2 } }",
        "variants[1]",
    ),
];

const ACCUMULATE: &[Fault] = &[
    ("\nbytes = [64, 256", "\nbytes = [256, 64", "sweep.bytes"),
    (
        "segment_bytes = 16384",
        "segment_bytes = 16383",
        "sweep.segment_bytes",
    ),
    ("slots = 4", "slots = 9", "sweep.slots"),
    ("rounds = 3", "rounds = 0", "sweep.rounds"),
    ("seeds = 5", "seeds = 0", "sweep.seeds"),
    ("misses = 10", "misses = 0", "system.cpu.misses"),
    (
        "set = { cpu = { sum_cores = 8 } }",
        "set = { cpu = { sum_cores = 9 } }",
        "variants[4].set.cpu.sum_cores",
    ),
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

const QUEUE: &[Fault] = &[
    (
        "\nwork_groups = [1,",
        "\nwork_groups = [0,",
        "sweep.work_groups",
    ),
    (
        "many_work_groups = [64,",
        "many_work_groups = [9999,",
        "sweep.many_work_groups",
    ),
    ("many_units = 64", "many_units = 65", "sweep.many_units"),
    ("threads = [1,", "threads = [33,", "sweep.threads"),
    ("seeds = [1,", "seeds = [2,", "sweep.seeds"),
    (
        "window_rounds = 2",
        "window_rounds = -1",
        "sweep.window_rounds",
    ),
    ("units = 12 ", "units = 33 ", "system.gpu.units"),
    ("pcie_ns = 450", "pcie_ns = -450", "host.pcie_ns"),
    (
        "critical_ns = 12.5",
        "critical_ns = 125",
        "host.critical_ns",
    ),
];

const THREADS: &[Fault] = &[
    (
        "\nwork_groups = 480",
        "\nwork_groups = 481",
        "sweep.work_groups",
    ),
    ("threads = [1,", "threads = [0,", "sweep.threads"),
    ("seeds = [1,", "seeds = [2,", "sweep.seeds"),
    ("least_ns = 30_000", "least_ns = 0", "sweep.least_ns"),
    ("units = 12 ", "units = 17 ", "system.gpu.units"),
    ("die_ns = 60", "die_ns = inf", "host.die_ns"),
    (
        "static_watts = 2.7",
        "static_watts = -1",
        "energy.host.static_watts",
    ),
    ("factor = 2 ", "factor = 0.5 ", "energy.factor"),
];

const GET: &[Fault] = &[
    ("\nbytes = [8,", "\nbytes = [0,", "sweep.bytes"),
    ("seeds = [1,", "seeds = [2,", "sweep.seeds"),
    ("\npcie_ns = [250,", "\npcie_ns = [-1,", "sweep.pcie_ns"),
    ("kernel_ns = 10_000", "kernel_ns = nan", "sweep.kernel_ns"),
    ("units = 12 ", "units = 17 ", "gpu.units"),
    (
        "barrier_cycles = 40 ",
        "barrier_cycle = 40 ",
        "gpu.barrier_cycle",
    ),
    (
        "\ngigabytes_per_second = 16",
        "\ngigabytes_per_second = 65",
        "nic.gigabytes_per_second",
    ),
];

const HITRATE: &[Fault] = &[
    ("networking = [40,", "networking = [41,", "sweep.networking"),
    ("networking = [40,", "networking = [4,", "sweep.networking"),
    (
        "networking = [40, 36, 28, 20, 12, 4]",
        "networking = []",
        "sweep.networking",
    ),
    ("variants_at = 20", "variants_at = 21", "sweep.variants_at"),
    (
        "calls = { compute_ns = 2000, batch = 64 } }",
        "calls = { compute_ns = -1, batch = 64 } }",
        "loads[",
    ),
    ("seeds = [1, 2,", "seeds = [2, 2,", "sweep.seeds"),
    ("\nsets = 16\n", "\nsets = 9\n", "system.l2.sets"),
    ("\nwrites = 16\n", "\nwrites = 5\n", "system.l2.writes"),
    (
        "streams = \"copy\"",
        "streams = \"wipe\"",
        "system.gpu.streams",
    ),
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
        "set = { calls = { lock_status_only = true } }",
        "set = { calls = { lock_status = true } }",
        "variants[",
    ),
    (
        "set = { l2 = { sets = 8 } }",
        "streaming = 21\nset = { l2 = { sets = 8 } }",
        "variants[11].streaming",
    ),
    (
        "watchdog_ns = 10000",
        "watchdog_ns = 50000",
        "variants[12].set.l2.watchdog_ns",
    ),
    ("window_ns = 20_000", "window_ns = -1", "sweep.window_ns"),
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
        ["loads", "sweep", "system", "variants"]
    );
    let set = &schema["$defs"]["Variant"]["properties"]["set"];
    let latency = &set["properties"]["memory"]["properties"]["latency_ns"];
    assert_eq!(latency["maxItems"], 2, "{set:#}");
    assert!(!set.to_string().contains("required"), "{set:#}");
}

#[test]
fn all_experiments_write_one_page_with_a_figure_beside_each_statement() {
    let folder = Folder::new("experiment-all");
    let page = folder.path("all.html");
    let ran = xtq(&["experiment", "all", "--quick", "--html", &page]);
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    let html = std::fs::read_to_string(&page).unwrap();
    for name in EXPERIMENTS.iter().map(|experiment| experiment.name()) {
        assert!(ran.stdout.contains(&format!("{name}: verdict: ")), "{name}");
        let section = html.split(&format!("<section id=\"{name}\">")).nth(1);
        let section = section.unwrap().split("</section>").next().unwrap();
        let pairs: Vec<&str> = section.split("<div class=\"pair\">").skip(1).collect();
        assert!(!pairs.is_empty(), "{name}");
        assert!(pairs.iter().all(|pair| pair.starts_with("\n<figure><svg ")));
        assert!(pairs.iter().any(|pair| pair.contains("<table>")), "{name}");
        let again = format!("<code>xtq experiment {name} --quick</code>");
        assert!(section.contains(&again), "{name}");
    }
    // Nothing of it comes from elsewhere, and text is text.
    for outside in ["src=", "href=\"http", "url(", "@import", "<script"] {
        assert!(!html.contains(outside), "{outside}");
    }
    assert_eq!(html.matches("<svg").count(), html.matches("</svg>").count());
    // A page that cannot be written is known before the work.
    let ran = xtq(&["experiment", "all", "--html", "/no/such/page.html"]);
    assert_eq!((ran.code, ran.stdout.as_str()), (2, ""));
    assert!(ran.stderr.contains("/no/such/page.html"), "{}", ran.stderr);
}
