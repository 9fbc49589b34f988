"""The blocks of the NIC that fall short of a ruler, and why each does (budget.py has the rulers). A block that comes to hold both is taken out: a run says so."""

REASONS = {
    "admission": "what packet and table entries say is judged and carried out in one cycle",
    "atomic_unit": "placed only; whether the serial unit is done enables 512 bits of operands in the same cycle",
    "command_stage": "whether the command at hand is a message that enters the pipeline is decided, and it is written into a queue, in one cycle",
    "completer": "whether the message at hand has an event is known late, and enables the 32 bits that the trace says of it; without these it takes 1.204 ns",
    "counter_unit": "the upper 48 bits of the next threshold are counted up straight from the output of the memory",
    "doorbell_writer": "what an acknowledgement covers decides in the same cycle which place of a memory is read and written next",
    "exact_match": "match_unit and hash_match in it; the states of its commands decide what is written to entries in one cycle",
    "hash_match": "placed only; what a request finds, what it decides, and what the next one must see of it (slots, stash, links) are one cycle",
    "header_writer": "which job is read next follows in the same cycle from an acknowledgement that is read and from a slot that failed",
    "initiator": "placed only; what the command at hand asks of four blocks around it, and what they answer, decides in the same cycle",
    "list_unit": "match_unit in it, and the commands of lists look at what they change in one cycle",
    "lookup_cache": "whether a tag is there decides in the same cycle whether a request waits, and so which counters change",
    "match_unit": "in one cycle the next chunk is looked up in one list after the other and goes to the banks; in cells a command that is done decides what is written",
    "md_table": "a descriptor is read from distributed memory and added to its offset in one cycle",
    "partitioned_match": "four match_unit in it",
    "queue_admission": "what is promised and what is read of a queue are read from distributed memory and compared in one cycle",
}
