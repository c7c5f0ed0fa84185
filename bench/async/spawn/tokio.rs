// Tasks that do nothing but count: spawned by the main thread, by one task, and each by the one before.
use crate::{counted, Countdown, Outcome};
use std::sync::Arc;
use tokio::runtime::Runtime;

pub fn from_outside(runtime: &Runtime, tasks: u64) -> Outcome {
    let (counter, is_done) = Countdown::new(tasks);
    for _ in 0..tasks {
        let counter = counter.clone();
        runtime.spawn(async move { counter.finish(1) });
    }
    is_done.recv().expect("the tasks end");
    counted(counter.total())
}

pub fn from_inside(runtime: &Runtime, tasks: u64) -> Outcome {
    let (counter, is_done) = Countdown::new(tasks);
    let inside = counter.clone();
    runtime.spawn(async move {
        for _ in 0..tasks {
            let counter = inside.clone();
            tokio::spawn(async move { counter.finish(1) });
        }
    });
    is_done.recv().expect("the tasks end");
    counted(counter.total())
}

fn link(counter: Arc<Countdown>, left: u64) {
    tokio::spawn(async move {
        if left > 1 {
            link(counter.clone(), left - 1);
        }
        counter.finish(1);
    });
}

pub fn chained(runtime: &Runtime, tasks: u64) -> Outcome {
    let (counter, is_done) = Countdown::new(tasks);
    let inside = counter.clone();
    runtime.spawn(async move { link(inside, tasks) });
    is_done.recv().expect("the tasks end");
    counted(counter.total())
}
