package states_test

import (
	"strings"
	"testing"

	"orbitmc/encode/murphi"
	"orbitmc/internal/certify"
	"orbitmc/internal/explicit"
	"orbitmc/mc"
	"orbitmc/mc/evidence"
	"orbitmc/model"
)

// claimed is a closure that has the same stubborn set at each member but the last ones.
type claimed struct {
	evidence.Closure
	set  []int32
	last int64 // from this member on there is none
}

func (c *claimed) Reduced(i int64) bool { return i < c.last }

func (c *claimed) Stubborn(int64, model.State, []model.Choice) []int32 { return c.set }

// TestClosureOrders: a list of states with stubborn sets is accepted if the sets are what they have to be. In each row, the
// states are those of the first rules alone; each rule that is added violates the invariant or errs, or does nothing.
func TestClosureOrders(t *testing.T) {
	const vars = "var x, y, z: 0..2; b: boolean;\nstartstate begin x := 0; y := 0; z := 0; b := false; end;\n"
	const cycle = `rule "cycle" true ==> begin b := !b; end;`
	for name, c := range map[string]struct {
		some, more, invariant string
		set                   []int32
		last                  int64
		err                   string // "" is accepted
	}{
		"apart, to a state where all are fired": {`rule "x" x = 0 ==> begin x := 1; end;`, `rule "off" y = 1 ==> begin z := 1; end;`, "z = 0", []int32{0}, 1, ""},
		"does nothing":                          {`rule "x" x = 0 ==> begin x := 1; end;`, `rule "idle" x = 0 ==> begin end;`, "z = 0", []int32{0}, 1, ""},
		"a cycle puts it off":                   {cycle, `rule "z" z = 0 ==> begin z := 1; end;`, "z = 0", []int32{0}, 2, "no step of a stubborn set"},
		"all are visible, and some left out":    {`rule "x" x = 0 ==> begin x := 1; end;`, `rule "y" y = 0 ==> begin y := 1; end;`, "!(y = 1 & x = 0)", []int32{0}, 1, "writes what a property reads"},
		"read":                                  {`rule "x" x = 0 ==> begin x := 1; end;`, `rule "z" y = 0 & x = 0 ==> begin z := 1; end;`, "z = 0", []int32{0}, 1, "is not independent"},
		"written":                               {`rule "x" x = 0 ==> begin x := 1; end;`, `rule "z" y = 0 ==> begin x := 0; z := 1; end;`, "z = 0", []int32{0}, 1, "is not independent"},
		"enabled by one that is not in it": {`rule "x" x = 0 ==> begin x := 1; end; rule "waits" y = 1 ==> begin z := 1; end;`, `rule "y" y = 0 ==> begin y := 1; end;`, "z = 0",
			[]int32{0, 1}, 1, "may be enabled"},
		"none fires":          {`rule "x" x = 0 ==> begin x := 1; end; rule "waits" y = 2 ==> begin z := 2; end;`, `rule "off" y = 1 ==> begin z := 1; end;`, "z = 0", []int32{1}, 1, "no instance of a stubborn set can fire"},
		"no such instance":    {`rule "x" x = 0 ==> begin x := 1; end;`, "", "z = 0", []int32{7}, 1, "no such instance"},
		"an error":            {`rule "x" x = 0 ==> begin x := 1; end;`, `rule "e" y = 0 ==> begin error "e"; end;`, "z = 0", []int32{0}, 1, "shows what the verdict"},
		"a state is absent":   {`rule "x" x = 0 ==> begin x := 1; end;`, `rule "z" x = 1 ==> begin z := 1; end;`, "z = 0", []int32{0, 1}, 1, "missing"},
		"beyond the last set": {`rule "x" x < 2 ==> begin x := x + 1; end;`, `rule "y" y = 0 ==> begin y := 1; end;`, "z = 0", []int32{0}, 2, "missing"},
	} {
		for _, large := range []bool{false, true} { // with a memo, and without one
			text := vars
			if large {
				text = "var w: 0..5000;\n" + strings.Replace(vars, "begin", "begin w := 0;", 1)
			}
			parse := func(rules string) *mc.Problem {
				m, err := murphi.Parse("x.m", []byte(text+rules+"\ninvariant \"i\" "+c.invariant+";"), murphi.Options{Deadlock: model.DeadlockOff})
				if err != nil {
					t.Fatal(err)
				}
				p := &mc.Problem{OfModel: mc.OfModel{Model: m, Program: model.Compile(m)}}
				for i, q := range m.Props {
					if q.Kind != model.Deadlock {
						p.Props = append(p.Props, i)
					}
				}
				return p
			}
			few, err := (&explicit.Engine{Threads: 1}).Run(t.Context(), parse(c.some), mc.Options{})
			if err != nil || few.Closure == nil {
				t.Fatalf("%s: %+v, %v", name, few, err)
			}
			p := parse(c.some + c.more)
			r := mc.NewResult("explicit", p)
			for i := range r.Props {
				r.Props[i].Status = mc.BySearch(p.Model.Props[r.Props[i].Prop].Kind)
			}
			r.Closure = &claimed{few.Closure, c.set, c.last}
			if err := certify.Verify(t.Context(), p, r); c.err == "" && err != nil || c.err != "" && (err == nil || !strings.Contains(err.Error(), c.err)) {
				t.Errorf("%s, large %v: %v, want %q", name, large, err, c.err)
			}
		}
	}
}
