package certify

import (
	"encoding/binary"
	"slices"

	"orbitmc/mc/evidence"
	"orbitmc/model"
)

// This file finds the rule instances of a member that need no check. Symmetry by typing says of
// each permutation π of the blocks that it maps what an instance does to what its image does:
//
//	r(πp)(πs) = π r(p)(s).
//
// Let π exchange two neighbours of a block and keep the member s, and let it map r(p) to an
// instance with a smaller number. If the successor by the smaller instance is in the closure up to
// permutations, so is its image under π, the successor by r(p), and one errs as the other does.
// So r(p) is left out. By induction on numbers the instances that are not left out cover all.
//
// The search leaves out the same instances (explicit/stabiliser.go), by its own code.
type exchanges struct {
	k     *closureCheck
	swaps []swap
	but   []uint64 // scratch

	// Of up to 64 members.
	kept []uint64 // by swap: the members that it keeps
}

// swap exchanges two neighbours of a block.
type swap struct {
	fields []swapField
	bags   *closurePerm // it, if there are multisets, of which the fields say nothing
	but    []uint64     // instances that it maps to ones with smaller numbers
}

// swapField says which code another leaf must have.
type swapField struct {
	from, to int
	mask     uint64
	a, b     uint64 // codes that are exchanged; equal if none are
}

// number returns the number of a rule instance, or -1.
func number(p *model.Program, ch model.Choice) int {
	if _, n := p.Instances(ch.Rule); n == 0 {
		return -1
	}
	i, ok := p.InstanceOf(ch.Rule, ch.Params)
	if !ok {
		return -1
	}
	return i
}

// leavesOut returns what finds the instances to leave out, or nil where all are looked at, as the
// search tells of all.
func (k *closureCheck) leavesOut(steps *evidence.Steps) *exchanges {
	if steps != nil && !steps.Orbits {
		return nil
	}
	return k.exchanges
}

// newExchanges returns nil if no instance is ever left out.
func newExchanges(k *closureCheck) *exchanges {
	z := &exchanges{k: k, but: make([]uint64, (k.p.Program.AllInstances()+63)/64)}
	type exchange struct{ class, x, y, swap int }
	of := make(map[[2]int][]exchange) // by class and value: those that move it
	for class, blocks := range k.p.Blocks {
		if k.p.Model.Scalarsets[class].Slots {
			continue
		}
		for _, block := range blocks {
			block = slices.Sorted(slices.Values(block))
			for i := range len(block) - 1 {
				e := exchange{class, block[i], block[i+1], len(z.swaps)}
				of[[2]int{class, e.x}] = append(of[[2]int{class, e.x}], e)
				of[[2]int{class, e.y}] = append(of[[2]int{class, e.y}], e)
				z.swaps = append(z.swaps, z.swap(class, e.x, e.y))
			}
		}
	}
	some := false
	for rule, r := range k.p.Model.Rules {
		if _, n := k.p.Program.Instances(rule); n == 0 { // none has a number; they may be too many to list
			continue
		}
		for _, ch := range enumerate([]*model.Rule{r}) {
			ch.Rule = rule
			n := number(k.p.Program, ch)
			for i, q := range r.Params {
				class, v, ok := q.Var.Type.Element(ch.Params[i])
				if !ok {
					continue
				}
				for _, e := range of[[2]int{class, int(v)}] {
					if m := z.image(class, e.x, e.y, ch); 0 <= m && m < n {
						z.swaps[e.swap].but[n/64] |= 1 << (n % 64)
						some = true
					}
				}
			}
		}
	}
	if !some {
		return nil
	}
	z.kept = make([]uint64, len(z.swaps))
	return z
}

// image returns the number of the image of an instance under the exchange of two values of a
// class, or -1.
func (z *exchanges) image(class, x, y int, ch model.Choice) int {
	r := z.k.p.Model.Rules[ch.Rule]
	params := slices.Clone(ch.Params)
	for i, q := range r.Params {
		t := q.Var.Type
		if t.Slots {
			return -1 // the element may be in another slot
		}
		if of, v, ok := t.Element(ch.Params[i]); ok && of == class {
			params[i] = t.Image(params[i], v, int64(swapped(x, y, int(v))))
		}
	}
	return number(z.k.p.Program, model.Choice{Rule: ch.Rule, Params: params})
}

