//! `xtq experiment`: files, parameters, faults in them.

mod faults;

use crate::common::{Folder, root, xtq};
use serde_json::Value;
use xtq_compute::experiments::EXPERIMENTS;

/// Runs the small form of an experiment twice: all files are there, and the same both times.
fn writes_every_file(name: &str) {
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
    let made = format!("Made by `xtq experiment {name} --quick`, xtq ");
    assert!(md.starts_with(made.as_bytes()));
    assert_eq!(run(), written);
}

#[test]
fn a_quick_run_writes_every_file_and_the_same_numbers_again() {
    writes_every_file("compnet-queue");
}

#[test]
fn a_quick_run_of_each_experiment_writes_every_file_and_the_same_numbers_again() {
    for experiment in EXPERIMENTS {
        writes_every_file(experiment.name());
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
        // Figures of the smallest form are not taken for results.
        assert!(section.contains(
            "<p class=\"quick\">These figures are of the smallest form and prove nothing."
        ));
        for verdict in [">holds<", ">does not hold<"] {
            assert!(!section.contains(verdict), "{name}");
        }
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
