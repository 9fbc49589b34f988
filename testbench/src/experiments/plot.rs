//! Charts as data.

/// Colour of a line or bar.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs)] // the names say it
pub enum Colour {
    Black,
    Blue,
    Red,
    Cyan,
    Magenta,
}

impl Colour {
    /// Of a matcher, by its name.
    pub fn of_matcher(name: &str) -> Self {
        match name {
            "list" => Self::Blue,
            "partitioned" => Self::Magenta,
            "hash" => Self::Red,
            "exact" => Self::Cyan,
            _ => Self::Black,
        }
    }
}

/// One chart of a picture.
#[derive(Clone, Debug, PartialEq)]
pub struct Chart {
    /// Title above it.
    pub title: String,
    /// Tenths of the picture's width.
    pub tenths: u32,
    /// What the x axis shows.
    pub below: String,
    /// What the y axis shows.
    pub beside: String,
    /// What is drawn.
    pub kind: Kind,
}

/// What a chart draws.
#[derive(Clone, Debug, PartialEq)]
pub enum Kind {
    /// Lines over places with names.
    Curves {
        /// Names of the places, from left to right.
        places: Vec<String>,
        /// The end of the y axis, which begins at 0.
        top: f64,
        /// The lines.
        curves: Vec<Curve>,
    },
    /// Histograms side by side.
    Histograms {
        /// Width of a bar on the x axis.
        width: f64,
        /// Bars that there is room for at least.
        least: usize,
        /// The histograms; without any there is no chart.
        bars: Vec<Bars>,
    },
    /// Bars of the same parts, stacked.
    Stacks(Stack),
}

/// A line.
#[derive(Clone, Debug, PartialEq)]
pub struct Curve {
    /// Name in the legend.
    pub name: String,
    /// Place, counted from 0, and value.
    pub points: Vec<(f64, f64)>,
    /// Colour.
    pub colour: Colour,
    /// It is one of those that matter; the others are pale.
    pub main: bool,
}

/// A histogram.
#[derive(Clone, Debug, PartialEq)]
pub struct Bars {
    /// Name in the legend.
    pub name: String,
    /// Heights, from 0 on.
    pub heights: Vec<u64>,
    /// Colour.
    pub colour: Colour,
}

/// Bars of the same parts, one on the other.
#[derive(Clone, Debug, PartialEq)]
pub struct Stack {
    /// Names of the parts in the legend, from below.
    pub parts: Vec<String>,
    /// The bars, from left to right.
    pub bars: Vec<Bar>,
}

/// A bar.
#[derive(Clone, Debug, PartialEq)]
pub struct Bar {
    /// Name below it.
    pub name: String,
    /// Height of each part.
    pub parts: Vec<f64>,
}
