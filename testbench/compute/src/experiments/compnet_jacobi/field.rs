//! The stencil: a field of numbers, a row of it a step later, and the whole of it by one processor.

/// A part of the field.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Shape {
    /// Rows of a node; nodes lie one below the other.
    pub rows: usize,
    /// Numbers in a row: whole lines of 16.
    pub width: usize,
}

/// Bytes of a number.
pub(super) const BYTES: u64 = 4;
/// What lies above the field, and below it; left and right of it are zeros.
const OUTSIDE: [f32; 2] = [1.0, 0.0];

impl Shape {
    /// As wide as high, or twice as wide, with so many points: a power of two.
    pub fn of(points: u64) -> Self {
        let bits = points.trailing_zeros();
        let width = 1 << bits.div_ceil(2);
        Self {
            rows: (points >> bits.div_ceil(2)) as usize,
            width,
        }
    }

    /// Bytes of a row.
    pub fn row_bytes(self) -> u64 {
        self.width as u64 * BYTES
    }
}

/// The row above (0) or below (1) the whole field.
pub fn outside(side: usize, width: usize) -> Vec<f32> {
    vec![OUTSIDE[side]; width]
}

/// A row at the beginning; `row` counts from the top of the whole field. Numbers from 0 to 1, drawn by the seed.
pub fn first_row(row: usize, width: usize, seed: u64) -> Vec<f32> {
    let number = |column: usize| {
        let mut word = (row as u64) << 32 ^ column as u64 ^ seed << 56;
        // The last steps of splitmix64.
        word = (word ^ word >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        word = (word ^ word >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
        (word >> 40) as f32 / (1u32 << 24) as f32
    };
    (0..width).map(number).collect()
}

/// A row a step later, and the largest change: each number is the mean of its four neighbours, ((up + down) + (left +
/// right)) / 4 in this order.
pub fn step_row(up: &[f32], own: &[f32], down: &[f32]) -> (Vec<f32>, f32) {
    let at = |column: usize| own.get(column).copied().unwrap_or(0.0);
    let mut most = 0.0f32;
    let next = (0..own.len()).map(|column| {
        let left = column.checked_sub(1).map_or(0.0, at);
        let next = ((up[column] + down[column]) + (left + at(column + 1))) * 0.25;
        most = most.max((next - own[column]).abs());
        next
    });
    (next.collect(), most)
}

/// The whole field of so many nodes after so many steps, row by row, and the residual of each step.
pub fn serial(shape: Shape, nodes: usize, steps: u64, seed: u64) -> (Vec<Vec<f32>>, Vec<f32>) {
    let rows = shape.rows * nodes;
    let mut field: Vec<_> = (0..rows)
        .map(|row| first_row(row, shape.width, seed))
        .collect();
    let [above, below] = [0, 1].map(|side| outside(side, shape.width));
    let mut residuals = Vec::new();
    for _ in 0..steps {
        let stepped = (0..rows).map(|row| {
            let up = row.checked_sub(1).map_or(&above, |up| &field[up]);
            step_row(up, &field[row], field.get(row + 1).unwrap_or(&below))
        });
        let (next, changes): (Vec<_>, Vec<f32>) = stepped.unzip();
        field = next;
        residuals.push(changes.into_iter().fold(0.0, f32::max));
    }
    (field, residuals)
}
