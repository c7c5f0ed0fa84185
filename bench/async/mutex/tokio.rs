// Eight tasks that hand one lock to each other: each yields while it holds it, so that all others stand in line.
use crate::{counted, Countdown, Outcome};
use std::sync::Arc;
use tokio::runtime::Runtime;
use tokio::sync::Mutex;

const TASKS: u64 = 8;

pub fn run(runtime: &Runtime, times: u64) -> Outcome {
    let (counter, is_done) = Countdown::new(TASKS);
    let guarded = Arc::new(Mutex::new(0u64));
    for _ in 0..TASKS {
        let (counter, guarded) = (counter.clone(), guarded.clone());
        runtime.spawn(async move {
            for _ in 0..times / TASKS {
                let mut held = guarded.lock().await;
                tokio::task::yield_now().await;
                *held += 1;
            }
            counter.finish_one();
        });
    }
    is_done.recv().expect("the tasks end");
    let sum = *guarded.blocking_lock();
    counted(sum)
}
