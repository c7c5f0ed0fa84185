package main

import "sync"

type board [20]int8

func fits(queens *board, row, column int) bool {
	for above := 0; above != row; above++ {
		across, down := column-int(queens[above]), row-above
		if across == 0 || across == down || across == -down {
			return false
		}
	}
	return true
}

func serialNqueens(queens *board, row, n int) uint64 {
	if row == n {
		return 1
	}
	var found uint64
	for column := 0; column != n; column++ {
		if fits(queens, row, column) {
			queens[row] = int8(column)
			found += serialNqueens(queens, row+1, n)
		}
	}
	return found
}

// The first column from `column` on in which a queen fits; n: there is none.
func nextFit(queens *board, row, n, column int) int {
	for column < n && !fits(queens, row, column) {
		column++
	}
	return column
}

func nqueens(queens board, row, n int) uint64 {
	if row == n {
		return 1
	}
	first := nextFit(&queens, row, n, 0)
	if first == n {
		return 0
	}
	// What the goroutines share lies on the heap, from here on only. The copy has no address taken, so that it lies in
	// the closure.
	above := queens
	var found [20]uint64
	var group sync.WaitGroup
	place := func(column int) {
		next := above
		next[row] = int8(column)
		found[column] = nqueens(next, row+1, n)
	}
	for column := nextFit(&queens, row, n, first+1); column != n; column = nextFit(&queens, row, n, column+1) {
		group.Add(1)
		go func(column int) {
			place(column)
			group.Done()
		}(column)
	}
	place(first)
	group.Wait()
	var sum uint64
	for _, each := range found {
		sum += each
	}
	return sum
}

var makeNqueens = number(
	func(size uint64) uint64 { return serialNqueens(&board{}, 0, int(size)) },
	func(size uint64) uint64 { return nqueens(board{}, 0, int(size)) })
