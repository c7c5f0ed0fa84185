package main

import "sync/atomic"

// Pairs of goroutines, one pair per ping, all at once: the first sends a value and waits for the second's answer.
func pingPong(pings uint64) uint64 {
	var sum uint64
	together(int(pings), func(int) {
		ping, pong := make(chan uint64, 1), make(chan uint64, 1)
		go func() { pong <- <-ping }()
		ping <- 1
		atomic.AddUint64(&sum, <-pong)
	})
	return sum
}

var makePingPong = shape(pingPong)
