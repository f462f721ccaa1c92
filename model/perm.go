package model

import (
	"fmt"
	"slices"

	"orbitmc/internal/lists"
)

// ScalarPerm permutes the values of the classes of Model.Scalarsets: entry c is the
// image of each value of class c, by number, or nil for the identity; those of slot
// types do not count. It must map the values of every type of a class to values of
// that type. It acts on a state by permuting both the rows of arrays indexed by the
// class and the values of leaves of the class, then sorting the multisets.
type ScalarPerm [][]int

// Ring is a sequence of values of a class, by number, that may be rotated by any
// multiple of Step places, which divides their number.
type Ring struct {
	Class  int
	Values []int
	Step   int
}

// Order returns the number of rotations, the identity among them.
func (r Ring) Order() int { return len(r.Values) / r.Step }

// Rotate changes the images of values of the class: those of the values of r become
// what is by·Step places behind them.
func (r Ring) Rotate(images []int, by int) {
	for k, v := range r.Values {
		images[v] = r.Values[(k+by*r.Step)%len(r.Values)]
	}
}

// Rotates reports whether images maps the values of r like a rotation.
func (r Ring) Rotates(images []int) bool {
	by := slices.Index(r.Values, images[r.Values[0]])
	if by < 0 || by%r.Step != 0 {
		return false
	}
	for k, v := range r.Values {
		if images[v] != r.Values[(k+by)%len(r.Values)] {
			return false
		}
	}
	return true
}

// apply returns the image of value v of type t.
func (sp ScalarPerm) apply(t *Type, v int64) int64 {
	if v == Undef {
		return v
	}
	c, w, ok := t.Element(v)
	if !ok || sp[c] == nil || t.Slots {
		return v
	}
	return t.Image(v, w, int64(sp[c][w]))
}

// ApplyPerm stores the image of s under perm in dst, which does not overlap s.
func (p *Program) ApplyPerm(perm ScalarPerm, s, dst State) {
	p.permute(perm, s, dst)
	p.Normalise(dst)
}

// Image returns the image of s under perm; nil of nil.
func (p *Program) Image(perm ScalarPerm, s State) State {
	if s == nil {
		return nil
	}
	image := make(State, len(s))
	p.ApplyPerm(perm, s, image)
	return image
}

// permute is ApplyPerm without the sorting.
func (p *Program) permute(perm ScalarPerm, s, dst State) {
	var few [64]int
	shift := few[:0]
	for _, place := range p.places {
		shift = append(shift, distance(perm, place))
	}
	for i, v := range s {
		dst[i+shift[p.placeOf[i]]] = v
	}
	for _, i := range p.pointers {
		dst[i+shift[p.placeOf[i]]] = perm.apply(p.leaves[i].Type, s[i])
	}
}

// movable is an array index that is a value of a scalarset class.
type movable struct {
	class, number, stride int
	index                 *Type // if it is a type with Elems, else nil
	value                 int64 // of index
}

// findPlaces fills in how permutations act on the leaves: which may get other
// values, and which array indices around them may change. Leaves with the same
// ones move by the same distance.
func (p *Program) findPlaces() {
	known := map[string]int{}
	p.placeOf = make([]int, p.n)
	for i := range p.leaves {
		l := &p.leaves[i]
		if (l.Type.Classed() || l.Type.Kind == Union) && !l.Type.Slots {
			p.pointers = append(p.pointers, i)
		}
		var place []movable
		for _, d := range l.Indices {
			if c, v, ok := d.Type.Element(d.Value); ok && !d.Type.Slots {
				m := movable{class: c, number: int(v), stride: d.Stride}
				if d.Type.Elems != nil {
					m.index, m.value = d.Type, d.Value
				}
				place = append(place, m)
			}
		}
		key := fmt.Sprint(place)
		k := lists.Number(known, key)
		if k == len(p.places) {
			p.places = append(p.places, place)
		}
		p.placeOf[i] = k
	}
}

