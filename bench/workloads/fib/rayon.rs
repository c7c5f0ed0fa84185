use crate::{Job, Number};
use std::hint::black_box;

#[inline(never)]
fn serial_fib(n: u64) -> u64 {
    if n < 2 {
        return n;
    }
    black_box(serial_fib(n - 1)) + black_box(serial_fib(n - 2))
}

#[inline(never)]
fn fib(n: u64) -> u64 {
    if n < 2 {
        return n;
    }
    let (a, b) = rayon::join(|| fib(n - 1), || fib(n - 2));
    a + b
}

pub fn make(size: u64) -> Box<dyn Job> {
    Number::new(size, serial_fib, fib)
}
