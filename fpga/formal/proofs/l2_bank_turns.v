// L2Bank, with two ways and two sets: who waits k-th in the queue is answered in k times what the oldest may take.
//
// What the oldest may take is proved in l2_bank_progress; here it is any number, `turn`. An INVALIDATE is promised no
// time, nor is who came while one waited.
module l2_bank_turns_properties (
`include "l2_bank_ports.vh"

`include "l2_bank_queue.vh"

    // Cycles that the oldest may take from being the oldest; any place; how many waited when it came, with it.
    (* anyconst *) wire [9:0] turn;
    (* anyconst *) wire [1:0] waiter;
    reg [2:0] number;
    reg promised;
    reg [12:0] waited;
    reg [10:0] spent;
    wire [3:0] in_front = older[4 * waiter +: 4];
    wire [2:0] rank = in_front[0] + in_front[1] + in_front[2] + in_front[3];
    wire waits = waiters[waiter] & promised;
    wire invalidates = asked[3:0] == 7;
    wire [12:0] turn_time = turn + 13'd1;
    wire [12:0] turns_gone = times(number - rank - 3'd1);

    function [12:0] times(input [2:0] count);
        times = (count[0] ? turn_time : 0) + (count[1] ? turn_time << 1 : 0) + (count[2] ? turn_time << 2 : 0);
    endfunction

    always @(posedge clk) begin
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
        // Memory answers what the queue has given out to be fetched.
        assume_answers: assume (!r_valid || \dut.queue_.flying_q_q [r_id]);
        // The oldest leaves in time: prop_oldest_served of l2_bank_progress.
        assume_oldest_served: assume (!some || \dut.queue_.invalidate_q_q [oldest] || spent <= turn);
        if (started) begin
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
