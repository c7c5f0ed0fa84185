//! Threads on chosen CPUs, as in team.cpp, and clocks. The C library is there in any case; the crate that declares it
//! need not be.

use std::sync::Mutex;
use std::time::{Duration, Instant};

const WORDS: usize = 16; // 1024 CPUs, as cpu_set_t has
type CpuSet = [u64; WORDS];

#[repr(C)]
struct TimeSpec {
    seconds: i64,
    nanoseconds: i64,
}

const CLOCK_THREAD_CPUTIME_ID: i32 = 3;

extern "C" {
    fn sched_getaffinity(pid: i32, bytes: usize, set: *mut CpuSet) -> i32;
    fn sched_setaffinity(pid: i32, bytes: usize, set: *const CpuSet) -> i32;
    fn clock_gettime(clock: i32, time: *mut TimeSpec) -> i32;
}

/// The CPUs this process could use when it was first asked.
fn usable_cpus() -> Vec<usize> {
    static CPUS: Mutex<Vec<usize>> = Mutex::new(Vec::new());
    let mut cpus = CPUS.lock().expect("nobody panics with it");
    if cpus.is_empty() {
        let mut set: CpuSet = [0; WORDS];
        unsafe { sched_getaffinity(0, std::mem::size_of::<CpuSet>(), &mut set) };
        cpus.extend((0..WORDS * 64).filter(|cpu| set[cpu / 64] >> (cpu % 64) & 1 == 1));
    }
    cpus.clone()
}

pub fn usable_cpu_count() -> usize {
    usable_cpus().len()
}

/// Binds the calling thread to the n-th usable CPU, modulo their number.
pub fn pin_to(n: usize) {
    let cpus = usable_cpus();
    if let Some(cpu) = cpus.get(n % cpus.len().max(1)) {
        let mut set: CpuSet = [0; WORDS];
        set[cpu / 64] = 1 << (cpu % 64);
        unsafe { sched_setaffinity(0, std::mem::size_of::<CpuSet>(), &set) };
    }
}

/// The CPU time of the calling thread: what others do on its CPU does not count.
pub fn thread_cpu_time() -> Duration {
    let mut time = TimeSpec { seconds: 0, nanoseconds: 0 };
    unsafe { clock_gettime(CLOCK_THREAD_CPUTIME_ID, &mut time) };
    Duration::new(time.seconds as u64, time.nanoseconds as u32)
}

/// Real time since the first call.
pub fn real_time() -> Duration {
    static BEGIN: Mutex<Option<Instant>> = Mutex::new(None);
    BEGIN.lock().expect("nobody panics with it").get_or_insert_with(Instant::now).elapsed()
}
