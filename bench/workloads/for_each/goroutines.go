package main

import (
	"runtime"
	"sync"
)

func stepAll(items []uint32) {
	for i := range items {
		items[i] = items[i]*1664525 + 1013904223
	}
}

// One goroutine for each thread: what one writes in Go for such a loop.
func stepAllInParallel(items []uint32) {
	parts := runtime.GOMAXPROCS(0)
	var group sync.WaitGroup
	group.Add(parts)
	for i := 0; i != parts; i++ {
		go func(part []uint32) {
			stepAll(part)
			group.Done()
		}(items[len(items)*i/parts : len(items)*(i+1)/parts])
	}
	group.Wait()
}

func makeForEach(size uint64) measured {
	var items []uint32
	return measured{
		run: func(isSerial bool) {
			for i := passes(10000000, size); i != 0; i-- {
				if isSerial {
					stepAll(items)
				} else {
					stepAllInParallel(items)
				}
			}
		},
		checksum: func() uint64 { return orderChecksum(items) },
		prepare:  func() { items = numbersToSort(size) },
	}
}
