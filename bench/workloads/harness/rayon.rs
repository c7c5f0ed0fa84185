// The workloads on rayon, and the same in serial Rust (THREADS = 0). The protocol is that of harness/program.hpp.
mod fib;
mod for_each;
mod join;
mod matmul;
mod mergesort;
mod nqueens;
mod skynet;
mod sort;
mod tree_sum;
mod uts;

use std::time::{Duration, Instant};

/// The compiler must believe that the value is looked at and changed here, and all memory that is known elsewhere: what
/// keep.hpp is in C++. std::hint::black_box is younger than Debian's compiler, and takes a way through memory.
#[inline(always)]
pub fn keep(mut value: u64) -> u64 {
    unsafe { std::arch::asm!("/* {0} */", inout(reg) value, options(nostack, preserves_flags)) };
    value
}

/// One workload of one size, ready to be measured.
pub trait Job: Send {
    fn prepare(&mut self) {}
    fn run(&mut self, is_serial: bool);
    fn checksum(&self) -> u64;
}

/// A number from a number.
pub struct Number {
    size: u64,
    serial: fn(u64) -> u64,
    parallel: fn(u64) -> u64,
    result: u64,
}

impl Number {
    pub fn new(size: u64, serial: fn(u64) -> u64, parallel: fn(u64) -> u64) -> Box<dyn Job> {
        Box::new(Number { size, serial, parallel, result: 0 })
    }
}

impl Job for Number {
    fn run(&mut self, is_serial: bool) {
        self.result = if is_serial { (self.serial)(self.size) } else { (self.parallel)(self.size) };
    }
    fn checksum(&self) -> u64 {
        self.result
    }
}

/// The numbers to sort: the same in every language.
pub fn numbers_to_sort(count: usize) -> Vec<u32> {
    let mut state: u64 = 88172645463325252;
    (0..count)
        .map(|_| {
            state ^= state << 13;
            state ^= state >> 7;
            state ^= state << 17;
            (state >> 33) as u32
        })
        .collect()
}

pub fn order_checksum(items: &[u32]) -> u64 {
    items.iter().fold(0u64, |sum, each| sum.wrapping_mul(31).wrapping_add(*each as u64))
}

/// Small inputs are gone through several times.
pub fn passes(together: u64, size: u64) -> u64 {
    if size >= together { 1 } else { together / size }
}

const WORKLOADS: [(&str, fn(u64) -> Box<dyn Job>); 11] = [
    ("fib", fib::make),
    ("nqueens", nqueens::make),
    ("skynet", skynet::make),
    ("matmul", matmul::make),
    ("mergesort", mergesort::make),
    ("sort", sort::make),
    ("uts_t1", uts::make_t1),
    ("uts_t3", uts::make_t3),
    ("tree_sum", tree_sum::make),
    ("for_each", for_each::make),
    ("join", join::make),
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

/// As in harness/main.cpp.
const WARM_UP: Duration = Duration::from_millis(100);

/// A run that is shorter is run several times in a turn, so often at most: as in harness/main.cpp.
const SHORT: Duration = Duration::from_millis(10);
const MOST_RUNS: usize = 15;

/// One run.
struct Sample {
    took: Duration,
    cpu_ns: u64,
}

fn run_once(job: &mut dyn Job, is_serial: bool) -> Sample {
    job.prepare();
    let cpu = cpu_ns();
    let began = Instant::now();
    job.run(is_serial);
    Sample { took: began.elapsed(), cpu_ns: cpu_ns() - cpu }
}

fn tell(made: &Sample, job: &dyn Job) {
    let (ns, cpu_ns) = (made.took.as_nanos(), made.cpu_ns);
    println!("{{\"ns\": {ns}, \"cpu_ns\": {cpu_ns}, \"checksum\": \"{}\"}}", job.checksum());
}

/// The last of the runs that do not count.
fn warm_up(job: &mut dyn Job, is_serial: bool) -> Sample {
    let started = Instant::now();
    loop {
        let made = run_once(job, is_serial);
        if started.elapsed() >= WARM_UP {
            return made;
        }
    }
}

/// Standard output is written line by line.
fn take_turns(job: &mut dyn Job, is_serial: bool) {
    let mut last = warm_up(job, is_serial).took;
    println!("{{\"ready\": true}}");
    for _ in std::io::stdin().lines() {
        if last < SHORT {
            run_once(job, is_serial);
        }
        let began = Instant::now();
        let mut runs = vec![run_once(job, is_serial)];
        while runs.len() != MOST_RUNS && began.elapsed() < SHORT {
            runs.push(run_once(job, is_serial));
        }
        last = runs[runs.len() - 1].took;
        runs.sort_by_key(|each| each.took);
        tell(&runs[(runs.len() - 1) / 2], job);
    }
}

/// Without a number of repetitions: in turns.
fn measure(job: &mut dyn Job, is_serial: bool, repetitions: Option<u64>) {
    let Some(repetitions) = repetitions else { return take_turns(job, is_serial) };
    warm_up(job, is_serial);
    for _ in 0..repetitions {
        let made = run_once(job, is_serial);
        tell(&made, job);
    }
}

fn main() {
    let words: Vec<String> = std::env::args().collect();
    if words.len() == 2 && words[1] == "--about" {
        let names: Vec<String> = WORKLOADS.iter().map(|(name, _)| format!("\"{name}\"")).collect();
        println!(
            "{{\"runtime\": \"rayon {}\", \"language\": \"Rust\", \"compiler\": \"{}\", \"flags\": \"opt-level=3 lto \
             codegen-units=1 target-cpu=native\", \"has_serial\": true, \"takes_turns\": true, \
             \"workloads\": [{}]}}",
            option_env!("FILCH_RAYON_VERSION").unwrap_or("1"),
            option_env!("FILCH_RUSTC_VERSION").unwrap_or("rustc"),
            names.join(", ")
        );
        return;
    }
    let number = |i: usize| words.get(i).and_then(|text| text.parse::<u64>().ok());
    let is_in_turns = words.get(4).map_or(false, |word| word == "turns");
    let (size, threads, repetitions) = match (number(2), number(3), number(4)) {
        (Some(size), Some(threads), repetitions) if repetitions.is_some() || is_in_turns => {
            (size, threads, repetitions)
        }
        _ => {
            eprintln!("usage: {} --about | WORKLOAD SIZE THREADS REPETITIONS|turns", words[0]);
            std::process::exit(2);
        }
    };
    let make = match WORKLOADS.iter().find(|(name, _)| *name == words[1]) {
        Some((_, make)) => make,
        None => {
            eprintln!("{} has no workload \"{}\"; --about lists them", words[0], words[1]);
            std::process::exit(2);
        }
    };
    let mut job = make(size);
    let threads = threads as usize;
    // Serial code runs on a thread of the pool, too: its stack is as large.
    let pool = rayon::ThreadPoolBuilder::new()
        .num_threads(threads.max(1))
        .stack_size(256 << 20)
        .build()
        .expect("a pool of threads");
    pool.install(|| measure(job.as_mut(), threads == 0, repetitions));
}
