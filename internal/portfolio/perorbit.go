package portfolio

import (
	"context"
	"fmt"
	"orbitmc/aig"
	"slices"

	"orbitmc/internal/lists"
	"orbitmc/internal/pdr/klive"
	"orbitmc/mc"
	"orbitmc/mc/evidence"
	"orbitmc/ts"
)

// This file decides one property of each orbit of properties, and carries its verdict to
// the others. Let a permutation keep the system and map the bads of property P to the bads
// of property Q. Applied to every state and input of a run that violates P, it gives a run
// that violates Q. Applied to every clause of an invariant that excludes P, it gives an
// invariant that excludes Q.
//
// The permutation need not be trusted. The evidence that is carried over is checked like
// the evidence of an engine: a trace is replayed, and a proof is checked again (Verify).
// A bound is the exception: it is carried over unchecked, as no bound has evidence.

// PerOrbit returns an engine that runs e on the properties of a netlist that are no
// images of others (Problem.Images) and carries its verdicts over.
func PerOrbit(e mc.Engine) mc.Engine { return perOrbit{e} }

type perOrbit struct{ mc.Engine }

// bare returns the engine that runs, of one that may be a perOrbit.
func bare(e mc.Engine) mc.Engine {
	if all, ok := e.(perOrbit); ok {
		return all.Engine
	}
	return e
}

// Run implements Engine.
func (po perOrbit) Run(ctx context.Context, p *mc.Problem, opt mc.Options) (*mc.Result, error) {
	if _, own := po.Engine.(*klive.Engine); own { // the permutations are not about the system that counts
		return po.Engine.Run(ctx, p, opt)
	}
	all := p // with the images that are known
	if later := opt.Later; later != nil {
		opt.Later = func(w mc.Work) *mc.Problem {
			q := later(w)
			if q == nil {
				return nil
			}
			all = q
			return onePerOrbit(q)
		}
	}
	r, err := po.Engine.Run(ctx, onePerOrbit(p), opt)
	if err != nil || onePerOrbit(all) == all {
		return r, err
	}
	p = all
	found := make(map[int]*mc.PropResult)
	for i := range r.Props {
		found[r.Props[i].Prop] = &r.Props[i]
	}
	out := *r
	out.Props = nil
	proofs := make(map[string]*evidence.Proof)
	for _, q := range p.Props {
		pr := found[q]
		if x, ok := p.Images[q]; ok && slices.Contains(p.Props, x.Of) && (pr == nil || pr.Status == mc.Unknown) {
			if pr, err = imageOf(p, found[p.Images[q].Of], q, proofs); err != nil {
				return nil, fmt.Errorf("internal error: the verdict on %q, carried over to %q: %w", p.Name(p.Images[q].Of), p.Name(q), err)
			}
		}
		out.Props = append(out.Props, *pr)
	}
	if out.Open() == 0 {
		out.Stopped = ""
	}
	return &out, nil
}

// onePerOrbit returns a problem without the properties that are images of others; p if there are
// none.
func onePerOrbit(p *mc.Problem) *mc.Problem {
	one := *p
	one.Props = slices.DeleteFunc(slices.Clone(p.Props), func(q int) bool {
		x, ok := p.Images[q]
		return ok && slices.Contains(p.Props, x.Of)
	})
	if !p.IsNetlist() || len(one.Props) == len(p.Props) {
		return p
	}
	one.Images = nil
	return &one
}

// imageOf returns the image of a result. Images of one proof under one permutation are
// one proof.
func imageOf(p *mc.Problem, of *mc.PropResult, prop int, proofs map[string]*evidence.Proof) (*mc.PropResult, error) {
	x := p.Images[prop]
	pr := &mc.PropResult{Prop: prop, Status: of.Status, Engine: of.Engine, Bound: of.Bound, Time: of.Time}
	if of.Status == mc.BySearch(p.Kind(of.Prop)) { // a cover may be the image of an assertion
		pr.Status = mc.BySearch(p.Kind(prop))
	}
	switch {
	case of.Path != nil:
		got, err := p.Found(of.Engine, prop, of.Depth, restrict(p, of.Path).Image(x.Perm))
		got.Bound, got.Time = min(got.Bound, of.Bound), of.Time
		return &got, err
	case of.Proof != nil:
		key := fmt.Sprintf("%p %p", of.Proof, x.Perm)
		if proofs[key] == nil {
			f, err := proofImage(of.Proof, x, of.Prop)
			if err != nil {
				return nil, err
			}
			proofs[key] = f
		}
		pr.Proof = proofs[key]
	}
	return pr, nil
}

// restrict returns a trace of the netlist as one of the system that engines see.
func restrict(p *mc.Problem, t *ts.Trace) *ts.Trace {
	if p.Cleaned == nil {
		return t
	}
	pick := func(bits []bool, numbers []int) []bool {
		return lists.Map(numbers, func(n int) bool { return bits[n] })
	}
	inputs := func(in []bool) []bool { return pick(in, p.Cleaned.Inputs) }
	return &ts.Trace{Init: pick(t.Init, p.Cleaned.Init), Inputs: lists.Map(t.Inputs, inputs)}
}

// proofImage returns the image of a proof that is given for a property.
func proofImage(f *evidence.Proof, x ts.Image, prop int) (*evidence.Proof, error) {
	out := &evidence.Proof{K: f.K, Group: f.Group.Conjugate(x.Perm)}
	for _, q := range f.About(prop) {
		to, ok := x.To[q]
		if !ok {
			return nil, fmt.Errorf("property %d of the proof has no image", q)
		}
		out.Props = append(out.Props, to...)
	}
	slices.Sort(out.Props)
	out.Props = slices.Compact(out.Props)
	for _, c := range f.Clauses {
		image := make(ts.Clause, len(c))
		for i, l := range c {
			image[i] = l.Under(x.Perm.Latch)
		}
		out.Clauses = append(out.Clauses, image)
	}
	if c := f.Circuit; c != nil {
		moved := evidence.NewCircuit(len(c.Latches))
		copier := aig.NewCopier(moved.G, c.G)
		for i, l := range c.Latches {
			to := x.Perm.Latch[i]
			copier.Set(l.Node(), moved.Latches[to>>1].NotIf(to&1 == 1))
		}
		for range c.Inputs {
			moved.Inputs = append(moved.Inputs, moved.G.Input())
		}
		for i, l := range c.Inputs {
			to := x.Perm.Input[i]
			copier.Set(l.Node(), moved.Inputs[to>>1].NotIf(to&1 == 1))
		}
		moved.Out = copier.Copy(c.Out)
		out.Circuit = moved
	}
	back := x.Perm.Inverse()
	for _, d := range f.Distinct {
		if d.Perm != nil {
			d.Perm = back.Then(d.Perm).Then(x.Perm)
		}
		out.Distinct = append(out.Distinct, d)
	}
	return out, nil
}
