// LockUnit as it is in the L2, 16 ways and 128 sets: the properties of `lock_unit.v` but `prop_total`, the sum of all lines. That
// follows: a cycle locks or unlocks one line at most and changes the number as that line says (`prop_count`, `prop_one_end`),
// or keeps it (`prop_count_kept`).
`define LOCK_UNIT lock_unit
`define WAYS 16
`define WAY_BITS 4
`define SET_BITS 7
`define TIME_BITS 17
module lock_unit_real_properties (
`include "lock_unit_ports.vh"

    // The block's state: a bit for each set.
    (* hierconn *) wire [127:0] \dut.rmw_q_0_q ;
    (* hierconn *) wire [127:0] \dut.rmw_q_1_q ;
    (* hierconn *) wire [127:0] \dut.rmw_q_2_q ;
    (* hierconn *) wire [127:0] \dut.rmw_q_3_q ;
    (* hierconn *) wire [127:0] \dut.rmw_q_4_q ;
    (* hierconn *) wire [127:0] \dut.rmw_q_5_q ;
    (* hierconn *) wire [127:0] \dut.rmw_q_6_q ;
    (* hierconn *) wire [127:0] \dut.rmw_q_7_q ;
    (* hierconn *) wire [127:0] \dut.rmw_q_8_q ;
    (* hierconn *) wire [127:0] \dut.rmw_q_9_q ;
    (* hierconn *) wire [127:0] \dut.rmw_q_10_q ;
    (* hierconn *) wire [127:0] \dut.rmw_q_11_q ;
    (* hierconn *) wire [127:0] \dut.rmw_q_12_q ;
    (* hierconn *) wire [127:0] \dut.rmw_q_13_q ;
    (* hierconn *) wire [127:0] \dut.rmw_q_14_q ;
    (* hierconn *) wire [127:0] \dut.rmw_q_15_q ;
    (* hierconn *) wire [127:0] \dut.store_q_0_q ;
    (* hierconn *) wire [127:0] \dut.store_q_1_q ;
    (* hierconn *) wire [127:0] \dut.store_q_2_q ;
    (* hierconn *) wire [127:0] \dut.store_q_3_q ;
    (* hierconn *) wire [127:0] \dut.store_q_4_q ;
    (* hierconn *) wire [127:0] \dut.store_q_5_q ;
    (* hierconn *) wire [127:0] \dut.store_q_6_q ;
    (* hierconn *) wire [127:0] \dut.store_q_7_q ;
    (* hierconn *) wire [127:0] \dut.store_q_8_q ;
    (* hierconn *) wire [127:0] \dut.store_q_9_q ;
    (* hierconn *) wire [127:0] \dut.store_q_10_q ;
    (* hierconn *) wire [127:0] \dut.store_q_11_q ;
    (* hierconn *) wire [127:0] \dut.store_q_12_q ;
    (* hierconn *) wire [127:0] \dut.store_q_13_q ;
    (* hierconn *) wire [127:0] \dut.store_q_14_q ;
    (* hierconn *) wire [127:0] \dut.store_q_15_q ;
    wire [2047:0] rmw = {
        \dut.rmw_q_15_q , \dut.rmw_q_14_q , \dut.rmw_q_13_q , \dut.rmw_q_12_q ,
        \dut.rmw_q_11_q , \dut.rmw_q_10_q , \dut.rmw_q_9_q , \dut.rmw_q_8_q ,
        \dut.rmw_q_7_q , \dut.rmw_q_6_q , \dut.rmw_q_5_q , \dut.rmw_q_4_q ,
        \dut.rmw_q_3_q , \dut.rmw_q_2_q , \dut.rmw_q_1_q , \dut.rmw_q_0_q
    };
    wire [2047:0] store = {
        \dut.store_q_15_q , \dut.store_q_14_q , \dut.store_q_13_q , \dut.store_q_12_q ,
        \dut.store_q_11_q , \dut.store_q_10_q , \dut.store_q_9_q , \dut.store_q_8_q ,
        \dut.store_q_7_q , \dut.store_q_6_q , \dut.store_q_5_q , \dut.store_q_4_q ,
        \dut.store_q_3_q , \dut.store_q_2_q , \dut.store_q_1_q , \dut.store_q_0_q
    };

`include "lock_unit.vh"
endmodule
