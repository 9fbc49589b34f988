// The properties of `LockUnit`, for `lock_unit.v` and `lock_unit_real.v`. Before it stand the macros of the size.
//
// The line in `line_set` and `line_way` is any line: what is proved for it is proved for all.

    (* hierconn *) wire [(1<<`SET_BITS)-1:0] \dut.locked.written_q_q ;
    (* hierconn *) wire [(1<<`SET_BITS)-1:0] \dut.sweep_locked.written_q_q ;
    (* hierconn *) wire [`TIME_BITS-1:0] \dut.now_q_q ;
    (* hierconn *) wire [`SET_BITS-1:0] \dut.sweep_q_q ;

    (* anyconst *) wire [`SET_BITS-1:0] line_set;
    (* anyconst *) wire [`WAY_BITS-1:0] line_way;
    // Another way of its set.
    (* anyconst *) wire [`WAY_BITS-1:0] other_way;

    // The set of the line: a bit for each way, and what is kept of each. A word of flags that was not written since
    // reset is zero.
    wire [`WAYS-1:0] locked_word;
    wire [`WAYS-1:0] sweep_word;
    wire [`WAYS-1:0] rmw_word;
    memory_watch #(.MEMID("\\dut.locked.words.storage"), .ABITS(`SET_BITS), .WIDTH(`WAYS)) locked_watch (
        .CLK(1'b0), .EN(1'b1), .ADDR(line_set), .DATA(locked_word)
    );
    memory_watch #(.MEMID("\\dut.sweep_locked.words.storage"), .ABITS(`SET_BITS), .WIDTH(`WAYS)) sweep_locked_watch (
        .CLK(1'b0), .EN(1'b1), .ADDR(line_set), .DATA(sweep_word)
    );
    memory_watch #(.MEMID("\\dut.rmws.storage"), .ABITS(`SET_BITS), .WIDTH(`WAYS)) rmw_watch (
        .CLK(1'b0), .EN(1'b1), .ADDR(line_set), .DATA(rmw_word)
    );
    wire [`WAYS-1:0] locked_of_set = \dut.locked.written_q_q [line_set] ? locked_word : 0;
    wire [`WAYS-1:0] sweep_of_set = \dut.sweep_locked.written_q_q [line_set] ? sweep_word : 0;
    wire [`WAYS-1:0] rmw_of_set = locked_of_set & rmw_word;
    wire [`WAYS-1:0] store_of_set = locked_of_set & ~rmw_word;
    wire [`WAYS*`WAYS-1:0] elders;
    wire [5*`WAYS-1:0] owners;
    wire [`TIME_BITS*`WAYS-1:0] stamps;
    wire [`TIME_BITS*`WAYS-1:0] sweep_stamps;
    wire [`WAYS-1:0] before_line;
    genvar w;
    generate
        for (w = 0; w < `WAYS; w = w + 1) begin : ways
            localparam [15:0] NUMBER = w < 10 ? "0" + w : "10" + w - 10;
            memory_watch #(.MEMID({"\\dut.elders_", NUMBER, ".storage"}), .ABITS(`SET_BITS), .WIDTH(`WAYS)) elders_watch (
                .CLK(1'b0), .EN(1'b1), .ADDR(line_set), .DATA(elders[`WAYS * w +: `WAYS])
            );
            // It was locked before the way of the line: of two ways the word of the higher one says it.
            assign before_line[w] = w < line_way ? elders[`WAYS * line_way + w] : w > line_way ? !elders[`WAYS * w + line_way] : 1'b0;
            memory_watch #(.MEMID({"\\dut.owners_", NUMBER, ".storage"}), .ABITS(`SET_BITS), .WIDTH(5)) owner_watch (
                .CLK(1'b0), .EN(1'b1), .ADDR(line_set), .DATA(owners[5 * w +: 5])
            );
            memory_watch #(.MEMID({"\\dut.stamps_", NUMBER, ".storage"}), .ABITS(`SET_BITS), .WIDTH(`TIME_BITS)) stamp_watch (
                .CLK(1'b0), .EN(1'b1), .ADDR(line_set), .DATA(stamps[`TIME_BITS * w +: `TIME_BITS])
            );
            memory_watch #(.MEMID({"\\dut.sweep_stamps_", NUMBER, ".storage"}), .ABITS(`SET_BITS), .WIDTH(`TIME_BITS)) sweep_watch (
                .CLK(1'b0), .EN(1'b1), .ADDR(line_set), .DATA(sweep_stamps[`TIME_BITS * w +: `TIME_BITS])
            );
        end
    endgenerate
    wire is_rmw = rmw_of_set[line_way];
    wire is_store = store_of_set[line_way];
    wire is_locked = locked_of_set[line_way];
    wire [4:0] kept_owner = owners[5 * line_way +: 5];
    wire [`TIME_BITS-1:0] stamp = stamps[`TIME_BITS * line_way +: `TIME_BITS];
    wire [`TIME_BITS-1:0] sweep_stamp = sweep_stamps[`TIME_BITS * line_way +: `TIME_BITS];
    wire here = set == line_set && way[line_way];
    // The line that a command is about, if any.
    wire [`WAYS-1:0] named = expire ? expire_way : way;
    // The line is asked about.
    wire hit_here = set == line_set && hit_way[line_way];

    function [4:0] ones(input [`WAYS-1:0] bits);
        integer i;
        begin
            ones = 0;
            for (i = 0; i < `WAYS; i = i + 1) if (bits[i]) ones = ones + 5'd1;
        end
    endfunction

    // Which of the two ways was locked last, as seen from outside, and as the block has it.
    wire [`WAYS-1:0] takes = set == line_set ? way & (
        {`WAYS{take_rmw & rmw_room}} & ~rmw_of_set | {`WAYS{take_store & store_room}} & ~locked_of_set) : 0;
    reg [`WAY_BITS-1:0] last;
    wire [`WAY_BITS-1:0] higher = line_way > other_way ? line_way : other_way;
    wire [`WAY_BITS-1:0] lower = line_way > other_way ? other_way : line_way;
    wire order = elders[`WAYS * higher + lower];

    // Who took the lock of the line, as seen from outside, and how old it is.
    reg started = 1'b0;
    reg [4:0] owner;
    reg [`TIME_BITS+1:0] age;
    wire took = takes[line_way];

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
    reg was_expire;
    reg was_evicted;
    reg [1:0] was_cause;
    reg was_told_rmw;
    reg [4:0] was_told_owner;
    reg [`TIME_BITS+1:0] was_told_age;
    reg [`TIME_BITS+1:0] was_age;
    reg [4:0] was_owner;
    reg was_named;
    reg was_any_named;
    reg [15:0] was_lines;

    always @(posedge clk) begin
        started <= 1'b1;
        age <= took ? 1 : age + !(&age);
        if (took) owner <= requester;
        if (took) last <= line_way;
        else if (takes[other_way]) last <= other_way;
        was_rmw <= is_rmw;
        was_store <= is_store;
        was_reset <= rst;
        was_owners_write <= here & unlock & cp & requester == owner;
        was_expired <= expire & set == line_set & age >= watchdog_limit;
        was_taken <= took;
        was_cp_access <= here & touch & cp;
        was_rmw_taken <= here & take_rmw;
        was_told <= ended & set == line_set & ended_way[line_way];
        was_expire <= expire;
        was_evicted <= took & take_rmw & evict;
        was_cause <= ended_cause;
        was_told_rmw <= ended_rmw;
        was_told_owner <= ended_owner;
        was_told_age <= ended_age;
        was_age <= age;
        was_owner <= owner;
        was_named <= set == line_set & named[line_way];
        was_any_named <= |named;
        was_lines <= locked_lines;
    end

    always @* begin
        if (!started) assume_reset: assume (rst);
        assume_one_way: assume ((way & (way - 1'b1)) == 0 && (hit_way & (hit_way - 1'b1)) == 0);
        // Only `touch` goes together with another command, `expire` acts on no way.
        assume_one_command: assume (unlock + take_rmw + take_store + expire <= 1 && !(touch & (unlock | expire))
            && !(expire & way != 0));
        // The bank drops what has expired in time, so that ages stay below 2^C.
        assume_dropped: assume (!is_locked || age < (1 << `TIME_BITS) - 2);
        if (started) begin
            prop_ways_shown: assert (set != line_set || (rmw_ways == rmw_of_set && store_ways == store_of_set));
            prop_room: assert (rmw_room == (ones(rmw_ways) < `WAYS - 1)
                && store_room == (ones(rmw_ways | store_ways) < locked_ways_limit));
            aux_sweep_sees: assert (sweep_of_set == locked_of_set);
            prop_a_way_is_left: assert (!(&rmw_of_set));
            aux_kept: assert (!is_locked
                || (kept_owner == owner && stamp == sweep_stamp && {2'd0, \dut.now_q_q - stamp} == age && age != 0));
            prop_owner: assert (!hit_here
                || (mine == (is_rmw & cp & requester == owner) && others == (is_rmw & !(cp & requester == owner))));
            prop_one_end: assert (!ended || (ended_way != 0 && (ended_way & (ended_way - 1'b1)) == 0));
            // The lowest of those that have expired.
            prop_expire_way: assert ((expire_way & (expire_way - 1'b1)) == 0
                && (set != line_set || !expire_way[line_way] || (is_locked && age >= watchdog_limit))
                && (set != line_set || !is_locked || age < watchdog_limit || (expire_way & ((2 << line_way) - 1)) != 0));
            // The bit of two ways says which was locked last: the order is that of time, so one of the STORE locks is
            // the oldest.
            prop_order: assert (line_way == other_way || !is_locked || !locked_of_set[other_way] || order == (last == higher));
            prop_oldest: assert (set != line_set || oldest_store[line_way] == (is_store && (store_of_set & before_line) == 0));
            prop_end_told: assert (was_reset
                || (was_told == ((was_rmw & !is_rmw) | (was_store & !is_store))
                && (!was_told || (was_told_rmw == was_rmw && was_told_owner == was_owner && was_told_age == was_age
                    && was_cause == (was_expire ? 2'd1 : was_evicted ? 2'd2 : 2'd0)))));
            prop_rmw_ends_only_so: assert (
                !(was_rmw & !is_rmw) || was_owners_write || was_expired || was_reset);
            prop_store_ends_only_so: assert (
                !(was_store & !is_store) || was_cp_access || was_rmw_taken || was_expired || was_reset);
            prop_owners_write_unlocks: assert (!(was_rmw & was_owners_write) || !is_rmw);
            prop_cp_access_unlocks: assert (!(was_store & was_cp_access & !was_rmw_taken) || !is_locked);
            prop_locks_only_so: assert (
                !((is_rmw & !was_rmw) | (is_store & !was_store)) || (was_taken && !was_reset));
            prop_expired_seen: assert (
                !(is_locked && \dut.sweep_q_q == line_set && age >= watchdog_limit && watchdog_limit != 0)
                || (expired && expired_set == line_set));
            // Only the line that the command is about is locked or unlocked, and that changes the number of locks by
            // one.
            prop_count: assert (was_reset ? locked_lines == 0 && !is_locked
                : {15'd0, is_locked} - {15'd0, was_rmw | was_store} == (was_named ? locked_lines - was_lines : 16'd0));
            prop_count_kept: assert (was_reset || was_any_named || locked_lines == was_lines);

            cover_reset: cover (is_rmw && locked_lines == 3);
            cover_one_way: cover (was_rmw && was_owners_write && hit_way != 0);
            cover_one_command: cover (was_store && was_cp_access && was_told && was_rmw_taken && is_rmw);
            cover_dropped: cover (was_rmw && was_expired && was_cause == 1 && was_age >= watchdog_limit);
        end
    end
