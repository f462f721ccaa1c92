package param

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"orbitmc/internal/pace"
	"orbitmc/internal/testkit/nightly"
	"orbitmc/model"
	"orbitmc/sat"
	"orbitmc/sat/cdcl"
)

// source makes random parametric models as text. Some are outside what is proved for every size.
type source struct {
	*rand.Rand
	vars  []string // components in scope
	index int
	tame  bool     // few errors, no deadlock
	names []string // components that have names; then they are numbers
}

func (s *source) pick(all ...string) string { return all[s.IntN(len(all))] }

// node is an expression of type P.
func (s *source) node() string {
	if len(s.names) > 0 && s.IntN(4) == 0 {
		return s.pick(s.names...)
	}
	return s.other()
}

// other is an expression of type P that is no name.
func (s *source) other() string {
	if len(s.vars) > 0 && s.IntN(4) > 0 {
		return s.pick(s.vars...)
	}
	return s.pick("ptr", "ptr", "link[ptr]", "near(ptr)")
}

// cond is a boolean expression.
func (s *source) cond(depth int) string {
	if depth > 0 {
		switch s.IntN(7) {
		case 0:
			return fmt.Sprintf("(%s & %s)", s.cond(depth-1), s.cond(depth-1))
		case 1:
			return fmt.Sprintf("(%s | %s)", s.cond(depth-1), s.cond(depth-1))
		case 2:
			return fmt.Sprintf("!(%s)", s.cond(depth-1))
		case 3, 4:
			return s.quant(s.pick("forall", "exists"), depth)
		case 5:
			return fmt.Sprintf("(%s -> %s)", s.cond(depth-1), s.cond(depth-1))
		}
	}
	k := s.IntN(9)
	if len(s.names) > 0 && (k == 5 || k == 6) {
		k = 1 // ranges are in no union
	}
	switch k {
	case 0:
		return "flag"
	case 1:
		return fmt.Sprintf("%s = %s", s.other(), s.node())
	case 2:
		return fmt.Sprintf("isundefined(link[%s])", s.node())
	case 3:
		return fmt.Sprintf("num %s %d", s.pick("<", "=", ">=", "!="), s.IntN(3))
	case 4:
		return fmt.Sprintf("link[%s] = %s", s.node(), s.node())
	case 5:
		return "ismember(who, P)"
	case 6:
		return fmt.Sprintf("who = %s", s.pick("None", s.node()))
	}
	return fmt.Sprintf("st[%s] %s %s", s.node(), s.pick("=", "!="), s.pick("A", "B", "C"))
}

func (s *source) quant(word string, depth int) string {
	s.index++
	v := fmt.Sprintf("q%d", s.index)
	s.vars = append(s.vars, v)
	body := s.cond(depth - 1)
	s.vars = s.vars[:len(s.vars)-1]
	if len(s.names) > 0 {
		body = fmt.Sprintf("(%s = ptr %s %s)", v, s.pick("|", "&"), body) // a range is a class by its uses
	}
	return fmt.Sprintf("(%s %s: P do %s end)", word, v, body)
}

func (s *source) stmts(depth int) string {
	var b strings.Builder
	for range 1 + s.IntN(3) {
		b.WriteString(s.stmt(depth))
	}
	return b.String()
}

func (s *source) stmt(depth int) string {
	switch k := s.IntN(16); {
	case k < 2 && depth > 0:
		return fmt.Sprintf("if %s then %s else %s end; ", s.cond(1), s.stmts(depth-1), s.stmts(depth-1))
	case k < 5 && depth > 0:
		s.index++
		v := fmt.Sprintf("l%d", s.index)
		s.vars = append(s.vars, v)
		body := s.stmts(depth - 1)
		if s.IntN(3) > 0 { // rows of its own
			body = fmt.Sprintf("if %s then st[%s] := %s; end; ", s.cond(1), v, s.pick("A", "B", "C"))
		}
		s.vars = s.vars[:len(s.vars)-1]
		if len(s.names) > 0 {
			body += fmt.Sprintf("st[%[1]s] := st[%[1]s]; ", v)
		}
		return fmt.Sprintf("for %s: P do %s end; ", v, body)
	case k == 5:
		return fmt.Sprintf("ptr := %s; ", s.node())
	case k == 6:
		return fmt.Sprintf("link[%s] := %s; ", s.node(), s.node())
	case k == 7 && !s.tame:
		return fmt.Sprintf("undefine link[%s]; ", s.node())
	case k == 8:
		return fmt.Sprintf("flag := %s; ", s.cond(1))
	case k == 9:
		return fmt.Sprintf("num := %s; ", s.pick("0", "(num + 1) % 3", "num < 2 ? num + 1 : 0", "2 - num", s.wild("num + 1", "1")))
	case k == 10 && len(s.names) == 0:
		return fmt.Sprintf("who := %s; ", s.pick("None", s.node()))
	case k == 11:
		return fmt.Sprintf("set(st[%s], %s); ", s.node(), s.pick("A", "B", "C"))
	case k == 12:
		return fmt.Sprintf("switch st[%s] case A: %scase B, C: %s end; ", s.node(), s.stmt(0), s.stmt(0))
	}
	return fmt.Sprintf("st[%s] := %s; ", s.node(), s.pick("A", "B", "C"))
}

