// What `l2_bank_progress.v` sees of the block beside what others see: its registers, and words of its memories.

    // The queue.
    (* hierconn *) wire [3:0] \dut.queue_.claim_q_q ;
    (* hierconn *) wire [5:0] \dut.queue_.who_q_0_q ;
    (* hierconn *) wire [5:0] \dut.queue_.who_q_1_q ;
    (* hierconn *) wire [5:0] \dut.queue_.who_q_2_q ;
    (* hierconn *) wire [5:0] \dut.queue_.who_q_3_q ;
    (* hierconn *) wire \dut.queue_.set_q_0_q ;
    (* hierconn *) wire \dut.queue_.set_q_1_q ;
    (* hierconn *) wire \dut.queue_.set_q_2_q ;
    (* hierconn *) wire \dut.queue_.set_q_3_q ;
    (* hierconn *) wire [3:0] \dut.queue_.ahead_q_0_q ;
    (* hierconn *) wire [3:0] \dut.queue_.ahead_q_1_q ;
    (* hierconn *) wire [3:0] \dut.queue_.ahead_q_2_q ;
    (* hierconn *) wire [3:0] \dut.queue_.ahead_q_3_q ;
    // Locks.
    (* hierconn *) wire [5:0] \dut.locks.now_q_q ;
    (* hierconn *) wire \dut.locks.sweep_q_q ;
    (* hierconn *) wire \dut.locks_expired ;

    // Words of the memories by place, {way, set}.
    wire [4:0] owners [0:3];
    wire [5:0] stamps [0:3];
    wire [5:0] sweep_stamps [0:3];

    genvar g;
    generate
        for (g = 0; g < 2; g = g + 1) begin : pair
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
        end
    endgenerate
