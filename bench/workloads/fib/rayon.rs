use crate::{keep, Job, Number};

#[inline(never)]
fn serial_fib(n: u64) -> u64 {
    if n < 2 {
        return n;
    }
    keep(serial_fib(n - 1)) + keep(serial_fib(n - 2))
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
