// Which places of `l2_bank_2` hold a line, and which a dirty one, by place {way, set}. A word of flags that was not
// written since reset is zero.

    (* hierconn *) wire [1:0] \dut.tags.valids.written_q_q ;
    wire [3:0] valid;
    wire [3:0] dirty;

    genvar t;
    generate
        for (t = 0; t < 2; t = t + 1) begin : tag_flags
            wire [1:0] valid_word;
            wire [1:0] dirty_word;
            memory_watch #(.MEMID("\\dut.tags.valids.words.storage"), .ABITS(1), .WIDTH(2)) watch_valid (
                .CLK(1'b0), .EN(1'b1), .ADDR(t[0]), .DATA(valid_word)
            );
            memory_watch #(.MEMID("\\dut.tags.dirties.storage"), .ABITS(1), .WIDTH(2)) watch_dirty (
                .CLK(1'b0), .EN(1'b1), .ADDR(t[0]), .DATA(dirty_word)
            );
            assign {valid[2 + t], valid[t]} = \dut.tags.valids.written_q_q [t] ? valid_word : 2'd0;
            assign {dirty[2 + t], dirty[t]} = {valid[2 + t], valid[t]} & dirty_word;
        end
    endgenerate
