package main

import (
	"runtime"
	"sync"
)

// Eight goroutines that hand one lock to each other: each yields while it holds it, so that all others stand in line.
func mutexHandOver(times uint64) uint64 {
	const goroutines = 8
	var lock sync.Mutex
	var guarded uint64
	together(goroutines, func(int) {
		for i := uint64(0); i != times/goroutines; i++ {
			lock.Lock()
			runtime.Gosched()
			guarded++
			lock.Unlock()
		}
	})
	return guarded
}

var makeMutex = shape(mutexHandOver)
