// Pins of a module of properties of `l2_bank_2`, and the block.

    input wire clk,
    input wire rst,
    input wire [4:0] watchdog_limit,
    input wire [4:0] locked_ways_limit,
    input wire [1:0] cp_ways,
    input wire [146:0] request,
    input wire request_valid,
    input wire [7:0] request_strobe,
    input wire [63:0] request_data,
    input wire [146:0] rmw_write,
    input wire rmw_write_valid,
    input wire [7:0] rmw_write_strobe,
    input wire [63:0] rmw_write_data,
    input wire response_ready,
    input wire ar_ready,
    input wire r_valid,
    input wire [1:0] r_id,
    input wire [63:0] r_data,
    input wire [1:0] r_resp,
    input wire aw_ready,
    input wire w_ready,
    input wire b_valid,
    input wire [1:0] b_resp
);
    wire request_ready;
    wire rmw_write_ready;
    wire [17:0] response;
    wire response_valid;
    wire [63:0] response_data;
    wire ar_valid;
    wire [1:0] ar_id;
    wire [63:0] ar_addr;
    wire aw_valid;
    wire [63:0] aw_addr;
    wire w_valid;
    wire [63:0] w_data;
    wire [7:0] w_strb;

    l2_bank_2 dut (
        .clk(clk),
        .rst(rst),
        .watchdog_limit(watchdog_limit),
        .locked_ways_limit(locked_ways_limit),
        .cp_ways(cp_ways),
        .request(request),
        .request_valid(request_valid),
        .request_ready(request_ready),
        .request_strobe(request_strobe),
        .request_data(request_data),
        .rmw_write(rmw_write),
        .rmw_write_valid(rmw_write_valid),
        .rmw_write_ready(rmw_write_ready),
        .rmw_write_strobe(rmw_write_strobe),
        .rmw_write_data(rmw_write_data),
        .response(response),
        .response_valid(response_valid),
        .response_ready(response_ready),
        .response_data(response_data),
        .ar_valid(ar_valid),
        .ar_ready(ar_ready),
        .ar_id(ar_id),
        .ar_addr(ar_addr),
        .r_valid(r_valid),
        .r_id(r_id),
        .r_data(r_data),
        .r_resp(r_resp),
        .aw_valid(aw_valid),
        .aw_ready(aw_ready),
        .aw_addr(aw_addr),
        .w_valid(w_valid),
        .w_ready(w_ready),
        .w_data(w_data),
        .w_strb(w_strb),
        .b_valid(b_valid),
        .b_resp(b_resp)
    );
