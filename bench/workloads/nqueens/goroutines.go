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

func nqueens(queens board, row, n int) uint64 {
	if row == n {
		return 1
	}
	var found [20]uint64
	var group sync.WaitGroup
	place := func(column int) {
		next := queens
		next[row] = int8(column)
		found[column] = nqueens(next, row+1, n)
	}
	first := -1
	for column := 0; column != n; column++ {
		if !fits(&queens, row, column) {
			continue
		}
		if first < 0 {
			first = column
			continue
		}
		group.Add(1)
		go func(column int) {
			place(column)
			group.Done()
		}(column)
	}
	if first >= 0 {
		place(first)
	}
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
