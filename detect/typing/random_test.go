package typing_test

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"slices"
	"testing"

	"orbitmc/detect/infer"
	"orbitmc/detect/typing"
	"orbitmc/encode/murphi"
	"orbitmc/internal/certify/states"
	"orbitmc/internal/testkit/murphitest"
	"orbitmc/internal/testkit/nightly"
	"orbitmc/mc"
	"orbitmc/model"
)

// checker compares a model with its images, state by state.
type checker struct {
	m        *model.Model
	r        *typing.Report
	p        *model.Program
	mach     *model.Machine
	strict   *model.Program // with all quantifiers that the report names
	set      map[int]int    // by property: its joint set, or itself
	compared int
	hidden   int // states in which an error is hidden
	most     int // states
}

func newChecker(m *model.Model, r *typing.Report) *checker {
	c := &checker{m: m, r: r, p: model.Compile(m), set: make(map[int]int), most: 150}
	c.mach = c.p.NewMachine()
	named := make(model.Strict)
	for _, k := range r.Classes {
		maps.Copy(named, k.Rules.Strict)
		for _, f := range k.Props {
			maps.Copy(named, f.Strict)
		}
	}
	c.strict = model.CompileStrict(m, named)
	for i := range m.Props {
		c.set[i] = i
	}
	for _, s := range r.Joint {
		for _, p := range s {
			c.set[p] = s[0]
		}
	}
	return c
}

// hides reports whether a quantifier that the report names hides an error in s.
func (c *checker) hides(s model.State) bool {
	machine := c.strict.NewMachine()
	machine.Successors(s, func(model.Choice, model.State, *model.Violation) bool { return !machine.Hid() })
	for _, p := range c.m.Props {
		switch {
		case p.Kind == model.Invariant:
			machine.Violated(s, p.Index)
		case p.Kind == model.Cover && p.Expr != nil:
			machine.Holds(s, p.Index, nil)
		case p.Kind == model.RuntimeError:
			machine.Errs(s, p.Index) // of liveness, too
		}
	}
	return machine.Hid()
}

func (c *checker) violation(v *model.Violation) string {
	if v == nil {
		return "none"
	}
	return fmt.Sprint("violates ", c.set[v.Prop])
}

// params spells parameters; those that are slots may be permuted.
func params(r *model.Rule, ch model.Choice) string {
	ps := slices.Clone(ch.Params)
	for i, q := range r.Params {
		if q.Var.Type.Slots {
			ps[i] = 0
		}
	}
	return fmt.Sprint(ch.Rule, ps)
}

// steps lists what the instances in s do, as images under perm.
func (c *checker) steps(s model.State, perm model.ScalarPerm) []string {
	var out []string
	image := make(model.State, len(s))
	c.mach.Successors(s, func(ch model.Choice, next model.State, v *model.Violation) bool {
		ch = ch.Clone()
		if perm != nil {
			ch = c.p.PermChoice(perm, ch)
		}
		line := params(c.m.Rules[ch.Rule], ch)
		if v != nil {
			line += c.violation(v) + fmt.Sprint(v.InGuard)
		} else {
			copy(image, next)
			if perm != nil {
				c.p.ApplyPerm(perm, slices.Clone(next), image)
			}
			line += fmt.Sprint(image)
		}
		for _, q := range c.m.Props {
			if q.Kind == model.Cover && q.Expr == nil && c.mach.Hit(q.Index) {
				line += fmt.Sprint(" hits ", q.Index)
			}
		}
		out = append(out, line)
		return true
	})
	out = append(out, fmt.Sprint("left out ", c.mach.LeftOut()))
	slices.Sort(out)
	return out
}

