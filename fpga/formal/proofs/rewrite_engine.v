// RewriteEngine: of an AQL packet and its arguments only the fields that hold indices change, and what they change to
// is what admission looked up; beats keep their order and none is lost.
//
// `lane` is any byte of a beat; the expected byte of a watched beat is computed from the job when the beat is made, and
// compared when it leaves.
module rewrite_engine_properties (
    input wire clk,
    input wire rst,
    input wire [878:0] job,
    input wire job_valid,
    input wire [520:0] body,
    input wire body_valid,
    input wire beat_ready,
    input wire pick
);
    wire job_ready;
    wire body_ready;
    wire [610:0] beat;
    wire beat_valid;
    wire [511:0] packet;
    wire [7:0] packet_slot;
    wire packet_valid;

    rewrite_engine dut (
        .clk(clk),
        .rst(rst),
        .job(job),
        .job_valid(job_valid),
        .job_ready(job_ready),
        .body(body),
        .body_valid(body_valid),
        .body_ready(body_ready),
        .beat(beat),
        .beat_valid(beat_valid),
        .beat_ready(beat_ready),
        .packet(packet),
        .packet_slot(packet_slot),
        .packet_valid(packet_valid)
    );

    // RewriteJob.
    wire discard = job[23];
    wire has_body = job[24];
    wire command = job[26] & !discard;
    wire kernel = job[27];
    wire patch = job[28] & command;
    wire buffer_valid = job[29];
    wire signal_valid = job[30];
    wire [15:0] rewrite_offset = job[46:31];
    wire [63:0] address = job[110:47];
    wire [63:0] payload_address = job[174:111];
    wire [63:0] target = job[238:175];
    wire [63:0] buffer_pointer = job[302:239];
    wire [63:0] completion_signal = job[366:303];

    (* anyconst *) wire [5:0] lane;

    // How far the job is: its AQL packet is made, body beats that were taken.
    reg aql_made;
    reg [9:0] index;
    wire made = \dut.beats_write_valid & \dut.beats_write_ready ;
    (* hierconn *) wire \dut.beats_write_valid ;
    (* hierconn *) wire \dut.beats_write_ready ;
    wire on_aql = job_valid & command & !aql_made;
    wire taken = body_valid & body_ready;
    wire done = job_valid & job_ready;

    always @(posedge clk) begin
        aql_made <= (aql_made | (on_aql & made)) & !done;
        if (taken) index <= body[519] ? 10'd0 : index + 10'd1;
        if (rst) begin
            aql_made <= 1'b0;
            index <= 0;
        end
    end

    // Byte `lane` of the AQL packet as it must be: the field by the tables of the HSA standard, 8 bytes each.
    wire [63:0] kernarg = address + 64;
    wire [2:0] row = lane[5:3];
    reg aql_new;
    reg [63:0] aql_field;

    always @* begin
        aql_new = 1'b0;
        aql_field = 64'd0;
        if (kernel && row == 4) {aql_new, aql_field} = {1'b1, target};
        if (kernel && row == 5) {aql_new, aql_field} = {1'b1, kernarg};
        if (kernel && row == 7 && signal_valid) {aql_new, aql_field} = {1'b1, completion_signal};
        if (!kernel && row == 1) {aql_new, aql_field} = {1'b1, target};
        if (!kernel && row == 2 && buffer_valid) {aql_new, aql_field} = {1'b1, buffer_pointer};
        if (!kernel && row == 3) {aql_new, aql_field} = {1'b1, payload_address};
        if (row == 6) {aql_new, aql_field} = {1'b1, 64'd0};
    end

    // Byte `lane` of a body beat: the pair of words at `rewrite_offset`.
    wire [16:0] behind = {1'b0, index, lane} - {1'b0, rewrite_offset};
    wire in_buffer = patch & buffer_valid & (behind < 8);
    wire in_payload = patch & (behind >= 8) & (behind < 16);

    // What is expected of the beat that is made now.
    wire [511:0] aql = job[878:367];
    wire [5:0] bit_of_field = {lane[2:0], 3'd0};
    wire [8:0] bit_of_beat = {lane, 3'd0};
    reg [7:0] byte_now;
    reg new_now;
    reg [98:0] head_now;

    always @* begin
        new_now = on_aql ? aql_new : in_buffer | in_payload;
        byte_now = on_aql ? aql[bit_of_beat +: 8] : body[bit_of_beat +: 8];
        if (on_aql & aql_new) byte_now = aql_field[bit_of_field +: 8];
        if (!on_aql & in_buffer) byte_now = buffer_pointer[bit_of_field +: 8];
        if (!on_aql & in_payload) byte_now = payload_address[bit_of_field +: 8];
        head_now[22:0] = job[22:0];  // slot, context, limit
        head_now[23] = on_aql | (!command & index == 0);  // first
        head_now[24] = on_aql ? !has_body : !has_body | body[519];  // last
        head_now[25] = job[25];  // message_last
        head_now[26] = on_aql ? 1'b0 : !has_body | body[520];  // bad
        head_now[27] = 1'b0;  // lost
        head_now[34:28] = on_aql ? 7'd64 : has_body ? body[518:512] : 7'd0;  // bytes
        head_now[98:35] = address;
        // A message that was broken off ends with a beat without bytes.
        if (!on_aql & !has_body) head_now[23] = 1'b1;
    end

    wire pop = beat_valid & beat_ready;
    wire [1:0] filled;
    wire watched;
    wire [1:0] ahead;
    wire was_aql;
    wire was_new;
    wire was_filled;
    wire [7:0] expected;
    wire [98:0] expected_head;

    order_watch #(
        .WIDTH(110),
        .COUNT(2)
    ) order (
        .clk(clk),
        .rst(rst),
        .push(made),
        .pop(pop),
        .pick(pick),
        .write({has_body | on_aql, on_aql, new_now, byte_now, head_now}),
        .filled(filled),
        .watched(watched),
        .ahead(ahead),
        .word({was_filled, was_aql, was_new, expected, expected_head})
    );

    wire [7:0] found = beat[99 + bit_of_beat +: 8];
    wire leaves = watched & pop & (ahead == 0);

    // The Skid's registers.
    (* hierconn *) wire \dut.beats.out_valid_q_q ;
    (* hierconn *) wire \dut.beats.spare_valid_q_q ;
    (* hierconn *) wire [610:0] \dut.beats.spare_q_q ;
    (* hierconn *) wire \dut.written_q_q ;
    (* hierconn *) wire [9:0] \dut.index_q_q ;
    wire [610:0] spare = \dut.beats.spare_q_q ;

    // The AQL packet that was made in the cycle before.
    reg started = 1'b0;
    reg told;
    reg [7:0] told_slot;
    reg [7:0] told_byte;

    always @(posedge clk) begin
        started <= 1'b1;
        told <= on_aql & made & !rst;
        told_slot <= job[7:0];
        told_byte <= byte_now;
    end

    always @* begin
        if (!started) assume_reset: assume (rst);
        assume_address: assume (!(job_valid & command) || address[5:0] == 0);
        assume_offset: assume (!(job_valid & patch) || rewrite_offset[2:0] == 0);
        if (started) begin
            prop_aql_kept: assert (!(leaves & was_aql & !was_new) || found == expected);
            prop_aql_rewritten: assert (!(leaves & was_aql & was_new) || found == expected);
            prop_arguments_kept: assert (!(leaves & !was_aql & was_filled & !was_new) || found == expected);
            prop_arguments_rewritten: assert (!(leaves & !was_aql & was_filled & was_new) || found == expected);
            prop_head: assert (!leaves || beat[98:0] == expected_head);
            prop_aql_first: assert (!(on_aql & body_ready));
            prop_each_beat_once: assert (
                on_aql || made == ((taken & !discard) | (done & !has_body & !command & !discard)));
            prop_job_done: assert (
                !done || (has_body ? taken & body[519] : discard | made));
            prop_packet_told: assert (
                packet_valid == told && (!told || (packet_slot == told_slot && packet[bit_of_beat +: 8] == told_byte)));

            aux_progress: assert (\dut.written_q_q == aql_made && \dut.index_q_q == index);
            aux_filled: assert (filled == \dut.beats.out_valid_q_q + \dut.beats.spare_valid_q_q );
            aux_spare_behind: assert (!\dut.beats.spare_valid_q_q || \dut.beats.out_valid_q_q );
            aux_ahead: assert (!watched || (ahead < filled && (was_filled || !was_aql)));
            aux_first: assert (
                !(watched && ahead == 0) || (beat[98:0] == expected_head && (!was_filled || found == expected)));
            aux_second: assert (
                !(watched && ahead == 1)
                || (spare[98:0] == expected_head && (!was_filled || spare[99 + bit_of_beat +: 8] == expected)));

            cover_reset: cover (leaves && was_aql && was_new);
            cover_address: cover (leaves && was_aql && was_new && row == 5 && found == 8'h40);
            cover_offset: cover (leaves && !was_aql && was_new && expected_head[24] && rewrite_offset == 56);
        end
    end
endmodule
