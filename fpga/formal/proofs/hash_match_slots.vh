// All slots and links of `hash_match_2`, as the request that decides finds them.
    (* hierconn *) wire [1:0] \dut.first_ways_q_q ;
    (* hierconn *) wire [1:0] \dut.second_ways_q_q ;
    (* hierconn *) wire \dut.stash_ways_q_q ;
    (* hierconn *) wire [1:0] \dut.first_hits ;
    (* hierconn *) wire [1:0] \dut.second_hits ;
    (* hierconn *) wire \dut.stash_hits ;
    (* hierconn *) wire \dut.first_1_q_q ;
    (* hierconn *) wire \dut.first_2_q_q ;
    (* hierconn *) wire \dut.first_3_q_q ;
    (* hierconn *) wire \dut.second_1_q_q ;
    (* hierconn *) wire \dut.second_2_q_q ;
    (* hierconn *) wire \dut.second_3_q_q ;
    (* hierconn *) wire [133:0] \dut.written ;
    (* hierconn *) wire [133:0] \dut.stash.slots_0.slot_q_q ;
    (* hierconn *) wire [133:0] \dut.first.ways_0.memory_read_data ;
    (* hierconn *) wire [133:0] \dut.first.ways_1.memory_read_data ;
    (* hierconn *) wire [133:0] \dut.second.ways_0.memory_read_data ;
    (* hierconn *) wire [133:0] \dut.second.ways_1.memory_read_data ;
    (* hierconn *) wire \dut.first.ways_0.bucket_q_q ;
    (* hierconn *) wire \dut.first.ways_1.bucket_q_q ;
    (* hierconn *) wire \dut.second.ways_0.bucket_q_q ;
    (* hierconn *) wire \dut.second.ways_1.bucket_q_q ;
    wire [535:0] read = {
        \dut.second.ways_1.memory_read_data , \dut.second.ways_0.memory_read_data , \dut.first.ways_1.memory_read_data ,
        \dut.first.ways_0.memory_read_data
    };
    wire [3:0] buckets_read = {
        \dut.second.ways_1.bucket_q_q , \dut.second.ways_0.bucket_q_q , \dut.first.ways_1.bucket_q_q , \dut.first.ways_0.bucket_q_q
    };
    wire first_2 = \dut.first_2_q_q ;
    wire second_2 = \dut.second_2_q_q ;

    // The words of all slots, by {second bank, bucket, way}, 8 being the stash, and the links.
    wire [1205:0] stored;
    wire [95:0] links;
    assign stored[134*8 +: 134] = \dut.stash.slots_0.slot_q_q ;
    genvar n;
    generate
        for (n = 0; n < 2; n = n + 1) begin : buckets
            localparam [0:0] at = n;
            memory_watch #(.MEMID("\\dut.first.ways_0.memory.mem.storage"), .ABITS(1), .WIDTH(134)) way_0 (
                .CLK(1'b0), .EN(1'b1), .ADDR(at), .DATA(stored[134*(2*n) +: 134])
            );
            memory_watch #(.MEMID("\\dut.first.ways_1.memory.mem.storage"), .ABITS(1), .WIDTH(134)) way_1 (
                .CLK(1'b0), .EN(1'b1), .ADDR(at), .DATA(stored[134*(2*n+1) +: 134])
            );
            memory_watch #(.MEMID("\\dut.second.ways_0.memory.mem.storage"), .ABITS(1), .WIDTH(134)) way_2 (
                .CLK(1'b0), .EN(1'b1), .ADDR(at), .DATA(stored[134*(2*n+4) +: 134])
            );
            memory_watch #(.MEMID("\\dut.second.ways_1.memory.mem.storage"), .ABITS(1), .WIDTH(134)) way_3 (
                .CLK(1'b0), .EN(1'b1), .ADDR(at), .DATA(stored[134*(2*n+5) +: 134])
            );
        end
        for (n = 0; n < 8; n = n + 1) begin : numbers
            localparam [2:0] at = n;
            memory_watch #(.MEMID("\\dut.links.storage"), .ABITS(3), .WIDTH(12)) link (
                .CLK(1'b0), .EN(1'b1), .ADDR(at), .DATA(links[12*n +: 12])
            );
        end
    endgenerate

    // The slots as the request that decides finds them: what is on its way is there.
    wire [3:0] first_bucket = {{2{first_2}}, {2{!first_2}}};
    wire [3:0] second_bucket = {{2{second_2}}, {2{!second_2}}};
    wire [3:0] first_write = {{2{\dut.first_3_q_q }}, {2{!\dut.first_3_q_q }}} & {2{\dut.first_ways_q_q }};
    wire [3:0] second_write = {{2{\dut.second_3_q_q }}, {2{!\dut.second_3_q_q }}} & {2{\dut.second_ways_q_q }};
    wire [8:0] coming = {\dut.stash_ways_q_q , second_write, first_write};
    // Those of the buckets of its key; those with its key; that which it changes.
    wire [8:0] looked_at = {1'b1, second_bucket, first_bucket};
    wire [8:0] hits = {\dut.stash_hits , {2{\dut.second_hits }}, {2{\dut.first_hits }}} & looked_at;
    wire [8:0] changes = {\dut.stash_ways_q_d , {2{\dut.second_ways_q_d }}, {2{\dut.first_ways_q_d }}} & looked_at;

    // Of each slot: in use, in use by the key, by that of the request; what waits, and the ends of its chain.
    wire [8:0] used;
    wire [8:0] has;
    wire [8:0] wanted;
    wire [8:0] kinds;
    wire [26:0] heads;
    wire [26:0] seconds;
    wire [26:0] tails;
    wire [8:0] single;
    wire [8:0] small_ends;
    wire [8:0] small_second;
    generate
        for (n = 0; n < 9; n = n + 1) begin : all_slots
            wire [133:0] slot = coming[n] ? \dut.written : stored[134*n +: 134];
            assign used[n] = slot[0];
            assign has[n] = slot[0] && slot[97:2] == key;
            assign wanted[n] = slot[0] && slot[97:2] == asked_key;
            assign kinds[n] = slot[1];
            assign heads[3*n +: 3] = {slot[99:98], slot[1]};
            assign seconds[3*n +: 3] = {slot[111:110], slot[1]};
            assign tails[3*n +: 3] = {slot[123:122], slot[1]};
            assign single[n] = slot[109:98] == slot[133:122];
            assign small_ends[n] = slot[109:100] == 0 && slot[133:124] == 0;
            assign small_second[n] = slot[121:112] == 0;
        end
    endgenerate
