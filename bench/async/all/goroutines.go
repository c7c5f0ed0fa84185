package main

import (
	"os"
	"strconv"
	"strings"
	"sync"
)

const hasSerial = false

var names = []string{"spawn_many", "spawn_inside", "chained_spawn", "yield_many", "ping_pong", "spsc", "mpsc", "mpmc",
	"mutex", "sleepers", "timer_churn", "fib", "skynet", "wake", "wake_p99"}
var makers = map[string]func(size uint64) measured{
	"spawn_many": makeSpawnMany, "spawn_inside": makeSpawnInside, "chained_spawn": makeChainedSpawn,
	"yield_many": makeYieldMany, "ping_pong": makePingPong, "spsc": makeSpsc, "mpsc": makeMpsc, "mpmc": makeMpmc,
	"mutex": makeMutex, "sleepers": makeSleepers, "timer_churn": makeTimerChurn, "fib": makeFib, "skynet": makeSkynet,
	"wake": makeWake, "wake_p99": makeWakeP99,
}

// A shape: all there is of it is asynchronous.
func shape(run func(size uint64) uint64) func(size uint64) measured {
	return number(run, run)
}

// Runs what is given on so many goroutines, and waits for them.
func together(goroutines int, run func(which int)) {
	var group sync.WaitGroup
	group.Add(goroutines)
	for i := 0; i != goroutines; i++ {
		go func(i int) {
			run(i)
			group.Done()
		}(i)
	}
	group.Wait()
}

// The memory of this process.
func residentBytes() uint64 {
	text, _ := os.ReadFile("/proc/self/statm")
	pages, _ := strconv.ParseUint(strings.Fields(string(text))[1], 10, 64)
	return pages * 4096
}
