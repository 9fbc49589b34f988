// VictimSelect: the way to replace is never locked and never closed, there is at most one, a free one goes first, and
// there is none only if none is open. What is noted of closed ways stays. The real size: 16 ways, 128 sets.
module victim_select_properties (
    input wire clk,
    input wire [6:0] set,
    input wire [15:0] valid,
    input wire [15:0] locked,
    input wire [15:0] closed,
    input wire [15:0] used
);
    wire [15:0] victim;

    victim_select dut (
        .clk(clk),
        .set_(set),
        .valid(valid),
        .locked(locked),
        .closed(closed),
        .used(used),
        .victim(victim)
    );

    // Whether a way of any one set was used in the cycle before.
    (* anyconst *) wire [6:0] which;
    reg started = 1'b0;
    reg was_used;
    reg [15:0] last_used;
    reg [15:0] kept;
    wire [15:0] recent;

    memory_watch #(.MEMID("\\dut.recent.storage"), .ABITS(7), .WIDTH(16)) watch (
        .CLK(1'b0), .EN(1'b1), .ADDR(which), .DATA(recent)
    );

    wire [15:0] open = ~locked & ~closed;
    wire [15:0] free = ~valid & open;
    wire [15:0] old = ~recent & open;

    always @(posedge clk) begin
        started <= 1'b1;
        was_used <= set == which && used != 0;
        last_used <= used;
        kept <= recent & closed;
    end

    always @* begin
        assume_one_used: assume ((used & (used - 16'd1)) == 0);
        if (started) begin
            prop_never_locked: assert ((victim & locked) == 0);
            prop_never_closed: assert ((victim & closed) == 0);
            prop_one_victim: assert ((victim & (victim - 16'd1)) == 0);
            prop_none_only_if_none_open: assert ((victim == 0) == (open == 0));
            prop_free_first: assert (free == 0 || (victim & free) != 0);
            prop_lately_used_last: assert (
                set != which || free != 0 || old == 0 || (victim & recent) == 0);
            prop_use_noted: assert (!was_used || (recent & last_used) != 0);
            prop_closed_ways_keep_theirs: assert (!was_used || (kept & ~recent) == 0);

            cover_one_used: cover (was_used && recent == 16'h0030 && last_used == 16'h0020);
        end
    end
endmodule
