package main

import "sort"

const insertionItems = 32
const serialMergeItems = 2048

func sortByInsertion(items []uint32) {
	for i := 1; i < len(items); i++ {
		moving, at := items[i], i
		for ; at != 0 && items[at-1] > moving; at-- {
			items[at] = items[at-1]
		}
		items[at] = moving
	}
}

func serialMerge(left, right, to []uint32) {
	a, b, t := 0, 0, 0
	for a != len(left) && b != len(right) {
		if right[b] < left[a] {
			to[t] = right[b]
			b++
		} else {
			to[t] = left[a]
			a++
		}
		t++
	}
	t += copy(to[t:], left[a:])
	copy(to[t:], right[b:])
}

func place(in []uint32, of uint32) int {
	return sort.Search(len(in), func(i int) bool { return in[i] >= of })
}

func merge(left, right, to []uint32) {
	if len(left)+len(right) <= serialMergeItems {
		serialMerge(left, right, to)
		return
	}
	l, r := len(left)/2, len(right)/2
	if len(left) >= len(right) {
		r = place(right, left[l])
	} else {
		l = place(left, right[r])
	}
	join(func() { merge(left[:l], right[:r], to[:l+r]) }, func() { merge(left[l:], right[r:], to[l+r:]) })
}

func mergesort(items, other []uint32, intoOther, isSerial bool) {
	if len(items) <= insertionItems {
		sortByInsertion(items)
		if intoOther {
			copy(other, items)
		}
		return
	}
	half := len(items) / 2
	if isSerial {
		mergesort(items[:half], other[:half], !intoOther, true)
		mergesort(items[half:], other[half:], !intoOther, true)
	} else {
		join(func() { mergesort(items[:half], other[:half], !intoOther, false) },
			func() { mergesort(items[half:], other[half:], !intoOther, false) })
	}
	from, to := other, items
	if intoOther {
		from, to = items, other
	}
	if isSerial {
		serialMerge(from[:half], from[half:], to)
	} else {
		merge(from[:half], from[half:], to)
	}
}

func makeMergesort(size uint64) measured {
	unsorted := numbersToSort(size)
	items, other := make([]uint32, size), make([]uint32, size)
	return measured{
		run:      func(isSerial bool) { mergesort(items, other, false, isSerial) },
		checksum: func() uint64 { return orderChecksum(items) },
		prepare:  func() { copy(items, unsorted) },
	}
}
