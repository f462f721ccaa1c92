package states_test

import (
	"context"
	"slices"
	"strings"
	"testing"

	"orbitmc/encode"
	"orbitmc/encode/murphi"
	"orbitmc/internal/certify"
	"orbitmc/internal/certify/states"
	"orbitmc/internal/explicit"
	"orbitmc/mc"
	"orbitmc/mc/evidence"
	"orbitmc/model"
)

// watching lets a search be watched.
func watching(ctx context.Context, p *mc.Problem, cores *mc.Cores) evidence.Watch {
	return states.NewWatch(ctx, p, cores, 0)
}

// watchProblem returns a problem with all properties, the symmetry that the model
// declares, and an encoding if wanted.
func watchProblem(t *testing.T, file string, consts map[string]string, encoded bool) *mc.Problem {
	t.Helper()
	m, err := murphi.ReadFile(file, murphi.Options{Consts: consts})
	if err != nil {
		t.Fatal(err)
	}
	p := &mc.Problem{OfModel: mc.OfModel{Model: m, Program: model.Compile(m)}}
	if encoded {
		if p.Enc, err = encode.Model(context.Background(), m); err != nil {
			t.Fatal(err)
		}
	}
	for i := range m.Props {
		p.Props = append(p.Props, i)
	}
	for _, class := range m.Scalarsets {
		var all []int
		for v := range int(class.Card()) {
			all = append(all, v)
		}
		p.Blocks = append(p.Blocks, [][]int{all})
	}
	return p
}

// TestWatch: what a search tells of its steps is right, so that nothing has to be
// looked up, with and without symmetry, in circuits and in the interpreter.
func TestWatch(t *testing.T) {
	for _, c := range []struct {
		file   string
		consts map[string]string
	}{
		{"german.m", map[string]string{"NODE_NUM": "3"}},
		{"msi_dir.m", map[string]string{"NODE_NUM": "3"}},
		{"flash.m", map[string]string{"NODE_NUM": "2"}},
		{"msi_net.m", nil}, // multisets
	} {
		for threads, encoded := range []bool{false, true} { // none is one
			for i, canon := range []explicit.Canon{explicit.None, explicit.Sorted, explicit.Star, explicit.Exact, explicit.Sorted, explicit.Exact} {
				p := watchProblem(t, "../../../benchmarks/murphi/"+c.file, c.consts, encoded)
				p.Typed = i > 3 // instances are left out
				r, err := (&explicit.Engine{Canon: canon, Threads: 2 * threads}).Run(context.Background(), p, mc.Options{All: true, Watch: watching})
				if err == nil {
					err = certify.Verify(context.Background(), p, r)
				}
				if err != nil || r.Verdict() != mc.Safe {
					t.Fatalf("%s, encoded %v, %v: %v, %v", c.file, encoded, canon, r.Verdict(), err)
				}
				if told, wrong := r.Watch.(*states.Watch).Told(); told != r.Closure.Len() || wrong != 0 {
					t.Errorf("%s, encoded %v, %v: told of %d members, %d of them wrongly; there are %d", c.file, encoded, canon, told, wrong, r.Closure.Len())
				}
			}
		}
	}
}

