package portfolio

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"orbitmc/bmc"
	"orbitmc/internal/board"
	"orbitmc/internal/certify"
	"orbitmc/internal/task"
	"orbitmc/mc"
	"orbitmc/ts"
)

// beginner is an engine that begins without symmetry. If it is to be told the rest it ends with a
// verdict once it is. Otherwise it ends at once, but for the first run, which ends when it is let go.
type beginner struct {
	name     string
	problems chan *mc.Problem
	let      chan struct{}
	ran      bool
	lemmas   []mc.Lemmas // of each run
}

func (b *beginner) Name() string { return b.name }

func (b *beginner) Run(ctx context.Context, p *mc.Problem, opt mc.Options) (*mc.Result, error) {
	b.problems <- p
	b.lemmas = append(b.lemmas, opt.Lemmas)
	r := mc.NewResult(b.Name(), p)
	if opt.Later == nil && !b.ran {
		select {
		case <-b.let:
		case <-ctx.Done():
		}
	}
	b.ran = true
	for opt.Later != nil && ctx.Err() == nil {
		if q := opt.Later(mc.Work{}); q != nil {
			b.problems <- q
			opt.Later = nil
		}
	}
	if ctx.Err() == nil {
		for i := range r.Props {
			r.Props[i].Status = mc.Safe
		}
	}
	return r, nil
}

// known returns a problem that is known already.
func known(p *mc.Problem) *awaited {
	b := &awaited{make(chan struct{}), p}
	if p != nil {
		close(b.ready)
	}
	return b
}

// TestEarly lets engines begin before the symmetry is known. One that takes symmetry is told that of
// the same system. The others begin anew once there is any, and all do so on another
// system, or if there are images of properties.
func TestEarly(t *testing.T) {
	tk, err := task.Open(t.Context(), "../../benchmarks/murphi/german.m", task.Options{})
	if err != nil {
		t.Fatal(err)
	}
	var first, formed *mc.Problem
	a, err := tk.Analyse(t.Context(), true, func(p *mc.Problem) {
		if first == nil {
			first = p
		} else {
			formed = p
		}
	})
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range []*mc.Problem{first, formed} {
		if p == nil || p.System() != a.Problem.System() || p.Group(0) != nil || a.Problem.Group(0).Trivial() || p.WellFormed != (p == formed) {
			t.Fatalf("the early problem %+v", p)
		}
	}
	other, err := tk.Analyse(t.Context(), true, nil)
	if err != nil {
		t.Fatal(err)
	}
	with := func(change func(p *mc.Problem)) *task.Analysis {
		b, p := *a, *a.Problem
		change(&p)
		b.Problem = &p
		return &b
	}
	images := with(func(p *mc.Problem) { p.Images = map[int]ts.Image{1: {}} })
	asymmetric := with(func(p *mc.Problem) { p.Groups = nil })
	for _, c := range []struct {
		name   string
		engine string
		a      *task.Analysis // what is known later
		err    error          // why nothing is
		early  bool
		want   []*mc.Problem // that the engine sees
		last   *mc.Problem   // of the result
	}{
		{"the same system", "bmc", a, nil, true, []*mc.Problem{first, a.Problem}, first},
		{"another system", "bmc", other, nil, true, []*mc.Problem{first, other.Problem}, other.Problem},
		{"images", "bmc", images, nil, true, []*mc.Problem{first, images.Problem}, first},
		{"no symmetry", "bmc", asymmetric, nil, true, []*mc.Problem{first, asymmetric.Problem}, first},
		{"a failure", "bmc", nil, errors.New("refused"), true, []*mc.Problem{first}, nil},
		{"nothing early", "bmc", a, nil, false, []*mc.Problem{a.Problem}, a.Problem},
		{"the same system", "pdr", a, nil, true, []*mc.Problem{formed, a.Problem}, a.Problem},
		{"another system", "pdr", other, nil, true, []*mc.Problem{formed, other.Problem}, other.Problem},
		{"images", "pdr", images, nil, true, []*mc.Problem{formed, images.Problem}, images.Problem},
		{"no symmetry", "pdr", asymmetric, nil, true, []*mc.Problem{formed}, formed},
		{"a failure", "pdr", nil, errors.New("refused"), true, []*mc.Problem{formed}, nil},
		{"nothing early", "pdr", a, nil, false, []*mc.Problem{a.Problem}, a.Problem},
	} {
		t.Run(c.engine+" "+c.name, func(t *testing.T) {
			e := &beginner{name: c.engine, problems: make(chan *mc.Problem, 9), let: make(chan struct{}), ran: !c.early}
			x := &preparation{task: tk, done: make(chan struct{}), encoded: known(nil), wellFormed: known(nil), analysis: c.a, err: c.err}
			x.boards = &boards{of: make(map[*ts.System]*board.Board)}
			if c.early {
				x.encoded, x.wellFormed = known(first), known(formed)
			}
			type result struct {
				p   *mc.Problem
				r   *mc.Result
				err error
			}
			ended := make(chan result, 1)
			go func() {
				p, r, err := (&earlyEngine{e, x}).run(t.Context(), mc.Options{})
				ended <- result{p, r, err}
			}()
			for i, want := range c.want {
				if i == 1 || !c.early {
					close(x.done)
				}
				if got := <-e.problems; got != want {
					t.Errorf("problem %d is %p, want %p", i, got, want)
				}
			}
			if len(c.want) == 1 && c.early {
				close(x.done)
			}
			if c.last == formed {
				time.Sleep(20 * time.Millisecond) // in which it would be stopped
				close(e.let)
			}
			got := <-ended
			if got.err != nil || got.p != c.last || (got.r == nil) != (c.last == nil) || got.r != nil && got.r.Open() > 0 {
				t.Errorf("the result is %+v", got)
			}
			if len(e.problems) > 0 {
				t.Errorf("%d more problems", len(e.problems))
			}
			if len(e.lemmas) == 2 && (e.lemmas[0] == e.lemmas[1]) != (c.want[0].System() == c.want[1].System()) {
				t.Error("lemmas of one system are given for another one, or not for the same one")
			}
		})
	}
}

