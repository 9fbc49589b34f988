// L2Bank, with two ways and two sets: what a read gives is what was written last, for any bit of any line; and who
// waits for a line is passed by as many read-modify-writes of it as waited before, not more.
//
// `shadow` is that bit as the accesses leave it, one after the other in s2; what an access makes of its line is worked
// out from what came in at the pins (access_effect). Memory is a model at the pins (line_memory): a fetch gets what
// acknowledged writes have made of the line. While the line is fetched no write of it is under way
// (prop_fetched_alone), so it does not matter when memory looks.
module l2_bank_data_properties (
`include "l2_bank_ports.vh"

    // A bit of the line, and a place of an answer: any.
    (* anyconst *) wire [5:0] bit_;
    (* anyconst *) wire [2:0] answer;
    (* anyseq *) wire fresh;

`include "l2_bank_queue.vh"
`include "l2_bank_tags.vh"
`include "l2_bank_line.vh"
`include "l2_bank_memory.vh"
`include "l2_bank_data.vh"
`include "l2_bank_script.vh"

    wire arrives = \dut.s1_new_q_q | \dut.s1_rmw_write_q_q ;
    wire is_dirty = |(kept & {dirty[{1'b1, set}], dirty[{1'b0, set}]});

    // What came in at the pins: it is in s1 (`came`), waits, or acts in s2.
    reg [218:0] came;
    reg [218:0] waits [0:3];
    reg [218:0] acts;
    wire [218:0] looks = goes_on ? waits[entry] : came;
    wire acts_on = acts[82:25] == line;

    // The queue: places of the line, those whose fetch has begun or is to begin, and those whose line has come.
    wire [3:0] filling = {3'd0, fills} << entry;
    wire [3:0] fetched = \dut.queue_.filled_q_q | filling;
    wire [3:0] has_line = (\dut.queue_.filled_q_q & ~\dut.queue_.error_q_q | (\dut.s1_error_q_q ? 4'd0 : filling)) & on_line;
    wire [3:0] fill_bit;

    // The writes, a bit for each slot of the buffer.
    wire [3:0] memory_asked_line;
    wire [3:0] to_line;
    wire [3:0] written;
    wire [3:0] written_bit;
    wire [3:0] pending;
    wire memory;
    line_memory model (
        .clk(clk), .rst(rst), .fresh(fresh), .line(line), .bit_(bit_),
        .ar(ar_valid & ar_ready), .ar_id(ar_id), .ar_addr(ar_addr), .r(r_valid), .r_id(r_id),
        .aw(aw_valid & aw_ready), .aw_addr(aw_addr), .w(w_valid & w_ready), .w_data(w_data), .w_strb(w_strb), .b(b_valid),
        .asked(memory_asked), .asked_line(memory_asked_line),
        .addresses(addresses), .words(words), .acknowledged(acknowledged),
        .to_line(to_line), .written(written), .written_bit(written_bit), .pending(pending), .value(memory)
    );
    wire [1:0] first = acknowledged[1:0];
    wire [7:0] slots_of_addresses = ((8'd1 << address_count) - 8'd1) << first;
    wire [7:0] slots_of_words = ((8'd1 << word_count) - 8'd1) << first;
    wire [7:0] slots_pushed = ((8'd1 << pushed) - 8'd1) << first;
    wire [3:0] has_address = slots_of_addresses[3:0] | slots_of_addresses[7:4];
    wire [3:0] has_word = slots_of_words[3:0] | slots_of_words[7:4];
    wire [3:0] is_pushed = slots_pushed[3:0] | slots_pushed[7:4];
    wire [231:0] slot_lines = {\dut.writes.line_q_3_q , \dut.writes.line_q_2_q , \dut.writes.line_q_1_q , \dut.writes.line_q_0_q };
    wire [3:0] slot_on;
    wire [3:0] address_on;
    wire [3:0] push_byte;
    wire [3:0] push_bit;
    wire [3:0] own_writes = \dut.writes.busy_q_q & slot_on;
    wire push_on = \dut.s2_push_line_q_q == line;
    wire [3:0] push_slot = {3'd0, \dut.s2_push_q_q } << \dut.writes.data.tail_q_q [1:0];

    genvar q;
    generate
        for (q = 0; q < 4; q = q + 1) begin : compare
            assign slot_on[q] = slot_lines[58 * q +: 58] == line;
            assign address_on[q] = push_addresses[q] == line;
            assign push_byte[q] = push_bytes[q][bit_[5:3]];
            assign push_bit[q] = push_words[q][bit_];
            assign fill_bit[q] = fill_words[q][bit_];
        end
    endgenerate

    // Lines of the fetches that the block has begun.
    wire [1:0] fetch_on = {fetch_lines[1] == line, fetch_lines[0] == line};

    // Answers: what they must be, in any place.
    reg [19:0] expected [0:7];
    wire [2:0] answer_place = answer - \dut.responses.head_q_q [2:0];
    wire [19:0] answer_expected = expected[answer];
    wire is_answer = response_valid & answer == \dut.responses.head_q_q [2:0];
    wire answer_reads = answer_expected[19] & answer_expected[18:17] == 0;

    // A bit for each place and slot: bit 4 * place + slot.
    wire [3:0] to_fetch = \dut.queue_.fetch_q_q & on_line;
    wire [3:0] to_fly = (\dut.queue_.flying_q_q | fetched) & on_line;
    wire [15:0] of_fetch = {{4{to_fetch[3]}}, {4{to_fetch[2]}}, {4{to_fetch[1]}}, {4{to_fetch[0]}}};
    wire [15:0] of_flying = {{4{to_fly[3]}}, {4{to_fly[2]}}, {4{to_fly[1]}}, {4{to_fly[0]}}};

    // Statements about all places, and pairs of them.
    reg requests_kept;
    reg operands_kept;
    reg replayed;
    reg [1:0] slot;
    integer i;

    always @* begin
        requests_kept = 1'b1;
        operands_kept = 1'b1;
        for (i = 0; i < 4; i = i + 1) begin
            if (waiters[i] & requests[i] != waits[i][146:0]) requests_kept = 1'b0;
            if (waiters[i] & {strobes[i], operands[i]} != waits[i][218:147]) operands_kept = 1'b0;
        end
        // The writes that are pushed, done on memory in their order.
        replayed = memory;
        for (i = 0; i < 4; i = i + 1) begin
            slot = first + i;
            if (is_pushed[slot] & slot_on[slot] & push_byte[slot]) replayed = push_bit[slot];
        end
    end

    // The bit as the accesses leave it (`shadow`), and as the writes that were begun will leave it in memory (`will`).
    reg shadow;
    reg will;
    wire [63:0] must_be;
    access_effect effect (
        .request(acts[146:0]), .strobe(acts[218:211]), .operand(acts[210:147]), .old(\dut.data_old ), .line(must_be)
    );
    wire served = \dut.s2_respond_q_q & \dut.s2_response_q_q [17:16] == 0;
    wire reads = acts[3:0] != 7 & acts[3:0] != 8;
    wire acts_here = served & reads & acts_on;
    wire shadow_d = acts_here ? must_be[bit_] : shadow;
    wire will_d = \dut.s2_push_q_q & push_on & \dut.writes.push_strobe [bit_[5:3]] ? \dut.writes.push_data [bit_] : will;
    wire [1:0] writes_way = {2{\dut.s2_write_q_q & \dut.s2_place_q_q [0] == set}} & (2'b01 << \dut.s2_place_q_q [1]);
    wire [1:0] kept_bit = {writes_way[1] ? \dut.updater_line [bit_] : kept_words[1][bit_],
        writes_way[0] ? \dut.updater_line [bit_] : kept_words[0][bit_]};

    // What the comparisons of the next cycle will give.
    reg [3:0] slots_on;
    wire reserve_on = \dut.rules_write_through ? asked_on : in_set & (\dut.way & kept) != 0;

    // Any place that waits for the line (an INVALIDATE holds nobody up, and is not promised a turn): how many
    // read-modify-writes may come before it.
    (* anyconst *) wire [1:0] waiter;
    reg [2:0] turns;
    wire waits_here = waiters[waiter] & on_line[waiter] & !\dut.queue_.invalidate_q_q [waiter];
    wire [3:0] in_front = older[4 * waiter +: 4] & on_line;
    wire [2:0] rank = in_front[0] + in_front[1] + in_front[2] + in_front[3];
    wire [3:0] came_before = waiters & \dut.queue_.same_line ;
    wire passed = waits_here & asked_on & \dut.rules_take_rmw & !(goes_on & entry == waiter);

    always @(posedge clk) begin
        came <= {request_strobe, request_data, request};
        if (rmw_write_valid & rmw_write_ready) came <= {rmw_write_strobe, rmw_write_data, rmw_write};
        if (\dut.rules_insert ) waits[\dut.queue__free_index ] <= looks;
        acts <= looks;
        slots_on <= slot_on;
        if (\dut.pushes ) slots_on[\dut.writes.tail_q_q ] <= reserve_on;
        shadow <= shadow_d;
        will <= will_d;
        if (passed) turns <= turns - 1;
        if (\dut.rules_insert & \dut.queue__free_index == waiter) turns <= came_before[0] + came_before[1] + came_before[2] + came_before[3];
        if (\dut.s2_respond_q_q ) expected[\dut.responses.tail_q_q [2:0]] <= {reads & acts_on, \dut.s2_response_q_q [17:14], acts[18:5], shadow};
        if (rst) begin
            shadow <= fresh;
            will <= fresh;
        end
    end

    // For each slot of the writes, and each place of the queue.
    every aux_slots_on [3:0] (.when(started), .holds(~\dut.writes.busy_q_q | (slots_on ~^ slot_on)));
    every aux_meets [3:0] (.when(lookup_on), .holds(\dut.writes_meets ~^ (own_writes & ~\dut.writes_done_slots )));
    every aux_meets_none [3:0] (.when(lookup_off), .holds(~(\dut.writes_meets & own_writes)));
    every aux_fetch_line [3:0] (.when(started), .holds(~\dut.queue_.fetch_hot | on_line ~^ {4{\dut.queue__fetch_line == line}}));
    every aux_fetch_0 [3:0] (.when(started & is_fetch[0]), .holds(~(4'd1 << fetch_ids[0])
        | (\dut.queue_.flying_q_q & ~memory_asked & (on_line ~^ {4{fetch_on[0]}}))));
    every aux_fetch_1 [3:0] (.when(started & is_fetch[1]), .holds(~(4'd1 << fetch_ids[1])
        | (\dut.queue_.flying_q_q & ~memory_asked & (on_line ~^ {4{fetch_on[1]}}))));
    every aux_asked_line [3:0] (.when(started), .holds(~memory_asked | (memory_asked_line ~^ on_line)));
    every aux_slot_line [3:0] (.when(started), .holds(~is_pushed | (slot_on ~^ address_on)));
    every aux_push_line [3:0] (.when(started), .holds(~push_slot | (slot_on ~^ {4{push_on}})));
    every aux_to_line [3:0] (.when(started), .holds(~has_address | (slot_on ~^ to_line)));
    every aux_words [3:0] (.when(started), .holds(~has_word | (written ~^ push_byte) & (written_bit ~^ push_bit)));
    every aux_awaited [15:0] (.when(started), .holds(~of_fetch | ~{4{own_writes}} | awaited));
    every aux_no_writes [15:0] (.when(started), .holds(~of_flying | ~{4{own_writes}}));
    every aux_pending [3:0] (.when(started), .holds(~pending | own_writes));

    always @* begin
        // Memory gives what was written, acknowledges what it was given, and refuses no write.
        assume_data: assume (!(r_valid && memory_asked_line[r_id] && !r_resp[1]) || r_data[bit_] == memory);
        assume_acknowledges: assume (!b_valid || (address_count != 0 && word_count != 0 && !b_resp[1]));
`ifdef SCRIPT
        script_memory: assume (locked_ways_limit == 0 && response_ready && ar_ready && r_valid == (memory_asked != 0));
`endif
        if (started) begin
            // Requests are what came in.
            aux_requests: assert (requests_kept);
            aux_operands: assert (operands_kept);
            aux_looks: assert (!answers || asked == looks[146:0]);
            aux_arrives: assert (!arrives || {\dut.s1_strobe_q_q , \dut.s1_data_q_q } == came[218:147]);
            aux_argument: assert (!\dut.s2_respond_q_q || {\dut.data_argument_strobe , \dut.data_argument } == acts[218:147]);
            prop_written_as_asked: assert (!(served && reads) || \dut.updater_line == must_be);
            // Where the line is.
            aux_shown: assert (!\dut.rules_write_back || (\dut.tags_shown_line == line) == (in_set && (\dut.way & kept) != 0));
            // Waiters: each lock of the line that is taken meanwhile is that of an older waiter, who has left then.
            prop_passed_by_older: assert (!passed || (goes_on && in_front[entry] && \dut.rules_leave ));
            aux_rank: assert (!waits_here || rank <= turns);
            prop_kth_waiter: assert (!passed || turns != 0);
            // Writes and fetches under way.
            aux_ar: assert (!ar_valid || (ar_addr == {line, 6'd0}) == fetch_on[\dut.fetch_ids.head_q_q [0]]);
            aux_aw: assert (!aw_valid || (aw_addr == {line, 6'd0}) == address_on[addresses[1:0]]);
            aux_will: assert (replayed == will);
            aux_asked_flies: assert ((memory_asked & ~\dut.queue_.flying_q_q ) == 0);
            prop_fetched_alone: assert ((memory_asked & memory_asked_line) == 0
                || (kept == 0 && pending == 0 && !(aw_valid && aw_addr == {line, 6'd0})));
            // The data.
            aux_acts: assert (!\dut.s2_respond_q_q
                || (\dut.s2_request_q_q == acts[146:0] && \dut.s2_response_q_q [13:0] == acts[18:5]));
            aux_acts_here: assert ((!(\dut.s2_write_q_q | \dut.s2_through_q_q ) || served)
                && (!\dut.s2_through_q_q || (\dut.s2_push_q_q && push_on == acts_on))
                && (!writes_way[0] || kept[0] == acts_on) && (!writes_way[1] || kept[1] == acts_on)
                && (!(\dut.s2_write_q_q & acts_on) || writes_way != 0));
            aux_read: assert (!acts_here || \dut.data_old [bit_] == shadow);
            aux_push: assert (!(\dut.s2_push_q_q && push_on && !\dut.s2_through_q_q ) || \dut.data_line [bit_] == shadow_d);
            aux_kept: assert ((kept & (kept_bit ^ {2{shadow_d}})) == 0);
            aux_memory: assert (is_dirty || will_d == shadow_d);
            aux_fill: assert ((has_line & (fill_bit ^ {4{shadow_d}})) == 0);
            aux_answers_paired: assert (\dut.responses.tail_q_q == \dut.response_lines.tail_q_q
                && \dut.responses.head_q_q == \dut.response_lines.head_q_q );
            aux_answer: assert (answer_place >= answered || (answer_response == answer_expected[18:1]
                && (!answer_reads || answer_line[bit_] == answer_expected[0])));
            prop_read_gives_last_write: assert (!(is_answer && answer_reads) || response_data[bit_] == answer_expected[0]);
            prop_answer_names_request: assert (!is_answer || response[13:0] == answer_expected[14:1]);

            cover_reset: cover (w_valid);
            cover_answers: cover (r_valid && !memory_asked_line[r_id]);
            cover_data: cover (r_valid && memory_asked_line[r_id] && memory);
            cover_acknowledges: cover (b_valid && to_line[first] && written[first]);
        end
    end
endmodule
