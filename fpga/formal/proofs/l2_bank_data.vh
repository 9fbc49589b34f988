// What `l2_bank_data.v` sees of the block beside what others see: its registers, and words of its memories.

    // s1 and s2.
    (* hierconn *) wire \dut.s1_error_q_q ;
    (* hierconn *) wire [63:0] \dut.s1_data_q_q ;
    (* hierconn *) wire [7:0] \dut.s1_strobe_q_q ;
    (* hierconn *) wire [1:0] \dut.way ;
    (* hierconn *) wire [57:0] \dut.tags_shown_line ;
    (* hierconn *) wire \dut.rules_take_rmw ;
    (* hierconn *) wire \dut.rules_write_back ;
    (* hierconn *) wire \dut.rules_write_through ;
    (* hierconn *) wire \dut.pushes ;
    (* hierconn *) wire \dut.s2_write_q_q ;
    (* hierconn *) wire \dut.s2_through_q_q ;
    (* hierconn *) wire [1:0] \dut.s2_place_q_q ;
    (* hierconn *) wire [57:0] \dut.s2_push_line_q_q ;
    (* hierconn *) wire [146:0] \dut.s2_request_q_q ;
    (* hierconn *) wire [17:0] \dut.s2_response_q_q ;
    (* hierconn *) wire [63:0] \dut.updater_line ;
    (* hierconn *) wire [63:0] \dut.data_old ;
    (* hierconn *) wire [63:0] \dut.data_line ;
    (* hierconn *) wire [63:0] \dut.data_argument ;
    (* hierconn *) wire [7:0] \dut.data_argument_strobe ;
    // The queue.
    (* hierconn *) wire [3:0] \dut.queue_.error_q_q ;
    (* hierconn *) wire [3:0] \dut.queue_.fetch_hot ;
    (* hierconn *) wire [57:0] \dut.queue__fetch_line ;
    // Queues to memory, and of the answers.
    (* hierconn *) wire [3:0] \dut.writes_meets ;
    (* hierconn *) wire [3:0] \dut.writes_done_slots ;
    (* hierconn *) wire [7:0] \dut.writes.push_strobe ;
    (* hierconn *) wire [63:0] \dut.writes.push_data ;
    (* hierconn *) wire [57:0] \dut.writes.line_q_0_q ;
    (* hierconn *) wire [57:0] \dut.writes.line_q_1_q ;
    (* hierconn *) wire [57:0] \dut.writes.line_q_2_q ;
    (* hierconn *) wire [57:0] \dut.writes.line_q_3_q ;
    (* hierconn *) wire [3:0] \dut.response_lines.head_q_q ;
    (* hierconn *) wire [3:0] \dut.response_lines.tail_q_q ;

    // Words of the memories.
    wire [63:0] kept_words [0:1];
    wire [63:0] operands [0:3];
    wire [7:0] strobes [0:3];
    wire [63:0] fill_words [0:3];
    wire [57:0] push_addresses [0:3];
    wire [63:0] push_words [0:3];
    wire [7:0] push_bytes [0:3];
    wire [57:0] fetch_lines [0:1];
    wire [17:0] answer_response;
    wire [63:0] answer_line;

    memory_watch #(.MEMID("\\dut.responses.mem.storage"), .ABITS(3), .WIDTH(18)) watch_response (
        .CLK(1'b0), .EN(1'b1), .ADDR(answer), .DATA(answer_response)
    );
    memory_watch #(.MEMID("\\dut.response_lines.mem.storage"), .ABITS(3), .WIDTH(64)) watch_response_line (
        .CLK(1'b0), .EN(1'b1), .ADDR(answer), .DATA(answer_line)
    );

    genvar g;
    generate
        for (g = 0; g < 2; g = g + 1) begin : pair
            memory_watch #(.MEMID("\\dut.data.lines.mem.storage"), .ABITS(2), .WIDTH(64)) watch_word (
                .CLK(1'b0), .EN(1'b1), .ADDR({g[0], set}), .DATA(kept_words[g])
            );
            memory_watch #(.MEMID("\\dut.fetch_lines.mem.storage"), .ABITS(1), .WIDTH(58)) watch_fetch (
                .CLK(1'b0), .EN(1'b1), .ADDR(g[0]), .DATA(fetch_lines[g])
            );
        end
        for (g = 0; g < 4; g = g + 1) begin : four
            memory_watch #(.MEMID("\\dut.data.operands.storage"), .ABITS(2), .WIDTH(64)) watch_operand (
                .CLK(1'b0), .EN(1'b1), .ADDR(g[1:0]), .DATA(operands[g])
            );
            memory_watch #(.MEMID("\\dut.data.strobes.storage"), .ABITS(2), .WIDTH(8)) watch_strobe (
                .CLK(1'b0), .EN(1'b1), .ADDR(g[1:0]), .DATA(strobes[g])
            );
            memory_watch #(.MEMID("\\dut.data.fills.storage"), .ABITS(2), .WIDTH(64)) watch_fill (
                .CLK(1'b0), .EN(1'b1), .ADDR(g[1:0]), .DATA(fill_words[g])
            );
            memory_watch #(.MEMID("\\dut.writes.addresses.mem.storage"), .ABITS(2), .WIDTH(58)) watch_address (
                .CLK(1'b0), .EN(1'b1), .ADDR(g[1:0]), .DATA(push_addresses[g])
            );
            memory_watch #(.MEMID("\\dut.writes.data.mem.storage"), .ABITS(2), .WIDTH(64)) watch_data (
                .CLK(1'b0), .EN(1'b1), .ADDR(g[1:0]), .DATA(push_words[g])
            );
            memory_watch #(.MEMID("\\dut.writes.strobes.mem.storage"), .ABITS(2), .WIDTH(8)) watch_bytes (
                .CLK(1'b0), .EN(1'b1), .ADDR(g[1:0]), .DATA(push_bytes[g])
            );
        end
    endgenerate
