// Skid: words leave in the order they came, none is lost or invented, and what is offered stays until it is taken.
module skid_properties (
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

    skid dut (
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
    wire [1:0] filled;
    wire watched;
    wire [1:0] ahead;
    wire [99:0] word;

    order_watch #(
        .WIDTH(100),
        .COUNT(2)
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

    (* hierconn *) wire \dut.out_valid_q_q ;
    (* hierconn *) wire \dut.spare_valid_q_q ;
    (* hierconn *) wire [99:0] \dut.spare_q_q ;

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
            prop_valid_if_filled: assert (read_valid == (filled != 0));
            // One word a cycle: there is room whenever the reader has kept up.
            prop_ready_if_room: assert (write_ready == (filled < 2));
            prop_stable: assert (!offered || (read_valid && read == offered_word));
            prop_reset_empties: assert (!was_reset || (!read_valid && write_ready));

            aux_filled: assert (filled == \dut.out_valid_q_q + \dut.spare_valid_q_q );
            aux_spare_behind: assert (!\dut.spare_valid_q_q || \dut.out_valid_q_q );
            aux_ahead: assert (!watched || ahead < filled);
            aux_first: assert (!(watched && ahead == 0) || read == word);
            aux_second: assert (!(watched && ahead == 1) || \dut.spare_q_q == word);

            cover_reset: cover (was_reset && push);
            cover_full: cover (!write_ready && watched && ahead == 1);
        end
    end
endmodule