// TestEarlyProof: what is proved before the symmetry is known is proved without it, and its
// certificate is accepted; so is what was begun anew, under the symmetry.
func TestEarlyProof(t *testing.T) {
	file := filepath.Join(t.TempDir(), "starts.m")
	if err := os.WriteFile(file, []byte(lastStart), 0o644); err != nil {
		t.Fatal(err)
	}
	opt := task.Options{Props: []string{"kept"}}
	for _, name := range []string{"pdr", "ind", "cofactor"} {
		for _, late := range []bool{true, false} {
			tk, err := task.Open(t.Context(), file, opt)
			if err != nil {
				t.Fatal(err)
			}
			es, err := Engines(tk, name)
			if err != nil {
				t.Fatal(err)
			}
			var formed *mc.Problem
			x := &preparation{task: tk, done: make(chan struct{}), encoded: known(nil)}
			if x.analysis, err = tk.Analyse(t.Context(), true, func(p *mc.Problem) { formed = p }); err != nil {
				t.Fatal(err)
			}
			if x.wellFormed = known(formed); !late {
				close(x.done)
			}
			p, r, err := (&earlyEngine{es[0], x}).run(t.Context(), mc.Options{})
			if err != nil || r.Open() > 0 {
				t.Fatalf("%s: %+v, %v", name, r, err)
			}
			if err := certify.Verify(t.Context(), p, r); err != nil {
				t.Errorf("%s: %v", name, err)
			}
			if g := r.Props[0].Proof.Group; (p == formed) != late || g.Trivial() != late || (x.proved.Load() == p) != late {
				t.Errorf("%s, symmetry known: %v: the group has %d generators; a problem is kept: %v", name, !late, len(g.Generators()), x.proved.Load() != nil)
			}
			tk.Problem = p
			var text bytes.Buffer
			if err := Certificate(tk, &Outcome{Each: []*mc.Result{r}, Problem: p}).Write(&text, certify.New(t.Context(), p)); err != nil {
				t.Fatal(err)
			}
			cert := filepath.Join(t.TempDir(), "starts.cert")
			if err := os.WriteFile(cert, text.Bytes(), 0o644); err != nil {
				t.Fatal(err)
			}
			out, err := Certify(t.Context(), file, cert, opt)
			if err != nil || !out.Accepted || !slices.Equal(out.Properties, []string{"kept"}) {
				t.Errorf("%s, symmetry known: %v: %+v, %v", name, !late, out, err)
			}
		}
	}
}

