package model

import (
	"fmt"
	"slices"
)

// What rule instances may read and write in any state, for partial orders: two instances of
// which none writes what the other one touches can be exchanged.
//
// An index that the parameters decide gives one leaf, any other one all elements. If the index
// depends on one leaf of the state, which the instance does not write, it is also said which
// elements they are by the value of that leaf (Varying). A value
// that is assigned is known if it is a constant. Aliases and var parameters are followed
// to the places they stand for; recursive calls touch everything.

// Access is what a rule instance may touch, whatever the state. Leaves are ascending.
type Access struct {
	Choice
	Reads  []int32
	Writes []Write
	Guard  []Condition // its conjuncts, in the order of evaluation; the last one may stand for what else can disable it

	// Varying are the accesses whose place a leaf of the state decides, perhaps with others; what they touch is
	// in Reads or Writes as well. SureReads and SureWrites are leaves of other accesses.
	Varying               []Varying
	SureReads, SureWrites []int32
}

// Varying is an access to elements, by the value of the leaf On, which is one of the sure reads.
type Varying struct {
	On    int32
	Write bool
	below int64
	at    [][]int32 // by code of the value of On: leaves that may be touched
}

// At returns the leaves that are touched if On has the value v.
func (a *Varying) At(v int64) []int32 {
	if v == Undef {
		return nil // an error
	}
	return a.at[v-a.below]
}

// Write is a leaf with a value that it may get.
type Write struct {
	Leaf  int32
	Value int64 // Undef too; AnyValue: any but Undef; AnyOrNone: any
}

// Unknown values of a Write; no leaf has them.
const (
	AnyValue  = Undef + 1
	AnyOrNone = Undef + 2
)

// Condition is a conjunct of a guard.
type Condition struct {
	Reads []int32
	Leaf  int32 // the only leaf that it depends on; -1: there are several, or none
	On    int32 // if it is not -1, the conjunct is one of Cases, by the code of the value of this leaf
	cases []Condition
	Sure  bool    // its evaluation is no error in any state
	says  []uint8 // by code of the value of Leaf
	below int64
	expr  Expr
}

// Verdict of a condition on a value of its leaf.
type Verdict uint8

// Verdicts.
const (
	False = Verdict(saysFalse)
	True  = Verdict(saysTrue)
	Errs  = Verdict(saysError)
)

// Says returns what the condition, which has a Leaf, says of a value of it.
func (c *Condition) Says(v int64) Verdict {
	if v == Undef {
		return Verdict(c.says[0])
	}
	return Verdict(c.says[v-c.below])
}

// Case returns the condition that it is if the leaf On has the value v; nil if that is an error.
func (c *Condition) Case(v int64) *Condition {
	if v == Undef {
		return nil
	}
	if q := &c.cases[v-c.below]; q.Leaf >= 0 {
		return q
	}
	return nil
}

// Key tells conditions on a leaf apart that say different things of some value.
func (c *Condition) Key() string { return string(c.says) }

// Allows reports whether a write to its leaf may give the condition one of some verdicts.
func (c *Condition) Allows(w Write, verdicts ...Verdict) bool {
	says := c.says
	switch w.Value {
	case AnyValue:
		says = says[1:]
	case AnyOrNone:
	default:
		if v := w.Value; v != Undef && (v <= c.below || v-c.below >= int64(len(says))) {
			return false // no value of the leaf
		}
		says = []uint8{uint8(c.Says(w.Value))}
	}
	return slices.ContainsFunc(says, func(s uint8) bool { return slices.Contains(verdicts, Verdict(s)) })
}

// Accesses are those of all rule instances.
type Accesses struct {
	All     []Access
	p       *Program
	numbers [][]int32 // by rule, by instance; -1: left out
}

