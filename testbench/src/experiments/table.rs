//! Tables as data.

/// A part of what an experiment shows, from top to bottom.
#[derive(Clone, Debug, PartialEq)]
pub enum Part {
    /// A line of text.
    Line(String),
    /// A table.
    Table(Table),
}

/// Rows under a head.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Table {
    /// Heads of the columns.
    pub head: Vec<String>,
    /// The columns after the first are numbers, which stand to the right.
    pub numbers: bool,
    /// The rows, a cell for each head.
    pub rows: Vec<Vec<String>>,
}
