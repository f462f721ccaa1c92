package aiger_test

import (
	"errors"
	"io"
	"slices"
	"testing"

	"orbitmc/aig"
	"orbitmc/encode/aiger"
	"orbitmc/ts"
)

// TestUnique: bads, inputs and latches get names that are theirs alone, in this
// order.
func TestUnique(t *testing.T) {
	g := aig.NewPlain()
	s := &ts.System{G: g, W: aig.True}
	for _, name := range []string{"a", "init", "a", "b\n", "b?", "a", "", ""} {
		s.Inputs = append(s.Inputs, ts.Signal{Name: name, Node: g.Input().Node()})
	}
	for _, name := range []string{"a (3)", "a", "b\x7f"} {
		reset := g.Input()
		s.Init = append(s.Init, ts.Signal{Name: "a", Node: reset.Node()})
		s.Latches = append(s.Latches, ts.Latch{Name: name, Node: g.Input().Node(), Reset: reset.Not(), Next: aig.True})
	}
	s.Bads = []ts.Bad{{Name: "bad"}, {Name: "bad"}, {Name: "b\n"}}
	f := aiger.FromSystem(s)
	var names []string
	for _, b := range f.Sys.Bads {
		names = append(names, b.Name)
	}
	for _, in := range f.Sys.Inputs {
		names = append(names, in.Name)
	}
	for _, l := range f.Sys.Latches {
		names = append(names, l.Name)
	}
	if want := []string{"bad", "bad (2)", "b?", "a", "init", "a (2)", "b? (2)", "b? (3)", "a (3)", "", "", "a (5)", "a (6)", "a (7)",
		"a (3) (2)", "a (4)", "b? (4)", "init (2)"}; !slices.Equal(names, want) {
		t.Errorf("%q", names)
	}
}

// small is a system of one input and two latches, the second uninitialised.
func small() *aiger.File {
	g := aig.NewPlain()
	in, x, y, z := g.Input(), g.Input(), g.Input(), g.Input()
	return &aiger.File{Sys: &ts.System{
		G:           g,
		Inputs:      []ts.Signal{{Name: "in", Node: in.Node()}},
		Latches:     []ts.Latch{{Name: "x", Node: x.Node(), Next: in}, {Name: "y", Node: y.Node(), Reset: z, Next: x}},
		Init:        []ts.Signal{{Name: "z", Node: z.Node()}},
		Bads:        []ts.Bad{{Name: "bad", Lit: g.And(x, y)}},
		Constraints: []aig.Lit{in},
		W:           aig.True,
	}}
}

// TestWriteRefuses looks at everything that the format cannot say.
func TestWriteRefuses(t *testing.T) {
	const good = "aag 4 1 2 0 1 1 1\n2\n4 2\n6 4 6\n8\n2\n8 6 4\ni0 in\nl0 x\nl1 y\nb0 bad\n"
	if got := string(write(t, small(), false)); got != good {
		t.Errorf("%q", got)
	}
	for name, c := range map[string]struct {
		spoil func(*aiger.File)
		want  string
	}{
		"negative": {func(f *aiger.File) { f.Sys.Latches[1].Reset ^= 1 },
			`the reset of latch "y" is neither constant nor an initial input of its own`},
		"function": {func(f *aiger.File) { f.Sys.Latches[1].Reset = f.Sys.Bads[0].Lit },
			`the reset of latch "y" is neither constant nor an initial input of its own`},
		"shared": {func(f *aiger.File) { f.Sys.Latches[0].Reset = f.Sys.Latches[1].Reset },
			`the reset of latch "y" is neither constant nor an initial input of its own`},
		"no initial input": {func(f *aiger.File) { f.Sys.Latches[0].Reset = f.Sys.LatchLit(1) },
			`a latch is reset to what is no initial input`},
		"unused initial input": {func(f *aiger.File) { f.Sys.Latches[1].Reset = 1 },
			`no latch is reset to the initial input "z"`},
		"initial input read": {func(f *aiger.File) { f.Sys.Constraints[0] = f.Sys.InitLit(0) },
			`leaf 4, which is no input and no latch, is read in a step`},
		"foreign leaf": {func(f *aiger.File) { f.Sys.Latches[0].Next = f.Sys.G.Input() },
			`leaf 6, which is no input and no latch, is read in a step`},
		"input name": {func(f *aiger.File) { f.Sys.Inputs[0].Name = "a\nb" }, `the name "a\nb" has control characters`},
		"latch name": {func(f *aiger.File) { f.Sys.Latches[1].Name = "a\x00" }, `the name "a\x00" has control characters`},
		"bad name":   {func(f *aiger.File) { f.Sys.Bads[0].Name = "a\x7f" }, `the name "a\x7f" has control characters`},
		"output name": {func(f *aiger.File) { f.Outputs = []aiger.Named{{Name: "\t"}} },
			`the name "\t" has control characters`},
		"constraint name": {func(f *aiger.File) { f.ConstraintName = []string{"\t"} },
			`the name "\t" has control characters`},
		"justice name":  {func(f *aiger.File) { f.Justice = []ts.Justice{{Name: "\t"}} }, `the name "\t" has control characters`},
		"fairness name": {func(f *aiger.File) { f.Fairness = []aiger.Named{{Name: "\t"}} }, `the name "\t" has control characters`},
		"comment":       {func(f *aiger.File) { f.Comments = []string{"a", "b\nc"} }, `the comment "b\nc" has more than one line`},
		"constraint names": {func(f *aiger.File) { f.ConstraintName = []string{"a", "b"} },
			`2 names for 1 constraints`},
		"outputs twice": {func(f *aiger.File) { f.OutputsAreBads, f.Outputs = true, []aiger.Named{{}} },
			`outputs beside outputs that are bads`},
		"outputs and justice": {func(f *aiger.File) { f.OutputsAreBads, f.Justice = true, []ts.Justice{{}} },
			`outputs that are bads beside justice properties`},
		"outputs alone": {func(f *aiger.File) { f.Sys.Bads, f.Outputs = nil, []aiger.Named{{}} },
			`outputs without bads and justice properties would be bads`},
	} {
		f := small()
		c.spoil(f)
		for _, binary := range []bool{false, true} {
			if err := aiger.Write(io.Discard, f, binary); err == nil || err.Error() != "aiger: "+c.want {
				t.Errorf("%s: %v, want %s", name, err, c.want)
			}
		}
	}
	if err := aiger.Write(full{}, small(), true); !errors.Is(err, errFull) {
		t.Errorf("on a full disk: %v", err)
	}
}

var errFull = errors.New("disk full")

type full struct{}

func (full) Write([]byte) (int, error) { return 0, errFull }