// TestEarlyOptions: evidence about a problem that engines begin with is checked as all other evidence.
func TestEarlyOptions(t *testing.T) {
	for _, file := range []string{"../../benchmarks/murphi/german.m", "../../benchmarks/netlists/german_tight_safe_4.aig"} {
		tk, err := task.Open(t.Context(), file, task.Options{})
		if err != nil {
			t.Fatal(err)
		}
		es, err := Engines(tk, "all")
		if err != nil {
			t.Fatal(err)
		}
		x := prepare(t.Context(), func() {}, tk, es, Options{Full: true, Gophersat: true})
		<-x.done
		for _, p := range []*mc.Problem{x.encoded.problem(), x.wellFormed.problem(), x.analysis.Problem} {
			if x.err != nil || p == nil || !p.Full || !p.Gophersat || p.System() != x.analysis.Problem.System() {
				t.Errorf("%s: %v, %+v", file, x.err, p)
			}
		}
		if x.encoded.problem() == x.analysis.Problem || x.wellFormed.problem() == x.analysis.Problem {
			t.Errorf("%s: engines begin with the problem that is still changed", file)
		}
	}
}

// harder is an engine whose queries are hard from some depth on.
type harder struct {
	steps, hard, depths int64 // of each depth; the first hard one; how many depths there are
	at                  int64 // depth at which it was told the symmetry, or that it goes on without; -1: it was not
	p                   *mc.Problem
}

func (*harder) Name() string { return "bmc" }

func (h *harder) Run(_ context.Context, p *mc.Problem, opt mc.Options) (*mc.Result, error) {
	for h.at = range h.depths {
		w := mc.Work{Depth: int(h.at), Steps: h.at * h.steps}
		if h.hard <= h.at {
			w.Hard = p.Props[:1]
		}
		if h.p = opt.Later(w); h.p != nil {
			return mc.NewResult(h.Name(), h.p), nil
		}
	}
	h.at = -1
	return mc.NewResult(h.Name(), p), nil
}

// TestPaced: when bmc of a netlist has the symmetry depends on how many steps it took, and on
// nothing else. It begins without, and need not have it in the end.
func TestPaced(t *testing.T) {
	run := func(first, depths int64, wait time.Duration) *harder {
		tk, err := task.Open(t.Context(), "../../benchmarks/netlists/german_tight_safe_4.aig", task.Options{})
		if err != nil {
			t.Fatal(err)
		}
		e := &harder{steps: 1000, depths: depths}
		if !paced(tk, []mc.Engine{e}) || paced(tk, []mc.Engine{e, e}) {
			t.Fatal("not in step with the search for symmetry, or beside another engine")
		}
		ctx, cancel := context.WithCancel(t.Context())
		x := prepare(ctx, cancel, tk, []mc.Engine{e}, Options{})
		x.lead = first
		time.Sleep(wait)
		p, _, err := (&earlyEngine{e, x}).run(ctx, mc.Options{})
		if err != nil {
			t.Fatal(err)
		}
		cancel()
		a, err := x.join()
		if (err == nil) != (e.at >= 0) || err == nil && (e.p != a.Problem || a.Report == nil) || p != x.encoded.problem() || p.Groups != nil {
			t.Errorf("the symmetry came at depth %d: the preparation ends with %v", e.at, err)
		}
		return e
	}
	var at []int64
	for _, first := range []int64{0, 5000, firstSteps} {
		for k := range 5 {
			e := run(first, 1<<20, time.Duration(k)*5*time.Millisecond)
			if at = append(at, e.at); e.at != at[len(at)-1-k] || e.at < 0 {
				t.Errorf("with %d steps in front symmetry comes at depth %d, and at %d", first, at[len(at)-1-k], e.at)
			}
		}
	}
	t.Log(at)
	if at[0] <= at[5] || at[10] != 0 {
		t.Errorf("symmetry comes at depths %v", at)
	}
	if e := run(0, 1, 0); e.at >= 0 {
		t.Error("a search of a thousand steps has the symmetry")
	}
}

