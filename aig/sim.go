package aig

import "fmt"

// Sim evaluates the graph on 64 valuations of the leaves at once: bit k of a
// word belongs to valuation k. Not safe for concurrent use.
type Sim struct {
	g     *Graph
	words []uint64 // by node
	done  int      // nodes below are up to date
}

// NewSim returns a simulator of g with all leaves 0.
func NewSim(g *Graph) *Sim { return &Sim{g: g} }

// Set gives a leaf its word, from the next Run on. It panics if node is no leaf.
func (s *Sim) Set(node int, w uint64) {
	if !s.g.IsInput(node) {
		panic(fmt.Sprintf("aig: Sim.Set: node %d is not a leaf", node))
	}
	s.extend()
	s.words[node] = w
	s.done = min(s.done, node)
}

// Run evaluates all nodes the graph has by now that may have changed.
func (s *Sim) Run() {
	s.extend()
	words := s.words
	for i := s.done; i < len(words); i++ {
		if n := s.g.nodes[i]; n.a != leaf {
			x := words[n.a>>1] ^ -uint64(n.a&1)
			y := words[n.b>>1] ^ -uint64(n.b&1)
			words[i] = x & y
		}
	}
	s.done = len(words)
}

// Word returns the word of l at the last Run. It panics if l is newer.
func (s *Sim) Word(l Lit) uint64 {
	if l.Node() >= s.done {
		panic(fmt.Sprintf("aig: Sim.Word: %v changed after the last Run", l))
	}
	return s.words[l>>1] ^ -uint64(l&1)
}

func (s *Sim) extend() {
	if n := s.g.Len() - len(s.words); n > 0 {
		s.words = append(s.words, make([]uint64, n)...)
	}
}
