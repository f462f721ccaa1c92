package states

import (
	"fmt"
	"slices"

	"orbitmc/mc"
	"orbitmc/mc/evidence"
	"orbitmc/model"
)

// This file checks the evidence of explicit search on liveness properties, AG EF p. The
// evidence is a set of states that is closed under steps, and a layer of each state. A state
// has layer 0 only if p holds in it, and -1 only if it does not. A state of a layer n > 0 has a
// successor in a layer from 0 to n-1. All successors of a state of layer -1 have layer -1.
//
// From layer n the successors lead down to layer 0 in at most n steps, if not in the fewest. From
// layer -1 no state with p can be reached. So the property is safe if no layer is -1, and a trace
// violates it if it ends in layer -1. An erring step, and a step that an assumption disables, have no
// target and end a path.
//
// # Under symmetry
//
// A member r of the set stands for all states of its orbit. A property with parameters has an
// instance p_i for each value i of them. The layers belong to pairs (r, i). Let π be a
// symmetry for which p_πi(πs) = p_i(s) was verified for all instances at once. π maps steps to
// steps, so p_i can be reached from s if and only if p_πi can be reached from πs. Let s' be a successor of
// r, and let τ map s' to the member r'. From s' one can reach p_i if and only if from r' one
// can reach p_τi. So (r, i) has the successor (r', τi). Each pair (s, i) is represented by
// (πs, πi), where πs is a member, and the layer of the representative is that of the pair.

// layerCheck checks the layers of one property.
type layerCheck struct {
	prop   *model.Property
	layers evidence.Layers
	safe   bool
	insts  [][]int64 // the parameters of the instances
	image  []int64   // scratch
	first  int32     // of a memo: its question about the first instance

	// Of the current member, by instance: its layer, and the least layer of the
	// successors seen, -1 left out.
	layer, least []int
}

// layered prepares to look at all members, as to the layers of some properties. If the closure is checked and no
// property is violated, it is enough to find one step of each member into a lower layer; the memo stops there.
func (k *closureCheck) layered(r *mc.Result, props []*mc.PropResult, closed bool) error {
	for _, pr := range props {
		l, err := k.newLayerCheck(r, pr)
		if err != nil {
			return err
		}
		k.live, closed = append(k.live, l), closed && l.safe
	}
	k.done, k.closed = 0, closed
	k.exchanges = nil // layers are about all steps
	if k.memo != nil {
		k.memo.liveness()
	}
	return nil
}

// lowered reports whether the current member has been found to be layered as it should, and needs no further look.
func (k *closureCheck) lowered() bool {
	return k.closed && !slices.ContainsFunc(k.live, func(l *layerCheck) bool { return l.high() >= 0 })
}

func (k *closureCheck) newLayerCheck(r *mc.Result, pr *mc.PropResult) (*layerCheck, error) {
	prop := k.p.Model.Props[pr.Prop]
	l := &layerCheck{prop: prop, layers: r.Layers[pr.Prop], safe: pr.Status == mc.Safe}
	l.insts = model.InstancesOf(prop.Params)
	l.image = make([]int64, len(prop.Params))
	l.layer, l.least = make([]int, len(l.insts)), make([]int, len(l.insts))
	if l.safe {
		return l, nil
	}
	end := pr.Trace.End()
	if end == nil {
		return nil, fmt.Errorf("the trace for %q ends in an error", prop.Name)
	}
	k.packer.Pack(k.packed[:0], end)
	i, _, err := k.leads(k.packed)
	if err != nil {
		return nil, err
	}
	for _, inst := range l.insts {
		if l.layers.Layer(i, inst) < 0 {
			return l, nil
		}
	}
	return nil, fmt.Errorf("the trace for %q ends where it can still be reached", prop.Name)
}

const far = int(^uint(0) >> 1)

// enter begins with member i: layer 0 is where the property holds.
func (l *layerCheck) enter(i int64, holds func(inst int) bool) error {
	for k, inst := range l.insts {
		l.layer[k], l.least[k] = l.layers.Layer(i, inst), far
		if l.layer[k] < 0 && l.safe {
			return fmt.Errorf("a state from which %q cannot be reached", l.prop.Name)
		}
		if h := holds(k); h != (l.layer[k] == 0) && l.layer[k] <= 0 { // above, it does not matter, but it may err
			return fmt.Errorf("a state in the wrong layer for %q: it holds there: %v", l.prop.Name, h)
		}
	}
	return nil
}

// step takes note of a successor that perm maps to member i.
func (l *layerCheck) step(i int64, perm model.ScalarPerm) error {
	for k, inst := range l.insts {
		copy(l.image, inst)
		for j := 0; j < len(inst) && perm != nil; j++ {
			l.image[j] = image(perm, l.prop.Params[j].Var.Type, inst[j])
		}
		to := l.layers.Layer(i, l.image)
		if to >= 0 {
			l.least[k] = min(l.least[k], to)
		}
		if l.layer[k] < 0 && to >= 0 {
			return fmt.Errorf("a step out of the states from which %q cannot be reached", l.prop.Name)
		}
	}
	return nil
}

// high returns an instance for which no successor of the current member was seen in a lower layer; -1 if there is none.
func (l *layerCheck) high() int {
	for k, n := range l.layer {
		if n > 0 && l.least[k] >= n {
			return k
		}
	}
	return -1
}

// leave checks that the current member has a successor in a lower layer.
func (l *layerCheck) leave() error {
	if k := l.high(); k >= 0 {
		return fmt.Errorf("a state in layer %d for %q without a step into a lower one", l.layer[k], l.prop.Name)
	}
	return nil
}
