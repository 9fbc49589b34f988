// Pins of a module of properties of `hash_match_2`, the block, and the fields of what it decides about in the second
// step of its pipeline. Requests have mode WAIT: what they have above the match bits is zero.
`define REQUEST_BITS 112
    input wire clk,
    input wire rst,
    input wire [`REQUEST_BITS-1:0] request,
    input wire request_valid,
    input wire result_ready
);
    wire request_ready;
    wire [28:0] result;
    wire result_valid;
    wire [13:0] keys;

    hash_match_2 dut (
        .clk(clk),
        .rst(rst),
        .request(request),
        .request_valid(request_valid),
        .request_ready(request_ready),
        .result(result),
        .result_valid(result_valid),
        .result_ready(result_ready),
        .keys(keys)
    );

    (* hierconn *) wire \dut.there_1_q_q ;
    (* hierconn *) wire \dut.there_2_q_q ;
    (* hierconn *) wire \dut.there_3_q_q ;
    (* hierconn *) wire [`REQUEST_BITS-1:0] \dut.request_2_q_q ;
    (* hierconn *) wire [28:0] \dut.result_3_q_d ;
    (* hierconn *) wire [1:0] \dut.first_ways_q_d ;
    (* hierconn *) wire [1:0] \dut.second_ways_q_d ;
    (* hierconn *) wire \dut.stash_ways_q_d ;
    (* hierconn *) wire \dut.cleared_q_q ;
    (* hierconn *) wire [10:0] \dut.clear_q_q ;
    (* hierconn *) wire [`REQUEST_BITS-1:0] \dut.request_1_q_q ;
    (* hierconn *) wire \dut.cancelling_q_q ;
    wire there_1 = \dut.there_1_q_q ;
    wire there_2 = \dut.there_2_q_q ;
    wire there_3 = \dut.there_3_q_q ;
    wire [`REQUEST_BITS-1:0] asked = \dut.request_2_q_q ;
    wire [1:0] op = asked[1:0];
    wire [11:0] number = asked[13:2];
    wire portal = asked[14];
    wire [95:0] asked_key = asked[109:14];
    wire [2:0] outcome = \dut.result_3_q_d [16:14];
    wire [11:0] partner = \dut.result_3_q_d [28:17];
    wire cleared = \dut.cleared_q_q ;
    wire [10:0] clear_index = \dut.clear_q_q ;
    // POST or ARRIVE; OPEN or CLOSE.
    wire tells = there_2 && (op == 0 || op == 1);
    wire opens = there_2 && (op == 2 || op == 3);
    wire plain = (request >> 110) == 0;
    wire plain_inside = !\dut.cancelling_q_q && (!there_1 || (\dut.request_1_q_q >> 110) == 0) && (!there_2 || (asked >> 110) == 0);
