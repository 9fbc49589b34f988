//! The state file of Surfer, compared with the save file of GTKWave, the waveform and the report.

use super::state::{self, Source, WaveFormat};
use super::{names, read, run, signals, surfer_format};
use crate::common::{Folder, xtq};
use std::collections::HashMap;
use std::path::Path;

/// The state file beside a waveform shows what the save file does, and Surfer finds all of it.
pub fn check_state(wave: &str) {
    let beside = |extension| read(Path::new(wave).with_extension(extension));
    let waves = state::parse(&beside("surf.ron")).waves.unwrap();
    let shown = waves.shown();
    let signals = signals(&beside("gtkw"));
    let paths = |groups: &[(&str, bool)], path: &str| format!("{groups:?} {path}");
    let (mut found, mut expected) = (Vec::new(), Vec::new());
    for (groups, variable) in &shown.variables {
        found.push(paths(groups, &variable.variable_ref.full()));
    }
    for signal in &signals {
        let groups = signal.groups.iter();
        let groups: Vec<_> = groups.map(|(name, open)| (name.as_str(), *open)).collect();
        expected.push(paths(&groups, &signal.path));
    }
    assert_eq!(found, expected, "{wave}: not what GTKWave shows");
    let read_back = wellen::simple::read(wave).unwrap();
    let hierarchy = read_back.hierarchy();
    let folder = Path::new(wave).parent().unwrap();
    for ((_, variable), signal) in shown.variables.iter().zip(&signals) {
        let path = &signal.path;
        let bits = variable.variable_ref.find(hierarchy);
        let bits = bits.unwrap_or_else(|| panic!("Surfer does not find {path}"));
        assert_eq!(variable.manual_name.as_ref(), Some(&signal.label), "{path}");
        let format = variable.format.as_deref();
        assert_eq!(format, surfer_format(signal), "{path}");
        if let Some(file) = format.filter(|format| !["Unsigned", "ASCII"].contains(format)) {
            // Surfer stops if it has no such names, and has none from a file with one that is too large.
            let text = read(folder.join(".surfer/mappings").join(file));
            let bits = bits.unwrap();
            let head = format!("\nName = {file}\nBits = {bits}\n");
            assert!(text.contains(&head), "{path}: {text}");
            assert!(
                names(&text).keys().all(|value| value >> bits == 0),
                "{text}"
            );
        }
    }
}

#[test]
fn the_state_file_opens_the_stages_at_the_first_message() {
    let folder = Folder::new("viewers-state");
    let report = folder.path("report.json");
    let wave = run(&folder, "run.vcd", &["--json", &report]);
    check_state(&wave);
    let state = state::parse(&read(folder.path("run.surf.ron")));
    let waves = state.waves.unwrap();
    assert_eq!(waves.source, Source::File("run.vcd".to_owned()));
    assert_eq!(waves.format, WaveFormat::Vcd);
    let report: serde_json::Value = serde_json::from_str(&read(report)).unwrap();
    let message = &report["messages"][0];
    let cycle = |station: &str| message[station].as_u64().unwrap();
    let time = |station: &str| (1, vec![u32::try_from(1000 * cycle(station)).unwrap()]);
    assert_eq!(waves.cursor, Some(time("command")));
    let shown = waves.shown();
    let markers = shown.markers.iter().map(|(groups, marker)| {
        assert_eq!(groups, &[("first message", true)]);
        let name = marker.name.as_deref().unwrap();
        (name, waves.markers[&marker.idx].clone())
    });
    let markers: HashMap<_, _> = markers.collect();
    assert_eq!(markers.len(), waves.markers.len());
    assert_eq!(markers["command"], time("command"));
    assert_eq!(markers["arrive"], time("arrived"));
    assert_eq!(markers["signal"], time("signal"));
    let read_back = wellen::simple::read(&wave).unwrap();
    let length = *read_back.time_table().last().unwrap() as f64;
    let [viewport] = &waves.viewports[..] else {
        panic!("not one view");
    };
    assert_eq!(viewport.curr_left, viewport.target_left);
    assert_eq!(viewport.curr_right, viewport.target_right);
    let (left, right) = (viewport.curr_left.0, viewport.curr_right.0);
    let (start, end) = (left * length / 1000.0, right * length / 1000.0);
    let (first, last) = (cycle("command") as f64, cycle("acknowledged") as f64);
    assert!(start < first && first < start + 20.0, "{start} to {end}");
    assert!(last < end && end < last + 20.0, "{start} to {end}");
}

#[test]
fn a_run_without_messages_is_shown_as_a_whole() {
    let folder = Folder::new("viewers-whole");
    let idle = ["scenarios/figure6.toml", "--max-cycles", "100"];
    let file = folder.path("run.fst");
    let ran = xtq(&[&["run", "--wave", &file], &idle[..]].concat());
    assert_eq!(ran.code, 1, "{}", ran.stderr);
    check_state(&file);
    let waves = state::parse(&read(folder.path("run.surf.ron"))).waves;
    let waves = waves.unwrap();
    assert_eq!(waves.format, WaveFormat::Fst);
    assert!(waves.markers.is_empty() && waves.shown().markers.is_empty());
    assert_eq!(waves.cursor, None);
    let viewport = &waves.viewports[0];
    assert_eq!((viewport.curr_left.0, viewport.curr_right.0), (0.0, 1.0));
}

/// The report of a bank counts from the first request on, the waveform from reset.
#[test]
fn stations_of_the_l2_are_where_its_signals_are() {
    let folder = Folder::new("viewers-l2");
    let wave = run(&folder, "bank.vcd", &["scenarios/l2-lock.toml"]);
    let state = state::parse(&read(folder.path("bank.surf.ron")));
    let waves = state.waves.unwrap();
    let mut read_back = wellen::simple::read(&wave).unwrap();
    for (_, marker) in waves.shown().markers {
        let signal = match marker.name.as_deref() {
            Some("taken") => "request_valid",
            Some("answered") => "response_valid",
            name => panic!("{name:?}"),
        };
        let hierarchy = read_back.hierarchy();
        let signal = hierarchy.lookup_var(&["top"], &signal).unwrap();
        let signal = hierarchy[signal].signal_ref();
        read_back.load_signals(&[signal]);
        // 0 has no digits.
        let time = waves.markers[&marker.idx].1.first();
        let time = time.map_or(0, |digit| u64::from(*digit));
        let times = read_back.time_table().iter();
        let place = times.take_while(|at| **at <= time).count();
        let place = place.checked_sub(1).expect("before the waveform begins");
        let values = read_back.get_signal(signal).unwrap();
        let offset = values.get_offset(place as u32).unwrap();
        let value = values.get_value_at(&offset, 0).to_string();
        assert_eq!(value, "1", "{:?} at {time}", marker.name);
    }
}
