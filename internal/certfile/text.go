// Package certfile writes proofs to files and reads them. A certificate is a list of proofs
// as text, with the options of the model. It names latches and properties as the model does,
// so that people can read it. docs/certificates.md describes the format. A witness circuit
// is the same proof as a netlist, for checkers of the hardware model checking competition.
//
// Nothing in a file is trusted: Read checks the form, and internal/certify checks the claims.
//
//	text.go     certificates, and how they are written
//	read.go     how they are read
//	witness.go  witness circuits
package certfile

import (
	"bufio"
	"fmt"
	"io"
	"slices"
	"strconv"

	"orbitmc/aig"
	"orbitmc/internal/certify"
	"orbitmc/internal/lists"
	"orbitmc/mc"
	"orbitmc/mc/evidence"
	"orbitmc/ts"
)

// This file writes proofs as text. Clauses are written with all their images, so a checker
// need not know the symmetry. If the images are too many, each large orbit is one clause with
// the permutations of its orbit.

// Certificate is a list of proofs. Each may assume the properties of the proofs before it.
type Certificate struct {
	Options [][2]string // name and value of what the model was read with, in the order of the file
	Proofs  []*evidence.Proof

	file  string
	lines []int // of the proofs
}

// header is the first line; the number is the version of the format.
const header = "orbitmc-certificate 1"

// New returns the proofs of results, a list of each engine, in the order
// in which they are to be checked. It is empty if there are none.
func New(results ...*mc.Result) *Certificate {
	c := &Certificate{}
	known := make(map[int]bool)
	for _, r := range results {
		var proofs []*evidence.Proof
		for _, pr := range r.Props {
			if f := pr.Proof; f != nil && pr.Status != mc.Unknown && !slices.ContainsFunc(proofs, func(g *evidence.Proof) bool { return g == f && f.Props != nil }) {
				if f.Props == nil {
					own := *f
					own.Props = []int{pr.Prop}
					f = &own
				}
				proofs = append(proofs, f)
			}
		}
		slices.SortStableFunc(proofs, func(f, g *evidence.Proof) int { return f.K - g.K })
		for _, f := range proofs {
			if slices.ContainsFunc(f.Props, func(q int) bool { return !known[q] }) {
				c.Proofs = append(c.Proofs, f)
			}
			for _, q := range f.Props {
				known[q] = true
			}
		}
	}
	return c
}

// Check checks the proofs with a checker that knows of none. It returns the properties they
// prove, ascending, and how each proof was checked; or the error of the checker's context,
// or why a proof is rejected.
func (c *Certificate) Check(k *certify.Checker) (props []int, how []string, err error) {
	for i, f := range c.Proofs {
		text, err := k.Check(f, f.Props[0])
		if err != nil {
			if k.Err() == nil && c.lines != nil {
				err = fmt.Errorf("%s:%d:1: the proof of %q is wrong: %w", c.file, c.lines[i], k.Problem().Name(f.Props[0]), err)
			}
			return nil, nil, err
		}
		how = append(how, text)
	}
	return k.Known(), how, nil
}

// names are what latches, inputs, initial inputs and properties are
// called: by their names, in quotes, or, where these are not unique, by # and the
// number.
type names map[string][]string

func newNames(p *mc.Problem) names {
	sys, names := p.System(), make(names)
	signals := func(of []ts.Signal) []string {
		return lists.Map(of, func(s ts.Signal) string { return strconv.Quote(s.Name) })
	}
	names["latch"] = lists.Map(sys.Latches, func(l ts.Latch) string { return strconv.Quote(l.Name) })
	names["input"], names["init"] = signals(sys.Inputs), signals(sys.Init)
	names["property"] = lists.Make(p.NumProps(), func(i int) string { return strconv.Quote(p.Name(i)) })
	for _, all := range names {
		count := make(map[string]int)
		for _, name := range all {
			count[name]++
		}
		for i, name := range all {
			if count[name] > 1 || name == `""` {
				all[i] = fmt.Sprintf("#%d", i)
			}
		}
	}
	return names
}

func (n names) literal(what string, l ts.Lit) string {
	if l&1 == 1 {
		return "!" + n[what][l>>1]
	}
	return n[what][l>>1]
}

// Write writes a certificate for the system of the problem of k.
func (c *Certificate) Write(w io.Writer, k *certify.Checker) error {
	p := k.Problem()
	sys := p.System()
	t := &writer{Writer: bufio.NewWriter(w), k: k, names: newNames(p), number: make(map[string]int), images: k.Images()}
	fmt.Fprintln(t, header)
	for _, o := range c.Options {
		fmt.Fprintf(t, "option %s %s\n", o[0], strconv.Quote(o[1]))
	}
	fmt.Fprintf(t, "system %d latches %d inputs %d initial inputs\n", len(sys.Latches), len(sys.Inputs), len(sys.Init))
	for _, f := range c.Proofs {
		if f.Rounds > 0 {
			continue
		}
		for _, d := range f.Distinct {
			t.permutation(d.Perm)
		}
		large, err := t.images.Large(f)
		if err != nil {
			return err
		}
		if large {
			for _, g := range f.Group.Generators() {
				t.permutation(g)
			}
		}
	}
	for _, f := range c.Proofs {
		if err := t.proof(f); err != nil {
			return err
		}
	}
	fmt.Fprintln(t, "end")
	return t.Flush()
}

