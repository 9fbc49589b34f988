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

`include "lock_unit.vh"

    // Words of flags of the other set.
    wire [1:0] other_word;
    memory_watch #(.MEMID("\\dut.locked.words.storage"), .ABITS(1), .WIDTH(2)) other_watch (
        .CLK(1'b0), .EN(1'b1), .ADDR(!line_set), .DATA(other_word)
    );
    wire [1:0] locked_of_other = \dut.locked.written_q_q [!line_set] ? other_word : 2'd0;

    // Which way of the set was locked last, as seen from outside.
    wire [1:0] takes = set == line_set ? way & (
        {2{take_rmw & rmw_room}} & ~rmw_of_set | {2{take_store & store_room}} & ~locked_of_set) : 2'd0;
    reg last;
    always @(posedge clk) if (takes != 0) last <= takes[1];
    wire [1:0] oldest = store_of_set == 3 ? (last ? 2'd1 : 2'd2) : store_of_set;
    wire [1:0] elders_1;
    memory_watch #(.MEMID("\\dut.elders_1.storage"), .ABITS(1), .WIDTH(2)) elders_watch (
        .CLK(1'b0), .EN(1'b1), .ADDR(line_set), .DATA(elders_1)
    );

    always @* begin
        if (started) begin
            prop_oldest: assert (set != line_set || oldest_store == oldest);
            aux_elders: assert (locked_of_set != 3 || (elders_1[0] == last));
            prop_total: assert (
                locked_lines == locked_of_set[0] + locked_of_set[1] + locked_of_other[0] + locked_of_other[1]);
        end
    end
endmodule
