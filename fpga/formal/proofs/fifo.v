// Fifo: words leave in the order they came, none is lost or invented, and what is offered stays until it is taken.
module fifo_properties (
    input wire clk,
    input wire rst,
    input wire [99:0] write,
    input wire write_valid,
    input wire read_ready,
    input wire pick
);
    wire write_ready;
    wire [99:0] read;
    wire read_valid;

    fifo dut (
        .clk(clk),
        .rst(rst),
        .write(write),
        .write_valid(write_valid),
        .write_ready(write_ready),
        .read(read),
        .read_valid(read_valid),
        .read_ready(read_ready)
    );

    wire push = write_valid & write_ready;
    wire pop = read_valid & read_ready;
    wire [2:0] filled;
    wire watched;
    wire [2:0] ahead;
    wire [99:0] word;

    order_watch #(
        .WIDTH(100),
        .COUNT(3)
    ) order (
        .clk(clk),
        .rst(rst),
        .push(push),
        .pop(pop),
        .pick(pick),
        .write(write),
        .filled(filled),
        .watched(watched),
        .ahead(ahead),
        .word(word)
    );

    // The memory at the place of the watched word.
    (* hierconn *) wire [2:0] \dut.head_q_q ;
    (* hierconn *) wire [2:0] \dut.tail_q_q ;
    wire [2:0] place = \dut.head_q_q + ahead;
    wire [99:0] stored;

    memory_watch #(
        .MEMID("\\dut.mem.storage"),
        .ABITS(2),
        .WIDTH(100)
    ) watch (
        .CLK(1'b0),
        .EN(1'b1),
        .ADDR(place[1:0]),
        .DATA(stored)
    );

    // What was offered and not taken in the cycle before.
    reg started = 1'b0;
    reg was_reset;
    reg offered;
    reg [99:0] offered_word;

    always @(posedge clk) begin
        started <= 1'b1;
        was_reset <= rst;
        offered <= read_valid & !read_ready & !rst;
        offered_word <= read;
    end

    always @* begin
        if (!started) assume_reset: assume (rst);
        if (started) begin
            prop_in_order: assert (!(watched && pop && ahead == 0) || read == word);
            prop_never_overwritten: assert (!watched || stored == word);
            prop_valid_if_filled: assert (read_valid == (filled != 0));
            prop_ready_if_room: assert (write_ready == (filled < 4));
            prop_stable: assert (!offered || (read_valid && read == offered_word));
            prop_reset_empties: assert (!was_reset || (!read_valid && write_ready));

            aux_filled: assert (filled <= 4 && \dut.tail_q_q - \dut.head_q_q == filled);
            aux_ahead: assert (!watched || ahead < filled);

            cover_reset: cover (was_reset && push);
            cover_full: cover (!write_ready && watched && ahead == 2);
        end
    end
endmodule
