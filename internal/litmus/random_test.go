package litmus

import (
	"context"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"testing"

	"orbitmc/encode/murphi"
	"orbitmc/internal/lists"
	"orbitmc/model"
	"orbitmc/model/traces"
)

// This file compares random tests on a protocol with the protocol written once more.

// byHand runs a test on the protocol, written once more in Go.
func byHand(x *Test, n int, buffered, eager bool) []string {
	type line struct {
		mem         int64
		valid, late [3]bool
		val         [3]int64
	}
	type machine struct {
		lines   [2]line
		pc, out [3]int
		got     [8]int64
		last    [2]int64
	}
	slots := x.slots()
	all, seen := map[string]bool{}, map[machine]bool{}
	var run func(m machine)
	run = func(m machine) {
		if seen[m] {
			return
		}
		seen[m] = true
		done := true
		for p := range n { // the protocol
			for a := range x.Addresses {
				l := m.lines[a]
				if !l.valid[p] {
					k := m
					k.lines[a].valid[p], k.lines[a].val[p], k.lines[a].late[p] = true, l.mem, false
					run(k)
				}
				if l.late[p] {
					k := m
					k.lines[a].valid[p], k.lines[a].val[p], k.lines[a].late[p] = false, 0, false
					run(k)
				}
			}
		}
		for p, ops := range x.Threads { // core p runs on processor p
			store := func(k machine, o Op) machine {
				l := &k.lines[o.Address]
				l.mem, l.valid[p], l.val[p], l.late[p] = o.Value, true, o.Value, false
				for q := range n {
					if q != p && l.valid[q] {
						if eager {
							l.valid[q], l.val[q], l.late[q] = false, 0, false
						} else {
							l.late[q] = true
						}
					}
				}
				k.last[o.Address] = o.Value
				return k
			}
			waiting := x.stores(p, m.pc[p])[m.out[p]:]
			if buffered && len(waiting) > 0 {
				done = false
				k := store(m, ops[waiting[0]])
				k.out[p]++
				run(k)
			}
			if m.pc[p] == len(ops) {
				continue
			}
			done = false
			k := m
			k.pc[p]++
			switch o := ops[m.pc[p]]; o.Kind {
			case Fence:
				if !buffered || len(waiting) == 0 {
					run(k)
				}
			case Store:
				if !buffered {
					k = store(k, o)
					k.out[p]++
				}
				run(k)
			case Load:
				at := slices.Index(slots, slot{p, o.Reg})
				forwarded := false
				if buffered {
					for _, w := range waiting {
						if ops[w].Address == o.Address {
							forwarded = true
							k.got[at] = ops[w].Value
						}
					}
				}
				if !forwarded {
					k.got[at] = m.lines[o.Address].val[p]
				}
				if forwarded || m.lines[o.Address].valid[p] {
					run(k)
				}
			}
		}
		if done {
			o := Outcome(slices.Clone(m.got[:len(slots)]))
			for i, s := range slots {
				if s.thread < 0 {
					o[i] = m.last[x.address(s.name)]
				}
			}
			all[x.Text(o)] = true
		}
	}
	run(machine{})
	return slices.Sorted(maps.Keys(all))
}

func randomTest(r *rand.Rand) *Test {
	var b strings.Builder
	b.WriteString("litmus random\n")
	threads, stores := 1+r.IntN(2), 0
	for n := range threads {
		fmt.Fprintf(&b, "P%d: ", n)
		for i := range r.IntN(4) {
			if i > 0 {
				b.WriteString("; ")
			}
			switch a := "xy"[r.IntN(2)]; r.IntN(5) {
			case 0:
				b.WriteString("fence")
			case 1, 2:
				stores++
				fmt.Fprintf(&b, "%c = %d", a, r.IntN(3))
			default:
				fmt.Fprintf(&b, "r%d = %c", i, a)
			}
		}
		b.WriteByte('\n')
	}
	if r.IntN(2) == 0 && strings.Contains(b.String(), "x") {
		b.WriteString("exists (x=1")
		if strings.Contains(b.String(), "y") {
			b.WriteString(" \\/ ~ y=0")
		}
		b.WriteString(")")
	} else if !strings.Contains(b.String(), "=") {
		return randomTest(r)
	}
	x, err := Parse("random", b.String())
	if err != nil {
		panic(err)
	}
	return x
}

