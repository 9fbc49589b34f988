//! Files that cannot be written: an error with their name, and a run that goes on.

use std::path::PathBuf;

use xtq_engine::{Engine, Error, WaveOptions};

use crate::wave::tower::engines;
use crate::wave::{FORMATS, run};

#[test]
fn a_file_that_cannot_be_created_is_named() {
    for format in FORMATS {
        for mut engine in engines() {
            let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR"));
            let path = folder.join(format!("no such folder/x.{format}"));
            let error = engine.attach_wave(WaveOptions::new(&path)).unwrap_err();
            let text = error.to_string();
            assert!(
                text.contains(&format!("no such folder/x.{format}")),
                "{text}"
            );
            // The engine runs on without a waveform.
            run(engine.as_mut(), 1, 3);
            engine.finish_wave().unwrap();
        }
    }
}

/// `/dev/full` is a disk without space.
#[cfg(target_os = "linux")]
#[test]
fn a_full_disk_is_an_error_with_the_files_name_and_ends_the_waveform_only() {
    for format in FORMATS {
        for mut engine in engines() {
            let file = crate::wave::Scratch::new("full", format);
            std::os::unix::fs::symlink("/dev/full", &file.0).unwrap();
            let attached = engine.attach_wave(file.options());
            let error = match attached {
                Err(error) => error,
                Ok(()) => {
                    // The design has done nothing wrong.
                    (0..10_000).for_each(|_| engine.step().unwrap());
                    engine.finish_wave().expect_err("it is full")
                }
            };
            assert!(
                matches!(&error, Error::Wave { source, .. }
                if source.kind() == std::io::ErrorKind::StorageFull),
                "{error:?}"
            );
            assert!(
                error.to_string().contains(&format!(".{format}: ")),
                "{error}"
            );
            run(engine.as_mut(), 1, 3);
            engine.finish_wave().unwrap();
        }
    }
}

/// What is left in the buffer at the end is not lost without a word.
#[cfg(target_os = "linux")]
#[test]
fn a_file_that_takes_nothing_at_the_very_end_is_an_error() {
    let file = crate::wave::Scratch::new("end", "vcd");
    let made = std::process::Command::new("mkfifo").arg(&file.0).status();
    assert!(made.unwrap().success());
    // The reader goes away when the head has come.
    let path = file.0.clone();
    let reader = std::thread::spawn(move || {
        let mut pipe = std::fs::File::open(path).unwrap();
        std::io::Read::read_exact(&mut pipe, &mut [0]).unwrap();
    });
    let mut engine = crate::design::machine();
    engine.attach_wave(file.options()).unwrap();
    reader.join().unwrap();
    engine.step().unwrap();
    let error = engine.finish_wave().unwrap_err();
    assert!(matches!(error, Error::Wave { .. }), "{error:?}");
}
