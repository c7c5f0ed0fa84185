//! The loops of deque_bench.cpp and park_bench.cpp over crossbeam-deque and std::thread::park. A change there needs the
//! same change here.
//!
//!     crossbeam_micro --list                 the names
//!     crossbeam_micro <name> <min time s>    one JSON line: {"name": …, "ns": …}
//!
//! Sums are compared as there. FILCH_BENCH_RUN_MS is the real time of a contended run.

use crossbeam_deque::{Steal, Stealer, Worker};
use std::hint::spin_loop;
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
use std::time::{Duration, Instant};

mod system;

const BATCH: usize = 1024;
const FILL: usize = 1024;
const ROBBERIES: usize = 1001;
const PAIRS_SUM: usize = BATCH * (BATCH - 1) / 2;

/// What several threads read all the time, alone on its lines: see team.hpp.
#[repr(align(128))]
struct Alone<T>(T);

struct Outcome {
    ns: f64,
    stolen_share: Option<f64>,
}

impl From<f64> for Outcome {
    fn from(ns: f64) -> Self {
        Outcome { ns, stolen_share: None }
    }
}

/// Repeats `batch`, which does `per_batch` operations, until `min_time` has passed on `clock`; ns per operation.
fn repeat(min_time: Duration, clock: fn() -> Duration, per_batch: usize, mut batch: impl FnMut()) -> f64 {
    for _ in 0..16 {
        batch();
    }
    let mut rounds = 16u64;
    loop {
        let begin = clock();
        for _ in 0..rounds {
            batch();
        }
        let took = clock() - begin;
        if took >= min_time {
            return took.as_secs_f64() * 1e9 / (rounds as f64 * per_batch as f64);
        }
        rounds *= 2;
    }
}

fn pair(min_time: Duration, below: usize) -> f64 {
    let owner = Worker::<usize>::new_lifo();
    for _ in 0..below {
        owner.push(0);
    }
    repeat(min_time, system::thread_cpu_time, BATCH, || {
        let mut sum = 0usize;
        for i in 0..BATCH {
            owner.push(i);
            sum = sum.wrapping_add(owner.pop().unwrap_or(usize::MAX));
        }
        assert_eq!(sum, PAIRS_SUM);
    })
}

fn fill_drain(min_time: Duration, n: usize) -> f64 {
    let owner = Worker::<usize>::new_lifo();
    repeat(min_time, system::thread_cpu_time, n, || {
        let mut sum = 0usize;
        for i in 0..n {
            owner.push(i);
        }
        for _ in 0..n {
            sum = sum.wrapping_add(owner.pop().unwrap_or(usize::MAX));
        }
        assert_eq!(sum, n * (n - 1) / 2);
    })
}

/// Fills a victim, times `rob` alone, and checks its sum. The median of many such robberies, in ns per item.
fn robbery(mut rob: impl FnMut(&Stealer<usize>) -> usize) -> f64 {
    let owner = Worker::<usize>::new_lifo();
    let thief = owner.stealer();
    let mut times: Vec<Duration> = Vec::with_capacity(ROBBERIES);
    for _ in 0..ROBBERIES {
        for i in 0..FILL {
            owner.push(i);
        }
        let begin = Instant::now();
        let sum = rob(&thief);
        times.push(begin.elapsed());
        assert_eq!(sum, FILL * (FILL - 1) / 2);
    }
    times.sort();
    times[ROBBERIES / 2].as_secs_f64() * 1e9 / FILL as f64
}

fn steal() -> f64 {
    robbery(|thief| {
        let mut sum = 0usize;
        for _ in 0..FILL {
            if let Steal::Success(item) = thief.steal() {
                sum += item;
            }
        }
        sum
    })
}

fn steal_half() -> f64 {
    let loot = Worker::<usize>::new_lifo();
    robbery(|thief| {
        let mut sum = 0usize;
        while let Steal::Success(first) = thief.steal_batch_and_pop(&loot) {
            sum += first;
            while let Some(item) = loot.pop() {
                sum += item;
            }
        }
        sum
    })
}

fn run_time() -> Duration {
    let ms = std::env::var("FILCH_BENCH_RUN_MS").ok().and_then(|text| text.parse().ok()).unwrap_or(100);
    Duration::from_millis(ms)
}

