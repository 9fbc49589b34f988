// Pins of a module of properties of `partitioned_match_2`, the block, and the pins of its four units.
    input wire clk,
    input wire rst,
    input wire [351:0] request,
    input wire request_valid,
    input wire result_ready,
    input wire [536:0] command,
    input wire command_valid,
    input wire response_ready,
    // Watch the request that is accepted.
    input wire pick
);
    wire request_ready;
    wire [319:0] result;
    wire result_valid;
    wire command_ready;
    wire [587:0] response;
    wire response_valid;
    wire count_drop;
    wire count_permission;
    wire count_operation;
    wire [1:0] count_context;

    partitioned_match_2 dut (
        .clk(clk),
        .rst(rst),
        .request(request),
        .request_valid(request_valid),
        .request_ready(request_ready),
        .result(result),
        .result_valid(result_valid),
        .result_ready(result_ready),
        .command(command),
        .command_valid(command_valid),
        .command_ready(command_ready),
        .response(response),
        .response_valid(response_valid),
        .response_ready(response_ready),
        .count_drop(count_drop),
        .count_permission(count_permission),
        .count_operation(count_operation),
        .count_context(count_context)
    );

    // The pins of the units.
    (* hierconn *) wire \dut.units_0_request_valid ;
    (* hierconn *) wire \dut.units_0_request_ready ;
    (* hierconn *) wire [319:0] \dut.units_0_result ;
    (* hierconn *) wire \dut.units_0_result_valid ;
    (* hierconn *) wire \dut.units_0_result_ready ;
    (* hierconn *) wire \dut.units_0_command_valid ;
    (* hierconn *) wire \dut.units_0_command_ready ;
    (* hierconn *) wire [587:0] \dut.units_0_response ;
    (* hierconn *) wire \dut.units_0_response_valid ;
    (* hierconn *) wire \dut.units_0_response_ready ;
    (* hierconn *) wire \dut.units_1_request_valid ;
    (* hierconn *) wire \dut.units_1_request_ready ;
    (* hierconn *) wire [319:0] \dut.units_1_result ;
    (* hierconn *) wire \dut.units_1_result_valid ;
    (* hierconn *) wire \dut.units_1_result_ready ;
    (* hierconn *) wire \dut.units_1_command_valid ;
    (* hierconn *) wire \dut.units_1_command_ready ;
    (* hierconn *) wire [587:0] \dut.units_1_response ;
    (* hierconn *) wire \dut.units_1_response_valid ;
    (* hierconn *) wire \dut.units_1_response_ready ;
    (* hierconn *) wire \dut.units_2_request_valid ;
    (* hierconn *) wire \dut.units_2_request_ready ;
    (* hierconn *) wire [319:0] \dut.units_2_result ;
    (* hierconn *) wire \dut.units_2_result_valid ;
    (* hierconn *) wire \dut.units_2_result_ready ;
    (* hierconn *) wire \dut.units_2_command_valid ;
    (* hierconn *) wire \dut.units_2_command_ready ;
    (* hierconn *) wire [587:0] \dut.units_2_response ;
    (* hierconn *) wire \dut.units_2_response_valid ;
    (* hierconn *) wire \dut.units_2_response_ready ;
    (* hierconn *) wire \dut.units_3_request_valid ;
    (* hierconn *) wire \dut.units_3_request_ready ;
    (* hierconn *) wire [319:0] \dut.units_3_result ;
    (* hierconn *) wire \dut.units_3_result_valid ;
    (* hierconn *) wire \dut.units_3_result_ready ;
    (* hierconn *) wire \dut.units_3_command_valid ;
    (* hierconn *) wire \dut.units_3_command_ready ;
    (* hierconn *) wire [587:0] \dut.units_3_response ;
    (* hierconn *) wire \dut.units_3_response_valid ;
    (* hierconn *) wire \dut.units_3_response_ready ;
    wire [3:0] given = {
        \dut.units_3_request_valid , \dut.units_2_request_valid , \dut.units_1_request_valid ,
        \dut.units_0_request_valid
    } & {
        \dut.units_3_request_ready , \dut.units_2_request_ready , \dut.units_1_request_ready ,
        \dut.units_0_request_ready
    };
    wire [3:0] has_result = {
        \dut.units_3_result_valid , \dut.units_2_result_valid , \dut.units_1_result_valid , \dut.units_0_result_valid
    };
    wire [3:0] got = has_result & {
        \dut.units_3_result_ready , \dut.units_2_result_ready , \dut.units_1_result_ready , \dut.units_0_result_ready
    };
    wire [1279:0] results = {\dut.units_3_result , \dut.units_2_result , \dut.units_1_result , \dut.units_0_result };
    wire [3:0] ask = {
        \dut.units_3_command_valid , \dut.units_2_command_valid , \dut.units_1_command_valid ,
        \dut.units_0_command_valid
    };
    wire [3:0] took = ask & {
        \dut.units_3_command_ready , \dut.units_2_command_ready , \dut.units_1_command_ready ,
        \dut.units_0_command_ready
    };
    wire [3:0] has_response = {
        \dut.units_3_response_valid , \dut.units_2_response_valid , \dut.units_1_response_valid ,
        \dut.units_0_response_valid
    };
    wire [3:0] answered = has_response & {
        \dut.units_3_response_ready , \dut.units_2_response_ready , \dut.units_1_response_ready ,
        \dut.units_0_response_ready
    };
    wire [15:0] codes = {
        \dut.units_3_response [21:18], \dut.units_2_response [21:18], \dut.units_1_response [21:18],
        \dut.units_0_response [21:18]
    };

    // The block: its order of requests, its results, its commands, the places of entries.
    (* hierconn *) wire [4:0] \dut.order.head_q_q ;
    (* hierconn *) wire [4:0] \dut.order.tail_q_q ;
    (* hierconn *) wire \dut.results.out_valid_q_q ;
    (* hierconn *) wire \dut.results.spare_valid_q_q ;
    (* hierconn *) wire [319:0] \dut.results.spare_q_q ;
    (* hierconn *) wire \dut.commands_looks ;
    (* hierconn *) wire [2:0] \dut.commands.state_q_q ;
    (* hierconn *) wire \dut.commands.hold_q_q ;
    (* hierconn *) wire [3:0] \dut.commands.units_q_q ;
    (* hierconn *) wire [3:0] \dut.commands.code_q_q ;
    (* hierconn *) wire \dut.commands.clear_clearing ;
    (* hierconn *) wire \dut.commands.responses_write_valid ;
    (* hierconn *) wire \dut.commands.responses_write_ready ;
    (* hierconn *) wire [587:0] \dut.commands.told ;
    (* hierconn *) wire [4:0] \dut.commands.places.read ;
    (* hierconn *) wire [3:0] \dut.commands.places.states_read_data ;
    (* hierconn *) wire [12:0] \dut.commands.places.headers_read_data ;
    (* hierconn *) wire \dut.commands.places.moves_q_q ;
    (* hierconn *) wire [3:0] \dut.commands.places.state_q_q ;
    (* hierconn *) wire \dut.commands.places.keep_q_q ;
    (* hierconn *) wire \dut.commands.places.drop_q_q ;
