package table

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"orbitmc/encode/murphi"
	"orbitmc/internal/explicit"
	"orbitmc/internal/lists"
	"orbitmc/internal/testkit/nightly"
	"orbitmc/model"
	"orbitmc/model/traces"
)

// search visits all states of a model, one of each orbit.
func search(t *testing.T, file string, opt explicit.Options) Source {
	t.Helper()
	m, err := murphi.ReadFile(file, murphi.Options{})
	if err != nil {
		t.Fatal(err)
	}
	p := model.Compile(m)
	opt.Whole = true
	if opt.Canon == explicit.Exact {
		opt.Blocks = lists.Map(m.Scalarsets, func(y *model.Type) [][]int {
			if y.Slots {
				return nil
			}
			return [][]int{lists.Make(int(y.Card()), func(i int) int { return i })}
		})
	}
	found, err := explicit.Run(context.Background(), p, opt)
	if err != nil {
		t.Fatal(err)
	}
	src := Source{Program: p, States: found.Seen.(States)}
	if !found.Complete {
		src.Stopped = string(found.Reason)
	}
	return src
}

func never() string { return "never" }

var symmetric = explicit.Options{Canon: explicit.Exact}

// readHand reads a table that was made by hand.
func readHand(t *testing.T, file string) (want Spec, cells map[[2]string][]string) {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	cells = map[[2]string][]string{}
	for line := range strings.Lines(string(text)) {
		line = strings.TrimSpace(line)
		name, rest, _ := strings.Cut(line, " ")
		fields := strings.Split(line, " | ")
		switch {
		case strings.HasPrefix(line, "#"):
		case len(fields) == 3:
			cells[[2]string{fields[0], fields[1]}] = strings.Split(fields[2], " ; ")
		case name == "row":
			want.Row = rest
		case name == "column":
			want.Columns = append(want.Columns, rest)
		case name == "channel":
			want.Channels = append(want.Channels, rest)
		default:
			t.Fatalf("%s: %q", file, line)
		}
	}
	return want, cells
}

// differs returns what is different in a table and in one that was made by hand.
func differs(got *Table, cells map[[2]string][]string) (all []string) {
	seen := map[[2]string]bool{}
	for _, c := range got.Cells {
		at := [2]string{c.Row, c.Column}
		seen[at] = true
		text, want := slices.Sorted(slices.Values(c.Text())), slices.Sorted(slices.Values(cells[at]))
		if !slices.Equal(text, want) {
			all = append(all, strings.Join(at[:], ", ")+": "+strings.Join(text, "; ")+", by hand "+strings.Join(want, "; "))
		}
	}
	for at, text := range cells {
		if !seen[at] {
			all = append(all, strings.Join(at[:], ", ")+": never, by hand "+strings.Join(text, "; "))
		}
	}
	slices.Sort(all)
	return all
}

// byHand lists the tables that were made by hand, and their models.
func byHand(t *testing.T) map[string]string {
	files, err := filepath.Glob("testdata/*.hand")
	if err != nil || len(files) != 6 {
		t.Fatal(files, err)
	}
	all := map[string]string{}
	for _, file := range files {
		name := strings.TrimSuffix(strings.TrimSuffix(filepath.Base(file), ".hand"), "_home")
		all[file] = "../../benchmarks/murphi/" + name + ".m"
	}
	return all
}

// TestByHand compares tables with tables that were made by hand, from the text of the models, with symmetry and without.
func TestByHand(t *testing.T) {
	for file, text := range byHand(t) {
		for _, opt := range []explicit.Options{symmetric, {}} {
			want, cells := readHand(t, file)
			got, err := Collect(context.Background(), search(t, text, opt), want, never)
			if err != nil {
				t.Fatal(err)
			}
			if d := differs(got, cells); len(d) > 0 || !got.Complete {
				t.Errorf("%s, canon %v:\n%s", file, opt.Canon, strings.Join(d, "\n"))
			}
		}
	}
}

