package model_test

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"reflect"
	"slices"
	"testing"

	"orbitmc/internal/testkit/nightly"
	. "orbitmc/model"
	"orbitmc/model/reference"
)

// result is what became of a rule instance.
type result struct {
	ch   Choice
	next State
	prop int // of the violation; -1: none
	in   bool
	hit  bool
}

func (a result) equal(b result) bool {
	return a.ch.Equal(b.ch) && slices.Equal(a.next, b.next) && a.prop == b.prop && a.in == b.in && a.hit == b.hit
}

// comparison runs one model in both interpreters.
type comparison struct {
	*testing.T
	name  string
	m     *Model
	mach  *Machine
	count map[string]int // cases of each kind
}

// instances returns what the slow interpreter makes of all rule instances that
// are not disabled in s, or false if that takes too long; and whether a state
// is deadlocked under Stuck and Stuttering.
func (c *comparison) instances(s State) (want []result, stuck, stutter, ok bool) {
	stuck, stutter, ok = true, true, true
	for k, rule := range c.m.Rules {
		tuples(rule.Params, nil, func(params []int64) {
			if !ok {
				return
			}
			res := result{ch: Choice{k, params}, prop: -1}
			next, inGuard, leftOut, hits, err := fireSlowly(c.m, rule, params, s)
			res.next, res.hit = next, hits[coverProp]
			var f failure
			switch {
			case err == errFuel:
				ok = false
				return
			case errors.As(err, &f):
				res.prop, res.in = int(f), inGuard
				stuck, stutter = false, false
				c.count["assert"]++
			case err == errRun:
				res.prop, res.in = runtimeProp, inGuard
				stuck, stutter = false, false
				c.count[fmt.Sprint("run-time error ", inGuard)]++
			case err != nil:
				c.Fatalf("%s: %v", c.name, err)
			case next == nil:
				if leftOut {
					stuck, stutter = false, false
					c.count["left out"]++
				}
				c.count["disabled"]++
				if n, enabled, v := c.mach.Fire(s, res.ch); n != nil || enabled || v != nil {
					c.Fatalf("%s: Fire of a disabled instance %v: %v %v %v", c.name, res.ch, n, enabled, v)
				}
				return
			default:
				c.count["fired"]++
				stuck = false
				stutter = stutter && slices.Equal(next, s)
			}
			if res.hit {
				c.count["hit"]++
			}
			want = append(want, res)
		})
	}
	return want, stuck, stutter, ok
}

// check compares the two interpreters on one state.
func (c *comparison) check(s State) {
	want, stuck, stutter, ok := c.instances(s)
	if !ok {
		c.count["too long"]++
		return
	}
	for _, w := range want {
		n, enabled, v := c.mach.Fire(s, w.ch)
		one := result{w.ch, n, -1, false, c.mach.Hit(coverProp)}
		if v != nil {
			one.prop, one.in = v.Prop, v.InGuard
		}
		if !one.equal(w) || enabled == w.in {
			c.Fatalf("%s: Fire in\n%v:\ngot  %v, %v (%v)\nwant %v", c.name, s, one, enabled, v, w)
		}
	}
	before := slices.Clone(s)
	var got []result
	c.mach.Successors(s, func(ch Choice, next State, v *Violation) bool {
		res := result{ch.Clone(), slices.Clone(next), -1, false, c.mach.Hit(coverProp)}
		if v != nil {
			res.prop, res.in = v.Prop, v.InGuard
			if v.InGuard {
				res.hit = false // of an error that several instances share
			}
		}
		got = append(got, res)
		if next != nil {
			c.inPlace(s, next)
		}
		return true
	})
	for i := range want {
		if want[i].in {
			want[i].hit = false
		}
	}
	if !slices.EqualFunc(got, want, result.equal) {
		c.Fatalf("%s: Successors of\n%v:\ngot  %v\nwant %v", c.name, s, got, want)
	}
	deadlocked := c.m.Deadlock == Stuck && stuck || c.m.Deadlock == Stuttering && stutter
	if c.mach.Deadlocked(s) != deadlocked {
		c.Fatalf("%s: Deadlocked is %v", c.name, !deadlocked)
	}
	if deadlocked {
		c.count["dead"]++
	}
	c.properties(s)
	if !slices.Equal(s, before) {
		c.Fatalf("%s: the state changed", c.name)
	}
}

