package explicit_test

import (
	"bufio"
	"context"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"orbitmc/encode/murphi"
	"orbitmc/internal/explicit"
	"orbitmc/internal/testkit/nightly"
	"orbitmc/model"
	"orbitmc/model/traces"
)

// models returns the folder of public models, which is not part of this
// repository.
func models(t *testing.T) string {
	dir, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	for ; dir != filepath.Dir(dir); dir = filepath.Dir(dir) {
		d := filepath.Join(dir, "shared", "models")
		if _, err := os.Stat(filepath.Join(d, "murphi_truth.tsv")); err == nil {
			return d
		}
	}
	t.Skip("the public models are not here")
	return ""
}

// table reads tab-separated values with a header.
func table(t *testing.T, path string) (rows []map[string]string) {
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	sc := bufio.NewScanner(f)
	sc.Buffer(nil, 1<<20)
	var head []string
	for sc.Scan() {
		cols := strings.Split(sc.Text(), "\t")
		if head == nil {
			head = cols
			continue
		}
		row := map[string]string{}
		for i, c := range cols {
			row[head[i]] = c
		}
		rows = append(rows, row)
	}
	return rows
}

// read reads a model, or returns nil if it uses what is not supported.
func read(t *testing.T, path string, opt murphi.Options) *model.Program {
	m, err := murphi.ReadFile(path, opt)
	if err != nil {
		if strings.Contains(err.Error(), "not supported") {
			return nil
		}
		t.Errorf("%v", err)
		return nil
	}
	return model.Compile(m)
}

func explore(t *testing.T, p *model.Program, opt explicit.Options) *explicit.Result {
	t.Helper()
	if opt.Canon != explicit.None {
		opt.Blocks = all(p.Model)
	}
	res, err := explicit.Run(context.Background(), p, opt)
	if err != nil {
		t.Fatalf("%s: %v", p.Model.File, err)
	}
	for _, f := range res.Violations {
		if f.Trace.Depth(p.Model) != f.Depth || traces.Replay(p, f.Trace) != nil {
			t.Errorf("%s: property %d: bad trace", p.Model.File, f.Prop)
		}
	}
	return res
}

// violatedAt checks that the first violation, at which the tools stop, has depth
// want; want < 0 is unknown. Liveness and covers that are never hit they report if
// nothing else is wrong, at no depth.
func violatedAt(t *testing.T, p *model.Program, want int) {
	t.Helper()
	res := explore(t, p, explicit.Options{Canon: explicit.Exact, All: true})
	first, never := -1, false
	for _, q := range p.Model.Props {
		hit := slices.ContainsFunc(res.Covered, func(f explicit.Found) bool { return f.Prop == q.Index })
		never = never || q.Kind == model.Cover && !hit && res.Complete
	}
	for _, f := range res.Violations {
		switch {
		case p.Model.Props[f.Prop].Kind == model.Liveness:
			never = true
		case first < 0 || f.Depth < first:
			first = f.Depth
		}
	}
	if first < 0 && !never || first >= 0 && want >= 0 && first != want {
		t.Errorf("%s: first violation at depth %d, want %d", p.Model.File, first, want)
	}
}

// number reads a count; empty, "0" and bounds such as ">100" give 0.
func number(s string) int64 {
	n, _ := strconv.ParseInt(s, 10, 64)
	return n
}

// TestTruth compares with what Rumur and CMurphi found on public models. The larger ones take
// ORBITMC_LONG=1.
func TestTruth(t *testing.T) {
	large := int64(nightly.Or(6_000, 40_000))
	dir := models(t)
	tested := 0
	for _, row := range table(t, filepath.Join(dir, "murphi_truth.tsv")) {
		paths, _ := filepath.Glob(filepath.Join(dir, "murphi", "*", row["name"]+".m"))
		verdict := row["expected_verdict"]
		sym, nosym := number(row["states_sym"]), number(row["states_nosym"])
		if len(paths) != 1 || verdict != "PASS" && !strings.HasPrefix(verdict, "FAIL") || max(sym, min(nosym, large)) > large {
			continue
		}
		p := read(t, paths[0], murphi.Options{})
		if p == nil {
			continue
		}
		tested++
		if strings.HasPrefix(verdict, "FAIL") {
			want := int(number(row["error_depth"])) - 1
			for c := explicit.None; c <= explicit.Exact; c++ {
				res := explore(t, p, explicit.Options{Canon: c})
				if len(res.Violations) == 0 || res.Violations[0].Depth != want {
					t.Errorf("%s: %v: %+v, want a violation at depth %d", row["name"], c, res, want)
				}
			}
			continue
		}
		checkStates(t, p, row["name"], nosym, sym, exactCount(row["note"]))
	}
	t.Log(tested, "models")
	if tested < 6 {
		t.Errorf("only %d models tested", tested)
	}
}

// exactCount returns the number of orbits in a note, or 0.
func exactCount(note string) int64 {
	if _, s, ok := strings.Cut(note, "EXACT ORBITS"); ok {
		_, s, _ = strings.Cut(s, ": ")
		return number(strings.Fields(s)[0])
	}
	return 0
}

