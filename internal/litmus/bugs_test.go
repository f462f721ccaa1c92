package litmus

import (
	"context"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"orbitmc/encode/murphi"
	"orbitmc/internal/explicit"
	"orbitmc/internal/lists"
	"orbitmc/model"
	"orbitmc/model/traces"
)

// TestBugs changes protocols as designers err, and finds each error with the test that should. Another test is blind to it: it ends as
// SC allows. So does the first one on the protocol as it was.
func TestBugs(t *testing.T) {
	const (
		mp     = "P0: x = 1; y = 1\nP1: r0 = y; r1 = x"
		sb     = "P0: x = 1; r0 = y\nP1: y = 1; r0 = x"
		corr   = "P0: x = 1\nP1: r0 = x; r1 = x"
		cowr   = "P0: x = 1; r0 = x\nP1: x = 2"
		twoTwo = "P0: x = 1; y = 2\nP1: y = 1; x = 2"
		seen   = "P0: x = 1; y = 2; r0 = y\nP1: y = 1; x = 2; r0 = x"
	)
	for _, c := range []struct {
		bug, file, exclusive  string
		edits                 []string // old, new
		finds, outcome, blind string
	}{
		{"a shared line is read after its invalidation was acknowledged", "internal/litmus/testdata/mesi.m", "0",
			[]string{"    if State[i] = S then\n      State[i] := I;\n      undefine Copy[i];\n    end;", ""}, mp, "1:r0=1; 1:r1=0", corr},
		{"a write-back is lost", "benchmarks/murphi/german.m", "", []string{"MemData := Chan3[i].Data;", ""}, cowr, "0:r0=0", corr},
		{"a line is granted before the invalidations are acknowledged", "internal/litmus/testdata/mesi.m", "1",
			[]string{"acks := acks + 1;", "", "InvAck[Client] := InvAck[Client] + 1;", ""}, sb, "0:r0=0; 1:r0=0", corr},
		{"memory answers a reader while the line that was modified is not written back", "benchmarks/murphi/flash_data.m", "", []string{
			"Get & !RpMsg[n] & !Pending & (Dirty -> Local & HomeCache.State = E)", "Get & !RpMsg[n] & !Pending",
			"if Dirty then\n      Dirty := false;\n      HomeCache.State := S;", "if HomeCache.State = E then\n      Dirty := false;\n      HomeCache.State := S;",
		}, corr, "1:r0=1; 1:r1=0", ""},
		// The last store to an address is known without a load: 2+2W does not show that two cores write at a time, loads behind it do.
		{"a shared line is written, by two cores", "benchmarks/murphi/moesi.m", "",
			[]string{`rule "Store" State[i] = M`, `rule "Store" State[i] = S | State[i] = M`}, seen, "0:r0=0; 1:r0=2", twoTwo},
	} {
		t.Run(c.bug, func(t *testing.T) {
			src, err := os.ReadFile("../../" + c.file)
			if err != nil {
				t.Fatal(err)
			}
			text := string(src)
			for e := range slices.Chunk(c.edits, 2) {
				if strings.Count(text, e[0]) != 1 {
					t.Fatalf("%s: %q is not there once", c.file, e[0])
				}
				text = strings.Replace(text, e[0], e[1], 1)
			}
			if got := forbidden(t, c.file, c.exclusive, text, c.finds); got != c.outcome {
				t.Errorf("%q ends with %q, want %q", c.finds, got, c.outcome)
			}
			if c.blind != "" {
				if got := forbidden(t, c.file, c.exclusive, text, c.blind); got != "" {
					t.Errorf("%q ends with %q", c.blind, got)
				}
			}
			if c.exclusive == "" || os.Getenv("ORBITMC_LONG") != "" {
				if got := forbidden(t, c.file, c.exclusive, string(src), c.finds); got != "" {
					t.Errorf("%q ends with %q on the protocol as it was", c.finds, got)
				}
			}
		})
	}
}

// forbidden returns the outcome that SC does not allow, to which a shortest run of a test on a protocol leads; "" if there is none.
func forbidden(t *testing.T, file, exclusive, text, test string) (outcome string) {
	must := func(err error) {
		if err != nil {
			t.Fatal(err)
		}
	}
	x, err := Parse("t", "litmus t\n"+test)
	must(err)
	opt := murphi.Options{Consts: map[string]string{"DATA_NUM": fmt.Sprint(x.Values() + 1)}, Deadlock: model.DeadlockOff}
	if exclusive != "" {
		opt.Consts["EXCLUSIVE"] = exclusive
	}
	m, err := murphi.Parse(file, []byte(text), opt)
	must(err)
	mapping, err := Guess(m)
	must(err)
	in, err := ParseMapping("guess", mapping)
	must(err)
	p, err := New([]byte(text), m, in, x, false)
	must(err)
	m, err = murphi.Parse("p.m", p.Text, opt)
	must(err)
	code := model.Compile(m)
	prop := func(name string) int {
		return slices.IndexFunc(m.Props, func(q *model.Property) bool { return q.Name == name })
	}
	if claim := apart(t, p, opt); claim {
		defer func() {
			if outcome != "" {
				t.Errorf("%q: each address by itself is coherent, and it ends with %q", test, outcome)
			}
		}()
	}
	found, err := explicit.Run(context.Background(), code, explicit.Options{
		Canon: explicit.Exact, Props: append(lists.Map(p.Seen, prop), prop(p.Forbidden)),
		Blocks: lists.Map(m.Scalarsets, func(y *model.Type) [][]int { return [][]int{lists.Make(int(y.Card()), func(i int) int { return i })} }),
	})
	must(err)
	if len(found.Violations) == 0 {
		if !found.Complete || len(found.Covered) == 0 {
			t.Errorf("%q: complete %v, %d outcomes", test, found.Complete, len(found.Covered))
		}
		return ""
	}
	v := found.Violations[0].Trace
	must(traces.Replay(code, v))
	o := p.Outcome(m, v.End())
	if slices.ContainsFunc(p.Allowed, func(a Outcome) bool { return slices.Equal(a, o) }) {
		t.Errorf("%q: SC allows %s", test, x.Text(o))
	}
	return x.Text(o)
}