// inPlace checks what the machine says of a successor of s that it has just passed
// on: which leaves differ, and that the properties are as in a copy.
func (c *comparison) inPlace(s, next State) {
	var changed []int
	for i := range s {
		if s[i] != next[i] {
			changed = append(changed, i)
		}
	}
	if got := c.mach.Changed(); !slices.Equal(got, changed) {
		c.Fatalf("%s: Changed: got %v, want %v", c.name, got, changed)
	}
	c.count[fmt.Sprint("changed ", min(len(changed), 2))]++
	ask := func(s State) (said []string) {
		say := func(ok bool, v *Violation) {
			if v != nil {
				said = append(said, v.Message)
			} else {
				said = append(said, fmt.Sprint(ok))
			}
		}
		say(true, c.mach.Violated(s, invariantProp))
		say(c.mach.Holds(s, coverExpr, nil))
		for _, prop := range []int{coverExpr, livenessProp} {
			for _, k := range c.m.Props[prop].Params[0].Domain.Values() {
				say(c.mach.Holds(s, prop, []int64{k}))
			}
		}
		return said
	}
	own := slices.Clone(next)
	if got, want := ask(next), ask(own); !slices.Equal(got, want) || !slices.Equal(next, own) {
		c.Fatalf("%s: properties in place: %v, in a copy: %v", c.name, got, want)
	}
}

// properties compares the properties with an expression.
func (c *comparison) properties(s State) {
	compare := func(what string, got bool, v *Violation, want bool, err error) {
		if err == errFuel {
			return
		}
		var f failure
		prop := runtimeProp
		if errors.As(err, &f) {
			prop = int(f)
		}
		if (v != nil) != (err != nil) || v != nil && v.Prop != prop || v == nil && got != want {
			c.Fatalf("%s: %s in %v: got %v, %v, want %v, %v", c.name, what, s, got, v, want, err)
		}
		c.count[fmt.Sprint(what, " ", want, err)]++
	}
	inv := c.m.Props[invariantProp]
	want, err := holdsSlowly(c.m, inv.Params, inv.Expr, s, true)
	v := c.mach.Violated(s, invariantProp)
	got := v == nil
	if v != nil && v.Prop == invariantProp {
		v = nil
	}
	compare("invariant", got, v, want, err)
	cover := c.m.Props[coverExpr]
	want, err = holdsSlowly(c.m, cover.Params, cover.Expr, s, false)
	got, v = c.mach.Holds(s, coverExpr, nil)
	compare("cover", got, v, want, err)
	for _, prop := range []int{coverExpr, livenessProp} {
		q := c.m.Props[prop]
		for _, k := range q.Params[0].Domain.Values() {
			one := &Param{q.Params[0].Var, upto(num(k), num(k), nil)}
			want, err = holdsSlowly(c.m, []*Param{one}, q.Expr, s, true)
			got, v = c.mach.Holds(s, prop, []int64{k})
			compare("instance", got, v, want, err)
		}
	}
}

// TestReads: a property does not depend on leaves that Reads leaves out.
func TestReads(t *testing.T) {
	outside := 0
	for seed := range uint64(500) {
		r := rand.New(rand.NewPCG(seed, 2))
		m := randomModel(r)
		p := Compile(m)
		mach := p.NewMachine()
		for _, q := range m.Props {
			if q.Kind != Invariant {
				continue
			}
			reads := p.Reads(q.Index)
			for range 5 {
				s, u := randomState(r, m), randomState(r, m)
				for i := range s {
					if reads == nil || reads[i] {
						u[i] = s[i]
					} else if u[i] != s[i] {
						outside++
					}
				}
				v, w := mach.Violated(s, q.Index), mach.Violated(u, q.Index)
				if (v == nil) != (w == nil) || v != nil && !reflect.DeepEqual(*v, *w) {
					t.Fatalf("seed %d: %q: %v and %v in\n%v\n%v", seed, q.Name, v, w, s, u)
				}
			}
		}
	}
	if outside < 1000 {
		t.Errorf("only %d leaves were left out", outside)
	}
}

