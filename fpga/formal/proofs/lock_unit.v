// LockUnit: a line has one lock at most, an RMW lock has one owner and ends only by its write, the watchdog or reset, a STORE
// lock only by an access of the command processor, the watchdog, a read-modify-write that needs its way or reset; the number
// of locks is right, and the end of each is told.
//
// `line` is any line: what is proved for it is proved for all.
module lock_unit_properties (
    input wire clk,
    input wire rst,
    input wire [4:0] watchdog_limit,
    input wire [4:0] locked_ways_limit,
    input wire set,
    input wire [1:0] way,
    input wire cp,
    input wire [4:0] requester,
    input wire unlock,
    input wire touch,
    input wire take_rmw,
    input wire take_store,
    input wire evict,
    input wire expire
);
    wire [1:0] rmw_ways;
    wire [1:0] store_ways;
    wire [1:0] oldest_store;
    wire mine;
    wire others;
    wire rmw_room;
    wire store_room;
    wire ended;
    wire [1:0] ended_way;
    wire [1:0] ended_cause;
    wire ended_rmw;
    wire [4:0] ended_owner;
    wire [5:0] ended_age;
    wire expired;
    wire expired_set;
    wire [15:0] locked_lines;

    lock_unit_2 dut (
        .clk(clk),
        .rst(rst),
        .watchdog_limit(watchdog_limit),
        .locked_ways_limit(locked_ways_limit),
        .set_(set),
        .way(way),
        .cp(cp),
        .requester(requester),
        .unlock(unlock),
        .touch(touch),
        .take_rmw(take_rmw),
        .take_store(take_store),
        .evict(evict),
        .expire(expire),
        .rmw_ways(rmw_ways),
        .store_ways(store_ways),
        .oldest_store(oldest_store),
        .mine(mine),
        .others(others),
        .rmw_room(rmw_room),
        .store_room(store_room),
        .ended(ended),
        .ended_way(ended_way),
        .ended_cause(ended_cause),
        .ended_rmw(ended_rmw),
        .ended_owner(ended_owner),
        .ended_age(ended_age),
        .expired(expired),
        .expired_set(expired_set),
        .locked_lines(locked_lines)
    );

    // The block's state: a bit for each set, and what is kept of `line`.
    (* hierconn *) wire [1:0] \dut.rmw_q_0_q ;
    (* hierconn *) wire [1:0] \dut.rmw_q_1_q ;
    (* hierconn *) wire [1:0] \dut.store_q_0_q ;
    (* hierconn *) wire [1:0] \dut.store_q_1_q ;
    (* hierconn *) wire [5:0] \dut.now_q_q ;
    (* hierconn *) wire \dut.sweep_q_q ;
    wire [3:0] rmw = {\dut.rmw_q_1_q , \dut.rmw_q_0_q };
    wire [3:0] store = {\dut.store_q_1_q , \dut.store_q_0_q };
    wire [5:0] now = \dut.now_q_q ;

    // {way, set}
    (* anyconst *) wire [1:0] line;
    wire line_set = line[0];
    wire line_way = line[1];
    wire is_rmw = rmw[line];
    wire is_store = store[line];
    wire here = set == line_set && way[line_way];
    wire [2:0] rmw_in_set = rmw[{1'b0, set}] + rmw[{1'b1, set}];
    wire [2:0] locked_in_set = rmw_in_set + store[{1'b0, set}] + store[{1'b1, set}];

    wire [4:0] owner_of_0;
    wire [4:0] owner_of_1;
    wire [5:0] stamp_of_0;
    wire [5:0] stamp_of_1;
    wire [5:0] sweep_of_0;
    wire [5:0] sweep_of_1;
    wire [4:0] kept_owner = line_way ? owner_of_1 : owner_of_0;
    wire [5:0] stamp = line_way ? stamp_of_1 : stamp_of_0;
    wire [5:0] sweep_stamp = line_way ? sweep_of_1 : sweep_of_0;

    memory_watch #(.MEMID("\\dut.owners_0.storage"), .ABITS(1), .WIDTH(5)) owners_0 (
        .CLK(1'b0), .EN(1'b1), .ADDR(line_set), .DATA(owner_of_0)
    );
    memory_watch #(.MEMID("\\dut.owners_1.storage"), .ABITS(1), .WIDTH(5)) owners_1 (
        .CLK(1'b0), .EN(1'b1), .ADDR(line_set), .DATA(owner_of_1)
    );
    memory_watch #(.MEMID("\\dut.stamps_0.storage"), .ABITS(1), .WIDTH(6)) stamps_0 (
        .CLK(1'b0), .EN(1'b1), .ADDR(line_set), .DATA(stamp_of_0)
    );
    memory_watch #(.MEMID("\\dut.stamps_1.storage"), .ABITS(1), .WIDTH(6)) stamps_1 (
        .CLK(1'b0), .EN(1'b1), .ADDR(line_set), .DATA(stamp_of_1)
    );
    memory_watch #(.MEMID("\\dut.sweep_stamps_0.storage"), .ABITS(1), .WIDTH(6)) sweep_stamps_0 (
        .CLK(1'b0), .EN(1'b1), .ADDR(line_set), .DATA(sweep_of_0)
    );
    memory_watch #(.MEMID("\\dut.sweep_stamps_1.storage"), .ABITS(1), .WIDTH(6)) sweep_stamps_1 (
        .CLK(1'b0), .EN(1'b1), .ADDR(line_set), .DATA(sweep_of_1)
    );

    // Who took the lock of `line`, as seen from outside, and how old it is.
    reg started = 1'b0;
    reg [4:0] owner;
    reg [7:0] age;
    wire took = here & ((take_rmw & !is_rmw & rmw_in_set < 1)
        | (take_store & !is_rmw & !is_store & locked_in_set < locked_ways_limit));

    // The cycle before.
    reg was_rmw;
    reg was_store;
    reg was_reset;
    reg was_owners_write;
    reg was_expired;
    reg was_taken;
    reg was_cp_access;
    reg was_rmw_taken;
    reg was_told;
    reg [1:0] was_cause;
    reg was_told_rmw;
    reg [4:0] was_told_owner;
    reg [7:0] was_told_age;
    reg [7:0] was_age;
    reg [4:0] was_owner;

    always @(posedge clk) begin
        started <= 1'b1;
        age <= took ? 8'd1 : age + (age != 8'hff);
        if (took) owner <= requester;
        was_rmw <= is_rmw;
        was_store <= is_store;
        was_reset <= rst;
        was_owners_write <= here & unlock & cp & requester == owner;
        was_expired <= expire & set == line_set & age >= watchdog_limit;
        was_taken <= took;
        was_cp_access <= here & touch & cp;
        was_rmw_taken <= here & take_rmw;
        was_told <= ended & set == line_set & ended_way[line_way];
        was_cause <= ended_cause;
        was_told_rmw <= ended_rmw;
        was_told_owner <= ended_owner;
        was_told_age <= ended_age;
        was_age <= age;
        was_owner <= owner;
    end

    always @* begin
        if (!started) assume_reset: assume (rst);
        assume_one_way: assume (way != 2'b11);
        // Only `touch` goes together with another command, `expire` acts on no way.
        assume_one_command: assume (unlock + take_rmw + take_store + expire <= 1 && !(touch & (unlock | expire))
            && !(expire & way != 0));
        // The bank drops what has expired in time, so that ages stay below 2^C.
        assume_dropped: assume (!(is_rmw | is_store) || age < 8'd62);
        if (started) begin
            prop_one_lock: assert ((rmw & store) == 0);
            prop_a_way_is_left: assert (!(rmw[0] & rmw[2]) && !(rmw[1] & rmw[3]));
            prop_ways_shown: assert (
                set != line_set || (rmw_ways[line_way] == is_rmw && store_ways[line_way] == is_store));
            prop_owner: assert (!here
                || (mine == (is_rmw & cp & requester == owner) && others == (is_rmw & !(cp & requester == owner))));
            prop_rmw_ends_only_so: assert (
                !(was_rmw & !is_rmw) || was_owners_write || was_expired || was_reset);
            prop_store_ends_only_so: assert (
                !(was_store & !is_store) || was_cp_access || was_rmw_taken || was_expired || was_reset);
            prop_owners_write_unlocks: assert (!(was_rmw & was_owners_write) || !is_rmw);
            prop_cp_access_unlocks: assert (!(was_store & was_cp_access & !was_rmw_taken) || !(is_store | is_rmw));
            prop_locks_only_so: assert (
                !((is_rmw & !was_rmw) | (is_store & !was_store)) || (was_taken && !was_reset));
            prop_end_told: assert (was_reset
                || (was_told == ((was_rmw & !is_rmw) | (was_store & !is_store))
                && (!was_told || (was_told_rmw == was_rmw && was_told_owner == was_owner && was_told_age == was_age))));
            prop_count: assert (
                locked_lines == rmw[0] + rmw[1] + rmw[2] + rmw[3] + store[0] + store[1] + store[2] + store[3]);
            prop_expired_seen: assert (
                !((is_rmw | is_store) && \dut.sweep_q_q == line_set && age >= watchdog_limit)
                || (expired && expired_set == line_set));

            aux_kept: assert (!(is_rmw | is_store)
                || (kept_owner == owner && stamp == sweep_stamp && {2'd0, now - stamp} == age && age != 0));

            cover_reset: cover (is_rmw && locked_lines == 3);
            cover_one_way: cover (was_rmw && was_owners_write);
            cover_one_command: cover (was_store && was_cp_access && was_told && was_rmw_taken && is_rmw);
            cover_dropped: cover (was_rmw && was_expired && was_cause == 1 && was_age >= watchdog_limit);
        end
    end
endmodule
