// HeaderWriter: a header word is offered only when all writes of its slot, and of all slots before it, are acknowledged
// without an error and its payload is written; it is that of its job, it stays until it is taken, and a job goes on
// only with it.
//
// Writes are numbered in the order in which the jobs promise them; `before` keeps, beside each job that waits, how many
// were promised before it. Acknowledgement n belongs to write n, as the write port answers in order.
module header_writer_properties (
    input wire clk,
    input wire rst,
    input wire [334:0] job,
    input wire job_valid,
    input wire [2:0] done,
    input wire done_valid,
    input wire enqueue_done,
    input wire enqueue_error,
    input wire header_ready,
    input wire repair_ready,
    input wire repair_done,
    input wire repair_error,
    input wire ring_job_ready,
    input wire queue_open,
    input wire pick
);
    wire job_ready;
    wire done_ready;
    wire [652:0] header;
    wire header_valid;
    wire [652:0] repair;
    wire repair_valid;
    wire [235:0] ring_job;
    wire ring_job_valid;
    wire [7:0] queue;
    wire [7:0] slot_fail;
    wire slot_fail_valid;
    wire payload_waiting;

    header_writer dut (
        .clk(clk),
        .rst(rst),
        .job(job),
        .job_valid(job_valid),
        .job_ready(job_ready),
        .done(done),
        .done_valid(done_valid),
        .done_ready(done_ready),
        .enqueue_done(enqueue_done),
        .enqueue_error(enqueue_error),
        .header(header),
        .header_valid(header_valid),
        .header_ready(header_ready),
        .repair(repair),
        .repair_valid(repair_valid),
        .repair_ready(repair_ready),
        .repair_done(repair_done),
        .repair_error(repair_error),
        .ring_job(ring_job),
        .ring_job_valid(ring_job_valid),
        .ring_job_ready(ring_job_ready),
        .queue_(queue),
        .queue_open(queue_open),
        .slot_fail(slot_fail),
        .slot_fail_valid(slot_fail_valid),
        .payload_waiting(payload_waiting)
    );

    // The block's state that the invariants speak of.
    (* hierconn *) wire \dut.finish ;
    (* hierconn *) wire \dut.written ;
    (* hierconn *) wire \dut.take_ack ;
    (* hierconn *) wire [1:0] \dut.state_q_q ;
    (* hierconn *) wire [1:0] \dut.acked_q_q ;
    (* hierconn *) wire \dut.paid_q_q ;
    (* hierconn *) wire \dut.slot_failed_q_q ;
    (* hierconn *) wire \dut.index_failed_q_q ;
    (* hierconn *) wire \dut.offered_q_q ;
    (* hierconn *) wire \dut.filling_q_q ;
    (* hierconn *) wire [334:0] \dut.jobs_read ;
    (* hierconn *) wire [6:0] \dut.jobs.head_q_q ;
    (* hierconn *) wire [6:0] \dut.jobs.tail_q_q ;
    (* hierconn *) wire \dut.jobs.loaded_q_q ;
    (* hierconn *) wire [1:0] \dut.rings.head_q_q ;
    (* hierconn *) wire [1:0] \dut.rings.tail_q_q ;
    (* hierconn *) wire [8:0] \dut.acks.head_q_q ;
    (* hierconn *) wire [8:0] \dut.acks.tail_q_q ;
    (* hierconn *) wire \dut.acks.some_q_q ;
    wire finish = \dut.finish ;
    wire gather = \dut.state_q_q == 2'd0;
    wire [1:0] acked = \dut.acked_q_q ;
    wire loaded = \dut.jobs.loaded_q_q ;
    wire [334:0] head = \dut.jobs_read ;
    wire [1:0] rings = \dut.rings.tail_q_q - \dut.rings.head_q_q ;
    wire [6:0] used = \dut.jobs.tail_q_q - \dut.jobs.head_q_q ;
    wire [8:0] acks_kept = \dut.acks.tail_q_q - \dut.acks.head_q_q ;

    // Jobs: a watched one.
    wire push = job_valid & job_ready;
    wire [7:0] filled;
    wire watched;
    wire [7:0] ahead;
    wire [1:0] watched_context;
    wire [31:0] watched_header;
    wire [63:0] watched_address;

    order_watch #(
        .WIDTH(98),
        .COUNT(8)
    ) order (
        .clk(clk),
        .rst(rst),
        .push(push),
        .pop(finish),
        .pick(pick),
        .write({job[9:8], job[62:31], job[142:79]}),
        .filled(filled),
        .watched(watched),
        .ahead(ahead),
        .word({watched_context, watched_header, watched_address})
    );

    // The jobs' places, as in the memory of the block; what the jobs before them promised.
    reg [11:0] before [0:127];
    reg [11:0] paid_before [0:127];
    reg [6:0] first;
    reg [6:0] next;
    reg [11:0] promised;
    reg [11:0] payloads;
    // Acknowledgements and payloads that came; those that the block has taken.
    reg [11:0] came;
    reg [11:0] taken;
    reg [11:0] paid;

    always @(posedge clk) begin
        if (push) begin
            before[next] <= promised;
            paid_before[next] <= payloads;
            promised <= promised + job[30:29];
            payloads <= payloads + job[28];
            next <= next + 7'd1;
        end
        first <= first + finish;
        came <= came + enqueue_done;
        taken <= taken + \dut.take_ack ;
        paid <= paid + (done_valid & done_ready);
        if (rst) begin
            first <= 0;
            next <= 0;
            promised <= 0;
            payloads <= 0;
            came <= 0;
            taken <= 0;
            paid <= 0;
        end
    end

    // Any one write: whether it failed. Any one place among the jobs.
    (* anyconst *) wire [11:0] number;
    (* anyconst *) wire [6:0] place;
    reg failed;

    always @(posedge clk) if (enqueue_done && came == number) failed <= enqueue_error;

    wire [6:0] watched_place = first + ahead[6:0];
    wire [8:0] ack_place = \dut.acks.head_q_q + (number - taken);
    wire [334:0] stored_place;
    wire [334:0] stored_first;
    wire [334:0] stored_watched;
    wire stored_ack;

    memory_watch #(.MEMID("\\dut.jobs.mem.storage"), .ABITS(7), .WIDTH(335)) watch_place (
        .CLK(1'b0), .EN(1'b1), .ADDR(place), .DATA(stored_place)
    );
    memory_watch #(.MEMID("\\dut.jobs.mem.storage"), .ABITS(7), .WIDTH(335)) watch_first (
        .CLK(1'b0), .EN(1'b1), .ADDR(first), .DATA(stored_first)
    );
    memory_watch #(.MEMID("\\dut.jobs.mem.storage"), .ABITS(7), .WIDTH(335)) watch_watched (
        .CLK(1'b0), .EN(1'b1), .ADDR(watched_place), .DATA(stored_watched)
    );
    memory_watch #(.MEMID("\\dut.acks.mem.storage"), .ABITS(8), .WIDTH(1)) watch_ack (
        .CLK(1'b0), .EN(1'b1), .ADDR(ack_place[7:0]), .DATA(stored_ack)
    );

    // A job that waits in `place`: the next one, or the end of the queue, continues its count.
    wire [6:0] depth_of_place = place - first;
    wire place_filled = {1'b0, depth_of_place} < filled;
    wire place_last = {1'b0, depth_of_place} + 8'd1 == filled;
    wire [6:0] place_behind = place + 7'd1;
    wire [11:0] sum_behind = place_last ? promised : before[place_behind];
    wire [11:0] payloads_behind = place_last ? payloads : paid_before[place_behind];
    wire [6:0] second = first + 7'd1;
    wire [11:0] sum_behind_first = filled == 1 ? promised : before[second];
    wire [11:0] payloads_behind_first = filled == 1 ? payloads : paid_before[second];

    // The job at the head: its writes have the numbers from `base` on.
    wire [11:0] base = filled == 0 ? promised : before[first];
    wire [11:0] paid_base = filled == 0 ? payloads : paid_before[first];
    wire [1:0] writes = head[30:29];
    wire [11:0] last_came = came + enqueue_done;
    wire [11:0] missing = base + writes - last_came;
    wire [11:0] offset = number - base;

    reg started = 1'b0;
    reg offered;
    reg [652:0] offered_word;

    always @(posedge clk) begin
        started <= 1'b1;
        offered <= header_valid & !header_ready & !rst;
        offered_word <= header;
    end

    always @* begin
        if (!started) assume_reset: assume (rst);
        assume_acks_fit: assume (!enqueue_done || acks_kept < 256);
        assume_writes: assume (!push || job[30:29] != 3);
`ifdef LEMMAS
        use_filled: assume (!started || (filled <= 128 && used + loaded == filled && \dut.jobs.tail_q_q == next
            && \dut.jobs.head_q_q - loaded == first && next - first == filled[6:0]));
        use_loaded: assume (!started || gather || loaded);
        use_count: assume (!started || filled == 0
            || (sum_behind_first == before[first] + stored_first[30:29]
            && payloads_behind_first == paid_before[first] + stored_first[28] && stored_first[30:29] != 3));
`endif
        if (started) begin
            lemma_filled: assert (filled <= 128 && used + loaded == filled && \dut.jobs.tail_q_q == next
                && \dut.jobs.head_q_q - loaded == first && next - first == filled[6:0]);
            lemma_count: assert (!place_filled
                || (sum_behind == before[place] + stored_place[30:29]
                && payloads_behind == paid_before[place] + stored_place[28] && stored_place[30:29] != 3));
            lemma_loaded: assert (gather || loaded);

            prop_header_after_writes: assert (!header_valid || missing == 0 || missing[11]);
            prop_header_after_payload: assert (
                !header_valid || paid + (done_valid & done_ready) == paid_base + head[28]);
            prop_failed_not_published: assert (
                !(header_valid && offset < writes)
                || !(enqueue_done && came == number ? enqueue_error : failed));
            prop_header_of_job: assert (
                !(header_valid && watched && ahead == 0)
                || (header[4:3] == watched_context && header[76:13] == watched_address && header[140:77] == 64'd15
                && (header[172:141] == watched_header || header[172:141] == 32'd3)));
            prop_header_stable: assert (!offered || (header_valid && header == offered_word));
            prop_goes_on_with_header: assert ((finish && \dut.written ) == (header_valid && header_ready));

            aux_came: assert (acks_kept <= 256 && came == taken + acks_kept);
            aux_some: assert (\dut.acks.some_q_q == (acks_kept != 0));
            aux_taken: assert (taken == base + acked);
            aux_acked: assert (loaded ? acked <= writes : acked == 0);
            aux_state: assert (gather || (loaded && acked == writes && (\dut.paid_q_q || !head[28])));
            aux_offered: assert (offered == \dut.offered_q_q && rings <= 2);
            aux_filling: assert (!\dut.filling_q_q || (!gather && head[27] && head[26]));
            aux_paid: assert (paid == paid_base + (\dut.paid_q_q && head[28]) && (loaded || !\dut.paid_q_q ));
            aux_loaded: assert (!loaded || head == stored_first);
            aux_watched: assert (!watched
                || (ahead < filled
                && {stored_watched[9:8], stored_watched[62:31], stored_watched[142:79]}
                == {watched_context, watched_header, watched_address}));
            aux_ack_kept: assert (number - taken >= {3'd0, acks_kept} || stored_ack == failed);
            aux_slot_failed: assert (
                !(gather && offset == 0 && acked != 0) || \dut.slot_failed_q_q == failed);
            aux_index_failed: assert (
                !(gather && offset == 1 && acked == 2) || \dut.index_failed_q_q == failed);
            aux_not_failed: assert (gather || offset >= writes || !failed);

            cover_reset: cover (header_valid && header_ready);
            cover_acks_fit: cover (acks_kept == 3);
            cover_writes: cover (header_valid && head[28] && writes == 2 && taken == 2);
        end
    end
endmodule
