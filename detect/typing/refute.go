package typing

import (
	"bytes"
	"encoding/binary"
	"math/rand/v2"
	"slices"

	"orbitmc/internal/lists"
	"orbitmc/model"
)

// This file refutes what typing does not show. Two values of a class are not
// interchangeable if the steps from a reachable state are not those from its image with the
// values exchanged. Random walks find such states where there are many, in less time than
// circuits take to find one.

// mostTried is how many states walks visit and images they are compared with, in all;
// mostLeaves is how many leaves these have together, for large models. walkLength is how many
// steps a walk has at most.
const (
	mostTried  = 1 << 13
	mostLeaves = 1 << 22
	walkLength = 256
)

// Refuted reports whether states show that blocks leave out no symmetry of the rules that is
// worth a look: of each of the classes given, any two values of different blocks are not
// interchangeable, and it cannot be rotated. The states are reachable, or images of such. It is
// false if those that were looked at do not show it. All values of such a class belong to each
// type of it, as those of a declared scalarset do. Errors are all alike.
func Refuted(p *model.Program, classes []int, blocks [][][]int) bool {
	r := &refuter{p: p, packer: model.NewPacker(p.Model), m: p.NewMachine(), rng: rand.New(rand.NewPCG(1, 1)),
		most: min(mostTried, mostLeaves/max(1, p.Model.Leaves()))}
	for _, c := range classes {
		r.add(c, blocks[c])
	}
	r.m.Starts(func(_ model.Choice, s model.State, _ *model.Violation) bool {
		if s != nil {
			r.starts = append(r.starts, slices.Clone(s))
		}
		return len(r.starts) < r.most
	})
	for len(r.starts) > 0 && len(r.open) > 0 && r.tried < r.most {
		r.walk()
	}
	return len(r.open) == 0
}

// refuter looks for states.
type refuter struct {
	p      *model.Program
	packer *model.Packer
	m      *model.Machine
	rng    *rand.Rand
	starts []model.State
	open   []candidate // not refuted yet
	tried  int
	most   int // that are tried
}

// candidate is a permutation of the values of a class: it exchanges v and w, or is a rotation if
// these are equal.
type candidate struct {
	class, v, w int
	images      []int
}

// scalarPerm permutes the values of one class.
func (r *refuter) scalarPerm(class int, images []int) model.ScalarPerm {
	perm := make(model.ScalarPerm, len(r.p.Model.Scalarsets))
	perm[class] = images
	return perm
}

// add adds the exchanges and the rotation of a class.
func (r *refuter) add(class int, blocks [][]int) {
	n := int(r.p.Model.Scalarsets[class].Card())
	identity := lists.Make(n, func(v int) int { return v })
	for i, b := range blocks {
		for _, v := range b {
			for _, w := range slices.Concat(blocks[:i]...) {
				images := slices.Clone(identity)
				images[v], images[w] = w, v
				r.open = append(r.open, candidate{class, v, w, images})
			}
		}
	}
	if n > 2 && len(blocks) == n {
		r.open = append(r.open, candidate{class: class, images: append(identity[1:], 0)})
	}
}

// walk takes random steps from a start state.
func (r *refuter) walk() {
	s := slices.Clone(r.starts[r.rng.IntN(len(r.starts))])
	for range walkLength {
		var next []model.State
		r.tried++
		r.steps(s, func(_ model.Choice, t model.State) {
			if t != nil {
				next = append(next, slices.Clone(t))
			}
		})
		r.try(s)
		if len(next) == 0 || len(r.open) == 0 || r.tried >= r.most {
			return
		}
		copy(s, next[r.rng.IntN(len(next))])
	}
}

// try drops the permutations that s refutes. What s shows of two values, an image of it may
// show of two others.
func (r *refuter) try(s model.State) {
	var refuted []candidate
	r.open = slices.DeleteFunc(r.open, func(c candidate) bool {
		no := r.refutes(s, c)
		if no && c.v != c.w {
			refuted = append(refuted, c)
		}
		return no
	})
	for _, c := range refuted {
		r.open = slices.DeleteFunc(r.open, func(d candidate) bool {
			if d.class != c.class || d.v == d.w {
				return false
			}
			to := lists.Make(len(c.images), func(v int) int { return v }) // maps v and w of c to those of d
			k := slices.Index(to, d.v)
			to[c.v], to[k] = to[k], to[c.v]
			k = slices.Index(to, d.w)
			to[c.w], to[k] = to[k], to[c.w]
			return r.refutes(r.p.Image(r.scalarPerm(c.class, to), s), d)
		})
	}
}

// refutes reports whether the steps from s are not those from its image under c.
func (r *refuter) refutes(s model.State, c candidate) bool {
	r.tried++
	perm := r.scalarPerm(c.class, c.images)
	return !bytes.Equal(r.does(s, perm), r.does(r.p.Image(perm, s), nil))
}

// steps calls yield for the successors of s; the state is nil if the step errs.
func (r *refuter) steps(s model.State, yield func(ch model.Choice, next model.State)) {
	r.m.Successors(s, func(ch model.Choice, next model.State, v *model.Violation) bool {
		if v != nil {
			next = nil
		}
		yield(ch, next)
		return true
	})
}

// does returns the steps from s, seen through perm: the rules, and where they lead. They
// have no order.
func (r *refuter) does(s model.State, perm model.ScalarPerm) []byte {
	var steps [][]byte
	image := make(model.State, len(s))
	r.steps(s, func(ch model.Choice, next model.State) {
		step := binary.AppendUvarint(nil, uint64(ch.Rule))
		if next != nil {
			if perm != nil {
				r.p.ApplyPerm(perm, next, image)
				next = image
			}
			step = r.packer.Pack(append(step, 0xff), next)
		}
		steps = append(steps, step)
	})
	slices.SortFunc(steps, bytes.Compare)
	return bytes.Join(steps, []byte{0xfe})
}
