package main

const hasSerial = true

var names = []string{
	"fib", "nqueens", "skynet", "matmul", "mergesort", "uts_t1", "uts_t3", "tree_sum", "for_each", "join"}
var makers = map[string]func(size uint64) measured{
	"fib": makeFib, "nqueens": makeNqueens, "skynet": makeSkynet, "matmul": makeMatmul, "mergesort": makeMergesort,
	"uts_t1": makeUtsT1, "uts_t3": makeUtsT3, "tree_sum": makeTreeSum, "for_each": makeForEach, "join": makeJoin,
}
