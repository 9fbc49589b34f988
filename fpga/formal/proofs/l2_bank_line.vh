// What the proofs of `l2_bank_2` about one line see of it, in the queue and in the tags, and what holds of it in all of
// them. `line` is any.

    (* anyconst *) wire [57:0] line;
    wire set = line[0];

    (* hierconn *) wire [1:0] \dut.tags_hit_ways ;
    (* hierconn *) wire [3:0] \dut.queue_.same_line ;
    // By place of the cache, {way, set}.
    wire [57:0] tags [0:3];

    wire asked_on = asked[82:25] == line;
    wire in_set = \dut.s1_set_q_q == set;
    wire [3:0] on_line;
    wire [3:0] fetching_here = fetch_or_fill & on_line;
    wire [3:0] holds;
    wire [1:0] kept = {holds[{1'b1, set}], holds[{1'b0, set}]};
    wire [1:0] misplaced = {holds[{1'b1, !set}], holds[{1'b0, !set}]};

    genvar p;
    generate
        for (p = 0; p < 2; p = p + 1) begin : tag
            memory_watch #(.MEMID("\\dut.tags.tags_0.storage"), .ABITS(1), .WIDTH(58)) watch_0 (
                .CLK(1'b0), .EN(1'b1), .ADDR(p[0]), .DATA(tags[p])
            );
            memory_watch #(.MEMID("\\dut.tags.tags_1.storage"), .ABITS(1), .WIDTH(58)) watch_1 (
                .CLK(1'b0), .EN(1'b1), .ADDR(p[0]), .DATA(tags[2 + p])
            );
        end
        for (p = 0; p < 4; p = p + 1) begin : place
            assign on_line[p] = lines[58 * p +: 58] == line;
            assign holds[p] = valid[p] & tags[p] == line;
        end
    endgenerate

    // Whoever fetches the line came before all others that wait for it.
    reg fetched_last;
    integer d;
    integer e;
    always @* begin
        fetched_last = 1'b1;
        for (d = 0; d < 4; d = d + 1) for (e = 0; e < 4; e = e + 1)
            if (waiters[d] & fetching_here[d] & waiters[e] & on_line[e] & older[4 * d + e] & !\dut.queue_.invalidate_q_q [e]) fetched_last = 1'b0;
    end

    // What the comparison of the next cycle will give.
    reg [3:0] places_on;
    always @(posedge clk) begin
        places_on <= on_line;
        if (\dut.rules_insert ) places_on[\dut.queue__free_index ] <= asked_on;
    end

    // The block compares the line as we do, so that what follows need not look at its bits any more.
    wire lookup_on = started & answers & asked_on;
    wire lookup_off = started & answers & !asked_on;
    every aux_hits [1:0] (.when(lookup_on), .holds(\dut.tags_hit_ways ~^ kept));
    every aux_no_hits [1:0] (.when(lookup_off & in_set), .holds(~(\dut.tags_hit_ways & kept)));
    every aux_same_line [3:0] (.when(lookup_on), .holds(\dut.queue_.same_line ~^ on_line));
    every aux_other_line [3:0] (.when(lookup_off), .holds(~(\dut.queue_.same_line & on_line)));
    every aux_places_on [3:0] (.when(started), .holds(~waiters | (places_on ~^ on_line)));
    every aux_not_kept_0 [3:0] (.when(started & kept[0]), .holds(~fetching_here));
    every aux_not_kept_1 [3:0] (.when(started & kept[1]), .holds(~fetching_here));

    always @* begin
        if (started) begin
            aux_goes_on_line: assert (!goes_on || asked_on == on_line[entry]);
            aux_sets: assert ((valid & ({tags[3][0], tags[2][0], tags[1][0], tags[0][0]} ^ 4'b1010)) == 0);
            aux_tags: assert (misplaced == 0);
            aux_one_way: assert (kept != 2'b11);
            aux_fetched_last: assert (fetched_last && (fetching_here & \dut.queue_.invalidate_q_q ) == 0);
            aux_one_fetch: assert ((fetching_here & (fetching_here - 4'd1)) == 0);
        end
    end
