package transfer

import (
	"fmt"

	"orbitmc/encode"
	"orbitmc/model"
	"orbitmc/ts"
)

// This file says what the latches of an encoding mean in the source language.

// Names maps latches to literals of patterns, under a group, and back.
type Names struct {
	Enc     *encode.Encoding
	Leaves  []model.Leaf
	Meaning []encode.Meaning // by latch

	sorts  map[[2]int]Sort  // by class and element
	blocks map[[2]int][]int // by class and block: its elements
	places []place          // by latch
	latch  map[string]int   // by the text of a place
}

// place is a latch as a key with elements.
type place struct {
	key   string
	base  string   // the name of the leaf in it
	elems [][2]int // class and element
}

func (p place) text() string { return fmt.Sprint(p.key, p.elems) }

// NewNames reads the meaning of all latches.
func NewNames(enc *encode.Encoding, y *ts.Symmetry) *Names {
	n := &Names{Enc: enc, sorts: make(map[[2]int]Sort), blocks: make(map[[2]int][]int), latch: make(map[string]int)}
	if y != nil {
		count := make(map[int]int)
		for _, b := range y.Blocks {
			k := count[b.Class]
			count[b.Class]++
			n.blocks[[2]int{b.Class, k}] = b.Elems
			for _, e := range b.Elems {
				n.sorts[[2]int{b.Class, e}] = Sort{b.Class, k, -1}
			}
		}
	}
	leaves := enc.Model.AllLeaves()
	n.Leaves, n.Meaning = leaves, enc.Meanings()
	for class, t := range enc.Model.Scalarsets {
		if t.Card() == 1 && !t.Slots { // interchangeable with all there is
			n.blocks[[2]int{class, 0}] = []int{0}
			n.sorts[[2]int{class, 0}] = Sort{class, 0, -1}
		}
	}
	for i := range enc.Sys.Latches {
		m := n.Meaning[i]
		var p place
		if m.Leaf < 0 {
			p.key = enc.Sys.Latches[i].Name
		} else {
			leaf, base := leaves[m.Leaf], m.Leaf
			for _, d := range leaf.Indices {
				if class, e, ok := d.Type.Element(d.Value); ok {
					p.elems = append(p.elems, [2]int{class, int(e)})
					base -= int(d.Value-d.Type.Lo) * d.Stride
				}
			}
			p.base = leaves[base].Name
			p.key = p.base
			switch {
			case m.Defined:
				p.key += " defined"
			case !m.Hot:
				p.key += fmt.Sprintf(" bit %d", m.Bit)
			default:
				if class, e, ok := leaf.Type.Element(m.Value); ok {
					p.key += fmt.Sprintf(" = class %d", class)
					p.elems = append(p.elems, [2]int{class, int(e)})
				} else {
					p.key += " = " + leaf.Type.Format(m.Value)
				}
			}
		}
		n.places = append(n.places, p)
		n.latch[p.text()] = i
	}
	return n
}

// Block returns the elements of the block of a sort; nil if it is one component.
func (n *Names) Block(s Sort) []int { return n.blocks[[2]int{s.Class, s.Block}] }

// Base returns the name of the leaf that a latch belongs to, with the first components
// in place of its own: the same for all leaves that differ in components only. It is
// empty for a latch of no leaf.
func (n *Names) Base(latch int) string { return n.places[latch].base }

// Latch returns the latch that a term is about for one choice of different components;
// -1 if there is none.
func (n *Names) Latch(p *Pattern, t Term) int {
	at := place{key: t.Key}
	for _, v := range t.Vars {
		s := p.Types[v]
		elem := s.Elem
		if s.Block >= 0 { // different variables, different components
			k := 0
			for w := range v {
				if p.Types[w] == s {
					k++
				}
			}
			elem = n.Block(s)[k]
		}
		at.elems = append(at.elems, [2]int{s.Class, elem})
	}
	if i, ok := n.latch[at.text()]; ok {
		return i
	}
	return -1
}
