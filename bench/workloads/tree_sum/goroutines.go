package main

type treeNode struct {
	value       uint64
	left, right *treeNode
}

func growTree(nodes *[]treeNode, count uint64) *treeNode {
	if count == 0 {
		return nil
	}
	*nodes = append(*nodes, treeNode{value: uint64(len(*nodes)) + 1})
	made := &(*nodes)[len(*nodes)-1]
	made.left = growTree(nodes, count/2)
	made.right = growTree(nodes, count-1-count/2)
	return made
}

func serialTreeSum(of *treeNode) uint64 {
	sum := of.value
	if of.left != nil {
		sum += serialTreeSum(of.left)
	}
	if of.right != nil {
		sum += serialTreeSum(of.right)
	}
	return sum
}

func treeSum(of *treeNode) uint64 {
	if of.right == nil {
		if of.left == nil {
			return of.value
		}
		return of.value + treeSum(of.left)
	}
	var left, right uint64
	join(func() { left = treeSum(of.left) }, func() { right = treeSum(of.right) })
	return of.value + left + right
}

func makeTreeSum(size uint64) measured {
	nodes := make([]treeNode, 0, size)
	root := growTree(&nodes, size)
	var result uint64
	return measured{
		run: func(isSerial bool) {
			result = 0
			for i := passes(1000000, size); i != 0; i-- {
				if isSerial {
					result += serialTreeSum(root)
				} else {
					result += treeSum(root)
				}
			}
		},
		checksum: func() uint64 { return result },
	}
}
