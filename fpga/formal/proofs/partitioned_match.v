// PartitionedMatch with any four units in the places of its match units: each request goes to the unit of its sender's
// part, and that unit's answer to it leaves in the order of the requests (P1, P2); none is lost or answered twice (P4).
// A receive goes to the unit of its sender, and a command that is refused reaches no unit and changes no place of an
// entry (P3).
//
// Of the units only this is taken: an answer is to a request, and a final response to a command that the unit took.
// When they come, what they say and what the units accept is free, and so is how long the block clears its memories
// after reset.
module partitioned_match_properties (
`include "partitioned_match_ports.vh"

    wire [2:0] state = \dut.commands.state_q_q ;
    localparam [2:0] OPEN = 0, DRAIN = 1, CHECK = 3, ASK = 4, UNDO = 5, REFUSE = 6, DONE = 7;
    wire hold = \dut.commands.hold_q_q ;
    wire [3:0] units = \dut.commands.units_q_q ;
    wire clearing = \dut.commands.clear_clearing ;
    wire moves = \dut.commands.places.moves_q_q ;
    wire moves_headers = \dut.commands.places.keep_q_q || \dut.commands.places.drop_q_q ;
    wire responds = \dut.commands.responses_write_valid && \dut.commands.responses_write_ready ;
    wire [319:0] spare_result = \dut.results.spare_q_q ;
    wire spare = \dut.results.spare_valid_q_q ;
    wire [1:0] held = {1'b0, result_valid} + {1'b0, spare};
    wire [3:0] head = \dut.order.head_q_q [3:0];
    wire [3:0] tail = \dut.order.tail_q_q [3:0];
    wire [4:0] used = \dut.order.tail_q_q - \dut.order.head_q_q ;

    // Pairs of bits of a node, added without carry.
    function [1:0] part_of(input [15:0] node);
        part_of = node[15:14] ^ node[13:12] ^ node[11:10] ^ node[9:8] ^ node[7:6] ^ node[5:4] ^ node[3:2] ^ node[1:0];
    endfunction
    function [4:0] number_of(input [15:0] bits);
        reg [15:0] pairs, fours, eights;
        begin
            pairs = (bits & 16'h5555) + (bits >> 1 & 16'h5555);
            fours = (pairs & 16'h3333) + (pairs >> 2 & 16'h3333);
            eights = (fours & 16'h0f0f) + (fours >> 4 & 16'h0f0f);
            number_of = eights[4:0] + eights[12:8];
        end
    endfunction

    // Requests: `owed` counts those of each unit that it has not answered. One that is accepted is watched: `before`
    // are those that its unit answers first, `answer` is what the unit says of it.
    // Of answers any one bit is followed.
    (* anyconst *) wire [8:0] any_bit;
    wire [8:0] bit_ = any_bit < 320 ? any_bit : 9'd0;
    wire [3:0] results_bit = {results[960 + bit_], results[640 + bit_], results[320 + bit_], results[bit_]};
    wire accept = request_valid && request_ready;
    wire [1:0] part = part_of(request[39:24]);
    wire [4:0] filled;
    wire watched;
    wire [4:0] ahead;
    wire [1:0] its_part;
    order_watch #(.WIDTH(2), .COUNT(5)) requests (
        .clk(clk), .rst(rst), .push(accept), .pop(result_valid && result_ready), .pick(pick), .write(part),
        .filled(filled), .watched(watched), .ahead(ahead), .word(its_part)
    );
    reg [19:0] owed;
    reg [4:0] before;
    // Places of `order` that are in use, for each part; those of them that count in `before`.
    reg [63:0] inside;
    reg [15:0] ones_before;
    reg is_answered;
    reg answer;
    wire [319:0] joined = got[0] ? results[0 +: 320] : got[1] ? results[320 +: 320] : got[2] ? results[640 +: 320] : results[960 +: 320];

    // The order, and where the watched request is in it.
    wire [31:0] order;
    wire [4:0] in_order = ahead - {3'd0, held};
    wire [3:0] its_place = head + in_order[3:0];
    wire [15:0] in_use;
    wire [15:0] earlier;
    wire [63:0] of_part;
    wire [3:0] owes_result;
    wire [3:0] owed_holds;
    wire [15:0] place_holds;
    genvar n;
    generate
        for (n = 0; n < 16; n = n + 1) begin : places
            localparam [3:0] at = n;
            wire [3:0] turn = at - head;
            memory_watch #(.MEMID("\\dut.order.mem.storage"), .ABITS(4), .WIDTH(2)) word (
                .CLK(1'b0), .EN(1'b1), .ADDR(at), .DATA(order[2*n +: 2])
            );
            assign in_use[n] = {1'b0, turn} < used;
            assign earlier[n] = {1'b0, turn} < in_order;
            assign of_part[n] = order[2*n +: 2] == 0;
            assign of_part[16+n] = order[2*n +: 2] == 1;
            assign of_part[32+n] = order[2*n +: 2] == 2;
            assign of_part[48+n] = order[2*n +: 2] == 3;
            assign place_holds[n] = {inside[48+n], inside[32+n], inside[16+n], inside[n]}
                == (in_use[n] ? 4'd1 << order[2*n +: 2] : 4'd0);
        end
        for (n = 0; n < 4; n = n + 1) begin : parts
            assign owes_result[n] = owed[5*n +: 5] != 0;
            assign owed_holds[n] = owed[5*n +: 5] == number_of(inside[16*n +: 16]);
        end
    endgenerate

    // The command: what may have responses before the final one, what concerns all units, what is refused as the
    // documentation of the block says.
    wire appends = command[3:0] == 0;
    wire unlinks = command[3:0] == 1;
    wire deletes = command[3:0] == 3;
    wire frees = command[3:0] == 5;
    wire receives = appends && !command[38];
    wire may_hit = receives || command[3:0] == 2 || deletes;
    wire for_all = appends && command[38] || unlinks || (command[3:0] >= 4 && command[3:0] <= 7);
    wire bad = may_hit && command[59] || appends && command[38] && (command[42] || command[55])
        || command[3:0] == 4 && (command[39] || !command[40]);
    // What the units say: final, a header, and the code of the final one.
    wire [3:0] final_ = {
        \dut.units_3_response [17:16] == 0, \dut.units_2_response [17:16] == 0, \dut.units_1_response [17:16] == 0,
        \dut.units_0_response [17:16] == 0
    };
    wire [3:0] hit = {
        \dut.units_3_response [17:16] == 1, \dut.units_2_response [17:16] == 1, \dut.units_1_response [17:16] == 1,
        \dut.units_0_response [17:16] == 1
    };
    wire [3:0] linked = {codes[15:12] == 0, codes[11:8] == 0, codes[7:4] == 0, codes[3:0] == 0};
    wire [3:0] unlinked = {codes[15:12] == 2, codes[11:8] == 2, codes[7:4] == 2, codes[3:0] == 2};
    // Units that have taken a command and owe its final response.
    reg [3:0] owes;
    reg [1:0] said;
    reg said_bad;
    reg [536:0] past_command;
    reg waited;

    // Places of entries: of any entry, of that of the command, of that which was looked at. `cause`: a result uses an
    // entry up or leaves a header, or a unit says that it has linked, unlinked, or given a header away.
    (* anyconst *) wire [4:0] entry;
    reg [4:0] looked;
    wire [3:0] place_of_entry;
    wire [12:0] headers_of_entry;
    wire [3:0] place;
    wire [12:0] headers;
    wire [3:0] place_looked;
    wire [12:0] headers_looked;
    wire [4:0] its_id = {command[24:22], command[5:4]};
    wire in_range = command[37:25] == 0;
    wire is_linked = in_range && place[0];
    wire [3:0] its_units = !is_linked ? 4'd1 << part_of(command[77:62]) : place[1] ? 4'd1 : 4'd1 << place[3:2];
    memory_watch #(.MEMID("\\dut.commands.places.states.mem.storage"), .ABITS(5), .WIDTH(4)) watch_place_of_entry (
        .CLK(1'b0), .EN(1'b1), .ADDR(entry), .DATA(place_of_entry)
    );
    memory_watch #(.MEMID("\\dut.commands.places.headers.mem.storage"), .ABITS(5), .WIDTH(13)) watch_headers_of_entry (
        .CLK(1'b0), .EN(1'b1), .ADDR(entry), .DATA(headers_of_entry)
    );
    memory_watch #(.MEMID("\\dut.commands.places.states.mem.storage"), .ABITS(5), .WIDTH(4)) watch_place (
        .CLK(1'b0), .EN(1'b1), .ADDR(its_id), .DATA(place)
    );
    memory_watch #(.MEMID("\\dut.commands.places.headers.mem.storage"), .ABITS(5), .WIDTH(13)) watch_headers (
        .CLK(1'b0), .EN(1'b1), .ADDR(its_id), .DATA(headers)
    );
    memory_watch #(.MEMID("\\dut.commands.places.states.mem.storage"), .ABITS(5), .WIDTH(4)) watch_place_looked (
        .CLK(1'b0), .EN(1'b1), .ADDR(looked), .DATA(place_looked)
    );
    memory_watch #(.MEMID("\\dut.commands.places.headers.mem.storage"), .ABITS(5), .WIDTH(13)) watch_headers_looked (
        .CLK(1'b0), .EN(1'b1), .ADDR(looked), .DATA(headers_looked)
    );
    wire cause = (got != 0 && (joined[304] || joined[306]))
        || (appends && (answered & final_ & linked) != 0) || (unlinks && (answered & final_ & unlinked) != 0)
        || ((appends || deletes) && (answered & hit) != 0);
    reg cause_1;
    reg cause_2;
    reg [16:0] past;
    reg past_known = 1'b0;
    reg was_clearing;
    reg was_clear;
    reg was_read;
    reg overtaken;
    reg started = 1'b0;
    integer i;

    always @(posedge clk) begin
        started <= 1'b1;
        for (i = 0; i < 4; i = i + 1) owed[5*i +: 5] <= owed[5*i +: 5] + given[i] - got[i];
        for (i = 0; i < 4; i = i + 1) begin
            if (got[i]) inside[{i[1:0], head}] <= 1'b0;
            if (given[i]) inside[{i[1:0], tail}] <= 1'b1;
        end
        if (!watched) begin
            ones_before <= inside[16*part +: 16] & ~(got[part] ? 16'd1 << head : 16'd0);
            before <= owed[5*part +: 5] - got[part];
            is_answered <= 1'b0;
        end else if (!is_answered && got[its_part]) begin
            before <= before - 1;
            ones_before[head] <= 1'b0;
            is_answered <= before == 0;
            answer <= results_bit[its_part];
        end
        // A younger request has its answer first.
        overtaken <= watched && !is_answered && (has_result & ~(4'd1 << its_part)) != 0 && ahead == 0;

        owes <= (owes | took) & ~(answered & final_);
        past_command <= command;
        waited <= command_valid && !command_ready;
        if (responds) begin
            said <= said + (said != 3);
            said_bad <= \dut.commands.told [21:16] == {4'd12, 2'd0} && \dut.commands.told [15:0] == command[536:521];
        end
        if (command_valid && command_ready) said <= 0;

        looked <= \dut.commands.places.read ;
        was_read <= !rst;
        cause_1 <= cause;
        cause_2 <= cause_1;
        past_known <= started;
        past <= {place_of_entry, headers_of_entry};
        was_clearing <= clearing;
        was_clear <= !clearing && !rst;
        if (rst) begin
            owed <= 20'd0;
            inside <= 64'd0;
            owes <= 4'd0;
            said <= 0;
            waited <= 1'b0;
            overtaken <= 1'b0;
        end
    end

    every aux_owed [3:0] (.when({4{started}}), .holds(owed_holds));
    every aux_places [15:0] (.when({16{started}}), .holds(place_holds));

    wire busy = state != OPEN && state != DRAIN;
    always @* begin
        if (!started) assume_reset: assume (rst);
        if (started) begin
            assume_results: assume ((has_result & ~owes_result) == 0);
            assume_responses: assume (
                (has_response & ~(ask | owes)) == 0 && (has_response & final_ & ~owes) == 0
                    && (may_hit || (has_response & ~final_) == 0));
            assume_command: assume (!waited || (command_valid && command == past_command));
            // Once the memories are cleared, only a reset clears them again.
            assume_clear: assume (!was_clear || !clearing);

            aux_inside: assert (
                used <= 16 && filled == used + held && (result_valid || !spare)
                    && used == owed[4:0] + owed[9:5] + owed[14:10] + owed[19:15]);
            aux_its_place: assert (
                !watched || is_answered || (ahead >= held && in_order < used && order[2*its_place +: 2] == its_part));
            aux_ones_before: assert (!watched || is_answered || ones_before == (earlier & of_part[16*its_part +: 16]));
            aux_before: assert (!watched || is_answered || before == number_of(ones_before));
            aux_answered: assert (
                !watched || !is_answered || (ahead < held && (ahead == 0 ? result[bit_] : spare_result[bit_]) == answer));
            aux_turns: assert (
                (state == OPEN || command_valid) && (!clearing || state == OPEN) && (state != OPEN || !hold)
                    && (!busy || !hold || used == 0) && (!busy || !for_all || hold));
            aux_units: assert (
                state == ASK || state == UNDO
                    ? (ask & owes) == 0 && (ask | owes) == units && units != 0 && !bad && (state == ASK || frees)
                        && (!may_hit || (units & (units - 4'd1)) == 0)
                    : ask == 0 && owes == 0);
            aux_said: assert (
                state == OPEN || state == DRAIN || state == REFUSE || state == CHECK || state == 2 ? said == 0
                    : !bad || (state == DONE && said == 1 && said_bad));
            aux_refused: assert (
                state != REFUSE || (bad && \dut.commands.code_q_q == 12) || (!bad && unlinks && \dut.commands.code_q_q == 4));
            aux_read: assert (
                !was_read || (\dut.commands.places.states_read_data == place_looked
                    && \dut.commands.places.headers_read_data == headers_looked));
            aux_check: assert (state != CHECK || (was_read && looked == its_id && !moves && !moves_headers));
            aux_place: assert (
                state != ASK || ((!receives || units == its_units) && (!moves || !\dut.commands.places.state_q_q [0])
                    && (!is_linked || !(appends || unlinks) || (hold && !moves))));
            aux_headers: assert (state != ASK || !unlinks || !is_linked || (headers == 0 && !moves_headers));
            aux_cause: assert ((!moves && !moves_headers) || cause_1);

            prop_to_its_unit: assert (given == (accept ? 4'd1 << part : 4'd0));
            prop_its_answer: assert (!(watched && ahead == 0 && result_valid) || (is_answered && result[bit_] == answer));
            prop_none_lost: assert ({1'b0, filled} == owed[4:0] + owed[9:5] + owed[14:10] + owed[19:15] + held && (filled != 0 || !result_valid));
            prop_goes_on: assert (
                !(watched && !is_answered && ahead == held && has_result[its_part] && !spare && !\dut.commands_looks )
                    || got[its_part]);
            prop_refusals_counted: assert (
                count_drop == (got != 0 && joined[18:16] >= 1 && joined[18:16] <= 3)
                    && count_permission == (got != 0 && joined[18:16] == 4) && count_operation == (got != 0 && joined[18:16] == 5)
                    && (got == 0 || count_context == joined[20:19]));
            prop_receive_to_its_unit: assert (!receives || (ask & ~its_units) == 0);
            prop_refused_reaches_none: assert (!(command_valid && bad) || (ask == 0 && owes == 0));
            prop_refused_answered: assert (!(command_valid && command_ready && bad) || (said == 1 && said_bad));
            prop_needed_stays: assert (!(unlinks && ask != 0 && is_linked) || headers == 0);
            prop_places_unchanged: assert ({place_of_entry, headers_of_entry} == past || cause_2 || was_clearing || !past_known);

            cover_reset: cover (watched && is_answered && !rst);
            // A younger one has its answer first, and waits for the older.
            cover_results: cover (overtaken && got[its_part]);
            cover_responses: cover (owes == 15 && answered == 15);
            cover_command: cover (command_ready && bad && said_bad);
            cover_clear: cover (was_clear && state == CHECK && is_linked);
        end
    end
endmodule
