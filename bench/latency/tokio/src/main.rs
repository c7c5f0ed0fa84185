//! The measurements of filch_latency over tokio's multi-thread scheduler. A change there needs the same change here.
//!
//!     tokio_latency --list              the names of all measurements
//!     tokio_latency --about             one JSON line: how the runtime was built
//!     tokio_latency <name> <amount>     one JSON line: what was measured

use std::sync::atomic::{AtomicI64, AtomicU64, Ordering};
use std::sync::{mpsc, Arc};
use std::time::{Duration, Instant};
use tokio::runtime::{Builder, Handle, Runtime};

const WARM_UP: usize = 100;
const TASKS_BEFORE: u64 = 1000;
const REPETITIONS: usize = 5; // and one before them to warm up

type Metrics = Vec<(&'static str, f64)>;

// ---- the system -----------------------------------------------------------------------------------------------------

#[repr(C)]
struct TimeSpec {
    seconds: i64,
    nanoseconds: i64,
}

extern "C" {
    fn clock_gettime(clock: i32, time: *mut TimeSpec) -> i32;
}

/// The CPU time that all threads of this process have used.
fn process_cpu_ns() -> i64 {
    const CLOCK_PROCESS_CPUTIME_ID: i32 = 2;
    let mut used = TimeSpec { seconds: 0, nanoseconds: 0 };
    unsafe { clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &mut used) };
    used.seconds * 1_000_000_000 + used.nanoseconds
}

/// The value below which `share` of the values lie; sorts them.
fn quantile(values: &mut [f64], share: f64) -> f64 {
    values.sort_by(f64::total_cmp);
    values[(share * (values.len() - 1) as f64) as usize]
}

// ---- the runtimes ---------------------------------------------------------------------------------------------------

/// With drivers one of the sleeping workers waits in epoll, as under #[tokio::main]; without, all wait for a condition.
fn make_runtime(workers: usize, has_drivers: bool) -> Runtime {
    let mut builder = Builder::new_multi_thread();
    builder.worker_threads(workers);
    if has_drivers {
        builder.enable_all();
    }
    builder.build().expect("a runtime starts")
}

// ---- the measurements -----------------------------------------------------------------------------------------------

/// How late each start was; -1: not yet started.
struct Starts(Vec<AtomicI64>);

impl Starts {
    fn new(count: u64) -> Arc<Starts> {
        Arc::new(Starts((0..count as usize + WARM_UP).map(|_| AtomicI64::new(-1)).collect()))
    }
    fn note(&self, number: usize, before: Instant) {
        self.0[number].store((Instant::now() - before).as_nanos() as i64, Ordering::Release);
    }
    fn wait(&self) {
        while self.0.iter().any(|late| late.load(Ordering::Acquire) < 0) {
            std::thread::sleep(Duration::from_millis(1));
        }
    }
    fn metrics(&self, cpu_ns: i64) -> Metrics {
        let mut values: Vec<f64> = self.0[WARM_UP..].iter().map(|late| late.load(Ordering::Relaxed) as f64).collect();
        let cpu_each_ns = cpu_ns as f64 / values.len() as f64;
        vec![
            ("median_ns", quantile(&mut values, 0.5)),
            ("p99_ns", quantile(&mut values, 0.99)),
            ("cpu_ns", cpu_each_ns),
        ]
    }
}

fn submit_to_start(has_drivers: bool, count: u64) -> Metrics {
    let runtime = make_runtime(2, has_drivers);
    let handle = runtime.handle();
    let starts = Starts::new(count);
    let mut cpu_ns = 0;
    for i in 0..count as usize + WARM_UP {
        if i == WARM_UP {
            cpu_ns = process_cpu_ns();
        }
        std::thread::sleep(Duration::from_millis(1));
        let mine = starts.clone();
        let before = Instant::now();
        handle.spawn(async move { mine.note(i, before) });
    }
    starts.wait();
    starts.metrics(process_cpu_ns() - cpu_ns)
}

/// From a task that ends after the start.
fn spawn_to_start(count: u64) -> Metrics {
    let runtime = make_runtime(2, false);
    let handle = runtime.handle();
    let starts = Starts::new(count);
    let mut cpu_ns = 0;
    for i in 0..count as usize + WARM_UP {
        if i == WARM_UP {
            cpu_ns = process_cpu_ns();
        }
        std::thread::sleep(Duration::from_millis(1));
        let mine = starts.clone();
        handle.spawn(async move {
            let before = Instant::now();
            tokio::spawn(async move { mine.note(i, before) });
        });
    }
    starts.wait();
    starts.metrics(process_cpu_ns() - cpu_ns)
}

/// From a task that sleeps between two starts.
fn timer_spawn_to_start(count: u64) -> Metrics {
    let runtime = make_runtime(2, true);
    let starts = Starts::new(count);
    let all = starts.clone();
    let cpu_ns = runtime.block_on(runtime.spawn(async move {
        let mut cpu_ns = 0;
        for i in 0..count as usize + WARM_UP {
            if i == WARM_UP {
                cpu_ns = process_cpu_ns();
            }
            tokio::time::sleep(Duration::from_millis(1)).await;
            let mine = all.clone();
            let before = Instant::now();
            tokio::spawn(async move { mine.note(i, before) });
        }
        cpu_ns
    }));
    starts.wait();
    starts.metrics(process_cpu_ns() - cpu_ns.expect("the task ends"))
}