fn contended(thieves: usize, burst: usize) -> Outcome {
    let owner = Worker::<usize>::new_lifo();
    let stop = Alone(AtomicBool::new(false));
    let ready = AtomicUsize::new(0);
    let stolen_items = AtomicU64::new(0);
    let stolen_sum = AtomicU64::new(0);
    let others = system::usable_cpu_count().max(2) - 1;
    let (mut items, mut sum, mut next) = (0u64, 0u64, 0usize);
    let mut took = Duration::ZERO;
    std::thread::scope(|scope| {
        for n in 0..thieves {
            let thief = owner.stealer();
            let (stop, ready, stolen_items, stolen_sum) = (&stop, &ready, &stolen_items, &stolen_sum);
            scope.spawn(move || {
                system::pin_to(1 + n % others);
                ready.fetch_add(1, Ordering::Release);
                let (mut items, mut sum) = (0u64, 0u64);
                while !stop.0.load(Ordering::Relaxed) {
                    if let Steal::Success(item) = thief.steal() {
                        sum += item as u64;
                        items += 1;
                    } else {
                        spin_loop();
                    }
                }
                stolen_items.fetch_add(items, Ordering::Relaxed);
                stolen_sum.fetch_add(sum, Ordering::Relaxed);
            });
        }
        system::pin_to(0);
        while ready.load(Ordering::Acquire) != thieves {
            std::thread::yield_now();
        }
        let begin = Instant::now();
        while begin.elapsed() < run_time() {
            let mut done = 0;
            while done < BATCH {
                for _ in 0..burst {
                    owner.push(next);
                    next += 1;
                }
                while let Some(item) = owner.pop() {
                    sum += item as u64;
                    items += 1;
                }
                done += burst;
            }
        }
        took = begin.elapsed();
        stop.0.store(true, Ordering::Relaxed);
    });
    let (next, stolen) = (next as u64, stolen_items.into_inner());
    assert_eq!(items + stolen, next);
    assert_eq!(sum + stolen_sum.into_inner(), next * (next - 1) / 2);
    Outcome { ns: took.as_secs_f64() * 1e9 / next as f64, stolen_share: Some(stolen as f64 / next as f64) }
}

/// Two threads on two CPUs wake each other in turn; ns per round trip.
fn ping_pong(min_time: Duration) -> f64 {
    let (here, there) = (AtomicBool::new(false), AtomicBool::new(false));
    let stop = AtomicBool::new(false);
    let wait_for = |token: &AtomicBool| {
        while !token.swap(false, Ordering::Acquire) {
            std::thread::park();
        }
    };
    let main = std::thread::current();
    system::pin_to(0);
    std::thread::scope(|scope| {
        let helper = scope.spawn(|| {
            system::pin_to(1);
            loop {
                wait_for(&there);
                if stop.load(Ordering::Relaxed) {
                    return;
                }
                here.store(true, Ordering::Release);
                main.unpark();
            }
        });
        let ns = repeat(min_time, system::real_time, 1, || {
            there.store(true, Ordering::Release);
            helper.thread().unpark();
            wait_for(&here);
        });
        stop.store(true, Ordering::Relaxed);
        there.store(true, Ordering::Release);
        helper.thread().unpark();
        ns
    })
}

type Bench = (&'static str, fn(Duration) -> Outcome);

const ALL: &[Bench] = &[
    ("pair_empty/crossbeam", |t| pair(t, 0).into()),
    ("pair_deep/crossbeam", |t| pair(t, 16).into()),
    ("fill_drain_64/crossbeam", |t| fill_drain(t, 64).into()),
    ("fill_drain_1024/crossbeam", |t| fill_drain(t, 1024).into()),
    ("steal/crossbeam", |_| steal().into()),
    ("steal_half/crossbeam", |_| steal_half().into()),
    ("contended_pairs_1_thief/crossbeam", |_| contended(1, 1)),
    ("contended_pairs_2_thieves/crossbeam", |_| contended(2, 1)),
    ("contended_bursts_1_thief/crossbeam", |_| contended(1, 64)),
    ("contended_bursts_2_thieves/crossbeam", |_| contended(2, 64)),
    ("ping_pong/rust_park", |t| ping_pong(t).into()),
];

fn main() {
    let args: Vec<String> = std::env::args().collect();
    if args.len() == 2 && args[1] == "--list" {
        ALL.iter().for_each(|(name, _)| println!("{name}"));
        return;
    }
    let seconds = args.get(2).and_then(|text| text.parse::<f64>().ok()).filter(|s| *s > 0.0 && *s < 3600.0);
    let bench = args.get(1).and_then(|name| ALL.iter().find(|(known, _)| known == name));
    let (name, run, seconds) = match (bench, seconds) {
        (Some((name, run)), Some(seconds)) => (name, run, seconds),
        _ => {
            eprintln!("usage: crossbeam_micro --list | <name out of --list> <min time in seconds, above 0>");
            std::process::exit(2);
        }
    };
    let Outcome { ns, stolen_share } = run(Duration::from_secs_f64(seconds));
    let share = stolen_share.map(|share| format!(", \"stolen_share\": {share}")).unwrap_or_default();
    println!("{{\"name\": \"{name}\", \"ns\": {ns}{share}}}");
}
