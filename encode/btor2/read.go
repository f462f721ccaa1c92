package btor2

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"math/big"
	"regexp"
	"strings"

	"orbitmc/aig"
	"orbitmc/internal/fault"
	"orbitmc/ts"
)

// MaxWidth is the greatest width of a word, in bits.
const MaxWidth = 1 << 16

// MaxArray is how many bits the elements of an array may have together, if its elements become latches.
const MaxArray = 1 << 20

// File is the content of a BTOR2 file.
type File struct {
	Sys     *ts.System
	Justice []ts.Justice // of Sys
	Fair    []aig.Lit    // fairness constraints, conditions of each of Justice

	name        string
	nodes       []node // in the order of the file
	inputs      []int  // nodes, in the order of the file
	states      []int  // likewise
	bads        []root
	constraints []root
	justice     []justice
	fair        []root
	limit       int           // arrays of more bits are large
	memory      *memory       // nil: there are no large arrays
	place       map[int]place // of inputs and states in Sys, by node; none where no property depends on them
}

// sort is the sort of words of a width, or of arrays of them.
type sort struct {
	index int // width of an index in bits; 0: not an array
	width int // of a word or element, in bits
}

func (s sort) String() string {
	if s.index > 0 {
		return fmt.Sprintf("an array of %d-bit words indexed by %d bits", s.width, s.index)
	}
	return fmt.Sprintf("a word of %d bits", s.width)
}

// words returns how many words a value of the sort has.
func (s sort) words() int {
	if s.index == 0 {
		return 1
	}
	return 1 << s.index
}

// ref is an operand: a node, its bits complemented if not.
type ref struct {
	node int
	not  bool
}

// node is a line with a value.
type node struct {
	op     op
	sort   sort
	args   [3]ref
	number [2]int // of slice: the highest and the lowest bit
	value  *big.Int
	symbol string
	place  string // in the source that the file was made of
	id     int64
	line   int
	init   *ref // of a state
	next   *ref // of a state
}

// name returns the name of an input or state.
func (n *node) name() string {
	if n.symbol != "" {
		return n.symbol
	}
	return fmt.Sprint("n", n.id)
}

type justice struct {
	conditions []ref
	symbol     string
}

// root is a bad, a constraint or a fairness constraint.
type root struct {
	ref    ref
	symbol string
	line   int
}

// Constraint returns the name of constraint i of Sys, "" if it has none, and its line.
func (f *File) Constraint(i int) (name string, line int) {
	return f.constraints[i].symbol, f.constraints[i].line
}

// Error is a violation of the format, or of a limit of this package.
type Error struct {
	File         string
	Line, Column int // from 1
	Rule         string
}

func (e *Error) Error() string { return fmt.Sprintf("%s:%d:%d: %s", e.File, e.Line, e.Column, e.Rule) }

// Read reads a file. The name is for errors. The error is an *Error, or that of ctx. An array of more than
// MaxArray bits is an error.
func Read(ctx context.Context, data []byte, name string) (*File, error) {
	return read(ctx, data, &File{name: name, limit: MaxArray})
}

// ReadLarge is Read, but arrays may have any size. Of those of more than limit bits the system has only the
// elements at a few addresses, at first none: it has more runs than the file. If Abstract says so, use
// Refined before you believe a trace.
func ReadLarge(ctx context.Context, data []byte, name string, limit int) (*File, error) {
	return read(ctx, data, &File{name: name, limit: limit, memory: &memory{}})
}

func read(ctx context.Context, data []byte, file *File) (f *File, err error) {
	defer fault.Catch[*Error](&err)
	file.place = make(map[int]place)
	r := &reader{
		File:  file,
		sorts: make(map[int64]sort), node: make(map[int64]int),
	}
	for text := range bytes.Lines(data) {
		r.line++
		if r.line&0xfff == 0 && ctx.Err() != nil {
			return nil, ctx.Err()
		}
		r.split(string(text))
		if len(r.words) > 0 {
			r.read()
		}
	}
	return r.File, r.build(ctx)
}

