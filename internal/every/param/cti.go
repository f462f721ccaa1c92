package param

import (
	"slices"

	"orbitmc/sat"
)

// This file reads the counterexample to induction of a condition: a state of few components in which
// all that is assumed holds, and from which a step leads to one where something else does not.

// Fact is what a family holds at some components. They are numbered from 0 in each sort.
type Fact struct {
	Fam  *Family
	Args []int
	Opt  int // -1: nothing, the leaf is undefined
	To   int // the component, if the option is one; or one of the following
}

// What a Fact says of a component that is none of the few.
const (
	Elsewhere = -1 // it is none of them
	Anywhere  = -2 // nothing
)

// CTI is a counterexample to induction. Of leaves that it does not mention nothing is asked.
type CTI struct {
	Size  []int // by sort
	Facts []Fact
}

// cti reads the state before the step in the model that the solver has.
func (i *invariant) cti(families []*Family) *CTI {
	out := &CTI{Size: i.sizes()}
	for _, fam := range families {
		args := make([]int, len(fam.Args))
		var each func(k int)
		each = func(k int) {
			if k == len(args) {
				if f, ok := i.fact(fam, args); ok {
					out.Facts = append(out.Facts, f)
				}
				return
			}
			for e := range out.Size[fam.Args[k]] {
				args[k] = e
				each(k + 1)
			}
		}
		each(0)
	}
	return out
}

// sizes returns how many components are there in the model that the solver has, by sort.
func (i *invariant) sizes() []int {
	out := slices.Clone(i.g.sure)
	for sort, all := range i.g.there {
		for _, l := range all {
			if i.s.Value(l) {
				out[sort]++
			}
		}
	}
	return out
}

// fact reads what a family holds; ok is false if no clause asks.
func (i *invariant) fact(fam *Family, args []int) (f Fact, ok bool) {
	f = Fact{Fam: fam, Args: append([]int(nil), args...), Opt: -1, To: Anywhere}
	atom := func(opt, to int) (l sat.Lit, ok bool) {
		l, ok = i.g.atoms[string(i.g.keyOf(args, fam.number, opt, to))]
		return l, ok
	}
	switch {
	case fam.Defined && len(fam.Opts) == 1:
		f.Opt, ok = 0, true
	case fam.Defined && len(fam.Opts) == 2:
		var l sat.Lit
		if l, ok = atom(1, -1); ok && i.s.Value(l) {
			f.Opt = 1
		} else {
			f.Opt = 0
		}
	default:
		for opt := range fam.Opts {
			var l sat.Lit
			if l, ok = atom(opt, -1); ok && i.s.Value(l) {
				f.Opt = opt
			}
		}
	}
	if f.Opt < 0 || fam.Opts[f.Opt].Sort < 0 {
		return f, ok
	}
	for y := range i.g.size[fam.Opts[f.Opt].Sort] {
		if l, asked := atom(f.Opt, y); asked {
			f.To = max(f.To, Elsewhere)
			if i.s.Value(l) {
				f.To = y
			}
		}
	}
	return f, ok
}
