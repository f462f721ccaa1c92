package structure_test

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"math/big"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"orbitmc/aig"
	"orbitmc/detect/structure"
	"orbitmc/encode/aiger"
	"orbitmc/internal/testkit/nightly"
	"orbitmc/ts"
)

// shared returns the folder of public models, skipping the test if it is not here.
func shared(t *testing.T) string {
	dir, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	for ; dir != filepath.Dir(dir); dir = filepath.Dir(dir) {
		models := filepath.Join(dir, "shared", "models")
		if _, err := os.Stat(filepath.Join(models, "aiger_symmetric.tsv")); err == nil {
			return models
		}
	}
	t.Skip("the public models are not here")
	return ""
}

// netlist reads an AIGER file. What it asks for is made bads, each its own
// property: the bads, each justice property, and fairness.
func netlist(data []byte, name string) (*ts.System, error) {
	f, err := aiger.Read(bytes.NewReader(data), name)
	if err != nil {
		return nil, err
	}
	for i := range f.Sys.Bads {
		f.Sys.Bads[i].Prop = i
	}
	// The literals of a justice property may be exchanged, so they make one gate.
	also := func(ls []aig.Lit) {
		f.Sys.Bads = append(f.Sys.Bads, ts.Bad{Name: "liveness", Lit: f.Sys.G.AndN(ls), Prop: len(f.Sys.Bads)})
	}
	for _, j := range f.Justice {
		also(j.Lits)
	}
	if len(f.Fairness) > 0 {
		var fair []aig.Lit
		for _, x := range f.Fairness {
			fair = append(fair, x.Lit)
		}
		also(fair)
	}
	return f.Sys, nil
}

var automorphisms = regexp.MustCompile(`\|Aut\|: +(\d+)`)

// bliss returns the orders of the automorphism groups of the graphs of a system.
func bliss(t *testing.T, sys *ts.System) (orders []*big.Int) {
	path, err := exec.LookPath("bliss")
	if err != nil {
		t.Skip(err)
	}
	for _, write := range []func(io.Writer, *ts.System) error{structure.WriteGraph, structure.WritePlainGraph} {
		dimacs := filepath.Join(t.TempDir(), "g.dimacs")
		var graph bytes.Buffer
		if err := write(&graph, sys); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(dimacs, graph.Bytes(), 0o666); err != nil {
			t.Fatal(err)
		}
		text, err := exec.Command(path, dimacs).Output()
		if err != nil {
			t.Fatal(err)
		}
		m := automorphisms.FindSubmatch(text)
		if m == nil {
			t.Fatal("bliss says nothing about the order")
		}
		order, _ := new(big.Int).SetString(string(m[1]), 10)
		orders = append(orders, order)
	}
	return orders
}

// detected returns the symmetry of a system after comparing its order with that
// of another program, and checking that none of it is lost.
func detected(t *testing.T, name string, sys *ts.System) *structure.Result {
	d, err := structure.Detect(context.Background(), sys, provers())
	if err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	if d.Unverified > 0 {
		t.Errorf("%s: %d generators not verified", name, d.Unverified)
	} else {
		// One of the two groups contains the other, or there is more than either.
		orders := bliss(t, sys)
		want := orders[0]
		for _, n := range orders {
			if new(big.Int).Rem(d.Order, n).Sign() != 0 {
				t.Errorf("%s: order %v, but bliss finds a group of order %v", name, d.Order, n)
			}
			if n.Cmp(want) > 0 {
				want = n
			}
		}
		if d.Order.Cmp(want) != 0 {
			t.Logf("%s: order %v, more than either of %v", name, short(d.Order.String()), orders)
		}
	}
	if d.Symmetry.Order().Cmp(d.Order) != 0 {
		t.Errorf("%s: order %v, but %v in factors", name, d.Order, d.Symmetry.Order())
	}
	if err := d.Symmetry.Check(sys); err != nil {
		t.Errorf("%s: %v", name, err)
	}
	return d
}

// movedLatches returns how many latches a group moves.
func movedLatches(y *ts.Symmetry) int {
	moved := make(map[int]bool)
	for _, p := range y.Generators() {
		for i, l := range p.Latch {
			if l != ts.Lit(i)<<1 {
				moved[i] = true
			}
		}
	}
	return len(moved)
}

// TestDetectedPublic compares the order of the groups of public netlists with
// bliss on the same graph.
func TestDetectedPublic(t *testing.T) {
	models := shared(t)
	most := 8000 // nodes
	if nightly.On() {
		most = 1 << 30
	}
	files, _ := filepath.Glob(filepath.Join(models, "aiger", "*", "*.a?g"))
	n, moved := 0, 0
	for _, file := range files {
		data, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		sys, err := netlist(data, file)
		if err != nil || sys.G.Len() > most {
			continue // some of them are there to be refused
		}
		n++
		if d := detected(t, strings.TrimPrefix(file, models), sys); len(d.Generators) > 0 {
			moved++
		}
	}
	t.Logf("%d netlists, %d with symmetry", n, moved)
}

