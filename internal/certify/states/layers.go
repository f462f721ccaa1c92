package states

import (
	"fmt"
	"slices"

	"orbitmc/internal/ctl"
	"orbitmc/mc"
	"orbitmc/mc/evidence"
	"orbitmc/model"
)

// This file checks the evidence of explicit search on properties about the graph of all steps: AG EF p, and formulas in
// computation tree logic. The evidence is a set of states that is closed under steps, and for each temporal operator of the
// claim (model.Claim) a layer of each state, -1 where the operator does not hold. What holds in a state follows from the
// layers and from what the atoms say there. The layers are right if each state
//
//	of layer n > 0 of E [x U y] meets x and has a successor in a layer from 0 to n-1,
//	of layer n > 0 of A [x U y] meets x, and all its successors are in layers from 0 to n-1,
//	of layer n > 0 of E [x S y] meets x and has a predecessor in a layer from 0 to n-1,
//	of layer 0 of these three meets y, and no state of layer -1 does,
//	of layer -1 of E [x U y] that meets x has no successor in another layer,
//	of layer -1 of A [x U y] that meets x has a successor of layer -1,
//	of layer -1 of E [x S y] that meets x has no predecessor in another layer,
//	of layers of EG x on fair paths is as of E [x U y], x holding in all but -1: fairpaths.go says what y is,
//	of another layer than -1 of EX x (EY x) has a successor (predecessor) that meets x, and none of layer -1 has.
//
// From layer n the states lead down to layer 0 in at most n steps, if not in the fewest, so the operator holds. Those of
// layer -1 keep to themselves, so it does not hold there: the first three are least fixpoints. Where no rule can fire, the
// state is its own successor. An erring step, and a step that an assumption disables, have no target and end a path.
//
// # Under symmetry
//
// A member r of the set stands for all states of its orbit. A property with parameters has an instance p_i for each value
// i of them. The layers belong to pairs (r, i). Let π be a symmetry for which a_πi(πs) = a_i(s) was verified for all atoms
// a and instances. π maps steps to steps, so what holds of (s, i) holds of (πs, πi): by induction over the claim. Let s' be
// a successor of r, and let τ map s' to the member r'. From (r, i) there is a step to (s', i), and of that holds what
// holds of (r', τi). So (r, i) has the successor (r', τi). Each pair (s, i) is represented by (πs, πi), where πs is a
// member, and the layer of the representative is that of the pair.
//
// Predecessors are not found like that: two members may be in one orbit, and the predecessors of one have successors that
// are mapped to the other one. A predecessor counts only if it can be reached, too. So if an operator looks back, all
// permutations have to be the identity, and each member a start state or a successor of one with a smaller number.

// layerCheck checks the layers of one property.
type layerCheck struct {
	prop   *model.Property
	claim  *model.Claim
	layers evidence.Layers
	safe   bool
	insts  [][]int64 // the parameters of the instances
	image  []int64   // scratch
	first  int32     // of a memo: its question about the first atom of the first instance
	up     bool      // the claim is AG EF p
	seen   [][]bool  // by operator that looks back, of pairs: a predecessor justifies the layer
	from   []bool    // if an operator looks back, by member: it was reached
	member int64     // the current one

	now   []pair // by instance: of the current member
	atoms []bool // of the pair at hand; scratch
}

// pair is the current member with an instance. By operator it has the layer, whether the first operand holds, and what
// successors show: the least layer but -1, the largest, far for -1, and whether one meets the operand of EX.
type pair struct {
	layer, least, most []int
	x, any             []bool
}

const far = int(^uint(0) >> 1)

// layered prepares to look at all members, as to the layers of some properties. If the closure is checked, no property is
// violated, and all are AG EF p, it is enough to find one step of each member into a lower layer; the memo stops there.
func (cc *closureCheck) layered(r *mc.Result, props []*mc.PropResult, closed bool) error {
	for _, pr := range props {
		l, err := cc.newLayerCheck(r, pr)
		if err != nil {
			return err
		}
		cc.live, closed = append(cc.live, l), closed && l.safe && l.up
	}
	cc.done, cc.closed = 0, closed
	cc.exchanges = nil // layers are about all steps
	if cc.memo != nil {
		cc.memo.layers()
	}
	return nil
}

