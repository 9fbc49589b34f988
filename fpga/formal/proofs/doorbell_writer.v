// DoorbellWriter: no doorbell is on the port for a packet whose header word is not in memory. A doorbell is offered
// only when its job's header word is acknowledged without an error, is that of the job, stays until it is taken, and
// none is lost.
//
// Header words are numbered in the order of the jobs that wrote one; `before` keeps, beside each job that waits, how
// many there were before it. Acknowledgement n belongs to header word n, as the write port answers in order.
module doorbell_writer_properties (
    input wire clk,
    input wire rst,
    input wire [235:0] job,
    input wire job_valid,
    input wire header_done,
    input wire header_error,
    input wire doorbell_ready,
    input wire doorbell_done,
    input wire doorbell_error,
    input wire completion_ready,
    input wire queue_open
);
    wire job_ready;
    wire [652:0] doorbell;
    wire doorbell_valid;
    wire [89:0] completion;
    wire completion_valid;
    wire [7:0] queue;
    wire [7:0] header_fail;
    wire header_fail_valid;
    wire [7:0] doorbell_fail;
    wire doorbell_fail_valid;
    wire count_doorbell;

    doorbell_writer dut (
        .clk(clk),
        .rst(rst),
        .job(job),
        .job_valid(job_valid),
        .job_ready(job_ready),
        .header_done(header_done),
        .header_error(header_error),
        .doorbell(doorbell),
        .doorbell_valid(doorbell_valid),
        .doorbell_ready(doorbell_ready),
        .doorbell_done(doorbell_done),
        .doorbell_error(doorbell_error),
        .completion(completion),
        .completion_valid(completion_valid),
        .completion_ready(completion_ready),
        .queue_(queue),
        .queue_open(queue_open),
        .header_fail(header_fail),
        .header_fail_valid(header_fail_valid),
        .doorbell_fail(doorbell_fail),
        .doorbell_fail_valid(doorbell_fail_valid),
        .count_doorbell(count_doorbell)
    );

    // The block's state that the invariants speak of.
    (* hierconn *) wire \dut.take ;
    (* hierconn *) wire \dut.covered ;
    (* hierconn *) wire [235:0] \dut.jobs_read ;
    (* hierconn *) wire [6:0] \dut.jobs.head_q_q ;
    (* hierconn *) wire [6:0] \dut.jobs.tail_q_q ;
    (* hierconn *) wire \dut.jobs.loaded_q_q ;
    (* hierconn *) wire [8:0] \dut.header_acks.head_q_q ;
    (* hierconn *) wire [8:0] \dut.header_acks.tail_q_q ;
    (* hierconn *) wire \dut.header_acks.some_q_q ;
    (* hierconn *) wire [7:0] \dut.covers.head_q_q ;
    (* hierconn *) wire [7:0] \dut.covers.tail_q_q ;
    (* hierconn *) wire [7:0] \dut.covers_write ;
    (* hierconn *) wire \dut.ring_valid_q_q ;
    (* hierconn *) wire [235:0] \dut.ring_q_q ;
    (* hierconn *) wire [235:0] \dut.spare_q_q ;
    (* hierconn *) wire [7:0] \dut.ring_count_q_q ;
    (* hierconn *) wire [7:0] \dut.spare_count_q_q ;
    wire take = \dut.take ;
    wire covered = \dut.covered ;
    wire [235:0] head = \dut.jobs_read ;
    wire loaded = \dut.jobs.loaded_q_q ;
    wire [6:0] used = \dut.jobs.tail_q_q - \dut.jobs.head_q_q ;
    wire [8:0] acks_kept = \dut.header_acks.tail_q_q - \dut.header_acks.head_q_q ;
    wire [7:0] covers_kept = \dut.covers.tail_q_q - \dut.covers.head_q_q ;

    // The jobs' places, as in the memory of the block; header words of the jobs before them, and acknowledgements.
    wire push = job_valid & job_ready;
    reg [11:0] before [0:127];
    reg [7:0] filled;
    reg [6:0] first;
    reg [6:0] next;
    reg [11:0] promised;
    reg [11:0] came;

    always @(posedge clk) begin
        if (push) begin
            before[next] <= promised;
            promised <= promised + job[26];
            next <= next + 7'd1;
        end
        filled <= filled + push - take;
        first <= first + take;
        came <= came + header_done;
        if (rst) begin
            filled <= 0;
            first <= 0;
            next <= 0;
            promised <= 0;
            came <= 0;
        end
    end

    // Any one header word: whether it failed. Any one place among the jobs.
    (* anyconst *) wire [11:0] number;
    (* anyconst *) wire [6:0] place;
    reg failed;

    always @(posedge clk) if (header_done && came == number) failed <= header_error;

    wire [11:0] base = filled == 0 ? promised : before[first];
    wire [8:0] ack_place = \dut.header_acks.head_q_q + (number - base);
    wire [235:0] stored_place;
    wire [235:0] stored_first;
    wire stored_ack;

    memory_watch #(.MEMID("\\dut.jobs.mem.storage"), .ABITS(7), .WIDTH(236)) watch_place (
        .CLK(1'b0), .EN(1'b1), .ADDR(place), .DATA(stored_place)
    );
    memory_watch #(.MEMID("\\dut.jobs.mem.storage"), .ABITS(7), .WIDTH(236)) watch_first (
        .CLK(1'b0), .EN(1'b1), .ADDR(first), .DATA(stored_first)
    );
    memory_watch #(.MEMID("\\dut.header_acks.mem.storage"), .ABITS(8), .WIDTH(1)) watch_ack (
        .CLK(1'b0), .EN(1'b1), .ADDR(ack_place[7:0]), .DATA(stored_ack)
    );

    // A job that waits in `place`: the next one, or the end of the queue, continues its count.
    wire [6:0] depth_of_place = place - first;
    wire place_filled = {1'b0, depth_of_place} < filled;
    wire place_last = {1'b0, depth_of_place} + 8'd1 == filled;
    wire [6:0] place_behind = place + 7'd1;
    wire [11:0] sum_behind = place_last ? promised : before[place_behind];
    wire [6:0] second = first + 7'd1;
    wire [11:0] sum_behind_first = filled == 1 ? promised : before[second];

    // A doorbell: what is written, and whether its job's header word is known to be in memory. One on the port, one
    // after it. {failed, acknowledged, context, address, value}
    wire [11:0] behind_ack = came + header_done - base;
    wire acknowledged = behind_ack != 0 & !behind_ack[11];
    wire head_failed = number == base && (header_done && came == number ? header_error : failed);
    wire [131:0] head_ring = {head_failed, acknowledged, stored_first[9:8], stored_first[107:44], stored_first[171:108]};
    wire accepted = doorbell_valid & doorbell_ready;
    reg port;
    reg spare;
    reg [131:0] port_ring;
    reg [131:0] spare_ring;
    // Jobs that were given to a doorbell; those of doorbells that were taken.
    reg [11:0] given;
    reg [11:0] rung;

    always @(posedge clk) begin
        case ({port, accepted})
            2'b00: begin
                port <= covered;
                port_ring <= head_ring;
            end
            2'b10: if (covered) begin
                spare <= 1'b1;
                spare_ring <= head_ring;
            end
            2'b11: begin
                port <= spare | covered;
                port_ring <= spare ? spare_ring : head_ring;
                spare <= spare & covered;
                spare_ring <= head_ring;
            end
            default: ;
        endcase
        given <= given + covered;
        if (accepted) rung <= rung + \dut.covers_write ;
        if (rst) begin
            port <= 1'b0;
            spare <= 1'b0;
            given <= 0;
            rung <= 0;
        end
    end

    wire [131:0] shown = port ? port_ring : head_ring;
    wire [63:0] shown_address = shown[127:64];

    reg started = 1'b0;
    reg offered;
    reg [652:0] offered_word;

    always @(posedge clk) begin
        started <= 1'b1;
        offered <= doorbell_valid & !doorbell_ready & !rst;
        offered_word <= doorbell;
    end

    always @* begin
        if (!started) assume_reset: assume (rst);
        assume_acks_fit: assume (!header_done || acks_kept < 256);
        assume_ring_written: assume (!push || job[26] || !job[27]);
`ifdef LEMMAS
        use_filled: assume (!started || (filled <= 128 && used + loaded == filled && \dut.jobs.tail_q_q == next
            && \dut.jobs.head_q_q - loaded == first && next - first == filled[6:0]));
        use_count: assume (!started || filled == 0
            || (sum_behind_first == before[first] + stored_first[26] && (stored_first[26] || !stored_first[27])));
`endif
        if (started) begin
            lemma_filled: assert (filled <= 128 && used + loaded == filled && \dut.jobs.tail_q_q == next
                && \dut.jobs.head_q_q - loaded == first && next - first == filled[6:0]);
            lemma_count: assert (!place_filled
                || (sum_behind == before[place] + stored_place[26] && (stored_place[26] || !stored_place[27])));

            prop_doorbell_after_header: assert (!doorbell_valid || shown[130]);
            prop_failed_not_rung: assert (!doorbell_valid || !shown[131]);
            prop_doorbell_of_job: assert (!doorbell_valid
                || (doorbell[4:3] == shown[129:128] && doorbell[76:13] == {shown_address[63:6], 6'd0}
                && doorbell[140:77] == 64'hff << {shown_address[5:3], 3'd0}
                && doorbell[652:141] == {448'd0, shown[63:0]} << {shown_address[5:3], 6'd0}));
            prop_doorbell_stable: assert (!offered || (doorbell_valid && doorbell == offered_word));
            prop_none_lost: assert (
                given == rung + (port ? \dut.ring_count_q_q : 8'd0) + (spare ? \dut.spare_count_q_q : 8'd0));

            aux_acks: assert (acks_kept <= 256 && came == base + acks_kept);
            aux_some: assert (\dut.header_acks.some_q_q == (acks_kept != 0));
            aux_ack_kept: assert (number - base >= {3'd0, acks_kept} || stored_ack == failed);
            aux_loaded: assert (!loaded || head == stored_first);
            aux_covers: assert (covers_kept <= 128);
            aux_shown: assert (port == \dut.ring_valid_q_q && spare == (\dut.spare_count_q_q != 0) && (port || !spare));
            aux_port: assert (!port
                || (port_ring[131:130] == 2'b01
                && port_ring[129:0] == {\dut.ring_q_q [9:8], \dut.ring_q_q [107:44], \dut.ring_q_q [171:108]}));
            aux_spare: assert (!spare
                || (spare_ring[131:130] == 2'b01
                && spare_ring[129:0] == {\dut.spare_q_q [9:8], \dut.spare_q_q [107:44], \dut.spare_q_q [171:108]}));

            cover_reset: cover (accepted);
            cover_acks_fit: cover (acks_kept == 2);
            cover_ring_written: cover (accepted && port && spare && covered);
        end
    end
endmodule
