package promela_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"
	"time"

	"orbitmc/encode/promela"
	"orbitmc/internal/prog"
	"orbitmc/internal/testkit/nightly"
	"orbitmc/internal/testkit/promelatest"
	"orbitmc/model"
)

// agrees compares the model of a program with the walker in random walks.
func agrees(t *testing.T, name, src string, opt promela.Options) (states int) {
	t.Helper()
	p, err := promela.Parse(name, []byte(src), opt)
	if err != nil {
		return 0
	}
	left, states, err := p.Reference().Walk(context.Background(), 1)
	if err != nil {
		t.Errorf("%s, behind %d states: %v\n%s", name, states, err, src)
	}
	if left != "" {
		t.Logf("%s: not covered: %s", name, left)
	}
	return states
}

// TestAgree compares programs with the walker. ORBITMC_LONG=1 takes 20,000 random ones, PROGRAMS=N as many, from FROM on.
func TestAgree(t *testing.T) {
	files, _ := filepath.Glob("../../benchmarks/promela/*.pml")
	if dir := os.Getenv("ORBITMC_PROMELA"); dir != "" {
		eachProgram(t, dir, func(file string) { files = append(files, file) })
	}
	if len(files) == 0 {
		t.Error("there are no programs")
	}
	for _, f := range files {
		src, err := os.ReadFile(f)
		if err != nil {
			t.Fatal(err)
		}
		if n := agrees(t, f, string(src), promela.Options{}); n == 0 {
			t.Logf("%s was not compared", f)
		}
	}
	structs := "typedef T { byte a, b; chan c }; chan q = [1] of { byte }; active proctype P() { T t, u; t.a = 1; t.c = q; u.b = t.a; t.c!u.b; t.a = 0 }"
	if agrees(t, "structs", structs, promela.Options{Reset: true}) == 0 {
		t.Error("structs are not compared")
	}
	n, first, none := 100, uint64(1), 0
	if nightly.On() {
		n = 20_000
	}
	fmt.Sscan(os.Getenv("PROGRAMS"), &n)
	fmt.Sscan(os.Getenv("FROM"), &first)
	for seed := first; seed < first+uint64(n); seed++ {
		rng := rand.New(rand.NewPCG(seed, 0))
		src := promelatest.Random(rng)
		opt := promela.Options{Reset: seed%2 == 0, Stay: seed%5 == 0}
		switch seed % 4 {
		case 0:
			src, _ = promelatest.RandomClaims(rng)
		case 1, 2:
			src = promelatest.Wild(rng)
		}
		if agrees(t, fmt.Sprint("seed ", seed), src, opt) == 0 {
			none++
		}
	}
	t.Logf("%d random programs, %d of them not compared", n, none)
	if none > n/3 { // SPIN refuses them, too
		t.Errorf("%d of %d programs were not compared", none, n)
	}
}

// TestSmallAgree compares small programs with the walker: each of whose number a hash is divisible by a number, and all with
// ORBITMC_LONG=1, from number FROM on. Half of them are refused.
func TestSmallAgree(t *testing.T) {
	every, compared, n := promelatest.SmallPrograms/200, 0, 0
	if nightly.On() {
		every = 1
	}
	for i := environment("FROM", 0); i < promelatest.SmallPrograms; i++ {
		if mixed(uint64(i))%uint64(every) != 0 {
			continue
		}
		if n++; agrees(t, fmt.Sprint("small program ", i), promelatest.Small(i), promela.Options{Reset: i%2 == 0}) > 0 {
			compared++
		}
		if n%10_000 == 0 {
			t.Logf("%d programs up to number %d, %d of them compared", n, i, compared)
		}
	}
	t.Logf("%d of %d programs compared", compared, n)
	if compared < n/3 {
		t.Errorf("only %d of %d programs were compared", compared, n)
	}
}

// TestSmall explores small programs with escapes, and with assertions behind one that fails. What is right is what SPIN 6.5.2
// counts.
func TestSmall(t *testing.T) {
	for _, c := range []struct {
		src  string
		want prog.Counts
	}{
		{`bit g; byte z, w; active proctype P() { { { z = 1 } unless { w = 1 } } unless { !g -> w = 2 } }`, prog.Counts{States: 4, Transitions: 4}},
		{`byte x; active proctype P() { d_step { skip; assert(x == 1); assert(x == 2) }; x = 1 }`, prog.Counts{States: 4, Transitions: 4, Errors: 2}},
		{`byte x; active proctype P() { byte i; atomic { do :: i < 3 -> assert(i != 1); assert(i != 2); i++ :: else -> break od }; x = 1 }`, prog.Counts{States: 4, Transitions: 4, Errors: 2}},
		{escapeOffers, prog.Counts{States: 32, Transitions: 43}},
	} {
		p, err := promela.Parse("escapes.pml", []byte(c.src), promela.Options{})
		if err != nil {
			t.Fatal(err)
		}
		agrees(t, "escapes.pml", c.src, promela.Options{})
		if got, err := counts(p, time.Minute); err != nil || got != c.want {
			t.Errorf("counts %v, %v, SPIN %v: %s", got, err, c.want, c.src)
		}
		if got, err := promela.Explore("escapes.pml", []byte(c.src), 1000); err != nil || got != c.want {
			t.Errorf("the walker counts %v, %v, SPIN %v: %s", got, err, c.want, c.src)
		}
	}
}

// In escapeOffers an offer that nobody takes comes behind an escape that is possible: the statement that is escaped from is
// possible, too.
const escapeOffers = `byte x; bit g; chan rv = [0] of { byte };
active proctype P() { { x = 1; x = 2 } unless { if :: rv!1 :: !g -> x = 3 fi } }
active proctype Q() { g = 1; if :: rv?_ :: skip fi }`