// TestWitnesses replays a run to each outcome of each cell.
func TestWitnesses(t *testing.T) {
	for file, text := range byHand(t) {
		want, _ := readHand(t, file)
		got, err := Collect(context.Background(), search(t, text, symmetric), want, never)
		if err != nil {
			t.Fatal(err)
		}
		for _, c := range got.Cells {
			for _, o := range c.Outcomes {
				p, run, err := got.Witness(c, o)
				if err != nil {
					t.Fatalf("%s, %s, %s: %v", file, c.Row, c.Column, err)
				}
				if len(run.Steps) != o.Depth || traces.Replay(p, run) != nil {
					t.Errorf("%s, %s, %s: %d steps, not %d", file, c.Row, c.Column, len(run.Steps), o.Depth)
				}
			}
		}
	}
}

// TestVariants: tables that leave something out are not those made by hand.
func TestVariants(t *testing.T) {
	want, cells := readHand(t, "testdata/mesi_net.hand")
	for name, v := range map[string]variant{"one component": {oneRow: true}, "no stalls": {noStalls: true}} {
		src := search(t, "../../benchmarks/murphi/mesi_net.m", symmetric)
		src.variant = v
		got, err := Collect(context.Background(), src, want, never)
		if err != nil {
			t.Fatal(err)
		}
		if d := differs(got, cells); len(d) == 0 {
			t.Errorf("%s: nothing is missed", name)
		}
	}
}

// TestIncomplete: after a search that ends early nothing is called never reached, and what is left out is said.
func TestIncomplete(t *testing.T) {
	want, cells := readHand(t, "testdata/mesi_net.hand")
	src := search(t, "../../benchmarks/murphi/mesi_net.m", explicit.Options{Canon: explicit.Exact, Bounded: true, MaxDepth: 4})
	got, err := Collect(context.Background(), src, want, never)
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	none, err := Collect(ctx, search(t, "../../benchmarks/murphi/mesi_net.m", symmetric), want, never)
	if err != nil {
		t.Fatal(err)
	}
	for _, x := range []*Table{got, none} {
		if x.Complete || x.Nothing() != "?" || !strings.Contains(x.Summary(), "not all") || len(differs(x, cells)) == 0 {
			t.Errorf("%d states: %s", x.States, x.Summary())
		}
	}
	src.Stopped = "" // as if it were complete
	if got, err = Collect(context.Background(), src, want, never); err != nil || got.Nothing() != "-" || len(differs(got, cells)) == 0 {
		t.Error("the hand-made table has nothing that is missing after four steps", err)
	}
}

// TestSymmetry: with one state of each orbit the tables that are guessed are those of all states, counts apart.
func TestSymmetry(t *testing.T) {
	files, err := filepath.Glob("../../benchmarks/murphi/*.m")
	if err != nil || len(files) < 20 {
		t.Fatal(files, err)
	}
	tables, moved := 0, 0
	for _, file := range files {
		if strings.Contains(file, "flash") && !nightly.On() || strings.Contains(file, "_bug") {
			continue
		}
		few, all := search(t, file, symmetric), search(t, file, explicit.Options{})
		rows, err := Rows(few.Program.Model)
		if err != nil {
			continue
		}
		for _, row := range rows {
			var text [2]string
			for i, src := range []Source{few, all} {
				x, err := Collect(context.Background(), src, Spec{Row: row}, never)
				if err != nil {
					t.Fatal(err)
				}
				for _, c := range x.Cells {
					outcomes := slices.Sorted(slices.Values(c.Text()))
					text[i] += c.Row + ", " + c.Column + ": " + strings.Join(outcomes, "; ") + "\n"
				}
				if !x.Complete || len(x.Cells) == 0 {
					t.Errorf("%s: %s", file, x.Summary())
				}
			}
			if tables++; few.States.Len() < all.States.Len() {
				moved++
			}
			if text[0] != text[1] {
				t.Errorf("%s, %s:\n%s\nwithout symmetry:\n%s", file, row, text[0], text[1])
			}
		}
	}
	if moved < 10 {
		t.Errorf("%d tables, %d of them where symmetry helps", tables, moved)
	}
}