// props says what a property is in s, seen through perm.
func (c *checker) prop(s model.State, p *model.Property, perm model.ScalarPerm) []string {
	var out []string
	switch {
	case p.Kind == model.Invariant:
		out = append(out, c.violation(c.mach.Violated(s, p.Index)))
	case p.Kind == model.Cover && p.Expr != nil:
		ok, v := c.mach.Holds(s, p.Index, nil)
		out = append(out, fmt.Sprint(ok, c.violation(v)))
	case p.Kind == model.Liveness:
		var each func(inst []int64)
		each = func(inst []int64) {
			if len(inst) < len(p.Params) {
				for _, v := range p.Params[len(inst)].Domain.Values() {
					each(append(slices.Clip(inst), v))
				}
				return
			}
			ok, v := c.mach.Holds(s, p.Index, inst)
			seen := slices.Clone(inst)
			if perm != nil {
				for k, v := range inst {
					if class, w, ok := p.Params[k].Var.Type.Element(v); ok && perm[class] != nil {
						seen[k] += int64(perm[class][w]) - w
					}
				}
			}
			out = append(out, fmt.Sprint(seen, ok, c.violation(v)))
		}
		each(nil)
	case p.Kind == model.RuntimeError || p.Kind == model.Assertion || p.Kind == model.ErrorStmt:
		out = append(out, c.violation(c.mach.Errs(s, p.Index)))
	case p.Kind == model.Deadlock:
		out = append(out, fmt.Sprint(c.mach.Deadlocked(s)))
	}
	slices.Sort(out)
	return out
}

func swap(m *model.Model, class, i, j int) model.ScalarPerm {
	perm := make(model.ScalarPerm, len(m.Scalarsets))
	for v := range int(m.Scalarsets[class].Card()) {
		perm[class] = append(perm[class], v)
	}
	perm[class][i], perm[class][j] = j, i
	return perm
}

// run compares the model with its images; "" means that there is no difference.
func (c *checker) run() string {
	seen := make(map[string]bool)
	var states []model.State
	meet := func(s model.State) {
		if k := fmt.Sprint(s); !seen[k] && len(states) < c.most {
			seen[k] = true
			states = append(states, slices.Clone(s))
		}
	}
	starts := make(map[string]bool)
	var first []model.State
	errs := false
	c.mach.Starts(func(_ model.Choice, s model.State, v *model.Violation) bool {
		if s != nil {
			meet(s)
			if len(first) < c.most {
				first = append(first, slices.Clone(s))
			}
			starts[fmt.Sprint(s)] = true
		}
		errs = errs || v != nil
		return true
	})
	for class, t := range c.m.Scalarsets {
		if t.Slots {
			continue
		}
		for _, b := range c.r.Classes[class].Starts.Blocks {
			for k := 1; k < len(b); k++ {
				perm := swap(c.m, class, b[k-1], b[k])
				for _, s := range first {
					image := make(model.State, len(s))
					c.p.ApplyPerm(perm, s, image)
					if !starts[fmt.Sprint(image)] && !errs {
						return fmt.Sprintf("start state %v, but not %v (class %d, %v)", s, image, class, b)
					}
				}
			}
		}
	}
	for at := 0; at < len(states); at++ {
		s := states[at]
		c.mach.Successors(s, func(_ model.Choice, next model.State, _ *model.Violation) bool {
			if next != nil {
				meet(next)
			}
			return true
		})
		if c.hides(s) {
			c.hidden++
			continue
		}
		for class, t := range c.m.Scalarsets {
			if t.Slots {
				continue
			}
			k := &c.r.Classes[class]
			for _, b := range k.Rules.Blocks {
				for i := 1; i < len(b); i++ {
					for _, pair := range [][2]int{{b[i-1], b[i]}, {b[0], b[i]}} {
						if pair[0] == pair[1] {
							continue
						}
						perm := swap(c.m, class, pair[0], pair[1])
						image := make(model.State, len(s))
						c.p.ApplyPerm(perm, s, image)
						meet(image)
						c.compared++
						if x, y := c.steps(s, perm), c.steps(image, nil); !slices.Equal(x, y) {
							return fmt.Sprintf("class %d %v: state %v\nimages of steps %q\nsteps of image  %q", class, pair, s, x, y)
						}
						for _, p := range c.m.Props {
							if in(k.Props[p.Index].Blocks, pair) {
								if x, y := c.prop(s, p, perm), c.prop(image, p, nil); !slices.Equal(x, y) {
									return fmt.Sprintf("class %d %v: state %v: property %s: %q, in the image %q", class, pair, s, p.Name, x, y)
								}
							}
						}
					}
				}
			}
		}
	}
	return ""
}

