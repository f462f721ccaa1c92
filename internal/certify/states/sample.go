package states

import (
	"bytes"
	"context"
	"encoding/binary"
	"fmt"
	"hash/maphash"
	"math/rand/v2"
	"slices"

	"orbitmc/internal/lists"
	"orbitmc/mc"
	"orbitmc/mc/evidence"
	"orbitmc/model"
)

// This file tries a symmetry that was found by typing on members of a closed set: the
// interpreter takes the steps of a member and those of an image of it, and compares. It
// proves nothing, and it needs no derivation: both derivations (docs/theory/symmetry.md) could be
// wrong about the same form, and a form that is wrong is mostly wrong in many states. So a
// wrong derivation is found out before a verdict counts. Members are taken at equal
// distances, permutations at random with a fixed seed. How many members are tried depends on
// how many there are, so that a trial takes a small share of the work of the search.

// samples returns how many of n members are tried: one of shareTried, but no fewer than
// fewTried if there are as many, and no more than mostTried.
func samples(n int64) int64 { return min(max(n/shareTried, fewTried), n, mostTried) }

const (
	shareTried = 32
	fewTried   = 512
	mostTried  = 4096
)

// trial compares states with their images.
type trial struct {
	p      *mc.Problem
	packer *model.Packer
	mach   *model.Machine
	joint  []int // by property: the first of its joint set; one number for all that are not decided
	seed   maphash.Seed
	image  model.State // scratch
	step   []byte      // scratch
}

// sampleTyped returns an error if a member does other things than an image of it.
func sampleTyped(ctx context.Context, p *mc.Problem, c evidence.Closure) error {
	n := p.Model.Leaves()
	t := &trial{p: p, packer: model.NewPacker(p.Model), mach: p.Program.NewMachine(), joint: make([]int, len(p.Model.Props)),
		seed: maphash.MakeSeed(), image: make(model.State, n)}
	for i := range t.joint {
		if t.joint[i] = i; !slices.Contains(p.Props, i) {
			t.joint[i] = len(t.joint)
		}
	}
	for _, set := range p.Joint {
		for _, i := range set {
			if slices.Contains(p.Props, i) {
				t.joint[i] = slices.Min(set)
			}
		}
	}
	from := newMembers(c)
	rng := rand.New(rand.NewPCG(1, 1))
	s, image := make(model.State, n), make(model.State, n)
	var x, y []byte
	for i, of := int64(0), samples(c.Len()); i < of && ctx.Err() == nil; i++ {
		t.packer.Unpack(from.member(i*c.Len()/of), s)
		perm := t.random(rng)
		p.Program.ApplyPerm(perm, s, image)
		if x, y = t.does(x[:0], s, perm), t.does(y[:0], image, nil); !bytes.Equal(x, y) {
			return fmt.Errorf("a state and its image under %v do not do the same", perm)
		}
	}
	return nil
}

// random returns a permutation within the blocks.
func (t *trial) random(rng *rand.Rand) model.ScalarPerm {
	perm := make(model.ScalarPerm, len(t.p.Model.Scalarsets))
	for c, class := range t.p.Blocks {
		if t.p.Model.Scalarsets[c].Slots {
			continue
		}
		perm[c] = lists.Make(int(t.p.Model.Scalarsets[c].Card()), func(v int) int { return v })
		for _, b := range class {
			for k, to := range rng.Perm(len(b)) {
				perm[c][b[k]] = b[to]
			}
		}
	}
	return perm
}

// does appends what happens in s, seen through perm: for each instance that is enabled or
// errs the rule and its parameters, the error up to joint sets, the covers that are hit, and the next state;
// and which properties do not hold. The instances have no order, so of them there is the sum
// of their hashes.
func (t *trial) does(out []byte, s model.State, perm model.ScalarPerm) []byte {
	sum := uint64(0)
	t.mach.Successors(s, func(ch model.Choice, next model.State, v *model.Violation) bool {
		step := binary.AppendUvarint(t.step[:0], uint64(ch.Rule))
		step = t.params(step, t.p.Model.Rules[ch.Rule].Params, ch.Params, perm)
		step = t.violation(step, v)
		for _, q := range t.p.Props {
			if x := t.p.Model.Props[q]; x.Kind == model.Cover && x.Expr == nil && t.mach.Hit(q) {
				step = binary.AppendUvarint(step, uint64(q))
			}
		}
		step = append(step, 0xff)
		if v == nil {
			if perm != nil {
				t.p.Program.ApplyPerm(perm, next, t.image)
				next = t.image
			}
			step = t.packer.Pack(step, next)
		}
		sum += maphash.Bytes(t.seed, step)
		t.step = step
		return true
	})
	out = binary.LittleEndian.AppendUint64(out, sum)
	if t.mach.LeftOut() {
		out = append(out, 0xfd)
	}
	var broken [][]byte // up to joint sets, so these have no order either
	for _, q := range t.p.Props {
		switch x := t.p.Model.Props[q]; {
		case x.Kind == model.Invariant:
			if v := t.mach.Violated(s, q); v != nil {
				broken = append(broken, t.violation(nil, v))
			}
		case x.Kind == model.Cover && x.Expr != nil:
			ok, v := t.mach.Holds(s, q, nil)
			out = t.violation(append(out, fmt.Sprint(ok)...), v)
		case x.Kind.Graph():
			out = binary.LittleEndian.AppendUint64(out, t.atoms(s, x, perm))
		}
	}
	slices.SortFunc(broken, bytes.Compare)
	return append(out, bytes.Join(slices.CompactFunc(broken, bytes.Equal), []byte{0xfc})...)
}

// atoms returns the sum of the hashes of what the atoms of a property say for each of its instances.
func (t *trial) atoms(s model.State, x *model.Property, perm model.ScalarPerm) (sum uint64) {
	for _, inst := range model.InstancesOf(x.Params) {
		holds, v := t.mach.Atoms(s, x, inst, nil)
		out := t.params(nil, x.Params, inst, perm)
		sum += maphash.Bytes(t.seed, append(out, fmt.Sprint(holds, v != nil)...))
	}
	return sum
}

// params appends the parameters of an instance, seen through perm. Slots have no meaning of their own.
func (t *trial) params(out []byte, params []*model.Param, inst []int64, perm model.ScalarPerm) []byte {
	for i, q := range params {
		v := inst[i]
		if q.Var.Type.Slots {
			continue
		}
		if class, w, ok := q.Var.Type.Element(v); ok && perm != nil && perm[class] != nil {
			v += int64(perm[class][w]) - w
		}
		out = binary.AppendVarint(out, v)
	}
	return out
}

func (t *trial) violation(out []byte, v *model.Violation) []byte {
	if v == nil {
		return append(out, 0)
	}
	if v.InGuard {
		out = append(out, 1)
	}
	return binary.AppendUvarint(append(out, 2), uint64(t.joint[v.Prop]))
}
