//! Messages one by one, end to end.

use crate::fixture::*;
use xtq_testbench::aql::field;
use xtq_testbench::bus::MemoryTiming;
use xtq_testbench::bytes::Bytes;
use xtq_testbench::node::{Ack, GpuTiming, Node, NodeConfig};
use xtq_testbench::signals::Signals;
use xtq_testbench::tables::format::EVENT;
use xtq_types::event::status;

#[test]
fn a_kernel_message_is_enqueued_launched_and_completed() {
    let mut node = Node::new(&NodeConfig::default()).unwrap();
    set_up(&mut node, 0);
    node.attach_gpu(0, &queue(QUEUE), GpuTiming::default())
        .unwrap();
    node.memory.memory_mut(0).store_signal(KERNEL_SIGNAL, 1);
    let message = kernel_message(1, 100);
    node.send(&message);
    node.run_to_quiescence(5_000).unwrap();

    let [run] = node.gpus()[0].runs() else {
        panic!("one launch, not {:?}", node.gpus()[0].runs());
    };
    let packet = run.packet.unwrap();
    assert_eq!(field::KERNEL_OBJECT.read(&packet), KERNEL_OBJECT);
    assert_eq!(field::KERNARG_ADDRESS.read(&packet), BUFFER + 64);
    assert_eq!(field::COMPLETION_SIGNAL.read(&packet), KERNEL_SIGNAL);
    assert_eq!(field::RESERVED2.read(&packet), 0);
    let memory = node.memory.memory(0);
    assert_eq!(memory.load_signal(KERNEL_SIGNAL), 0, "the signal fell");
    assert_eq!(memory.read_u64(BUFFER + 64), TARGET_BUFFER);
    assert_eq!(memory.read_u64(BUFFER + 72), BUFFER + 128);
    let mut payload = [0; 100];
    memory.read(BUFFER + 128, &mut payload);
    assert_eq!(payload.to_vec(), pattern(100, 1));

    let events = node.take_events(0).unwrap();
    assert_eq!(events.len(), 1);
    assert_eq!(EVENT.get(&events[0], "status"), u64::from(status::OK));
    assert_eq!(EVENT.get(&events[0], "delivered_length"), 228);
    let ack = Ack::decode(&node.transmitted()[0]).unwrap();
    assert_eq!(
        (ack.ni_fail, ack.message_id, ack.delivered_length),
        (0, 1, 228)
    );

    let lines = node.timelines();
    let line = &lines[0];
    let stations = [
        line.arrived,
        line.parsed,
        line.admitted,
        line.rewritten,
        line.payload_visible,
        line.enqueued,
        line.doorbell,
        line.launched,
        line.completed,
    ];
    assert!(stations.iter().all(Option::is_some), "{line:?}");
    assert!(stations.is_sorted(), "{line:?}");
    assert_eq!((line.task_hit, line.queue_hit), (false, false));
    assert_eq!(line.packet, Some((QUEUE, 0)));
}

#[test]
fn every_kind_of_message_is_as_the_golden_model_says() {
    let mut checked = checked(&NodeConfig::default());
    for message in [
        kernel_message(1, 64),
        agent_message(2, 10),
        kernel_message(3, 0),
    ] {
        assert_eq!(deliver(&mut checked, &message).unwrap().status, status::OK);
    }
    let mut put = xtq_testbench::node::Message::put(4, pattern(1000, 4));
    put.ack_request = 2;
    assert_eq!(deliver(&mut checked, &put).unwrap().status, status::OK);
    let lines = checked.node.timelines();
    assert!(!lines[0].queue_hit && lines[1].queue_hit && lines[2].queue_hit);
    assert!(lines[2].task_hit);
}

#[test]
fn an_agent_dispatch_gets_buffer_and_payload_in_its_arguments() {
    let mut checked = checked(&NodeConfig::default());
    let gpu = GpuTiming {
        task: 5,
        ..GpuTiming::default()
    };
    checked.node.attach_gpu(0, &queue(QUEUE), gpu).unwrap();
    deliver(&mut checked, &agent_message(9, 32)).unwrap();
    let packet = checked.node.gpus()[0].runs()[0].packet.unwrap();
    let arguments = field::ARG.map(|argument| argument.read(&packet));
    assert_eq!(arguments, [TARGET_BUFFER, BUFFER + 64, 0x33, 0x44]);
    assert_eq!(field::RETURN_ADDRESS.read(&packet), FUNCTION_POINTER);
}

#[test]
fn a_message_of_many_packets_lands_in_one_piece() {
    let mut checked = checked(&NodeConfig::default());
    let outcome = deliver(&mut checked, &kernel_message(1, 10_000)).unwrap();
    assert_eq!(outcome.status, status::OK);
    assert_eq!(outcome.landing, Some((BUFFER, 10_128)));
}

#[test]
fn two_processes_use_the_same_virtual_addresses_apart() {
    let config = NodeConfig {
        timing: MemoryTiming::random(3),
        ..NodeConfig::default()
    };
    let mut checked = checked(&config);
    set_up(&mut checked.node, 2);
    let packets: Vec<Vec<u8>> = (0..6)
        .flat_map(|id| {
            let mut message = kernel_message(id, 70 + usize::from(id));
            message.target_context = if id % 2 == 0 { 0 } else { 2 };
            message.packets()
        })
        .collect();
    let outcomes = checked
        .deliver(&packets, 50_000)
        .unwrap_or_else(|error| panic!("{error}"));
    let ids = |context| -> Vec<u64> {
        let ours = outcomes.iter().filter(|outcome| outcome.context == context);
        ours.map(|outcome| outcome.task.unwrap().packet_id)
            .collect()
    };
    assert_eq!(ids(0), [0, 1, 2]);
    assert_eq!(ids(2), [0, 1, 2]);
}
