package explicit

import (
	"cmp"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"orbitmc/encode/murphi"
	"orbitmc/internal/lists"
	"orbitmc/model"
)

// reachable is the graph of the representatives of a model that violates nothing.
type reachable struct {
	p      *model.Program
	c      *canonicaliser
	packer *model.Packer
	states [][]byte
	steps  [][][2]int32 // by state: rule and state, each once
}

func newReachable(t *testing.T, file string, opt murphi.Options) *reachable {
	m, err := murphi.ReadFile(file, opt)
	if err != nil {
		t.Fatal(err)
	}
	p := model.Compile(m)
	g := &reachable{p: p, packer: model.NewPacker(m)}
	var blocks [][][]int
	for _, class := range m.Scalarsets {
		var block []int
		for v := range int(class.Card()) {
			block = append(block, v)
		}
		blocks = append(blocks, [][]int{block})
	}
	if g.c, err = newCanonicaliser(p, g.packer, blocks, nil, true); err != nil {
		t.Fatal(err)
	}
	number := map[string]int32{}
	visit := func(s model.State) int32 {
		b := g.c.canon(s)
		i, ok := number[string(b)]
		if !ok {
			i = int32(len(g.states))
			number[string(b)] = i
			g.states = append(g.states, slices.Clone(b))
		}
		return i
	}
	mach := p.NewMachine()
	mach.Starts(func(_ model.Choice, s model.State, _ *model.Violation) bool {
		visit(s)
		return true
	})
	for i := 0; i < len(g.states); i++ {
		var steps [][2]int32
		mach.Successors(g.state(i), func(ch model.Choice, next model.State, v *model.Violation) bool {
			if v != nil {
				t.Fatalf("%s: %s", file, v.Message)
			}
			steps = append(steps, [2]int32{int32(ch.Rule), visit(next)})
			return true
		})
		slices.SortFunc(steps, func(a, b [2]int32) int { return slices.Compare(a[:], b[:]) })
		g.steps = append(g.steps, slices.Clip(slices.Compact(steps)))
	}
	return g
}

func (re *reachable) state(i int) model.State {
	s := make(model.State, re.p.Model.Leaves())
	re.packer.Unpack(re.states[i], s)
	return s
}

// refine splits classes of states, numbered from 0, until states in one class are bisimilar by the names of rules, and
// returns how many there are then. Signatures are hashed.
func (re *reachable) refine(class []int32, n int) int {
	for {
		next, known := make([]int32, len(class)), map[[2]uint64]int32{}
		for i, steps := range re.steps {
			var after [][2]int32
			for _, s := range steps {
				after = append(after, [2]int32{s[0], class[s[1]]})
			}
			slices.SortFunc(after, func(a, b [2]int32) int { return slices.Compare(a[:], b[:]) })
			x, y := mix(1, uint64(class[i])), mix(2, uint64(class[i]))
			for _, s := range slices.Compact(after) {
				w := uint64(s[0])<<32 | uint64(uint32(s[1]))
				x, y = mix(x, w), mix(y+0x9e3779b97f4a7c15, w)
			}
			next[i] = lists.Number(known, [2]uint64{x, y})
		}
		if copy(class, next); len(known) == n {
			return n
		}
		n = len(known)
	}
}

var inBrackets = regexp.MustCompile(`(\[[^]]*\]|\{[^}]*\})+`)

// familyOf returns the family of a leaf.
func familyOf(e model.Expr) string {
	switch e := e.(type) {
	case *model.FieldSel:
		return familyOf(e.X) + "." + e.X.Type().Fields[e.Field].Name
	case *model.IndexSel:
		return strings.TrimSuffix(familyOf(e.X), "[]") + "[]"
	case *model.Ref:
		return e.Var.Name
	}
	return ""
}

// dead returns, by family of leaves, how many states could be merged with another: they differ in leaves of the family
// alone, and so do what the same rules lead to from them, and so on. No reset of dead values of the family merges more.
func (re *reachable) dead() map[string]int {
	families := map[string][]int{}
	for i := range re.p.Model.Leaves() {
		name := inBrackets.ReplaceAllString(re.p.Model.LeafName(i), "[]")
		if strings.HasPrefix(name, "present(") {
			continue // of a slot of a multiset
		}
		families[name] = append(families[name], i)
	}
	read := func(e model.Expr, f func(family string)) {
		if e != nil {
			model.InspectCalls(e, func(n any) {
				if e, ok := n.(model.Expr); ok && model.Designator(e) {
					f(familyOf(e))
				}
			})
		}
	}
	for _, p := range re.p.Model.Props { // what they read is never dead
		read(p.Expr, func(name string) { delete(families, name) })
	}
	data := maps.Clone(families)
	control := func(name string) { delete(data, name) }
	inspect := func(n any) {
		if branch, ok := n.(*model.If); ok {
			for _, c := range branch.Clauses {
				read(c.Cond, control)
			}
		}
	}
	for _, r := range re.p.Model.Rules {
		read(r.Guard, control)
		model.Inspect(r.Body, inspect)
	}
	for _, p := range re.p.Model.Procs {
		model.Inspect(p.Body, inspect)
	}
	families["all that no condition reads"] = slices.Concat(slices.Collect(maps.Values(data))...)
	merged := map[string]int{}
	for name, leaves := range families {
		class, known := make([]int32, len(re.states)), map[string]int32{}
		for i := range re.states {
			s := re.state(i)
			for _, leaf := range leaves {
				s[leaf] = model.Undef
			}
			re.p.Normalise(s)
			class[i] = lists.Number(known, string(re.c.canon(s)))
		}
		if n := re.refine(class, len(known)); n < len(class) {
			merged[name] = len(class) - n
		}
	}
	return merged
}

// TestDeadValues measures what a reset of values that are never read before they are written could save. Our models
// are measured always, and a generated one with ORBITMC_LONG=1 (ten minutes).
func TestDeadValues(t *testing.T) {
	file := filepath.Join(t.TempDir(), "dead.m")
	const text = `var x: 0..1; y, z: 0..3;
startstate x := 0; y := 0; z := 0; end;
rule "write" x = 0 ==> x := 1; y := z; end;
rule "read 0" x = 1 & y = 0 ==> x := 0; z := 1; end;
rule "read 1" x = 1 & y = 1 ==> x := 0; z := 2; end;
rule "read 2" x = 1 & y = 2 ==> x := 0; z := 3; end;
rule "read 3" x = 1 & y = 3 ==> x := 0; z := 0; end;`
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	// After read, y is dead: it is z - 1, or 0 at the start.
	if got := newReachable(t, file, murphi.Options{}).dead(); !maps.Equal(got, map[string]int{"y": 1}) {
		t.Errorf("merged by family: %v", got)
	}
	files := []string{"../../benchmarks/murphi/msi_net.m", "../../benchmarks/murphi/mesi_net.m"}
	if os.Getenv("ORBITMC_LONG") != "" {
		public, _ := filepath.Glob("../../../shared/models/murphi/vcxlgen/COMP_Model_2CC.m")
		files = append(files, public...)
	}
	for _, file := range files {
		g := newReachable(t, file, murphi.Options{})
		merged := g.dead()
		names := slices.SortedFunc(maps.Keys(merged), func(a, b string) int {
			return cmp.Or(cmp.Compare(merged[b], merged[a]), cmp.Compare(a, b))
		})
		t.Logf("%s: %d representatives", filepath.Base(file), len(g.states))
		for _, name := range names[:min(5, len(names))] {
			t.Logf("  %s: %d, %.1f %%", name, merged[name], 100*float64(merged[name])/float64(len(g.states)))
		}
	}
}
