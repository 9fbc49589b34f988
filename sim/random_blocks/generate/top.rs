//! The block that holds one of each.

use rand::Rng;
use rand_chacha::ChaCha8Rng;

use crate::block::{Drawn, text};
use crate::expr::Ty;

/// Bits of an input of the top.
const WIDTH: usize = 256;

/// Inputs of the top.
const INPUTS: usize = 4;

/// An input of a block: bits of an input of the top.
fn input(random: &mut ChaCha8Rng, ty: Ty) -> String {
    let from = format!("self.x{}.val()", random.random_range(0..INPUTS));
    let mut bits = |width: usize| {
        let low = random.random_range(0..=WIDTH - width);
        format!("{from}.get_bits::<{width}>({low})")
    };
    match ty {
        Ty::Bit => format!("{}.any()", bits(1)),
        Ty::Bits(width) => bits(width),
        Ty::Signed(width) => format!("signed_cast({})", bits(width)),
    }
}

/// An output of a block as 64 bits.
fn output(name: &str, ty: Ty) -> String {
    match ty {
        Ty::Bit => format!("bit_cast::<64, 1>(({name}).into())"),
        Ty::Bits(width) => format!("bit_cast::<64, {width}>({name})"),
        Ty::Signed(width) => format!("bit_cast::<64, {width}>(unsigned_cast({name}))"),
    }
}

/// The top: its inputs go to the blocks in pieces, its output has something of every output.
pub fn top(random: &mut ChaCha8Rng, blocks: &[Drawn]) -> String {
    let signal = |name: String, ty: String| [name, ty, "Signal::default()".into()];
    let mut fields = vec![
        signal("clk".into(), "Signal<In, Clock>".into()),
        signal("rst".into(), "Signal<In, Bit>".into()),
        signal("o".into(), "Signal<Out, Bits<64>>".into()),
    ];
    let words = (0..INPUTS).map(|at| format!("x{at}"));
    fields.extend(words.map(|name| signal(name, format!("Signal<In, Bits<{WIDTH}>>"))));
    let (mut kernel, mut folded) = (String::new(), "bits::<64>(0)".to_string());
    for (at, block) in blocks.iter().enumerate() {
        let (child, name) = (format!("b{at}"), block.name.clone());
        fields.push([child.clone(), name.clone(), format!("{name}::default()")]);
        for (port, ty) in &block.inputs {
            let value = input(random, *ty);
            kernel += &format!("        self.{child}.{port}.next = {value};\n");
        }
        for (number, (port, ty)) in block.outputs.iter().enumerate() {
            let value = output(&format!("self.{child}.{port}.val()"), *ty);
            let fold = format!("f{at}_{number}");
            kernel += &format!(
                "        self.{fold}.next = ({folded} << 1) ^ ({folded} >> 63) ^ {value};\n"
            );
            folded = format!("self.{fold}.val()");
            fields.push(signal(fold, "Signal<Local, Bits<64>>".into()));
        }
    }
    kernel += &format!("        self.o.next = {folded};\n");
    text("RandomTop", &fields, &kernel)
}