// checkStates explores a model on which all properties hold, and compares the
// number of states: without symmetry, and of orbits with what the peers keep
// (not always one per orbit) and the exact number where known; 0 is unknown.
func checkStates(t *testing.T, p *model.Program, name string, nosym, sym, orbits int64) {
	t.Helper()
	for c := explicit.None; c <= explicit.Exact; c++ {
		if c == explicit.None && (nosym == 0 || nosym > 100_000) {
			continue
		}
		res := explore(t, p, explicit.Options{Canon: c})
		if !res.Complete || len(res.Violations) > 0 {
			t.Errorf("%s: %v: %+v, want no violation", name, c, res)
			continue
		}
		switch {
		case c == explicit.None && res.States != nosym:
			t.Errorf("%s: %d states, want %d", name, res.States, nosym)
		case c == explicit.Exact && sym > 0 && res.States > sym:
			t.Errorf("%s: %d orbits, want at most %d", name, res.States, sym)
		case c == explicit.Exact && orbits > 0 && res.States != orbits:
			t.Errorf("%s: %d orbits, want %d", name, res.States, orbits)
		}
	}
}

// TestScaled checks models with other constants, and ones whose subranges are
// declared as scalarsets.
func TestScaled(t *testing.T) {
	dir := models(t)
	scalarset := func(name, size string) [2]string {
		return [2]string{name + " : 1.." + size + ";", name + " : scalarset(" + size + ");"}
	}
	for _, tc := range []struct {
		file               string
		consts             map[string]string
		replace            [][2]string
		nosym, sym, orbits int64
	}{
		{"paraverifier/n_mesi.m", map[string]string{"clientNUMS": "2"}, nil, 8, 0, 0},
		{"paraverifier/n_mesi.m", map[string]string{"clientNUMS": "4"}, nil, 24, 0, 0},
		{"paraverifier/n_mutualEx.m", map[string]string{"clientNUMS": "2"}, nil, 12, 0, 0},
		{"paraverifier/n_german.m", map[string]string{"NODE_NUM": "2"}, nil, 43422, 0, 43422},
		{"paraverifier/n_german.m", map[string]string{"NODE_NUM": "2"}, [][2]string{scalarset("NODE", "NODE_NUM"), scalarset("DATA", "DATA_NUM")}, 43422, 10878, 0},
		{"cmurphi/n_peterson.m", map[string]string{"N": "3"}, nil, 882, 172, 0},
		{"cmurphi/n_peterson.m", map[string]string{"N": "4"}, nil, 22281, 1132, 1132},
		{"cmurphi/mcslock1.m", map[string]string{"N": "3"}, nil, 7597, 1285, 0},
		{"cmurphi/mcslock1.m", nil, nil, 0, 23644, 23636},
		{"cmurphi/list6.m", map[string]string{"CellCount": "4"}, nil, 8893, 1489, 0},
		{"cmurphi/ldash.m", map[string]string{"RemoteCount": "2"}, nil, 740, 372, 0},
		{"cmurphi/ldash.m", map[string]string{"RemoteCount": "3"}, nil, 55366, 9313, 0},
	} {
		src, err := os.ReadFile(filepath.Join(dir, "murphi", tc.file))
		if err != nil {
			t.Fatal(err)
		}
		text := string(src)
		for _, r := range tc.replace {
			if !strings.Contains(text, r[0]) {
				t.Fatalf("%s does not contain %q", tc.file, r[0])
			}
			text = strings.Replace(text, r[0], r[1], 1)
		}
		m, err := murphi.Parse(tc.file, []byte(text), murphi.Options{Consts: tc.consts})
		if err != nil {
			if !strings.Contains(err.Error(), "not supported") {
				t.Error(err)
			}
			continue
		}
		checkStates(t, model.Compile(m), tc.file, tc.nosym, tc.sym, tc.orbits)
	}
}

// TestOutcomes compares with what the tools say of small models about single
// points of the semantics, each with its own dialect.
func TestOutcomes(t *testing.T) {
	dir := models(t)
	tested := 0
	for _, row := range table(t, filepath.Join(dir, "murphi", "semantics", "outcomes.tsv")) {
		path := filepath.Join(dir, "murphi", "semantics", row["model"]+".m")
		if _, err := os.Stat(path); err != nil || row["outcome"] != "OK" && row["outcome"] != "ERROR" {
			continue
		}
		opt := murphi.Options{}
		if row["tool"] == "rumur" {
			opt.Dialect = model.Rumur
		}
		p := read(t, path, opt)
		if p == nil {
			continue
		}
		tested++
		if row["model"] == "union2" { // CMurphi lets a variable hold a value of no member type; here that is an error
			violatedAt(t, p, 1)
			continue
		}
		res := explore(t, p, explicit.Options{Canon: explicit.Exact})
		if row["outcome"] == "OK" {
			if !res.Complete || len(res.Violations) > 0 || res.States != number(row["states"]) {
				t.Errorf("%s, %s: %+v, want %s states and no violation", row["model"], row["tool"], res, row["states"])
			}
			if len(p.Model.Scalarsets) == 0 && res.Fired != number(row["rules"]) {
				t.Errorf("%s, %s: %d rules fired, want %s", row["model"], row["tool"], res.Fired, row["rules"])
			}
		} else {
			violatedAt(t, p, int(number(row["depth_fired_lines"]))-1)
		}
	}
	t.Log(tested, "outcomes")
	if tested < 20 {
		t.Errorf("only %d outcomes tested", tested)
	}
}
