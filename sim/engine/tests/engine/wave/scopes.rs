//! Which signals a scope chooses.

use xtq_engine::{Engine, WaveOptions};

use crate::design::machine;
use crate::wave::tower::engines;
use crate::wave::trace::Trace;
use crate::wave::{FORMATS, Scratch, run};

/// Runs with `scope` in both formats; gives the paths in the files.
fn paths_in(scope: &str, name: &str) -> Vec<String> {
    let mut found = FORMATS.map(|format| {
        let file = Scratch::new(name, format);
        let mut engine = machine();
        let scope = Some(scope.into());
        let options = WaveOptions {
            scope,
            ..file.options()
        };
        engine.attach_wave(options).unwrap();
        run(&mut engine, 1, 5);
        engine.finish_wave().unwrap();
        Trace::read(&file.0).order
    });
    assert_eq!(found[0], found[1]);
    found[0].sort();
    std::mem::take(&mut found[0])
}

#[test]
fn a_scope_shows_a_block_and_what_is_inside() {
    let lane = |i| {
        let names = [
            "add",
            "clk",
            "en",
            "sum",
            "sum_q.clock",
            "sum_q.d",
            "sum_q.q",
        ];
        names.map(|name| format!("top.lanes.lane${i}.{name}"))
    };
    assert_eq!(paths_in("lanes.lane[1]", "one"), lane(1));
    assert_eq!(paths_in("top.lanes.lane$1", "dollar"), lane(1));
    assert_eq!(paths_in("lanes.lane", "both"), [lane(0), lane(1)].concat());
}

#[test]
fn a_scope_may_be_one_signal_and_a_struct_has_a_variable_for_each_field() {
    assert_eq!(paths_in("count_q.q", "signal"), ["top.count_q.q"]);
    assert_eq!(
        paths_in("header_q.q", "struct"),
        [
            "top.header_q.q$body",
            "top.header_q.q$kind",
            "top.header_q.q$len"
        ]
    );
    assert_eq!(paths_in("header_q.q.len", "field"), ["top.header_q.q$len"]);
}

#[test]
fn the_scope_top_is_everything() {
    let all = paths_in("top", "top");
    assert!(all.contains(&"top.sum".into()) && all.contains(&"top.lanes.lane$0.sum_q.q".into()));
}

#[test]
fn a_scope_that_is_not_there_is_named_and_writes_no_file() {
    for format in FORMATS {
        for mut engine in engines() {
            let file = Scratch::new("missing", format);
            // The beginning of a name is no name.
            let scope = Some("floor.roo".into());
            let options = WaveOptions {
                scope,
                ..file.options()
            };
            let error = engine.attach_wave(options).unwrap_err();
            assert_eq!(error.to_string(), "no block or signal at path 'floor.roo'");
            assert!(!file.0.exists());
        }
    }
}

#[test]
fn a_scope_of_the_same_run_shows_the_same_values() {
    for format in FORMATS {
        for (mut whole, mut part) in engines().into_iter().zip(engines()) {
            let files = ["whole", "part"].map(|name| Scratch::new(name, format));
            whole.attach_wave(files[0].options()).unwrap();
            let scope = Some("floor.room".into());
            part.attach_wave(WaveOptions {
                scope,
                ..files[1].options()
            })
            .unwrap();
            for engine in [&mut whole, &mut part] {
                run(engine.as_mut(), 7, 40);
                engine.finish_wave().unwrap();
            }
            let [whole, part] = files.map(|file| Trace::read(&file.0));
            assert!(part.vars.len() > 20 && part.vars.len() < whole.vars.len());
            for (path, var) in &part.vars {
                assert_eq!(var, &whole.vars[path], "{format}: {path}");
            }
        }
    }
}
