// L2Bank, with two ways and two sets: a locked line is neither evicted nor replaced, a read-modify-write is atomic (between
// its halves only the owner writes the line), nobody else is served meanwhile, no line is fetched twice at once or kept twice,
// and what is accepted finds room.
//
// `place` is any place of the cache, {way, set}. An access is in s1 when its effects are decided, a cycle later in s2 its data
// are written.
module l2_bank_properties (
    input wire clk,
    input wire rst,
    input wire [4:0] watchdog_limit,
    input wire [4:0] locked_ways_limit,
    input wire [146:0] request,
    input wire request_valid,
    input wire [7:0] request_strobe,
    input wire [63:0] request_data,
    input wire [146:0] rmw_write,
    input wire rmw_write_valid,
    input wire [7:0] rmw_write_strobe,
    input wire [63:0] rmw_write_data,
    input wire response_ready,
    input wire ar_ready,
    input wire r_valid,
    input wire [1:0] r_id,
    input wire [63:0] r_data,
    input wire [1:0] r_resp,
    input wire aw_ready,
    input wire w_ready,
    input wire b_valid,
    input wire [1:0] b_resp
);
    wire request_ready;
    wire rmw_write_ready;
    wire [17:0] response;
    wire response_valid;
    wire [15:0] locked_lines;

    l2_bank_2 dut (
        .clk(clk),
        .rst(rst),
        .watchdog_limit(watchdog_limit),
        .locked_ways_limit(locked_ways_limit),
        .request(request),
        .request_valid(request_valid),
        .request_ready(request_ready),
        .request_strobe(request_strobe),
        .request_data(request_data),
        .rmw_write(rmw_write),
        .rmw_write_valid(rmw_write_valid),
        .rmw_write_ready(rmw_write_ready),
        .rmw_write_strobe(rmw_write_strobe),
        .rmw_write_data(rmw_write_data),
        .response(response),
        .response_valid(response_valid),
        .response_ready(response_ready),
        .locked_lines(locked_lines),
        .ar_ready(ar_ready),
        .r_valid(r_valid),
        .r_id(r_id),
        .r_data(r_data),
        .r_resp(r_resp),
        .aw_ready(aw_ready),
        .w_ready(w_ready),
        .b_valid(b_valid),
        .b_resp(b_resp)
    );

    // s1.
    (* hierconn *) wire \dut.s1_new_q_q ;
    (* hierconn *) wire \dut.s1_replay_q_q ;
    (* hierconn *) wire \dut.s1_fill_q_q ;
    (* hierconn *) wire \dut.s1_rmw_write_q_q ;
    (* hierconn *) wire \dut.s1_drop_q_q ;
    (* hierconn *) wire \dut.s1_set_q_q ;
    (* hierconn *) wire [146:0] \dut.s1_request_q_q ;
    (* hierconn *) wire [1:0] \dut.way ;
    (* hierconn *) wire \dut.rules_serve ;
    (* hierconn *) wire [1:0] \dut.rules_status ;
    (* hierconn *) wire \dut.rules_insert ;
    (* hierconn *) wire \dut.rules_take_rmw ;
    (* hierconn *) wire [1:0] \dut.tags_hit_ways ;
    // s2 and the answers.
    (* hierconn *) wire \dut.s2_respond_q_q ;
    (* hierconn *) wire \dut.s2_write_q_q ;
    (* hierconn *) wire [1:0] \dut.s2_place_q_q ;
    (* hierconn *) wire [146:0] \dut.s2_request_q_q ;
    (* hierconn *) wire \dut.responses_write_ready ;
    (* hierconn *) wire [3:0] \dut.responses.head_q_q ;
    (* hierconn *) wire [3:0] \dut.responses.tail_q_q ;
    (* hierconn *) wire [3:0] \dut.response_lines.head_q_q ;
    (* hierconn *) wire [3:0] \dut.response_lines.tail_q_q ;
    (* hierconn *) wire [3:0] \dut.used_q_q ;
    // The queue of those that wait: a bit for each place.
    (* hierconn *) wire [3:0] \dut.queue_.valid_q_q ;
    (* hierconn *) wire [3:0] \dut.queue_.ready_q_q ;
    (* hierconn *) wire [3:0] \dut.queue_.fetch_q_q ;
    (* hierconn *) wire [3:0] \dut.queue_.flying_q_q ;
    (* hierconn *) wire [3:0] \dut.queue_.filled_q_q ;
    (* hierconn *) wire [1:0] \dut.queue__offer_entry ;
    (* hierconn *) wire [1:0] \dut.s1_entry_q_q ;
    (* hierconn *) wire [57:0] \dut.queue_.line_q_0_q ;
    (* hierconn *) wire [57:0] \dut.queue_.line_q_1_q ;
    (* hierconn *) wire [57:0] \dut.queue_.line_q_2_q ;
    (* hierconn *) wire [57:0] \dut.queue_.line_q_3_q ;
    (* hierconn *) wire [3:0] \dut.queue_.older_q_0_q ;
    (* hierconn *) wire [3:0] \dut.queue_.older_q_1_q ;
    (* hierconn *) wire [3:0] \dut.queue_.older_q_2_q ;
    (* hierconn *) wire [3:0] \dut.queue_.older_q_3_q ;
    (* hierconn *) wire [3:0] \dut.queue_.invalidate_q_q ;
    wire [231:0] lines = {\dut.queue_.line_q_3_q , \dut.queue_.line_q_2_q , \dut.queue_.line_q_1_q , \dut.queue_.line_q_0_q };
    wire [15:0] older = {\dut.queue_.older_q_3_q , \dut.queue_.older_q_2_q , \dut.queue_.older_q_1_q , \dut.queue_.older_q_0_q };
    wire [3:0] waiters = \dut.queue_.valid_q_q ;
    wire [3:0] due = \dut.queue_.ready_q_q | \dut.queue_.fetch_q_q | \dut.queue_.flying_q_q | \dut.queue_.filled_q_q ;
    // Locks and tags: a bit for each set.
    (* hierconn *) wire [1:0] \dut.locks.rmw_q_0_q ;
    (* hierconn *) wire [1:0] \dut.locks.rmw_q_1_q ;
    (* hierconn *) wire [1:0] \dut.locks.store_q_0_q ;
    (* hierconn *) wire [1:0] \dut.locks.store_q_1_q ;
    (* hierconn *) wire [1:0] \dut.tags.valid_q_0_q ;
    (* hierconn *) wire [1:0] \dut.tags.valid_q_1_q ;
    wire [3:0] rmw = {\dut.locks.rmw_q_1_q , \dut.locks.rmw_q_0_q };
    wire [3:0] store = {\dut.locks.store_q_1_q , \dut.locks.store_q_0_q };
    wire [3:0] valid = {\dut.tags.valid_q_1_q , \dut.tags.valid_q_0_q };

    (* anyconst *) wire [1:0] place;
    wire is_rmw = rmw[place];
    wire is_store = store[place];
    wire looked_up = \dut.s1_new_q_q | \dut.s1_replay_q_q ;
    wire [2:0] active = looked_up + \dut.s1_fill_q_q + \dut.s1_rmw_write_q_q + \dut.s1_drop_q_q ;
    wire answers = \dut.s1_new_q_q | \dut.s1_replay_q_q | \dut.s1_fill_q_q | \dut.s1_rmw_write_q_q ;
    wire in_set = \dut.s1_set_q_q == place[0];
    wire here = in_set & \dut.way [place[1]];
    wire hits_here = in_set & \dut.tags_hit_ways [place[1]];
    wire [146:0] asked = \dut.s1_request_q_q ;
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

    // What waits, in any one place of the queue and in the one that goes on.
    (* hierconn *) wire [146:0] \dut.queue__offer_request ;
    (* anyconst *) wire [1:0] entry;
    wire [146:0] waits;
    wire [146:0] goes = \dut.queue__offer_request ;
    wire [57:0] asked_line = asked[82:25];

    // Places whose line is fetched, and what is to be known of any two places and of any two ways.
    wire [3:0] fetching = \dut.queue_.fetch_q_q | \dut.queue_.flying_q_q | \dut.queue_.filled_q_q
        | ({3'd0, \dut.s1_fill_q_q } << \dut.s1_entry_q_q );
    reg one_fetch;
    reg not_kept;
    reg in_order;
    reg fetched_last;
    integer i;
    integer j;

    always @* begin
        one_fetch = 1'b1;
        not_kept = 1'b1;
        in_order = 1'b1;
        fetched_last = 1'b1;
        for (i = 0; i < 4; i = i + 1) begin
            if (fetching[i] & valid[{1'b0, place[0]}] & tag_of_0 == lines[58 * i +: 58]) not_kept = 1'b0;
            if (fetching[i] & valid[{1'b1, place[0]}] & tag_of_1 == lines[58 * i +: 58]) not_kept = 1'b0;
            for (j = 0; j < 4; j = j + 1) begin
                if (i != j & fetching[i] & fetching[j] & lines[58 * i +: 58] == lines[58 * j +: 58]) one_fetch = 1'b0;
                // `older[4 * i + j]`: place j was taken before place i.
                if (older[4 * i + j] & !waiters[j]) in_order = 1'b0;
                if (i != j & waiters[i] & waiters[j] & !(older[4 * i + j] ^ older[4 * j + i])) in_order = 1'b0;
                if (waiters[i] & fetching[i] & waiters[j] & older[4 * i + j] & !\dut.queue_.invalidate_q_q [j]
                    & lines[58 * i +: 58] == lines[58 * j +: 58]) fetched_last = 1'b0;
            end
        end
    end

    memory_watch #(.MEMID("\\dut.queue_.requests.storage"), .ABITS(2), .WIDTH(147)) watch_entry (
        .CLK(1'b0), .EN(1'b1), .ADDR(entry), .DATA(waits)
    );

    // Who has the lock: the thread whose RMW_READ took it.
    reg started = 1'b0;
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
    reg was_answered;
    reg [57:0] was_tag;
    reg [4:0] was_owner;

    always @(posedge clk) begin
        started <= 1'b1;
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
        if (!started) assume_reset: assume (rst);
        // Memory answers what the queue has given out to be fetched.
        assume_answers: assume (!r_valid || \dut.queue_.flying_q_q [r_id]);
`ifdef LEMMAS
        use_rmw_reads_by_cp: assume (!started || !waiters[\dut.queue__offer_entry ] || goes[3:0] != 3 || goes[5]);
        use_request_kept: assume (!started || !waiters[\dut.queue__offer_entry ]
            || (goes[82:25] == lines[58 * \dut.queue__offer_entry +: 58]
            && (goes[3:0] == 7) == \dut.queue_.invalidate_q_q [\dut.queue__offer_entry ]));
        use_room: assume (!started || !\dut.s1_new_q_q || waiters != 4'b1111);
        use_one_access: assume (!started || active <= 1);
`endif
        if (started) begin
            lemma_rmw_reads_by_cp: assert (!waiters[entry] || waits[3:0] != 3 || waits[5]);
            lemma_request_kept: assert (!waiters[entry] || (waits[82:25] == lines[58 * entry +: 58]
                && (waits[3:0] == 7) == \dut.queue_.invalidate_q_q [entry]));
            lemma_room: assert (!\dut.s1_new_q_q || waiters != 4'b1111);
            lemma_one_access: assert (active <= 1);

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
            prop_one_owner: assert (!(is_rmw & is_store));
            prop_room_for_answers: assert (!\dut.s2_respond_q_q || \dut.responses_write_ready );
            prop_room_for_waiters: assert (!\dut.rules_insert || waiters != 4'b1111);

            prop_one_fetch: assert (one_fetch);
            prop_fetched_is_not_kept: assert (not_kept);
            prop_one_way: assert (!(valid[{1'b0, place[0]}] & valid[{1'b1, place[0]}]) || tag_of_0 != tag_of_1);

            aux_in_order: assert (in_order);
            aux_fetched_last: assert (fetched_last);
            aux_no_invalidate: assert ((fetching & \dut.queue_.invalidate_q_q ) == 0);
            aux_line: assert (!(\dut.s1_replay_q_q | \dut.s1_fill_q_q )
                || (asked_line == lines[58 * \dut.s1_entry_q_q +: 58]
                && (asked[3:0] == 7) == \dut.queue_.invalidate_q_q [\dut.s1_entry_q_q ]));
            aux_set: assert (!answers || \dut.s1_set_q_q == asked_line[0]);
            aux_tag: assert ((!valid[{1'b0, place[0]}] || tag_of_0[0] == place[0])
                && (!valid[{1'b1, place[0]}] || tag_of_1[0] == place[0]));
            aux_one_state: assert (
                (\dut.queue_.ready_q_q & (\dut.queue_.fetch_q_q | \dut.queue_.flying_q_q | \dut.queue_.filled_q_q )) == 0
                && (\dut.queue_.fetch_q_q & (\dut.queue_.flying_q_q | \dut.queue_.filled_q_q )) == 0
                && (\dut.queue_.flying_q_q & \dut.queue_.filled_q_q ) == 0);
            aux_due: assert ((due & ~waiters) == 4'd0);
            aux_entry: assert (!(\dut.s1_replay_q_q | \dut.s1_fill_q_q )
                || (waiters[\dut.s1_entry_q_q ] && !due[\dut.s1_entry_q_q ]));
            aux_rmw_reads: assert (
                !(\dut.s1_replay_q_q | \dut.s1_fill_q_q ) || asked[3:0] != 3 || asks_cp);
            aux_exclusive: assert ((rmw & store) == 0);
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
