// Which places of `l2_bank_2` are locked, and how, by place {way, set}. A word of flags that was not written since
// reset is zero.

    (* hierconn *) wire [1:0] \dut.locks.locked.written_q_q ;
    (* hierconn *) wire [1:0] \dut.locks.sweep_locked.written_q_q ;
    wire [3:0] rmw;
    wire [3:0] store;
    // As the sweep sees them.
    wire [3:0] swept;

    genvar l;
    generate
        for (l = 0; l < 2; l = l + 1) begin : lock_flags
            wire [1:0] locked_word;
            wire [1:0] sweep_word;
            wire [1:0] rmw_word;
            memory_watch #(.MEMID("\\dut.locks.locked.words.storage"), .ABITS(1), .WIDTH(2)) watch_locked (
                .CLK(1'b0), .EN(1'b1), .ADDR(l[0]), .DATA(locked_word)
            );
            memory_watch #(.MEMID("\\dut.locks.sweep_locked.words.storage"), .ABITS(1), .WIDTH(2)) watch_sweep_locked (
                .CLK(1'b0), .EN(1'b1), .ADDR(l[0]), .DATA(sweep_word)
            );
            memory_watch #(.MEMID("\\dut.locks.rmws.storage"), .ABITS(1), .WIDTH(2)) watch_rmw (
                .CLK(1'b0), .EN(1'b1), .ADDR(l[0]), .DATA(rmw_word)
            );
            wire [1:0] word = \dut.locks.locked.written_q_q [l] ? locked_word : 2'd0;
            assign {rmw[2 + l], rmw[l]} = word & rmw_word;
            assign {store[2 + l], store[l]} = word & ~rmw_word;
            assign {swept[2 + l], swept[l]} = \dut.locks.sweep_locked.written_q_q [l] ? sweep_word : 2'd0;
        end
    endgenerate
