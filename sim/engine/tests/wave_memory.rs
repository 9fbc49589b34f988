//! A waveform takes as much memory for a long run as for a short one. A test program of its own: it counts what the
//! whole process has.

#![allow(unsafe_code)]

#[path = "engine/wave/tower.rs"]
mod tower;

use std::alloc::{GlobalAlloc, Layout, System};
use std::path::PathBuf;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};

use xtq_engine::{Engine, WaveOptions};

/// Bytes in use, and the most there were since the last look.
static USED: AtomicUsize = AtomicUsize::new(0);
static PEAK: AtomicUsize = AtomicUsize::new(0);

struct Counting;

#[global_allocator]
static ALLOCATOR: Counting = Counting;

fn count(more: usize, less: usize) {
    let before = USED.fetch_add(more, Relaxed);
    PEAK.fetch_max(before + more, Relaxed);
    USED.fetch_sub(less, Relaxed);
}

// SAFETY: the system's allocator does everything; nothing but numbers is kept here.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        count(layout.size(), 0);
        // SAFETY: as the caller promises.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, at: *mut u8, layout: Layout) {
        count(0, layout.size());
        // SAFETY: as the caller promises.
        unsafe { System.dealloc(at, layout) }
    }

    unsafe fn realloc(&self, at: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        count(size, layout.size());
        // SAFETY: as the caller promises.
        unsafe { System.realloc(at, layout, size) }
    }
}

/// Runs with 512 bits that change in every cycle; gives the most memory in use.
fn peak(engine: &mut dyn Engine, cycles: u64) -> usize {
    PEAK.store(USED.load(Relaxed), Relaxed);
    let wide = engine.port("wide").expect("the top has this input");
    for _ in 0..cycles {
        let word = engine.cycle().wrapping_mul(0x9e37_79b9_7f4a_7c15);
        let words = std::array::from_fn::<_, 8, _>(|i| word.rotate_left(7 * i as u32));
        engine.set(wide, &words).expect("it is an input");
        engine.step().expect("the design settles");
    }
    PEAK.load(Relaxed)
}

#[test]
fn memory_does_not_grow_with_the_run() {
    /// Above what the engine has without a waveform.
    const BOUND: usize = 24 << 20;
    // Enough cycles for some sections of an FST file; a VCD file is larger, and its buffer smaller.
    for (format, cycles) in [("vcd", 10_000), ("fst", 150_000)] {
        for mut engine in tower::engines() {
            // The oracle takes a millisecond for a cycle; both others write with the same code.
            if engine.name() == "oracle" {
                continue;
            }
            let name = format!("memory-{}.{format}", std::process::id());
            let path = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(name);
            let scope = Some("wide".into());
            let options = WaveOptions {
                scope,
                ..WaveOptions::new(&path)
            };
            let before = peak(engine.as_mut(), 10);
            engine
                .attach_wave(options)
                .expect("the file can be created");
            let short = peak(engine.as_mut(), cycles);
            let long = peak(engine.as_mut(), 4 * cycles);
            let last = USED.load(Relaxed);
            engine.finish_wave().expect("the file can be written");
            let size = std::fs::metadata(&path).expect("the file is there").len();
            std::fs::remove_file(&path).expect("the file is there");
            let who = format!(
                "{format} of {}: {before} {short} {long} {last} bytes, file {size}",
                engine.name()
            );
            assert!(long <= short + (64 << 10), "grows: {who}");
            assert!(long < before + BOUND, "much: {who}");
            assert!(
                size as usize > BOUND,
                "a file that could be in memory shows nothing: {who}"
            );
        }
    }
}