// TestWatchIsNotTrusted: a search may tell anything, and the verdict does not change.
func TestWatchIsNotTrusted(t *testing.T) {
	for _, encoded := range []bool{false, true} {
		p := watchProblem(t, "../../../benchmarks/murphi/german.m", map[string]string{"NODE_NUM": "2", "DATA_NUM": "2"}, encoded)
		result, err := (&explicit.Engine{Canon: explicit.Exact}).Run(context.Background(), p, mc.Options{All: true, Watch: watching})
		if err != nil {
			t.Fatal(err)
		}
		n := int(result.Closure.Len())
		values, _ := evidence.PermBytes(p.Model)
		identity := []byte{0, 1, 0, 1}
		if values != len(identity) {
			t.Fatalf("%d values", values)
		}
		verify := func(c evidence.Closure, steps ...*evidence.Steps) (*mc.Result, int64, error) {
			w := states.NewWatch(context.Background(), p, nil, 0)
			for _, s := range steps {
				w.Expanded(c, s)
			}
			w.Close()
			r := *result
			r.Props, r.Closure, r.Watch = slices.Clone(result.Props), c, w
			err := certify.Verify(context.Background(), p, &r)
			_, wrong := w.Told()
			return &r, wrong, err
		}
		lie := func(from, to int, perm []byte, target func(k int) uint32, many int) *evidence.Steps {
			s := &evidence.Steps{First: int64(from)}
			for i := from; i < to; i++ {
				for k := range many {
					s.Targets = append(s.Targets, target(k))
					s.Perms = append(s.Perms, perm...)
				}
				s.Ends = append(s.Ends, uint32(len(s.Targets)))
			}
			return s
		}
		zero := func(int) uint32 { return 0 }
		for what, steps := range map[string][]*evidence.Steps{
			"nothing":            nil,
			"no steps":           {lie(0, n, identity, zero, 0)},
			"one target":         {lie(0, n, identity, zero, 9)},
			"some members":       {lie(0, n/2, identity, zero, 3)},
			"a gap":              {lie(0, 10, identity, zero, 3), lie(20, 30, identity, zero, 3)},
			"other permutations": {lie(0, n, []byte{1, 0, 1, 0}, func(k int) uint32 { return uint32(k) }, 3)},
		} {
			r, wrong, err := verify(result.Closure, steps...)
			if err != nil || r.Verdict() != mc.Safe {
				t.Errorf("encoded %v: %s: %v, %v", encoded, what, r.Verdict(), err)
			}
			if what == "no steps" && wrong < int64(n)/2 {
				t.Errorf("encoded %v: %s: only %d of %d members are looked at again", encoded, what, wrong, n)
			}
		}
		if _, _, err := verify(result.Closure, lie(0, n, []byte{1, 1, 0, 1}, zero, 9)); err == nil || !strings.Contains(err.Error(), "interchangeable") {
			t.Errorf("encoded %v: a map that is no permutation: %v", encoded, err)
		}
		// A closure with a state less, of which the search told what is true of all.
		var states [][]byte
		for i := range result.Closure.Len() {
			states = append(states, result.Closure.Member(i))
		}
		short := &fake{Closure: result.Closure, states: states[:n-1]}
		if _, _, err := verify(short, lie(0, n-1, identity, zero, 0)); err == nil {
			t.Errorf("encoded %v: a closure without its last state is accepted", encoded)
		}
		// All steps of a member are asked for, not only those that were told of.
		if _, _, err := verify(&fake{Closure: result.Closure, states: states[:1]}, lie(0, 1, identity, zero, 0)); err == nil {
			t.Errorf("encoded %v: a start state alone is accepted", encoded)
		}
	}
}

// TestUnfinishedCheck: a limit that comes before the check is done leaves the verdict
// open and says how far it came.
func TestUnfinishedCheck(t *testing.T) {
	p := watchProblem(t, "../../../benchmarks/murphi/german.m", map[string]string{"NODE_NUM": "2"}, true)
	r, err := (&explicit.Engine{Canon: explicit.None}).Run(context.Background(), p, mc.Options{All: true, Watch: watching})
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	r.Watch = nil
	if err := certify.Verify(ctx, p, r); err != nil || r.Verdict() != mc.Unknown || r.Stopped != "interrupted; all 3390 states were visited, the check of them is unfinished at 0 %" {
		t.Errorf("%v, %v, %q", err, r.Verdict(), r.Stopped)
	}
}

// TestWatchMemory: a watch keeps no more of what instances do than its limit allows, and the
// verdict is the same.
func TestWatchMemory(t *testing.T) {
	for _, c := range []struct {
		limit int64
		how   string
	}{
		{0, "in the reference interpreter"},
		{1 << 30, "in the reference interpreter"},
		{1 << 13, "in the interpreter"},
	} {
		p := watchProblem(t, "../../../benchmarks/murphi/msi_net.m", nil, false)
		r, err := (&explicit.Engine{Canon: explicit.Exact}).Run(context.Background(), p, mc.Options{All: true, Watch: func(ctx context.Context, p *mc.Problem, cores *mc.Cores) evidence.Watch {
			return states.NewWatch(ctx, p, cores, c.limit)
		}})
		if err == nil {
			err = certify.Verify(context.Background(), p, r)
		}
		if err != nil || r.Verdict() != mc.Safe || !strings.HasSuffix(r.Props[0].Evidence, "closure checked "+c.how) {
			t.Errorf("limit %d: %v, %v, %q", c.limit, err, r.Verdict(), r.Props[0].Evidence)
		}
	}
}
