// LockUnit as it is in the L2, 16 ways and 128 sets: the properties of `lock_unit.v` but `prop_total`, the sum of all
// lines. That follows: a cycle locks or unlocks one line at most and changes the number as that line says
// (`prop_count`, `prop_expire_way`), or keeps it (`prop_count_kept`).
`define LOCK_UNIT lock_unit
`define WAYS 16
`define WAY_BITS 4
`define SET_BITS 7
`define TIME_BITS 17
module lock_unit_real_properties (
`include "lock_unit_ports.vh"
`include "lock_unit.vh"
endmodule