// reader reads a file line by line. Its methods panic with an *Error.
type reader struct {
	*File
	sorts map[int64]sort // by number
	node  map[int64]int  // by number: its place in nodes
	last  int64          // the number of the line before

	line    int
	place   string   // what a comment behind the line says, as yosys writes it; the first of several
	words   []string // of the line
	columns []int    // of the words, from 1
	at      int      // the next word
}

// split makes the words of a line. A word that begins with a semicolon begins a comment.
func (r *reader) split(text string) {
	r.words, r.columns, r.at, r.place = r.words[:0], r.columns[:0], 0, ""
	for i := 0; i < len(text); {
		if c := text[i]; c == ' ' || c == '\t' || c == '\n' || c == '\r' {
			i++
			continue
		}
		start := i
		for i < len(text) && text[i] > ' ' {
			i++
		}
		if text[start] == ';' {
			r.place = sourcePlace.FindString(strings.TrimSpace(text[start+1:]))
			return
		}
		r.words, r.columns = append(r.words, text[start:i]), append(r.columns, start+1)
		if i == start {
			r.fail(len(r.words)-1, "a control character")
		}
	}
}

var sourcePlace = regexp.MustCompile(`^[^\s|]+:\d+(\.\d+)?(-\d+\.\d+)?`)

// fail reports what is wrong with a word of the line.
func (r *reader) fail(word int, rule string, args ...any) {
	column := 1
	if word < len(r.columns) {
		column = r.columns[word]
	} else if n := len(r.words); n > 0 {
		column = r.columns[n-1] + len(r.words[n-1])
	}
	panic(&Error{r.name, r.line, column, fmt.Sprintf(rule, args...)})
}

func (r *reader) word(what string) string {
	if r.at == len(r.words) {
		r.fail(r.at, "%s is missing", what)
	}
	r.at++
	return r.words[r.at-1]
}

// integer returns the next word as a number from lo to hi.
func (r *reader) integer(what string, lo, hi int64) int64 {
	w := r.word(what)
	n, digits := int64(0), strings.TrimPrefix(w, "-")
	for _, c := range []byte(digits) {
		if c < '0' || c > '9' || n > 1<<50 {
			r.fail(r.at-1, "%s is a number, not %q", what, w)
		}
		n = 10*n + int64(c-'0')
	}
	if digits == "" {
		r.fail(r.at-1, "%s is a number, not %q", what, w)
	}
	if digits != w {
		n = -n
	}
	if n < lo || n > hi {
		r.fail(r.at-1, "%s is from %d to %d, not %s", what, lo, hi, w)
	}
	return n
}

const maxID = 1 << 40

// sort reads the number of a sort.
func (r *reader) sort() sort {
	id := r.integer("the number of a sort", 1, maxID)
	s, ok := r.sorts[id]
	if !ok {
		r.fail(r.at-1, "line %d is no sort", id)
	}
	return s
}

// ref reads an operand.
func (r *reader) ref() (ref, sort) {
	id := r.integer("an operand", -maxID, maxID)
	i, ok := r.node[max(id, -id)]
	if !ok {
		r.fail(r.at-1, "line %d has no value, or is not before this one", max(id, -id))
	}
	s := r.nodes[i].sort
	if id < 0 && s.index > 0 {
		r.fail(r.at-1, "an array is not complemented")
	}
	return ref{i, id < 0}, s
}

// want checks the sort of the word that was read last.
func (r *reader) want(s, want sort) {
	if s != want {
		r.fail(r.at-1, "this is %v, want %v", s, want)
	}
}

var bit = sort{width: 1}

