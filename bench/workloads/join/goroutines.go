package main

//go:noinline
func tinyLeft(i uint64) uint64 { return i*3 + 1 }

//go:noinline
func tinyRight(i uint64) uint64 { return i ^ 5 }

var makeJoin = number(
	func(size uint64) uint64 {
		var sum uint64
		for i := uint64(0); i != size; i++ {
			sum += tinyLeft(i) + tinyRight(i)
		}
		return sum
	},
	func(size uint64) uint64 {
		var sum uint64
		for i := uint64(0); i != size; i++ {
			var a, b uint64
			join(func() { a = tinyLeft(i) }, func() { b = tinyRight(i) })
			sum += a + b
		}
		return sum
	})