// distance returns by how many leaves a leaf moves.
func distance(perm ScalarPerm, place []movable) int {
	n := 0
	for _, m := range place {
		if images := perm[m.class]; images != nil {
			by := images[m.number] - m.number
			if m.index != nil {
				by = int(m.index.Image(m.value, int64(m.number), int64(images[m.number])) - m.value)
			}
			n += by * m.stride
		}
	}
	return n
}

// permLeaf returns the number of the image of leaf i before the multisets are
// sorted.
func (p *Program) permLeaf(perm ScalarPerm, i int) int {
	return i + distance(perm, p.places[p.placeOf[i]])
}

// PermChoice returns the image of a rule instance. It keeps slot parameters, which
// need not be the image in any state; see PermStep.
func (p *Program) PermChoice(perm ScalarPerm, ch Choice) Choice {
	return permChoice(perm, p.Model.Rules[ch.Rule], ch)
}

// PermStart returns the image of a start state instance.
func (p *Program) PermStart(perm ScalarPerm, ch Choice) Choice {
	return permChoice(perm, p.Model.Starts[ch.Rule], ch)
}

func permChoice(perm ScalarPerm, r *Rule, ch Choice) Choice {
	ch = ch.Clone()
	for i, q := range r.Params {
		ch.Params[i] = perm.apply(q.Var.Type, ch.Params[i])
	}
	return ch
}

// PermStep returns the image of a rule instance that is fired in s, where image is
// the image of s: slot parameters name the same elements there. Those of a rule
// whose guard does not ask if they hold an element stay.
func (p *Program) PermStep(perm ScalarPerm, s, image State, ch Choice) Choice {
	out := p.PermChoice(perm, ch)
	if len(p.rules[ch.Rule].slots) == 0 {
		return out
	}
	raw := make(State, len(s))
	p.permute(perm, s, raw)
	for _, info := range p.rules[ch.Rule].slots {
		from, ok1 := p.setAt(info, s, ch)
		to, ok2 := p.setAt(info, image, out)
		if !ok1 || !ok2 {
			continue
		}
		k := int(ch.Params[info.param])
		old := setRegion{base: p.permLeaf(perm, from), slots: info.slots, stride: info.stride}
		for _, inner := range p.sets {
			if inner.base > old.base && inner.base < old.base+old.slots*old.stride {
				inner.sort(raw)
			}
		}
		// Equal elements keep their order.
		rank := 0
		for j := range k {
			if slices.Equal(old.slot(raw, j), old.slot(raw, k)) {
				rank++
			}
		}
		set := setRegion{base: to, slots: info.slots, stride: info.stride}
		for j := range set.slots {
			if !slices.Equal(set.slot(image, j), old.slot(raw, k)) {
				continue
			}
			if rank == 0 {
				out.Params[info.param] = int64(j)
				break
			}
			rank--
		}
	}
	return out
}

// setAt returns where the multiset of a slot parameter starts in s; ok is false
// if that is an error.
func (p *Program) setAt(info slotInfo, s State, ch Choice) (base int, ok bool) {
	f := make([]int64, p.frame)
	defer func() {
		if r := recover(); r != nil {
			p.caught(r, f)
		}
	}()
	copy(f[copy(f, s):], ch.Params)
	return info.set(f), true
}

// PermTrace returns the image of a trace.
func (p *Program) PermTrace(perm ScalarPerm, t *Trace) *Trace {
	u := &Trace{Start: p.PermStart(perm, t.Start), StartState: p.Image(perm, t.StartState), Violation: t.Violation, Prop: t.Prop}
	s, image := t.StartState, u.StartState
	for _, step := range t.Steps {
		next := p.Image(perm, step.State)
		u.Steps = append(u.Steps, TraceStep{p.PermStep(perm, s, image, step.Choice), next})
		s, image = step.State, next
	}
	return u
}

// Renaming is a permutation of the leaves of a state, of values, of rules and of start
// states at once, which perhaps leads from steps to steps.
type Renaming struct {
	Name          string
	Leaves        []int      // by leaf: the leaf that gets its value
	Values        ScalarPerm // and how values of classes change on the way
	Rules, Starts []int
}
