// RamFifo: words leave in the order they came, none is lost or invented, and what is offered stays until it is taken.
module ram_fifo_properties (
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

    ram_fifo dut (
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
    wire [3:0] filled;
    wire watched;
    wire [3:0] ahead;
    wire [99:0] word;

    order_watch #(
        .WIDTH(100),
        .COUNT(4)
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

    // The memory at the place of the watched word. A word in the output register is in its old place, too.
    (* hierconn *) wire [2:0] \dut.head_q_q ;
    (* hierconn *) wire [2:0] \dut.tail_q_q ;
    (* hierconn *) wire \dut.loaded_q_q ;
    wire [2:0] head = \dut.head_q_q ;
    wire loaded = \dut.loaded_q_q ;
    wire [2:0] used = \dut.tail_q_q - head;
    wire [2:0] place = head - loaded + ahead[2:0];
    wire [99:0] stored;

    memory_watch #(
        .MEMID("\\dut.mem.storage"),
        .ABITS(3),
        .WIDTH(100)
    ) watch (
        .CLK(1'b0),
        .EN(1'b1),
        .ADDR(place),
        .DATA(stored)
    );

    // What was offered and not taken in the cycle before, and whether words stayed inside then.
    reg started = 1'b0;
    reg was_reset;
    reg offered;
    reg stayed;
    reg [99:0] offered_word;

    always @(posedge clk) begin
        started <= 1'b1;
        was_reset <= rst;
        offered <= read_valid & !read_ready & !rst;
        offered_word <= read;
        stayed <= (filled > pop) & !rst;
    end

    always @* begin
        if (!started) assume_reset: assume (rst);
        if (started) begin
            prop_in_order: assert (!(watched && pop && ahead == 0) || read == word);
            prop_never_overwritten: assert (!watched || stored == word);
            // A word is offered two cycles after it came, or in the cycle after the one in front of it went.
            prop_valid_in_time: assert (read_valid == stayed);
            prop_ready_if_room: assert (write_ready || filled >= 7);
            prop_stable: assert (!offered || (read_valid && read == offered_word));
            prop_reset_empties: assert (!was_reset || (!read_valid && write_ready));

            aux_filled: assert (filled <= 8 && used + loaded == filled);
            aux_ahead: assert (!watched || ahead < filled);
            aux_loaded: assert (!(watched && loaded && ahead == 0) || read == word);

            cover_reset: cover (was_reset && push);
            cover_full: cover (!write_ready && watched && ahead == 5);
        end
    end
endmodule
