package main

import (
	"runtime"
	"sync/atomic"
)

// 200 goroutines that yield in turn.
func yieldMany(yields uint64) uint64 {
	const goroutines = 200
	var sum uint64
	together(goroutines, func(int) {
		done := uint64(0)
		for done != yields/goroutines {
			runtime.Gosched()
			done++
		}
		atomic.AddUint64(&sum, done)
	})
	return sum
}

var makeYieldMany = shape(yieldMany)
