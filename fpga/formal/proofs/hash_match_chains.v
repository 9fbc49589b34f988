// HashMatch: with a key either match entries or headers wait (H1); each leaves once, to its own key (H2); of a key, who
// came first leaves first, and nobody waits beside a partner (H3); as many slots are in use as keys have something that
// waits (H5).
//
// What waits is counted by what the block reports: for any key two naive queues, for any number whether it waits. The
// invariant follows the chains: `busy` are the numbers that wait, by {number, headers} as links have them; `place` is
// the slot of a number and `rank` how many of its chain are before it. Slots are as the next request finds them: in
// memory, or on their way there.
module hash_match_chains_properties (
`include "hash_match_ports.vh"

    // A key, and a match entry or header: any.
    (* anyconst *) wire [95:0] key;
    (* anyconst *) wire [2:0] it;

`include "hash_match_slots.vh"

    // Whether at most one is set; how many; which.
    function at_most_one(input [8:0] hot);
        at_most_one = (hot & (hot - 9'd1)) == 0;
    endfunction
    function [13:0] number_of(input [8:0] hot);
        integer j;
        begin
            number_of = 0;
            for (j = 0; j < 9; j = j + 1) number_of = number_of + hot[j];
        end
    endfunction
    function [3:0] index(input [8:0] hot);
        index = {hot[8], |hot[7:4], |(hot & 9'h0cc), |(hot & 9'h0aa)};
    endfunction

    // What is reported.
    wire arrives = op == 1;
    wire waits = tells && outcome == 1;
    wire matches = tells && outcome == 0;
    wire [2:0] came = {number[1:0], arrives};
    wire [2:0] goes = {partner[1:0], !arrives};
    wire of_key = asked_key == key;
    wire [5:0] counts;
    wire [15:0] queues;
    naive_queue #(.WIDTH(2), .DEPTH(4), .COUNT(3)) entries (
        .clk(clk), .rst(rst), .push(waits && of_key && !arrives), .write(number[1:0]), .pop(matches && of_key && arrives),
        .filled(counts[2:0]), .words(queues[7:0])
    );
    naive_queue #(.WIDTH(2), .DEPTH(4), .COUNT(3)) headers (
        .clk(clk), .rst(rst), .push(waits && of_key && arrives), .write(number[1:0]), .pop(matches && of_key && !arrives),
        .filled(counts[5:3]), .words(queues[15:8])
    );
    wire [2:0] partners = arrives ? counts[2:0] : counts[5:3];
    wire [1:0] oldest = arrives ? queues[1:0] : queues[9:8];

    wire [3:0] changed = index(changes);
    wire [3:0] its_slot = index(has);
    reg started = 1'b0;
    reg [7:0] busy;
    reg [31:0] place;
    reg [15:0] rank;
    reg was_of_key;
    reg was_cleared = 1'b0;
    reg [8:0] had;
    reg it_waits;
    reg it_has_key;
    reg it_went;
    integer i;

    always @(posedge clk) begin
        started <= 1'b1;
        was_of_key <= of_key;
        was_cleared <= started && cleared && !rst;
        had <= has;
        if (waits) begin
            busy[came] <= 1'b1;
            place[4*came +: 4] <= changed;
            rank[2*came +: 2] <= used[changed] ? rank[2*tails[3*changed +: 3] +: 2] + 2'd1 : 2'd0;
            if (came == it) begin
                it_waits <= 1'b1;
                it_has_key <= of_key;
            end
        end
        if (matches) begin
            busy[goes] <= 1'b0;
            for (i = 0; i < 8; i = i + 1) if (place[4*i +: 4] == changed) rank[2*i +: 2] <= rank[2*i +: 2] - 2'd1;
            if (goes == it) begin
                it_waits <= 1'b0;
                it_went <= 1'b1;
            end
        end
        if (rst) begin
            busy <= 8'd0;
            it_waits <= 1'b0;
            it_went <= 1'b0;
        end
    end

    // The buckets of the key, and of what is in the pipeline.
    wire [1:0] buckets_of_key;
    wire [1:0] buckets_1;
    wire [1:0] buckets_2;
    key_hash hash (.key(key), .first(buckets_of_key[0]), .second(buckets_of_key[1]));
    key_hash hash_1 (.key(\dut.request_1_q_q [109:14]), .first(buckets_1[0]), .second(buckets_1[1]));
    key_hash hash_2 (.key(asked_key), .first(buckets_2[0]), .second(buckets_2[1]));
    wire [8:0] others;
    wire [8:0] others_wanted;
    generate
        for (n = 0; n < 9; n = n + 1) begin : pairs
            localparam [8:0] own = 9'd1 << n;
            assign others[n] = (has & ~own) != 0;
            assign others_wanted[n] = (wanted & ~own) != 0;
        end
    endgenerate
    wire [8:0] may_have = {1'b1, {2{buckets_of_key[1]}}, {2{!buckets_of_key[1]}}, {2{buckets_of_key[0]}}, {2{!buckets_of_key[0]}}};
    wire [8:0] may_be_wanted = {1'b1, {2{buckets_2[1]}}, {2{!buckets_2[1]}}, {2{buckets_2[0]}}, {2{!buckets_2[0]}}};

    // Of each slot in use, of each number that waits, of each in the queues of the key: what must hold.
    wire [8:0] head_holds;
    wire [8:0] tail_holds;
    wire [8:0] second_holds;
    wire [8:0] kind_holds;
    wire [8:0] count_holds;
    wire [7:0] place_holds;
    wire [7:0] first_holds;
    wire [7:0] next_holds;
    wire [7:0] last_holds;
    wire [7:0] link_holds;
    wire [7:0] in_queue;
    wire [7:0] queue_holds;
    generate
        for (n = 0; n < 9; n = n + 1) begin : slot_invariant
            localparam [3:0] own = n;
            wire [2:0] head = heads[3*n +: 3];
            wire [2:0] second = seconds[3*n +: 3];
            wire [2:0] tail = tails[3*n +: 3];
            assign head_holds[n] = small_ends[n] && busy[head] && place[4*head +: 4] == own && rank[2*head +: 2] == 0;
            assign tail_holds[n] = busy[tail] && place[4*tail +: 4] == own;
            assign second_holds[n] = small_second[n] && busy[second] && place[4*second +: 4] == own && rank[2*second +: 2] == 1;
        end
        // Those of a slot that has the key: what its queues hold.
        for (n = 0; n < 9; n = n + 1) begin : key_invariant
            wire [2:0] tail = tails[3*n +: 3];
            assign kind_holds[n] = kinds[n] ? counts[2:0] == 0 && counts[5:3] != 0 : counts[5:3] == 0 && counts[2:0] != 0;
            assign count_holds[n] = {1'b0, rank[2*tail +: 2]} + 3'd1 == (kinds[n] ? counts[5:3] : counts[2:0]);
        end
        for (n = 0; n < 8; n = n + 1) begin : number_invariant
            localparam [2:0] own = n;
            wire [3:0] slot = place[4*n +: 4];
            wire [1:0] before = rank[2*n +: 2];
            wire [2:0] tail = tails[3*slot +: 3];
            wire [2:0] next = {links[12*n +: 2], own[0]};
            wire [2:0] queued = {queues[2*(n/2) + 8*(n%2) +: 2], own[0]};
            assign place_holds[n] = slot <= 8 && used[slot] && kinds[slot] == own[0];
            assign first_holds[n] = before != 0 || heads[3*slot +: 3] == own;
            assign next_holds[n] = before != 1 || seconds[3*slot +: 3] == own;
            assign last_holds[n] = own == tail || before < rank[2*tail +: 2];
            assign link_holds[n] = own == tail || before == 0
                || (links[12*n+2 +: 10] == 0 && busy[next] && place[4*next +: 4] == slot && rank[2*next +: 2] == before + 2'd1);
            assign in_queue[n] = n / 2 < counts[3*(n%2) +: 3];
            assign queue_holds[n] = busy[queued] && place[4*queued +: 4] == its_slot && rank[2*queued +: 2] == n / 2;
        end
    endgenerate

    // The story of a mutant: requests one after the other, the first lowest: {key 4, number 2, operation 2}. 8'h0f is
    // none.
`ifdef SCRIPT
    reg [63:0] script = `SCRIPT ;
    wire [7:0] item = script[7:0];
    always @(posedge clk) if (!rst && request_valid && request_ready) script <= {8'h0f, script[63:8]};
    always @* script_requests: assume (
        (!started || !rst) && result_ready && request_valid == (item != 8'h0f)
            && request == {60'd0, item[7:4], 32'd0, 10'd0, item[3:0]});
`endif

    // After reset the buckets are cleared one by one, before the first request.
    wire clearing_holds = cleared
        || (clear_index <= 1 && !there_1 && !there_2 && !there_3 && coming == 0 && keys == 0 && !stored[134*8]
            && (clear_index == 0 || {stored[0], stored[134], stored[134*4], stored[134*5]} == 0));

    wire buckets_hold = (!there_1 || {\dut.second_1_q_q , \dut.first_1_q_q } == buckets_1)
        && (!there_2 || {second_2, first_2} == buckets_2);

    always @* begin
        if (!started) assume_reset: assume (rst);
        assume_plain: assume (plain);
        if (started) begin
            // A number is not used again before it was matched, and has 2 bits.
            assume_numbers: assume (!tells || (number[11:2] == 0 && !busy[came]));

            lemma_plain: assert (plain_inside);
            lemma_clearing: assert (clearing_holds);
            lemma_buckets: assert (buckets_hold);
            // What was read is what is stored.
            lemma_buckets_read: assert (!there_2 || buckets_read == {second_2, second_2, first_2, first_2});
            lemma_first_0: assert (!there_2 || read[134*0 +: 134] == (first_2 ? stored[134*2 +: 134] : stored[134*0 +: 134]));
            lemma_first_1: assert (!there_2 || read[134*1 +: 134] == (first_2 ? stored[134*3 +: 134] : stored[134*1 +: 134]));
            lemma_second_0: assert (!there_2 || read[134*2 +: 134] == (second_2 ? stored[134*6 +: 134] : stored[134*4 +: 134]));
            lemma_second_1: assert (!there_2 || read[134*3 +: 134] == (second_2 ? stored[134*7 +: 134] : stored[134*5 +: 134]));
`ifdef LEMMAS
            use_plain: assume (plain_inside);
            use_clearing: assume (clearing_holds);
            use_buckets: assume (buckets_hold);
            use_buckets_read: assume (!there_2 || buckets_read == {second_2, second_2, first_2, first_2});
            use_first_0: assume (!there_2 || read[134*0 +: 134] == (first_2 ? stored[134*2 +: 134] : stored[134*0 +: 134]));
            use_first_1: assume (!there_2 || read[134*1 +: 134] == (first_2 ? stored[134*3 +: 134] : stored[134*1 +: 134]));
            use_second_0: assume (!there_2 || read[134*2 +: 134] == (second_2 ? stored[134*6 +: 134] : stored[134*4 +: 134]));
            use_second_1: assume (!there_2 || read[134*3 +: 134] == (second_2 ? stored[134*7 +: 134] : stored[134*5 +: 134]));
            use_hits: assume (!there_2 || !cleared || hits == (wanted & looked_at));
            use_wanted: assume (!there_2 || (has & wanted) == (of_key ? has | wanted : 9'd0));
            use_coming: assume (coming == 0 || (\dut.written [97:2] == key) == was_of_key);
            use_kept: assume (!was_cleared || ((has ^ had) & ~coming) == 0);
            // Of the key, and of that of the request.
            use_one_slot: assume (
                !cleared || ((has & (others | ~may_have)) == 0 && (wanted & (others_wanted | ~may_be_wanted)) == 0));
`endif

            cover_plain: cover (matches);
            cover_reset: cover (it_went && !rst);
            // A header that was matched is used again.
            cover_numbers: cover (waits && came == it && it_went);
        end
    end

    every lemma_hits [8:0] (.when({9{started && there_2 && cleared}}), .holds(hits ~^ (wanted & looked_at)));
    every lemma_wanted [8:0] (.when({9{started && there_2}}), .holds((has & wanted) ~^ (of_key ? has | wanted : 9'd0)));
    always @* if (started) lemma_coming: assert (coming == 0 || (\dut.written [97:2] == key) == was_of_key);
    every lemma_kept [8:0] (.when({9{was_cleared}} & ~coming), .holds(has ~^ had));
    every lemma_one_slot [8:0] (.when({9{started && cleared}} & has), .holds(~others & may_have));

    wire [8:0] used_now = used & {9{cleared && started}};
    wire [7:0] busy_now = busy & {8{started}};
    every aux_head [8:0] (.when(used_now), .holds(head_holds));
    every aux_tail [8:0] (.when(used_now), .holds(tail_holds));
    every aux_second [8:0] (.when(used_now & ~single), .holds(second_holds));
    every aux_place [7:0] (.when(busy_now), .holds(place_holds));
    every aux_first [7:0] (.when(busy_now), .holds(first_holds));
    every aux_next [7:0] (.when(busy_now), .holds(next_holds));
    every aux_last [7:0] (.when(busy_now), .holds(last_holds));
    every aux_link [7:0] (.when(busy_now), .holds(link_holds));

    always @* begin
        if (started) begin
            aux_coming: assert (at_most_one(coming));
            // A request changes the slot of the key exactly if it has the key.
            aux_its_slot: assert (has == 0 || !(waits || matches) || (changed == its_slot) == of_key);
        end
    end
    every aux_comes [8:0] (.when({9{was_cleared && was_of_key}} & coming), .holds({9{\dut.written [0]}} ~^ has));
    every aux_had_only [8:0] (.when({9{was_cleared && was_of_key && coming != 0}}), .holds(~had | coming));
    every aux_has_comes [8:0] (
        .when({9{was_cleared && was_of_key && coming != 0}}), .holds(has ~^ (\dut.written [0] ? coming : 9'd0))
    );
    always @* begin
        if (started) begin
            aux_its_slot_stays: assert (!was_cleared || (coming != 0 && was_of_key) || has == had);
            aux_nothing_yet: assert (cleared || (busy == 0 && counts == 0));
            aux_it: assert (it_waits == busy[it] && (!it_waits || it_has_key == (place[4*it +: 4] == its_slot && has != 0)));
            aux_slot_of_key: assert (!cleared || (has != 0) == (counts != 0));
        end
    end
    every aux_kind [8:0] (.when(has & {9{started && cleared}}), .holds(kind_holds));
    every aux_count [8:0] (.when(has & {9{started && cleared}}), .holds(count_holds));
    every aux_queue [7:0] (.when(in_queue & {8{started}}), .holds(queue_holds));
    always @* begin
        if (started) begin
            prop_one_kind: assert (counts[2:0] == 0 || counts[5:3] == 0);
            prop_leaves_once: assert (!matches || goes != it || (it_waits && it_has_key == of_key));
            prop_oldest_first: assert (
                !(tells && of_key) || outcome == 3
                    || ((outcome == 0) == (partners != 0) && (outcome != 0 || partner == {10'd0, oldest})));
            prop_slot_if_waits: assert (!cleared || ((has & others) == 0 && (has != 0) == (counts != 0)));
            prop_slots_counted: assert (!cleared || keys == number_of(used));
        end
    end
endmodule