// lowered reports whether the current member has been found to be layered as it should, and needs no further look.
func (cc *closureCheck) lowered() bool {
	return cc.closed && !slices.ContainsFunc(cc.live, func(l *layerCheck) bool {
		_, is := l.wrong()
		return is
	})
}

func (cc *closureCheck) newLayerCheck(r *mc.Result, pr *mc.PropResult) (*layerCheck, error) {
	prop := cc.p.Model.Props[pr.Prop]
	l := &layerCheck{prop: prop, claim: prop.Claim(), layers: r.Layers[pr.Prop], safe: pr.Status == mc.Safe, insts: model.InstancesOf(prop.Params)}
	ops := l.claim.Temporal
	l.image, l.atoms, l.up = make([]int64, len(prop.Params)), make([]bool, len(l.claim.Atoms)), prop.Tree == nil
	l.seen = make([][]bool, len(ops))
	for i, f := range ops {
		if f.Op == ctl.Last || f.Op == ctl.Since {
			l.from = make([]bool, r.Closure.Len())
			l.seen[i] = make([]bool, r.Closure.Len()*int64(len(l.insts)))
		}
	}
	for range l.insts {
		n := len(ops)
		l.now = append(l.now, pair{make([]int, n), make([]int, n), make([]int, n), make([]bool, n), make([]bool, n)})
	}
	if l.safe {
		return l, nil
	}
	end := pr.Trace.End()
	if end == nil || !l.claim.Always && len(pr.Trace.Steps) > 0 {
		return nil, fmt.Errorf("the trace for %q ends in an error, or not in a start state", prop.Name)
	}
	cc.packer.Pack(cc.packed[:0], end)
	i, _, err := cc.leads(cc.packed)
	if err == nil && l.everywhere(i) {
		err = fmt.Errorf("the trace for %q ends where it holds", prop.Name)
	}
	return l, err
}

// everywhere reports whether the claim holds of all instances in member i.
func (l *layerCheck) everywhere(i int64) bool {
	return !slices.ContainsFunc(l.insts, func(inst []int64) bool { return !l.says(l.claim.Body, i, inst) })
}

// says evaluates part of the claim in a pair, by what the evidence says there.
func (l *layerCheck) says(f *ctl.Formula, i int64, inst []int64) bool {
	return f.Holds(func(a int) bool { return l.layers.Atom(a, i, inst) }, func(op int) bool { return l.layers.Layer(op, i, inst) >= 0 })
}

// reach notes that member i was reached, from a start state or the current member by a permutation.
func (l *layerCheck) reach(i int64, perm model.ScalarPerm) error {
	if l.from == nil {
		return nil
	}
	if l.from[i] = true; perm != nil {
		return fmt.Errorf("%q looks back, and states stand for others", l.prop.Name)
	}
	return nil
}

// start looks at the member to which a permutation maps a start state.
func (l *layerCheck) start(i int64, perm model.ScalarPerm) error {
	if l.safe && !l.claim.Always && !l.everywhere(i) {
		return fmt.Errorf("a state in which %q does not hold", l.prop.Name)
	}
	return l.reach(i, perm)
}

// enter begins with member i; holds evaluates an atom.
func (l *layerCheck) enter(i int64, holds func(inst, atom int) bool) error {
	l.member = i
	for k, inst := range l.insts {
		for a := range l.atoms {
			if l.atoms[a] = holds(k, a); !l.up && l.atoms[a] != l.layers.Atom(a, i, inst) {
				return fmt.Errorf("a state in which a condition of %q holds, or does not, as the evidence does not say", l.prop.Name)
			}
		}
		p := &l.now[k]
		says := func(f *ctl.Formula) bool {
			return f.Holds(func(a int) bool { return l.atoms[a] }, func(op int) bool { return p.layer[op] >= 0 })
		}
		for op, f := range l.claim.Temporal {
			n := l.layers.Layer(op, i, inst)
			p.layer[op], p.least[op], p.most[op], p.x[op], p.any[op] = n, far, -1, says(f.X), false
			if f.Op == ctl.Stay && n >= 0 && !p.x[op] {
				return fmt.Errorf("a state in a layer for %q in which its operand does not hold", l.prop.Name)
			}
			if f.Y == nil {
				continue
			}
			if y := says(f.Y); n <= 0 && y != (n == 0) || n > 0 && !p.x[op] {
				return fmt.Errorf("a state in the wrong layer for %q: it holds there: %v", l.prop.Name, y)
			}
		}
		if l.safe && l.claim.Always && !says(l.claim.Body) {
			return fmt.Errorf("a state in which %q does not hold", l.prop.Name)
		}
	}
	return nil
}

