//! The generated parts of the documentation are up to date. `docs/update.sh` writes them.

use crate::common::{Folder, root, xtq};
use xtq_compute::experiments::EXPERIMENTS;
use xtq_testbench::scenario::{
    l2_report_schema, l2_schema, nodes_report_schema, nodes_schema, parse_file,
    reference::markdown, report_schema, target_schema,
};

/// Compares the text between `<!-- NAME: ... -->` and `<!-- end -->` of a page with `want`, or writes it.
fn check(page: &str, name: &str, want: &str) {
    let path = root().join("docs").join(page);
    let text = std::fs::read_to_string(&path).unwrap();
    let start = text.find(&format!("<!-- {name}: ")).unwrap();
    let start = start + text[start..].find('\n').unwrap() + 1;
    let end = start + text[start..].find("<!-- end -->").unwrap();
    let want = format!("\n{}\n\n", want.trim());
    if std::env::var_os("UPDATE_DOCS").is_some() {
        std::fs::write(path, format!("{}{want}{}", &text[..start], &text[end..])).unwrap();
        return;
    }
    assert!(
        text[start..end] == want,
        "docs/{page} is not up to date: run docs/update.sh"
    );
}

#[test]
fn the_reference_of_scenarios_is_up_to_date() {
    check(
        "reference/scenario.md",
        "reference",
        &markdown("The file", &target_schema()),
    );
    check(
        "reference/scenario.md",
        "nodes-reference",
        &markdown("The file of several nodes", &nodes_schema()),
    );
}

#[test]
fn the_reference_of_the_command_line_is_up_to_date() {
    let help = xtq(&["--help"]).stdout;
    let verbs = help.split("Commands:\n").nth(1).expect("verbs");
    let verbs = verbs
        .lines()
        .map_while(|line| line.trim().split(' ').next());
    let verbs: Vec<&str> = verbs.take_while(|verb| !verb.is_empty()).collect();
    let mut page = format!("## xtq\n\n```text\n{help}```\n");
    for verb in verbs.into_iter().filter(|verb| *verb != "help") {
        let ran = xtq(&[verb, "--help"]);
        assert_eq!(ran.code, 0, "{verb}: {}", ran.stderr);
        page += &format!("\n## xtq {verb}\n\n```text\n{}```\n", ran.stdout);
        let names = EXPERIMENTS.iter().map(|experiment| experiment.name());
        let names = std::iter::once("all").chain(names);
        for name in names.filter(|_| verb == "experiment") {
            let ran = xtq(&[verb, name, "--help"]);
            assert_eq!(ran.code, 0, "{name}: {}", ran.stderr);
            page += &format!("\n## xtq {verb} {name}\n\n```text\n{}```\n", ran.stdout);
        }
    }
    check("reference/cli.md", "help", &page);
}

#[test]
fn the_reference_of_the_report_is_up_to_date() {
    check(
        "reference/report.md",
        "report",
        &markdown("The report", &report_schema()),
    );
    check(
        "reference/report.md",
        "nodes-report",
        &markdown("The report of several nodes", &nodes_report_schema()),
    );
}

#[test]
fn the_reference_of_scenarios_of_the_l2_is_up_to_date() {
    let (file, report) = (l2_schema(), l2_report_schema());
    let page = "reference/l2.md";
    check(page, "l2-reference", &markdown("The file", &file));
    check(page, "l2-report", &markdown("The report", &report));
}

#[test]
fn every_experiment_has_a_section_that_leads_to_its_results() {
    let page = std::fs::read_to_string(root().join("docs/experiments.md")).unwrap();
    for name in EXPERIMENTS.iter().map(|experiment| experiment.name()) {
        let section = page.split("\n## ").find(|text| text.starts_with(name));
        let section =
            section.unwrap_or_else(|| panic!("docs/experiments.md has no section {name}"));
        assert!(
            section.contains(&format!("](experiments/{name}.md)")),
            "the section {name} does not lead to its results"
        );
        for end in ["md", "csv", "svg"] {
            let file = root().join(format!("docs/experiments/{name}.{end}"));
            assert!(file.exists(), "{}", file.display());
        }
    }
}

