//! Names that the Verilog may not have: keywords, words of C++, and what a tool has taken. Each list says where it is
//! from and which tool minds.

use std::collections::HashSet;
use std::sync::LazyLock;

/// The reserved words of Verilog-2005 and SystemVerilog (IEEE 1800-2017, annex B). As the name of a module each that
/// was tried (214) is refused by Verilator 5.48 or another of the tools: 210 by Verilator 5.48, 209 by 5.006, 95 by
/// Icarus Verilog 11 as Verilog-2005, 37 by Yosys 0.23.
const WORDS: &str = "accept_on alias always always_comb always_ff always_latch and assert assign assume automatic before begin bind bins \
binsof bit break buf bufif0 bufif1 byte case casex casez cell chandle checker class clocking cmos config const constraint context continue \
cover covergroup coverpoint cross deassign default defparam design disable dist do edge else end endcase endchecker endclass endclocking \
endconfig endfunction endgenerate endgroup endinterface endmodule endpackage endprimitive endprogram endproperty endsequence endspecify \
endtable endtask enum event eventually expect export extends extern final first_match for force foreach forever fork forkjoin function \
generate genvar global highz0 highz1 if iff ifnone ignore_bins illegal_bins implements implies import incdir include initial inout input \
inside instance int integer interconnect interface intersect join join_any join_none large let liblist library local localparam logic \
longint macromodule matches medium modport module nand negedge nettype new nexttime nmos nor noshowcancelled not notif0 notif1 null or \
output package packed parameter pmos posedge primitive priority program property protected pull0 pull1 pulldown pullup \
pulsestyle_ondetect pulsestyle_onevent pure rand randc randcase randsequence rcmos real realtime ref reg reject_on release repeat \
restrict return rnmos rpmos rtran rtranif0 rtranif1 s_always s_eventually s_nexttime s_until s_until_with scalared sequence shortint \
shortreal showcancelled signed small soft solve specify specparam static string strong strong0 strong1 struct super supply0 supply1 \
sync_accept_on sync_reject_on table tagged task this throughout time timeprecision timeunit tran tranif0 tranif1 tri tri0 tri1 triand \
trior trireg type typedef union unique unique0 unsigned until until_with untyped use uwire var vectored virtual void wait wait_order \
wand weak weak0 weak1 while wildcard wire with within wor xnor xor";

/// Words of C++ that Verilator (5.006) warns of as names of ports and signals (SYMRSVDWORD), because it writes C++; it
/// gives modules names of its own.
const CPP_WORDS: &str = "abort alignas alignof and_eq asm atomic_cancel atomic_commit atomic_noexcept auto bit_vector bitand bitor bool \
catch cdecl char char16_t char32_t char8_t compl complex concept consteval constexpr constinit const_cast const_iterator \
const_reference co_await co_return co_yield decltype delete deque double dynamic_cast explicit false far float friend goto huge \
inline interrupt iterator list long map multimap multiset mutable namespace near noexcept not_eq nullptr operator or_eq pascal \
private public queue reference register reinterpret_cast requires set short sizeof stack static_assert static_cast switch \
synchronized template thread_local throw transaction_safe true try type_info typeid typename uint16_t uint32_t uint8_t using vector \
volatile wchar_t xor_eq NULL sc_clock sc_in sc_inout sc_out sc_signal sensitive sensitive_neg sensitive_pos";

/// No keywords of the standard, and yet refused as the name of a module by the tool and version that is named.
const TAKEN: [&str; 5] = [
    // The built-in package (IEEE 1800-2017, 26.7). Verilator 5.48: "Duplicate declaration of module" (MODDUP).
    "std",
    // The built-in method and function (IEEE 1800-2017, 18.6 and 18.12). Verilator 5.48: a syntax error where the
    // module is used after a declaration.
    "randomize",
    // The scope that Verilator makes around the design. Verilator 5.48: "Module cannot be named 'TOP'".
    "TOP",
    // Net types of its own and of Verilog-AMS. Icarus Verilog 11, also with -g2005: a syntax error.
    "wone",
    "wreal",
];

/// Built-in classes (IEEE 1800-2017, annex G), which all tools take as names of modules. Verilator 5.006: a syntax
/// error in a list of ports.
pub(crate) const TAKEN_OF_SIGNALS: [&str; 3] = ["mailbox", "process", "semaphore"];

/// Whether a tool refuses or warns of a name that Verilog allows.
pub(crate) fn unwelcome(name: &str) -> bool {
    TAKEN.contains(&name) || CPP_WORDS.split_ascii_whitespace().any(|word| word == name)
}

/// Whether a name may not be used in Verilog text.
pub(crate) fn reserved(name: &str) -> bool {
    static ALL: LazyLock<HashSet<&str>> =
        LazyLock::new(|| WORDS.split_ascii_whitespace().collect());
    ALL.contains(name)
}

#[cfg(test)]
mod tests {
    use super::{TAKEN, TAKEN_OF_SIGNALS, reserved, unwelcome};

    #[test]
    fn keywords_of_both_languages_are_reserved_and_other_names_are_not() {
        for word in ["event", "release", "context", "task", "end", "packed"] {
            assert!(reserved(word), "{word}");
        }
        for word in ["clk", "queue", "Event", "events", ""] {
            assert!(!reserved(word), "{word}");
        }
    }

    #[test]
    fn words_of_cpp_are_unwelcome() {
        assert!(unwelcome("queue") && unwelcome("set"));
        assert!(!unwelcome("queues") && !unwelcome("clk"));
    }

    // verilator/verilator#3206, MikePopoloski/slang#1574
    #[test]
    fn names_that_a_tool_has_taken_are_unwelcome_and_those_of_classes_only_for_signals() {
        for word in TAKEN {
            assert!(unwelcome(word), "{word}");
        }
        for word in TAKEN_OF_SIGNALS {
            assert!(!unwelcome(word) && !reserved(word), "{word}");
        }
    }
}