func in(blocks [][]int, pair [2]int) bool {
	return slices.ContainsFunc(blocks, func(b []int) bool { return slices.Contains(b, pair[0]) && slices.Contains(b, pair[1]) })
}

// outcome is what a comparison shows.
type outcome struct {
	why                                  string
	accepted, looping, refused, compared int
}

// compare reads a model, and compares it with its images as far as typing accepts it.
func compare(src string, d model.Dialect) (o outcome, err error) {
	m, err := murphi.Parse("random.m", []byte(src), murphi.Options{Dialect: d})
	if err != nil {
		return o, err
	}
	m, _ = infer.Classes(m)
	c := newChecker(m, typing.Check(m))
	o.why = c.run()
	o.compared = c.compared
	for class, y := range c.m.Scalarsets {
		if y.Slots || y.Card() < 2 {
			continue
		}
		if c.r.Classes[class].Rules.NotByForm() != nil {
			o.refused++
			continue
		}
		o.accepted++
		loops := false
		for _, r := range c.m.Rules {
			model.Inspect(r.Body, func(n any) {
				if f, ok := n.(*model.For); ok && f.Var.Type == y {
					loops = true
				}
			})
		}
		if loops {
			o.looping++
		}
	}
	return o, nil
}

// compareTyped is compare for the second derivation: it is told that all values of every
// class are interchangeable, then that the first two are.
func compareTyped(src string, d model.Dialect) (o outcome, err error) {
	m, err := murphi.Parse("random.m", []byte(src), murphi.Options{Dialect: d})
	if err != nil {
		return o, err
	}
	m, _ = infer.Classes(m)
	var props []int
	for i := range m.Props {
		props = append(props, i)
	}
	for class, y := range m.Scalarsets {
		if y.Slots || y.Card() < 2 {
			continue
		}
		all, two := []int{}, []int{0, 1}
		for v := range int(y.Card()) {
			all = append(all, v)
		}
		for _, claim := range [][]int{all, two} {
			for _, ps := range [][]int{props, {m.Runtime().Index}, nil} {
				blocks := make([][][]int, len(m.Scalarsets))
				blocks[class] = [][]int{claim}
				_, strict, err := states.TypedSets(&mc.Problem{OfModel: mc.OfModel{Model: m}}, blocks, ps)
				if err != nil {
					o.refused++
					continue
				}
				o.accepted++
				r := &typing.Report{Joint: [][]int{props}, Classes: make([]typing.Class, len(m.Scalarsets))}
				if len(ps) == 1 {
					r.Joint = nil
				}
				r.Classes[class].Rules = typing.Finding{Blocks: blocks[class], Strict: strict}
				r.Classes[class].Props = make([]typing.Finding, len(props))
				for _, p := range ps {
					r.Classes[class].Props[p].Blocks = blocks[class]
				}
				for c := range r.Classes {
					if r.Classes[c].Props == nil {
						r.Classes[c].Props = make([]typing.Finding, len(props))
					}
				}
				if len(ps) != 1 { // of one property alone, only it is compared
					c := newChecker(m, r)
					o.why = c.run()
					o.compared += c.compared
				}
				if o.why != "" {
					return o, nil
				}
			}
		}
	}
	return o, nil
}

