// How long it takes until a task starts that comes from outside while all workers sleep.
use crate::Outcome;
use std::sync::mpsc;
use std::time::{Duration, Instant};
use tokio::runtime::Runtime;

const PAUSE: Duration = Duration::from_micros(500);

fn late_ns(runtime: &Runtime, tasks: u64, share: f64) -> Outcome {
    let (send, started) = mpsc::channel();
    let mut all: Vec<u64> = Vec::new();
    for _ in 0..tasks {
        std::thread::sleep(PAUSE);
        let send = send.clone();
        let before = Instant::now();
        runtime.spawn(async move { send.send(before.elapsed().as_nanos() as u64).expect("somebody waits") });
        all.push(started.recv().expect("it starts"));
    }
    all.sort_unstable();
    let late = all[(share * (all.len() - 1) as f64) as usize];
    Outcome { checksum: all.len() as u64, ns: Some(late * tasks), bytes: None }
}

pub fn median(runtime: &Runtime, tasks: u64) -> Outcome {
    late_ns(runtime, tasks, 0.5)
}

pub fn p99(runtime: &Runtime, tasks: u64) -> Outcome {
    late_ns(runtime, tasks, 0.99)
}
