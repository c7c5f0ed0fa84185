package main

const matmulBlock = 32

// Where the blocks begin inside square matrices, and the extents of the product.
type product struct {
	a, b, c              []float64
	stride               int
	rows, inner, columns int
}

func (p product) byLoops() {
	for i := 0; i != p.rows; i++ {
		c := p.c[i*p.stride : i*p.stride+p.columns]
		for k := 0; k != p.inner; k++ {
			factor := p.a[i*p.stride+k]
			b := p.b[k*p.stride : k*p.stride+p.columns]
			for j := range c {
				c[j] += factor * b[j]
			}
		}
	}
}

func (p product) multiply(isSerial bool) {
	if p.rows <= matmulBlock && p.inner <= matmulBlock && p.columns <= matmulBlock {
		p.byLoops()
		return
	}
	first, second, isIndependent := p, p, true
	if p.rows >= p.inner && p.rows >= p.columns {
		first.rows = p.rows / 2
		second.rows = p.rows - first.rows
		second.a, second.c = p.a[first.rows*p.stride:], p.c[first.rows*p.stride:]
	} else if p.columns >= p.inner {
		first.columns = p.columns / 2
		second.columns = p.columns - first.columns
		second.b, second.c = p.b[first.columns:], p.c[first.columns:]
	} else {
		isIndependent = false
		first.inner = p.inner / 2
		second.inner = p.inner - first.inner
		second.a, second.b = p.a[first.inner:], p.b[first.inner*p.stride:]
	}
	if isSerial || !isIndependent {
		first.multiply(isSerial)
		second.multiply(isSerial)
	} else {
		join(func() { first.multiply(false) }, func() { second.multiply(false) })
	}
}

func makeMatmul(size uint64) measured {
	n := int(size)
	a, b, c := make([]float64, n*n), make([]float64, n*n), make([]float64, n*n)
	for i := range a {
		a[i] = float64((i*7 + 3) % 10)
		b[i] = float64((i*3 + 1) % 10)
	}
	return measured{
		run: func(isSerial bool) { product{a, b, c, n, n, n, n}.multiply(isSerial) },
		checksum: func() uint64 {
			var sum uint64
			for i, each := range c {
				sum += uint64(each) * uint64(i%97+1)
			}
			return sum
		},
		prepare: func() {
			for i := range c {
				c[i] = 0
			}
		},
	}
}