// sweep compares n random models.
func sweep(t *testing.T, n int, compare func(src string, d model.Dialect) (outcome, error), random func(seed uint64, d model.Dialect) string) (sum outcome) {
	if nightly.On() {
		n *= 50
	}
	from := uint64(0)
	fmt.Sscan(os.Getenv("ORBITMC_FROM"), &from)
	for seed := from; seed < from+uint64(n); seed++ {
		d := model.Dialect(seed % 2)
		src := random(seed, d)
		o, err := compare(src, d)
		if err != nil {
			t.Fatalf("seed %d: %v\n%s", seed, err, src)
		}
		if o.why != "" {
			src = murphitest.Shrink(src, func(src string) bool { o, err := compare(src, d); return err == nil && o.why != "" })
			o, _ = compare(src, d)
			t.Fatalf("seed %d (%v): %s\n%s", seed, d, o.why, src)
		}
		sum.accepted, sum.looping = sum.accepted+o.accepted, sum.looping+o.looping
		sum.refused, sum.compared = sum.refused+o.refused, sum.compared+o.compared
	}
	t.Logf("classes: %d accepted, of them %d with loops in rules; %d refused; %d pairs of states compared", sum.accepted, sum.looping, sum.refused, sum.compared)
	return sum
}

// TestRandom compares what typing accepts of random models with their images.
func TestRandom(t *testing.T) {
	sum := sweep(t, 70, compare, func(seed uint64, d model.Dialect) string {
		return murphitest.Random(rand.New(rand.NewPCG(seed, 7)), murphitest.Options{Dialect: d})
	})
	if sum.accepted < 35 || sum.refused < 3 {
		t.Errorf("the models show too little")
	}
}

func randomLoops(seed uint64) string { return murphitest.Loops(rand.New(rand.NewPCG(seed, 3))) }

func randomCalls(seed uint64, d model.Dialect) string {
	return murphitest.Calls(rand.New(rand.NewPCG(seed, 5)), d)
}

// TestRandomLoops does so for models that are full of loops.
func TestRandomLoops(t *testing.T) {
	sum := sweep(t, 150, compare, func(seed uint64, _ model.Dialect) string { return randomLoops(seed) })
	if sum.looping < 5 || sum.refused < 35 {
		t.Errorf("the models show too little")
	}
}

// TestRandomTyped does so for the second derivation.
func TestRandomTyped(t *testing.T) {
	sum := sweep(t, 70, compareTyped, func(seed uint64, d model.Dialect) string {
		if seed%3 == 0 {
			return murphitest.Random(rand.New(rand.NewPCG(seed, 7)), murphitest.Options{Dialect: d})
		}
		return randomLoops(seed)
	})
	if sum.accepted < 35 || sum.refused < 35 {
		t.Errorf("the models show too little: %+v", sum)
	}
}

func randomLocals(seed uint64, d model.Dialect) string {
	return murphitest.Locals(rand.New(rand.NewPCG(seed, 9)), d == model.Rumur)
}

// TestRandomLocals compares, for both derivations, models whose loops use locals.
func TestRandomLocals(t *testing.T) {
	t.Run("first", func(t *testing.T) {
		if sum := sweep(t, 25, compare, randomLocals); sum.looping < 7 || sum.refused < 5 {
			t.Errorf("the models show too little: %+v", sum)
		}
	})
	t.Run("second", func(t *testing.T) {
		if sum := sweep(t, 13, compareTyped, randomLocals); sum.accepted < 12 || sum.refused < 12 {
			t.Errorf("the models show too little: %+v", sum)
		}
	})
}

// TestRandomCalls compares, for both derivations, models that are full of calls.
func TestRandomCalls(t *testing.T) {
	t.Run("first", func(t *testing.T) {
		if sum := sweep(t, 40, compare, randomCalls); sum.looping < 4 || sum.refused < 10 {
			t.Errorf("the models show too little: %+v", sum)
		}
	})
	t.Run("second", func(t *testing.T) {
		if sum := sweep(t, 24, compareTyped, randomCalls); sum.accepted < 15 || sum.refused < 40 {
			t.Errorf("the models show too little: %+v", sum)
		}
	})
}
