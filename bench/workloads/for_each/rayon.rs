use crate::{keep, numbers_to_sort, order_checksum, passes, Job};
use rayon::prelude::*;

fn cheap_step(item: &mut u32) {
    *item = item.wrapping_mul(1664525).wrapping_add(1013904223);
}

struct Stepping {
    size: u64,
    items: Vec<u32>,
}

impl Job for Stepping {
    fn prepare(&mut self) {
        self.items = numbers_to_sort(self.size as usize);
    }
    fn run(&mut self, is_serial: bool) {
        for _ in 0..passes(10_000_000, self.size) {
            if is_serial {
                self.items.iter_mut().for_each(cheap_step);
            } else {
                self.items.par_iter_mut().for_each(cheap_step);
            }
            keep(self.items.as_mut_ptr() as u64);
        }
    }
    fn checksum(&self) -> u64 {
        order_checksum(&self.items)
    }
}

pub fn make(size: u64) -> Box<dyn Job> {
    Box::new(Stepping { size, items: vec![] })
}
