// Numbers through one channel: one sender and one receiver, or four senders and one receiver. What is bounded holds 64.
use crate::{counted, Countdown, Outcome};
use tokio::runtime::Runtime;
use tokio::sync::mpsc;

const CAPACITY: usize = 64;
const SENDERS: u64 = 4;

fn bounded(runtime: &Runtime, messages: u64, senders: u64) -> Outcome {
    let (counter, is_done) = Countdown::new(1);
    let (sender, mut receiver) = mpsc::channel::<u64>(CAPACITY);
    for s in 0..senders {
        let sender = sender.clone();
        runtime.spawn(async move {
            for i in (s..messages).step_by(senders as usize) {
                sender.send(i).await.expect("the receiver is there");
            }
        });
    }
    drop(sender);
    let inside = counter.clone();
    runtime.spawn(async move {
        let mut sum = 0;
        while let Some(each) = receiver.recv().await {
            sum += each;
        }
        inside.finish(sum);
    });
    is_done.recv().expect("the tasks end");
    counted(counter.total())
}

fn unbounded(runtime: &Runtime, messages: u64, senders: u64) -> Outcome {
    let (counter, is_done) = Countdown::new(1);
    let (sender, mut receiver) = mpsc::unbounded_channel::<u64>();
    for s in 0..senders {
        let sender = sender.clone();
        runtime.spawn(async move {
            for i in (s..messages).step_by(senders as usize) {
                sender.send(i).expect("the receiver is there");
            }
        });
    }
    drop(sender);
    let inside = counter.clone();
    runtime.spawn(async move {
        let mut sum = 0;
        while let Some(each) = receiver.recv().await {
            sum += each;
        }
        inside.finish(sum);
    });
    is_done.recv().expect("the tasks end");
    counted(counter.total())
}

pub fn spsc(runtime: &Runtime, messages: u64) -> Outcome {
    bounded(runtime, messages, 1)
}
pub fn spsc_unbounded(runtime: &Runtime, messages: u64) -> Outcome {
    unbounded(runtime, messages, 1)
}
pub fn mpsc(runtime: &Runtime, messages: u64) -> Outcome {
    bounded(runtime, messages, SENDERS)
}
pub fn mpsc_unbounded(runtime: &Runtime, messages: u64) -> Outcome {
    unbounded(runtime, messages, SENDERS)
}
