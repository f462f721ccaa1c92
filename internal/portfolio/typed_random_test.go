package portfolio

import (
	"bytes"
	"context"
	"fmt"
	"math/big"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"orbitmc/internal/task"
	"orbitmc/internal/testkit/murphitest"
	"orbitmc/internal/testkit/nightly"
	"orbitmc/mc"
	"orbitmc/mc/evidence"
	"orbitmc/model"
)

// ends is what a run says of a model.
type ends struct {
	t   *task.Task
	out *Outcome
}

// decide runs engines on a file in the way of the command line.
func decide(file, engines, sym string, how task.Options, opt mc.Options) (*ends, error) {
	ctx := context.Background()
	how.Symmetry = sym
	t, err := task.Open(ctx, file, how)
	if err != nil {
		return nil, err
	}
	es, err := Engines(t, engines)
	if err != nil {
		return nil, err
	}
	for i, e := range es {
		es[i] = PerOrbit(e)
	}
	out, err := Run(ctx, t, es, Options{Options: opt})
	if err == nil && out.Crash != nil {
		err = out.Crash
	}
	return &ends{t, out}, err
}

// first returns the least depth of a violation; -1 if there is none.
func (e *ends) first() int {
	if pr := e.t.Problem.First(e.out.Result); pr != nil && pr.Status == mc.Unsafe {
		return pr.Depth
	}
	return -1
}

// agrees compares a run with one without symmetry that decides every property.
func (e *ends) agrees(with *ends, all bool) error {
	if x, y := e.first(), with.first(); x != y {
		return fmt.Errorf("first violation at depth %d, without symmetry at %d", x, y)
	}
	for i, pr := range e.out.Result.Props {
		ref := with.out.Result.Props[i]
		name := e.t.Problem.Name(pr.Prop)
		joint := false
		if p := e.out.Problem; p != nil {
			joint = slices.ContainsFunc(p.Joint, func(set []int) bool { return len(set) > 1 && slices.Contains(set, pr.Prop) })
		}
		switch {
		case pr.Status == mc.Unknown && (!all || joint && e.first() >= 0):
		case pr.Status != ref.Status:
			return fmt.Errorf("%s: %v, without symmetry %v", name, pr.Status, ref.Status)
		case pr.HasTrace() && (pr.Depth < ref.Depth || pr.Depth > ref.Depth && all && !joint):
			return fmt.Errorf("%s: depth %d, without symmetry %d", name, pr.Depth, ref.Depth)
		}
		if ref.HasTrace() && pr.Bound >= ref.Depth {
			return fmt.Errorf("%s: not within %d steps, without symmetry after %d", name, pr.Bound, ref.Depth)
		}
		if !pr.HasTrace() {
			continue
		}
		var text bytes.Buffer
		if err := e.t.WriteTrace(&text, &pr, "plain"); err != nil {
			return err
		}
		if r, err := e.t.Replay("trace", text.Bytes()); err != nil || r.Prop != pr.Prop || r.Depth != pr.Depth {
			return fmt.Errorf("%s: replay of %s of depth %d: %+v, %v", name, text.String(), pr.Depth, r, err)
		}
	}
	return nil
}

// orbits counts the orbits of states under the blocks of a problem.
func orbits(p *mc.Problem, states evidence.Closure) int {
	perms := []model.ScalarPerm{make(model.ScalarPerm, len(p.Model.Scalarsets))}
	for c, class := range p.Blocks {
		if p.Model.Scalarsets[c].Slots {
			continue
		}
		for _, b := range class {
			var more []model.ScalarPerm
			for _, perm := range perms {
				more = append(more, orders(perm, c, int(p.Model.Scalarsets[c].Card()), b)...)
			}
			perms = more
		}
	}
	packer := model.NewPacker(p.Model)
	s, image := make(model.State, p.Model.Leaves()), make(model.State, p.Model.Leaves())
	seen := make(map[string]bool)
	for i := range states.Len() {
		packer.Unpack(states.Member(i), s)
		var least []byte
		for _, perm := range perms {
			p.Program.ApplyPerm(perm, s, image)
			if b := packer.Pack(nil, image); least == nil || bytes.Compare(b, least) < 0 {
				least = b
			}
		}
		seen[string(least)] = true
	}
	return len(seen)
}

// orders returns perm with the values b of class c, of n values, in every order.
func orders(perm model.ScalarPerm, c, n int, b []int) (all []model.ScalarPerm) {
	own := slices.Clone(perm[c])
	if own == nil {
		for v := range n {
			own = append(own, v)
		}
	}
	var place func(to []int)
	place = func(to []int) {
		if len(to) == len(b) {
			next := slices.Clone(perm)
			next[c] = slices.Clone(own)
			for k, v := range b {
				next[c][v] = to[k]
			}
			all = append(all, next)
			return
		}
		for _, v := range b {
			if !slices.Contains(to, v) {
				place(append(slices.Clip(to), v))
			}
		}
	}
	place(nil)
	return all
}

