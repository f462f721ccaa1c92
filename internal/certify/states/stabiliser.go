package states

import (
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
// The search leaves out the same instances (internal/explicit/stabiliser.go), by its own code.
type exchanges struct {
	k     *closureCheck
	swaps []swap
	but   []uint64 // scratch
}

// swap exchanges two neighbours of a block.
type swap struct {
	closurePerm
	fields []move   // that it changes, in no multiset
	bags   bool     // there are multisets, too
	but    []uint64 // instances that it maps to ones with smaller numbers
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
func (cc *closureCheck) leavesOut(steps *evidence.Steps) *exchanges {
	if steps != nil && !steps.Orbits {
		return nil
	}
	return cc.exchanges
}

// newExchanges returns nil if no instance is ever left out.
func newExchanges(k *closureCheck) *exchanges {
	z := &exchanges{k: k, but: make([]uint64, (k.p.Program.AllInstances()+63)/64)}
	of := make(map[[2]int][]int) // by class and value: the swaps that move it
	for class, blocks := range k.p.Blocks {
		if k.p.Model.Scalarsets[class].Slots {
			continue
		}
		for _, block := range blocks {
			block = slices.Sorted(slices.Values(block))
			for i := range len(block) - 1 {
				for _, v := range block[i : i+2] {
					of[[2]int{class, v}] = append(of[[2]int{class, v}], len(z.swaps))
				}
				z.swaps = append(z.swaps, z.swap(k.p.Model.Exchange(class, block[i], block[i+1])))
			}
		}
	}
	some := false
	for rule, r := range k.p.Model.Rules {
		if _, n := k.p.Program.Instances(rule); n == 0 { // none has a number; they may be too many to list
			continue
		}
		for _, params := range model.InstancesOf(r.Params) {
			ch := model.Choice{Rule: rule, Params: params}
			n := number(k.p.Program, ch)
			for i, q := range r.Params {
				class, v, ok := q.Var.Type.Element(params[i])
				if !ok {
					continue
				}
				for _, at := range of[[2]int{class, int(v)}] {
					s := &z.swaps[at]
					if m := z.image(s.perm, ch); 0 <= m && m < n {
						s.but[n/64] |= 1 << (n % 64)
						some = true
					}
				}
			}
		}
	}
	if !some {
		return nil
	}
	return z
}

// image returns the number of the image of an instance under a permutation, or -1.
func (e *exchanges) image(perm model.ScalarPerm, ch model.Choice) int {
	params := slices.Clone(ch.Params)
	for i, q := range e.k.p.Model.Rules[ch.Rule].Params {
		if q.Var.Type.Slots {
			return -1 // the element may be in another slot
		}
		params[i] = image(perm, q.Var.Type, params[i])
	}
	return number(e.k.p.Program, model.Choice{Rule: ch.Rule, Params: params})
}

// swap prepares the exchange of two values.
func (e *exchanges) swap(perm model.ScalarPerm) swap {
	fields := slices.DeleteFunc(e.k.moves(perm, false), func(m move) bool { return m.stays() })
	return swap{closurePerm: closurePerm{perm: perm}, fields: fields, bags: len(e.k.bags) > 0, but: make([]uint64, len(e.but))}
}

// keeps reports whether a swap maps a packed state, with model.PackedPad bytes behind it, to
// itself.
func (e *exchanges) keeps(s *swap, b []byte) bool {
	for i := range s.fields {
		if !s.fields[i].keeps(b) {
			return false
		}
	}
	return !s.bags || e.k.maps(&s.closurePerm, b, b[:e.k.packer.Size()])
}

// at returns the instances to leave out in a member, packed, with model.PackedPad bytes behind
// it; nil if there are none.
func (e *exchanges) at(b []byte) []uint64 {
	some := false
	for i := range e.swaps {
		if s := &e.swaps[i]; e.keeps(s, b) {
			if !some {
				clear(e.but)
				some = true
			}
			for j, w := range s.but {
				e.but[j] |= w
			}
		}
	}
	if !some {
		return nil
	}
	return e.but
}

// padded returns a packed state with model.PackedPad bytes behind it, in packed.
func (e *exchanges) padded(b []byte) []byte {
	return append(e.k.packed[:0], b...)[:len(e.k.packed)]
}
