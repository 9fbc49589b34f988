//! How far a mean is a matter of chance.

use serde::Serialize;

/// A mean with its interval of 95 % confidence.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
pub struct Interval {
    /// The mean.
    pub mean: f64,
    /// Half the interval's width (Student's t); 0 of a single value.
    pub half: f64,
}

/// Student's t for 97.5 % and 1, 2, ... degrees of freedom; beyond the last it is the normal distribution's.
const T: [f64; 10] = [
    12.706, 4.303, 3.182, 2.776, 2.571, 2.447, 2.365, 2.306, 2.262, 2.228,
];

impl Interval {
    /// Of values of independent runs; `None`: there are none.
    ///
    /// ```
    /// use xtq_testbench::experiments::Interval;
    ///
    /// let of = Interval::of(&[9.0, 10.0, 11.0]).unwrap();
    /// assert_eq!((of.mean, (of.half * 1000.0).round()), (10.0, 2484.0));
    /// assert_eq!(of.to_string(), "10.0 +- 2.5");
    /// ```
    pub fn of(values: &[f64]) -> Option<Self> {
        let count = values.len() as f64;
        let mean = match values {
            [] => return None,
            [one] => {
                return Some(Self {
                    mean: *one,
                    half: 0.0,
                });
            }
            values => values.iter().sum::<f64>() / count,
        };
        let squares: f64 = values.iter().map(|value| (value - mean).powi(2)).sum();
        let t = T.get(values.len() - 2).copied().unwrap_or(1.96);
        Some(Self {
            mean,
            half: t * (squares / (count - 1.0) / count).sqrt(),
        })
    }
}

impl std::fmt::Display for Interval {
    fn fmt(&self, f: &mut std::fmt::Formatter) -> std::fmt::Result {
        let Self { mean, half } = self;
        match *half > 0.0 {
            true => write!(f, "{mean:.1} +- {half:.1}"),
            false => write!(f, "{mean:.1}"),
        }
    }
}
