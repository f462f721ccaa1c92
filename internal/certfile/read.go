package certfile

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"orbitmc/aig"
	"orbitmc/internal/fault"
	"orbitmc/mc"
	"orbitmc/mc/evidence"
	"orbitmc/ts"
)

// This file reads certificates line by line. The first word of a line says what it is. A
// deviation from the format is an error with a position.

// reader reads a certificate line by line.
type reader struct {
	file  string
	lines []string
	at    int    // lines read
	line  string // the one read last
	key   string // its first word
	col   int    // bytes of it read

	p     *mc.Problem
	sys   *ts.System
	names map[string]map[string]int // numbers by kind and name
	perms []*ts.Perm
}

type positioned struct{ error }

// fail ends the reading with an error at the last word.
func (r *reader) fail(col int, format string, args ...any) {
	panic(positioned{fmt.Errorf("%s:%d:%d: %s", r.file, r.at, col+1, fmt.Sprintf(format, args...))})
}

// next goes to the next line and reads its first word.
func (r *reader) next() {
	if r.at++; r.at > len(r.lines) {
		r.fail(0, "the certificate has no end")
	}
	r.line, r.col = r.lines[r.at-1], 0
	r.key, _ = r.word()
}

// word returns the next word of the line, "" at its end, and where it begins.
func (r *reader) word() (string, int) {
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
func (r *reader) done() {
	if w, col := r.word(); w != "" {
		r.fail(col, "%s is not expected here", w)
	}
}

func (r *reader) number(what string, least, most int) int {
	w, col := r.word()
	n, err := strconv.Atoi(w)
	if err != nil || n < least || n > most || w != strconv.Itoa(n) {
		r.fail(col, "%q is no %s", w, what)
	}
	return n
}

// reference reads a name of something, which may be negated if it is signed.
func (r *reader) reference(what string, signed bool) ts.Lit {
	w, col := r.word()
	name, sign := w, ts.Lit(0)
	if rest, ok := strings.CutPrefix(w, "!"); ok && signed {
		name, sign = rest, 1
	}
	i, ok := r.names[what][name]
	if !ok {
		r.fail(col, "there is no %s %s", what, w)
	}
	return ts.Lit(i)<<1 | sign
}

// generator reads the number of a permutation.
func (r *reader) generator() *ts.Perm {
	return r.perms[r.number("permutation", 1, len(r.perms))-1]
}

// Options reads the options of a certificate, which say how to read the model that Read
// needs. Errors have a position.
func Options(file string, src []byte) ([][2]string, error) {
	c, err := read(file, src, nil)
	if err != nil {
		return nil, err
	}
	return c.Options, nil
}

// Read reads a certificate for the system of p. Errors have a position.
func Read(file string, src []byte, p *mc.Problem) (*Certificate, error) {
	return read(file, src, p)
}

// read reads a certificate, or, without a problem, its options.
func read(file string, src []byte, p *mc.Problem) (c *Certificate, err error) {
	r := &reader{file: file, lines: strings.Split(strings.TrimSuffix(string(src), "\n"), "\n")}
	defer fault.Catch[positioned](&err)
	c = &Certificate{file: file}
	r.at++
	if r.lines[0] != header {
		r.fail(0, "the first line is not %q", header)
	}
	for r.next(); r.key == "option"; r.next() {
		c.Options = append(c.Options, r.option())
	}
	if p != nil {
		r.body(c, p)
	}
	return c, nil
}

func (r *reader) option() [2]string {
	name, col := r.word()
	value, at := r.word()
	text, err := strconv.Unquote(value)
	if name == "" || err != nil {
		r.fail(max(col, at), "an option has a name and a value in quotes")
	}
	r.done()
	return [2]string{name, text}
}

// body reads what follows the options.
func (r *reader) body(c *Certificate, p *mc.Problem) {
	r.p = p
	r.enter(p)
	want := fmt.Sprintf("system %d latches %d inputs %d initial inputs", len(r.sys.Latches), len(r.sys.Inputs), len(r.sys.Init))
	if r.line != want {
		r.fail(0, "the model has another system: %s", want)
	}
	for r.next(); r.key == "permutation"; {
		r.perms = append(r.perms, r.permutation())
	}
	for r.key == "proof" {
		c.lines = append(c.lines, r.at)
		c.Proofs = append(c.Proofs, r.proof())
	}
	if r.key != "end" {
		r.fail(0, "%q is not expected here", r.key)
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

// enter says about which system the lines that follow are.
func (r *reader) enter(p *mc.Problem) {
	r.sys, r.names = p.System(), make(map[string]map[string]int)
	for what, all := range newNames(p) {
		r.names[what] = make(map[string]int)
		for i, name := range all {
			r.names[what][name] = i
		}
	}
}

// rounds reads how many rounds are counted, and turns to the system that counts.
func (r *reader) rounds(f *evidence.Proof) {
	f.Rounds = r.number("number of rounds", 1, 1<<20)
	r.done()
	if len(f.Props) != 1 {
		r.fail(0, "rounds are counted of one property")
	}
	q := r.p.Counting(f.Props[0], f.Rounds)
	if q == nil {
		r.fail(0, "rounds are counted of a justice property")
	}
	r.enter(q)
	r.next()
}

// permutation reads the next permutation, and the first word of the line after it.
func (r *reader) permutation() *ts.Perm {
	n := len(r.perms) + 1
	r.number("number of the next permutation", n, n)
	r.done()
	perm, line := ts.Identity(r.sys), r.at
	perm.Name = fmt.Sprint(n)
	parts := map[string][]ts.Lit{"latch": perm.Latch, "input": perm.Input, "init": perm.Init}
	for r.next(); parts[r.key] != nil; r.next() {
		part, what := parts[r.key], r.key
		from := r.reference(what, false)
		part[from>>1] = r.reference(what, true)
		r.done()
	}
	if err := perm.Check(r.sys); err != nil {
		r.at = line
		r.fail(0, "%v", err)
	}
	return perm
}

// proof reads a proof, and the first word of the line after it.
func (r *reader) proof() *evidence.Proof {
	f := &evidence.Proof{Props: r.properties()}
	if r.next(); r.key == "rounds" {
		r.rounds(f)
		defer r.enter(r.p)
	}
	if r.key != "k" {
		r.fail(0, "k is expected")
	}
	f.K = r.number("k", 1, 1<<20)
	r.done()
	for r.next(); r.key == "distinct" && f.Rounds == 0; r.next() {
		f.Distinct = append(f.Distinct, r.distinct(f.K))
	}
	for ; f.Rounds == 0 && (r.key == "block" || r.key == "group"); r.next() {
		if f.Group == nil {
			f.Group = &ts.Symmetry{}
		}
		r.generators(f.Group)
	}
	for ; r.key == "clause" || r.key == "orbit"; r.next() {
		if r.key == "orbit" && f.Group == nil {
			r.fail(0, "an orbit without a block or a group")
		}
		f.Clauses = append(f.Clauses, r.clause())
	}
	if f.Rounds == 0 && (r.key == "input" || r.key == "and" || r.key == "circuit") {
		f.Circuit = r.circuit()
	}
	return f
}

// properties reads those of a proof, and returns them ascending, each once.
func (r *reader) properties() (props []int) {
	for {
		before := r.col
		if w, _ := r.word(); w == "" {
			break
		}
		r.col = before
		props = append(props, int(r.reference("property", false)>>1))
	}
	slices.Sort(props)
	if props = slices.Compact(props); len(props) == 0 {
		r.fail(r.col, "a proof of no property")
	}
	return props
}

// distinct reads a path constraint of a proof by induction with k.
func (r *reader) distinct(k int) evidence.Distinct {
	d := evidence.Distinct{I: r.number("frame", 0, k-1)}
	d.J = r.number("later frame", d.I+1, k)
	if r.col < len(r.line) {
		d.Perm = r.generator()
	}
	r.done()
	return d
}

// generators reads a block or a group of y.
func (r *reader) generators(y *ts.Symmetry) {
	gens := []*ts.Perm{r.generator()}
	for r.col < len(r.line) {
		gens = append(gens, r.generator())
	}
	if r.key == "group" {
		y.Groups = append(y.Groups, ts.Group{Class: -1, Kind: "other", Gens: gens})
		return
	}
	b := ts.Block{Class: -1, Swaps: gens}
	for i := range len(gens) + 1 {
		b.Elems = append(b.Elems, i)
	}
	y.Blocks = append(y.Blocks, b)
}

func (r *reader) clause() (clause ts.Clause) {
	for r.col < len(r.line) {
		clause = append(clause, r.reference("latch", true))
	}
	if clause == nil {
		r.fail(r.col, "a clause without literals")
	}
	return clause
}

// circuit reads a circuit, and the first word of the line after it.
func (r *reader) circuit() *evidence.Circuit {
	latches := r.names["latch"]
	c := &evidence.Circuit{G: aig.NewPlain(), Latches: make([]aig.Lit, len(latches))}
	name := map[string]aig.Lit{"false": aig.False}
	for _, l := range slices.Sorted(maps.Values(latches)) {
		c.Latches[l] = c.G.Input()
	}
	for s, i := range latches {
		name[s] = c.Latches[i]
	}
	for n := 1; r.key == "input"; n++ { // all of them
		r.number("number of the next input", n, n)
		if i := r.reference("input", false) >> 1; int(i) != n-1 {
			r.fail(0, "the inputs are not in order")
		}
		c.Inputs = append(c.Inputs, c.G.Input())
		name[fmt.Sprint("i", n)] = c.Inputs[n-1]
		r.done()
		r.next()
	}
	literal := func() aig.Lit {
		w, col := r.word()
		l, ok := name[strings.TrimPrefix(w, "!")]
		if !ok {
			r.fail(col, "there is no latch, input or AND %s", w)
		}
		return l.NotIf(strings.HasPrefix(w, "!"))
	}
	for n := 1; r.key == "and"; n++ {
		r.number("number of the next AND", n, n)
		x, y := literal(), literal()
		name[fmt.Sprint(n)] = c.G.And(x, y)
		r.done()
		r.next()
	}
	if r.key != "circuit" {
		r.fail(0, "circuit is expected")
	}
	c.Out = literal()
	r.done()
	r.next()
	return c
}
