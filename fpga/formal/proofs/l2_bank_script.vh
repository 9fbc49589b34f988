// The story of a mutant or of a cover of `l2_bank_2`. Requests one after the other, the first lowest: operation, and
// above it the line. 8'h0e: when nothing waits any more; 8'h1e: when the watchdog drops a lock; 8'h0f: the end.
// RMW_READs are the CP's, all others a unit's.
`ifdef SCRIPT
    reg [63:0] script = `SCRIPT ;
    wire [7:0] item = script[7:0];
    wire quiet = waiters == 0 & active == 0 & !\dut.s2_respond_q_q ;
    always @(posedge clk) if (!rst & (request_valid & request_ready | item == 8'h0e & quiet | item == 8'h1e & \dut.take_drop )) script <= {8'h0f, script[63:8]};
    always @* begin
        script_requests: assume (request_valid == (item[3:0] < 14) && request[82:19] == {54'd0, item[7:4], 6'd0}
            && request[5:0] == {item[3:0] == 3, 1'b0, item[3:0]} && line == 0);
        script_quiet: assume ((!started || !rst) && !rmw_write_valid && rmw_write == 0 && watchdog_limit == 4 && aw_ready && w_ready && r_resp == 0);
    end
`endif
