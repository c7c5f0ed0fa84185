package main

import "sync"

func serialSkynet(first, leaves uint64) uint64 {
	if leaves == 1 {
		return first
	}
	each := leaves / 10
	var sum uint64
	for i := uint64(0); i != 10; i++ {
		sum += serialSkynet(first+i*each, each)
	}
	return sum
}

func skynet(first, leaves uint64) uint64 {
	if leaves == 1 {
		return first
	}
	each := leaves / 10
	var sums [10]uint64
	var group sync.WaitGroup
	group.Add(9)
	for i := uint64(1); i != 10; i++ {
		go func(i uint64) {
			sums[i] = skynet(first+i*each, each)
			group.Done()
		}(i)
	}
	sums[0] = skynet(first, each)
	group.Wait()
	var sum uint64
	for _, part := range sums {
		sum += part
	}
	return sum
}

var makeSkynet = number(
	func(size uint64) uint64 { return serialSkynet(0, size) },
	func(size uint64) uint64 { return skynet(0, size) })
