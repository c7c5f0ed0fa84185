// The asynchronous shapes on tokio's multi-thread scheduler. The protocol is that of
// bench/workloads/harness/program.hpp.
mod channel;
mod mutex;
mod ping_pong;
mod spawn;
mod timer;
mod tree;
mod wake;
#[path = "yield.rs"]
mod yields;

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{mpsc, Arc};
use std::time::{Duration, Instant};
use tokio::runtime::{Builder, Runtime};

/// What one run brought.
#[derive(Default)]
pub struct Outcome {
    pub checksum: u64,
    pub ns: Option<u64>,    // instead of the time of the whole run
    pub bytes: Option<u64>, // memory that was held at its height
}

pub fn counted(checksum: u64) -> Outcome {
    Outcome { checksum, ..Outcome::default() }
}

/// Counts tasks down; the last one tells.
pub struct Countdown {
    left: AtomicU64,
    pub sum: AtomicU64,
    done: mpsc::SyncSender<()>,
}

impl Countdown {
    pub fn new(tasks: u64) -> (Arc<Countdown>, mpsc::Receiver<()>) {
        let (done, is_done) = mpsc::sync_channel(1);
        (Arc::new(Countdown { left: AtomicU64::new(tasks), sum: AtomicU64::new(0), done }), is_done)
    }
    pub fn finish_one(&self) {
        if self.left.fetch_sub(1, Ordering::AcqRel) == 1 {
            self.done.send(()).expect("somebody waits");
        }
    }
    /// So many operations were done by a task that ends.
    pub fn finish(&self, operations: u64) {
        self.sum.fetch_add(operations, Ordering::Relaxed);
        self.finish_one();
    }
    pub fn total(&self) -> u64 {
        self.sum.load(Ordering::Acquire)
    }
}

/// The memory of this process.
pub fn resident_bytes() -> u64 {
    let text = std::fs::read_to_string("/proc/self/statm").expect("/proc");
    let pages: u64 = text.split(' ').nth(1).and_then(|each| each.parse().ok()).expect("a number of pages");
    pages * 4096
}

type Shape = fn(&Runtime, u64) -> Outcome;

const SHAPES: [(&str, Shape); 16] = [
    ("spawn_many", spawn::from_outside),
    ("spawn_inside", spawn::from_inside),
    ("chained_spawn", spawn::chained),
    ("yield_many", yields::many),
    ("ping_pong", ping_pong::run),
    ("spsc", channel::spsc),
    ("spsc_unbounded", channel::spsc_unbounded),
    ("mpsc", channel::mpsc),
    ("mpsc_unbounded", channel::mpsc_unbounded),
    ("mutex", mutex::run),
    ("sleepers", timer::sleepers),
    ("timer_churn", timer::churn),
    ("fib", tree::run_fib),
    ("skynet", tree::run_skynet),
    ("wake", wake::median),
    ("wake_p99", wake::p99),
];

extern "C" {
    fn clock_gettime(clock: i32, at: *mut [i64; 2]) -> i32;
}

/// CPU time of the process: Rust's library has no clock for it, the C library has.
fn cpu_ns() -> u64 {
    const CLOCK_PROCESS_CPUTIME_ID: i32 = 2;
    let mut at = [0i64; 2];
    unsafe { clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &mut at) };
    at[0] as u64 * 1_000_000_000 + at[1] as u64
}

/// As in workloads/harness/main.cpp.
const WARM_UP: Duration = Duration::from_millis(100);

fn measure(run: Shape, size: u64, runtime: &Runtime, repetitions: u64) {
    let started = Instant::now();
    let mut is_warm = false;
    let mut done = 0;
    while done != repetitions {
        let cpu = cpu_ns();
        let began = Instant::now();
        let outcome = run(runtime, size);
        let ns = outcome.ns.unwrap_or(began.elapsed().as_nanos() as u64);
        let cpu = cpu_ns() - cpu;
        if !is_warm {
            is_warm = started.elapsed() >= WARM_UP;
            continue;
        }
        done += 1;
        let bytes = outcome.bytes.map_or(String::new(), |each| format!(", \"bytes\": {each}"));
        println!("{{\"ns\": {ns}, \"cpu_ns\": {cpu}, \"checksum\": \"{}\"{bytes}}}", outcome.checksum);
    }
}

fn main() {
    let words: Vec<String> = std::env::args().collect();
    if words.len() == 2 && words[1] == "--about" {
        let names: Vec<String> = SHAPES.iter().map(|(name, _)| format!("\"{name}\"")).collect();
        println!(
            "{{\"runtime\": \"tokio {}\", \"language\": \"Rust\", \"compiler\": \"{}\", \"flags\": \"opt-level=3 lto \
             codegen-units=1 target-cpu=native\", \"has_serial\": false, \"workloads\": [{}]}}",
            option_env!("FILCH_TOKIO_VERSION").unwrap_or("1"),
            option_env!("FILCH_RUSTC_VERSION").unwrap_or("rustc"),
            names.join(", ")
        );
        return;
    }
    let number = |i: usize| words.get(i).and_then(|text| text.parse::<u64>().ok());
    let run = SHAPES.iter().find(|(name, _)| words.len() == 5 && *name == words[1]);
    let (run, size, threads, repetitions) = match (run, number(2), number(3), number(4)) {
        (Some((_, run)), Some(size), Some(threads @ 1..), Some(repetitions)) => (*run, size, threads, repetitions),
        _ => {
            eprintln!("usage: {} --about | WORKLOAD SIZE THREADS REPETITIONS; --about lists the workloads", words[0]);
            std::process::exit(2);
        }
    };
    let runtime =
        Builder::new_multi_thread().worker_threads(threads as usize).enable_time().build().expect("a runtime");
    measure(run, size, &runtime, repetitions);
}
