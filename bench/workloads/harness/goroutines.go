// The workloads on goroutines, and the same in serial Go (THREADS = 0). The protocol is that of harness/program.hpp.
// Which there are stands in all/goroutines.go; bench/async has others.
package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"os"
	"runtime"
	"runtime/debug"
	"sort"
	"strconv"
	"sync"
	"syscall"
	"time"
)

// One workload of one size, ready to be measured.
type measured struct {
	run      func(isSerial bool)
	checksum func() uint64
	prepare  func()
	ownNs    func() int64  // instead of the time of the whole run
	bytes    func() uint64 // memory that the run held at its height
}

// A number from a number.
func number(serial, parallel func(size uint64) uint64) func(size uint64) measured {
	return func(size uint64) measured {
		var result uint64
		return measured{
			run: func(isSerial bool) {
				if isSerial {
					result = serial(size)
				} else {
					result = parallel(size)
				}
			},
			checksum: func() uint64 { return result },
		}
	}
}

// Calls both, the first on a goroutine of its own.
func join(first, second func()) {
	var group sync.WaitGroup
	group.Add(1)
	go func() {
		first()
		group.Done()
	}()
	second()
	group.Wait()
}

// The numbers to sort: the same in every language.
func numbersToSort(count uint64) []uint32 {
	made := make([]uint32, count)
	state := uint64(88172645463325252)
	for i := range made {
		state ^= state << 13
		state ^= state >> 7
		state ^= state << 17
		made[i] = uint32(state >> 33)
	}
	return made
}

func orderChecksum(items []uint32) uint64 {
	var sum uint64
	for _, each := range items {
		sum = sum*31 + uint64(each)
	}
	return sum
}

// Small inputs are gone through several times.
func passes(together, size uint64) uint64 {
	if size >= together {
		return 1
	}
	return together / size
}

func cpuNs() int64 {
	var used syscall.Rusage
	_ = syscall.Getrusage(syscall.RUSAGE_SELF, &used)
	return used.Utime.Nano() + used.Stime.Nano()
}

func tellAbout() {
	text, _ := json.Marshal(map[string]any{
		"runtime": "goroutines", "language": "Go", "compiler": runtime.Version(), "flags": "default", "has_serial": hasSerial,
		"takes_turns": true, "workloads": names})
	fmt.Println(string(text))
}

// As in harness/main.cpp.
const warmUp = 100 * time.Millisecond

// A run that is shorter is run several times in a turn, so often at most: as in harness/main.cpp.
const short, mostRuns = 10 * time.Millisecond, 15

// One run: its time from outside, and what is told.
type sample struct {
	took    time.Duration
	ns, cpu int64
}

func runOnce(job measured, isSerial bool) sample {
	if job.prepare != nil {
		job.prepare()
	}
	runtime.GC()
	cpu, began := cpuNs(), time.Now()
	job.run(isSerial)
	took := time.Since(began)
	made := sample{took: took, ns: took.Nanoseconds(), cpu: cpuNs() - cpu}
	if job.ownNs != nil {
		made.ns = job.ownNs()
	}
	return made
}

func tell(made sample, job measured) {
	bytes := ""
	if job.bytes != nil {
		bytes = fmt.Sprintf(", \"bytes\": %d", job.bytes())
	}
	fmt.Printf("{\"ns\": %d, \"cpu_ns\": %d, \"checksum\": \"%d\"%s}\n", made.ns, made.cpu, job.checksum(), bytes)
}

// The last of the runs that do not count.
func warm(job measured, isSerial bool) sample {
	started := time.Now()
	made := runOnce(job, isSerial)
	for time.Since(started) < warmUp {
		made = runOnce(job, isSerial)
	}
	return made
}

func takeTurns(job measured, isSerial bool) {
	last := warm(job, isSerial).took
	fmt.Println("{\"ready\": true}")
	for lines := bufio.NewScanner(os.Stdin); lines.Scan(); {
		if last < short {
			runOnce(job, isSerial)
		}
		began := time.Now()
		runs := []sample{runOnce(job, isSerial)}
		for len(runs) != mostRuns && time.Since(began) < short {
			runs = append(runs, runOnce(job, isSerial))
		}
		last = runs[len(runs)-1].took
		sort.Slice(runs, func(a, b int) bool { return runs[a].ns < runs[b].ns })
		tell(runs[(len(runs)-1)/2], job)
	}
}

func main() {
	words := os.Args
	if len(words) == 2 && words[1] == "--about" {
		tellAbout()
		return
	}
	if len(words) != 5 || makers[words[1]] == nil {
		fmt.Fprintln(os.Stderr, "usage: --about | WORKLOAD SIZE THREADS REPETITIONS|turns; --about lists the workloads")
		os.Exit(2)
	}
	isInTurns := words[4] == "turns"
	var values [3]uint64
	for i := range values {
		value, problem := strconv.ParseUint(words[i+2], 10, 64)
		if problem != nil && !(isInTurns && i == 2) {
			fmt.Fprintf(os.Stderr, "%s is not a number\n", words[i+2])
			os.Exit(2)
		}
		values[i] = value
	}
	size, threads, repetitions := values[0], int(values[1]), int(values[2])
	isSerial := threads == 0
	if isSerial {
		threads = 1
	}
	runtime.GOMAXPROCS(threads)
	debug.SetMaxStack(1 << 30)
	job := makers[words[1]](size)
	if isInTurns {
		takeTurns(job, isSerial)
		return
	}
	warm(job, isSerial)
	for done := 0; done != repetitions; done++ {
		tell(runOnce(job, isSerial), job)
	}
}