// writer writes a certificate.
type writer struct {
	*bufio.Writer
	k      *certify.Checker
	names  names
	number map[string]int // of the permutations written, by Perm.Key, from 1
	images *certify.Images
}

// permutation writes a permutation, once; nil is none.
func (w *writer) permutation(g *ts.Perm) {
	if g == nil || w.number[g.Key()] > 0 {
		return
	}
	w.number[g.Key()] = len(w.number) + 1
	fmt.Fprintf(w, "permutation %d\n", len(w.number))
	for _, part := range []struct {
		what  string
		image []ts.Lit
	}{{"latch", g.Latch}, {"input", g.Input}, {"init", g.Init}} {
		for i, l := range part.image {
			if l != ts.MkLit(i, false) {
				fmt.Fprintf(w, "  %s %s %s\n", part.what, w.names[part.what][i], w.names.literal(part.what, l))
			}
		}
	}
}

// list writes a line of numbers of permutations.
func (w *writer) list(what string, gs []*ts.Perm) {
	w.WriteString(what)
	for _, g := range gs {
		fmt.Fprintf(w, " %d", w.number[g.Key()])
	}
	w.WriteByte('\n')
}

func (w *writer) proof(f *evidence.Proof) error {
	w.WriteString("proof")
	for _, q := range f.Props {
		w.WriteString(" " + w.names["property"][q])
	}
	if f.Rounds > 0 {
		return w.counted(f)
	}
	fmt.Fprintf(w, "\nk %d\n", f.K)
	for _, d := range f.Distinct {
		if what := fmt.Sprintf("distinct %d %d", d.I, d.J); d.Perm != nil {
			w.list(what, []*ts.Perm{d.Perm})
		} else {
			w.list(what, nil)
		}
	}
	large, err := w.images.Large(f)
	if err != nil {
		return err
	}
	if large {
		for _, y := range f.Group.Blocks {
			w.list("block", y.Swaps)
		}
		for _, y := range f.Group.Groups {
			w.list("group", y.Gens)
		}
	}
	clauses, err := w.images.Clauses(f)
	if err != nil {
		return err
	}
	for _, c := range clauses {
		what := "clause"
		if c.Orbit {
			what = "orbit"
		}
		w.clause(what, c.Lits, w.names)
	}
	if f.Circuit != nil {
		w.circuit(f.Circuit)
	}
	return nil
}

// counted writes the rest of a proof with rounds: all clauses, over the latches of the system that
// counts.
func (w *writer) counted(f *evidence.Proof) error {
	q := w.k.Problem().Counting(f.Props[0], f.Rounds)
	own := *f
	own.Props, own.Rounds = []int{0}, 0
	clauses, err := w.k.For(q).Images().All(&own)
	if err != nil {
		return err
	}
	names := newNames(q)
	fmt.Fprintf(w, "\nrounds %d\nk %d\n", f.Rounds, f.K)
	for _, c := range clauses {
		w.clause("clause", c, names)
	}
	return nil
}

// clause writes a line of literals over latches.
func (w *writer) clause(what string, clause ts.Clause, names names) {
	w.WriteString(what)
	for _, l := range clause {
		w.WriteString(" " + names.literal("latch", l))
	}
	w.WriteByte('\n')
}

func (w *writer) circuit(c *evidence.Circuit) {
	name := map[int]string{0: "false"}
	for i, l := range c.Latches {
		name[l.Node()] = w.names["latch"][i]
	}
	for i, l := range c.Inputs {
		name[l.Node()] = fmt.Sprint("i", i+1)
		fmt.Fprintf(w, "input %d %s\n", i+1, w.names["input"][i])
	}
	literal := func(l aig.Lit) string {
		if l.Neg() {
			return "!" + name[l.Node()]
		}
		return name[l.Node()]
	}
	ands := 0
	for _, n := range c.G.Cone([]aig.Lit{c.Out}) {
		if c.G.IsAnd(n) {
			x, y := c.G.Fanins(n)
			ands++
			name[n] = fmt.Sprint(ands)
			fmt.Fprintf(w, "and %d %s %s\n", ands, literal(x), literal(y))
		}
	}
	fmt.Fprintf(w, "circuit %s\n", literal(c.Out))
}
