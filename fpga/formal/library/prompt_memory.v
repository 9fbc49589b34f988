// Memory at the pins of an L2 bank, for how long it takes: what was asked for, what was written, and since when memory
// owes something.
//
// `ar_waits`: cycles that the address offered has not been taken. `age`: cycles since memory took the address of each
// id. `owes`: a write is offered or not acknowledged; `owes_for`: cycles since then, or since the last acknowledgement.
// Reset forgets what is under way.
module prompt_memory (
    input wire clk,
    input wire rst,
    // The channels.
    input wire ar_valid,
    input wire ar_ready,
    input wire [1:0] ar_id,
    input wire r,
    input wire [1:0] r_id,
    input wire aw_valid,
    input wire aw_ready,
    input wire w_valid,
    input wire w_ready,
    input wire b,
    output reg [3:0] asked,
    output reg [3:0] ar_waits,
    output wire [15:0] age,
    // Writes: addresses, words and acknowledgements so far, modulo 8.
    output reg [2:0] addresses,
    output reg [2:0] words,
    output reg [2:0] acknowledged,
    output wire owes,
    output reg [3:0] owes_for
);
    reg [3:0] ages [0:3];
    assign age = {ages[3], ages[2], ages[1], ages[0]};
    assign owes = aw_valid | w_valid | addresses != acknowledged | words != acknowledged;
    integer i;

    always @(posedge clk) begin
        for (i = 0; i < 4; i = i + 1) ages[i] <= ages[i] + 1;
        if (r) asked[r_id] <= 1'b0;
        if (ar_valid & ar_ready) begin
            asked[ar_id] <= 1'b1;
            ages[ar_id] <= 0;
        end
        ar_waits <= ar_valid & !ar_ready ? ar_waits + 1 : 0;
        if (aw_valid & aw_ready) addresses <= addresses + 1;
        if (w_valid & w_ready) words <= words + 1;
        if (b) acknowledged <= acknowledged + 1;
        owes_for <= owes & !b ? owes_for + 1 : 0;
        if (rst) begin
            asked <= 0;
            ar_waits <= 0;
            addresses <= 0;
            words <= 0;
            acknowledged <= 0;
            owes_for <= 0;
        end
    end
endmodule
