//! What Surfer makes a state file of: its own data, written down nowhere else. Names of fields and variants are
//! Surfer's, those of types do not count.
//!
//! Here are the fields without which Surfer 0.7 refuses a file, those that 0.6 asked for beside, and those that say
//! what is seen. All others have defaults.

use serde::Serialize;
use std::collections::BTreeMap;

/// A file.
#[derive(Serialize)]
pub struct State<'a> {
    pub waves: Option<Waves<'a>>,
    pub wanted_timeunit: TimeUnit,
    // The rest is for 0.6.
    pub drag_started: bool,
    pub blacklisted_translators: Nothing,
    pub show_about: bool,
    pub show_keys: bool,
    pub show_gestures: bool,
    pub show_quick_start: bool,
    pub show_license: bool,
    pub show_performance: bool,
    pub show_logs: bool,
    pub show_cursor_window: bool,
    pub show_url_entry: bool,
    pub variable_name_filter_focused: bool,
    pub variable_filter: Filter,
}

impl<'a> State<'a> {
    /// Surfer as it starts, with these signals; times in nanoseconds.
    pub fn new(waves: Waves<'a>) -> Self {
        Self {
            waves: Some(waves),
            wanted_timeunit: TimeUnit::NanoSeconds,
            drag_started: false,
            blacklisted_translators: Nothing::new(),
            show_about: false,
            show_keys: false,
            show_gestures: false,
            show_quick_start: false,
            show_license: false,
            show_performance: false,
            show_logs: false,
            show_cursor_window: false,
            show_url_entry: false,
            variable_name_filter_focused: false,
            variable_filter: Filter {
                name_filter_type: FilterType::Contain,
                name_filter_str: "",
                name_filter_case_insensitive: true,
                include_inputs: true,
                include_outputs: true,
                include_inouts: true,
                include_others: true,
                group_by_direction: false,
            },
        }
    }
}

/// A list without anything.
pub type Nothing = Vec<()>;

#[derive(Serialize)]
pub enum TimeUnit {
    NanoSeconds,
}

/// Which variables the list at the side shows.
#[derive(Serialize)]
pub struct Filter {
    name_filter_type: FilterType,
    name_filter_str: &'static str,
    name_filter_case_insensitive: bool,
    include_inputs: bool,
    include_outputs: bool,
    include_inouts: bool,
    include_others: bool,
    group_by_direction: bool,
}

#[derive(Serialize)]
enum FilterType {
    Contain,
}

/// A waveform, and what is shown of it.
#[derive(Serialize)]
pub struct Waves<'a> {
    pub source: Source<'a>,
    pub format: Format,
    pub items_tree: Tree,
    pub displayed_items: BTreeMap<Number, Item<'a>>,
    pub display_item_ref_counter: usize,
    pub viewports: Vec<Viewport>,
    pub cursor: Option<Time>,
    pub markers: BTreeMap<u8, Time>,
    pub annotation_groups: Vec<Annotations>,
    pub annotation_list_visible: bool,
    pub last_active_viewport_idx: usize,
    pub focused_transaction: (Option<()>, Option<()>),
    pub default_variable_name_type: NameType,
    pub scroll_offset: f32,
    pub display_variable_indices: bool,
    pub graphics: BTreeMap<u8, ()>,
}

#[derive(Serialize)]
pub enum Source<'a> {
    /// From the folder in which Surfer runs.
    File(&'a str),
}

#[derive(Serialize)]
pub enum Format {
    Vcd,
    Fst,
}

/// The items from top to bottom.
#[derive(Serialize)]
pub struct Tree {
    pub items: Vec<Node>,
}

/// An item: those after it with a higher level are in it.
#[derive(Serialize)]
pub struct Node {
    pub item_ref: Number,
    pub level: u8,
    pub unfolded: bool,
    pub selected: bool,
}

#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
pub struct Number(pub usize);

#[derive(Serialize)]
pub enum Item<'a> {
    Group(Group<'a>),
    Marker(Marker<'a>),
    Variable(Variable<'a>),
}

#[derive(Serialize)]
pub struct Group<'a> {
    pub name: &'a str,
    pub content: Nothing,
    pub is_open: bool,
}

/// Its time is among [`Waves::markers`].
#[derive(Serialize)]
pub struct Marker<'a> {
    pub name: Option<&'a str>,
    pub idx: u8,
}

#[derive(Serialize)]
pub struct Variable<'a> {
    pub variable_ref: Reference<'a>,
    pub display_name: &'a str,
    pub display_name_type: NameType,
    pub manual_name: Option<&'a str>,
    pub format: Option<String>,
    pub field_formats: Nothing,
}

#[derive(Serialize)]
pub enum NameType {
    Unique,
}

/// A variable of the waveform. Surfer finds it by its name, and the ids when it has.
#[derive(Serialize)]
pub struct Reference<'a> {
    pub path: Scope<'a>,
    pub name: &'a str,
    pub id: Id,
}

#[derive(Serialize)]
pub struct Scope<'a> {
    pub strs: Vec<&'a str>,
    pub id: Id,
}

#[derive(Serialize)]
pub enum Id {
    Wellen(Number),
}

/// Sign, and digits to the base 2^32, the lowest first.
pub type Time = (i8, Vec<u32>);

/// What is seen, and twice the same for movements of it.
#[derive(Serialize)]
pub struct Viewport {
    pub curr_left: Part,
    pub curr_right: Part,
    pub target_left: Part,
    pub target_right: Part,
    pub move_start_left: Part,
    pub move_start_right: Part,
    pub move_strategy: Strategy,
}

/// Of the length of the waveform.
#[derive(Clone, Copy, Serialize)]
pub struct Part(pub f64);

#[derive(Serialize)]
pub enum Strategy {
    Instant,
}

/// A group of annotations; Surfer begins with one.
#[derive(Serialize)]
pub struct Annotations {
    pub name: &'static str,
    pub cycle_counter: usize,
    pub annotations: Nothing,
}