// Accesses returns what the rule instances touch, rule by rule, those whose guard the parameters
// refute left out. The error says why partial orders cannot be used on the model: it has a
// multiset, whose slots have no identity, or more than most instances.
func (p *Program) Accesses(most int) (*Accesses, error) {
	for _, l := range p.leaves {
		if l.Type == PresentType {
			return nil, fmt.Errorf("%s: partial orders cannot be used with multisets", p.Model.File)
		}
	}
	b := &matrixBuilder{p: p, f: make([]int64, p.frame)}
	assumed := p.assumptionReads()
	x := &Accesses{p: p}
	copies := newCopies(p)
	total := uint64(0)
	for k, r := range p.Model.Rules {
		u := &p.rules[k]
		n := uint64(1)
		for _, s := range u.params {
			if n *= s.n; n > uint64(most) {
				break
			}
		}
		if total += n; total > uint64(most) {
			return nil, fmt.Errorf("%s: partial orders cannot be used with more than %d rule instances", p.Model.File, most)
		}
		numbers := slices.Repeat([]int32{-1}, int(n))
		x.numbers = append(x.numbers, numbers)
	instances:
		for i := range int(n) {
			t := newToucher(p, r.Params)
			u.instance(i, t.values)
			a := Access{Choice: Choice{Rule: k, Params: slices.Clone(t.values)}}
			for j := range u.flat {
				q := &u.flat[j]
				c := Condition{Leaf: -1, On: -1, expr: q.expr}
				part := newToucher(p, r.Params)
				copy(part.values, t.values)
				part.Effects.Reads(q.expr)
				c.Reads, _ = part.touched()
				switch {
				case part.Any:
				case len(c.Reads) == 0:
					if len(a.Guard) == 0 && b.evaluate(u, i, -1, q, r.Params, nil)[0] == saysFalse {
						continue instances
					}
				case len(c.Reads) == 1 && p.leaves[c.Reads[0]].Type.Card() <= mostCodes:
					c.Leaf = c.Reads[0]
					c.says, c.below = b.evaluate(u, i, int(c.Leaf), q, r.Params, nil), p.leaves[c.Leaf].Type.Lo-1
				case len(part.varying) > 0:
					b.cases(&c, q, t)
				}
				t.merge(part)
				a.Guard = append(a.Guard, c)
			}
			if len(u.late) > 0 {
				for _, e := range Conjuncts(r.Guard)[len(u.flat):] {
					t.Effects.Reads(e)
				}
				t.assumes = true
			}
			t.effect(r.Body)
			for _, q := range assumed {
				if t.writesAny(q) {
					t.assumes = true
					for _, leaf := range q {
						t.reads[leaf], t.sureReads[leaf] = true, true
					}
				}
			}
			copies.note(t)
			t.settle()
			a.Reads, a.Writes = t.touched()
			if t.assumes {
				a.Guard = append(a.Guard, Condition{Leaf: -1, On: -1, Reads: a.Reads})
			}
			a.Varying = t.varying
			a.SureReads, a.SureWrites = list(t.sureReads), list(t.sureWrites)
			numbers[i] = int32(len(x.All))
			x.All = append(x.All, a)
		}
	}
	defined := copies.defined()
	for i := range x.All {
		a := &x.All[i]
		sure := &certain{p: p, defined: defined, bounds: map[*Var][2]int64{}}
		for k, q := range p.Model.Rules[a.Rule].Params {
			sure.bounds[q.Var] = [2]int64{a.Params[k], a.Params[k]}
		}
		for k := range a.Guard {
			if a.Guard[k].expr != nil {
				sure.settle(&a.Guard[k])
			}
		}
		for k := range a.Writes {
			if w := &a.Writes[k]; w.Value == AnyOrNone && defined[w.Leaf] {
				w.Value = AnyValue
			}
		}
	}
	return x, nil
}

// Number returns the index in All of an instance.
func (x *Accesses) Number(ch Choice) int {
	i, _ := x.p.rules[ch.Rule].index(ch.Params)
	return int(x.numbers[ch.Rule][i])
}

// assumptionReads returns, by assumption, the leaves that it may read.
func (p *Program) assumptionReads() (leaves [][]int32) {
	for _, q := range p.Model.Assumptions {
		t := newToucher(p, nil)
		t.Effects.Reads(q.Expr)
		reads, _ := t.touched()
		leaves = append(leaves, reads)
	}
	return leaves
}
