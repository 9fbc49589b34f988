// L2Bank, with two ways and two sets: how long who waits can wait, if memory and who takes the answers are prompt.
//
// The oldest place of the queue is looked at, with its line; what holds for the oldest holds for the k-th after at most k - 1 others have left
// (l2_bank_turns). No promise is made to INVALIDATE, nor to who came behind one that still waits.
//
// While somebody else has the lock that the oldest needs, the age of the lock bounds its wait: the watchdog ends it. While nobody has, no other
// can take it, and `left`, the cycles that it will need at most, gets less in every cycle. So `spent`, since it is the oldest, is bounded.
module l2_bank_progress_properties (
`include "l2_bank_ports.vh"

    // The line, any; the time that memory takes at most.
    (* anyconst *) wire [57:0] line;
    (* anyconst *) wire [2:0] speed;
    (* anyconst *) wire [4:0] limit;
    wire set = line[0];
    wire [10:0] prompt = speed + 4'd1;

`include "l2_bank_progress.vh"

    wire fills = \dut.s1_fill_q_q ;
    wire looked_up = \dut.s1_new_q_q | \dut.s1_replay_q_q ;
    wire goes_on = \dut.s1_replay_q_q | fills;
    wire answers = goes_on | \dut.s1_new_q_q | \dut.s1_rmw_write_q_q ;
    wire [2:0] active = \dut.s1_new_q_q + \dut.s1_replay_q_q + fills + \dut.s1_rmw_write_q_q + \dut.s1_drop_q_q ;
    wire [146:0] asked = \dut.s1_request_q_q ;
    wire [1:0] entry = \dut.s1_entry_q_q ;
    wire asked_on = asked[82:25] == line;
    wire maintains = asked[3:0] == 7 | asked[3:0] == 8;
    wire [3:0] answered = \dut.responses.tail_q_q - \dut.responses.head_q_q ;

    // The queue: a bit for each place; `older[4 * i + j]`: place j was taken before place i.
    wire [3:0] waiters = \dut.queue_.valid_q_q ;
    wire [3:0] fetching = \dut.queue_.fetch_q_q | \dut.queue_.flying_q_q | \dut.queue_.filled_q_q ;
    wire [3:0] due = \dut.queue_.ready_q_q | fetching;
    wire [3:0] in_s1 = {3'd0, goes_on} << entry;
    wire [3:0] sleeps = waiters & ~due & ~in_s1;
    wire [231:0] lines = {\dut.queue_.line_q_3_q , \dut.queue_.line_q_2_q , \dut.queue_.line_q_1_q , \dut.queue_.line_q_0_q };
    wire [23:0] whose = {\dut.queue_.who_q_3_q , \dut.queue_.who_q_2_q , \dut.queue_.who_q_1_q , \dut.queue_.who_q_0_q };
    wire [3:0] sets = {\dut.queue_.set_q_3_q , \dut.queue_.set_q_2_q , \dut.queue_.set_q_1_q , \dut.queue_.set_q_0_q };
    wire [15:0] older = {\dut.queue_.older_q_3_q , \dut.queue_.older_q_2_q , \dut.queue_.older_q_1_q , \dut.queue_.older_q_0_q };
    wire [15:0] ahead = {\dut.queue_.ahead_q_3_q , \dut.queue_.ahead_q_2_q , \dut.queue_.ahead_q_1_q , \dut.queue_.ahead_q_0_q };
    wire [15:0] awaited = {\dut.queue_.writes_q_3_q , \dut.queue_.writes_q_2_q , \dut.queue_.writes_q_1_q , \dut.queue_.writes_q_0_q };
    wire [3:0] blocked_places = {ahead[15:12] != 0, ahead[11:8] != 0, ahead[7:4] != 0, ahead[3:0] != 0};
    wire [3:0] on_line;
    wire [3:0] same;
    wire [3:0] fetch_s1 = (fetching | {3'd0, fills} << entry) & on_line;

    // The line in the tags; locks, by place {way, set}; their ages.
    wire [3:0] holds;
    wire [1:0] kept = {holds[{1'b1, set}], holds[{1'b0, set}]};
    wire [3:0] valid = {\dut.tags.valid_q_1_q , \dut.tags.valid_q_0_q };
    wire [3:0] rmw = {\dut.locks.rmw_q_1_q , \dut.locks.rmw_q_0_q };
    wire [3:0] store = {\dut.locks.store_q_1_q , \dut.locks.store_q_0_q };
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
    wire [3:0] memory_asked;
    wire [3:0] ar_waits;
    wire [15:0] fetch_ages;
    wire [2:0] addresses;
    wire [2:0] words;
    wire [2:0] acknowledged;
    wire owes;
    wire [3:0] owes_for;
    prompt_memory memory (
        .clk(clk), .rst(rst), .ar_valid(ar_valid), .ar_ready(ar_ready), .ar_id(ar_id), .r(r_valid), .r_id(r_id),
        .aw_valid(aw_valid), .aw_ready(aw_ready), .w_valid(w_valid), .w_ready(w_ready), .b(b_valid),
        .asked(memory_asked), .ar_waits(ar_waits), .age(fetch_ages),
        .addresses(addresses), .words(words), .acknowledged(acknowledged), .owes(owes), .owes_for(owes_for)
    );
    wire [2:0] pushed = \dut.writes.data.tail_q_q - acknowledged;
    wire [3:0] reserved = pushed + \dut.s2_push_q_q ;
    wire [7:0] slots_reserved = ((8'd1 << reserved) - 8'd1) << acknowledged[1:0];
    wire [1:0] fetch_count = \dut.fetch_ids.tail_q_q - \dut.fetch_ids.head_q_q ;
    wire [1:0] is_fetch = fetch_count == 2 ? 2'b11 : {1'b0, fetch_count[0]} << \dut.fetch_ids.head_q_q [0];
    wire [3:0] given = ({3'd0, is_fetch[0]} << fetch_ids[0]) | ({3'd0, is_fetch[1]} << fetch_ids[1]);

    genvar p;
    generate
        for (p = 0; p < 4; p = p + 1) begin : each
            assign holds[p] = valid[p] & tags[p] == line;
            assign on_line[p] = lines[58 * p +: 58] == line;
            assign same[p] = lines[58 * p +: 58] == requests[p][82:25];
            assign foreign[p] = line_locked & !(whose[6 * p + 5] & owner == whose[6 * p +: 5]);
            assign ages[6 * p +: 6] = \dut.locks.now_q_q - stamps[p];
            assign expired[p] = locked[p] & ages[6 * p +: 6] >= limit;
            assign overdue[p] = expired[p] & ages[6 * p +: 6] - limit > (sweep == p % 2 ? visit + 6'd5 : {3'd0, visit});
            assign late[p] = locked[p] & ages[6 * p +: 6] > limit + 6'd8;
        end
    endgenerate

    // The oldest place.
    reg some;
    reg [1:0] oldest;
    reg in_order;
    reg requests_kept;
    reg fetched_last;
    reg waits_for;
    reg memory_prompt;
    reg lock_ages;
    reg lock_time_kept;
    reg in_time;
    reg awaited_kept;
    reg one_way;
    integer i;
    integer j;
    integer k;
    always @* begin
        some = 1'b0;
        oldest = 2'd0;
        in_order = 1'b1;
        requests_kept = 1'b1;
        fetched_last = 1'b1;
        waits_for = 1'b1;
        memory_prompt = 1'b1;
        lock_ages = 1'b1;
        lock_time_kept = 1'b1;
        in_time = 1'b1;
        awaited_kept = 1'b1;
        one_way = (valid[0] & valid[2] & tags[0] == tags[2] | valid[1] & valid[3] & tags[1] == tags[3]) == 0;
        for (i = 0; i < 4; i = i + 1) begin
            if (waiters[i] & older[4 * i +: 4] == 0) begin
                some = 1'b1;
                oldest = i;
            end
            if (waiters[i] & (lines[58 * i] != sets[i] | requests[i][25] != sets[i] | requests[i][3:0] > 8
                | {requests[i][5], requests[i][10:6]} != whose[6 * i +: 6] | (requests[i][3:0] == 3 & !requests[i][5])
                | (requests[i][3:0] == 7) != \dut.queue_.invalidate_q_q [i] | (requests[i][3:0] != 3 & \dut.queue_.claim_q_q [i])
                | (requests[i][3:0] == 7 | requests[i][3:0] == 8) != \dut.queue_.maintenance_q_q [i])) requests_kept = 1'b0;
            if (memory_asked[i] & fetch_ages[4 * i +: 4] > prompt) memory_prompt = 1'b0;
            if (locked[i] & (stamps[i] != sweep_stamps[i] | ages[6 * i +: 6] == 0)) lock_ages = 1'b0;
            if (late[i]) lock_time_kept = 1'b0;
            if (memory_asked[i] & fetch_ages[4 * i +: 4] == prompt & !(r_valid & r_id == i)) in_time = 1'b0;
            if (\dut.queue_.fetch_q_q [i] & (awaited[4 * i +: 4] & ~\dut.writes.busy_q_q ) != 0) awaited_kept = 1'b0;
            // It waits for a lock of its line, or for one of the set; or behind one that does.
            if (sleeps[i] & on_line[i] & !\dut.queue_.invalidate_q_q [i] & !foreign[i]
                & !(\dut.queue_.claim_q_q [i] & (rmw_here != 0 | (\dut.queue_.claim_q_q & older[4 * i +: 4] & ~(sets ^ {4{set}})) != 0))) waits_for = 1'b0;
            for (j = 0; j < 4; j = j + 1) begin
                if (older[4 * i + j] & (!waiters[j] | i == j)) in_order = 1'b0;
                if (waiters[i] & waiters[j] & i != j & !(older[4 * i + j] ^ older[4 * j + i])) in_order = 1'b0;
                for (k = 0; k < 4; k = k + 1) if (waiters[i] & older[4 * i + j] & older[4 * j + k] & !older[4 * i + k]) in_order = 1'b0;
                if (waiters[i] & fetch_s1[i] & waiters[j] & on_line[j] & older[4 * i + j] & !\dut.queue_.invalidate_q_q [j]) fetched_last = 1'b0;
            end
        end
    end
    wire promised = some & on_line[oldest] & !\dut.queue_.invalidate_q_q [oldest];
    wire writes_back = \dut.queue_.maintenance_q_q [oldest];
    wire wants_lock = requests[oldest][3:0] == 3;
    wire claims = \dut.queue_.claim_q_q [oldest];
    wire leaves = \dut.rules_leave & entry == oldest;

    // How many cycles the oldest needs at most, from the last of its states to the first, while no lock is in its way. First the write buffer:
    // cycles to the next acknowledgement, acknowledgements that are needed for room for two; and turns that locks can take, by being dropped.
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
    // Maintenance of others goes before an access that is ready: each is tried now, or again when a lock has ended or been taken, or another has left.
    wire [3:0] tended = \dut.queue_.maintenance_q_q & waiters & ~(4'd1 << oldest);
    wire [3:0] tried = tended & \dut.queue_.ready_q_q & ~blocked_places;
    wire [2:0] tended_count = tended[0] + tended[1] + tended[2] + tended[3] + (\dut.s1_new_q_q & maintains);
    wire [5:0] events = locks + {fills_to_come, 1'b0} + {may_lock, 1'b0} + tended_count - 1;
    wire [6:0] tries = tried[0] + tried[1] + tried[2] + tried[3] + tended_count * events;
    wire [7:0] all_turns = turns + {fills_to_come, 1'b0} + (may_lock & !fills) + tries;
    wire [10:0] left = in_s1[oldest] ? (fills | writes_back ? 1 : fetch_most + 1)
        : writes_back ? to_fill
        : \dut.queue_.filled_q_q [oldest] ? to_fill
        : memory_asked[oldest] ? to_come
        : \dut.queue_.flying_q_q [oldest] ? to_fly
        : \dut.queue_.fetch_q_q [oldest] ? to_fetch
        : fetch_most + 2 + {all_turns, 1'b0} + rmw_turn;
    wire [10:0] longest = fetch_most + 53;
    wire [10:0] lock_time = limit + 9;

    // Somebody else has locked its line; no lock is in its way; it waits for another lock of the set.
    wire blocked = foreign[oldest];
    wire full = !blocked & claims & rmw_here != 0;
    wire free = !blocked & !full;
    wire [5:0] state = {in_s1[oldest], \dut.queue_.filled_q_q [oldest], memory_asked[oldest], \dut.queue_.flying_q_q [oldest] & !memory_asked[oldest],
        \dut.queue_.fetch_q_q [oldest], \dut.queue_.ready_q_q [oldest]};
    reg [10:0] spent;
    reg was_free;
    reg [3:0] places_on;
    reg was_unclaimed;
    reg [5:0] was_state;
    reg [10:0] was_left;
    wire less = free ? left < was_left : full & was_unclaimed;
    reg started = 1'b0;

    always @(posedge clk) begin
        started <= 1'b1;
        visit <= \dut.locks_expired ? visit + 1 : 0;
        dropped <= \dut.locks_expired ? dropped | {2{drops}} & (expired_there[0] ? 2'b01 : 2'b10) : 0;
        places_on <= on_line;
        if (\dut.rules_insert ) places_on[\dut.queue__free_index ] <= asked_on;
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

`ifdef SCRIPT
    // Requests one after the other, the first lowest: operation, and above it the line. 8'h0e: when nothing waits any more;
    // 8'h1e: when the watchdog drops a lock; 8'h0f: the end.
    reg [63:0] script = `SCRIPT ;
    wire [7:0] item = script[7:0];
    wire quiet = waiters == 0 & active == 0 & !\dut.s2_respond_q_q ;
    always @(posedge clk) if (!rst & (request_valid & request_ready | item == 8'h0e & quiet | item == 8'h1e & \dut.take_drop )) script <= {8'h0f, script[63:8]};
`endif

    wire lookup_on = started & answers & asked_on;
    wire lookup_off = started & answers & !asked_on;
    every aux_hits [1:0] (.when(lookup_on), .holds(\dut.tags_hit_ways ~^ kept));
    every aux_no_hits [1:0] (.when(lookup_off & \dut.s1_set_q_q == set), .holds(~(\dut.tags_hit_ways & kept)));
    every aux_same_line [3:0] (.when(lookup_on), .holds(\dut.queue_.same_line ~^ on_line));
    every aux_other_line [3:0] (.when(lookup_off), .holds(~(\dut.queue_.same_line & on_line)));
    every aux_places_on [3:0] (.when(started), .holds(~waiters | (places_on ~^ on_line)));
    every aux_request_line [3:0] (.when(started), .holds(~waiters | same));
    every aux_not_kept_0 [3:0] (.when(started & kept[0]), .holds(~fetch_s1));
    every aux_not_kept_1 [3:0] (.when(started & kept[1]), .holds(~fetch_s1));
    every aux_ahead [15:0] (.when(started), .holds(~ahead | older));

    always @* begin
        if (!started) assume_reset: assume (rst);
        assume_watchdog: assume (watchdog_limit == limit && limit >= 4);
        // Answers are taken at once.
        assume_taken: assume (response_ready);
        // Memory takes an address, and answers a fetch, in time; it acknowledges writes in time, one after the other.
        assume_address: assume (!(ar_valid && ar_waits == prompt) || ar_ready);
        assume_answers: assume (!r_valid || memory_asked[r_id]);
        assume_in_time: assume (in_time);
        assume_acknowledges: assume (!b_valid || (addresses != acknowledged && words != acknowledged));
        assume_written: assume (!(owes && owes_for == prompt) || b_valid);
`ifdef SCRIPT
        script_requests: assume (request_valid == (item[3:0] < 14) && request[82:19] == {54'd0, item[7:4], 6'd0} && request[5:0] == {item[3:0] == 3, 1'b0, item[3:0]} && line == 0);
        script_quiet: assume ((!started || !rst) && !rmw_write_valid && rmw_write == 0 && limit == 4 && speed == 0 && locked_ways_limit == 1
            && aw_ready && w_ready && r_resp == 0);
`endif
        given_one_way: assume (!started || one_way);
        if (started) begin
            // The queue.
            aux_one_access: assert (active <= 1);
            aux_room: assert (!\dut.s1_new_q_q || waiters != 4'b1111);
            aux_one_state: assert ((\dut.queue_.ready_q_q & fetching) == 0
                && (\dut.queue_.fetch_q_q & (\dut.queue_.flying_q_q | \dut.queue_.filled_q_q )) == 0
                && (\dut.queue_.flying_q_q & \dut.queue_.filled_q_q ) == 0);
            aux_due: assert ((due & ~waiters) == 0 && (\dut.queue_.claim_q_q & ~waiters) == 0 && (!goes_on || (waiters[entry] && !due[entry])));
            aux_in_order: assert (in_order);
            aux_requests: assert (requests_kept);
            aux_asked: assert (!answers || \dut.s1_set_q_q == asked[25]);
            aux_goes_on: assert (!goes_on || (asked[82:25] == requests[entry][82:25] && asked[10:0] == requests[entry][10:0]
                && asked_on == on_line[entry]));
            // Where the line is.
            aux_tags: assert (!holds[{1'b0, !set}] && !holds[{1'b1, !set}]);
            aux_one_way: assert (kept != 2'b11);
            aux_fetched_last: assert (fetched_last && (fetch_s1 & \dut.queue_.invalidate_q_q ) == 0 && (fetching & \dut.queue_.maintenance_q_q ) == 0);
            aux_one_fetch: assert ((fetch_s1 & (fetch_s1 - 4'd1)) == 0);
            // Locks.
            aux_one_lock: assert ((rmw & store) == 0 && (locked & ~valid) == 0 && (rmw[0] & rmw[2]) == 0 && (rmw[1] & rmw[3]) == 0);
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
            aux_memory: assert (memory_prompt && (!ar_valid || ar_waits <= prompt) && (!owes || owes_for <= prompt)
                && pushed <= 4);
            aux_write_pointers: assert (\dut.writes.addresses.tail_q_q == \dut.writes.data.tail_q_q
                && \dut.writes.data.head_q_q == words && \dut.writes.addresses.head_q_q == addresses
                && \dut.writes.head_q_q == acknowledged[1:0] && reserved <= 4
                && addresses - acknowledged <= pushed && words - acknowledged <= pushed
                && \dut.writes.tail_q_q == \dut.writes.data.tail_q_q [1:0] + \dut.s2_push_q_q
                && \dut.writes.busy_q_q == (slots_reserved[3:0] | slots_reserved[7:4]));
            aux_write_room: assert (!(fills || (looked_up && maintains)) || used_slots <= 4 && !\dut.writes.busy_q_q [\dut.writes.tail_q_q ]);
            aux_fetches: assert (\dut.fetch_ids.tail_q_q == \dut.fetch_lines.tail_q_q && \dut.fetch_ids.head_q_q == \dut.fetch_lines.head_q_q
                && fetch_count <= 2 && (is_fetch != 2'b11 || fetch_ids[0] != fetch_ids[1]));
            aux_given: assert ((given | memory_asked) == \dut.queue_.flying_q_q && (given & memory_asked) == 0);
            aux_answers: assert (\dut.used_q_q == answers + \dut.s2_respond_q_q + answered && answered <= 1);
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
