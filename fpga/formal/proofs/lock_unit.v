// LockUnit: an RMW lock has one owner and ends only by its write, the watchdog or reset, a STORE
// lock only by an access of the command processor, the watchdog, a read-modify-write that needs its way or reset; the
// number of locks is right, and the end of each is reported.
`define LOCK_UNIT lock_unit_2
`define WAYS 2
`define WAY_BITS 1
`define SET_BITS 1
`define TIME_BITS 6
module lock_unit_properties (
`include "lock_unit_ports.vh"

`include "lock_unit.vh"

    // Words of flags of the other set.
    wire [1:0] other_word;
    memory_watch #(.MEMID("\\dut.locked.words.storage"), .ABITS(1), .WIDTH(2)) other_watch (
        .CLK(1'b0), .EN(1'b1), .ADDR(!line_set), .DATA(other_word)
    );
    wire [1:0] locked_of_other = \dut.locked.written_q_q [!line_set] ? other_word : 2'd0;

    always @* begin
        if (started) begin
            prop_total: assert (
                locked_lines == locked_of_set[0] + locked_of_set[1] + locked_of_other[0] + locked_of_other[1]);
        end
    end
endmodule