// TestWalkerReads: what the walker says of an instance does not depend on leaves that it
// does not tell.
func TestWalkerReads(t *testing.T) {
	outside, tested, moved := 0, 0, 0
	for seed := range uint64(400) {
		r := rand.New(rand.NewPCG(seed, 3))
		m := randomModel(r)
		w := reference.NewWalker(m)
		w.TellTests()
		values := func(writes []int) (vs []int64) {
			for _, i := range writes {
				vs = append(vs, int64(i), w.Value(i))
			}
			return vs
		}
		for _, rule := range m.Rules {
			tuples(rule.Params, nil, func(params []int64) {
				s, u := randomState(r, m), randomState(r, m)
				a := w.Fire(s, rule, params)
				reads, tests, hits, wrote := slices.Clone(a.Reads), slices.Clone(a.Tests), slices.Clone(a.Hits), values(a.Writes)
				for i := range u {
					if u[i] == s[i] {
						continue
					}
					same := true // what is read is the same
					for k, leaf := range reads {
						if leaf == i {
							j := slices.IndexFunc(tests, func(t reference.Test) bool { return t.At == k })
							same = same && j >= 0 && (u[i] == Undef) == (s[i] == Undef) && (u[i] == tests[j].Than) == (s[i] == tests[j].Than)
							tested++
						}
					}
					if same {
						outside++
					} else {
						u[i] = s[i]
					}
				}
				b := w.Fire(u, rule, params)
				if a.Holds != b.Holds || a.Prop != b.Prop || a.TooLong != b.TooLong || !slices.Equal(reads, b.Reads) || !slices.Equal(tests, b.Tests) ||

					!slices.Equal(hits, b.Hits) || a.Holds && !slices.Equal(wrote, values(b.Writes)) {
					t.Fatalf("seed %d: %q %v: %v and %v in\n%v\n%v", seed, rule.Name, params, a, b, s, u)
				}
				if a.Holds && len(wrote) > 0 {
					moved++
				}
			})
		}
	}
	if outside < 10_000 || moved < 1000 || tested < 1000 {
		t.Errorf("only %d leaves were left out, %d tested, only %d instances moved", outside, tested, moved)
	}
}

// TestAgainstReference compares the compiled interpreter with the slow one on
// random models and states: the instances reported, their order, the next
// states, the errors, the covers, the deadlocks and the properties.
func TestAgainstReference(t *testing.T) {
	count := map[string]int{}
	models := uint64(nightly.Or(400, 25_000))
	for seed := range models {
		r := rand.New(rand.NewPCG(seed, 1))
		m := randomModel(r)
		p := Compile(m)
		c := &comparison{t, fmt.Sprint("seed ", seed), m, p.NewMachine(), count}
		bits := *c
		bits.mach, bits.name = p.NewMachine(), c.name+", with bits of enabled instances"
		bits.mach.UseBits()
		for range 3 {
			s := randomState(r, m)
			c.check(s)
			bits.check(s)
			for range 3 { // the bits follow the state
				randomChange(r, m, s)
				bits.check(s)
			}
		}
		bits.mach.CountBits(count)
	}
	for _, what := range []string{"conjuncts with bits", "conjuncts without bits", "leaves with bits", "fired", "run-time error true", "run-time error false", "assert", "disabled", "dead", "left out", "hit",
		"changed 0", "changed 1", "changed 2",
		"invariant true <nil>", "invariant false <nil>", "invariant false run-time error",
		"cover true <nil>", "cover false <nil>", "instance true <nil>", "instance false <nil>"} {
		if count[what] < 100 {
			t.Errorf("too few cases of %q", what)
		}
	}
	t.Log(count)
}

// TestErrorsOfProperties: the interpreters agree on which properties an error violates: those that it keeps from being
// evaluated, too.
func TestErrorsOfProperties(t *testing.T) {
	several := make(map[int]int) // by property: with another one
	for seed := range uint64(600) {
		r := rand.New(rand.NewPCG(seed, 5))
		m := randomModel(r)
		w, mach := reference.NewWalker(m), Compile(m).NewMachine()
		compare := func(what string, s State, v *Violation, out reference.Walked) {
			var got []int
			for _, v := range v.Each() {
				got = append(got, v.Prop)
			}
			want := out.Violates()
			slices.Sort(got)
			slices.Sort(want)
			if !out.TooLong && !slices.Equal(got, want) {
				t.Fatalf("seed %d: %s violates %v, reference %v in\n%v", seed, what, got, want, s)
			}
			for _, prop := range got {
				if len(got) > 1 {
					several[prop]++
				}
			}
		}
		for range 5 {
			s := randomState(r, m)
			for k, rule := range m.Rules {
				tuples(rule.Params, nil, func(params []int64) {
					_, _, v := mach.Fire(s, Choice{k, params})
					compare(rule.Name, s, v, w.Fire(s, rule, params))
				})
			}
			if v, out := mach.Violated(s, invariantProp), w.Says(s, m.Props[invariantProp]); out.Prop >= 0 {
				compare("invariant", s, v, out)
			}
		}
	}
	if several[assertProp] < 50 || several[invariantProp] < 50 {
		t.Errorf("errors with another property: %v", several)
	}
}
