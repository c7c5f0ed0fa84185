// The measurements of filch_latency over Go's scheduler. A change there needs the same change here.
//
//	go_latency --list              the names of all measurements
//	go_latency --about             one JSON line: the compiler
//	go_latency <name> <amount>     one JSON line: what was measured
//
// Go has no outside: every goroutine is scheduled by the runtime. A submitter that is an ordinary goroutine gives its
// thread to the new goroutine when it goes to sleep, and no thread needs to be woken: that is spawn_to_start. A
// submitter that is locked to its thread cannot do that: it is the counterpart of an outside thread, submit_to_start.
package main

import (
	"fmt"
	"os"
	"runtime"
	"sort"
	"strconv"
	"strings"
	"sync/atomic"
	"syscall"
	"time"
)

const (
	warmUp      = 100
	tasksBefore = 1000
	repetitions = 5 // and one before them to warm up
)

type metric struct {
	name  string
	value float64
}

// The CPU time that all threads of this process have used.
func processCPU() time.Duration {
	var used syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &used); err != nil {
		panic(err)
	}
	return time.Duration(used.Utime.Nano() + used.Stime.Nano())
}

// The value below which share of the values lie; sorts them.
func quantile(values []float64, share float64) float64 {
	sort.Float64s(values)
	return values[int(share*float64(len(values)-1))]
}

// One start per millisecond: of a new goroutine, or of one that waits at a channel.
func oncePerMs(isLocked, isChannel bool, submissions int) []metric {
	runtime.GOMAXPROCS(2)
	if isLocked {
		runtime.LockOSThread()
	}
	count := submissions + warmUp
	late := make([]float64, count)
	var left atomic.Int64
	left.Store(int64(count))
	type submission struct {
		number int
		before time.Time
	}
	submitted := make(chan submission)
	if isChannel {
		go func() {
			for s := range submitted {
				late[s.number] = float64(time.Since(s.before))
				left.Add(-1)
			}
		}()
	}
	var cpu time.Duration
	for i := 0; i != count; i++ {
		if i == warmUp {
			cpu = processCPU()
		}
		time.Sleep(time.Millisecond)
		number := i
		before := time.Now()
		if isChannel {
			submitted <- submission{number, before}
		} else {
			go func() {
				late[number] = float64(time.Since(before))
				left.Add(-1)
			}()
		}
	}
	for left.Load() != 0 {
		time.Sleep(time.Millisecond)
	}
	cpu = processCPU() - cpu
	late = late[warmUp:]
	return []metric{
		{"median_ns", quantile(late, 0.5)},
		{"p99_ns", quantile(late, 0.99)},
		{"cpu_ns", float64(cpu) / float64(submissions)},
	}
}

func idleCost(seconds int) []metric {
	runtime.GOMAXPROCS(2)
	spawnInside(tasksBefore)
	before := processCPU()
	time.Sleep(time.Duration(seconds) * time.Second)
	return []metric{{"cpu_ns", float64(processCPU() - before)}}
}

// Makes that many goroutines, which count themselves; the last one tells.
func spawnAll(tasks int, done chan<- struct{}) {
	left := new(atomic.Int64)
	left.Store(int64(tasks))
	for i := 0; i != tasks; i++ {
		go func() {
			if left.Add(-1) == 0 {
				done <- struct{}{}
			}
		}()
	}
}

func spawnInside(tasks int) time.Duration {
	done := make(chan struct{}, 1)
	begin := time.Now()
	go spawnAll(tasks, done)
	<-done
	return time.Since(begin)
}

// From a goroutine that is locked to its thread, and does not help.
func spawnLocked(tasks int) time.Duration {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	done := make(chan struct{}, 1)
	begin := time.Now()
	spawnAll(tasks, done)
	<-done
	return time.Since(begin)
}

func throughput(workers, tasks int, once func(int) time.Duration) []metric {
	runtime.GOMAXPROCS(workers)
	var each, eachCPU []float64
	for i := 0; i <= repetitions; i++ {
		cpu := processCPU()
		took := once(tasks)
		cpu = processCPU() - cpu
		if i != 0 {
			each = append(each, float64(took)/float64(tasks))
			eachCPU = append(eachCPU, float64(cpu)/float64(tasks))
		}
	}
	return []metric{{"median_ns", quantile(each, 0.5)}, {"cpu_ns", quantile(eachCPU, 0.5)}}
}

type measurement struct {
	name string
	run  func(amount int) []metric
}

var all = []measurement{
	{"submit_to_start/go_locked", func(n int) []metric { return oncePerMs(true, false, n) }},
	{"submit_to_start/go_locked_channel", func(n int) []metric { return oncePerMs(true, true, n) }},
	{"spawn_to_start/go", func(n int) []metric { return oncePerMs(false, false, n) }},
	{"spawn_to_start/go_channel", func(n int) []metric { return oncePerMs(false, true, n) }},
	{"idle/go", idleCost},
	{"spawn_inside_1/go", func(n int) []metric { return throughput(1, n, spawnInside) }},
	{"submit_outside_1/go_locked", func(n int) []metric { return throughput(1, n, spawnLocked) }},
	{"spawn_inside_2/go", func(n int) []metric { return throughput(2, n, spawnInside) }},
	{"submit_outside_2/go_locked", func(n int) []metric { return throughput(2, n, spawnLocked) }},
}

func usage() {
	fmt.Fprintln(os.Stderr, "usage: go_latency --list | --about | <name> <amount, a whole number from 1 on>")
	os.Exit(2)
}

func main() {
	arguments := os.Args[1:]
	switch {
	case len(arguments) == 1 && arguments[0] == "--list":
		for _, each := range all {
			fmt.Println(each.name)
		}
	case len(arguments) == 1 && arguments[0] == "--about":
		fmt.Printf("{\"compiler\": \"%s\"}\n", runtime.Version())
	case len(arguments) == 2:
		amount, err := strconv.Atoi(arguments[1])
		if err != nil || amount < 1 {
			usage()
		}
		for _, each := range all {
			if each.name != arguments[0] {
				continue
			}
			var parts []string
			for _, m := range each.run(amount) {
				parts = append(parts, fmt.Sprintf("\"%s\": %.3f", m.name, m.value))
			}
			fmt.Printf("{%s}\n", strings.Join(parts, ", "))
			return
		}
		fmt.Fprintf(os.Stderr, "go_latency: no measurement is called %q; --list shows all\n", arguments[0])
		os.Exit(2)
	default:
		usage()
	}
}