fn idle_cost(has_drivers: bool, seconds: u64) -> Metrics {
    let runtime = make_runtime(2, has_drivers);
    let _ = spawn_outside(runtime.handle(), TASKS_BEFORE);
    let before_ns = process_cpu_ns();
    std::thread::sleep(Duration::from_secs(seconds));
    vec![("cpu_ns", (process_cpu_ns() - before_ns) as f64)]
}

/// Counts tasks down; the last one tells.
struct Countdown {
    left: AtomicU64,
    done: mpsc::SyncSender<()>,
}

impl Countdown {
    fn finish_one(&self) {
        if self.left.fetch_sub(1, Ordering::Relaxed) == 1 {
            self.done.send(()).expect("somebody waits");
        }
    }
}

fn countdown(tasks: u64) -> (Arc<Countdown>, mpsc::Receiver<()>) {
    let (done, is_done) = mpsc::sync_channel(1);
    (Arc::new(Countdown { left: AtomicU64::new(tasks), done }), is_done)
}

fn spawn_inside(handle: &Handle, tasks: u64) -> Duration {
    let (counted, is_done) = countdown(tasks);
    let begin = Instant::now();
    handle.spawn(async move {
        for _ in 0..tasks {
            let counted = counted.clone();
            tokio::spawn(async move { counted.finish_one() });
        }
    });
    is_done.recv().expect("the tasks end");
    begin.elapsed()
}

fn spawn_outside(handle: &Handle, tasks: u64) -> Duration {
    let (counted, is_done) = countdown(tasks);
    let begin = Instant::now();
    for _ in 0..tasks {
        let counted = counted.clone();
        handle.spawn(async move { counted.finish_one() });
    }
    is_done.recv().expect("the tasks end");
    begin.elapsed()
}

fn throughput(workers: usize, tasks: u64, once: fn(&Handle, u64) -> Duration) -> Metrics {
    let runtime = make_runtime(workers, false);
    let (mut each_ns, mut each_cpu_ns) = (Vec::new(), Vec::new());
    for i in 0..=REPETITIONS {
        let cpu_ns = process_cpu_ns();
        let took = once(runtime.handle(), tasks);
        let cpu_ns = process_cpu_ns() - cpu_ns;
        if i != 0 {
            each_ns.push(took.as_nanos() as f64 / tasks as f64);
            each_cpu_ns.push(cpu_ns as f64 / tasks as f64);
        }
    }
    vec![("median_ns", quantile(&mut each_ns, 0.5)), ("cpu_ns", quantile(&mut each_cpu_ns, 0.5))]
}

// ---- the program ----------------------------------------------------------------------------------------------------

type Measurement = (&'static str, fn(u64) -> Metrics);

const ALL: &[Measurement] = &[
    ("submit_to_start/tokio", |n| submit_to_start(false, n)),
    ("submit_to_start/tokio_drivers", |n| submit_to_start(true, n)),
    ("spawn_to_start/tokio", spawn_to_start),
    ("spawn_to_start/tokio_timer", timer_spawn_to_start),
    ("idle/tokio", |seconds| idle_cost(false, seconds)),
    ("idle/tokio_drivers", |seconds| idle_cost(true, seconds)),
    ("spawn_inside_1/tokio", |tasks| throughput(1, tasks, spawn_inside)),
    ("submit_outside_1/tokio", |tasks| throughput(1, tasks, spawn_outside)),
    ("spawn_inside_2/tokio", |tasks| throughput(2, tasks, spawn_inside)),
    ("submit_outside_2/tokio", |tasks| throughput(2, tasks, spawn_outside)),
];

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    match arguments.iter().map(String::as_str).collect::<Vec<_>>()[..] {
        ["--list"] => ALL.iter().for_each(|(name, _)| println!("{name}")),
        ["--about"] => println!("{{\"flags\": \"opt-level=3 lto codegen-units=1\"}}"),
        [name, amount] => {
            let found = ALL.iter().find(|(each, _)| *each == name);
            let (run, amount) = match (found, amount.parse::<u64>()) {
                (Some((_, run)), Ok(amount @ 1..)) => (run, amount),
                _ => {
                    eprintln!("tokio_latency: \"{name} {amount}\": --list shows the names; the amount is from 1 on");
                    std::process::exit(2);
                }
            };
            let parts: Vec<String> = run(amount).iter().map(|(key, value)| format!("\"{key}\": {value:.3}")).collect();
            println!("{{{}}}", parts.join(", "));
        }
        _ => {
            eprintln!("usage: tokio_latency --list | --about | <name> <amount, a whole number from 1 on>");
            std::process::exit(2);
        }
    }
}