func (r *reader) read() {
	id := r.integer("the number of a line", 1, maxID)
	if id <= r.last {
		r.fail(0, "the numbers of lines ascend: %d is not above %d", id, r.last)
	}
	r.last = id
	switch tag := r.word("what the line is"); tag {
	case "sort":
		r.sorts[id] = r.newSort()
		r.symbol()
	case "init", "next":
		r.define(tag)
	case "bad":
		r.bads = append(r.bads, r.root())
	case "constraint":
		r.constraints = append(r.constraints, r.root())
	case "output":
		x, _ := r.ref()
		name := r.symbol()
		r.alias(x, name)
		if n := &r.nodes[x.node]; n.symbol == "" && !x.not && n.op != opInput && n.op != opConst {
			n.symbol, n.place = name, cmp.Or(n.place, r.place)
		}
	case "fair":
		r.fair = append(r.fair, r.root())
	case "justice":
		var j justice
		for range r.integer("how many conditions there are", 1, maxID) {
			x, s := r.ref()
			r.want(s, bit)
			j.conditions = append(j.conditions, x)
		}
		if j.symbol = r.symbol(); j.symbol == "" {
			j.symbol = fmt.Sprint("j", len(r.justice))
		}
		r.justice = append(r.justice, j)
	default:
		n := node{id: id, line: r.line, place: r.place}
		r.value(tag, &n)
		if n.op == opUext {
			r.alias(n.args[0], n.symbol)
		}
		r.node[id] = len(r.nodes)
		switch n.op {
		case opInput:
			r.inputs = append(r.inputs, len(r.nodes))
		case opState:
			r.states = append(r.states, len(r.nodes))
		}
		r.nodes = append(r.nodes, n)
	}
	if r.at < len(r.words) {
		r.fail(r.at, "%q is more than the line may have", r.words[r.at])
	}
}

// alias gives a state without a name that of a line that is the state: yosys names registers so. Of a wider word, which
// begins with zeros, the name is as good.
func (r *reader) alias(x ref, name string) {
	if n := &r.nodes[x.node]; n.op == opState && n.symbol == "" && !x.not {
		n.symbol, n.place = name, cmp.Or(n.place, r.place)
	}
}

func (r *reader) newSort() sort {
	switch kind := r.word("bitvec or array"); kind {
	case "bitvec":
		return sort{width: int(r.integer("the width of a word", 1, MaxWidth))}
	case "array":
		index := r.sort()
		if index.index > 0 {
			r.fail(r.at-1, "an array indexed by arrays is not supported")
		}
		element := r.sort()
		if element.index > 0 {
			r.fail(r.at-1, "an array of arrays is not supported")
		}
		if r.memory == nil && (index.width > 20 || element.width<<index.width > MaxArray) {
			r.fail(2, "an array may have %d bits; this one has 2^%d words of %d", MaxArray, index.width, element.width)
		}
		return sort{index.width, element.width}
	default:
		r.fail(2, "a sort is a bitvec or an array, not %q", kind)
		panic("unreachable")
	}
}

// symbol reads a name, if there is one.
func (r *reader) symbol() string {
	if r.at < len(r.words) {
		return r.word("a name")
	}
	return ""
}

func (r *reader) root() root {
	x, s := r.ref()
	r.want(s, bit)
	return root{x, r.symbol(), r.line}
}

// define reads the first or next value of a state.
func (r *reader) define(tag string) {
	s := r.sort()
	state, of := r.ref()
	n := &r.nodes[state.node]
	if n.op != opState || state.not {
		r.fail(r.at-1, "%s is for a state", tag)
	}
	r.want(of, s)
	value, vs := r.ref()
	if tag == "init" && s.index > 0 && vs.index == 0 {
		vs.index = s.index // each element has this value
	}
	r.want(vs, s)
	old := &n.next
	if tag == "init" {
		old = &n.init
		if value.node >= state.node {
			r.fail(r.at-1, "the first value of a state is on a line before the state")
		}
	}
	if *old != nil {
		r.fail(2, "the state has two lines %q", tag)
	}
	*old = &value
	r.symbol()
}