// TestPacedWhere: bmc runs in step with the search for symmetry only alone, where it decides itself when symmetry pays, has
// the choice between encodings, and does not end before the first depth.
func TestPacedWhere(t *testing.T) {
	german, ring := "../../benchmarks/murphi/german.m", "../../benchmarks/netlists/german_tight_4.aig"
	auto := []mc.Engine{&bmc.Checker{}}
	for _, c := range []struct {
		name, file string
		opt        task.Options
		engines    []mc.Engine
		want       bool
	}{
		{"model", german, task.Options{}, auto, true},
		{"netlist", ring, task.Options{}, auto, true},
		{"one property of each orbit", ring, task.Options{}, []mc.Engine{PerOrbit(auto[0])}, true},
		{"declared", german, task.Options{Symmetry: "declared"}, auto, true},
		{"off", german, task.Options{Symmetry: "off"}, auto, false},
		{"detected", german, task.Options{Symmetry: "detected"}, auto, false},
		{"an encoding", german, task.Options{Encoding: "inferred"}, auto, false},
		{"counters", "../../benchmarks/murphi/mutex_sem.m", task.Options{Abstract: "counters"}, auto, false},
		{"path", german, task.Options{}, []mc.Engine{&bmc.Checker{Rep: bmc.RepPath}}, false},
		{"frontier", german, task.Options{}, []mc.Engine{&bmc.Checker{Rep: bmc.RepFrontier}}, false},
		{"another engine", german, task.Options{}, []mc.Engine{&bmc.Inductor{}}, false},
		{"two engines", german, task.Options{}, []mc.Engine{auto[0], auto[0]}, false},
		{"no property with a trace", "../../benchmarks/semantics/liveness_each.m", task.Options{Props: []string{"turn"}}, auto, false},
	} {
		tk, err := task.Open(t.Context(), c.file, c.opt)
		if err != nil {
			t.Fatal(err)
		}
		if got := paced(tk, c.engines); got != c.want {
			t.Errorf("%s: %v", c.name, got)
		}
	}
}

