//! A state file of Surfer: what it saves when somebody has put the signals into groups by stage, chosen their forms and
//! the names of codes, and marked the stations of a message.

use super::layout::{Layout, Trace};
use super::surfer_format::{
    Annotations, Format, Group, Id, Item, Marker, NameType, Node, Nothing, Number, Part, Reference,
    Scope, Source, State, Strategy, Time, Tree, Variable, Viewport, Waves,
};
use super::{MARK, View, surfer};
use ron::ser::PrettyConfig;
use std::collections::BTreeMap;
use xtq_engine::WaveFormat;

/// Name of the group of the markers.
const STATIONS: &str = "first message";
/// What is deeper has no line of its own, so an item is a line.
const LINES: usize = 4;

/// A waveform beside the file.
pub struct Wave<'a> {
    /// Name.
    pub name: &'a str,
    /// Format.
    pub format: WaveFormat,
    /// Its last cycle.
    pub last: u64,
}

/// The text of the file. Errors: it cannot be written as RON.
pub fn state_file(layout: &Layout, view: &View, wave: &Wave) -> ron::Result<String> {
    let mut items = Items::default();
    items.stations(view);
    items.layout(layout);
    let at = |cycle: u64| time(cycle * view.period_ps);
    let stations = (0..).zip(&view.stations);
    let state = State::new(Waves {
        source: Source::File(wave.name),
        format: match wave.format {
            WaveFormat::Vcd => Format::Vcd,
            WaveFormat::Fst => Format::Fst,
        },
        display_item_ref_counter: items.displayed.len(),
        items_tree: Tree { items: items.tree },
        displayed_items: items.displayed,
        viewports: vec![viewport(view, wave.last)],
        cursor: view.window.map(|(first, _)| at(first)),
        markers: stations
            .map(|(idx, (_, cycle))| (idx, at(*cycle)))
            .collect(),
        annotation_groups: vec![Annotations {
            name: "Ungrouped",
            cycle_counter: 0,
            annotations: Nothing::new(),
        }],
        annotation_list_visible: false,
        last_active_viewport_idx: 0,
        focused_transaction: (None, None),
        default_variable_name_type: NameType::Unique,
        scroll_offset: 0.0,
        display_variable_indices: true,
        graphics: BTreeMap::new(),
    });
    let config = PrettyConfig::new().depth_limit(LINES);
    let text = ron::ser::to_string_pretty(&state, config)?;
    Ok(format!("// {MARK}\n{text}\n"))
}

fn time(picoseconds: u64) -> Time {
    let mut digits = vec![picoseconds as u32, (picoseconds >> 32) as u32];
    while digits.last() == Some(&0) {
        digits.pop();
    }
    (i8::from(picoseconds > 0), digits)
}

/// The first message, or everything if the waveform has nothing of it.
fn viewport(view: &View, last: u64) -> Viewport {
    // The end of the last cycle is the end of the waveform.
    let part = |cycle: u64| cycle as f64 / (last + 1) as f64;
    let shown = view.shown().filter(|(start, _)| *start < last);
    let (left, right) = match shown {
        Some((start, end)) => (Part(part(start)), Part(part(end).min(1.0))),
        None => (Part(0.0), Part(1.0)),
    };
    Viewport {
        curr_left: left,
        curr_right: right,
        target_left: left,
        target_right: right,
        move_start_left: left,
        move_start_right: right,
        move_strategy: Strategy::Instant,
    }
}

/// What is shown, numbered from 1, and where.
#[derive(Default)]
struct Items<'a> {
    displayed: BTreeMap<Number, Item<'a>>,
    tree: Vec<Node>,
}

impl<'a> Items<'a> {
    fn add(&mut self, level: u8, unfolded: bool, item: Item<'a>) {
        let number = Number(self.displayed.len() + 1);
        self.displayed.insert(number, item);
        self.tree.push(Node {
            item_ref: number,
            level,
            unfolded,
            selected: false,
        });
    }

    fn group(&mut self, level: u8, name: &'a str, is_open: bool) {
        let group = Group {
            name,
            content: Nothing::new(),
            is_open,
        };
        self.add(level, is_open, Item::Group(group));
    }

    /// The stations, on top; Surfer says for each how far it is from the cursor.
    fn stations(&mut self, view: &'a View) {
        if !view.stations.is_empty() {
            self.group(0, STATIONS, true);
        }
        for (idx, (name, _)) in (0..).zip(&view.stations) {
            let name = Some(*name);
            self.add(1, true, Item::Marker(Marker { name, idx }));
        }
    }

    fn layout(&mut self, layout: &'a Layout) {
        for section in &layout.sections {
            let open = section.groups.iter().any(|group| group.open);
            let stages = match &section.title {
                Some(title) => {
                    self.group(0, title, open);
                    1
                }
                None => 0,
            };
            for group in &section.groups {
                self.group(stages, group.name, group.open);
                for trace in &group.traces {
                    self.add(stages + 1, true, Item::Variable(variable(trace)));
                }
            }
        }
    }
}

fn variable(trace: &Trace) -> Variable<'_> {
    let (scopes, name) = trace.path.rsplit_once('.').unwrap_or(("", &trace.path));
    Variable {
        variable_ref: Reference {
            path: Scope {
                strs: scopes.split('.').collect(),
                id: Id::Wellen(Number(1)),
            },
            name,
            id: Id::Wellen(Number(1)),
        },
        display_name: name,
        display_name_type: NameType::Unique,
        manual_name: Some(&trace.label),
        format: surfer::format(trace.format),
        field_formats: Nothing::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_digits_to_the_base_of_two_to_the_power_of_32() {
        assert_eq!(time(0), (0, vec![]));
        assert_eq!(time(1000), (1, vec![1000]));
        assert_eq!(time((3 << 32) + 7), (1, vec![7, 3]));
        assert_eq!(time(3 << 32), (1, vec![0, 3]));
    }

    #[test]
    fn the_message_is_in_view_as_far_as_the_waveform_goes() {
        let seen = |window, last| {
            let view = View {
                parts: Vec::new(),
                stations: Vec::new(),
                window,
                last: 99,
                period_ps: 1000,
            };
            let viewport = viewport(&view, last);
            (viewport.curr_left.0, viewport.curr_right.0)
        };
        assert_eq!(seen(Some((22, 42)), 99), (0.19, 0.45));
        assert_eq!(seen(Some((22, 42)), 39), (0.475, 1.0));
        assert_eq!(seen(Some((22, 42)), 9), (0.0, 1.0));
        assert_eq!(seen(None, 99), (0.0, 1.0));
    }
}
