package main

import (
	"sync"
	"sync/atomic"
)

// Numbers through one channel that holds 64.
func channelSum(senders, receivers int) func(messages uint64) uint64 {
	return func(messages uint64) uint64 {
		numbers := make(chan uint64, 64)
		var sum uint64
		var sending sync.WaitGroup
		sending.Add(senders)
		for s := 0; s != senders; s++ {
			go func(s int) {
				for i := uint64(s); i < messages; i += uint64(senders) {
					numbers <- i
				}
				sending.Done()
			}(s)
		}
		go func() {
			sending.Wait()
			close(numbers)
		}()
		together(receivers, func(int) {
			mine := uint64(0)
			for each := range numbers {
				mine += each
			}
			atomic.AddUint64(&sum, mine)
		})
		return sum
	}
}

var makeSpsc = shape(channelSum(1, 1))
var makeMpsc = shape(channelSum(4, 1))
var makeMpmc = shape(channelSum(4, 4))
