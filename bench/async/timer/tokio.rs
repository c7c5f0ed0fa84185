// Tasks that all sleep at the same time; and timers that are set and never fire.
use crate::{resident_bytes, Countdown, Outcome};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::Arc;
use std::time::Duration;
use tokio::runtime::Runtime;

const TASKS: u64 = 8;

/// The memory before the first run.
fn bytes_before() -> u64 {
    static BEFORE: AtomicU64 = AtomicU64::new(0);
    if BEFORE.load(Ordering::Relaxed) == 0 {
        BEFORE.store(resident_bytes(), Ordering::Relaxed);
    }
    BEFORE.load(Ordering::Relaxed)
}

pub fn sleepers(runtime: &Runtime, tasks: u64) -> Outcome {
    let before = bytes_before();
    let (counter, is_done) = Countdown::new(tasks);
    let asleep = Arc::new(AtomicU64::new(0));
    // Long enough for all to be asleep before the first wakes.
    let span = Duration::from_micros(u64::max(20_000, 3 * tasks));
    for _ in 0..tasks {
        let (counter, asleep) = (counter.clone(), asleep.clone());
        runtime.spawn(async move {
            asleep.fetch_add(1, Ordering::Relaxed);
            tokio::time::sleep(span).await;
            counter.finish(1);
        });
    }
    while asleep.load(Ordering::Relaxed) != tasks {
        std::thread::sleep(Duration::from_millis(1));
    }
    let bytes = resident_bytes().saturating_sub(before);
    is_done.recv().expect("the tasks end");
    Outcome { checksum: counter.total(), ns: None, bytes: Some(bytes) }
}

pub fn churn(runtime: &Runtime, timers: u64) -> Outcome {
    let (counter, is_done) = Countdown::new(TASKS);
    for _ in 0..TASKS {
        let counter = counter.clone();
        runtime.spawn(async move {
            let mut done = 0;
            while done != timers / TASKS {
                let in_time = tokio::time::timeout(Duration::from_secs(3600), tokio::task::yield_now()).await;
                done += in_time.is_ok() as u64;
            }
            counter.finish(done);
        });
    }
    is_done.recv().expect("the tasks end");
    Outcome { checksum: counter.total(), ..Outcome::default() }
}