// row is a line of the table of public netlists with symmetry.
type row struct {
	name, source             string
	latches, ands, justice   int
	movedLatches             int
	cleanLatches, cleanMoved int
	order, cleanOrder        string
	data                     []byte
}

// rows returns the lines of the table whose netlist is here: among the public
// models, or under the folder that ORBITMC_CORPUS names, as owner+repository/path; small ones first.
func rows(t *testing.T) (all []row) {
	models := shared(t)
	table, err := os.ReadFile(filepath.Join(models, "aiger_symmetric.tsv"))
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(strings.TrimSpace(string(table)), "\n")
	column := make(map[string]int)
	for i, name := range strings.Split(lines[0], "\t") {
		column[name] = i
	}
	for _, line := range lines[1:] {
		fields := strings.Split(line, "\t")
		at := func(name string) string { return fields[column[name]] }
		number := func(name string) int {
			n, err := strconv.Atoi(at(name))
			if err != nil {
				t.Fatalf("%s: %v", line, err)
			}
			return n
		}
		repo, path, _ := strings.Cut(at("source"), ":")
		owner, _, _ := strings.Cut(repo, "/")
		// Among the public models a file may have a prefix before its name.
		files, err := filepath.Glob(filepath.Join(models, "aiger", owner, "*"+filepath.Base(path)))
		if err != nil {
			t.Fatal(err)
		}
		for _, file := range append(files, filepath.Join(os.Getenv("ORBITMC_CORPUS"), strings.ReplaceAll(repo, "/", "+"), path)) {
			data, err := os.ReadFile(file)
			if sum := sha256.Sum256(data); err == nil && hex.EncodeToString(sum[:]) == at("sha256") {
				all = append(all, row{
					name: at("name"), source: at("source"), latches: number("latches"), ands: number("ands"), justice: number("justice"), movedLatches: number("moved_latches"),
					cleanLatches: number("clean_latches"), cleanMoved: number("clean_moved"),
					order: at("group_order"), cleanOrder: at("clean_group_order"), data: data,
				})
				break
			}
		}
	}
	slices.SortStableFunc(all, func(a, b row) int { return a.ands - b.ands })
	return all
}

// TestTable compares clean-up and detection with the table: latches that are left
// after clean-up, and how many of them move.
func TestTable(t *testing.T) {
	most := 3000 // ANDs
	if nightly.On() {
		most = 1 << 30
	}
	var n, fewer, more, movedSame, movedFewer, movedMore int
	kinds := make(map[string]int) // of the factors that move latches
	for _, r := range rows(t) {
		if r.ands > most {
			continue
		}
		sys, err := netlist(r.data, r.name)
		if err != nil {
			t.Fatal(err)
		}
		if len(sys.Latches) != r.latches {
			t.Errorf("%s: %d latches, want %d", r.name, len(sys.Latches), r.latches)
		}
		full := detected(t, r.name, sys)
		c := ts.Clean(sys, ts.CleanOptions{})
		clean := detected(t, r.name+", cleaned", c.Sys)
		n++
		for _, f := range clean.Factors {
			if len(f.Latches) > 0 {
				kinds[f.Kind.String()]++
			}
		}
		note := ""
		switch l := len(c.Sys.Latches); {
		case l < r.cleanLatches:
			fewer++
		case l > r.cleanLatches:
			more++
			note = " MORE LATCHES"
		}
		switch m := movedLatches(clean.Symmetry); {
		case m == r.cleanMoved:
			movedSame++
		case m < r.cleanMoved:
			movedFewer++
			note += " FEWER MOVE"
			if len(c.Sys.Latches) == r.cleanLatches && len(sys.Bads) == 1 && r.justice == 0 {
				t.Errorf("%s: %d latches move after clean-up, %d in the table, of the same system", r.name, m, r.cleanMoved)
			}
		default:
			movedMore++
		}
		t.Logf("%s: latches %d, moved %d (table %d); cleaned %d (%d), moved %d (%d), order %v (%v);%s", r.name, r.latches,
			movedLatches(full.Symmetry), r.movedLatches, len(c.Sys.Latches), r.cleanLatches, movedLatches(clean.Symmetry), r.cleanMoved,
			short(clean.Order.String()), short(r.cleanOrder), note)
	}
	t.Logf("%d netlists; latches left: fewer than in the table in %d, more in %d; moved: as many in %d, fewer in %d, more in %d; factors: %v",
		n, fewer, more, movedSame, movedFewer, movedMore, kinds)
}

func short(s string) string {
	if len(s) > 12 {
		return fmt.Sprintf("%s…(%d digits)", s[:6], len(s))
	}
	return s
}
