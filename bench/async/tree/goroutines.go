package main

// fib and skynet as in the other benchmarks: a goroutine for every child, but the last of fib's.
func fib(n uint64) uint64 {
	if n < 2 {
		return n
	}
	var a, b uint64
	join(func() { a = fib(n - 1) }, func() { b = fib(n - 2) })
	return a + b
}

func skynet(first, leaves uint64) uint64 {
	if leaves == 1 {
		return first
	}
	each := leaves / 10
	var sums [10]uint64
	together(10, func(i int) { sums[i] = skynet(first+uint64(i)*each, each) })
	sum := uint64(0)
	for _, part := range sums {
		sum += part
	}
	return sum
}

var makeFib = shape(fib)
var makeSkynet = shape(func(size uint64) uint64 { return skynet(0, size) })
