// Loopback: a packet goes the way of its header from its first offer to its last beat, whatever becomes of the node's
// number. What goes inside is received in order, nothing is lost or doubled, and packets stay whole.
module loopback_properties (
    input wire clk,
    input wire rst,
    input wire [15:0] node,
    input wire [576:0] tx,
    input wire tx_valid,
    input wire network_ready,
    input wire [511:0] rx_data,
    input wire [63:0] rx_keep,
    input wire rx_last,
    input wire rx_valid,
    input wire received_ready,
    input wire pick
);
    wire tx_ready;
    wire [511:0] network_data;
    wire [63:0] network_keep;
    wire network_last;
    wire network_valid;
    wire rx_ready;
    wire [511:0] received_data;
    wire [63:0] received_keep;
    wire received_last;
    wire received_valid;
    wire sent_inside;
    wire taken_inside;

    loopback dut (
        .clk(clk),
        .rst(rst),
        .node(node),
        .tx(tx),
        .tx_valid(tx_valid),
        .tx_ready(tx_ready),
        .network_data(network_data),
        .network_keep(network_keep),
        .network_last(network_last),
        .network_valid(network_valid),
        .network_ready(network_ready),
        .rx_data(rx_data),
        .rx_keep(rx_keep),
        .rx_last(rx_last),
        .rx_valid(rx_valid),
        .rx_ready(rx_ready),
        .received_data(received_data),
        .received_keep(received_keep),
        .received_last(received_last),
        .received_valid(received_valid),
        .received_ready(received_ready),
        .sent_inside(sent_inside),
        .taken_inside(taken_inside)
    );

    wire [576:0] received = {received_last, received_keep, received_data};
    wire [1:0] filled;
    wire watched;
    wire [1:0] ahead;
    wire [576:0] word;

    order_watch #(
        .WIDTH(577),
        .COUNT(2)
    ) order (
        .clk(clk),
        .rst(rst),
        .push(sent_inside),
        .pop(taken_inside),
        .pick(pick),
        .write(tx),
        .filled(filled),
        .watched(watched),
        .ahead(ahead),
        .word(word)
    );

    (* hierconn *) wire \dut.held_q_q ;
    (* hierconn *) wire \dut.own_q_q ;
    (* hierconn *) wire \dut.merge.held_q_q ;
    (* hierconn *) wire \dut.merge.second_q_q ;
    (* hierconn *) wire \dut.skid_block.out_valid_q_q ;
    (* hierconn *) wire \dut.skid_block.spare_valid_q_q ;
    (* hierconn *) wire [576:0] \dut.skid_block.out_q_q ;
    (* hierconn *) wire [576:0] \dut.skid_block.spare_q_q ;

    // Seen from outside: which way the packet on `tx` goes, once it is offered.
    reg started = 1'b0;
    reg was_reset;
    reg begun;
    reg way;
    // The packet on `received` is not through; it came from inside.
    reg within;
    reg from_inside;
    wire goes_inside = tx_valid & !network_valid;
    wire taken = received_valid & received_ready;

    // What was offered and not taken in the cycle before.
    reg tx_waits;
    reg [576:0] tx_before;
    reg rx_waits;
    reg [576:0] rx_before;
    reg received_waits;
    reg [576:0] received_before;
    reg [15:0] node_before;

    always @(posedge clk) begin
        started <= 1'b1;
        was_reset <= rst;
        tx_waits <= tx_valid & !tx_ready & !rst;
        tx_before <= tx;
        rx_waits <= rx_valid & !rx_ready & !rst;
        rx_before <= {rx_last, rx_keep, rx_data};
        received_waits <= received_valid & !received_ready & !rst;
        received_before <= received;
        node_before <= node;
        if (rst) begin
            begun <= 1'b0;
            within <= 1'b0;
        end else begin
            if (tx_valid) begin
                begun <= !(tx_ready & tx[576]);
                way <= goes_inside;
            end
            if (taken) begin
                within <= !received_last;
                from_inside <= taken_inside;
            end
        end
    end

    always @* begin
        if (!started) assume_reset: assume (rst);
        if (started) begin
            assume_tx_offered: assume (!tx_waits || (tx_valid && tx == tx_before));
            assume_rx_offered: assume (!rx_waits || (rx_valid && {rx_last, rx_keep, rx_data} == rx_before));

            prop_way_of_header: assert (begun || !tx_valid || goes_inside == (tx[63:48] == node));
            prop_way_kept: assert (!begun || !tx_valid || goes_inside == way);
            prop_one_way: assert (!network_valid || (!sent_inside && {network_last, network_keep, network_data} == tx));
            prop_moves: assert (!tx_valid || tx_ready == (goes_inside ? sent_inside : network_ready));
            prop_inside_in_order: assert (!(watched && taken_inside && ahead == 0) || received == word);
            prop_whole: assert (!within || !taken || taken_inside == from_inside);
            prop_received_stable: assert (!received_waits || (received_valid && received == received_before));
            prop_from_network: assert ((rx_valid && rx_ready) == (taken && !taken_inside));

            aux_begun: assert (\dut.held_q_q == begun && (!begun || \dut.own_q_q == way));
            aux_filled: assert (filled == \dut.skid_block.out_valid_q_q + \dut.skid_block.spare_valid_q_q );
            aux_spare_behind: assert (!\dut.skid_block.spare_valid_q_q || \dut.skid_block.out_valid_q_q );
            aux_ahead: assert (!watched || ahead < filled);
            aux_first: assert (!(watched && ahead == 0) || \dut.skid_block.out_q_q == word);
            aux_second: assert (!(watched && ahead == 1) || \dut.skid_block.spare_q_q == word);
            aux_within: assert (!within || (\dut.merge.held_q_q && \dut.merge.second_q_q == !from_inside));
            aux_offered: assert (
                !\dut.merge.held_q_q || within
                || (received_waits && (\dut.merge.second_q_q ? rx_waits : \dut.skid_block.out_valid_q_q ))
            );

            cover_reset: cover (was_reset && sent_inside);
            cover_tx_offered: cover (tx_waits && begun && tx_ready && node != node_before && tx[63:48] == node && !way);
            cover_rx_offered: cover (rx_waits && rx_ready && within);
        end
    end
endmodule
