use crate::Job;

const BLOCK: usize = 32;

/// Corners of the blocks inside square matrices, and the extents of the product.
#[derive(Clone, Copy)]
struct Product {
    a: *const f64,
    b: *const f64,
    c: *mut f64,
    stride: usize,
    rows: usize,
    inner: usize,
    columns: usize,
}

// The halves that run at the same time write different parts of c.
unsafe impl Send for Product {}
unsafe impl Sync for Product {}

impl Product {
    #[inline(never)]
    fn by_loops(&self) {
        for i in 0..self.rows {
            // The rows lie inside the matrices.
            let (a, c) = unsafe {
                (
                    std::slice::from_raw_parts(self.a.add(i * self.stride), self.inner),
                    std::slice::from_raw_parts_mut(self.c.add(i * self.stride), self.columns),
                )
            };
            for (k, factor) in a.iter().enumerate() {
                let b = unsafe { std::slice::from_raw_parts(self.b.add(k * self.stride), self.columns) };
                for (to, from) in c.iter_mut().zip(b) {
                    *to += factor * from;
                }
            }
        }
    }

    fn multiply(self, is_serial: bool) {
        if self.rows <= BLOCK && self.inner <= BLOCK && self.columns <= BLOCK {
            return self.by_loops();
        }
        let (mut first, mut second) = (self, self);
        let mut is_independent = true;
        // The corners stay inside the matrices.
        unsafe {
            if self.rows >= self.inner && self.rows >= self.columns {
                first.rows = self.rows / 2;
                second.rows = self.rows - first.rows;
                second.a = self.a.add(first.rows * self.stride);
                second.c = self.c.add(first.rows * self.stride);
            } else if self.columns >= self.inner {
                first.columns = self.columns / 2;
                second.columns = self.columns - first.columns;
                second.b = self.b.add(first.columns);
                second.c = self.c.add(first.columns);
            } else {
                is_independent = false;
                first.inner = self.inner / 2;
                second.inner = self.inner - first.inner;
                second.a = self.a.add(first.inner);
                second.b = self.b.add(first.inner * self.stride);
            }
        }
        if is_serial || !is_independent {
            first.multiply(is_serial);
            second.multiply(is_serial);
        } else {
            rayon::join(|| first.multiply(false), || second.multiply(false));
        }
    }
}

struct Matrices {
    n: usize,
    a: Vec<f64>,
    b: Vec<f64>,
    c: Vec<f64>,
}

impl Job for Matrices {
    fn prepare(&mut self) {
        self.c.fill(0.0);
    }
    fn run(&mut self, is_serial: bool) {
        Product {
            a: self.a.as_ptr(),
            b: self.b.as_ptr(),
            c: self.c.as_mut_ptr(),
            stride: self.n,
            rows: self.n,
            inner: self.n,
            columns: self.n,
        }
        .multiply(is_serial);
    }
    fn checksum(&self) -> u64 {
        let part = |(i, x): (usize, &f64)| (*x as u64).wrapping_mul(i as u64 % 97 + 1);
        self.c.iter().enumerate().map(part).fold(0, u64::wrapping_add)
    }
}

pub fn make(size: u64) -> Box<dyn Job> {
    let n = size as usize;
    Box::new(Matrices {
        n,
        a: (0..n * n).map(|i| ((i * 7 + 3) % 10) as f64).collect(),
        b: (0..n * n).map(|i| ((i * 3 + 1) % 10) as f64).collect(),
        c: vec![0.0; n * n],
    })
}