// TestRandom compares how random tests end on a product with a search of its own, on a protocol that breaks SC and on one that does
// not; on the latter no outcome is missing or forbidden. Each double shows.
func TestRandom(t *testing.T) {
	in, err := ParseMapping("map", lazyMap)
	if err != nil {
		t.Fatal(err)
	}
	broken, coherent, caught := 0, 0, map[variant]int{}
	doubles := []variant{{freeStores: true}, {noForward: true}, {noOrder: true}}
	tests := 110
	if os.Getenv("ORBITMC_LONG") != "" {
		tests = 1000
	}
	var known []*Test // each four times
	for _, x := range Classics() {
		if len(x.Threads) < 3 {
			known = append(known, x, x, x, x)
		}
	}
	for seed := range uint64(tests) {
		x := randomTest(rand.New(rand.NewPCG(seed, 1)))
		if seed < uint64(len(known)) {
			x = known[seed]
		}
		n := len(x.Threads)
		buffered, eager := seed%2 == 1, seed%4 < 2
		late := "late[q] := true;"
		if eager {
			late = "valid[q] := false; undefine val[q]; late[q] := false;"
		}
		src := []byte(fmt.Sprintf(lazy, n, late))
		m, err := murphi.Parse("lazy.m", src, murphi.Options{})
		if err != nil {
			t.Fatal(err)
		}
		make := func(v variant) []string {
			p, err := build(src, m, in, x, buffered, v)
			if err != nil {
				t.Fatal(err)
			}
			return ends(t, withDone(p))
		}
		want, got := byHand(x, n, buffered, eager), make(variant{})
		if !slices.Equal(got, want) {
			t.Fatalf("seed %d, %v, buffered %v:\n%q of the product,\n%q by hand", seed, x.Programs(), buffered, got, want)
		}
		allowed := slices.Sorted(slices.Values(lists.Map(x.Outcomes(buffered), x.Text)))
		if eager && !slices.Equal(got, allowed) {
			t.Fatalf("seed %d, %v, buffered %v:\n%q of the product,\n%q allowed", seed, x.Programs(), buffered, got, allowed)
		}
		if !slices.Equal(got, allowed) {
			broken++
		}
		forbids := slices.ContainsFunc(got, func(o string) bool { return !slices.Contains(allowed, o) })
		for _, v := range []variant{{}, {anyLoad: true}} {
			if buffered {
				break
			}
			p, err := build(src, m, in, x, false, v)
			if err != nil {
				t.Fatal(err)
			}
			is := apart(t, p, murphi.Options{Deadlock: model.DeadlockOff})
			switch {
			case v == variant{anyLoad: true}:
				if is && forbids {
					caught[v]++
				}
				continue
			case is && forbids:
				t.Fatalf("seed %d, %v: each address by itself is coherent, and it ends with one of %q", seed, x.Programs(), got)
			case eager && !is:
				t.Fatalf("seed %d, %v: an address by itself is not coherent", seed, x.Programs())
			case is:
				coherent++
			}
			w, err := murphi.Parse("p.m", p.Text, murphi.Options{Deadlock: model.DeadlockOff})
			if err != nil {
				t.Fatal(err)
			}
			met := 0
			p.Walk(context.Background(), w, seed, func(i int, run *model.Trace) {
				met++
				run.Prop = slices.IndexFunc(w.Props, func(q *model.Property) bool { return q.Name == p.Seen[i] })
				if err := traces.Replay(model.Compile(w), run); err != nil || !slices.Contains(got, x.Text(p.Allowed[i])) {
					t.Fatalf("seed %d, %v: %q by a walk: %v", seed, x.Programs(), x.Text(p.Allowed[i]), err)
				}
			})
			if eager && met != len(p.Allowed) {
				t.Errorf("seed %d, %v: walks met %d of %d outcomes", seed, x.Programs(), met, len(p.Allowed))
			}
		}
		for _, v := range doubles {
			if i := int(seed) - len(known); i >= 0 && i < 40 && !slices.Equal(make(v), want) {
				caught[v]++
			}
		}
	}
	t.Logf("%d of %d tests show that the protocol breaks SC or TSO, %d are coherent at each address; doubles shown: %v", broken, tests, coherent, caught)
	if broken == 0 || coherent == 0 || len(caught) != len(doubles)+1 {
		t.Errorf("%d tests show that the protocol breaks SC or TSO; doubles shown: %v", broken, caught)
	}
}

