// HashMatch: what is refused changes nothing (H4); a portal entry is opened and closed only while nothing waits in it,
// and nothing waits or is matched in one that is not open (listing 7.1 of the dissertation); no result is lost.
//
// All is stated of what the block decides in the second step of its pipeline, and of one portal entry that is chosen
// once, so of any. What waits in it is counted here, by what is reported: one more with WAITS, one less with MATCHED.
module hash_match_properties (
`include "hash_match_ports.vh"

    // What it writes.
    (* hierconn *) wire \dut.links_write_en ;
    (* hierconn *) wire \dut.keys_q_en ;
    (* hierconn *) wire [14:0] \dut.portals_write_data ;
    (* hierconn *) wire [14:0] \dut.portals_read_data ;
    wire slot_written = (|\dut.first_ways_q_d ) || (|\dut.second_ways_q_d ) || \dut.stash_ways_q_d ;
    wire link_written = \dut.links_write_en ;
    wire keys_change = \dut.keys_q_en ;
    wire [14:0] portal_written = \dut.portals_write_data ;
    wire [14:0] portal_now = \dut.portals_read_data ;

    // Room for results.
    (* hierconn *) wire [3:0] \dut.results.head_q_q ;
    (* hierconn *) wire [3:0] \dut.results.tail_q_q ;
    (* hierconn *) wire [3:0] \dut.room.count_q_q ;
    (* hierconn *) wire \dut.room.full_q_q ;
    (* hierconn *) wire \dut.results_write_ready ;
    wire [3:0] results = \dut.results.tail_q_q - \dut.results.head_q_q ;
    wire [3:0] room = \dut.room.count_q_q ;
    wire full = \dut.room.full_q_q ;
    wire has_place = \dut.results_write_ready ;

    // The portal entry that is watched: the word of its number.
    (* anyconst *) wire which;
    wire [14:0] stored;

    memory_watch #(.MEMID("\\dut.portals.mem.storage"), .ABITS(1), .WIDTH(15)) watch (
        .CLK(1'b0), .EN(1'b1), .ADDR(which), .DATA(stored)
    );

    wire here = there_2 && portal == which;
    wire regional = opens && portal == which;
    wire told = tells && portal == which;
    wire refused = there_2 && (outcome == 2 || outcome == 3 || outcome == 5);

    reg started = 1'b0;
    reg was_closed;
    reg open;
    reg [13:0] waiting;

    always @(posedge clk) begin
        started <= 1'b1;
        was_closed <= regional && outcome == 4 && op[0] && !rst;
        if (told && outcome == 1) waiting <= waiting + 14'd1;
        if (told && outcome == 0) waiting <= waiting - 14'd1;
        if (regional && outcome == 4) open <= !op[0];
        if (rst) begin
            open <= 1'b0;
            waiting <= 14'd0;
        end
    end

    always @* begin
        if (!started) assume_reset: assume (rst);
        assume_plain: assume (plain);
        if (started) begin
            aux_plain: assert (plain_inside);
            prop_refused_unchanged: assert (
                !refused || (!slot_written && !link_written && !keys_change && portal_written == portal_now));
            prop_region_is_empty: assert (!(regional && outcome == 4) || waiting == 0);
            prop_busy_if_not_empty: assert (!(regional && outcome == 5) || waiting != 0);
            prop_only_in_region: assert (!told || (outcome == 3) == !open);
            prop_result_kept: assert (!there_3 || has_place);

            aux_room: assert (
                {1'b0, room} == {1'b0, results} + {4'd0, there_1} + {4'd0, there_2} + {4'd0, there_3} && room <= 8
                    && results <= 8 && full == (room == 8));
            aux_read: assert (!here || portal_now == stored);
            aux_clearing: assert (
                cleared || (clear_index <= 1 && !there_1 && !there_2 && !there_3 && waiting == 0 && !open));
            aux_cleared: assert (cleared || clear_index == 0 || which || stored == 0);
            aux_stored: assert (!cleared || stored == {waiting, open});

            cover_plain: cover (there_3 && !rst);
            cover_reset: cover (was_closed && !rst);
        end
    end
endmodule