// wild is a where errors are wanted, else b.
func (s *source) wild(a, b string) string {
	if s.tame {
		return b
	}
	return a
}

func (s *source) model() string {
	var b strings.Builder
	b.WriteString(`const N: 3;
type P: scalarset(N); E: enum {A, B, C}; H: enum {None}; U: union {P, H};
var st: array [P] of E; link: array [P] of P; ptr: P; flag: boolean; num: 0..2; who: U;
procedure set(var x: E; y: E); begin if x != y then x := y; end; end;
function near(p: P): P; begin if isundefined(link[p]) then return p; end; return link[p]; end;
ruleset s: P do startstate begin
  for p: P do st[p] := A; undefine link[p]; end; ptr := s; flag := false; num := 0; who := None;
end; end;
`)
	for k := range 2 + s.IntN(3) {
		s.vars = []string{"a", "b"}[:s.IntN(3)]
		params := ""
		guard := ""
		for _, v := range s.vars {
			params += fmt.Sprintf("ruleset %s: P do ", v)
			if len(s.names) > 0 {
				guard += fmt.Sprintf("st[%s] != C & ", v)
			}
		}
		depth := 2
		if len(s.names) > 0 {
			depth = 1
		}
		fmt.Fprintf(&b, "%srule \"r%d\" %s%s ==> begin %send;%s\n", params, k, guard, s.cond(depth), s.stmts(depth), strings.Repeat(" end;", len(s.vars)))
	}
	s.vars = nil
	for k := range 1 + s.IntN(3) {
		fmt.Fprintf(&b, "invariant \"i%d\" %s;\n", k, s.quant("forall", 3))
	}
	if s.tame {
		b.WriteString("rule \"idle\" true ==> begin if st[ptr] = A then st[ptr] := B; else st[ptr] := A; end; end;\n")
	}
	src := b.String()
	if len(s.names) > 0 {
		src += "rule \"join\" near(ptr) = link[ptr] & st[ptr] = B ==> begin st[near(ptr)] := A; ptr := link[ptr]; end;\n"
		src = strings.NewReplacer("scalarset(N)", "1..N", "{P, H}", "{E, H}").Replace(src)
	}
	last := s.pick("", "", "", "for p: P do ptr := p; end; ", "for p: P do for q: P do if q != s then link[q] := p; end; end; flag := p = s; ptr := p; end; ")
	if len(s.names) > 0 {
		last = "" // then a range is no class
	}
	src = strings.Replace(src, "flag := false; num := 0; who := None; end;", "flag := false; num := 0; who := None; "+last+"end;", 1)
	return strings.Replace(src, "undefine link[p]; end; ptr", s.wild("undefine link[p]", "link[p] := p")+"; end; ptr", 1)
}

// violated searches the states of a size and returns a property that is violated; "" if there is
// none. ok is false if there are too many states.
func violated(m *model.Model, limit int) (prop string, ok bool) {
	mach := model.Compile(m).NewMachine()
	seen := make(map[string]bool)
	var todo []model.State
	var key []byte
	visit := func(s model.State, v *model.Violation) bool {
		if v != nil {
			prop = m.Props[v.Prop].Name
			return false
		}
		key = key[:0]
		for _, x := range s {
			key = binary.AppendVarint(key, x)
		}
		if !seen[string(key)] {
			seen[string(key)] = true
			todo = append(todo, slices.Clone(s))
		}
		return true
	}
	mach.Starts(func(_ model.Choice, s model.State, v *model.Violation) bool { return visit(s, v) })
	for len(todo) > 0 && prop == "" {
		if len(seen) > limit {
			return "", false
		}
		s := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		for _, p := range m.Props {
			if p.Kind == model.Invariant && mach.Violated(s, p.Index) != nil {
				return p.Name, true
			}
		}
		if mach.Deadlocked(s) {
			return "deadlock", true
		}
		mach.Successors(s, func(_ model.Choice, u model.State, v *model.Violation) bool { return visit(u, v) })
	}
	return prop, true
}

// refuted returns a size at which a property is violated that was proved for every size, and the
// property. It is size 0 if there is none up to the largest size, and "" if a size has too many states.
func refuted(c *Conditions, o *Outcome, least, most, limit int, at func(size int) *model.Model) (size int, prop string) {
	dropped := make(map[string]bool) // what was dropped is not claimed
	for j, k := range c.Conjuncts {
		dropped[k.Prop.Name] = !o.Kept[j]
	}
	for size := least; size <= most; size++ {
		m := at(size)
		m.Props = slices.Clone(m.Props)
		for i, p := range m.Props {
			if dropped[p.Name] {
				q := *p
				q.Expr = &model.ConstExpr{Value: 1, T: model.BoolType}
				m.Props[i] = &q
			}
		}
		if p, ok := violated(m, limit); !ok || p != "" {
			return size, p
		}
	}
	return 0, ""
}