// TestCovers compares what is never reached, and how far off the rest is, with covers that the model is given: a
// message waits in a state.
func TestCovers(t *testing.T) {
	text, err := os.ReadFile("../../benchmarks/murphi/mesi_net.m")
	if err != nil {
		t.Fatal(err)
	}
	want, _ := readHand(t, "testdata/mesi_net.hand")
	got, err := Collect(context.Background(), search(t, "../../benchmarks/murphi/mesi_net.m", symmetric), want, never)
	if err != nil {
		t.Fatal(err)
	}
	kinds := []string{"GetS", "GetM", "PutM", "Done", "FwdGetS", "FwdGetM", "Inv", "PutAck", "Data", "DataE", "InvAck"}
	src := string(text)
	for _, row := range got.Rows {
		for _, k := range kinds {
			src += `cover "` + row + " " + k + `" exists p: PROC do multisetcount(m: Box[p], Cache[p] = ` + row + " & Box[p][m].Kind = " + k + ") > 0 end;\n"
		}
	}
	m, err := murphi.Parse("covers.m", []byte(src), murphi.Options{})
	if err != nil {
		t.Fatal(err)
	}
	found, err := explicit.Run(context.Background(), model.Compile(m), explicit.Options{All: true})
	if err != nil || !found.Complete {
		t.Fatal(err)
	}
	depth := map[string]int{}
	for _, c := range found.Covered {
		depth[m.Props[c.Prop].Name] = c.Depth
	}
	reached := 0
	for _, row := range got.Rows {
		for _, k := range kinds {
			c, name := got.Cell(row, k), row+" "+k
			at, hit := depth[name]
			if hit != (c != nil) {
				t.Errorf("%s: covered %v, in the table %v", name, hit, c != nil)
			}
			if c == nil {
				continue
			}
			reached++
			least := slices.Min(lists.Map(c.Outcomes, func(o *Outcome) int {
				if o.Kind == "stall" {
					return o.Depth
				}
				return o.Depth - 1
			}))
			if least != at {
				t.Errorf("%s: after %d steps, as a cover after %d", name, least, at)
			}
		}
	}
	if reached != 24 {
		t.Errorf("%d cells", reached)
	}
}

// TestMistakes: what cannot be a table is refused.
func TestMistakes(t *testing.T) {
	m, err := murphi.ReadFile("../../benchmarks/murphi/msi_net.m", murphi.Options{})
	if err != nil {
		t.Fatal(err)
	}
	for want, s := range map[string]Spec{
		"there is no variable Cach; did you mean Cache?":                  {Row: "Cach[p]"},
		"interchangeable components, which symmetry renames":              {Row: "Owner"},
		"one of several components that are interchangeable":              {Row: "Cache[PROC_1]"},
		"has no field Kund; did you mean Kind?":                           {Row: "Cache[p]", Columns: []string{"Net[m].Kund where Net[m].Dst = p"}},
		"that is not one value, but a record with Kind, Src, Dst":         {Row: "Cache[p]", Columns: []string{"Net[m] where Net[m].Dst = p"}},
		"it does not say to whom the messages are":                        {Row: "Cache[p]", Columns: []string{"Net[m].Kind"}},
		"q is neither a name of the row Cache[p] nor a value of NODE":     {Row: "Cache[p]", Columns: []string{"Net[m].Kind where Net[m].Dst = q"}},
		"the names behind where are not those before it":                  {Row: "Cache[p]", Columns: []string{"Net[m].Kind where Net[n].Dst = p"}},
		"an element of a multiset is no controller":                       {Row: "Net[m].Kind"},
		"is no array and no multiset":                                     {Row: "State[p]"},
		`"7" is no index of`:                                              {Row: "Cache[7]"},
		"want a variable with indices and fields, such as Procs[p].state": {Row: "Cache[p] + 1"},
		`"Cache[p].State": LINE has no field State`:                       {Row: "Cache[p].State"},
	} {
		if err := Check(m, s); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%+v: %v, want %q", s, err, want)
		}
	}
}

