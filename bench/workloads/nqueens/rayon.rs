use crate::{Job, Number};

type Board = [i8; 20];

fn fits(queens: &Board, row: usize, column: usize) -> bool {
    (0..row).all(|above| {
        let across = column as i32 - queens[above] as i32;
        let down = (row - above) as i32;
        across != 0 && across != down && across != -down
    })
}

fn next_fit(queens: &Board, row: usize, n: usize, mut column: usize) -> usize {
    while column != n && !fits(queens, row, column) {
        column += 1;
    }
    column
}

#[inline(never)]
fn serial_nqueens(queens: &mut Board, row: usize, n: usize) -> u64 {
    if row == n {
        return 1;
    }
    let mut found = 0;
    let mut column = next_fit(queens, row, n, 0);
    while column != n {
        queens[row] = column as i8;
        found += serial_nqueens(queens, row + 1, n);
        column = next_fit(queens, row, n, column + 1);
    }
    found
}

/// A join between every queen that fits and the rest of its row.
fn nqueens_from(queens: &Board, row: usize, n: usize, column: usize) -> u64 {
    let place = || {
        let mut next = *queens;
        next[row] = column as i8;
        nqueens(&next, row + 1, n)
    };
    let further = next_fit(queens, row, n, column + 1);
    if further == n {
        return place();
    }
    let (here, rest) = rayon::join(place, || nqueens_from(queens, row, n, further));
    here + rest
}

fn nqueens(queens: &Board, row: usize, n: usize) -> u64 {
    if row == n {
        return 1;
    }
    let column = next_fit(queens, row, n, 0);
    if column == n { 0 } else { nqueens_from(queens, row, n, column) }
}

pub fn make(size: u64) -> Box<dyn Job> {
    Number::new(size, |n| serial_nqueens(&mut [0; 20], 0, n as usize), |n| nqueens(&[0; 20], 0, n as usize))
}
