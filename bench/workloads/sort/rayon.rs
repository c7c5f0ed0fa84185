use crate::{numbers_to_sort, order_checksum, Job};
use rayon::prelude::*;

struct Sorting {
    unsorted: Vec<u32>,
    items: Vec<u32>,
}

impl Job for Sorting {
    fn prepare(&mut self) {
        self.items.clone_from(&self.unsorted);
    }
    fn run(&mut self, is_serial: bool) {
        if is_serial {
            self.items.sort_unstable();
        } else {
            self.items.par_sort_unstable();
        }
    }
    fn checksum(&self) -> u64 {
        order_checksum(&self.items)
    }
}

pub fn make(size: u64) -> Box<dyn Job> {
    Box::new(Sorting { unsorted: numbers_to_sort(size as usize), items: vec![] })
}