// TestRandom: of random parametric models, the conditions say what the interpreter does; and none
// that is proved for every size is violated at a size up to eight, as far as there are not too
// many states. Invariants that are not inductive are dropped, so that more is proved. The long one is
// in pieces: -run 'TestRandom$/^1.$' does some.
func TestRandom(t *testing.T) {
	if !nightly.On() {
		random(t, 0, 100, 4, 3000)
		return
	}
	for k := range 30 {
		t.Run(fmt.Sprint(k), func(t *testing.T) { random(t, 200*k, 200*(k+1), 8, 30000) })
	}
}

func random(t *testing.T, from, to, sizes, limit int) {
	count := to - from
	var n tally
	accepted, proved, claims, weak, cut := 0, 0, 0, 0, 0
	named, whole := 0, 0
	for seed := from; seed < to; seed++ {
		g := &source{Rand: rand.New(rand.NewPCG(uint64(seed), 3)), tame: seed%3 > 0}
		least, first, last := 1, 1, 3 // sizes, and those at which it is compared with the interpreter
		if seed%7 == 6 {
			g.names = [][]string{{"1", "N"}, {"1", "2"}, {"N"}}[g.IntN(3)]
			least, first, last = 2, 4, 5 // as two components without a name are needed for a class
		}
		src := g.model()
		at := func(size int) (*model.Model, *Conditions) {
			m, err := read(t, "random.m", []byte(src), []string{"N"}, map[string]string{"N": fmt.Sprint(size)})
			if err != nil {
				t.Fatalf("seed %d: %v\n%s", seed, err, src)
			}
			c, err := New(context.Background(), m, map[string]int{"N": least}, nil)
			if err != nil {
				if !errors.As(err, new(*Refusal)) || !strings.HasPrefix(err.Error(), "random.m:") {
					t.Fatalf("seed %d: %v", seed, err)
				}
				return m, nil
			}
			return m, c
		}
		if _, c := at(last); c == nil {
			continue
		}
		accepted++
		for size := first; size <= last; size++ {
			_, c := at(size)
			x := newStructure(c)
			var states []model.State
			for range 6 {
				states = append(states, randomState(g.Rand, c, x))
			}
			compare(t, fmt.Sprintf("seed %d, size %d\n%s", seed, size, src), c, states, &n)
		}
		_, c := at(last)
		// Some conditions tell a hundred components apart.
		l, ctx, cancel := pace.NewLimit(context.Background(), 50e6, nil)
		o, err := c.prove(ctx, func() sat.Solver { return pace.Counted(cdcl.New(), l) }, func(int) bool { return true }, true)
		var few *Outcome // the first one with what it needs of the others
		if err == nil {
			few, err = c.Prove(ctx, func() sat.Solver { return pace.Counted(cdcl.New(), l) }, func(j int) bool { return j > 0 })
		}
		var later *Outcome // the same, with conditions about candidates that are made when they are needed
		rest := func(p *model.Property) bool { return p != c.Conjuncts[0].Prop }
		made, failed := New(ctx, c.Model, map[string]int{"N": least}, rest)
		if err == nil {
			err = failed
		}
		if err == nil {
			later, err = made.Prove(ctx, func() sat.Solver { return pace.Counted(cdcl.New(), l) }, func(j int) bool { return rest(made.Conjuncts[j].Prop) })
		}
		cancel()
		if l.Over() {
			cut++
			continue
		}
		if err != nil {
			t.Fatal(err)
		}
		if o.Proved() && few.Proved() != o.Kept[0] {
			t.Fatalf("seed %d: with all that is inductive the first invariant is kept: %v; with what it needs: %v\n%s", seed, o.Kept[0], few.Proved(), src)
		}
		if o.Proved() && (later.Proved() && !o.Kept[0] || len(made.Conjuncts) == len(c.Conjuncts) && later.Proved() != o.Kept[0]) {
			t.Fatalf("seed %d: with conditions that are made later the first invariant is kept: %v\n%s", seed, later.Proved(), src)
		}
		if o.Weak {
			weak++
		}
		if !o.Proved() {
			continue
		}
		proved++
		for _, kept := range o.Kept {
			if kept {
				claims++
			}
		}
		if g.names != nil {
			named++
		}
		size, p := refuted(c, o, least, sizes, limit, func(size int) *model.Model { m, _ := at(size); return m })
		if p != "" {
			t.Fatalf("seed %d: proved for every size, and %q is violated at size %d\n%s", seed, p, size, src)
		}
		if size == 0 {
			whole++
		}
	}
	t.Logf("%d of %d accepted, %d proved (%d name components, %d searched up to size %d) with %d invariants, %d left open by a weak condition, %d by the limit; %+v",
		accepted, count, proved, named, whole, sizes, claims, weak, cut, n)
	if cut > count/50 || accepted < count/10 || proved < count/20 || whole < proved*3/4 || claims < count/50 || n.fired < count {
		t.Error("the models are too tame, or too hard")
	}
	if named < count/50 {
		t.Errorf("%d proved of those that name components", named)
	}
}
