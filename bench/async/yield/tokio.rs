// 200 tasks that yield in turn.
use crate::{counted, Countdown, Outcome};
use tokio::runtime::Runtime;

const TASKS: u64 = 200;

pub fn many(runtime: &Runtime, yields: u64) -> Outcome {
    let (counter, is_done) = Countdown::new(TASKS);
    for _ in 0..TASKS {
        let counter = counter.clone();
        runtime.spawn(async move {
            let mut done = 0;
            while done != yields / TASKS {
                tokio::task::yield_now().await;
                done += 1;
            }
            counter.finish(done);
        });
    }
    is_done.recv().expect("the tasks end");
    counted(counter.total())
}
