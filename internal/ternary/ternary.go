// Package ternary simulates and-inverter graphs with three values.
package ternary

import "orbitmc/aig"

// Value is that of a node. The third one says that it is not known.
type Value byte

// The values.
const (
	False Value = iota
	True
	Unknown
)

// Of returns the value of a constant.
func Of(b bool) Value {
	if b {
		return True
	}
	return False
}

// Sim has a value for each node of a graph. It is not safe for concurrent use.
type Sim struct {
	g      *aig.Graph
	values []Value

	// Of Keep and Forget.
	start, out []int32 // the gates that node n enters are out[start[n]:start[n+1]]
	in         []int32 // by node: the last Keep whose cone it is in, negative if it is a root
	keep       int32
	trail      []change
}

type change struct {
	node int
	was  Value
}

// New returns a simulator of g, which must not grow from then on. All values but that of constants are unknown.
func New(g *aig.Graph) *Sim {
	s := &Sim{g: g, values: make([]Value, g.Len())}
	for n := 1; n < g.Len(); n++ {
		s.values[n] = Unknown
	}
	return s
}

// Set gives a node a value.
func (s *Sim) Set(node int, v Value) { s.values[node] = v }

// Value returns the value of l.
func (s *Sim) Value(l aig.Lit) Value {
	v := s.values[l.Node()]
	if v != Unknown && l.Neg() {
		return 1 - v
	}
	return v
}

// Run evaluates a node if it is a gate.
func (s *Sim) Run(node int) {
	if s.g.IsAnd(node) {
		s.values[node] = s.and(node)
	}
}

func (s *Sim) and(node int) Value {
	a, b := s.g.Fanins(node)
	switch v, w := s.Value(a), s.Value(b); {
	case v == False || w == False:
		return False
	case v == True && w == True:
		return True
	}
	return Unknown
}

// Keep evaluates roots. Forget keeps their values from then on.
func (s *Sim) Keep(roots []aig.Lit) {
	if s.start == nil {
		s.fanouts()
	}
	s.keep++
	var todo []int
	for _, r := range roots {
		todo = append(todo, r.Node())
		for len(todo) > 0 {
			n := todo[len(todo)-1]
			if s.g.IsAnd(n) {
				a, b := s.g.Fanins(n)
				if s.in[a.Node()] != s.keep {
					todo = append(todo, a.Node())
					continue
				}
				if s.in[b.Node()] != s.keep {
					todo = append(todo, b.Node())
					continue
				}
				s.values[n] = s.and(n)
			}
			s.in[n] = s.keep
			todo = todo[:len(todo)-1]
		}
	}
	for _, r := range roots {
		s.in[r.Node()] = -s.keep
	}
}

// fanouts lists the gates that each node enters.
func (s *Sim) fanouts() {
	s.in = make([]int32, len(s.values))
	s.start = make([]int32, len(s.values)+1)
	each := func(f func(n, gate int)) {
		for gate := range s.values {
			if s.g.IsAnd(gate) {
				a, b := s.g.Fanins(gate)
				f(a.Node(), gate)
				f(b.Node(), gate)
			}
		}
	}
	each(func(n, _ int) { s.start[n+1]++ })
	for n := range s.values {
		s.start[n+1] += s.start[n]
	}
	s.out = make([]int32, s.start[len(s.values)])
	end := append([]int32(nil), s.start...)
	each(func(n, gate int) {
		s.out[end[n]] = int32(gate)
		end[n]++
	})
}

// Forget makes the value of a leaf unknown, and the values that depend on it, unless that of a root would be. It reports
// whether it did.
func (s *Sim) Forget(leaf int) bool {
	s.trail = s.trail[:0]
	if s.in[leaf] == -s.keep {
		return false
	}
	s.forget(leaf)
	for i := 0; i < len(s.trail); i++ {
		n := s.trail[i].node
		for _, out := range s.out[s.start[n]:s.start[n+1]] {
			o := int(out)
			switch in := s.in[o]; {
			case in != s.keep && in != -s.keep || s.values[o] == Unknown || s.and(o) != Unknown:
			case in == s.keep:
				s.forget(o)
			default:
				for _, c := range s.trail {
					s.values[c.node] = c.was
				}
				return false
			}
		}
	}
	return true
}

func (s *Sim) forget(node int) {
	s.trail = append(s.trail, change{node, s.values[node]})
	s.values[node] = Unknown
}
