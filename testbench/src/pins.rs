//! `pins!`: names the pins of a block once and gives the engine that runs it.

/// Gives `Result<Oracle<D>>` for a block of type `D`:
/// `pins!(design => clk; in: rst, s_valid, s_data; out: m_valid, m_data)`. Without `=> clk` the block is combinational.
///
/// The names are fields of the block, or members of its bundles (`own.data`, `own.valid`), and, in this order, the
/// ports of the engine, which are called `own` and `own_valid`, or as a text before the member says
/// (`"w_data" w.data`). Every type of a field needs [`Wire`](xtq_types::Wire). `pins!(@builder builder => ...)` takes
/// an [`OracleBuilder`](xtq_engine::OracleBuilder) instead of the block, for a large one in a `Box`.
///
/// ```
/// use rust_hdl::prelude::*;
/// use xtq_engine::Engine;
/// use xtq_rtl::leaf::Reg;
/// use xtq_testbench::pins;
///
/// let mut engine = pins!(Reg::<Bits<8>>::default() => clk; in: rst, en, d; out: q)?;
/// let (en, d, q) = (engine.port("en")?, engine.port("d")?, engine.port("q")?);
/// engine.set(en, &[1])?;
/// engine.set(d, &[42])?;
/// engine.step()?;
/// let mut words = [0];
/// engine.get(q, &mut words);
/// assert_eq!(words, [42]);
/// # Ok::<(), xtq_engine::Error>(())
/// ```
#[macro_export]
macro_rules! pins {
    (@name $name:literal $($pin:tt)+) => { $name };
    (@name $($pin:tt)+) => { &$crate::pin_name(stringify!($($pin)+)) };
    (@builder $builder:expr $(=> $clk:ident)?; in: $($($input_name:literal)? $($input:ident).+),* $(,)?; out: $($($output_name:literal)? $($output:ident).+),* $(,)?) => {
        $builder
            $(.clock(|design, level| design.$clk.next = level.into()))?
            $(.input($crate::pins!(@name $($input_name)? $($input).+), |design, words| {
                design.$($input).+.next = ::xtq_types::Wire::from_words(words);
            }))*
            $(.output($crate::pins!(@name $($output_name)? $($output).+), |design, words| {
                ::xtq_types::Wire::to_words(design.$($output).+.val(), words);
            }))*
            .build()
    };
    ($design:expr $(=> $clk:ident)?; $($pins:tt)*) => {
        $crate::pins!(@builder ::xtq_engine::Oracle::builder($design) $(=> $clk)?; $($pins)*)
    };
}

/// Name of the port that is field `pin` of a block, or a member of a stream: `own` of `own.data`, `own_valid` of
/// `own.valid`.
pub fn pin_name(pin: &str) -> String {
    let pin: String = pin.split_whitespace().collect();
    match pin.split_once('.') {
        Some((stream, "data")) => stream.into(),
        _ => pin.replace('.', "_"),
    }
}
