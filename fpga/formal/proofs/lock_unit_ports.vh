// Ports of `LockUnit`, for `lock_unit.v` and `lock_unit_real.v`: the inputs are free.
    input wire clk,
    input wire rst,
    input wire [`TIME_BITS-2:0] watchdog_limit,
    input wire [4:0] locked_ways_limit,
    input wire [`SET_BITS-1:0] set,
    input wire [`WAYS-1:0] hit_way,
    input wire [`WAYS-1:0] way,
    input wire cp,
    input wire [4:0] requester,
    input wire unlock,
    input wire touch,
    input wire take_rmw,
    input wire take_store,
    input wire evict,
    input wire expire
);
    wire [`WAYS-1:0] rmw_ways;
    wire [`WAYS-1:0] store_ways;
    wire [`WAYS-1:0] oldest_store;
    wire mine;
    wire others;
    wire rmw_room;
    wire store_room;
    wire [`WAYS-1:0] expire_way;
    wire ended;
    wire [`WAYS-1:0] ended_way;
    wire [1:0] ended_cause;
    wire ended_rmw;
    wire [4:0] ended_owner;
    wire [`TIME_BITS-1:0] ended_age;
    wire expired;
    wire [`SET_BITS-1:0] expired_set;
    wire [15:0] locked_lines;

    `LOCK_UNIT dut (
        .clk(clk),
        .rst(rst),
        .watchdog_limit(watchdog_limit),
        .locked_ways_limit(locked_ways_limit),
        .set_(set),
        .hit_way(hit_way),
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
        .expire_way(expire_way),
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
