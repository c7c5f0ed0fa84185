package main

import (
	"math"
	"math/bits"
	"sync"
)

type sha1State [5]uint32

// SHA-1 of so many words, which fit into one block.
func sha1(message []uint32) sha1State {
	var w [16]uint32
	copy(w[:], message)
	w[len(message)] = 0x80000000
	w[15] = uint32(len(message) * 32)
	start := sha1State{0x67452301, 0xefcdab89, 0x98badcfe, 0x10325476, 0xc3d2e1f0}
	a, b, c, d, e := start[0], start[1], start[2], start[3], start[4]
	for i := 0; i != 80; i++ {
		if i >= 16 {
			w[i&15] = bits.RotateLeft32(w[(i+13)&15]^w[(i+8)&15]^w[(i+2)&15]^w[i&15], 1)
		}
		var mixed uint32
		switch {
		case i < 20:
			mixed = ((b & c) | (^b & d)) + 0x5a827999
		case i < 40:
			mixed = (b ^ c ^ d) + 0x6ed9eba1
		case i < 60:
			mixed = ((b & c) | (b & d) | (c & d)) + 0x8f1bbcdc
		default:
			mixed = (b ^ c ^ d) + 0xca62c1d6
		}
		a, b, c, d, e = bits.RotateLeft32(a, 5)+mixed+e+w[i&15], a, bits.RotateLeft32(b, 30), c, d
	}
	return sha1State{start[0] + a, start[1] + b, start[2] + c, start[3] + d, start[4] + e}
}

type utsTree struct {
	isGeometric       bool
	rootBranch, depth uint32
	log1MinusP        float64
	seed              uint32
}

type utsNode struct {
	state sha1State
	depth uint32
}

func (t *utsTree) root() utsNode {
	return utsNode{sha1([]uint32{0, 0, 0, 0, t.seed}), 0}
}

func (n *utsNode) child(number uint32) utsNode {
	s := &n.state
	return utsNode{sha1([]uint32{s[0], s[1], s[2], s[3], s[4], number}), n.depth + 1}
}

func (t *utsTree) children(n *utsNode) uint32 {
	chance := float64(n.state[4]&0x7fffffff) / 2147483648.0
	if !t.isGeometric {
		if n.depth == 0 {
			return t.rootBranch
		}
		if chance < 0.124875 {
			return 8
		}
		return 0
	}
	if n.depth >= t.depth {
		return 0
	}
	return uint32(math.Floor(math.Log(1-chance) / t.log1MinusP))
}

func (t *utsTree) serialNodes(n utsNode) uint64 {
	nodes := uint64(1)
	for i, children := uint32(0), t.children(&n); i != children; i++ {
		nodes += t.serialNodes(n.child(i))
	}
	return nodes
}

func (t *utsTree) nodes(n utsNode) uint64 {
	children := t.children(&n)
	if children == 0 {
		return 1
	}
	nodes := make([]uint64, children)
	var group sync.WaitGroup
	group.Add(int(children) - 1)
	for i := uint32(1); i != children; i++ {
		go func(i uint32) {
			nodes[i] = t.nodes(n.child(i))
			group.Done()
		}(i)
	}
	nodes[0] = t.nodes(n.child(0))
	group.Wait()
	sum := uint64(1)
	for _, each := range nodes {
		sum += each
	}
	return sum
}

func utsT1(depth uint64) *utsTree {
	return &utsTree{true, 4, uint32(depth), math.Log(1 - 1.0/5.0), 19}
}

func utsT3(rootBranch uint64) *utsTree {
	return &utsTree{false, uint32(rootBranch), 0, 0, 42}
}

var makeUtsT1 = number(
	func(size uint64) uint64 { t := utsT1(size); return t.serialNodes(t.root()) },
	func(size uint64) uint64 { t := utsT1(size); return t.nodes(t.root()) })
var makeUtsT3 = number(
	func(size uint64) uint64 { t := utsT3(size); return t.serialNodes(t.root()) },
	func(size uint64) uint64 { t := utsT3(size); return t.nodes(t.root()) })
