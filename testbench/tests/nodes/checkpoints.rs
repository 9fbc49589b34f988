//! A run that goes on from a checkpoint, in a process that has not seen its beginning, does what the run does that was
//! never interrupted.

use std::sync::{Arc, Mutex};

use serde_json::Value;
use xtq_engine::EngineKind;
use xtq_testbench::cluster::RunOptions;
use xtq_testbench::scenario::make::{Making, Pattern, make};
use xtq_testbench::scenario::nodes::{Checkpoint, CheckpointError};
use xtq_testbench::scenario::{NodesReport, NodesRun};

use crate::digests::{patterns, plan};

fn built(text: &str) -> NodesRun {
    NodesRun::new(plan(text), EngineKind::default()).unwrap()
}

/// The report of a run and the files of its checkpoints, one in so many cycles.
fn kept(text: &str, every: u64, options: RunOptions) -> (NodesReport, Vec<Vec<u8>>) {
    let files = Arc::new(Mutex::new(Vec::new()));
    let mut run = built(text);
    run.set_options(options);
    let to = files.clone();
    let keep = move |checkpoint: &Checkpoint| {
        let bytes = checkpoint.to_bytes().map_err(|error| error.to_string())?;
        to.lock().unwrap().push(bytes);
        Ok(())
    };
    run.keep_checkpoints(every, Box::new(keep)).unwrap();
    let report = run.finish();
    drop(run);
    (
        report,
        Arc::into_inner(files).unwrap().into_inner().unwrap(),
    )
}

fn resumed(text: &str, file: &[u8], options: RunOptions) -> NodesReport {
    let mut run = built(text);
    run.set_options(options);
    run.resume(&Checkpoint::of_bytes(file).unwrap()).unwrap();
    run.finish()
}

/// All that a report says about what was simulated, and nothing about how.
fn told(report: &NodesReport) -> Value {
    let mut told = serde_json::to_value(report).unwrap();
    let keys = told.as_object_mut().unwrap();
    for key in ["asleep", "resumed", "node_bytes", "waiting"] {
        keys.remove(key).unwrap();
    }
    keys.retain(|key, _| !key.ends_with("seconds") && !key.ends_with("per_second"));
    told
}

#[test]
fn a_run_that_goes_on_from_a_checkpoint_ends_like_one_that_was_never_interrupted() {
    let all = RunOptions::default();
    let others = [
        RunOptions {
            epoch: 7,
            threads: 2,
            ..all
        },
        RunOptions {
            skips: false,
            ..all
        },
        RunOptions { threads: 3, ..all },
    ];
    for (name, text) in patterns() {
        let wanted = built(&text).finish();
        let every = (wanted.cycles - wanted.setup_cycles) / 3;
        let (report, files) = kept(&text, every, RunOptions { threads: 2, ..all });
        assert_eq!(told(&report), told(&wanted), "{name}: with checkpoints");
        assert!(files.len() >= 2, "{name}: {} checkpoints", files.len());
        for (number, file) in files.iter().enumerate() {
            let report = resumed(&text, file, others[number % others.len()]);
            assert_eq!(told(&report), told(&wanted), "{name}: checkpoint {number}");
            let cycle = Checkpoint::of_bytes(file).unwrap().head().cycle;
            assert_eq!((report.resumed, cycle % every), (cycle, 0), "{name}");
        }
    }
}

#[test]
fn a_run_that_was_given_up_goes_on() {
    let (name, text) = patterns().remove(3);
    let wanted = built(&text).finish();
    let short = format!("max_cycles = {}", (wanted.cycles - wanted.setup_cycles) / 2);
    let given_up = text.replacen("max_cycles = 100_000_000", &short, 1);
    let (report, files) = kept(&given_up, u64::MAX, RunOptions::default());
    assert!(
        report.failure.contains("not done"),
        "{name}: {}",
        report.failure
    );
    assert_eq!(files.len(), 1);
    let report = resumed(&text, &files[0], RunOptions::default());
    assert_eq!(told(&report), told(&wanted));
}

#[test]
fn a_checkpoint_of_another_scenario_is_refused() {
    let all = patterns();
    let (_, files) = kept(&all[0].1, 100, RunOptions::default());
    let checkpoint = Checkpoint::of_bytes(&files[0]).unwrap();
    // A cycle more of pause is another program.
    let program = all[0].1.replacen("cycles = 300", "cycles = 301", 1);
    assert_ne!(program, all[0].1);
    for text in [&all[1].1, &program] {
        let refused = built(text).resume(&checkpoint);
        let title = "ring, 4 nodes".to_owned();
        let wanted = CheckpointError::Scenario { title, nodes: 4 };
        assert_eq!(refused, Err(wanted));
    }
    let title = all[0].1.replacen("title = \"ring", "title = \"round", 1);
    assert!(
        built(&title).resume(&checkpoint).is_ok(),
        "a title is no program"
    );
}

#[test]
fn an_engine_that_keeps_its_state_to_itself_has_no_checkpoints() {
    let text = make(&Making::new(Pattern::Wait, 1)).unwrap();
    let mut run = NodesRun::new(plan(&text), EngineKind::Oracle).unwrap();
    let refused = run.keep_checkpoints(1, Box::new(|_| Ok(())));
    assert_eq!(refused, Err(CheckpointError::Engine));
}

#[test]
fn a_checkpoint_that_cannot_be_kept_ends_the_run_and_says_why() {
    let text = patterns().remove(0).1;
    let mut run = built(&text);
    let full = |_: &Checkpoint| Err("no room".to_owned());
    run.keep_checkpoints(100, Box::new(full)).unwrap();
    let report = run.finish();
    let wanted = "cycle 100: the checkpoint cannot be kept: no room";
    assert_eq!((report.passed, report.failure.as_str()), (false, wanted));
}
