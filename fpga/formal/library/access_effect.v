// What an access must make of a line of 64 bits: the table of `docs/blocks/l2/l2_bank.md`.
module access_effect (
    input wire [146:0] request,
    input wire [7:0] strobe,
    input wire [63:0] operand,
    input wire [63:0] old,
    output reg [63:0] line
);
    wire [3:0] op = request[3:0];
    wire wide = request[4];
    wire high = request[21];
    wire [63:0] compare = request[146:83];
    integer i;

    always @* begin
        line = old;
        if (op == 1 || op == 2 || op == 9) begin
            for (i = 0; i < 8; i = i + 1) if (strobe[i]) line[8 * i +: 8] = operand[8 * i +: 8];
        end
        if (op == 4) begin
            if (wide) line = old + operand;
            else if (high) line[63:32] = old[63:32] + operand[63:32];
            else line[31:0] = old[31:0] + operand[31:0];
        end
        if (op == 5 || op == 6) begin
            if (wide) begin
                if (op == 5 || old == compare) line = operand;
            end else if (high) begin
                if (op == 5 || old[63:32] == compare[31:0]) line[63:32] = operand[63:32];
            end else begin
                if (op == 5 || old[31:0] == compare[31:0]) line[31:0] = operand[31:0];
            end
        end
    end
endmodule
