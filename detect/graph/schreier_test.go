package graph

import "math/big"

// generated returns the order of the group that the generators generate on n points,
// by the Schreier–Sims algorithm in its plain form: a second opinion on orders.
func generated(n int, generators []Perm) *big.Int {
	type dense []int32
	id := make(dense, n)
	for v := range id {
		id[v] = int32(v)
	}
	times := func(p, q dense) dense { // first p, then q
		r := make(dense, n)
		for v := range r {
			r[v] = q[p[v]]
		}
		return r
	}
	invert := func(p dense) dense {
		r := make(dense, n)
		for v, w := range p {
			r[w] = int32(v)
		}
		return r
	}
	type stage struct {
		point     int32
		gens      []dense
		orbit     []int32
		carry     map[int32]dense // point to orbit element
		processed map[[2]int]bool // orbit index, generator index
	}
	var chain []*stage
	sift := func(k int, p dense) (int, dense) {
		for ; k < len(chain); k++ {
			u, ok := chain[k].carry[p[chain[k].point]]
			if !ok {
				return k, p
			}
			p = times(p, invert(u))
		}
		return k, p
	}
	moved := func(p dense) int32 {
		for v, w := range p {
			if int32(v) != w {
				return int32(v)
			}
		}
		return none
	}
	// insert adds p, an element of the stabiliser of the points before stage top.
	var insert func(top int, p dense)
	insert = func(top int, p dense) {
		low, p := sift(top, p)
		if low == len(chain) {
			if moved(p) == none {
				return
			}
			s := &stage{point: moved(p), carry: map[int32]dense{}, processed: map[[2]int]bool{}}
			s.orbit = []int32{s.point}
			s.carry[s.point] = id
			chain = append(chain, s)
		}
		for k := low; k >= top; k-- {
			s := chain[k]
			s.gens = append(s.gens, p)
			for again := true; again; {
				again = false
				for o := 0; o < len(s.orbit); o++ {
					for g := 0; g < len(s.gens); g++ {
						if s.processed[[2]int{o, g}] {
							continue
						}
						s.processed[[2]int{o, g}] = true
						again = true
						q := times(s.carry[s.orbit[o]], s.gens[g])
						w := q[s.point]
						if u, ok := s.carry[w]; ok {
							insert(k+1, times(q, invert(u)))
						} else {
							s.carry[w] = q
							s.orbit = append(s.orbit, w)
						}
					}
				}
			}
		}
	}
	for _, g := range generators {
		p := make(dense, n)
		copy(p, id)
		for k, v := range g.Moved {
			p[v] = g.Image[k]
		}
		insert(0, p)
	}
	order := big.NewInt(1)
	for _, s := range chain {
		order.Mul(order, big.NewInt(int64(len(s.orbit))))
	}
	return order
}