// value reads a line that has a value.
func (r *reader) value(tag string, n *node) {
	o, known := operators[tag]
	if !known {
		switch tag {
		case "input", "state", "zero", "one", "ones", "const", "constd", "consth":
		default:
			r.fail(1, "unknown operator %q", tag)
		}
	}
	n.sort = r.sort()
	switch {
	case tag == "input":
		n.op = opInput
	case tag == "state":
		n.op = opState
	case !known:
		n.op = opConst
		n.value = r.constant(tag, n.sort)
	default:
		n.op = o.op
		var sorts [3]sort
		for i := range o.arity {
			n.args[i], sorts[i] = r.ref()
			switch {
			case o.rule == same || o.rule == bits:
				if o.rule == bits {
					r.want(n.sort, bit)
				}
				if n.sort.index > 0 {
					r.fail(2, "%s has no arrays", tag)
				}
				r.want(sorts[i], n.sort)
			case o.rule == reduce || o.rule == compare:
				r.want(n.sort, bit)
				if sorts[i].index > 0 {
					r.fail(r.at-1, "%s has no arrays", tag)
				}
				r.want(sorts[i], sorts[0])
			}
		}
		if o.rule == special {
			r.checkSpecial(n, sorts)
		}
	}
	n.symbol = r.symbol()
}

// checkSpecial checks the sorts of the operators that have rules of their own.
func (r *reader) checkSpecial(n *node, s [3]sort) {
	word := func(i int) {
		if s[i].index > 0 {
			r.fail(3+i, "this is %v, want a word", s[i])
		}
	}
	result := func(want sort) {
		if n.sort != want {
			r.fail(2, "the result is %v, want %v", n.sort, want)
		}
	}
	arg := func(i int, want sort) {
		if s[i] != want {
			r.fail(3+i, "this is %v, want %v", s[i], want)
		}
	}
	switch n.op {
	case opSlice:
		word(0)
		n.number[0] = int(r.integer("the highest bit", 0, int64(s[0].width)-1))
		n.number[1] = int(r.integer("the lowest bit", 0, int64(n.number[0])))
		result(sort{width: n.number[0] - n.number[1] + 1})
	case opUext, opSext:
		word(0)
		more := r.integer("the number of more bits", 0, MaxWidth)
		result(sort{width: s[0].width + int(more)})
	case opEq, opNeq:
		result(bit)
		arg(1, s[0])
	case opConcat:
		word(0)
		word(1)
		result(sort{width: s[0].width + s[1].width})
	case opIte:
		arg(0, bit)
		arg(1, n.sort)
		arg(2, n.sort)
	case opRead, opWrite:
		if s[0].index == 0 {
			r.fail(3, "this is %v, want an array", s[0])
		}
		arg(1, sort{width: s[0].index})
		element := sort{width: s[0].width}
		if n.op == opRead {
			result(element)
			return
		}
		arg(2, element)
		result(s[0])
	}
}

func (r *reader) constant(tag string, s sort) *big.Int {
	if s.index > 0 {
		r.fail(2, "a constant is a word, not %v", s)
	}
	limit := new(big.Int).Lsh(big.NewInt(1), uint(s.width))
	switch tag {
	case "zero":
		return new(big.Int)
	case "one":
		return big.NewInt(1)
	case "ones":
		return limit.Sub(limit, big.NewInt(1))
	}
	text := r.word("a constant")
	base, digits := map[string]int{"const": 2, "constd": 10, "consth": 16}[tag], text
	negative := tag == "constd" && strings.HasPrefix(text, "-")
	if negative {
		digits = text[1:]
	}
	v, ok := new(big.Int), digits != "" && !strings.ContainsAny(digits, "+-_")
	if ok {
		v, ok = v.SetString(digits, base)
	}
	switch {
	case !ok:
		r.fail(r.at-1, "%q is no number to base %d", text, base)
	case tag == "const" && len(digits) != s.width:
		r.fail(r.at-1, "a constant of %d bits has as many digits, not %d", s.width, len(digits))
	case negative && v.Cmp(new(big.Int).Rsh(limit, 1)) > 0, v.Cmp(limit) >= 0:
		r.fail(r.at-1, "%s does not fit into %d bits", text, s.width)
	case negative && v.Sign() > 0:
		v.Sub(limit, v)
	}
	return v
}
