use crate::{numbers_to_sort, order_checksum, Job};

const INSERTION: usize = 32;
const SERIAL_MERGE: usize = 2048;

fn by_insertion(items: &mut [u32]) {
    for i in 1..items.len() {
        let moving = items[i];
        let mut at = i;
        while at != 0 && items[at - 1] > moving {
            items[at] = items[at - 1];
            at -= 1;
        }
        items[at] = moving;
    }
}

fn serial_merge(left: &[u32], right: &[u32], to: &mut [u32]) {
    let (mut a, mut b, mut t) = (0, 0, 0);
    while a != left.len() && b != right.len() {
        // All three places are inside: a and b by the condition, and `to` is as long as both.
        unsafe {
            let (x, y) = (*left.get_unchecked(a), *right.get_unchecked(b));
            let is_right = y < x;
            *to.get_unchecked_mut(t) = if is_right { y } else { x };
            a += !is_right as usize;
            b += is_right as usize;
        }
        t += 1;
    }
    let rest = left.len() - a;
    to[t..t + rest].copy_from_slice(&left[a..]);
    to[t + rest..].copy_from_slice(&right[b..]);
}

fn merge(left: &[u32], right: &[u32], to: &mut [u32]) {
    if left.len() + right.len() <= SERIAL_MERGE {
        return serial_merge(left, right, to);
    }
    let place = |of: &[u32], what: u32| of.partition_point(|each| *each < what);
    let (l, r) = if left.len() >= right.len() {
        (left.len() / 2, place(right, left[left.len() / 2]))
    } else {
        (place(left, right[right.len() / 2]), right.len() / 2)
    };
    let (before, behind) = to.split_at_mut(l + r);
    rayon::join(|| merge(&left[..l], &right[..r], before), || merge(&left[l..], &right[r..], behind));
}

fn mergesort(items: &mut [u32], other: &mut [u32], into_other: bool, is_serial: bool) {
    if items.len() <= INSERTION {
        by_insertion(items);
        if into_other {
            other.copy_from_slice(items);
        }
        return;
    }
    let half = items.len() / 2;
    {
        let (i1, i2) = items.split_at_mut(half);
        let (o1, o2) = other.split_at_mut(half);
        if is_serial {
            mergesort(i1, o1, !into_other, true);
            mergesort(i2, o2, !into_other, true);
        } else {
            rayon::join(|| mergesort(i1, o1, !into_other, false), || mergesort(i2, o2, !into_other, false));
        }
    }
    let (from, to) = if into_other { (items, other) } else { (other, items) };
    let (left, right) = from.split_at(half);
    if is_serial {
        serial_merge(left, right, to);
    } else {
        merge(left, right, to);
    }
}

struct Sorting {
    unsorted: Vec<u32>,
    items: Vec<u32>,
    other: Vec<u32>,
}

impl Job for Sorting {
    fn prepare(&mut self) {
        self.items.clone_from(&self.unsorted);
    }
    fn run(&mut self, is_serial: bool) {
        mergesort(&mut self.items, &mut self.other, false, is_serial);
    }
    fn checksum(&self) -> u64 {
        order_checksum(&self.items)
    }
}

pub fn make(size: u64) -> Box<dyn Job> {
    Box::new(Sorting { unsorted: numbers_to_sort(size as usize), items: vec![], other: vec![0; size as usize] })
}
