// Watches one word of any number of words on its way through a queue.
//
// `pick` is free: it chooses the word that is accepted in its cycle, so what is proved for the watched word is proved
// for all. `filled` counts the words inside, `ahead` those in front of the watched one.
module order_watch #(
    parameter WIDTH = 1,
    parameter COUNT = 8
) (
    input wire clk,
    input wire rst,
    input wire push,
    input wire pop,
    input wire pick,
    input wire [WIDTH-1:0] write,
    output reg [COUNT-1:0] filled,
    output reg watched,
    output reg [COUNT-1:0] ahead,
    output reg [WIDTH-1:0] word
);
    always @(posedge clk) begin
        filled <= filled + push - pop;
        if (watched) begin
            ahead <= ahead - pop;
            if (pop & (ahead == 0)) watched <= 1'b0;
        end else begin
            watched <= push & pick;
            ahead <= filled - pop;
            word <= write;
        end
        if (rst) begin
            filled <= 0;
            watched <= 1'b0;
        end
    end
endmodule