// TestNoPlace: a name cannot stand for indices of two types.
func TestNoPlace(t *testing.T) {
	m, err := murphi.Parse("m.m", []byte(`type P: scalarset(2); A: scalarset(2); var line: array[P] of array[A] of boolean;
startstate for p: P; a: A do line[p][a] := false; end; end;
rule true ==> begin end;`), murphi.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if err := Check(m, Spec{Row: "line[p][p]"}); err == nil || !strings.Contains(err.Error(), "indices of several types") {
		t.Error(err)
	}
}

// TestCells has what the benchmark models have not: messages put back, queues, numbers, errors, messages at the start.
func TestCells(t *testing.T) {
	const head = `type P: scalarset(2); K: enum {None, Ping, Pong}; S: enum {Idle, Busy}; M: record kind: K; src: P; end;
var state: array[P] of S;
`
	for name, c := range map[string]struct {
		text string
		want Spec
		cell string
	}{
		"put into a box": {`net: array[P] of multiset[1] of M; box: array[P] of array[0..1] of M;
startstate for p: P do state[p] := Idle; end; undefine net; undefine box; end;
ruleset p: P; q: P do rule "send" multisetcount(m: net[q], true) = 0 ==> var x: M; begin x.kind := Ping; x.src := p; multisetadd(x, net[q]); end; end;
ruleset p: P do choose m: net[p] do rule "get" isundefined(box[p][0].kind) ==> begin
  if state[p] = Idle then state[p] := Busy; else box[p][0] := net[p][m]; end; multisetremove(m, net[p]);
end; end;
rule "again" !isundefined(box[p][0].kind) ==> begin if state[p] = Idle then state[p] := Busy; undefine box[p][0]; end; end;
rule "end" state[p] = Busy ==> begin state[p] := Idle; end; end;
`, Spec{Row: "state[p]", Columns: []string{"net[p][m].kind", "box[p][i].kind"}}, `Idle, Ping: /Busy
Idle, Ping: stall
Busy, end: /Idle
Busy, Ping: stall
`},
		"to the end of a queue": {`q: array[P] of array[0..1] of K;
startstate for p: P do state[p] := Idle; end; undefine q; end;
ruleset p: P do rule "two" isundefined(q[p][0]) & state[p] = Idle ==> begin q[p][0] := Ping; q[p][1] := Pong; end;
rule "pop" !isundefined(q[p][0]) ==> var k: K; begin k := q[p][0];
  if k = Pong then state[p] := Busy; end;
  if isundefined(q[p][1]) then undefine q[p][0]; else q[p][0] := q[p][1]; if k = Pong then undefine q[p][1]; else q[p][1] := k; end; end;
end; end;
`, Spec{Row: "state[p]", Columns: []string{"q[p][0]"}}, `Idle, two: Ping, Pong /Idle
Idle, Ping: stall
Idle, Pong: /Busy
Busy, Ping: /Busy
`},
		"numbers": {`n: array[P] of 0..2;
startstate for p: P do state[p] := Idle; n[p] := 0; end; end;
ruleset p: P; q: P do rule "add" p != q & state[p] = Idle ==> begin n[q] := n[q] + 1; state[p] := Busy; end; end;
ruleset p: P do rule "take" n[p] > 0 & state[p] = Busy ==> begin if n[p] = 2 then error "two"; end; n[p] := n[p] - 1; state[p] := Idle; end; end;
`, Spec{Row: "state[p]", Columns: []string{"n[p]"}}, `Idle, add (p): n to q /Busy
Idle, n: stall
Busy, n: /Idle
Busy, n: error: two
`},
		"errors": {`u: array[P] of 0..1;
startstate for p: P do state[p] := Idle; undefine u[p]; end; end;
ruleset p: P do rule "go" state[p] = Idle ==> begin if u[p] = 1 then error "one"; end; state[p] := Busy; end;
rule "set" state[p] = Idle ==> begin u[p] := 1; end; end;
`, Spec{Row: "state[p]"}, `Idle, go: error: u[P] is undefined
Idle, go: error: one
Idle, set: /Idle
`},
		"messages at the start": {`c: array[P] of K;
ruleset p: P do startstate for q: P do state[q] := Idle; c[q] := None; end; c[p] := Ping; end; end;
ruleset p: P; q: P do rule "pass" c[p] = Ping & p != q & state[p] = Idle ==> begin c[p] := None; c[q] := Ping; state[p] := Busy; end; end;
`, Spec{Row: "state[p]", Columns: []string{"c[p]"}}, `Idle, Ping: Ping to q /Busy
Busy, Ping: stall
`},
		"a rule that does not look at each state": {`x: 0..1;
startstate for p: P do state[p] := Idle; end; x := 0; end;
ruleset p: P do rule "go" state[p] = Idle ==> begin state[p] := Busy; end;
rule "flip" x = 1 | state[p] = Idle ==> begin x := 1 - x; end; end;
`, Spec{Row: "state[p]"}, `Idle, go: /Busy
Idle, flip: /Idle
Busy, flip: /Busy
`},
		"taken by the instance of the sender": {`net: array[P] of record kind: K; dst: P; end;
startstate for p: P do state[p] := Idle; end; undefine net; end;
ruleset p: P; q: P do rule "send" isundefined(net[p].kind) ==> begin net[p].kind := Ping; net[p].dst := q; end; end;
ruleset s: P do rule "recv" !isundefined(net[s].kind) ==> begin alias p: net[s].dst do
  if state[p] = Idle then state[p] := Busy; else state[p] := Idle; end; end; undefine net[s]; end; end;
`, Spec{Row: "state[p]", Columns: []string{"net[s].kind where net[s].dst = p"}}, `Idle, Ping: /Busy
Busy, Ping: /Idle
`},
		"handed on unchanged, in one of two networks": {`net: array[0..1] of array[P] of multiset[2] of M;
startstate for p: P do state[p] := Idle; end; undefine net; end;
ruleset p: P; q: P do rule "send" p != q & state[p] = Idle & multisetcount(m: net[0][q], true) = 0 ==> var x: M; begin x.kind := Ping; x.src := q; multisetadd(x, net[0][q]); state[p] := Busy; end; end;
ruleset p: P; q: P do choose m: net[0][p] do rule "on" p != q & multisetcount(n: net[0][q], true) = 0 ==> begin multisetadd(net[0][p][m], net[0][q]); multisetremove(m, net[0][p]); end; end; end;
`, Spec{Row: "state[p]", Columns: []string{"net[v][p][m].kind"}}, `Idle, send (p): Ping to q /Busy
Idle, Ping: Ping to q /Idle
Busy, Ping: stall
Busy, Ping: Ping to src /Busy
`},
		"put back, and something else sent": {`net: multiset[3] of record kind: K; src: P; dst: P; end;
startstate for p: P do state[p] := Idle; end; undefine net; end;
ruleset p: P; q: P do rule "send" p != q & multisetcount(m: net, true) = 0 ==> var x: record kind: K; src: P; dst: P; end; begin x.kind := Ping; x.src := p; x.dst := q; multisetadd(x, net); end; end;
choose m: net do rule "get" net[m].kind = Ping & multisetcount(n: net, true) = 1 ==> var x: record kind: K; src: P; dst: P; end; y: record kind: K; src: P; dst: P; end; begin
  y := net[m]; x.kind := Pong; x.src := y.dst; x.dst := y.src; multisetremove(m, net); multisetadd(y, net); multisetadd(x, net); end;
rule "end" net[m].kind = Pong ==> begin multisetremove(m, net); end; end;
`, Spec{Row: "state[p]", Columns: []string{"net[m].kind where net[m].dst = p"}}, `Idle, Ping: Pong to src /Idle
Idle, Ping: stall
Idle, Pong: /Idle
`},
		"sent behind another; a rule called like a message": {`q: array[P] of array[0..1] of K;
startstate for p: P do state[p] := Idle; end; undefine q; end;
ruleset p: P; d: P do rule "Ping" p != d & state[p] = Idle & isundefined(q[d][1]) ==> begin if isundefined(q[d][0]) then q[d][0] := Ping; else q[d][1] := Pong; end; end; end;
ruleset p: P do rule "pop" !isundefined(q[p][0]) & state[p] = Busy ==> begin q[p][0] := q[p][1]; undefine q[p][1]; state[p] := Idle; end;
rule "busy" state[p] = Idle & !isundefined(q[p][1]) ==> begin state[p] := Busy; end; end;
`, Spec{Row: "state[p]", Columns: []string{"q[p][0]"}}, `Idle, rule Ping (p): Ping to d /Idle
Idle, rule Ping (p): Pong to d /Idle
Idle, busy: /Busy
Idle, Ping: stall
Idle, Pong: stall
Busy, Ping: /Idle
Busy, Pong: /Idle
`},
		"a message that another rule looks at": {`d: array[P] of K; i: array[P] of K;
startstate for p: P do state[p] := Idle; d[p] := None; i[p] := None; end; end;
ruleset p: P do rule "d" d[p] = None ==> begin d[p] := Ping; end;
rule "i" i[p] = None ==> begin i[p] := Pong; end;
rule "take d" d[p] = Ping & state[p] = Idle & (i[p] = Pong | i[p] = None) ==> begin d[p] := None; state[p] := Busy; end;
rule "take i" i[p] = Pong & state[p] = Busy ==> begin i[p] := None; state[p] := Idle; end; end;
`, Spec{Row: "state[p]", Columns: []string{"d[p]", "i[p]"}}, `Idle, Ping: /Busy
Idle, Pong: stall
Busy, Ping: stall
Busy, Pong: /Idle
`},
		"a rule of other components than Home": {`type H: enum {Home}; N: union {P, H}; var line: array[N] of S;
startstate for n: N do line[n] := Idle; end; for p: P do state[p] := Idle; end; end;
ruleset p: P do rule "go" line[p] = Idle ==> begin line[p] := Busy; line[Home] := Busy; end; end;
`, Spec{Row: "line[n]"}, `Idle, go: /Busy
Idle, go (other): /Busy
Idle, go (other): /Idle
Busy, go (other): /Busy
`},
		"a directory of several addresses": {`type A: scalarset(2); H: enum {Home}; N: union {P, H}; var dir: array[A] of S; net: array[N] of multiset[1] of record kind: K; addr: A; src: N; end;
startstate for a: A do dir[a] := Idle; end; for p: P do state[p] := Idle; end; undefine net; end;
ruleset a: A; p: P do rule "send" dir[a] = Idle & multisetcount(m: net[Home], true) = 0 ==> var x: record kind: K; addr: A; src: N; end; begin x.kind := Ping; x.addr := a; x.src := p; multisetadd(x, net[Home]); end; end;
choose m: net[Home] do rule "get" dir[net[Home][m].addr] = Idle ==> var x: record kind: K; addr: A; src: N; end; begin
  x.kind := Pong; x.addr := net[Home][m].addr; x.src := Home;
  if multisetcount(n: net[net[Home][m].src], true) = 0 then multisetadd(x, net[net[Home][m].src]); end;
  dir[net[Home][m].addr] := Busy; multisetremove(m, net[Home]); end; end;
`, Spec{Row: "dir[a]", Columns: []string{"net[Home][m].kind where net[Home][m].addr = a"}}, `Idle, send: Ping to Home /Idle
Idle, Ping: Pong to src /Busy
Idle, Ping: /Busy
`},
		"one component, and its messages guessed": {`type H: enum {Home}; N: union {P, H}; var line: array[N] of S; net: array[N] of multiset[1] of record kind: K; src: N; end;
startstate for n: N do line[n] := Idle; end; for p: P do state[p] := Idle; end; undefine net; end;
ruleset p: P do rule "send" line[p] = Idle & multisetcount(m: net[Home], true) = 0 ==> var x: record kind: K; src: N; end; begin x.kind := Ping; x.src := p; multisetadd(x, net[Home]); end; end;
choose m: net[Home] do rule "get" line[Home] = Idle ==> begin line[Home] := Busy; multisetremove(m, net[Home]); end; end;
`, Spec{Row: "line[Home]"}, `Idle, Ping: /Busy
Busy, Ping: stall
`},
		"to itself and another": {`c: array[P] of K; net: array[P] of record kind: K; dst: P; end;
startstate for p: P do state[p] := Idle; c[p] := None; end; undefine net; end;
ruleset p: P; q: P do rule "go" p != q & c[p] = None & c[q] = None ==> begin state[p] := Busy; c[p] := Ping; c[q] := Ping; net[q].kind := Pong; net[q].dst := p; end; end;
`, Spec{Row: "state[p]", Columns: []string{"c[p]", "net[s].kind where net[s].dst = p"}}, `Idle, go (p): Ping, Ping to q, Pong to itself /Busy
Idle, Ping: stall
Busy, Ping: stall
Busy, Pong: stall
`},
		"several addresses": {`type A: scalarset(2); var line: array[P] of array[A] of S; net: array[P] of multiset[2] of record kind: K; src: P; addr: A; end;
startstate for p: P; a: A do line[p][a] := Idle; state[p] := Idle; end; undefine net; end;
ruleset p: P; q: P; a: A do rule "send" p != q & line[p][a] = Idle & multisetcount(m: net[q], true) = 0 ==> var x: record kind: K; src: P; addr: A; end; begin x.kind := Ping; x.src := p; x.addr := a; multisetadd(x, net[q]); end; end;
ruleset p: P do choose m: net[p] do rule "get" line[p][net[p][m].addr] = Idle ==> begin line[p][net[p][m].addr] := Busy; multisetremove(m, net[p]); end; end; end;
`, Spec{Row: "line[p][a]", Columns: []string{"net[p][m].kind where net[p][m].addr = a"}}, `Idle, send (p): Ping to q /Idle
Idle, Ping: /Busy
Busy, Ping: stall
`},
	} {
		file := filepath.Join(t.TempDir(), "m.m")
		if err := os.WriteFile(file, []byte(head+c.text), 0o666); err != nil {
			t.Fatal(err)
		}
		for _, opt := range []explicit.Options{symmetric, {}} {
			x, err := Collect(context.Background(), search(t, file, opt), c.want, never)
			if err != nil {
				t.Fatal(err)
			}
			var got strings.Builder
			for _, c := range x.Cells {
				for _, o := range c.Outcomes {
					fmt.Fprintf(&got, "%s, %s: %v\n", c.Row, c.Column, o)
					if _, _, err := x.Witness(c, o); err != nil {
						t.Errorf("%s: %v", name, err)
					}
				}
			}
			if got.String() != c.cell {
				t.Errorf("%s, canon %v:\n%s\nwant\n%s", name, opt.Canon, got.String(), c.cell)
			}
		}
	}
}