// swapped returns v, but y for x and x for y.
func swapped(x, y, v int) int {
	switch v {
	case x:
		return y
	case y:
		return x
	}
	return v
}

// swap prepares the exchange of two values of a class.
func (z *exchanges) swap(class, x, y int) swap {
	k := z.k
	s := swap{but: make([]uint64, len(z.but))}
	bags := false
	for i, l := range k.p.Model.AllLeaves() {
		if l.Slot >= 0 {
			bags = true
			continue
		}
		to := i
		for _, d := range l.Indices {
			if of, v, ok := d.Type.Element(d.Value); ok && of == class {
				to += int(d.Type.Image(d.Value, v, int64(swapped(x, y, int(v))))-d.Value) * d.Stride
			}
		}
		from, n := k.packer.Field(i)
		f := swapField{from: from, mask: 1<<n - 1}
		f.to, _ = k.packer.Field(to)
		for v := l.Type.Lo; v <= l.Type.Hi && (l.Type.Classed() || l.Type.Kind == model.Union); v++ {
			if of, w, ok := l.Type.Element(v); ok && of == class && int(w) == x {
				f.a, f.b = k.packer.Code(i, v), k.packer.Code(i, l.Type.Image(v, w, int64(y))) // blocks agree on what types have
			}
		}
		if to != i || f.a != f.b {
			s.fields = append(s.fields, f)
		}
	}
	if bags {
		perm := make(model.ScalarPerm, len(k.p.Model.Scalarsets))
		for c, t := range k.p.Model.Scalarsets {
			for v := 0; v < int(t.Card()) && !t.Slots; v++ {
				perm[c] = append(perm[c], v)
			}
		}
		perm[class][x], perm[class][y] = y, x
		s.bags = &closurePerm{perm: perm}
	}
	return s
}

// keeps reports whether a swap maps a packed state, with model.PackedPad bytes behind it, to
// itself.
func (z *exchanges) keeps(s *swap, b []byte) bool {
	for i := range s.fields {
		f := &s.fields[i]
		have := binary.LittleEndian.Uint64(b[f.from>>3:]) >> (f.from & 7) & f.mask
		switch want := binary.LittleEndian.Uint64(b[f.to>>3:]) >> (f.to & 7) & f.mask; {
		case f.a == f.b, have != f.a && have != f.b:
			if have != want {
				return false
			}
		case have^want != f.a^f.b:
			return false
		}
	}
	return s.bags == nil || z.k.maps(s.bags, b, b[:z.k.packer.Size()])
}

// at returns the instances to leave out in a member, packed, with model.PackedPad bytes behind
// it; nil if there are none.
func (z *exchanges) at(b []byte) []uint64 {
	some := false
	for i := range z.swaps {
		if s := &z.swaps[i]; z.keeps(s, b) {
			if !some {
				clear(z.but)
				some = true
			}
			for j, w := range s.but {
				z.but[j] |= w
			}
		}
	}
	if !some {
		return nil
	}
	return z.but
}

// padded returns a packed state with model.PackedPad bytes behind it, in packed.
func (z *exchanges) padded(b []byte) []byte {
	return append(z.k.packed[:0], b...)[:len(z.k.packed)]
}

// forget forgets how permutations are applied, which the memo said.
func (z *exchanges) forget() {
	for i := range z.swaps {
		if p := z.swaps[i].bags; p != nil {
			z.swaps[i].bags = &closurePerm{perm: p.perm}
		}
	}
}

// lanes prepares for leftOut.
func (z *exchanges) lanes(members [][]byte) {
	clear(z.kept)
	for lane, b := range members {
		b = z.padded(b)
		for i := range z.swaps {
			if z.keeps(&z.swaps[i], b) {
				z.kept[i] |= 1 << lane
			}
		}
	}
}

// leftOut returns in which of the members an instance is left out.
func (z *exchanges) leftOut(number int) (lanes uint64) {
	if number < 0 {
		return 0
	}
	for i := range z.swaps {
		if z.swaps[i].but[number/64]>>(number%64)&1 != 0 {
			lanes |= z.kept[i]
		}
	}
	return lanes
}