// TestPacedModel: bmc of a model begins on its plain encoding. It goes over to one with more symmetry only if queries are hard,
// and the group is not small. One in which quantifiers hide errors is taken before the first depth, or never.
func TestPacedModel(t *testing.T) {
	hidden := filepath.Join(t.TempDir(), "hidden.m")
	src := hiddenHead + `rule "x" !done & exists p: P do a[p] = 1 end ==> if forall p: P do u[p] end then done := true; end; end;`
	if err := os.WriteFile(hidden, []byte(src), 0o644); err != nil {
		t.Fatal(err)
	}
	german := "../../benchmarks/murphi/german_range.m"
	large := []string{"NODE_NUM=6"}
	for _, c := range []struct {
		name, file string
		defines    []string
		e          harder
		lead       int64
		at         int64
		over       bool // to another system
	}{
		{"hard", german, large, harder{steps: 1000, hard: 3, depths: 9}, 1 << 30, 3, true},
		{"easy", german, large, harder{steps: 1000, hard: 9, depths: 9}, 1 << 30, -1, false},
		{"small group", german, []string{"NODE_NUM=5"}, harder{steps: 1000, depths: 9}, 1 << 30, 0, false},
		{"late", german, large, harder{steps: 1 << 20, depths: 99}, 0, 3, true},
		{"declared", "../../benchmarks/murphi/german.m", nil, harder{steps: 1000, depths: 9}, 1 << 30, 0, false},
		{"strict", hidden, nil, harder{steps: 1000, depths: 9}, 1 << 30, 0, true},
		{"strict, late", hidden, nil, harder{steps: 1 << 20, depths: 99}, 0, 1, false},
	} {
		for wait := range 3 {
			t.Run(fmt.Sprint(c.name, wait), func(t *testing.T) {
				tk, err := task.Open(t.Context(), c.file, task.Options{Defines: c.defines})
				if err != nil {
					t.Fatal(err)
				}
				e := c.e
				if !paced(tk, []mc.Engine{&e}) {
					t.Fatal("not in step with the search for symmetry")
				}
				tk.Restarts = true
				x := prepare(t.Context(), func() {}, tk, []mc.Engine{&e}, Options{})
				x.lead = c.lead
				time.Sleep(time.Duration(wait) * 5 * time.Millisecond)
				p, _, err := (&earlyEngine{&e, x}).run(t.Context(), mc.Options{})
				if err != nil {
					t.Fatal(err)
				}
				begun := x.encoded.problem()
				if over := p != begun; e.at != c.at || over != c.over || over != x.wentOver.Load() || Encoding(begun) != "plain" || !begun.WellFormed {
					t.Errorf("symmetry at depth %d, want %d; over to another system: %v", e.at, c.at, over)
				}
				if same := e.p != nil && e.p.System() == begun.System(); e.p != nil && e.p != x.analysis.Problem && e.p != begun || same && c.over {
					t.Error("a problem with the wrong system")
				}
				<-x.done
				if q := (&earlyEngine{&e, x}).other(mc.Work{Depth: 1}, begun); q != nil && strict(q) {
					t.Error("hidden errors of depth 0 are not looked for")
				}
				out, want := &Outcome{}, x.analysis.Problem
				if c.name == "strict, late" { // hidden errors, on which that symmetry rests, were not looked for
					want = begun
				}
				if err := x.conclude(t.Context(), out, x.analysis, nil, nil, nil); err != nil || out.Problem != want || tk.Problem != want || (tk.Report == nil) != (want == begun) {
					t.Errorf("the outcome is about another problem: %v, %q", err, tk.Partial)
				}
			})
		}
	}
}

// TestGoesOver: bmc itself says when queries are hard. It finds the shortest violation of German with six nodes on the encoding
// that has their symmetry, and of German with two on the plain one.
func TestGoesOver(t *testing.T) {
	for _, c := range []struct {
		nodes string
		over  bool
	}{{"NODE_NUM=6", true}, {"NODE_NUM=2", false}} {
		var conflicts int64
		grows := func(e mc.Event) {
			if e.Stats.Conflicts < conflicts {
				t.Errorf("%s: %d conflicts at depth %d, %d before", c.nodes, e.Stats.Conflicts, e.Depth, conflicts)
			}
			conflicts = e.Stats.Conflicts
		}
		e, err := decide("../../benchmarks/murphi/german_range_bug2.m", "bmc", "auto", task.Options{Defines: []string{c.nodes}}, mc.Options{Event: grows})
		if err != nil {
			t.Fatal(err)
		}
		if e.first() != 15 || (e.on() == e.out.Problem) != c.over || Encoding(e.out.Problem) != "inferred" {
			t.Errorf("%s: a violation at depth %d, on the encoding %s", c.nodes, e.first(), Encoding(e.on()))
		}
	}
}
