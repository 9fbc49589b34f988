//! How a file ends: finished, followed by another, dropped, or with a run that is killed.

use std::path::Path;
use std::time::Duration;

use xtq_engine::Engine;

use crate::design::machine;
use crate::wave::tower::engines;
use crate::wave::trace::Trace;
use crate::wave::{FORMATS, Scratch, run};

#[test]
fn attaching_again_finishes_the_first_file() {
    for format in FORMATS {
        let (first, second) = (
            Scratch::new("first", format),
            Scratch::new("second", format),
        );
        let mut engine = machine();
        engine.attach_wave(first.options()).unwrap();
        engine.step().unwrap();
        engine.attach_wave(second.options()).unwrap();
        engine.step().unwrap();
        engine.finish_wave().unwrap();
        engine.finish_wave().unwrap();
        assert_eq!(Trace::read(&first.0).window, (0, 2000), "{format}");
        assert_eq!(Trace::read(&second.0).window, (1000, 3000), "{format}");
    }
}

#[test]
fn a_file_that_nobody_finishes_is_complete_up_to_the_last_cycle_that_ran() {
    for format in FORMATS {
        for mut engine in engines() {
            let file = Scratch::new("dropped", format);
            engine.attach_wave(file.options()).unwrap();
            run(engine.as_mut(), 8, 20);
            drop(engine);
            let trace = Trace::read(&file.0);
            assert_eq!(trace.window, (0, 20_000), "{format}");
            let finished = Scratch::new("finished", format);
            let mut engine = crate::wave::tower::oracle();
            engine.attach_wave(finished.options()).unwrap();
            run(&mut engine, 8, 19);
            engine.finish_wave().unwrap();
            // The oracle knows of no signals that are the same.
            let expected = Trace {
                signals: trace.signals,
                ..Trace::read(&finished.0)
            };
            assert_eq!(expected, trace, "{format}");
        }
    }
}

/// Waits until the threads of a waveform have written what they were given.
fn settle(path: &Path) {
    let size = || std::fs::metadata(path).unwrap().len();
    let (mut last, mut same) = (size(), 0);
    while same < 20 {
        std::thread::sleep(Duration::from_millis(10));
        let now = size();
        same = if now == last { same + 1 } else { 0 };
        last = now;
    }
}

/// As if the process were killed: nothing that is still in memory reaches the file.
#[test]
fn of_a_run_that_is_killed_all_but_the_last_stretch_can_be_read() {
    const CYCLES: u64 = 20_000;
    for format in FORMATS {
        let file = Scratch::new("killed", format);
        let mut engine = engines().remove(2);
        engine.attach_wave(file.options()).unwrap();
        let wide = engine.port("wide").unwrap();
        for cycle in 0..CYCLES {
            engine
                .set(wide, &[cycle.wrapping_mul(0x9e37_79b9_7f4a_7c15); 8])
                .unwrap();
            engine.step().unwrap();
        }
        std::mem::forget(engine);
        settle(&file.0);
        if format == "vcd" {
            // Not in the middle of a line or of a moment: of those, one reader makes an error and the other a wrong
            // value.
            let text = std::fs::read_to_string(&file.0).unwrap();
            let moment = text.rsplit('#').next().unwrap_or_default();
            assert!(
                moment.ends_with('\n') && moment.lines().count() > 1,
                "{moment}"
            );
        }
        let trace = Trace::read(&file.0);
        assert!(
            trace.window.0 == 0 && trace.window.1 > 1000 * CYCLES / 2,
            "{format}: {:?}",
            trace.window
        );
        let wide = &trace.vars["top.floor.room.wide"];
        for &(time, ref bits) in &wide.changes {
            let word = (time / 1000).wrapping_mul(0x9e37_79b9_7f4a_7c15);
            assert_eq!(
                *bits,
                format!("{word:064b}").repeat(8),
                "{format} at {time}"
            );
        }
    }
}