const indexed = `
type Proc: scalarset(2); Value: scalarset(3); Addr: scalarset(2);
var mem: array[Addr] of Value; valid, late: array[Addr] of array[Proc] of boolean; val: array[Addr] of array[Proc] of Value;
ruleset v: Value do startstate begin
  for a: Addr do mem[a] := v; for p: Proc do valid[a][p] := false; late[a][p] := false; undefine val[a][p]; end; end; end; end;
procedure set(a: Addr; p: Proc; v: Value); begin valid[a][p] := true; val[a][p] := v; late[a][p] := false; end;
ruleset a: Addr; p: Proc do
  rule "fetch" !valid[a][p] ==> begin set(a, p, mem[a]); end;
  rule "drop" late[a][p] ==> begin valid[a][p] := false; undefine val[a][p]; late[a][p] := false; end;
  ruleset v: Value do
    rule "store" begin mem[a] := v; set(a, p, v); for q: Proc do if q != p & valid[a][q] then %s end; end; end;
  end;
end;
`

const asked = `
type Proc: scalarset(2); Value: scalarset(3);
var mem: Value; valid, late, asks: array[Proc] of boolean; val, what: array[Proc] of Value;
ruleset v: Value do startstate begin mem := v; for p: Proc do
  valid[p] := false; late[p] := false; undefine val[p]; asks[p] := false; undefine what[p]; end; end; end;
procedure set(p: Proc; v: Value); begin valid[p] := true; val[p] := v; late[p] := false; end;
ruleset p: Proc do
  rule "fetch" !valid[p] ==> begin set(p, mem); end;
  rule "drop" late[p] ==> begin valid[p] := false; undefine val[p]; late[p] := false; end;
  ruleset v: Value do rule "store" !asks[p] ==> begin asks[p] := true; what[p] := v; end; end;
  rule "write" asks[p] ==>
  begin mem := what[p]; set(p, mem); asks[p] := false; undefine what[p]; for q: Proc do if q != p & valid[q] then %s end; end; end;
end;
`

// TestForms compares other forms of the same protocol with the search by hand: with an index of addresses, and with stores that are asked
// for and performed later.
func TestForms(t *testing.T) {
	for _, form := range []struct {
		name, mapping, src string // %s: what becomes of other copies
		later, now         string
	}{
		{"addresses", "core Proc\nvalue Value\naddress a: Addr\ninitial mem[a]\nload for p at b when valid[b][p] gives val[b][p]\nstore rule \"store\" for p at a puts v\n", indexed, "late[a][q] := true;", "valid[a][q] := false; undefine val[a][q]; late[a][q] := false;"},
		{"asked for", strings.Replace(lazyMap, "puts v", "puts v until !asks[p]", 1), asked, "late[q] := true;", "valid[q] := false; undefine val[q]; late[q] := false;"},
	} {
		in, err := ParseMapping("map", form.mapping)
		if err != nil {
			t.Fatal(err)
		}
		for i, x := range Classics() {
			if len(x.Threads) != 2 || form.name == "asked for" && x.memory != nil {
				continue
			}
			buffered, eager := i%2 == 0, i%3 == 0
			late := form.later
			if eager {
				late = form.now
			}
			src := []byte(fmt.Sprintf(form.src, late))
			m, err := murphi.Parse("lazy.m", src, murphi.Options{})
			if err != nil {
				t.Fatalf("%v\n%s", err, src)
			}
			p, err := New(src, m, in, x, buffered)
			if err != nil {
				t.Fatal(err)
			}
			if got, want := ends(t, withDone(p)), byHand(x, 2, buffered, eager); !slices.Equal(got, want) {
				t.Errorf("%s, %s, buffered %v:\n%q of the product,\n%q by hand", form.name, x.Name, buffered, got, want)
			}
		}
	}
}
