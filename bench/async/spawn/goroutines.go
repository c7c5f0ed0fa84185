package main

import (
	"sync"
	"sync/atomic"
)

// Goroutines that do nothing but count: started by the main one, by another one, and each by the one before.
func spawnMany(tasks uint64) uint64 {
	var ran uint64
	var group sync.WaitGroup
	group.Add(int(tasks))
	for i := uint64(0); i != tasks; i++ {
		go func() {
			atomic.AddUint64(&ran, 1)
			group.Done()
		}()
	}
	group.Wait()
	return ran
}

func spawnInside(tasks uint64) uint64 {
	result := make(chan uint64)
	go func() { result <- spawnMany(tasks) }()
	return <-result
}

func link(left, ran uint64, done chan<- uint64) {
	if left == 0 {
		done <- ran
		return
	}
	go link(left-1, ran+1, done)
}

func chainedSpawn(tasks uint64) uint64 {
	done := make(chan uint64)
	go link(tasks, 0, done)
	return <-done
}

var makeSpawnMany = shape(spawnMany)
var makeSpawnInside = shape(spawnInside)
var makeChainedSpawn = shape(chainedSpawn)
