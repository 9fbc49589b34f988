// L2Bank, with two ways and two sets: how long who waits can wait, if memory and who takes the answers are prompt.
//
// The oldest place of the queue is looked at, with its line; what holds for the oldest holds for the k-th after at most
// k - 1 others have left (l2_bank_turns). No promise is made to INVALIDATE, nor to who came after one that still waits.
//
// While somebody else has the lock that the oldest needs, the age of the lock bounds its wait: the watchdog ends it.
// While nobody has, no other can take it, and `left`, the cycles that it will need at most, gets less in every cycle.
// So `spent`, since it is the oldest, is bounded.
module l2_bank_progress_properties (
`include "l2_bank_ports.vh"

    // The time that memory takes at most, and the watchdog's limit, any.
    (* anyconst *) wire [2:0] speed;
    (* anyconst *) wire [4:0] limit;
    wire [10:0] prompt = speed + 4'd1;

`include "l2_bank_queue.vh"
`include "l2_bank_tags.vh"
`include "l2_bank_locks.vh"
`include "l2_bank_line.vh"
`include "l2_bank_memory.vh"
`include "l2_bank_progress.vh"
`include "l2_bank_script.vh"

    // The queue: a bit for each place.
    wire [3:0] sleeps = waiters & ~due & ~in_s1;
    wire [23:0] whose = {\dut.queue_.who_q_3_q , \dut.queue_.who_q_2_q , \dut.queue_.who_q_1_q , \dut.queue_.who_q_0_q };
    wire [3:0] sets = {\dut.queue_.set_q_3_q , \dut.queue_.set_q_2_q , \dut.queue_.set_q_1_q , \dut.queue_.set_q_0_q };
    wire [15:0] ahead = {\dut.queue_.ahead_q_3_q , \dut.queue_.ahead_q_2_q , \dut.queue_.ahead_q_1_q , \dut.queue_.ahead_q_0_q };
    wire [3:0] blocked_places = {ahead[15:12] != 0, ahead[11:8] != 0, ahead[7:4] != 0, ahead[3:0] != 0};

    // Locks, by place {way, set}; their ages.
    wire [3:0] locked = rmw | store;
    wire [1:0] rmw_here = {rmw[{1'b1, set}], rmw[{1'b0, set}]};
    wire [4:0] owner = kept[1] ? owners[{1'b1, set}] : owners[{1'b0, set}];
    wire line_locked = (kept & rmw_here) != 0;
    wire [3:0] foreign;
    wire [3:0] expired;
    wire [3:0] overdue;
    wire [3:0] late;
    wire [23:0] ages;
    // The age of the RMW lock of the set, there is only one.
    wire [5:0] age = rmw_here[1] ? ages[6 * {1'b1, set} +: 6] : ages[6 * {1'b0, set} +: 6];
    wire sweep = \dut.locks.sweep_q_q ;
    wire [1:0] expired_there = {expired[{1'b1, sweep}], expired[{1'b0, sweep}]};
    wire drops = \dut.s1_drop_q_q & expired_there != 0;
    // Cycles that the sweep has stayed at its set, and what was dropped there meanwhile.
    reg [2:0] visit;
    reg [1:0] dropped;

    // Memory.
    wire [3:0] ar_waits;
    wire [15:0] fetch_ages;
    wire owes;
    wire [3:0] owes_for;
    prompt_memory memory (
        .clk(clk), .rst(rst), .ar_valid(ar_valid), .ar_ready(ar_ready), .ar_id(ar_id), .r(r_valid), .r_id(r_id),
        .aw_valid(aw_valid), .aw_ready(aw_ready), .w_valid(w_valid), .w_ready(w_ready), .b(b_valid),
        .asked(memory_asked), .ar_waits(ar_waits), .age(fetch_ages),
        .addresses(addresses), .words(words), .acknowledged(acknowledged), .owes(owes), .owes_for(owes_for)
    );
    wire [3:0] given = ({3'd0, is_fetch[0]} << fetch_ids[0]) | ({3'd0, is_fetch[1]} << fetch_ids[1]);

    genvar q;
    generate
        for (q = 0; q < 4; q = q + 1) begin : each
            assign foreign[q] = line_locked & !(whose[6 * q + 5] & owner == whose[6 * q +: 5]);
            assign ages[6 * q +: 6] = \dut.locks.now_q_q - stamps[q];
            assign expired[q] = locked[q] & ages[6 * q +: 6] >= limit;
            assign overdue[q] = expired[q] & ages[6 * q +: 6] - limit > (sweep == q % 2 ? visit + 6'd5 : {3'd0, visit});
            assign late[q] = locked[q] & ages[6 * q +: 6] > limit + 6'd8;
        end
    endgenerate

    reg requests_kept;
    reg waits_for;
    reg memory_prompt;
    reg lock_ages;
    reg lock_time_kept;
    reg in_time;
    reg awaited_kept;
    reg one_way;
    integer i;
    always @* begin
        requests_kept = 1'b1;
        waits_for = 1'b1;
        memory_prompt = 1'b1;
        lock_ages = 1'b1;
        lock_time_kept = 1'b1;
        in_time = 1'b1;
        awaited_kept = 1'b1;
        one_way = (valid[0] & valid[2] & tags[0] == tags[2] | valid[1] & valid[3] & tags[1] == tags[3]) == 0;
        for (i = 0; i < 4; i = i + 1) begin
            if (waiters[i] & (lines[58 * i] != sets[i] | {requests[i][5], requests[i][10:6]} != whose[6 * i +: 6]
                | (requests[i][3:0] != 3 & \dut.queue_.claim_q_q [i]))) requests_kept = 1'b0;
            if (memory_asked[i] & fetch_ages[4 * i +: 4] > prompt) memory_prompt = 1'b0;
            if (locked[i] & (stamps[i] != sweep_stamps[i] | ages[6 * i +: 6] == 0)) lock_ages = 1'b0;
            if (late[i]) lock_time_kept = 1'b0;
            if (memory_asked[i] & fetch_ages[4 * i +: 4] == prompt & !(r_valid & r_id == i)) in_time = 1'b0;
            if (\dut.queue_.fetch_q_q [i] & (awaited[4 * i +: 4] & ~\dut.writes.busy_q_q ) != 0) awaited_kept = 1'b0;
            // It waits for a lock of its line, or for one of the set; or after one that does.
            if (sleeps[i] & on_line[i] & !\dut.queue_.invalidate_q_q [i] & !foreign[i]
                & !(\dut.queue_.claim_q_q [i] & (rmw_here != 0 | (\dut.queue_.claim_q_q & older[4 * i +: 4] & ~(sets ^ {4{set}})) != 0))) waits_for = 1'b0;
        end
    end
    wire promised = some & on_line[oldest] & !\dut.queue_.invalidate_q_q [oldest];
    wire writes_back = \dut.queue_.maintenance_q_q [oldest];
    wire wants_lock = requests[oldest][3:0] == 3;
    wire claims = \dut.queue_.claim_q_q [oldest];
    wire leaves = \dut.rules_leave & entry == oldest;

    // How many cycles the oldest needs at most, from the last of its states to the first, while no lock is in its way.
    // First the write buffer: cycles to the next acknowledgement, acknowledgements that are needed for room for two;
    // and turns that locks can take, by being dropped.
    wire [10:0] next_ack = owes ? prompt - owes_for + 1 : prompt + 2;
    wire [10:0] ack_time = prompt + 2;
    wire [3:0] used_slots = reserved + (fills | (looked_up & maintains));
    wire [4:0] locks = locked[0] + locked[1] + locked[2] + locked[3];
    // It may take a lock, or be fetched.
    wire may_lock = looked_up & !maintains | fills;
    wire [4:0] turns = locks - drops + may_lock;
    wire rmw_turn = !\dut.s1_rmw_write_q_q ;
    wire [10:0] to_fill = used_slots <= 2 ? 2 + 2 * turns + rmw_turn : 13 + next_ack + (used_slots == 3 ? 0 : ack_time);
    wire [10:0] fill_most = prompt + prompt + 17;
    wire [10:0] to_come = fill_most + prompt - fetch_ages[4 * oldest +: 4] + 1;
    wire [10:0] come_most = fill_most + prompt + 1;
    wire [10:0] ar_next = prompt - ar_waits + 1;
    wire [10:0] to_fly = come_most + ar_next + (fetch_ids[\dut.fetch_ids.head_q_q [0]] == oldest ? 0 : prompt + 1);
    wire [10:0] fly_most = come_most + prompt + 1 + prompt + 1;
    wire [3:0] writes = awaited[4 * oldest +: 4];
    wire [7:0] writes_twice = {writes, writes} >> acknowledged[1:0];
    wire [10:0] to_fetch = writes == 0 ? fly_most + 1 + (fetch_count == 2 ? ar_next : 0) : fly_most + prompt + 2 + next_ack
        + (writes_twice[3] ? ack_time + ack_time + ack_time : writes_twice[2] ? ack_time + ack_time : writes_twice[1] ? ack_time : 0);
    wire [10:0] fetch_most = fly_most + prompt + 2 + ack_time + ack_time + ack_time + ack_time;
    wire [3:0] others = fetching & ~(4'd1 << oldest);
    wire [2:0] fills_to_come = others[0] + others[1] + others[2] + others[3];
    // Maintenance of others goes before an access that is ready: each is tried now, or again when a lock has ended or
    // been taken, or another has left.
    wire [3:0] tended = \dut.queue_.maintenance_q_q & waiters & ~(4'd1 << oldest);
    wire [3:0] tried = tended & \dut.queue_.ready_q_q & ~blocked_places;
    wire [2:0] tended_count = tended[0] + tended[1] + tended[2] + tended[3] + (\dut.s1_new_q_q & maintains);
    wire [5:0] events = locks + {fills_to_come, 1'b0} + {may_lock, 1'b0} + tended_count - 1;
    wire [6:0] tries = tried[0] + tried[1] + tried[2] + tried[3] + tended_count * events;
    wire [7:0] all_turns = turns + {fills_to_come, 1'b0} + (may_lock & !fills) + tries;
    wire [10:0] left = in_s1[oldest] ? (fills | writes_back ? 1 : fetch_most + 1)
        : writes_back | \dut.queue_.filled_q_q [oldest] ? to_fill
        : memory_asked[oldest] ? to_come
        : \dut.queue_.flying_q_q [oldest] ? to_fly
        : \dut.queue_.fetch_q_q [oldest] ? to_fetch
        : fetch_most + 2 + {all_turns, 1'b0} + rmw_turn;
    wire [10:0] longest = writes_back ? fill_most : fetch_most + 53;
    wire [10:0] lock_time = limit + 9;

    // Somebody else has locked its line; no lock is in its way; it waits for another lock of the set.
    wire blocked = foreign[oldest];
    wire full = !blocked & claims & rmw_here != 0;
    wire free = !blocked & !full;
    wire [5:0] state = {in_s1[oldest], \dut.queue_.filled_q_q [oldest], memory_asked[oldest], \dut.queue_.flying_q_q [oldest] & !memory_asked[oldest],
        \dut.queue_.fetch_q_q [oldest], \dut.queue_.ready_q_q [oldest]};
    reg [10:0] spent;
    reg was_free;
    reg was_unclaimed;
    reg [5:0] was_state;
    reg [10:0] was_left;
    wire less = free ? left < was_left : full & was_unclaimed;

    always @(posedge clk) begin
        visit <= \dut.locks_expired ? visit + 1 : 0;
        dropped <= \dut.locks_expired ? dropped | {2{drops}} & (expired_there[0] ? 2'b01 : 2'b10) : 0;
        spent <= some & !leaves ? spent + 1 : 0;
        was_free <= promised & !leaves & free & !rst;
        was_unclaimed <= !claims;
        was_state <= state;
        was_left <= left;
        if (rst) begin
            visit <= 0;
            dropped <= 0;
            spent <= 0;
        end
    end

    every aux_ahead [15:0] (.when(started), .holds(~ahead | older));

    always @* begin
        assume_watchdog: assume (watchdog_limit == limit && limit >= 4);
        // Answers are taken at once.
        assume_taken: assume (response_ready);
        // Memory takes an address, and answers a fetch, in time; it acknowledges writes in time, one after the other.
        assume_address: assume (!(ar_valid && ar_waits == prompt) || ar_ready);
        assume_in_time: assume (in_time);
        assume_acknowledges: assume (!b_valid || (addresses != acknowledged && words != acknowledged));
        assume_written: assume (!(owes && owes_for == prompt) || b_valid);
`ifdef SCRIPT
        script_prompt: assume (limit == 4 && speed == 0 && locked_ways_limit == 1);
`endif
        given_one_way: assume (!started || one_way);
        if (started) begin
            // The queue.
            aux_claims: assert ((\dut.queue_.claim_q_q & ~waiters) == 0);
            aux_requests: assert (requests_kept);
            aux_no_maintenance: assert ((fetching & \dut.queue_.maintenance_q_q ) == 0);
            // Locks.
            aux_locks: assert (swept == locked && (locked & ~valid) == 0 && (rmw[0] & rmw[2]) == 0 && (rmw[1] & rmw[3]) == 0);
            aux_lock_ages: assert (lock_ages);
            aux_visit: assert (visit <= 4 && visit[0] == \dut.s1_drop_q_q && (!\dut.s1_drop_q_q || \dut.s1_set_q_q == sweep)
                && (visit[2] ? dropped == 3 : visit[1] ? dropped == 1 || dropped == 2 : dropped == 0));
            aux_dropped: assert ((!(dropped[0] & locked[{1'b0, sweep}]) || ages[6 * {1'b0, sweep} +: 6] <= visit - 2)
                && (!(dropped[1] & locked[{1'b1, sweep}]) || ages[6 * {1'b1, sweep} +: 6] <= visit - 2));
        end
    end
    every aux_overdue [3:0] (.when(started), .holds(~overdue));
    always @* begin
        if (started) begin
            prop_lock_ends_in_time: assert (lock_time_kept);
            prop_waits_for_lock: assert (waits_for);
            // Memory, and room for answers.
            aux_memory: assert (memory_prompt && (!ar_valid || ar_waits <= prompt) && (!owes || owes_for <= prompt) && pushed <= 4);
            aux_slots: assert (!(fills || (looked_up && maintains)) || used_slots <= 4);
            aux_given: assert ((given | memory_asked) == \dut.queue_.flying_q_q && (given & memory_asked) == 0);
            aux_answers_taken: assert (answered <= 1);
            // The oldest.
            aux_awaited: assert (awaited_kept);
            aux_longest: assert (!(promised && free) || left <= longest);
        end
    end
    every aux_less [5:0] (.when(started & was_free), .holds(~was_state | {6{less}}));
    always @* begin
        if (started) begin
            prop_goes_on: assert (!was_free || less);
            prop_in_time: assert (!promised || (blocked ? spent <= age : full ? spent <= lock_time + longest + age
                : spent + left <= (claims ? 2 : 1) * (lock_time + longest)));
            prop_oldest_served: assert (!promised || spent <= (wants_lock ? 2 : 1) * (lock_time + longest));

            cover_reset: cover (response_valid);
            cover_watchdog: cover (\dut.s1_drop_q_q );
            cover_taken: cover (response_valid && answered == 1);
            cover_address: cover (ar_valid && ar_ready && ar_waits == prompt);
            cover_answers: cover (r_valid);
            cover_in_time: cover (r_valid && fetch_ages[4 * r_id +: 4] == prompt);
            cover_acknowledges: cover (b_valid);
            cover_written: cover (b_valid && owes_for == prompt);
        end
    end
endmodule
