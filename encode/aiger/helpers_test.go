package aiger_test

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"orbitmc/aig"
	"orbitmc/encode/aiger"
	"orbitmc/ts"
)

func read(t *testing.T, name string, data []byte) *aiger.File {
	t.Helper()
	f, err := aiger.Read(bytes.NewReader(data), name)
	if err != nil {
		t.Fatal(err)
	}
	return f
}

func write(t *testing.T, f *aiger.File, binary bool) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := aiger.Write(&b, f, binary); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// public returns the public netlists, none if they are not there.
func public(t testing.TB) []string {
	t.Helper()
	var files []string
	for _, suffix := range []string{"aig", "aag"} {
		some, err := filepath.Glob("../../../shared/models/aiger/*/*." + suffix)
		if err != nil {
			t.Fatal(err)
		}
		files = append(files, some...)
	}
	slices.Sort(files)
	if len(files) == 0 {
		t.Skip("the public models are not there")
	}
	return files
}

func load(t testing.TB, path string) []byte {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return data
}

// different returns how a and b differ, nil if they are the same up to the
// numbers of nodes: the functions of a, copied to the graph of b, must hash to
// those of b.
func different(a, b *aiger.File) error {
	x, y := a.Sys, b.Sys
	c := aig.NewCopier(y.G, x.G)
	var names [2][]string
	for k, f := range []*aiger.File{a, b} {
		add := func(format string, args ...any) { names[k] = append(names[k], fmt.Sprintf(format, args...)) }
		for _, in := range f.Sys.Inputs {
			add("input %q", in.Name)
		}
		for _, in := range f.Sys.Init {
			add("initial input %q", in.Name)
		}
		for _, l := range f.Sys.Latches {
			add("latch %q", l.Name)
		}
		for _, b := range f.Sys.Bads {
			add("bad %q of %d, delay %d", b.Name, b.Prop, b.Delay)
		}
		add("outputs are bads: %v", f.OutputsAreBads)
		for _, o := range f.Outputs {
			add("output %q", o.Name)
		}
		add("%d constraints %q", len(f.Sys.Constraints), f.ConstraintName)
		for _, p := range f.Justice {
			add("justice %q of %d", p.Name, len(p.Lits))
		}
		for _, p := range f.Fairness {
			add("fairness %q", p.Name)
		}
		for _, text := range f.Comments {
			add("comment %q", text)
		}
	}
	if !slices.Equal(names[0], names[1]) {
		return fmt.Errorf("%s\nand\n%s", strings.Join(names[0], "\n"), strings.Join(names[1], "\n"))
	}
	for i, in := range x.Inputs {
		c.Set(in.Node, y.InputLit(i))
	}
	for i, in := range x.Init {
		c.Set(in.Node, y.InitLit(i))
	}
	for i, l := range x.Latches {
		c.Set(l.Node, y.LatchLit(i))
	}
	want := functions(b)
	for i, f := range functions(a) {
		if got := c.Copy(f.Lit); got != want[i].Lit {
			return fmt.Errorf("%s is %v in one file and %v in the other", f.Name, want[i].Lit, got)
		}
	}
	return nil
}

// functions returns all functions of a file.
func functions(f *aiger.File) []aiger.Named {
	var all []aiger.Named
	add := func(what string, l aig.Lit) { all = append(all, aiger.Named{Name: what, Lit: l}) }
	for _, l := range f.Sys.Latches {
		add("reset of "+l.Name, l.Reset)
		add("next of "+l.Name, l.Next)
	}
	return append(all, predicates(f)...)
}

// predicates returns the functions that a file names one by one, in its order:
// outputs, bads, constraints, justice, fairness.
func predicates(f *aiger.File) []aiger.Named {
	all := slices.Clone(f.Outputs)
	for _, b := range f.Sys.Bads {
		all = append(all, aiger.Named{Name: b.Name, Lit: b.Lit})
	}
	for i, l := range f.Sys.Constraints {
		all = append(all, aiger.Named{Name: fmt.Sprint("constraint ", i), Lit: l})
	}
	for _, p := range f.Justice {
		for _, l := range p.Lits {
			all = append(all, aiger.Named{Name: p.Name, Lit: l})
		}
	}
	return append(all, f.Fairness...)
}

func dump(t *testing.T, s *ts.System) string {
	t.Helper()
	var b strings.Builder
	if err := s.Dump(&b); err != nil {
		t.Fatal(err)
	}
	return b.String()
}