/// A part of an experiment that is played again: of its parameters, where they end, and what is replaced; records.
struct Part {
    of: &'static str,
    end: Option<&'static str>,
    changes: &'static [(&'static str, &'static str)],
    records: usize,
}

/// Of each experiment.
const PARTS: &[Part] = &[
    // One ratio of the sweep, with all its seeds.
    Part {
        of: "compnet-hitrate",
        end: Some("[[loads]]"),
        changes: &[("\nnetworking = [", "\nnetworking = [20] # ")],
        records: 3,
    },
    // One point of each figure.
    Part {
        of: "compnet-queue",
        end: None,
        changes: &[
            ("\nwork_groups = [", "\nwork_groups = [1] # "),
            ("\nmany_work_groups = [", "\nmany_work_groups = [64] # "),
            ("\nthreads = [", "\nthreads = [4] # "),
        ],
        records: 3,
    },
    // The smallest payload, with the way over PCIe of the file.
    Part {
        of: "compnet-get",
        end: None,
        changes: &[
            ("\nbytes = [", "\nbytes = [8] # "),
            ("\npcie = [", "\npcie = [] # "),
        ],
        records: 5,
    },
    // The most threads of each design, without a mutex.
    Part {
        of: "compnet-threads",
        end: None,
        changes: &[
            ("\nthreads = [", "\nthreads = [] # "),
            ("\ndense_threads = [", "\ndense_threads = [] # "),
        ],
        records: 4,
    },
    // One size with one seed.
    Part {
        of: "compnet-jacobi",
        end: None,
        changes: &[
            ("\npoints = [", "\npoints = [1024] # "),
            ("\nroofline_points = [", "\nroofline_points = [] # "),
            ("\nextrapolated_points = [", "\nextrapolated_points = [] # "),
            ("\nisolated_points = ", "\nisolated_points = 0 # "),
        ],
        // Of five designs.
        records: 5,
    },
    // The smallest vector on two nodes.
    Part {
        of: "compnet-allreduce",
        end: None,
        changes: &[
            ("\nnodes = [", "\nnodes = [2] # "),
            ("\nbytes = [", "\nbytes = [65536] # "),
            ("\ncheck_bytes = ", "\ncheck_bytes = 0 # "),
            ("\ncheck_nodes = ", "\ncheck_nodes = [] # "),
            ("\nthreads = [", "\nthreads = [] # "),
            ("\nrings = [", "\nrings = [] # "),
            ("\ncores = [", "\ncores = [] # "),
            ("\nwork_groups = [", "\nwork_groups = [] # "),
            ("\nseeds = [", "\nseeds = [] # "),
        ],
        records: 5,
    },
    // The smaller vector on two nodes.
    Part {
        of: "compnet-ml",
        end: None,
        changes: &[
            ("\nnodes = ", "\nnodes = 2 # "),
            ("\nbytes = [", "\nbytes = [65536] # "),
        ],
        records: 5,
    },
    // The smaller payload.
    Part {
        of: "xtq-latency",
        end: Some("\n[[variants]]"),
        changes: &[("payloads = [64, 4096]", "payloads = [64]")],
        records: 4,
    },
    // Vectors of 64 bytes and of 4 KiB.
    Part {
        of: "xtq-reduce",
        end: Some("\n[[variants]]"),
        changes: &[
            ("\nbytes = [", "\nbytes = [64, 4096] # "),
            ("\npipelined_bytes = [", "\npipelined_bytes = [] # "),
        ],
        records: 9,
    },
    // Two nodes, the data set divided.
    Part {
        of: "xtq-allreduce",
        end: Some("\n[[variants]]"),
        changes: &[
            ("\nnodes = [", "\nnodes = [2] # "),
            ("\nnodes_each = [", "\nnodes_each = [] # "),
            ("\nvariant_nodes = [", "\nvariant_nodes = [] # "),
            ("\noverlap_nodes = [", "\noverlap_nodes = [] # "),
            ("\nsegments = [", "\nsegments = [] # "),
        ],
        records: 3,
    },
    // The smallest vector.
    Part {
        of: "xtq-cntk",
        end: Some("\n[[variants]]"),
        changes: &[
            ("\nbytes = [", "\nbytes = [65536] # "),
            ("\nbeside_bytes = [", "\nbeside_bytes = [] # "),
            ("\nsegments = [", "\nsegments = [] # "),
        ],
        records: 3,
    },
    // The longest epochs.
    Part {
        of: "xtq-nwchem",
        end: Some("\n[[variants]]"),
        changes: &[
            ("\nepochs = [", "\nepochs = [16] # "),
            ("\nother_slots = [", "\nother_slots = [] # "),
        ],
        records: 3,
    },
    // One collective on two nodes, one size.
    Part {
        of: "offloaded-collectives",
        end: None,
        changes: &[
            ("\ncollectives = []", "\ncollectives = [\"barrier\"]"),
            ("\nnodes = [", "\nnodes = [2] # "),
            ("\nbytes = [", "\nbytes = [64] # "),
        ],
        records: 9,
    },
    // The smallest broadcast on two and four nodes.
    Part {
        of: "triggered-overlap",
        end: Some("\n[[variants]]"),
        changes: &[
            ("\nnodes = [", "\nnodes = [2, 4] # "),
            ("\nbytes = [", "\nbytes = [8] # "),
        ],
        records: 8,
    },
    // The smallest vector.
    Part {
        of: "xtq-accumulate",
        end: Some("\n[[variants]]"),
        changes: &[
            ("\nbytes = [", "\nbytes = [64] # "),
            ("\nsegmented_bytes = [", "\nsegmented_bytes = [] # "),
            (
                "\nother_pipelines = [{ slots = 4, segment_bytes = 8192 }, { slots = 4, segment_bytes = 32768 },\n",
                "\nother_pipelines = [] # ",
            ),
        ],
        records: 3,
    },
    Part {
        of: "match-rate",
        end: None,
        changes: &[
            ("\nlengths = [", "\nlengths = [1, 64] # "),
            ("\nsources = [", "\nsources = [1] # "),
            ("\nmultiplicity = [", "\nmultiplicity = [0] # "),
        ],
        // Of five matchers, two sides: two lengths in three orders, and two more.
        records: 80,
    },
    Part {
        of: "match-traces",
        end: None,
        changes: &[
            ("\ntraces = [", "\ntraces = [\"nwchem-h2o-ccsd-4\"] # "),
            ("\nlengths = [", "\nlengths = [128] # "),
        ],
        records: 20,
    },
];

