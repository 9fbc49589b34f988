//! `pins!`: names the pins of a block once and gives the engine that runs it.

/// Gives `Result<Oracle<D>>` for a block of type `D`:
/// `pins!(design => clk; in: rst, s_valid, s_data; out: m_valid, m_data)`. Without `=> clk` the block is combinational.
///
/// The names are fields of the block and, in this order, the ports of the engine; every type of a field needs
/// [`Wire`](xtq_types::Wire). `pins!(@builder builder => ...)` takes an [`OracleBuilder`](xtq_engine::OracleBuilder) instead of
/// the block, for a large one in a `Box`.
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
    (@builder $builder:expr $(=> $clk:ident)?; in: $($input:ident),* $(,)?; out: $($output:ident),* $(,)?) => {
        $builder
            $(.clock(|design, level| design.$clk.next = level.into()))?
            $(.input(stringify!($input), |design, words| {
                design.$input.next = ::xtq_types::Wire::from_words(words);
            }))*
            $(.output(stringify!($output), |design, words| {
                ::xtq_types::Wire::to_words(design.$output.val(), words);
            }))*
            .build()
    };
    ($design:expr $(=> $clk:ident)?; $($pins:tt)*) => {
        $crate::pins!(@builder ::xtq_engine::Oracle::builder($design) $(=> $clk)?; $($pins)*)
    };
}
