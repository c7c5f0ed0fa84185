// The workloads on goroutines, and the same in serial Go (THREADS = 0). The protocol is that of harness/program.hpp.
// Which there are stands in all/goroutines.go; bench/async has others.
package main

import (
	"encoding/json"
	"fmt"
	"os"
	"runtime"
	"runtime/debug"
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
		"workloads": names})
	fmt.Println(string(text))
}

// As in harness/main.cpp.
const warmUp = 100 * time.Millisecond

func main() {
	words := os.Args
	if len(words) == 2 && words[1] == "--about" {
		tellAbout()
		return
	}
	if len(words) != 5 || makers[words[1]] == nil {
		fmt.Fprintln(os.Stderr, "usage: --about | WORKLOAD SIZE THREADS REPETITIONS; --about lists the workloads")
		os.Exit(2)
	}
	var values [3]uint64
	for i := range values {
		value, problem := strconv.ParseUint(words[i+2], 10, 64)
		if problem != nil {
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
	started, isWarm := time.Now(), false
	for done := 0; done != repetitions; {
		if job.prepare != nil {
			job.prepare()
		}
		runtime.GC()
		cpu, began := cpuNs(), time.Now()
		job.run(isSerial)
		ns := time.Since(began).Nanoseconds()
		cpu = cpuNs() - cpu
		if job.ownNs != nil {
			ns = job.ownNs()
		}
		bytes := ""
		if job.bytes != nil {
			bytes = fmt.Sprintf(", \"bytes\": %d", job.bytes())
		}
		if !isWarm {
			isWarm = time.Since(started) >= warmUp
			continue
		}
		done++
		fmt.Printf("{\"ns\": %d, \"cpu_ns\": %d, \"checksum\": \"%d\"%s}\n", ns, cpu, job.checksum(), bytes)
	}
}
