use crate::{keep, Job, Number};

#[inline(never)]
fn tiny_left(i: u64) -> u64 {
    keep(i) * 3 + 1
}

#[inline(never)]
fn tiny_right(i: u64) -> u64 {
    keep(i) ^ 5
}

fn serial(size: u64) -> u64 {
    (0..size).fold(0, |sum, i| sum + tiny_left(i) + tiny_right(i))
}

fn parallel(size: u64) -> u64 {
    (0..size).fold(0, |sum, i| {
        let (a, b) = rayon::join(|| tiny_left(i), || tiny_right(i));
        sum + a + b
    })
}

pub fn make(size: u64) -> Box<dyn Job> {
    Number::new(size, serial, parallel)
}
