// L2Bank, with two ways and two sets: who waits k-th in the queue is answered in k times what the oldest may take.
//
// What the oldest may take is proved in l2_bank_progress; here it is any number, `turn`. An INVALIDATE is promised no time, nor
// is who came while one waited.
module l2_bank_turns_properties (
`include "l2_bank_ports.vh"

    (* hierconn *) wire \dut.s1_new_q_q ;
    (* hierconn *) wire \dut.s1_replay_q_q ;
    (* hierconn *) wire \dut.s1_fill_q_q ;
    (* hierconn *) wire \dut.s1_rmw_write_q_q ;
    (* hierconn *) wire \dut.s1_drop_q_q ;
    (* hierconn *) wire [1:0] \dut.s1_entry_q_q ;
    (* hierconn *) wire [146:0] \dut.s1_request_q_q ;
    (* hierconn *) wire \dut.rules_insert ;
    (* hierconn *) wire \dut.rules_leave ;
    (* hierconn *) wire [3:0] \dut.queue_.valid_q_q ;
    (* hierconn *) wire [3:0] \dut.queue_.ready_q_q ;
    (* hierconn *) wire [3:0] \dut.queue_.fetch_q_q ;
    (* hierconn *) wire [3:0] \dut.queue_.flying_q_q ;
    (* hierconn *) wire [3:0] \dut.queue_.filled_q_q ;
    (* hierconn *) wire [3:0] \dut.queue_.invalidate_q_q ;
    (* hierconn *) wire [1:0] \dut.queue__free_index ;
    (* hierconn *) wire [3:0] \dut.queue_.older_q_0_q ;
    (* hierconn *) wire [3:0] \dut.queue_.older_q_1_q ;
    (* hierconn *) wire [3:0] \dut.queue_.older_q_2_q ;
    (* hierconn *) wire [3:0] \dut.queue_.older_q_3_q ;
    wire [15:0] older = {\dut.queue_.older_q_3_q , \dut.queue_.older_q_2_q , \dut.queue_.older_q_1_q , \dut.queue_.older_q_0_q };
    wire [3:0] waiters = \dut.queue_.valid_q_q ;
    wire [3:0] due = \dut.queue_.ready_q_q | \dut.queue_.fetch_q_q | \dut.queue_.flying_q_q | \dut.queue_.filled_q_q ;
    wire goes_on = \dut.s1_replay_q_q | \dut.s1_fill_q_q ;
    wire [2:0] active = goes_on + \dut.s1_new_q_q + \dut.s1_rmw_write_q_q + \dut.s1_drop_q_q ;
    wire [1:0] entry = \dut.s1_entry_q_q ;

    // Cycles that the oldest may take from being the oldest; any place; how many waited when it came, with it.
    (* anyconst *) wire [9:0] turn;
    (* anyconst *) wire [1:0] waiter;
    reg [2:0] number;
    reg promised;
    reg [12:0] waited;
    reg [10:0] spent;
    reg started = 1'b0;
    wire [3:0] in_front = older[4 * waiter +: 4];
    wire [2:0] rank = in_front[0] + in_front[1] + in_front[2] + in_front[3];
    wire waits = waiters[waiter] & promised;
    wire invalidates = \dut.s1_request_q_q [3:0] == 7;
    wire [12:0] turn_time = turn + 13'd1;
    wire [12:0] turns_gone = times(number - rank - 3'd1);

    function [12:0] times(input [2:0] count);
        times = (count[0] ? turn_time : 0) + (count[1] ? turn_time << 1 : 0) + (count[2] ? turn_time << 2 : 0);
    endfunction

    reg some;
    reg [1:0] oldest;
    reg in_order;
    integer i;
    integer j;
    integer k;
    always @* begin
        some = 1'b0;
        oldest = 2'd0;
        in_order = 1'b1;
        for (i = 0; i < 4; i = i + 1) begin
            if (waiters[i] & older[4 * i +: 4] == 0) begin
                some = 1'b1;
                oldest = i;
            end
            for (j = 0; j < 4; j = j + 1) begin
                // `older[4 * i + j]`: place j was taken before place i.
                if (older[4 * i + j] & (!waiters[j] | i == j)) in_order = 1'b0;
                if (waiters[i] & waiters[j] & i != j & !(older[4 * i + j] ^ older[4 * j + i])) in_order = 1'b0;
                for (k = 0; k < 4; k = k + 1) if (waiters[i] & older[4 * i + j] & older[4 * j + k] & !older[4 * i + k]) in_order = 1'b0;
            end
        end
    end

    always @(posedge clk) begin
        started <= 1'b1;
        spent <= some & !(\dut.rules_leave & entry == oldest) ? spent + 1 : 0;
        waited <= waited + 1;
        if (\dut.rules_insert & \dut.queue__free_index == waiter) begin
            waited <= 0;
            number <= 3'd1 + waiters[0] + waiters[1] + waiters[2] + waiters[3];
            promised <= !invalidates & (waiters & \dut.queue_.invalidate_q_q ) == 0;
        end
        if (rst) spent <= 0;
    end

    always @* begin
        if (!started) assume_reset: assume (rst);
        // Memory answers what the queue has given out to be fetched.
        assume_answers: assume (!r_valid || \dut.queue_.flying_q_q [r_id]);
        // The oldest leaves in time: prop_oldest_served of l2_bank_progress.
        assume_oldest_served: assume (!some || \dut.queue_.invalidate_q_q [oldest] || spent <= turn);
        if (started) begin
            aux_one_access: assert (active <= 1 && !(\dut.s1_replay_q_q & \dut.s1_fill_q_q ));
            aux_room: assert (!\dut.s1_new_q_q || waiters != 4'b1111);
            aux_one_state: assert (
                (\dut.queue_.ready_q_q & (\dut.queue_.fetch_q_q | \dut.queue_.flying_q_q | \dut.queue_.filled_q_q )) == 0
                && (\dut.queue_.fetch_q_q & (\dut.queue_.flying_q_q | \dut.queue_.filled_q_q )) == 0
                && (\dut.queue_.flying_q_q & \dut.queue_.filled_q_q ) == 0);
            aux_due: assert ((due & ~waiters) == 0 && (!goes_on || (waiters[entry] && !due[entry])));
            aux_in_order: assert (in_order);
            aux_rank: assert (!waiters[waiter] || (number <= 4 && rank < number
                && (!promised || ((in_front | (4'd1 << waiter)) & \dut.queue_.invalidate_q_q ) == 0)));
            aux_turns: assert (!waits || waited <= turns_gone + spent);
            prop_kth_served: assert (!waits || waited <= times(number));

            cover_reset: cover (response_valid);
            cover_answers: cover (r_valid);
            cover_oldest_served: cover (waits && rank == 1 && spent == 4 && turn == 4);
        end
    end
endmodule
