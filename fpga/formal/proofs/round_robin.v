// RoundRobin: one grant at most, only to who asks, and nobody who goes on asking is passed over more than N - 1 times.
module round_robin_properties (
    input wire clk,
    input wire rst,
    input wire [2:0] request,
    input wire advance
);
    wire [2:0] grant;

    round_robin dut (
        .clk(clk),
        .rst(rst),
        .request(request),
        .advance(advance),
        .grant(grant)
    );

    (* hierconn *) wire [2:0] \dut.mask_q_q ;

    // Any one requester.
    (* anyconst *) wire [1:0] who;
    wire asks = request[who];
    wire served = grant[who] & advance;

    // Grants that others have used since it asks without a break.
    reg started = 1'b0;
    reg was_reset;
    reg [1:0] passed;
    reg kept;
    reg [2:0] last_request;
    reg [2:0] last_grant;

    always @(posedge clk) begin
        started <= 1'b1;
        was_reset <= rst;
        passed <= passed + ((grant != 0) & advance);
        if (rst | !asks | served) passed <= 0;
        kept <= !advance & !rst;
        last_request <= request;
        last_grant <= grant;
    end

    // The search starts above the last grant: steps from there to it.
    wire [2:0] mask = \dut.mask_q_q ;
    wire [1:0] first = mask == 3'b110 ? 2'd1 : mask == 3'b100 ? 2'd2 : 2'd0;
    wire [1:0] steps = who >= first ? who - first : who + 2'd3 - first;

    always @* begin
        if (!started) assume_reset: assume (rst);
        assume_requester: assume (who < 3);
        if (started) begin
            prop_one_grant: assert ((grant & (grant - 3'd1)) == 0);
            prop_only_who_asks: assert ((grant & ~request) == 0);
            prop_somebody: assert ((request == 0) == (grant == 0));
            prop_kept: assert (!(kept && request == last_request) || grant == last_grant);
            prop_nobody_starves: assert (!asks || grant[who] || passed < 2);
            prop_reset_order: assert (!(was_reset && request[0]) || grant == 3'b001);

            // The mask is a run of ones at the top, and each grant of another brings it nearer.
            aux_mask: assert (mask == 3'b000 || mask == 3'b100 || mask == 3'b110);
            aux_nearer: assert (passed + steps <= 2);

            cover_reset: cover (was_reset && request == 3'b111);
            cover_requester: cover (who == 2 && passed == 2 && served);
        end
    end
endmodule
