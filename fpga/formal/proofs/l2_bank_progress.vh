// What `l2_bank_progress.v` sees of the block: its registers, and words of its memories.

    // s1 and s2.
    (* hierconn *) wire \dut.s1_new_q_q ;
    (* hierconn *) wire \dut.s1_replay_q_q ;
    (* hierconn *) wire \dut.s1_fill_q_q ;
    (* hierconn *) wire \dut.s1_rmw_write_q_q ;
    (* hierconn *) wire \dut.s1_drop_q_q ;
    (* hierconn *) wire \dut.s1_set_q_q ;
    (* hierconn *) wire [1:0] \dut.s1_entry_q_q ;
    (* hierconn *) wire [146:0] \dut.s1_request_q_q ;
    (* hierconn *) wire [1:0] \dut.tags_hit_ways ;
    (* hierconn *) wire \dut.take_drop ;
    (* hierconn *) wire \dut.rules_insert ;
    (* hierconn *) wire \dut.rules_leave ;
    (* hierconn *) wire \dut.s2_respond_q_q ;
    (* hierconn *) wire \dut.s2_push_q_q ;
    (* hierconn *) wire [3:0] \dut.used_q_q ;
    (* hierconn *) wire [3:0] \dut.responses.head_q_q ;
    (* hierconn *) wire [3:0] \dut.responses.tail_q_q ;
    // The queue.
    (* hierconn *) wire [3:0] \dut.queue_.valid_q_q ;
    (* hierconn *) wire [3:0] \dut.queue_.ready_q_q ;
    (* hierconn *) wire [3:0] \dut.queue_.fetch_q_q ;
    (* hierconn *) wire [3:0] \dut.queue_.flying_q_q ;
    (* hierconn *) wire [3:0] \dut.queue_.filled_q_q ;
    (* hierconn *) wire [3:0] \dut.queue_.claim_q_q ;
    (* hierconn *) wire [3:0] \dut.queue_.invalidate_q_q ;
    (* hierconn *) wire [3:0] \dut.queue_.maintenance_q_q ;
    (* hierconn *) wire [3:0] \dut.queue_.same_line ;
    (* hierconn *) wire [1:0] \dut.queue__free_index ;
    (* hierconn *) wire [57:0] \dut.queue_.line_q_0_q ;
    (* hierconn *) wire [57:0] \dut.queue_.line_q_1_q ;
    (* hierconn *) wire [57:0] \dut.queue_.line_q_2_q ;
    (* hierconn *) wire [57:0] \dut.queue_.line_q_3_q ;
    (* hierconn *) wire [5:0] \dut.queue_.who_q_0_q ;
    (* hierconn *) wire [5:0] \dut.queue_.who_q_1_q ;
    (* hierconn *) wire [5:0] \dut.queue_.who_q_2_q ;
    (* hierconn *) wire [5:0] \dut.queue_.who_q_3_q ;
    (* hierconn *) wire \dut.queue_.set_q_0_q ;
    (* hierconn *) wire \dut.queue_.set_q_1_q ;
    (* hierconn *) wire \dut.queue_.set_q_2_q ;
    (* hierconn *) wire \dut.queue_.set_q_3_q ;
    (* hierconn *) wire [3:0] \dut.queue_.older_q_0_q ;
    (* hierconn *) wire [3:0] \dut.queue_.older_q_1_q ;
    (* hierconn *) wire [3:0] \dut.queue_.older_q_2_q ;
    (* hierconn *) wire [3:0] \dut.queue_.older_q_3_q ;
    (* hierconn *) wire [3:0] \dut.queue_.ahead_q_0_q ;
    (* hierconn *) wire [3:0] \dut.queue_.ahead_q_1_q ;
    (* hierconn *) wire [3:0] \dut.queue_.ahead_q_2_q ;
    (* hierconn *) wire [3:0] \dut.queue_.ahead_q_3_q ;
    (* hierconn *) wire [3:0] \dut.queue_.writes_q_0_q ;
    (* hierconn *) wire [3:0] \dut.queue_.writes_q_1_q ;
    (* hierconn *) wire [3:0] \dut.queue_.writes_q_2_q ;
    (* hierconn *) wire [3:0] \dut.queue_.writes_q_3_q ;
    // Tags and locks: a bit for each set.
    (* hierconn *) wire [1:0] \dut.tags.valid_q_0_q ;
    (* hierconn *) wire [1:0] \dut.tags.valid_q_1_q ;
    (* hierconn *) wire [1:0] \dut.locks.rmw_q_0_q ;
    (* hierconn *) wire [1:0] \dut.locks.rmw_q_1_q ;
    (* hierconn *) wire [1:0] \dut.locks.store_q_0_q ;
    (* hierconn *) wire [1:0] \dut.locks.store_q_1_q ;
    (* hierconn *) wire [5:0] \dut.locks.now_q_q ;
    (* hierconn *) wire \dut.locks.sweep_q_q ;
    (* hierconn *) wire \dut.locks_expired ;
    // Queues to memory.
    (* hierconn *) wire [3:0] \dut.writes.busy_q_q ;
    (* hierconn *) wire [1:0] \dut.writes.head_q_q ;
    (* hierconn *) wire [1:0] \dut.writes.tail_q_q ;
    (* hierconn *) wire [2:0] \dut.writes.addresses.head_q_q ;
    (* hierconn *) wire [2:0] \dut.writes.addresses.tail_q_q ;
    (* hierconn *) wire [2:0] \dut.writes.data.head_q_q ;
    (* hierconn *) wire [2:0] \dut.writes.data.tail_q_q ;
    (* hierconn *) wire [1:0] \dut.fetch_lines.head_q_q ;
    (* hierconn *) wire [1:0] \dut.fetch_lines.tail_q_q ;
    (* hierconn *) wire [1:0] \dut.fetch_ids.head_q_q ;
    (* hierconn *) wire [1:0] \dut.fetch_ids.tail_q_q ;

    // Words of the memories; those of the cache by place, {way, set}.
    wire [57:0] tags [0:3];
    wire [4:0] owners [0:3];
    wire [5:0] stamps [0:3];
    wire [5:0] sweep_stamps [0:3];
    wire [146:0] requests [0:3];
    wire [1:0] fetch_ids [0:1];

    genvar g;
    generate
        for (g = 0; g < 2; g = g + 1) begin : pair
            memory_watch #(.MEMID("\\dut.tags.tags_0.storage"), .ABITS(1), .WIDTH(58)) watch_tag_0 (
                .CLK(1'b0), .EN(1'b1), .ADDR(g[0]), .DATA(tags[g])
            );
            memory_watch #(.MEMID("\\dut.tags.tags_1.storage"), .ABITS(1), .WIDTH(58)) watch_tag_1 (
                .CLK(1'b0), .EN(1'b1), .ADDR(g[0]), .DATA(tags[2 + g])
            );
            memory_watch #(.MEMID("\\dut.locks.owners_0.storage"), .ABITS(1), .WIDTH(5)) watch_owner_0 (
                .CLK(1'b0), .EN(1'b1), .ADDR(g[0]), .DATA(owners[g])
            );
            memory_watch #(.MEMID("\\dut.locks.owners_1.storage"), .ABITS(1), .WIDTH(5)) watch_owner_1 (
                .CLK(1'b0), .EN(1'b1), .ADDR(g[0]), .DATA(owners[2 + g])
            );
            memory_watch #(.MEMID("\\dut.locks.stamps_0.storage"), .ABITS(1), .WIDTH(6)) watch_stamp_0 (
                .CLK(1'b0), .EN(1'b1), .ADDR(g[0]), .DATA(stamps[g])
            );
            memory_watch #(.MEMID("\\dut.locks.stamps_1.storage"), .ABITS(1), .WIDTH(6)) watch_stamp_1 (
                .CLK(1'b0), .EN(1'b1), .ADDR(g[0]), .DATA(stamps[2 + g])
            );
            memory_watch #(.MEMID("\\dut.locks.sweep_stamps_0.storage"), .ABITS(1), .WIDTH(6)) watch_sweep_0 (
                .CLK(1'b0), .EN(1'b1), .ADDR(g[0]), .DATA(sweep_stamps[g])
            );
            memory_watch #(.MEMID("\\dut.locks.sweep_stamps_1.storage"), .ABITS(1), .WIDTH(6)) watch_sweep_1 (
                .CLK(1'b0), .EN(1'b1), .ADDR(g[0]), .DATA(sweep_stamps[2 + g])
            );
            memory_watch #(.MEMID("\\dut.fetch_ids.mem.storage"), .ABITS(1), .WIDTH(2)) watch_id (
                .CLK(1'b0), .EN(1'b1), .ADDR(g[0]), .DATA(fetch_ids[g])
            );
        end
        for (g = 0; g < 4; g = g + 1) begin : four
            memory_watch #(.MEMID("\\dut.queue_.requests.storage"), .ABITS(2), .WIDTH(147)) watch_request (
                .CLK(1'b0), .EN(1'b1), .ADDR(g[1:0]), .DATA(requests[g])
            );
        end
    endgenerate
