// What all proofs of `l2_bank_2` see of the access in s1 and of the queue of those that wait, and what holds of the
// queue in all of them.

    // s1.
    (* hierconn *) wire \dut.s1_new_q_q ;
    (* hierconn *) wire \dut.s1_replay_q_q ;
    (* hierconn *) wire \dut.s1_fill_q_q ;
    (* hierconn *) wire \dut.s1_rmw_write_q_q ;
    (* hierconn *) wire \dut.s1_drop_q_q ;
    (* hierconn *) wire \dut.s1_set_q_q ;
    (* hierconn *) wire [1:0] \dut.s1_entry_q_q ;
    (* hierconn *) wire [146:0] \dut.s1_request_q_q ;
    (* hierconn *) wire \dut.rules_insert ;
    (* hierconn *) wire \dut.rules_leave ;
    (* hierconn *) wire \dut.s2_respond_q_q ;
    (* hierconn *) wire \dut.take_drop ;
    wire fills = \dut.s1_fill_q_q ;
    wire looked_up = \dut.s1_new_q_q | \dut.s1_replay_q_q ;
    wire goes_on = \dut.s1_replay_q_q | fills;
    wire answers = goes_on | \dut.s1_new_q_q | \dut.s1_rmw_write_q_q ;
    wire [2:0] active = \dut.s1_new_q_q + \dut.s1_replay_q_q + fills + \dut.s1_rmw_write_q_q + \dut.s1_drop_q_q ;
    wire [146:0] asked = \dut.s1_request_q_q ;
    wire maintains = asked[3:0] == 7 | asked[3:0] == 8;
    wire [1:0] entry = \dut.s1_entry_q_q ;

    // The queue: a bit for each place; `older[4 * i + j]`: place j was taken before place i.
    (* hierconn *) wire [3:0] \dut.queue_.valid_q_q ;
    (* hierconn *) wire [3:0] \dut.queue_.ready_q_q ;
    (* hierconn *) wire [3:0] \dut.queue_.fetch_q_q ;
    (* hierconn *) wire [3:0] \dut.queue_.flying_q_q ;
    (* hierconn *) wire [3:0] \dut.queue_.filled_q_q ;
    (* hierconn *) wire [3:0] \dut.queue_.invalidate_q_q ;
    (* hierconn *) wire [3:0] \dut.queue_.maintenance_q_q ;
    (* hierconn *) wire [1:0] \dut.queue__free_index ;
    (* hierconn *) wire [57:0] \dut.queue_.line_q_0_q ;
    (* hierconn *) wire [57:0] \dut.queue_.line_q_1_q ;
    (* hierconn *) wire [57:0] \dut.queue_.line_q_2_q ;
    (* hierconn *) wire [57:0] \dut.queue_.line_q_3_q ;
    (* hierconn *) wire [3:0] \dut.queue_.older_q_0_q ;
    (* hierconn *) wire [3:0] \dut.queue_.older_q_1_q ;
    (* hierconn *) wire [3:0] \dut.queue_.older_q_2_q ;
    (* hierconn *) wire [3:0] \dut.queue_.older_q_3_q ;
    wire [3:0] waiters = \dut.queue_.valid_q_q ;
    wire [3:0] fetching = \dut.queue_.fetch_q_q | \dut.queue_.flying_q_q | \dut.queue_.filled_q_q ;
    wire [3:0] due = \dut.queue_.ready_q_q | fetching;
    wire [3:0] in_s1 = {3'd0, goes_on} << entry;
    wire [3:0] fetch_or_fill = fetching | {3'd0, fills} << entry;
    wire [231:0] lines = {\dut.queue_.line_q_3_q , \dut.queue_.line_q_2_q , \dut.queue_.line_q_1_q , \dut.queue_.line_q_0_q };
    wire [15:0] older = {\dut.queue_.older_q_3_q , \dut.queue_.older_q_2_q , \dut.queue_.older_q_1_q , \dut.queue_.older_q_0_q };

    // The requests, and whether the registers of a place say the same of them.
    wire [146:0] requests [0:3];
    wire [3:0] as_told;
    genvar r;
    generate
        for (r = 0; r < 4; r = r + 1) begin : request_of
            memory_watch #(.MEMID("\\dut.queue_.requests.storage"), .ABITS(2), .WIDTH(147)) watch (
                .CLK(1'b0), .EN(1'b1), .ADDR(r[1:0]), .DATA(requests[r])
            );
            assign as_told[r] = lines[58 * r +: 58] == requests[r][82:25] & requests[r][3:0] < 9 & (requests[r][3:0] != 3 | requests[r][5])
                & (requests[r][3:0] == 7) == \dut.queue_.invalidate_q_q [r]
                & (requests[r][3:0] == 7 | requests[r][3:0] == 8) == \dut.queue_.maintenance_q_q [r];
        end
    endgenerate

    // The oldest place, if there is one.
    reg some;
    reg [1:0] oldest;
    reg in_order;
    integer a;
    integer b;
    integer c;
    always @* begin
        some = 1'b0;
        oldest = 2'd0;
        in_order = 1'b1;
        for (a = 0; a < 4; a = a + 1) begin
            if (waiters[a] & older[4 * a +: 4] == 0) begin
                some = 1'b1;
                oldest = a;
            end
            for (b = 0; b < 4; b = b + 1) begin
                if (older[4 * a + b] & (!waiters[b] | a == b)) in_order = 1'b0;
                if (waiters[a] & waiters[b] & a != b & !(older[4 * a + b] ^ older[4 * b + a])) in_order = 1'b0;
                for (c = 0; c < 4; c = c + 1) if (waiters[a] & older[4 * a + b] & older[4 * b + c] & !older[4 * a + c]) in_order = 1'b0;
            end
        end
    end

    reg started = 1'b0;
    always @(posedge clk) started <= 1'b1;

    always @* begin
        if (!started) assume_reset: assume (rst);
        if (started) begin
            aux_one_access: assert (active <= 1);
            aux_room: assert (!\dut.s1_new_q_q || waiters != 4'b1111);
            aux_one_state: assert ((\dut.queue_.ready_q_q & fetching) == 0
                && (\dut.queue_.fetch_q_q & (\dut.queue_.flying_q_q | \dut.queue_.filled_q_q )) == 0
                && (\dut.queue_.flying_q_q & \dut.queue_.filled_q_q ) == 0);
            aux_due: assert ((due & ~waiters) == 0 && (!goes_on || (waiters[entry] && !due[entry])));
            aux_in_order: assert (in_order);
            aux_asked: assert (!answers || \dut.s1_set_q_q == asked[25]);
            aux_goes_on: assert (!goes_on || (asked[82:25] == requests[entry][82:25] && asked[10:0] == requests[entry][10:0]));
        end
    end
    every aux_as_told [3:0] (.when(started), .holds(~waiters | as_told));
