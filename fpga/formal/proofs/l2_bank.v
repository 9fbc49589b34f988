// L2Bank, with two ways and two sets: a locked line is neither evicted nor replaced, a read-modify-write is atomic
// (between its halves only the owner writes the line), nobody else is served meanwhile, no line is fetched twice at
// once or kept twice, what is accepted finds room, and compute units put no line into a way of the command processor.
//
// `place` is any place of the cache, {way, set}. An access is in s1 when its effects are decided, a cycle later in s2
// its data are written.
module l2_bank_properties (
`include "l2_bank_ports.vh"
`include "l2_bank_queue.vh"
`include "l2_bank_tags.vh"
`include "l2_bank_locks.vh"

    // s1.
    (* hierconn *) wire [1:0] \dut.way ;
    (* hierconn *) wire \dut.rules_serve ;
    (* hierconn *) wire \dut.rules_install ;
    (* hierconn *) wire [1:0] \dut.rules_status ;
    (* hierconn *) wire \dut.rules_take_rmw ;
    (* hierconn *) wire [1:0] \dut.tags_hit_ways ;
    // s2 and the answers.
    (* hierconn *) wire \dut.s2_write_q_q ;
    (* hierconn *) wire [1:0] \dut.s2_place_q_q ;
    (* hierconn *) wire [146:0] \dut.s2_request_q_q ;
    (* hierconn *) wire \dut.responses_write_ready ;
    (* hierconn *) wire [3:0] \dut.responses.head_q_q ;
    (* hierconn *) wire [3:0] \dut.responses.tail_q_q ;
    (* hierconn *) wire [3:0] \dut.response_lines.head_q_q ;
    (* hierconn *) wire [3:0] \dut.response_lines.tail_q_q ;
    (* hierconn *) wire [3:0] \dut.used_q_q ;

    (* anyconst *) wire [1:0] place;
    wire is_rmw = rmw[place];
    wire is_store = store[place];
    wire in_set = \dut.s1_set_q_q == place[0];
    wire here = in_set & \dut.way [place[1]];
    wire hits_here = in_set & \dut.tags_hit_ways [place[1]];
    wire asks_cp = asked[5];
    wire [4:0] asks = asked[10:6];

    wire [57:0] tag_of_0;
    wire [57:0] tag_of_1;
    wire [4:0] owner_of_0;
    wire [4:0] owner_of_1;
    wire [57:0] tag = place[1] ? tag_of_1 : tag_of_0;
    wire [4:0] kept_owner = place[1] ? owner_of_1 : owner_of_0;

    memory_watch #(.MEMID("\\dut.tags.tags_0.storage"), .ABITS(1), .WIDTH(58)) watch_tag_0 (
        .CLK(1'b0), .EN(1'b1), .ADDR(place[0]), .DATA(tag_of_0)
    );
    memory_watch #(.MEMID("\\dut.tags.tags_1.storage"), .ABITS(1), .WIDTH(58)) watch_tag_1 (
        .CLK(1'b0), .EN(1'b1), .ADDR(place[0]), .DATA(tag_of_1)
    );
    memory_watch #(.MEMID("\\dut.locks.owners_0.storage"), .ABITS(1), .WIDTH(5)) watch_owner_0 (
        .CLK(1'b0), .EN(1'b1), .ADDR(place[0]), .DATA(owner_of_0)
    );
    memory_watch #(.MEMID("\\dut.locks.owners_1.storage"), .ABITS(1), .WIDTH(5)) watch_owner_1 (
        .CLK(1'b0), .EN(1'b1), .ADDR(place[0]), .DATA(owner_of_1)
    );

    wire [57:0] asked_line = asked[82:25];

    // Places whose line is fetched: what is to be known of any two of them, and of any way.
    reg one_fetch;
    reg not_kept;
    reg fetched_last;
    integer i;
    integer j;

    always @* begin
        one_fetch = 1'b1;
        not_kept = 1'b1;
        fetched_last = 1'b1;
        for (i = 0; i < 4; i = i + 1) begin
            if (fetch_or_fill[i] & valid[{1'b0, place[0]}] & tag_of_0 == lines[58 * i +: 58]) not_kept = 1'b0;
            if (fetch_or_fill[i] & valid[{1'b1, place[0]}] & tag_of_1 == lines[58 * i +: 58]) not_kept = 1'b0;
            for (j = 0; j < 4; j = j + 1) begin
                if (i != j & fetch_or_fill[i] & fetch_or_fill[j] & lines[58 * i +: 58] == lines[58 * j +: 58]) one_fetch = 1'b0;
                if (waiters[i] & fetch_or_fill[i] & waiters[j] & older[4 * i + j] & !\dut.queue_.invalidate_q_q [j]
                    & lines[58 * i +: 58] == lines[58 * j +: 58]) fetched_last = 1'b0;
            end
        end
    end

    // Who has the lock: the thread whose RMW_READ took it.
    reg [4:0] owner;
    wire owners = asks_cp & asks == owner;

    // The cycle before.
    reg was_reset;
    reg was_rmw;
    reg was_store;
    reg was_owners_write;
    reg was_drop;
    reg was_cp_access;
    reg was_taken;
    reg was_read_by_cp;
    reg [57:0] was_tag;
    reg [4:0] was_owner;

    always @(posedge clk) begin
        was_reset <= rst;
        was_rmw <= is_rmw;
        was_store <= is_store;
        was_owners_write <= hits_here & \dut.s1_rmw_write_q_q & owners & asked[3:0] == 9;
        was_drop <= in_set & \dut.s1_drop_q_q ;
        was_cp_access <= hits_here & looked_up & asks_cp;
        was_taken <= here & \dut.rules_take_rmw ;
        was_read_by_cp <= asks_cp & asked[3:0] == 3;
        was_tag <= tag;
        was_owner <= owner;
        if (here & \dut.rules_take_rmw & !is_rmw) owner <= asks;
    end

    wire s2_here = \dut.s2_place_q_q == place;
    wire s2_owner = \dut.s2_request_q_q [5] & \dut.s2_request_q_q [10:6] == was_owner;
    wire [3:0] kept = \dut.responses.tail_q_q - \dut.responses.head_q_q ;

    always @* begin
        // Memory answers what the queue has given out to be fetched.
        assume_answers: assume (!r_valid || \dut.queue_.flying_q_q [r_id]);
        if (started) begin
            prop_locked_line_is_valid: assert (!(is_rmw | is_store) || valid[place]);
            prop_rmw_line_not_replaced: assert (!was_rmw || was_reset || (valid[place] && tag == was_tag));
            prop_store_line_not_replaced: assert (
                !(was_store & is_store) || was_reset || (valid[place] && tag == was_tag));
            prop_rmw_ends_only_so: assert (!(was_rmw & !is_rmw) || was_owners_write || was_drop || was_reset);
            prop_store_ends_only_so: assert (
                !(was_store & !is_store) || was_cp_access || was_drop || (was_taken && was_read_by_cp) || was_reset);
            prop_rmw_taken_by_cp: assert (!(is_rmw & !was_rmw) || (was_taken && was_read_by_cp));
            prop_atomic: assert (!(was_rmw && \dut.s2_write_q_q && s2_here) || was_reset || s2_owner);
            prop_others_wait: assert (
                !(is_rmw && looked_up && hits_here && asked[3:0] < 9 && (asks_cp || asked[3:0] != 3) && !owners)
                || !\dut.rules_serve );
            prop_foreign_write_refused: assert (
                !(\dut.s1_rmw_write_q_q && hits_here && !(is_rmw && owners)) || \dut.rules_status == 1);
            prop_one_owner: assert (!(was_rmw & is_rmw) || was_reset || kept_owner == was_owner);
            prop_room_for_answers: assert (!\dut.s2_respond_q_q || \dut.responses_write_ready );
            prop_room_for_waiters: assert (!\dut.rules_insert || waiters != 4'b1111);

            prop_one_fetch: assert (one_fetch);
            prop_fetched_is_not_kept: assert (not_kept);
            prop_cp_ways_are_the_cps: assert (!(\dut.rules_install && here && cp_ways[place[1]]) || asks_cp);
            prop_one_way: assert (!(valid[{1'b0, place[0]}] & valid[{1'b1, place[0]}]) || tag_of_0 != tag_of_1);

            aux_fetched_last: assert (fetched_last);
            aux_no_invalidate: assert ((fetch_or_fill & \dut.queue_.invalidate_q_q ) == 0);
            aux_tag: assert ((!valid[{1'b0, place[0]}] || tag_of_0[0] == place[0])
                && (!valid[{1'b1, place[0]}] || tag_of_1[0] == place[0]));
            aux_owner: assert (!is_rmw || kept_owner == owner);
            aux_used: assert (\dut.used_q_q == answers + \dut.s2_respond_q_q + kept && \dut.used_q_q <= 8
                && kept <= 8);
            aux_pair: assert (\dut.responses.tail_q_q == \dut.response_lines.tail_q_q
                && \dut.responses.head_q_q == \dut.response_lines.head_q_q );

            cover_answers: cover (r_valid && rmw != 0);
            cover_reset: cover (was_rmw && was_owners_write && !is_rmw);
        end
    end
endmodule
