//! A save file of GTKWave (its manual, "Save Files"): groups, forms, names of codes, and the stations of a message as
//! markers.

use super::layout::{Format, Layout, Section, Trace};
use super::stages::Form;
use super::{MARK, View, mapping_path};
use std::fmt::Write;

/// Flags of a trace, as GTKWave writes them in hexadecimal; they hold for the signals after them.
mod flag {
    pub const DECIMAL: u32 = 0x4;
    pub const HEX: u32 = 0x2;
    pub const BINARY: u32 = 0x8;
    pub const RIGHT: u32 = 0x20;
    pub const BLANK: u32 = 0x200;
    pub const ASCII: u32 = 0x800;
    pub const COLLAPSED: u32 = 0x1000;
    pub const TRANSLATED: u32 = 0x2000;
    pub const CLOSED: u32 = 0x40_0000;
    pub const GROUP_BEGIN: u32 = 0x80_0000;
    pub const GROUP_END: u32 = 0x100_0000;
}

/// The window; the waves in it are [`WAVES`] pixels wide.
const SIZE: &str = "\
[size] 1500 1000
[pos] -1 -1
[sst_width] 60
[signals_width] 330
[sst_expanded] 0
";
const WAVES: f64 = 1080.0;
/// So many pixels show two to the power of minus the zoom.
const FRAME: f64 = 200.0;

/// The text of the file `file`, of the waveform `wave` beside it.
pub fn save_file(layout: &Layout, view: &View, file: &str, wave: &str) -> String {
    let mut text = format!("[*] {MARK}\n[dumpfile] \"{wave}\"\n[savefile] \"{file}\"\n{SIZE}");
    window(&mut text, view);
    for Section { title, groups } in &layout.sections {
        let open = groups.iter().any(|group| group.open);
        if let Some(title) = title {
            bracket(&mut text, title, open, true);
        }
        for group in groups {
            bracket(&mut text, group.name, group.open, true);
            for trace in &group.traces {
                signal(&mut text, trace);
            }
            bracket(&mut text, group.name, group.open, false);
        }
        if let Some(title) = title {
            bracket(&mut text, title, open, false);
        }
    }
    text
}

/// Where the view begins, how much it shows, and a marker for each station.
fn window(text: &mut String, view: &View) {
    let Some((start, end)) = view.shown() else {
        return;
    };
    let span = (end - start) * view.period_ps;
    let zoom = -(FRAME * span as f64 / WAVES).log2();
    let _ = write!(
        text,
        "[timestart] {}\n*{zoom:.3} -1",
        start * view.period_ps
    );
    let stations = (b'A'..=b'Z').zip(&view.stations);
    for (_, (_, cycle)) in stations.clone() {
        let _ = write!(text, " {}", cycle * view.period_ps);
    }
    text.push('\n');
    for (letter, (name, _)) in stations {
        let _ = writeln!(text, "[markername] {}{name}", char::from(letter));
    }
}

/// Begins or ends a group.
fn bracket(text: &mut String, name: &str, open: bool, begins: bool) {
    let closed = match (open, begins) {
        (true, _) => 0,
        (false, true) => flag::CLOSED,
        (false, false) => flag::CLOSED | flag::COLLAPSED,
    };
    let end = match begins {
        true => flag::GROUP_BEGIN,
        false => flag::GROUP_END,
    };
    let _ = writeln!(text, "@{:x}\n-{name}", flag::BLANK | end | closed);
}

fn signal(text: &mut String, trace: &Trace) {
    let form = match trace.format {
        Format::Ascii => flag::ASCII,
        Format::As(Form::Binary) => flag::BINARY,
        Format::As(Form::Decimal) => flag::DECIMAL,
        Format::As(Form::Hex | Form::State) => flag::HEX,
        Format::As(Form::Name(_)) => flag::DECIMAL | flag::TRANSLATED,
    };
    let _ = writeln!(text, "@{:x}", flag::RIGHT | form);
    if let Format::As(Form::Name(module)) = trace.format {
        let _ = writeln!(text, "^1 {}", mapping_path(module));
    }
    let bits = match trace.bits {
        Some(bits) if bits > 1 => format!("[{}:0]", bits - 1),
        _ => String::new(),
    };
    let _ = writeln!(text, "+{{{}}} {}{bits}", trace.label, trace.path);
}
