// LockUnit: a line has one lock at most, an RMW lock has one owner and ends only by its write, the watchdog or reset, a STORE
// lock only by an access of the command processor, the watchdog, a read-modify-write that needs its way or reset; the number
// of locks is right, and the end of each is told.
`define LOCK_UNIT lock_unit_2
`define WAYS 2
`define WAY_BITS 1
`define SET_BITS 1
`define TIME_BITS 6
module lock_unit_properties (
`include "lock_unit_ports.vh"

    // The block's state: a bit for each set.
    (* hierconn *) wire [1:0] \dut.rmw_q_0_q ;
    (* hierconn *) wire [1:0] \dut.rmw_q_1_q ;
    (* hierconn *) wire [1:0] \dut.store_q_0_q ;
    (* hierconn *) wire [1:0] \dut.store_q_1_q ;
    wire [3:0] rmw = {\dut.rmw_q_1_q , \dut.rmw_q_0_q };
    wire [3:0] store = {\dut.store_q_1_q , \dut.store_q_0_q };

`include "lock_unit.vh"

    // Of two STORE locks the one is the oldest that is not younger; of the two that are equally old, which no locks are, the lower way.
    wire [5:0] age_0 = \dut.now_q_q - stamps[5:0];
    wire [5:0] age_1 = \dut.now_q_q - stamps[11:6];
    wire [1:0] oldest = store_of_set == 3 ? (age_1 > age_0 ? 2'd2 : 2'd1) : store_of_set;

    always @* begin
        if (started) begin
            prop_oldest: assert (set != line_set || oldest_store == oldest);
            aux_one_lock: assert ((rmw & store) == 0);
            aux_a_way_is_left: assert (!(rmw[0] & rmw[2]) && !(rmw[1] & rmw[3]));
            prop_total: assert (
                locked_lines == rmw[0] + rmw[1] + rmw[2] + rmw[3] + store[0] + store[1] + store[2] + store[3]);
        end
    end
endmodule
