package networks

import (
	"orbitmc/internal/testkit/nightly"
	"os"
	"slices"
	"testing"
)

func benchmark(t testing.TB, name string) string {
	text, err := os.ReadFile("../../benchmarks/murphi/" + name + ".m")
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// readers read messages of the models by other code than the package.
var readers = map[string]func(f map[string]string, dims []string) (kind, from, to string){
	"msi_net": func(f map[string]string, _ []string) (string, string, string) { return f["Kind"], f["Src"], f["Dst"] },
	"mesi_net": func(f map[string]string, dims []string) (string, string, string) {
		from := f["Src"]
		if slices.Contains([]string{"FwdGetS", "FwdGetM", "Inv"}, f["Kind"]) {
			from = "Directory"
		}
		return f["Kind"], from, dims[0]
	},
}

// TestLeast: the least number of networks is that of an oracle that tries all assignments, and decide says of each what the
// oracle says, whether by a witness or by a search.
func TestLeast(t *testing.T) {
	for name, want := range map[string]map[string]int{
		"msi_net":  {"pair": 2, "destination": 2, "network": 2},
		"mesi_net": {"pair": 1, "destination": 2, "network": 2},
	} {
		for order, least := range want {
			src := sourceOf(benchmark(t, name))
			spec, err := Guess(src, Spec{Order: order, Full: "overflow"})
			if err != nil {
				t.Fatal(err)
			}
			out, err := Find(t.Context(), src, spec, Options{Most: 3})
			if err != nil {
				t.Fatal(err)
			}
			if out.Least != least {
				t.Errorf("%s, %s: %d networks, want %d", name, order, out.Least, least)
			}
			for i, full := range []string{"overflow", "wait"} {
				if i > 0 && !nightly.On() {
					continue
				}
				limited := spec
				limited.Capacity, limited.Full = out.Longest, full
				if again, err := Find(t.Context(), src, limited, Options{Most: 3}); err != nil || again.Least != least {
					t.Errorf("%s, %s, capacity %d, %s: %v, %v", name, order, out.Longest, full, again, err)
				}
			}
			if name == "mesi_net" && os.Getenv("ORBITMC_LONG") == "" {
				continue // takes a minute
			}
			o := newOracle(t, src, map[string]string{"msi_net": "Net", "mesi_net": "Box"}[name], order, readers[name])
			o.rank = map[string]int{"Inv": 1, "Data": 2}
			x := newSearcher(t, src, spec)
			free := map[int]int{} // by number of networks
			eachAssignment(x.kind.Members, 2, func(of map[string]int) {
				if of[x.kind.Members[0]] != 0 {
					return
				}
				v, _ := o.verdict(of)
				as := make([]int, len(x.kind.Members))
				for k, member := range x.kind.Members {
					as[k] = of[member]
				}
				d, err := x.decide(as)
				if err != nil {
					t.Fatal(err)
				}
				if d.verdict != v {
					t.Errorf("%s, %s, %s: %s, the oracle says %s", name, order, x.text(as), d.verdict, v)
				}
				if v == Free {
					free[slices.Max(as)+1]++
				}
			})
			if oracles := map[bool]int{true: 1, false: 2}[free[1] > 0]; free[oracles] == 0 || oracles != least {
				t.Errorf("%s, %s: the oracle finds %v", name, order, free)
			}
		}
	}
}

// newSearcher returns a searcher that knows no witness yet.
func newSearcher(t testing.TB, src Source, spec Spec) *searcher {
	m, err := src.Read()
	if err != nil {
		t.Fatal(err)
	}
	r, err := resolve(m, spec)
	if err != nil {
		t.Fatal(err)
	}
	x := &searcher{ctx: t.Context(), src: src, spec: spec, codes: map[int]*code{}, known: map[string]*decision{}, kind: r.kindType(), labelled: spec.VC != ""}
	for k := range x.kind.Members {
		x.types = append(x.types, k)
	}
	return x
}

// TestExclude: a witness excludes no assignment under which it does not replay: B has to pass A, though only C waits. What
// excludes each assignment in which the waiting messages share queues again is wrong.
func TestExclude(t *testing.T) {
	for _, waiting := range []bool{false, true} {
		src := sourceOf(testdata(t, "overtaken"))
		src.variant.waiting = waiting
		x := newSearcher(t, src, Spec{Network: "Net", Type: "kind", Source: "src", Destination: "dst", Order: "pair", Full: "overflow"})
		for _, c := range []struct {
			of   []int
			want Verdict
		}{{[]int{0, 1, 2}, Deadlock}, {[]int{0, 1, 1}, Deadlock}, {[]int{0, 0, 1}, Free}, {[]int{0, 0, 0}, Free}} {
			d, err := x.decide(c.of)
			if err != nil {
				t.Fatal(err)
			}
			if waiting && c.want == Free {
				c.want = Deadlock
			}
			if d.verdict != c.want || d.found != (c.of[1] == 1 && c.of[2] == 2 || c.want == Free) {
				t.Errorf("%v, %v: %s, want %s", waiting, c.of, d.verdict, c.want)
			}
		}
	}
}
