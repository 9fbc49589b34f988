//! The threads of a waveform: a file is the same however fast it is written, of any size, and nobody waits for ever.

use std::io::Read;
use std::process::Command;
use std::time::Duration;

use xtq_engine::{Engine, Error, WaveOptions, WaveProbe};

use crate::wave::tower::engines;
use crate::wave::trace::Trace;
use crate::wave::{FORMATS, Scratch};

/// Runs the JIT with 512 bits that change in every cycle.
fn run_wide(options: WaveOptions, cycles: u64) -> xtq_engine::Result<()> {
    let mut engine = engines().remove(2);
    engine.attach_wave(options)?;
    let wide = engine.port("wide")?;
    for cycle in 0..cycles {
        let word = |i: u64| (8 * cycle + i).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        let words = std::array::from_fn::<_, 8, _>(|i| word(i as u64));
        engine.set(wide, &words)?;
        engine.step()?;
    }
    engine.finish_wave()
}

/// How many sections an FST file has: a byte for the kind of each block, eight for its length.
fn sections(file: &[u8]) -> usize {
    let (mut at, mut count) = (0, 0);
    while let Some((kind, rest)) = file[at..].split_first() {
        count += usize::from(*kind == 8);
        at += 1 + u64::from_be_bytes(*rest.first_chunk().unwrap()) as usize;
    }
    count
}

/// A pipe with a name.
fn pipe(format: &str) -> Scratch {
    let pipe = Scratch::new("pipe", format);
    let made = Command::new("mkfifo").arg(&pipe.0).status();
    assert!(made.unwrap().success());
    pipe
}

// The simulation gets far ahead of this reader, and waits.
#[test]
fn a_slow_reader_gets_the_same_file() {
    const CYCLES: u64 = 8_000;
    let (file, pipe) = (Scratch::new("fast", "vcd"), pipe("vcd"));
    run_wide(file.options(), CYCLES).unwrap();
    let path = pipe.0.clone();
    let reader = std::thread::spawn(move || {
        let mut pipe = std::fs::File::open(path).unwrap();
        let (mut all, mut piece) = (Vec::new(), vec![0; 1 << 20]);
        loop {
            match pipe.read(&mut piece).unwrap() {
                0 => return all,
                count => all.extend_from_slice(&piece[..count]),
            }
            if all.len() % 17 == 0 {
                std::thread::sleep(Duration::from_millis(3));
            }
        }
    });
    run_wide(pipe.options(), CYCLES).unwrap();
    let (slow, fast) = (reader.join().unwrap(), std::fs::read(&file.0).unwrap());
    assert!(fast.len() > 8 << 20, "{} bytes are too few", fast.len());
    assert!(slow == fast, "{} and {} bytes", slow.len(), fast.len());
}

#[test]
fn a_reader_that_goes_away_in_the_middle_is_an_error_and_the_run_goes_on() {
    let pipe = pipe("vcd");
    let path = pipe.0.clone();
    let reader = std::thread::spawn(move || {
        let mut pipe = std::fs::File::open(path).unwrap();
        pipe.read_exact(&mut vec![0; 1 << 20]).unwrap();
    });
    let error = run_wide(pipe.options(), 20_000).unwrap_err();
    reader.join().unwrap();
    assert!(
        matches!(&error, Error::Wave { source, .. } if source.kind() == std::io::ErrorKind::BrokenPipe),
        "{error:?}"
    );
}

#[test]
fn two_runs_write_the_same_bytes() {
    for format in FORMATS {
        let files = [Scratch::new("one", format), Scratch::new("two", format)];
        files
            .iter()
            .for_each(|file| run_wide(file.options(), 30_000).unwrap());
        let [one, two] = files.map(|file| std::fs::read(&file.0).unwrap());
        assert!(
            one == two,
            "{format}: {} and {} bytes",
            one.len(),
            two.len()
        );
    }
}

#[test]
fn an_fst_file_of_many_sections_says_what_the_vcd_file_says() {
    const CYCLES: u64 = 40_000;
    let [vcd, fst] = FORMATS.map(|format| {
        let file = Scratch::new("sections", format);
        run_wide(file.options(), CYCLES).unwrap();
        file
    });
    let sections = sections(&std::fs::read(&fst.0).unwrap());
    assert!(sections > 2, "{sections} sections");
    let (vcd, fst) = (Trace::read(&vcd.0), Trace::read(&fst.0));
    assert_eq!(vcd.window, fst.window);
    for (path, var) in &vcd.vars {
        assert!(fst.vars[path] == *var, "{path}");
    }
}

/// More words change at once than a block has room for.
#[test]
fn a_moment_may_be_larger_than_a_block() {
    const SIGNALS: u64 = 40_000;
    let signals: Vec<_> = (0..SIGNALS)
        .map(|i| (format!("s{i}"), 1 + i as usize % 64))
        .collect();
    let value = |signal: u64, cycle: u64| {
        let width = 1 + signal % 64;
        (signal + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15) >> cycle & (u64::MAX >> (64 - width))
    };
    for format in FORMATS {
        let file = Scratch::new("many", format);
        let mut probe = WaveProbe::attach(file.options(), &signals).unwrap();
        for cycle in 0..4 {
            let values: Vec<_> = (0..SIGNALS).map(|signal| value(signal, cycle)).collect();
            probe.sample(cycle, &values);
        }
        probe.finish().unwrap();
        let trace = Trace::read(&file.0);
        for (signal, (name, width)) in signals.iter().enumerate() {
            for cycle in 0..4 {
                let expected = format!("{:0width$b}", value(signal as u64, cycle));
                let found = trace.at(&format!("top.{name}"), 1000 * cycle);
                assert_eq!(
                    found,
                    Some(expected.as_str()),
                    "{format}: {name} in {cycle}"
                );
            }
        }
    }
}

/// GTKWave's own library reads what wellen reads; where its tool is not installed there is nothing to compare.
#[test]
fn libfst_reads_the_same_as_wellen() {
    let (file, text) = (Scratch::new("libfst", "fst"), Scratch::new("libfst", "vcd"));
    run_wide(file.options(), 20_000).unwrap();
    let tool = Command::new("fst2vcd")
        .arg("-f")
        .arg(&file.0)
        .arg("-o")
        .arg(&text.0)
        .output();
    match tool {
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => {
            eprintln!("not compared: fst2vcd (GTKWave) is not installed");
        }
        tool => {
            assert!(tool.unwrap().status.success());
            let (theirs, ours) = (Trace::read_vcd(&text.0), Trace::read_as_it_is(&file.0));
            assert_eq!(theirs.window.1, ours.window.1);
            for (path, var) in &ours.vars {
                assert!(theirs.vars[path] == *var, "{path}");
            }
        }
    }
}
