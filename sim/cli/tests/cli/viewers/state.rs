//! A state file as Surfer 0.7 reads it, and what it makes of it.
//!
//! Without a field that is no `Option` here Surfer refuses the file; only those of [`State`] have defaults in 0.7, but
//! not in 0.6. A field that it does not know Surfer passes over; these structs do not.
#![allow(dead_code)] // Surfer reads more of it than the tests

use serde::Deserialize;
use std::collections::{HashMap, HashSet};

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct State {
    pub waves: Option<Waves>,
    wanted_timeunit: TimeUnit,
    drag_started: bool,
    blacklisted_translators: HashSet<()>,
    show_about: bool,
    show_keys: bool,
    show_gestures: bool,
    show_quick_start: bool,
    show_license: bool,
    show_performance: bool,
    show_logs: bool,
    show_cursor_window: bool,
    show_url_entry: bool,
    variable_name_filter_focused: bool,
    variable_filter: Filter,
}

/// The one that is a cycle.
#[derive(Deserialize)]
enum TimeUnit {
    NanoSeconds,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Filter {
    name_filter_type: FilterType,
    name_filter_str: String,
    name_filter_case_insensitive: bool,
    include_inputs: bool,
    include_outputs: bool,
    include_inouts: bool,
    include_others: bool,
    group_by_direction: bool,
}

#[derive(Deserialize)]
enum FilterType {
    Contain,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Waves {
    pub source: Source,
    pub format: WaveFormat,
    items_tree: Tree,
    displayed_items: HashMap<Number, Item>,
    display_item_ref_counter: usize,
    pub viewports: Vec<Viewport>,
    pub cursor: Option<BigInt>,
    pub markers: HashMap<u8, BigInt>,
    annotation_groups: Vec<Annotations>,
    annotation_list_visible: bool,
    last_active_viewport_idx: usize,
    focused_transaction: (Option<()>, Option<()>),
    default_variable_name_type: NameType,
    scroll_offset: f32,
    display_variable_indices: bool,
    graphics: HashMap<u8, ()>,
}

/// Sign, and digits to the base 2^32.
type BigInt = (i8, Vec<u32>);

#[derive(Debug, PartialEq, Deserialize)]
pub enum Source {
    File(String),
}

#[derive(Debug, PartialEq, Deserialize)]
pub enum WaveFormat {
    Vcd,
    Fst,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Tree {
    items: Vec<Node>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Node {
    item_ref: Number,
    level: u8,
    unfolded: bool,
    selected: bool,
}

#[derive(Clone, Copy, PartialEq, Eq, Hash, Deserialize)]
struct Number(usize);

#[derive(Deserialize)]
enum Item {
    Group(Group),
    Marker(Marker),
    Variable(Variable),
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Group {
    name: String,
    content: Vec<Number>,
    is_open: bool,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Marker {
    pub name: Option<String>,
    pub idx: u8,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Variable {
    pub variable_ref: Reference,
    display_name: String,
    display_name_type: NameType,
    pub manual_name: Option<String>,
    pub format: Option<String>,
    field_formats: Vec<()>,
}

#[derive(Deserialize)]
enum NameType {
    Unique,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Reference {
    pub path: Scope,
    pub name: String,
    id: Id,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Scope {
    pub strs: Vec<String>,
    id: Id,
}

#[derive(Deserialize)]
enum Id {
    Wellen(Number),
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Viewport {
    pub curr_left: Part,
    pub curr_right: Part,
    pub target_left: Part,
    pub target_right: Part,
    move_start_left: Part,
    move_start_right: Part,
    move_strategy: Strategy,
}

#[derive(Clone, Copy, Debug, PartialEq, Deserialize)]
pub struct Part(pub f64);

#[derive(Deserialize)]
enum Strategy {
    Instant,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Annotations {
    name: String,
    cycle_counter: usize,
    annotations: Vec<()>,
}

/// The groups around something: the name of each, and whether it is open.
pub type Groups<'a> = Vec<(&'a str, bool)>;

/// What is shown.
#[derive(Default)]
pub struct Shown<'a> {
    pub markers: Vec<(Groups<'a>, &'a Marker)>,
    pub variables: Vec<(Groups<'a>, &'a Variable)>,
}

impl Waves {
    /// The items from top to bottom. Each has one place; what is in something is one level below it.
    pub fn shown(&self) -> Shown<'_> {
        let (mut shown, mut groups, mut seen) = (Shown::default(), Vec::new(), HashSet::new());
        for node in &self.items_tree.items {
            let (number, level) = (node.item_ref, usize::from(node.level));
            assert!(seen.insert(number), "{} has two places", number.0);
            assert!(number.0 <= self.display_item_ref_counter, "{}", number.0);
            assert!(level <= groups.len(), "{} is in nothing", number.0);
            groups.truncate(level);
            let item = self.displayed_items.get(&number);
            match item.unwrap_or_else(|| panic!("there is no item {}", number.0)) {
                Item::Group(group) => {
                    assert_eq!(group.is_open, node.unfolded, "{}", group.name);
                    groups.push((group.name.as_str(), node.unfolded));
                }
                Item::Marker(marker) => shown.markers.push((groups.clone(), marker)),
                Item::Variable(variable) => shown.variables.push((groups.clone(), variable)),
            }
        }
        assert_eq!(
            seen.len(),
            self.displayed_items.len(),
            "items without place"
        );
        shown
    }
}

impl Reference {
    /// As other tools write it.
    pub fn full(&self) -> String {
        format!("{}.{}", self.path.strs.join("."), self.name)
    }

    /// As Surfer looks for it: the scope first, then a variable of that name in it. Its bits; of a text none.
    pub fn find(&self, hierarchy: &wellen::Hierarchy) -> Option<Option<u32>> {
        let scope = hierarchy.lookup_scope(&self.path.strs)?;
        let mut variables = hierarchy[scope].vars(hierarchy);
        let found = variables.find(|variable| hierarchy[*variable].name(hierarchy) == self.name)?;
        let found = &hierarchy[found];
        Some(match found.is_string() {
            true => None,
            false => found.length(),
        })
    }
}

/// Reads a file. Its text must be what Surfer can read.
pub fn parse(text: &str) -> State {
    ron::from_str(text).unwrap_or_else(|error| panic!("Surfer would refuse it: {error}"))
}
