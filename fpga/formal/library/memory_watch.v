// A read port of the properties into a memory of the block.
//
// MEMID is the memory's path as Yosys names it once the hierarchy is flat, "\\dut.mem.storage". The runner turns every
// instance into a read cell of that memory after flattening (tools.py), so that a property can look at a word at a
// symbolic address; the block's text stays as exported. CLK is tied to 0 and EN to 1: the port is asynchronous.
(* blackbox *)
module memory_watch #(
    parameter MEMID = "",
    parameter ABITS = 1,
    parameter WIDTH = 1
) (
    input wire CLK,
    input wire EN,
    input wire [ABITS-1:0] ADDR,
    output wire [WIDTH-1:0] DATA
);
endmodule