#[test]
fn the_results_of_experiments_are_those_of_this_hardware() {
    for experiment in EXPERIMENTS {
        let name = experiment.name();
        let part = PARTS.iter().find(|part| part.of == name);
        let part = part.unwrap_or_else(|| panic!("PARTS has none of {name}"));
        let text = experiment.parameters();
        let end = part.end.map_or(text.len(), |end| text.find(end).unwrap());
        let mut text = text[..end].to_owned();
        for (key, value) in part.changes {
            assert!(text.contains(key), "{key}");
            text = text.replacen(key, value, 1);
        }
        let folder = Folder::new("docs-experiment");
        let (parameters, csv) = (folder.write("p.toml", &text), folder.path("p.csv"));
        let ran = xtq(&["experiment", name, &parameters, "--csv", &csv]);
        assert_eq!(ran.code, 0, "{}", ran.stderr);
        let kept = root().join(format!("docs/experiments/{name}.csv"));
        let kept = std::fs::read_to_string(kept).unwrap();
        let now = std::fs::read_to_string(csv).unwrap();
        assert_eq!(now.lines().count(), 1 + part.records, "{name}");
        for line in now.lines() {
            assert!(
                kept.lines().any(|one| one == line),
                "docs/experiments is not of this hardware: {line}"
            );
        }
    }
}

#[test]
fn the_examples_of_the_scenario_page_can_be_read() {
    let page = std::fs::read_to_string(root().join("docs/scenario.md")).unwrap();
    let examples: Vec<&str> = page
        .split("```toml\n")
        .skip(1)
        .filter_map(|rest| rest.split("```").next())
        .collect();
    assert_eq!(examples.len(), 3);
    for example in examples {
        let file = parse_file("docs/scenario.md", example, std::path::Path::new("."));
        file.unwrap_or_else(|error| panic!("{error}"));
    }
}