// typedTally counts what was compared.
type typedTally struct{ models, typed, saved, violated, joint, strict, hidden, closed, together, large int }

// typedRun compares one model; an error that is a disagreement is returned by why.
func typedRun(file, src string, how task.Options, together bool, sum *typedTally) (why, err error) {
	if err := os.WriteFile(file, []byte(src), 0o644); err != nil {
		return nil, err
	}
	ref, err := decide(file, "explicit", "off", how, mc.Options{All: true, MemLimit: 3 << 18})
	if err != nil {
		return nil, err
	}
	if !slices.ContainsFunc(ref.out.Result.Props, func(pr mc.PropResult) bool { return pr.Status != mc.Unknown }) ||
		slices.ContainsFunc(ref.out.Each, func(r *mc.Result) bool { return r.Stopped == "memory limit" }) {
		sum.large++
		return nil, nil
	}
	sum.models++
	if ref.first() >= 0 {
		sum.violated++
	}
	for _, all := range []bool{true, false} {
		e, err := decide(file, "explicit", "auto", how, mc.Options{All: all})
		if err != nil {
			return err, nil
		}
		if err := e.agrees(ref, all); err != nil {
			return fmt.Errorf("all %v: %w", all, err), nil
		}
		if all && len(e.out.Problem.Strict) > 0 {
			sum.strict++
		}
		if all && e.t.Hides() {
			sum.hidden++
		}
		x, y := ref.out.Each[0], e.out.Each[0]
		if all && x.Closure != nil && y.Closure != nil && len(e.out.Problem.Rings) == 0 && OrbitSize(e.out.Problem).Cmp(big.NewInt(100)) < 0 {
			sum.closed++
			if n := orbits(e.out.Problem, x.Closure); n != int(y.Stats.States) {
				return fmt.Errorf("%d representatives of %d orbits", y.Stats.States, n), nil
			}
		}
		if all && e.t.Typed != nil {
			sum.typed++
			if y.Stats.States < x.Stats.States {
				sum.saved++
			}
			if slices.ContainsFunc(e.out.Problem.Joint, func(set []int) bool { return len(set) > 1 }) {
				sum.joint++
			}
		}
	}
	if !together {
		return nil, nil
	}
	sum.together++
	e, err := decide(file, "all", "auto", how, mc.Options{})
	if err != nil {
		return err, nil
	}
	if e.first() >= 0 { // pdr need not find a shortest one
		if ref.first() < 0 || e.first() < ref.first() {
			return fmt.Errorf("check: a violation at depth %d, without symmetry at %d", e.first(), ref.first()), nil
		}
		return nil, nil
	}
	return e.agrees(ref, false), nil
}

// TestTypedRandom holds explore and check, as users call them, with symmetry to explore
// without, on random models whose symmetry the text mostly shows: verdicts, depths, bounds
// and the replay of traces that were written. ORBITMC_LONG=1 compares 100 times as many.
func TestTypedRandom(t *testing.T) {
	n := nightly.Or(60, 6000)
	file := filepath.Join(t.TempDir(), "random.m")
	var sum typedTally
	for seed := range uint64(n) {
		d := model.Dialect(seed / 4 % 2)
		how := task.Options{Dialect: d.String()}
		if seed/8%3 > 0 {
			how.Deadlock = "off"
		}
		rng := rand.New(rand.NewPCG(seed, 37))
		var src string
		switch seed % 4 {
		case 0:
			src = murphitest.Random(rng, murphitest.Options{Dialect: d, Bits: 9})
		case 1:
			src = murphitest.Loops(rng)
		case 2:
			src = murphitest.Locals(rng, d == model.Rumur)
		default:
			src = murphitest.Calls(rng, d)
		}
		why, err := typedRun(file, src, how, seed%8 == 0, &sum)
		if err != nil {
			t.Fatalf("seed %d: %v\n%s", seed, err, src)
		}
		if why != nil {
			src = murphitest.Shrink(src, func(src string) bool {
				why, err := typedRun(file, src, how, seed%8 == 0, new(typedTally))
				return err == nil && why != nil
			})
			why, _ = typedRun(file, src, how, seed%8 == 0, &sum)
			t.Fatalf("seed %d (%+v): %v\n%s", seed, how, why, strings.TrimSpace(src))
		}
	}
	t.Logf("%+v", sum)
	if sum.models < n/3 || sum.saved < n/20 || sum.violated < n/10 || sum.joint == 0 {
		t.Errorf("the models show too little: %+v", sum)
	}
}
