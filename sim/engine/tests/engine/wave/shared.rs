//! A file of several designs: each has what it has in a file of its own, under its name.

use xtq_engine::{SharedWave, WaveOptions, WaveProbe};

use crate::wave::tower::engines;
use crate::wave::trace::Trace;
use crate::wave::{FORMATS, Scratch, run};

/// The options of one design in a file.
fn joins(file: &SharedWave, name: &str, scope: Option<&str>) -> WaveOptions {
    WaveOptions {
        instance: Some(name.into()),
        shared: Some(file.clone()),
        scope: scope.map(Into::into),
        ..WaveOptions::new("")
    }
}

#[test]
fn every_design_has_its_signals_whoever_runs_ahead() {
    for format in FORMATS {
        let together = Scratch::new("together", format);
        let file = SharedWave::new(&together.0);
        let mut shared = engines();
        let mut alone = engines();
        let own: Vec<Scratch> = (alone.iter())
            .map(|_| Scratch::new("alone", format))
            .collect();
        for (number, engine) in shared.iter_mut().enumerate() {
            let options = joins(&file, &format!("node{number}"), None);
            engine.attach_wave(options).unwrap();
        }
        file.begin(None).unwrap();
        // One design runs all its cycles before the next one begins.
        for (number, engine) in shared.iter_mut().enumerate() {
            run(engine.as_mut(), number as u64, 30);
            engine.finish_wave().unwrap();
        }
        let all = Trace::read(&together.0);
        for (number, (engine, own)) in alone.iter_mut().zip(&own).enumerate() {
            engine.attach_wave(own.options()).unwrap();
            run(engine.as_mut(), number as u64, 30);
            engine.finish_wave().unwrap();
            let own = Trace::read(&own.0);
            assert_eq!(own.window, all.window, "{format}");
            for (path, var) in &own.vars {
                let path = path.replacen("top", &format!("top.node{number}"), 1);
                assert_eq!(&all.vars[&path], var, "{format}: {path}");
            }
        }
    }
}

#[test]
fn a_scope_may_be_in_one_design_only_and_a_probe_adds_signals() {
    for format in FORMATS {
        let scratch = Scratch::new("scope", format);
        let file = SharedWave::new(&scratch.0);
        let mut designs = engines();
        let scope = Some("node1.floor.room");
        for (number, engine) in designs.iter_mut().enumerate().take(2) {
            let options = joins(&file, &format!("node{number}"), scope);
            engine.attach_wave(options).unwrap();
        }
        let probe = WaveProbe::attach(
            joins(&file, "link", None),
            &[("ready".into(), 1), ("beats".into(), 16)],
        );
        let mut probe = probe.unwrap();
        file.begin(scope).unwrap();
        for engine in designs.iter_mut().take(2) {
            run(engine.as_mut(), 1, 5);
            engine.finish_wave().unwrap();
        }
        for cycle in 0..5 {
            probe.sample(cycle, &[cycle % 2, 3 * cycle]);
        }
        probe.finish().unwrap();
        let trace = Trace::read(&scratch.0);
        assert!(
            trace
                .vars
                .keys()
                .any(|path| path.starts_with("top.node1.floor.room"))
        );
        assert!(!trace.vars.keys().any(|path| path.starts_with("top.node0")));
        let beats = &trace.vars["top.link.beats"];
        assert_eq!(beats.width, 16);
        let values: Vec<_> = (beats.changes.iter())
            .map(|(time, bits)| (*time, u64::from_str_radix(bits, 2).unwrap()))
            .collect();
        assert_eq!(
            values,
            [(0, 0), (1000, 3), (2000, 6), (3000, 9), (4000, 12)]
        );
    }
}

#[test]
fn what_nobody_has_is_named() {
    let scratch = Scratch::new("nobody", "vcd");
    let file = SharedWave::new(&scratch.0);
    let mut engine = engines().remove(1);
    let options = joins(&file, "node0", Some("node3"));
    engine.attach_wave(options).unwrap();
    let error = file.begin(Some("node3")).unwrap_err();
    assert_eq!(error.to_string(), "no block or signal at path 'node3'");
    assert!(!scratch.0.exists());
}