// step takes note of a successor of the current member that perm maps to member i.
func (l *layerCheck) step(i int64, perm model.ScalarPerm) error {
	if perm != nil || i > l.member {
		if err := l.reach(i, perm); err != nil {
			return err
		}
	}
	for k, inst := range l.insts {
		copy(l.image, inst)
		for j := 0; j < len(inst) && perm != nil; j++ {
			l.image[j] = image(perm, l.prop.Params[j].Var.Type, inst[j])
		}
		for op, f := range l.claim.Temporal {
			if !l.follow(&l.now[k], op, f, i) {
				return fmt.Errorf("a step into, or out of, the states in which part of %q holds", l.prop.Name)
			}
		}
	}
	return nil
}

// follow takes note of a step of a pair to member i with instance image, for an operator.
func (l *layerCheck) follow(p *pair, op int, f *ctl.Formula, i int64) bool {
	from, to := p.layer[op], l.layers.Layer(op, i, l.image)
	switch f.Op {
	case ctl.Some, ctl.All, ctl.Stay:
		if to < 0 {
			p.most[op] = far
			break
		}
		p.least[op], p.most[op] = min(p.least[op], to), max(p.most[op], to)
		return f.Op == ctl.All || from >= 0 || !p.x[op]
	case ctl.Next:
		p.any[op] = p.any[op] || l.says(f.X, i, l.image)
	case ctl.Last:
		l.justify(op, i, p.x[op])
		return !p.x[op] || to >= 0
	case ctl.Since:
		l.justify(op, i, from >= 0 && from < to)
		return from < 0 || to >= 0 || !l.says(f.X, i, l.image)
	}
	return true
}

// justify notes that a predecessor justifies the layer of member i with instance image.
func (l *layerCheck) justify(op int, i int64, is bool) {
	if is {
		k := slices.IndexFunc(l.insts, func(inst []int64) bool { return slices.Equal(inst, l.image) })
		l.seen[op][int(i)*len(l.insts)+k] = true
	}
}

// leave checks what all successors of the current member show together.
func (l *layerCheck) leave() error {
	if n, is := l.wrong(); is {
		return fmt.Errorf("a state in layer %d for %q whose steps do not show that", n, l.prop.Name)
	}
	return nil
}

// wrong returns a layer of the current member that the steps seen do not show.
func (l *layerCheck) wrong() (n int, is bool) {
	for k := range l.now {
		p := &l.now[k]
		for op, f := range l.claim.Temporal {
			n, good := p.layer[op], true
			switch f.Op {
			case ctl.Some, ctl.Stay:
				good = n <= 0 || p.least[op] < n
			case ctl.All:
				good = n == 0 || n > 0 && p.most[op] < n || n < 0 && (p.most[op] == far || !p.x[op])
			case ctl.Next:
				good = p.any[op] == (n >= 0)
			}
			if !good {
				return n, true
			}
		}
	}
	return 0, false
}

// end checks, after all members, that the layers of operators that look back are justified.
func (l *layerCheck) end() error {
	if i := slices.Index(l.from, false); i >= 0 {
		return fmt.Errorf("%q looks back, and state %d was not reached", l.prop.Name, i)
	}
	for op, seen := range l.seen {
		for pair := range seen {
			n := l.layers.Layer(op, int64(pair/len(l.insts)), l.insts[pair%len(l.insts)])
			if !seen[pair] && (n > 0 || n == 0 && l.claim.Temporal[op].Op == ctl.Last) {
				return fmt.Errorf("a state in layer %d for %q, and no step to it shows that", n, l.prop.Name)
			}
		}
	}
	return nil
}
