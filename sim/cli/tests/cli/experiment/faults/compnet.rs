//! Faults in the parameters of experiments on nodes of ComP-Net.

use super::Fault;

pub(super) const GET: &[Fault] = &[
    ("\nbytes = [8,", "\nbytes = [0,", "sweep.bytes"),
    ("seeds = [1,", "seeds = [2,", "sweep.seeds"),
    ("{ host_ns = 250,", "{ host_ns = -1,", "sweep.pcie"),
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

pub(super) const JACOBI: &[Fault] = &[
    ("nodes = 8 ", "nodes = 1 ", "sweep.nodes"),
    ("\npoints = [256,", "\npoints = [255,", "sweep.points"),
    ("\npoints = [256,", "\npoints = [4096,", "sweep.points"),
    (
        "roofline_points = [65536,",
        "roofline_points = [64,",
        "sweep.roofline_points",
    ),
    ("16777216]", "16777217]", "sweep.extrapolated_points"),
    ("steps = 1 ", "steps = 0 ", "sweep.steps"),
    ("seeds = [1,", "seeds = [2,", "sweep.seeds"),
    ("seeds = [1,", "seeds = [0,", "sweep.seeds"),
    (
        "roofline_points = [65536,",
        "roofline_points = [16384,",
        "sweep.roofline_points",
    ),
    (
        "extrapolated_points = [1048576,",
        "extrapolated_points = [262144,",
        "sweep.extrapolated_points",
    ),
    ("threads = 1 ", "threads = 5 ", "sweep.threads"),
    (
        "isolated_threads = [2]",
        "isolated_threads = [1]",
        "sweep.isolated_threads",
    ),
    (
        "l2_gigabytes_per_second = 768",
        "l2_gigabytes_per_second = 0",
        "compute.l2_gigabytes_per_second",
    ),
    ("join_ns = 200 ", "join_ns = -1 ", "compute.join_ns"),
    (
        "work_groups = 40 ",
        "work_groups = 2 ",
        "compute.work_groups",
    ),
    (
        "isolated_points = 4096",
        "isolated_points = 512",
        "sweep.isolated_points",
    ),
    ("kernel_ns = 10_000", "kernel_ns = -1", "sweep.kernel_ns"),
    (
        "work_groups = 32",
        "work_groups = 33",
        "compute.work_groups",
    ),
    ("gpu_rate = 2304", "gpu_rate = 0", "compute.gpu_rate"),
    ("core_points = 1024", "core_points = 0", "compute.cores"),
    ("units = 12 ", "units = 17 ", "gpu.units"),
];

pub(super) const COMPNET_ALLREDUCE: &[Fault] = &[
    ("\nnodes = [2,", "\nnodes = [1,", "sweep.nodes"),
    ("\nbytes = [65536,", "\nbytes = [65537,", "sweep.bytes"),
    ("\nbytes = [65536,", "\nbytes = [524288,", "sweep.bytes"),
    (
        "check_bytes = 1048576",
        "check_bytes = 1048577",
        "sweep.check_bytes",
    ),
    (
        "check_bytes = 1048576",
        "check_bytes = 524288",
        "sweep.check_bytes",
    ),
    (
        "check_nodes = [2, 4]",
        "check_nodes = [2, 3]",
        "sweep.check_nodes",
    ),
    ("threads = 1 ", "threads = 5 ", "sweep.threads"),
    ("\nthreads = [2]", "\nthreads = [5]", "beside.threads"),
    ("\nrings = [1, 16]", "\nrings = [1, 17]", "beside.rings"),
    ("\nnodes = 4", "\nnodes = 5", "beside.nodes"),
    ("cores = 16 ", "cores = 0 ", "adding.cores"),
    (
        "\nwork_groups = 64",
        "\nwork_groups = 257",
        "adding.work_groups",
    ),
    ("join_ns = 200 ", "join_ns = -1 ", "adding.join_ns"),
    ("critical_ns = 0 ", "critical_ns = 80 ", "host.critical_ns"),
    (
        "\ngigabytes_per_second = 16",
        "\ngigabytes_per_second = 65",
        "nic.gigabytes_per_second",
    ),
    (
        "extrapolated_bytes = 67108864",
        "extrapolated_bytes = 0",
        "sweep.extrapolated_bytes",
    ),
    (
        "extrapolated_nodes = [16,",
        "extrapolated_nodes = [64,",
        "sweep.extrapolated_nodes",
    ),
    ("rings = 4", "rings = 0", "sweep.rings"),
    ("kernel_ns = 10_000", "kernel_ns = nan", "sweep.kernel_ns"),
    ("cp_watts = 0.95", "cp_watts = 0", "energy.cp_watts"),
    ("factor = 2 ", "factor = 0.5 ", "energy.factor"),
    ("host_watts = 8", "host_wats = 8", "energy.host_wats"),
];

pub(super) const ML: &[Fault] = &[
    ("nodes = 8 ", "nodes = 33 ", "sweep.nodes"),
    ("\nbytes = [65536,", "\nbytes = [65537,", "sweep.bytes"),
    ("rings = 4", "rings = 65", "sweep.rings"),
    ("few_nodes = 2 ", "few_nodes = 1 ", "sweep.few_nodes"),
    ("cores = 16 ", "cores = 65 ", "adding.cores"),
    ("share = 0.5", "share = 1.0", "sweep.networks[0].share"),
    (
        "bytes = 244_000_000",
        "bytes = 0",
        "sweep.networks[1].bytes",
    ),
    ("shares = [0.1,", "shares = [0.0,", "sweep.shares"),
];
