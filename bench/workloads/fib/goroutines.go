package main

func serialFib(n uint64) uint64 {
	if n < 2 {
		return n
	}
	return serialFib(n-1) + serialFib(n-2)
}

func fib(n uint64) uint64 {
	if n < 2 {
		return n
	}
	var a, b uint64
	join(func() { a = fib(n - 1) }, func() { b = fib(n - 2) })
	return a + b
}

var makeFib = number(serialFib, fib)
