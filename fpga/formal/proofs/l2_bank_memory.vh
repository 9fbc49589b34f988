// What the proofs of `l2_bank_2` with a model of memory see of its queues to memory, and what holds of them. The model
// gives `memory_asked`, `addresses`, `words` and `acknowledged`.

    (* hierconn *) wire \dut.s2_push_q_q ;
    (* hierconn *) wire [3:0] \dut.writes.busy_q_q ;
    (* hierconn *) wire [1:0] \dut.writes.head_q_q ;
    (* hierconn *) wire [1:0] \dut.writes.tail_q_q ;
    (* hierconn *) wire [2:0] \dut.writes.addresses.head_q_q ;
    (* hierconn *) wire [2:0] \dut.writes.addresses.tail_q_q ;
    (* hierconn *) wire [2:0] \dut.writes.data.head_q_q ;
    (* hierconn *) wire [2:0] \dut.writes.data.tail_q_q ;
    (* hierconn *) wire [2:0] \dut.writes.strobes.head_q_q ;
    (* hierconn *) wire [2:0] \dut.writes.strobes.tail_q_q ;
    (* hierconn *) wire [1:0] \dut.fetch_lines.head_q_q ;
    (* hierconn *) wire [1:0] \dut.fetch_lines.tail_q_q ;
    (* hierconn *) wire [1:0] \dut.fetch_ids.head_q_q ;
    (* hierconn *) wire [1:0] \dut.fetch_ids.tail_q_q ;
    (* hierconn *) wire [3:0] \dut.queue_.writes_q_0_q ;
    (* hierconn *) wire [3:0] \dut.queue_.writes_q_1_q ;
    (* hierconn *) wire [3:0] \dut.queue_.writes_q_2_q ;
    (* hierconn *) wire [3:0] \dut.queue_.writes_q_3_q ;
    (* hierconn *) wire [3:0] \dut.used_q_q ;
    (* hierconn *) wire [3:0] \dut.responses.head_q_q ;
    (* hierconn *) wire [3:0] \dut.responses.tail_q_q ;
    wire [1:0] fetch_ids [0:1];

    // Memory's part, by slots of the write buffer.
    wire [3:0] memory_asked;
    wire [2:0] addresses;
    wire [2:0] words;
    wire [2:0] acknowledged;
    wire [15:0] awaited = {\dut.queue_.writes_q_3_q , \dut.queue_.writes_q_2_q , \dut.queue_.writes_q_1_q , \dut.queue_.writes_q_0_q };
    wire [2:0] address_count = addresses - acknowledged;
    wire [2:0] word_count = words - acknowledged;
    wire [2:0] pushed = \dut.writes.data.tail_q_q - acknowledged;
    wire [3:0] reserved = pushed + \dut.s2_push_q_q ;
    wire [7:0] slots_reserved = ((8'd1 << reserved) - 8'd1) << acknowledged[1:0];
    wire [3:0] is_reserved = slots_reserved[3:0] | slots_reserved[7:4];
    // Fetches that the block has begun, and memory has not seen.
    wire [1:0] fetch_count = \dut.fetch_ids.tail_q_q - \dut.fetch_ids.head_q_q ;
    wire [1:0] is_fetch = fetch_count == 2 ? 2'b11 : {1'b0, fetch_count[0]} << \dut.fetch_ids.head_q_q [0];
    wire [3:0] answered = \dut.responses.tail_q_q - \dut.responses.head_q_q ;

    genvar m;
    generate
        for (m = 0; m < 2; m = m + 1) begin : fetch
            memory_watch #(.MEMID("\\dut.fetch_ids.mem.storage"), .ABITS(1), .WIDTH(2)) watch_id (
                .CLK(1'b0), .EN(1'b1), .ADDR(m[0]), .DATA(fetch_ids[m])
            );
        end
    endgenerate

    always @* begin
        assume_answers: assume (!r_valid || memory_asked[r_id]);
        if (started) begin
            aux_write_pointers: assert (\dut.writes.addresses.tail_q_q == \dut.writes.data.tail_q_q
                && \dut.writes.strobes.tail_q_q == \dut.writes.data.tail_q_q
                && \dut.writes.strobes.head_q_q == words && \dut.writes.data.head_q_q == words
                && \dut.writes.addresses.head_q_q == addresses && \dut.writes.head_q_q == acknowledged[1:0]
                && reserved <= 4 && address_count <= pushed && word_count <= pushed
                && \dut.writes.tail_q_q == \dut.writes.data.tail_q_q [1:0] + \dut.s2_push_q_q
                && \dut.writes.busy_q_q == is_reserved);
            aux_write_room: assert (!(fills || (looked_up && maintains)) || !\dut.writes.busy_q_q [\dut.writes.tail_q_q ]);
            aux_fetches: assert (\dut.fetch_ids.tail_q_q == \dut.fetch_lines.tail_q_q
                && \dut.fetch_ids.head_q_q == \dut.fetch_lines.head_q_q && fetch_count <= 2
                && (is_fetch != 2'b11 || fetch_ids[0] != fetch_ids[1]));
            aux_answers: assert (\dut.used_q_q == answers + \dut.s2_respond_q_q + answered && \dut.used_q_q <= 8 && answered <= 8);
        end
    end
