package main

import (
	"runtime"
	"sort"
	"time"
)

// How long it takes until a goroutine starts while all threads but the caller's sleep. The caller is bound to a thread
// of its own, so that another one has to be woken.
func makeLate(share float64) func(size uint64) measured {
	return func(size uint64) measured {
		late := make([]int64, size)
		return measured{
			run: func(bool) {
				runtime.LockOSThread()
				defer runtime.UnlockOSThread()
				for i := range late {
					time.Sleep(500 * time.Microsecond)
					before := time.Now()
					done := make(chan int64)
					go func() { done <- time.Since(before).Nanoseconds() }()
					late[i] = <-done
				}
				sort.Slice(late, func(a, b int) bool { return late[a] < late[b] })
			},
			checksum: func() uint64 { return uint64(len(late)) },
			ownNs:    func() int64 { return late[int(share*float64(len(late)-1))] * int64(len(late)) },
		}
	}
}

var makeWake = makeLate(0.5)
var makeWakeP99 = makeLate(0.99)
