// One assertion for each instance: `every aux_x [3:0] (.when(c), .holds(bits));` asks bit for bit, which is far easier
// to prove than all bits at once.
module every (
    input wire when,
    input wire holds
);
    always @* it: assert (!when || holds);
endmodule
