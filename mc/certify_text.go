package mc

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"maps"
	"slices"
	"strconv"
	"strings"

	"orbitmc/aig"
	"orbitmc/ts"
)

// This file writes proofs as text and reads them, for a check by others, or later;
// docs/certificates.md describes the format. Clauses are written with all their
// images, so that nobody needs the symmetry to check them; only where these are too many
// is there one clause of each large orbit, and the permutations it is an orbit of.

// Certificate is a list of proofs: each may use that the properties of those
// before it hold.
type Certificate struct {
	Options [][2]string // name and value of what the model was read with, in the order of the file
	Proofs  []*Proof

	file  string
	lines []int // of the proofs
}

// certificateHeader is the first line; the number is the version of the format.
const certificateHeader = "orbitmc-certificate 1"

// NewCertificate returns the proofs of results, a list of each engine, in the order
// in which they are to be checked. It is empty if there are none.
func NewCertificate(results ...*Result) *Certificate {
	c := &Certificate{}
	known := make(map[int]bool)
	for _, r := range results {
		var proofs []*Proof
		for _, pr := range r.Props {
			if f := pr.Proof; f != nil && pr.Status != Unknown && !slices.ContainsFunc(proofs, func(g *Proof) bool { return g == f && f.Props != nil }) {
				if f.Props == nil {
					own := *f
					own.Props = []int{pr.Prop}
					f = &own
				}
				proofs = append(proofs, f)
			}
		}
		slices.SortStableFunc(proofs, func(f, g *Proof) int { return f.K - g.K })
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

// Check checks the proofs. It returns the properties they prove, ascending, and
// how each proof was checked; or the error of ctx, or why a proof is rejected.
func (c *Certificate) Check(ctx context.Context, p *Problem) (props []int, how []string, err error) {
	k := newCertifier(ctx, p)
	for i, f := range c.Proofs {
		text, err := k.check(f, f.Props[0])
		if err != nil {
			if ctx.Err() == nil && c.lines != nil {
				err = fmt.Errorf("%s:%d:1: the proof of %q is wrong: %w", c.file, c.lines[i], p.Name(f.Props[0]), err)
			}
			return nil, nil, err
		}
		how = append(how, text)
	}
	return k.known, how, nil
}

// certificateNames are what latches, inputs, initial inputs and properties are
// called: by their names, in quotes, or, where these are not unique, by # and the
// number.
type certificateNames map[string][]string

func newCertificateNames(p *Problem) certificateNames {
	sys, names := p.System(), make(certificateNames)
	for i, l := range sys.Latches {
		names.add("latch", i, l.Name)
	}
	for i, s := range sys.Inputs {
		names.add("input", i, s.Name)
	}
	for i, s := range sys.Init {
		names.add("init", i, s.Name)
	}
	for i := range p.NumProps() {
		names.add("property", i, p.Name(i))
	}
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

func (n certificateNames) add(what string, i int, name string) {
	n[what] = append(n[what], strconv.Quote(name))
}

func (n certificateNames) literal(what string, l ts.Lit) string {
	if l&1 == 1 {
		return "!" + n[what][l>>1]
	}
	return n[what][l>>1]
}

// Write writes a certificate for the system of p.
func (c *Certificate) Write(w io.Writer, p *Problem) error {
	b := bufio.NewWriter(w)
	sys, names := p.System(), newCertificateNames(p)
	fmt.Fprintln(b, certificateHeader)
	for _, o := range c.Options {
		fmt.Fprintf(b, "option %s %s\n", o[0], strconv.Quote(o[1]))
	}
	fmt.Fprintf(b, "system %d latches %d inputs %d initial inputs\n", len(sys.Latches), len(sys.Inputs), len(sys.Init))
	number := make(map[string]int)
	permutation := func(g *ts.Perm) {
		if g == nil || number[permKey(g)] > 0 {
			return
		}
		number[permKey(g)] = len(number) + 1
		fmt.Fprintf(b, "permutation %d\n", len(number))
		for _, part := range []struct {
			what  string
			image []ts.Lit
		}{{"latch", g.Latch}, {"input", g.Input}, {"init", g.Init}} {
			for i, l := range part.image {
				if l != ts.MkLit(i, false) {
					fmt.Fprintf(b, "  %s %s %s\n", part.what, names[part.what][i], names.literal(part.what, l))
				}
			}
		}
	}
	k := newCertifier(context.Background(), p)
	k.whole = false
	var large []bool // by proof: it has large orbits
	for _, f := range c.Proofs {
		for _, d := range f.Distinct {
			permutation(d.Perm)
		}
		v, err := k.invariant(f)
		if err != nil {
			return err
		}
		large = append(large, v.components != nil)
		if v.components != nil {
			for _, g := range f.Group.Generators() {
				permutation(g)
			}
		}
	}
	for i, f := range c.Proofs {
		v, err := k.written(f)
		if err != nil {
			return err
		}
		b.WriteString("proof")
		for _, q := range f.Props {
			b.WriteString(" " + names["property"][q])
		}
		fmt.Fprintf(b, "\nk %d\n", f.K)
		for _, d := range f.Distinct {
			fmt.Fprintf(b, "distinct %d %d", d.I, d.J)
			if d.Perm != nil {
				fmt.Fprintf(b, " %d", number[permKey(d.Perm)])
			}
			b.WriteByte('\n')
		}
		if large[i] {
			list := func(what string, gs []*ts.Perm) {
				b.WriteString(what)
				for _, g := range gs {
					fmt.Fprintf(b, " %d", number[permKey(g)])
				}
				b.WriteByte('\n')
			}
			for _, y := range f.Group.Blocks {
				list("block", y.Swaps)
			}
			for _, y := range f.Group.Groups {
				list("group", y.Gens)
			}
		}
		for _, a := range v.all {
			what, clause := "clause", a.clause
			if a.large != nil {
				what, clause = "orbit", a.large.clause
			}
			if clause == nil {
				continue
			}
			b.WriteString(what)
			for _, l := range clause {
				b.WriteString(" " + names.literal("latch", l))
			}
			b.WriteByte('\n')
		}
		if f.Circuit != nil {
			f.Circuit.write(b, names["latch"])
		}
	}
	fmt.Fprintln(b, "end")
	return b.Flush()
}

func (c *Circuit) write(b *bufio.Writer, latches []string) {
	name := map[int]string{0: "false"}
	for i, l := range c.Latches {
		name[l.Node()] = latches[i]
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
			fmt.Fprintf(b, "and %d %s %s\n", ands, literal(x), literal(y))
		}
	}
	fmt.Fprintf(b, "circuit %s\n", literal(c.Out))
}

// certificateReader reads a certificate line by line.
type certificateReader struct {
	file  string
	lines []string
	at    int    // lines read
	line  string // the one read last
	col   int    // bytes of it read
}

type certificateError struct{ error }

// fail ends the reading with an error at the last word.
func (r *certificateReader) fail(col int, format string, args ...any) {
	panic(certificateError{fmt.Errorf("%s:%d:%d: %s", r.file, r.at, col+1, fmt.Sprintf(format, args...))})
}

// next goes to the next line and returns its first word.
func (r *certificateReader) next() string {
	if r.at++; r.at > len(r.lines) {
		r.fail(0, "the certificate has no end")
	}
	r.line, r.col = r.lines[r.at-1], 0
	word, _ := r.word()
	return word
}

// word returns the next word of the line, "" at its end, and where it begins.
func (r *certificateReader) word() (string, int) {
	for r.col < len(r.line) && r.line[r.col] == ' ' {
		r.col++
	}
	from := r.col
	if r.col < len(r.line) && r.line[r.col] == '!' {
		r.col++
	}
	if r.col < len(r.line) && r.line[r.col] == '"' {
		quoted, err := strconv.QuotedPrefix(r.line[r.col:])
		if err != nil {
			r.fail(r.col, "a name is not ended")
		}
		r.col += len(quoted)
		if r.col < len(r.line) && r.line[r.col] != ' ' {
			r.fail(r.col, "a blank is missing")
		}
	}
	for r.col < len(r.line) && r.line[r.col] != ' ' {
		r.col++
	}
	return r.line[from:r.col], from
}

// done checks that the line is at its end.
func (r *certificateReader) done() {
	if w, col := r.word(); w != "" {
		r.fail(col, "%s is not expected here", w)
	}
}

func (r *certificateReader) number(what string, least, most int) int {
	w, col := r.word()
	n, err := strconv.Atoi(w)
	if err != nil || n < least || n > most || w != strconv.Itoa(n) {
		r.fail(col, "%q is no %s", w, what)
	}
	return n
}

// ReadCertificateOptions reads the options of a certificate, which say how to read
// the model that ReadCertificate needs. Errors have a position.
func ReadCertificateOptions(file string, src []byte) ([][2]string, error) {
	c, err := readCertificate(file, src, nil)
	if err != nil {
		return nil, err
	}
	return c.Options, nil
}

// ReadCertificate reads a certificate for the system of p. Errors have a position.
func ReadCertificate(file string, src []byte, p *Problem) (*Certificate, error) {
	return readCertificate(file, src, p)
}

// readCertificate reads a certificate, or, without a problem, its options.
func readCertificate(file string, src []byte, p *Problem) (c *Certificate, err error) {
	r := &certificateReader{file: file, lines: strings.Split(strings.TrimSuffix(string(src), "\n"), "\n")}
	defer func() {
		if x := recover(); x != nil {
			e, ok := x.(certificateError)
			if !ok {
				panic(x)
			}
			c, err = nil, e.error
		}
	}()
	c = &Certificate{file: file}
	r.at++
	if r.lines[0] != certificateHeader {
		r.fail(0, "the first line is not %q", certificateHeader)
	}
	key := r.next()
	for ; key == "option"; key = r.next() {
		name, col := r.word()
		value, at := r.word()
		text, err := strconv.Unquote(value)
		if name == "" || err != nil {
			r.fail(max(col, at), "an option has a name and a value in quotes")
		}
		r.done()
		c.Options = append(c.Options, [2]string{name, text})
	}
	if p == nil {
		return c, nil
	}
	r.body(c, key, p)
	return c, nil
}

// body reads what follows the options, of which key is the first word.
func (r *certificateReader) body(c *Certificate, key string, p *Problem) {
	sys, names := p.System(), make(map[string]map[string]int)
	for what, all := range newCertificateNames(p) {
		names[what] = make(map[string]int)
		for i, name := range all {
			names[what][name] = i
		}
	}
	// reference reads a name, which may be negated if that makes sense.
	reference := func(what string, signed bool) ts.Lit {
		w, col := r.word()
		name, sign := w, ts.Lit(0)
		if rest, ok := strings.CutPrefix(w, "!"); ok && signed {
			name, sign = rest, 1
		}
		i, ok := names[what][name]
		if !ok {
			r.fail(col, "there is no %s %s", what, w)
		}
		return ts.Lit(i)<<1 | sign
	}
	want := fmt.Sprintf("system %d latches %d inputs %d initial inputs", len(sys.Latches), len(sys.Inputs), len(sys.Init))
	if r.line != want {
		r.fail(0, "the model has another system: %s", want)
	}
	var perms []*ts.Perm
	for key = r.next(); key == "permutation"; {
		r.number("number of the next permutation", len(perms)+1, len(perms)+1)
		r.done()
		perm, line := ts.Identity(sys), r.at
		perm.Name = fmt.Sprint(len(perms) + 1)
		parts := map[string][]ts.Lit{"latch": perm.Latch, "input": perm.Input, "init": perm.Init}
		for key = r.next(); parts[key] != nil; key = r.next() {
			from := reference(key, false)
			parts[key][from>>1] = reference(key, true)
			r.done()
		}
		if err := perm.Check(sys); err != nil {
			r.at = line
			r.fail(0, "%v", err)
		}
		perms = append(perms, perm)
	}
	for key == "proof" {
		f, line := &Proof{}, r.at
		for {
			before := r.col
			if w, _ := r.word(); w == "" {
				break
			}
			r.col = before
			f.Props = append(f.Props, int(reference("property", false)>>1))
		}
		slices.Sort(f.Props)
		if f.Props = slices.Compact(f.Props); len(f.Props) == 0 {
			r.fail(r.col, "a proof of no property")
		}
		if r.next() != "k" {
			r.fail(0, "k is expected")
		}
		f.K = r.number("k", 1, 1<<20)
		r.done()
		for key = r.next(); key == "distinct"; key = r.next() {
			d := Distinct{I: r.number("frame", 0, f.K-1)}
			d.J = r.number("later frame", d.I+1, f.K)
			if r.col < len(r.line) {
				d.Perm = perms[r.number("permutation", 1, len(perms))-1]
			}
			r.done()
			f.Distinct = append(f.Distinct, d)
		}
		for ; key == "block" || key == "group"; key = r.next() {
			gens := []*ts.Perm{perms[r.number("permutation", 1, len(perms))-1]}
			for r.col < len(r.line) {
				gens = append(gens, perms[r.number("permutation", 1, len(perms))-1])
			}
			if f.Group == nil {
				f.Group = &ts.Symmetry{}
			}
			if key == "group" {
				f.Group.Groups = append(f.Group.Groups, ts.Group{Class: -1, Kind: "other", Gens: gens})
				continue
			}
			y := ts.Block{Class: -1, Swaps: gens}
			for i := range len(gens) + 1 {
				y.Elems = append(y.Elems, i)
			}
			f.Group.Blocks = append(f.Group.Blocks, y)
		}
		for ; key == "clause" || key == "orbit"; key = r.next() {
			if key == "orbit" && f.Group == nil {
				r.fail(0, "an orbit without a block or a group")
			}
			var clause ts.Clause
			for r.col < len(r.line) {
				clause = append(clause, reference("latch", true))
			}
			if clause == nil {
				r.fail(r.col, "a clause without literals")
			}
			f.Clauses = append(f.Clauses, clause)
		}
		if key == "and" || key == "circuit" {
			key = r.circuit(f, key, names["latch"])
		}
		c.Proofs, c.lines = append(c.Proofs, f), append(c.lines, line)
	}
	if key != "end" {
		r.fail(0, "%q is not expected here", key)
	}
	r.done()
	if r.at < len(r.lines) {
		r.at++
		r.fail(0, "there is more after the end")
	}
	if c.Proofs == nil {
		r.fail(0, "the certificate proves nothing")
	}
}

// circuit reads a circuit, of which key is the first word, and returns the first
// word after it.
func (r *certificateReader) circuit(f *Proof, key string, latches map[string]int) string {
	c := &Circuit{G: aig.NewPlain(), Latches: make([]aig.Lit, len(latches))}
	name := map[string]aig.Lit{"false": aig.False}
	for _, l := range slices.Sorted(maps.Values(latches)) {
		c.Latches[l] = c.G.Input()
	}
	for s, i := range latches {
		name[s] = c.Latches[i]
	}
	literal := func() aig.Lit {
		w, col := r.word()
		l, ok := name[strings.TrimPrefix(w, "!")]
		if !ok {
			r.fail(col, "there is no latch or AND %s", w)
		}
		return l.NotIf(strings.HasPrefix(w, "!"))
	}
	for n := 1; key == "and"; n++ {
		r.number("number of the next AND", n, n)
		x, y := literal(), literal()
		name[fmt.Sprint(n)] = c.G.And(x, y)
		r.done()
		key = r.next()
	}
	if key != "circuit" {
		r.fail(0, "circuit is expected")
	}
	c.Out = literal()
	r.done()
	f.Circuit = c
	return r.next()
}
