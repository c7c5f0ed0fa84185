use crate::{keep, Job, Number};

#[inline(never)]
fn serial_skynet(first: u64, leaves: u64) -> u64 {
    if leaves == 1 {
        return first;
    }
    let each = leaves / 10;
    (0..10).fold(0, |sum, i| keep(sum + serial_skynet(first + i * each, each)))
}

/// The first child, and perhaps at the same time the others: halving them took longer.
fn children(first: u64, each: u64, count: u64) -> u64 {
    if count == 1 {
        return skynet(first, each);
    }
    let (one, others) = rayon::join(|| skynet(first, each), || children(first + each, each, count - 1));
    one + others
}

#[inline(never)]
fn skynet(first: u64, leaves: u64) -> u64 {
    if leaves == 1 { first } else { children(first, leaves / 10, 10) }
}

pub fn make(size: u64) -> Box<dyn Job> {
    Number::new(size, |n| serial_skynet(0, n), |n| skynet(0, n))
}
