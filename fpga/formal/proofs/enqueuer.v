// Enqueuer: the job that lets a header word be written comes after all writes of its slot, a place in a shared queue is
// written only when its id was reserved, the write index of a queue grows by one each time, and the header word is left
// alone.
module enqueuer_properties (
    input wire clk,
    input wire rst,
    input wire [27:0] record,
    input wire record_valid,
    input wire [2:0] done,
    input wire done_valid,
    input wire payload_waiting,
    input wire packet_there,
    input wire [511:0] packet,
    input wire [305:0] queue,
    input wire claim_open,
    input wire [7:0] opened,
    input wire opened_valid,
    input wire [63:0] opened_write,
    input wire [63:0] opened_read,
    input wire enqueue_ready,
    input wire atomic_ready,
    input wire atomic_done,
    input wire atomic_error,
    input wire [514:0] atomic_result,
    input wire atomic_result_valid,
    input wire read_ready,
    input wire [514:0] read_result,
    input wire read_result_valid,
    input wire header_ready
);
    wire record_ready;
    wire done_ready;
    wire [7:0] slot;
    wire [7:0] claim_queue;
    wire [652:0] enqueue;
    wire enqueue_valid;
    wire [652:0] atomic;
    wire atomic_valid;
    wire [70:0] read;
    wire read_valid;
    wire [334:0] header;
    wire header_valid;
    wire [7:0] fail;
    wire fail_valid;

    enqueuer dut (
        .clk(clk),
        .rst(rst),
        .record(record),
        .record_valid(record_valid),
        .record_ready(record_ready),
        .done(done),
        .done_valid(done_valid),
        .done_ready(done_ready),
        .payload_waiting(payload_waiting),
        .slot(slot),
        .packet_there(packet_there),
        .packet(packet),
        .queue_(queue),
        .claim_queue(claim_queue),
        .claim_open(claim_open),
        .opened(opened),
        .opened_valid(opened_valid),
        .opened_write(opened_write),
        .opened_read(opened_read),
        .enqueue(enqueue),
        .enqueue_valid(enqueue_valid),
        .enqueue_ready(enqueue_ready),
        .atomic(atomic),
        .atomic_valid(atomic_valid),
        .atomic_ready(atomic_ready),
        .atomic_done(atomic_done),
        .atomic_error(atomic_error),
        .atomic_result(atomic_result),
        .atomic_result_valid(atomic_result_valid),
        .read(read),
        .read_valid(read_valid),
        .read_ready(read_ready),
        .read_result(read_result),
        .read_result_valid(read_result_valid),
        .header(header),
        .header_valid(header_valid),
        .header_ready(header_ready),
        .fail(fail),
        .fail_valid(fail_valid)
    );

    // The block's state that the invariants speak of, and its names for it.
    (* hierconn *) wire [2:0] \dut.state_q_q ;
    (* hierconn *) wire [27:0] \dut.record_q_q ;
    (* hierconn *) wire \dut.publish_q_q ;
    (* hierconn *) wire [63:0] \dut.id_q_q ;
    (* hierconn *) wire [63:0] \dut.next_q_q ;
    (* hierconn *) wire [31:0] \dut.mask_q_q ;
    (* hierconn *) wire [57:0] \dut.line_q_q ;
    (* hierconn *) wire [2:0] \dut.swap.state_q_q ;
    (* hierconn *) wire [63:0] \dut.swap.id_q_q ;
    (* hierconn *) wire [63:0] \dut.swap.next_q_q ;
    (* hierconn *) wire [63:0] \dut.swap.old_q_q ;
    (* hierconn *) wire \dut.swap.swapped_q_q ;
    (* hierconn *) wire \dut.swap.answered_q_q ;
    (* hierconn *) wire \dut.swap.swap_error_q_q ;
    (* hierconn *) wire \dut.swap.result_error_q_q ;
    localparam FETCH = 0, LOAD = 1, PAYLOAD = 2, CLAIM = 3, ADDRESS = 4, SLOT = 5, INDEX = 6, JOB = 7;
    localparam IDLE = 0, USED = 1, SWAP = 5, SWAP_WAIT = 6, NONE = 7;
    wire [2:0] state = \dut.state_q_q ;
    wire [2:0] swap = \dut.swap.state_q_q ;
    wire [63:0] id = \dut.id_q_q ;
    wire publish = \dut.publish_q_q ;

    // QueueInfo.
    wire shared = queue[17];
    wire [31:0] size = queue[49:18];
    wire [63:0] ring_base = queue[113:50];
    wire [63:0] index_address = queue[177:114];
    wire [2:0] lane = index_address[5:3];
    wire [8:0] lane_bit = {lane, 6'd0};
    wire [8:0] other_bit = {lane ^ 3'd1, 6'd0};

    // The message under way: from its record to its job; writes that were made for it, and where the slot is.
    reg busy;
    reg was_busy;
    reg [305:0] last_queue;
    reg [1:0] writes;
    reg [63:0] slot_written;
    reg [1:0] context_now;
    wire [7:0] key = {context_now, queue[5:0]};
    wire written = enqueue_valid & enqueue_ready;
    wire goes = header_valid & header_ready;
    wire [511:0] enqueue_data = enqueue[652:141];

    always @(posedge clk) begin
        was_busy <= busy & !goes;
        last_queue <= queue;
        if (record_valid & record_ready) begin
            busy <= 1'b1;
            writes <= 0;
            context_now <= record[9:8];
        end
        if (goes) busy <= 1'b0;
        if (written) writes <= writes + 2'd1;
        if (written & writes == 0) slot_written <= enqueue[76:13];
        if (rst) busy <= 1'b0;
        if (rst) was_busy <= 1'b0;
    end

    // Any one queue of the NIC's own: the write index that memory has, once it was opened.
    (* anyconst *) wire [7:0] which;
    wire mine = busy & key == which;
    reg known;
    reg [63:0] index;
    wire [63:0] kept;

    always @(posedge clk) begin
        if (opened_valid & opened == which) begin
            known <= 1'b1;
            index <= opened_write;
        end
        if (written & writes == 1 & mine) index <= enqueue_data[lane_bit +: 64];
        if (rst) known <= 1'b0;
    end

    memory_watch #(.MEMID("\\dut.write_index.storage"), .ABITS(8), .WIDTH(64)) watch (
        .CLK(1'b0), .EN(1'b1), .ADDR(which), .DATA(kept)
    );

    // The swap of a shared queue: what was expected, what came of it.
    reg asked;
    reg ack_due;
    reg result_due;
    reg bad;
    reg [63:0] expected;
    reg [63:0] old;
    wire [511:0] atomic_data = atomic[652:141];
    wire [511:0] result_data = atomic_result[514:3];
    wire reserved = asked & !ack_due & !result_due & !bad & old == expected;

    always @(posedge clk) begin
        if (record_valid & record_ready) asked <= 1'b0;
        if (atomic_valid & atomic_ready) begin
            asked <= 1'b1;
            ack_due <= 1'b1;
            result_due <= 1'b1;
            bad <= 1'b0;
            expected <= atomic_data[lane_bit +: 64];
        end
        if (atomic_done) ack_due <= 1'b0;
        if (atomic_done & atomic_error) bad <= 1'b1;
        if (atomic_result_valid) begin
            result_due <= 1'b0;
            old <= result_data[lane_bit +: 64];
            if (atomic_result[2]) bad <= 1'b1;
        end
        if (rst) begin
            asked <= 1'b0;
            ack_due <= 1'b0;
            result_due <= 1'b0;
        end
    end

    wire [63:0] place = {ring_base[63:6] + (header[302:271] & (size - 32'd1)), 6'd0};
    wire at_slot = state == SLOT || state == INDEX;
    wire claimed = state == ADDRESS || at_slot || (state == JOB && publish);
    reg started = 1'b0;

    always @(posedge clk) started <= 1'b1;

    always @* begin
        if (!started) assume_reset: assume (rst);
        assume_queue_kept: assume (!(busy & was_busy) || queue == last_queue);
        assume_opened_before: assume (!(opened_valid & busy) || opened != key);
        assume_own: assume (!mine || !shared);
        assume_ack_due: assume (!atomic_done || ack_due);
        assume_result_due: assume (!atomic_result_valid || result_due);
        if (started) begin
            prop_job_after_writes: assert (!header_valid
                || (header[30:29] == writes && writes == (header[26] ? (shared ? 1 : 2) : 0)));
            prop_header_word_left_alone: assert (
                !(enqueue_valid && writes == 0) || enqueue[140:77] == 64'hfffffffffffffff0);
            prop_slot_of_id: assert (
                !(header_valid && header[26]) || (header[142:79] == place && slot_written == place));
            prop_index_grows_by_one: assert (!(enqueue_valid && writes == 1 && mine && known)
                || (enqueue[76:13] == {index_address[63:3], 3'd0} && enqueue[140:77] == 64'hff << {lane, 3'd0}
                && enqueue_data[lane_bit +: 64] == index + 64'd1));
            prop_id_is_old_index: assert (
                !(header_valid && header[26] && mine && known) || header[334:271] + 64'd1 == index);
            prop_doorbell_value: assert (
                !(header_valid && header[26]) || header[270:207] == header[334:271] + queue[16]);
            prop_swap_adds_one: assert (!atomic_valid
                || (atomic[2] && atomic[76:13] == {index_address[63:3], 3'd0}
                && atomic_data[other_bit +: 64] == atomic_data[lane_bit +: 64] + 64'd1));
            prop_shared_place_reserved: assert (!(enqueue_valid && shared) || reserved);
            prop_shared_id_reserved: assert (
                !(header_valid && header[26] && shared) || (reserved && header[334:271] == expected));

            aux_busy: assert (busy == (state != FETCH) && (!busy || context_now == \dut.record_q_q [9:8]));
            aux_publish: assert (publish || state == FETCH || state == JOB);
            aux_writes: assert (
                state == FETCH || writes == (state == INDEX ? 1 : state == JOB && publish ? (shared ? 1 : 2) : 0));
            aux_exclusive: assert (!(state == INDEX && shared) && (shared || (state != PAYLOAD && state != CLAIM)));
            aux_known_queue: assert (was_busy || state == FETCH || state == LOAD || (state == JOB && !publish));
            aux_mask: assert (
                state == FETCH || state == LOAD || (state == JOB && !publish) || \dut.mask_q_q == size - 32'd1);
            aux_line: assert (!(at_slot || (state == JOB && publish))
                || (\dut.line_q_q == ring_base[63:6] + (id[31:0] & (size - 32'd1)) && \dut.next_q_q == id + 64'd1));
            aux_slot_written: assert (
                !(state == INDEX || (state == JOB && publish)) || slot_written == {\dut.line_q_q , 6'd0});
            aux_index: assert (!known || kept == index + (mine && at_slot));
            aux_id: assert (!(known && mine)
                || ((!(state == ADDRESS || at_slot) || id == index)
                && (!(state == JOB && publish) || id + 64'd1 == index)));
            aux_swap_running: assert ((state == CLAIM) == (swap != IDLE) && swap != NONE);
            aux_swap_pair: assert (
                swap == IDLE || swap == USED || \dut.swap.next_q_q == \dut.swap.id_q_q + 64'd1);
            aux_swap_waits: assert (swap == SWAP_WAIT
                ? asked && ack_due == !\dut.swap.swapped_q_q && result_due == !\dut.swap.answered_q_q
                && expected == \dut.swap.id_q_q && (result_due || old == \dut.swap.old_q_q )
                && bad == ((!ack_due && \dut.swap.swap_error_q_q ) || (!result_due && \dut.swap.result_error_q_q ))
                : !ack_due && !result_due);
            aux_reserved: assert (!(claimed && shared) || (reserved && id == expected));

            cover_reset: cover (goes && header[26]);
            cover_queue_kept: cover (goes && header[26] && !shared && size == 4 && header[271]);
            cover_opened_before: cover (goes && mine && known && header[26] && index == 7);
            cover_own: cover (written && writes == 1 && mine && known);
            cover_ack_due: cover (written && shared);
            cover_result_due: cover (swap == SWAP_WAIT && !result_due && !ack_due && old != expected && !bad);
        end
    end
endmodule
