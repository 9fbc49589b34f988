//! Faults in parameter files.

mod compnet;

use crate::common::{Folder, xtq};
use compnet::{COMPNET_ALLREDUCE, GET, JACOBI, ML};
use xtq_compute::experiments::EXPERIMENTS;

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
    ("compnet-get", GET),
    ("compnet-threads", THREADS),
    ("compnet-jacobi", JACOBI),
    ("compnet-allreduce", COMPNET_ALLREDUCE),
    ("compnet-ml", ML),
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
    ("bytes = [4096", "bytes = [6", "sweep.bytes"),
    ("segments = [8192]", "segments = [8193]", "sweep.segments"),
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
    ("list = ", "lists = ", "placed_mhz.lists"),
    ("seeds = [1, ", "seeds = [2, ", "sweep.seeds[1]"),
    ("seeds = [1, 2, 3]", "seeds = []", "sweep.seeds"),
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
    ("nic_events = 1", "nic_events = -1", "nic_events"),
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
    ("\nthreads = [1,", "\nthreads = [0,", "sweep.threads"),
    (
        "dense_threads = [2]",
        "dense_threads = [2, 2]",
        "sweep.dense_threads",
    ),
    (
        "no_mutex_threads = [8]",
        "no_mutex_threads = [33]",
        "sweep.no_mutex_threads",
    ),
    ("seeds = [1,", "seeds = [2,", "sweep.seeds"),
    (
        "window_rounds = 1",
        "window_rounds = 0.5",
        "sweep.window_rounds",
    ),
    ("padding = 1\n", "padding = 65\n", "system.calls.padding"),
    ("units = 12 ", "units = 17 ", "system.gpu.units"),
    ("die_ns = 60", "die_ns = inf", "host.die_ns"),
    (
        "static_watts = 2.7",
        "static_watts = -1",
        "energy.host.static_watts",
    ),
    ("factor = 2 ", "factor = 0.5 ", "energy.factor"),
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
