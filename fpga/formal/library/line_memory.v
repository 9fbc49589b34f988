// Memory at the pins of an L2 bank, for one bit of one line: what was asked for, what was written, and what the writes
// have made of the bit.
//
// A write counts when it is acknowledged; `pending` are those of the line whose address memory has and that are not.
// `value` is what a fetch of the line finds while nothing is pending. Reset forgets what is under way, and the bit may
// then be anything (`fresh`).
module line_memory (
    input wire clk,
    input wire rst,
    input wire fresh,
    input wire [57:0] line,
    input wire [5:0] bit_,
    // Transfers of the channels.
    input wire ar,
    input wire [1:0] ar_id,
    input wire [63:0] ar_addr,
    input wire r,
    input wire [1:0] r_id,
    input wire aw,
    input wire [63:0] aw_addr,
    input wire w,
    input wire [63:0] w_data,
    input wire [7:0] w_strb,
    input wire b,
    // Fetches under way, a bit for each id, and those of them of the line.
    output reg [3:0] asked,
    output reg [3:0] asked_line,
    // Writes: addresses, words and acknowledgements so far, modulo 8.
    output reg [2:0] addresses,
    output reg [2:0] words,
    output reg [2:0] acknowledged,
    // Of the last four: is it of the line, does it write the bit, and what.
    output reg [3:0] to_line,
    output reg [3:0] written,
    output reg [3:0] written_bit,
    output wire [3:0] pending,
    output reg value
);
    wire [1:0] first = acknowledged[1:0];
    wire [2:0] taken = addresses - acknowledged;
    wire [7:0] open = ((8'd1 << taken) - 8'd1) << first;
    assign pending = (open[3:0] | open[7:4]) & to_line;

    always @(posedge clk) begin
        if (r) asked[r_id] <= 1'b0;
        if (ar) begin
            asked[ar_id] <= 1'b1;
            asked_line[ar_id] <= ar_addr == {line, 6'd0};
        end
        if (aw) begin
            addresses <= addresses + 1;
            to_line[addresses[1:0]] <= aw_addr == {line, 6'd0};
        end
        if (w) begin
            words <= words + 1;
            written[words[1:0]] <= w_strb[bit_[5:3]];
            written_bit[words[1:0]] <= w_data[bit_];
        end
        if (b) begin
            acknowledged <= acknowledged + 1;
            if (to_line[first] & written[first]) value <= written_bit[first];
        end
        if (rst) begin
            asked <= 0;
            addresses <= 0;
            words <= 0;
            acknowledged <= 0;
            value <= fresh;
        end
    end
endmodule
