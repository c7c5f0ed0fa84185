package main

import (
	"runtime"
	"sync"
	"sync/atomic"
	"time"
)

// Goroutines that all sleep at the same time.
func makeSleepers(size uint64) measured {
	before := residentBytes()
	var woken, bytes uint64
	span := time.Duration(3*size) * time.Microsecond // long enough for all to be asleep before the first wakes
	if span < 20*time.Millisecond {
		span = 20 * time.Millisecond
	}
	return measured{
		run: func(bool) {
			woken = 0
			var asleep uint64
			var group sync.WaitGroup
			group.Add(int(size))
			for i := uint64(0); i != size; i++ {
				go func() {
					atomic.AddUint64(&asleep, 1)
					time.Sleep(span)
					atomic.AddUint64(&woken, 1)
					group.Done()
				}()
			}
			for atomic.LoadUint64(&asleep) != size {
				time.Sleep(time.Millisecond)
			}
			bytes = residentBytes() - before
			group.Wait()
		},
		checksum: func() uint64 { return woken },
		bytes:    func() uint64 { return bytes },
	}
}

// Timers that are set and never fire.
func timerChurn(timers uint64) uint64 {
	const goroutines = 8
	var sum uint64
	together(goroutines, func(int) {
		done := uint64(0)
		for i := uint64(0); i != timers/goroutines; i++ {
			timer := time.NewTimer(time.Hour)
			runtime.Gosched()
			if timer.Stop() {
				done++
			}
		}
		atomic.AddUint64(&sum, done)
	})
	return sum
}

var makeTimerChurn = shape(timerChurn)
