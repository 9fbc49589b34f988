//! What is refused, and how loops, numbers and joins are written.

use syn::parse_quote;

use super::tree;

/// What is reported of a kernel that is refused.
fn refusal(body: syn::Block) -> String {
    tree(&body).expect_err("it is refused").to_string()
}

#[test]
fn what_hdl_gen_drops_in_silence_is_refused() {
    for (body, told) in [
        (
            parse_quote!({
                for i in 0..=3 {
                    self.x.next = self.a[i].val();
                }
            }),
            "a loop runs over a range",
        ),
        (
            parse_quote!({
                match self.s.val() {
                    S::A if self.c.val() => {}
                    _ => {}
                }
            }),
            "an arm has no condition",
        ),
        (
            parse_quote!({
                match self.s.val() {
                    s @ S::A => {}
                    _ => {}
                }
            }),
            "a pattern is",
        ),
        (
            parse_quote!({
                self.x.next = 0x8000_0000.into();
            }),
            "write its type",
        ),
        (
            parse_quote!({
                self.x.next = 4294967296i32.into();
            }),
            "write its type",
        ),
        (
            parse_quote!({
                #[cfg(feature = "more")]
                if self.c.val() {
                    self.x.next = true;
                }
            }),
            "no attributes",
        ),
        (
            parse_quote!({
                match self.s.val() {
                    #[cfg(feature = "more")]
                    S::A => {}
                    _ => {}
                }
            }),
            "no attributes",
        ),
        (
            parse_quote!({
                for i in 0..self.n.val().index() {
                    self.x[i].next = true;
                }
            }),
            "the value of a signal",
        ),
        (
            parse_quote!({
                self.x.next = bits_in_reverse(self.a.val());
            }),
            "nothing but casts",
        ),
        (
            parse_quote!({
                self.x.next = bit_cast::<8, 4>(self.a.val(), self.b.val());
            }),
            "one argument",
        ),
    ] {
        let refusal = refusal(body);
        assert!(refusal.contains(told), "{refusal}");
    }
    let largest: syn::Block = parse_quote!({
        self.x.next = 0x7fff_ffff.into();
    });
    assert!(tree(&largest).is_ok());
}

#[test]
fn what_the_dialect_does_not_have_is_refused() {
    for (body, told) in [
        (
            parse_quote!({
                let x = 1;
            }),
            "no definitions",
        ),
        (
            parse_quote!({
                clock!(self, clk, q);
            }),
            "macro",
        ),
        (
            parse_quote!({
                self.x.next = if self.c.val() { 1 } else { 2 };
            }),
            "no such expression",
        ),
        (parse_quote!({ while true {} }), "no such statement"),
        (
            parse_quote!({
                self.lanes.rotate();
            }),
            "nothing but its parts",
        ),
        (
            parse_quote!({
                for i in 0..4 {
                    self.lane();
                }
            }),
            "in a loop",
        ),
        (
            parse_quote!({
                f(self.x.val());
            }),
            "calls no function",
        ),
        (
            parse_quote!({
                self.x.next = f(self.x.val());
            }),
            "nothing but casts",
        ),
        (
            parse_quote!({
                self.x.next = self.y.next;
            }),
            "read `.val()`",
        ),
        (
            parse_quote!({
                self.x.val = self.y.val();
            }),
            "assign to `.next`",
        ),
        (
            parse_quote!({
                self.a[0] = self.y.val();
            }),
            "`signal.next`",
        ),
        (
            parse_quote!({
                self.x.next = self.y.val().get_bits(3);
            }),
            "says how many",
        ),
        (
            parse_quote!({
                self.x.next = self.y.val().set_bit(3, true);
            }),
            "number of arguments",
        ),
        (
            parse_quote!({
                self.x.next = self.y.val().pop();
            }),
            "no such method",
        ),
        (
            parse_quote!({
                self.x.next = "text";
            }),
            "a number or a bool",
        ),
        (
            parse_quote!({
                self.x.next = 1i8.into();
            }),
            "literals of this type",
        ),
        (
            parse_quote!({ for (i, j) in 0..3 {} }),
            "the index of a loop",
        ),
        (
            parse_quote!({ for i in self.all {} }),
            "a loop runs over a range",
        ),
        (
            parse_quote!({
                match self.x.val() {
                    1 | 2 => {}
                    _ => {}
                }
            }),
            "a pattern is",
        ),
    ] {
        let refusal = refusal(body);
        assert!(refusal.contains(told), "{told}: {refusal}");
    }
}

#[test]
fn a_number_of_the_compiler_is_asked_for_once() {
    let body = parse_quote!({
        self.x.next = bit_cast::<N, M>(self.a.val().get_bits::<N>(0));
        self.y.next = self.a.val().get_bits::<{ N - 1 }>(0);
    });
    let written = tree(&body).expect("it is a kernel").to_string();
    assert!(written.contains("& [N , N - 1]"), "{written}");
}