// TestExplore: the walker finds as many states, transitions and errors as a search of the model, and as SPIN.
func TestExplore(t *testing.T) {
	n, first := 60, uint64(1)
	if nightly.On() {
		n = 2000
	}
	fmt.Sscan(os.Getenv("PROGRAMS"), &n)
	fmt.Sscan(os.Getenv("FROM"), &first)
	compared, why := 0, map[string]int{}
	for seed := first; seed < first+uint64(n); seed++ {
		src := []byte(promelatest.Random(rand.New(rand.NewPCG(seed, 3))))
		p, err := promela.Parse("random.pml", src, promela.Options{NoClaims: true})
		if err != nil {
			why["refused"]++
			continue
		}
		want, err := counts(p, 10*time.Second)
		if err != nil {
			why[err.Error()]++
			continue
		}
		got, err := promela.Explore("random.pml", src, 20_000)
		if err != nil {
			why[err.Error()]++
			continue
		}
		if compared++; got != want {
			t.Errorf("seed %d: the walker counts %v, the search %v\n%s", seed, got, want, src)
		}
	}
	t.Logf("%d of %d programs compared; not compared: %v", compared, n, why)
	if compared < n/2 {
		t.Errorf("only %d of %d programs were compared", compared, n)
	}
}

// small are programs of which a few walks see all states.
var small = []string{
	`byte x; chan c = [0] of { byte }; chan d = [2] of { byte, bit };
	active proctype P() { byte i; do :: i < 2 -> c!i; i++ :: else -> break od; atomic { x = 1; d!2,1; d!!1,0 } }
	active proctype Q() { byte k; end: do :: c?k -> x = x + k :: atomic { d?k,eval(1) -> x = 0; k = 0 } :: d??1,_ od }`,
	`bit b = 1; byte x; chan rv = [0] of { byte };
	active proctype P() { rv!1; rv!0 }
	active proctype Q() { { rv?eval(b); x = 1; x = 2 } unless { rv?0 -> x = 3 } }`,
	`byte x; chan rv = [0] of { byte };
	active proctype P() { end: rv!1; x++ }
	active proctype Q() { end: d_step { rv?1; x = 3; if :: x > 2 -> x = 1 :: else fi }; assert(x == 0) }`,
	`byte n; short s = 300; proctype R(byte a; chan c) { c!a; n++ }
	init { chan c = [1] of { byte }; byte v; pid p; p = run R(7, c); run R(8, c); c?v; assert(v == 7); (_nr_pr == 1) -> c?v; s = s * 200 }`,
	`mtype = { a, b }; mtype m = a; byte t; active [2] proctype P() provided (t < 3) {
	L: if :: m == a -> m = b :: m == b -> m = a; t++ :: timeout -> goto L fi; assert(_pid == 0 || P[0]@L || t > 0) }`,
}

// TestAgreeFinds breaks the model of small programs, and demands that the comparison finds it wherever a search counts other
// states, transitions or errors.
func TestAgreeFinds(t *testing.T) {
	found, same := 0, 0
	for k, src := range small {
		parse := func() *prog.Program {
			p, err := promela.Parse("small.pml", []byte(src), promela.Options{})
			if err != nil {
				t.Fatal(err)
			}
			return p
		}
		p := parse()
		want, err := counts(p, time.Minute)
		if err != nil {
			t.Fatal(err)
		}
		if agrees(t, "small.pml", src, promela.Options{}) == 0 {
			t.Errorf("program %d is not compared", k)
		}
		for rule := range p.Model.Rules {
			if p.Edges[rule].Kind == prog.Halt {
				continue
			}
			for _, change := range changes {
				p := parse()
				if !change.of(p.Model.Rules[rule]) {
					continue
				}
				_, _, err := p.Reference().Walk(context.Background(), 1)
				got, failed := counts(p, time.Minute)
				switch {
				case err != nil:
					found++
				case failed != nil || got != want:
					t.Errorf("program %d: %s of %q is not found: counts %v, %v", k, change.name, p.Model.Rules[rule].Name, got, failed)
				default:
					same++
				}
			}
		}
	}
	t.Logf("%d faults found, %d without effect", found, same)
	if found < 140 {
		t.Errorf("only %d faults were found", found)
	}
}

// changes break a rule; false: there is nothing to break.
var changes = []struct {
	name string
	of   func(r *model.Rule) bool
}{
	{"dropping", func(r *model.Rule) bool {
		r.Guard = &model.ConstExpr{T: model.BoolType}
		return true
	}},
	{"a weaker guard", func(r *model.Rule) bool {
		x, ok := r.Guard.(*model.Binary)
		if ok = ok && x.Op == model.And; ok {
			r.Guard = x.X // where the process is
		}
		return ok
	}},
	{"an assignment less", func(r *model.Rule) bool {
		for i, s := range r.Body {
			if _, ok := s.(*model.Assign); ok {
				r.Body = append(r.Body[:i:i], r.Body[i+1:]...)
				return true
			}
		}
		return false
	}},
	{"the last assignment less", func(r *model.Rule) bool {
		n := len(r.Body) - 1
		if n < 1 {
			return false
		}
		_, ok := r.Body[n].(*model.Assign)
		r.Body = r.Body[:n]
		return ok
	}},
	{"another value", func(r *model.Rule) bool {
		for _, s := range r.Body {
			a, ok := s.(*model.Assign)
			if !ok {
				continue
			}
			if c, ok := a.RHS.(*model.ConstExpr); ok && c.T.Kind != model.Enum {
				own := *c
				own.Value = 1 - min(c.Value, 1)
				a.RHS = &own
				return true
			}
		}
		return false
	}},
}
