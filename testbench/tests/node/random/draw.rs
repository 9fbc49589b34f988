//! Random choices. Everything that is not in the list of a case is drawn from a seed in it.

use rand::{Rng, SeedableRng};
pub use rand_chacha::ChaCha8Rng as Draw;

/// A stream of choices.
pub fn draw(seed: u64) -> Draw {
    Draw::seed_from_u64(seed)
}

/// One of the values.
pub fn pick<'a, T>(draw: &mut Draw, values: &'a [T]) -> &'a T {
    &values[draw.random_range(0..values.len())]
}

/// One of the values, the first one in half of all cases: so that many messages meet at one place.
pub fn favour<'a, T>(draw: &mut Draw, values: &'a [T]) -> &'a T {
    match draw.random() {
        true => &values[0],
        false => pick(draw, values),
    }
}

/// Once in 25 times.
pub fn rarely(draw: &mut Draw) -> bool {
    draw.random_ratio(1, 25)
}

/// Five times in six.
pub fn often(draw: &mut Draw) -> bool {
    draw.random_ratio(5, 6)
}
