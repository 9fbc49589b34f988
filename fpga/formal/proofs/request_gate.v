// RequestGate: no more requests are inside than the queues of answers have places, and nothing else is ever stopped.
// That no more than 255 fetch is too deep for a mutant and left to `testbench/tests/network/request_gate.rs`.
module request_gate_properties (
    input wire clk,
    input wire rst,
    input wire [511:0] rx_data,
    input wire [63:0] rx_keep,
    input wire rx_last,
    input wire rx_valid,
    input wire admitted_ready,
    input wire dropped,
    input wire closed,
    input wire left,
    input wire fetch_dropped,
    input wire fetch_closed
);
    wire rx_ready;
    wire [511:0] admitted_data;
    wire [63:0] admitted_keep;
    wire admitted_last;
    wire admitted_valid;

    request_gate_2 dut (
        .clk(clk),
        .rst(rst),
        .rx_data(rx_data),
        .rx_keep(rx_keep),
        .rx_last(rx_last),
        .rx_valid(rx_valid),
        .rx_ready(rx_ready),
        .admitted_data(admitted_data),
        .admitted_keep(admitted_keep),
        .admitted_last(admitted_last),
        .admitted_valid(admitted_valid),
        .admitted_ready(admitted_ready),
        .dropped(dropped),
        .closed(closed),
        .left(left),
        .fetch_dropped(fetch_dropped),
        .fetch_closed(fetch_closed)
    );

    (* hierconn *) wire [1:0] \dut.requests_q_q ;
    (* hierconn *) wire [7:0] \dut.fetches_q_q ;
    (* hierconn *) wire \dut.inside_q_q ;

    // What the pipeline and the queues hold, counted without the block: requests, and old bytes in messages.
    reg started = 1'b0;
    reg was_reset;
    reg within;
    reg [3:0] owed;
    reg [9:0] fetching;
    reg offered;

    wire [31:0] offset = rx_data[383:352];
    wire [7:0] opcode = rx_data[15:8];
    wire first = !within & offset == 0;
    wire fetches = first & (opcode == 8'd5 | opcode == 8'd6);
    wire taken = rx_valid & rx_ready;
    wire [1:0] gone = {1'b0, dropped} + {1'b0, closed} + {1'b0, left};
    wire [1:0] fetched = {1'b0, fetch_dropped} + {1'b0, fetch_closed};

    always @(posedge clk) begin
        started <= 1'b1;
        was_reset <= rst;
        offered <= admitted_valid & !admitted_ready & !rst;
        if (rst) begin
            within <= 1'b0;
            owed <= 0;
            fetching <= 0;
        end else begin
            if (taken) within <= !rx_last;
            owed <= owed + (taken & first) - gone;
            fetching <= fetching + (taken & fetches) - fetched;
        end
    end

    // The network leaves what it has offered.
    reg waits;
    reg [511:0] last_data;
    always @(posedge clk) begin
        waits <= rx_valid & !rx_ready & !rst;
        last_data <= rx_data;
    end

    always @* begin
        if (!started) assume_reset: assume (rst);
        if (started) begin
            // Only what is inside leaves.
            assume_inside: assume (gone <= owed && fetched <= fetching);
            assume_offered: assume (!waits || (rx_valid && rx_data == last_data));

            prop_places: assert (owed <= 3);
            prop_later_beats_pass: assert (first || (rx_ready == admitted_ready && admitted_valid == rx_valid));
            prop_room_admits: assert (!first || owed == 3 || (fetches && fetching == 255) || rx_ready == admitted_ready);
            prop_stable: assert (!offered || admitted_valid);

            aux_requests: assert (\dut.requests_q_q == owed);
            aux_fetches: assert (fetching <= 255 && \dut.fetches_q_q == fetching);
            aux_within: assert (\dut.inside_q_q == within);

            cover_reset: cover (was_reset && taken && first);
            cover_inside: cover (gone == 3 && fetched == 2);
            cover_offered: cover (waits && taken);
            cover_full: cover (owed == 3 && rx_valid && first && !rx_ready);
            cover_later: cover (owed == 3 && taken && !within && offset != 0);
        end
    end
endmodule
