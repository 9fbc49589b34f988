// A queue so simple that it is obviously right: `words` has the oldest at its right end. Nobody pushes into a full one.
module naive_queue #(
    parameter WIDTH = 1,
    parameter DEPTH = 1,
    parameter COUNT = 1
) (
    input wire clk,
    input wire rst,
    input wire push,
    input wire [WIDTH-1:0] write,
    input wire pop,
    output reg [COUNT-1:0] filled,
    output reg [WIDTH*DEPTH-1:0] words
);
    integer i;

    always @(posedge clk) begin
        filled <= filled + push - pop;
        if (pop) words <= words >> WIDTH;
        for (i = 0; i < DEPTH; i = i + 1) if (push && i == filled - pop) words[WIDTH*i +: WIDTH] <= write;
        if (rst) filled <= 0;
    end
endmodule
