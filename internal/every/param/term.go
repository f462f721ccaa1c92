package param

import (
	"context"
	"encoding/binary"
	"slices"

	"orbitmc/internal/lists"
	"orbitmc/internal/pace"
	"orbitmc/model"
)

// This file holds formulas of first-order logic over several sorts, with equality. A formula is
// a number, and equal formulas have equal numbers: formulas that differ in the order of
// conjuncts or in the names of bound variables only are equal.

// Formula is a formula of a Logic: twice the number of a node, plus one if it is negated.
type Formula int32

// The constants.
const (
	True  Formula = 0
	False Formula = 1
)

// Not returns the negation.
func (f Formula) Not() Formula { return f ^ 1 }

// Term is a term of a Logic: a variable, or what a family holds.
type Term int32

// Kind is the kind of a node.
type Kind uint8

// Kinds of nodes. There is no disjunction and no ∃: they are negations of these.
const (
	Constant Kind = iota // true
	And                  // all of Kids, at least two
	All                  // Kids[0] for all values of Var
	Is                   // family Fam holds option Opt at Args
	Equal                // Args[0] = Args[1]
	AtMost               // Args[0], an integer, is at most 0
)

// Node is a formula without its negation. It must not be changed.
type Node struct {
	Kind Kind
	Kids []Formula
	Var  Term
	Fam  *Family
	Opt  int
	Args []Term
	Free []Term // variables, ascending

	height int // quantifiers on the deepest path
}

// Family is a set of leaves of a state that differ in components only: a function from
// components to values.
type Family struct {
	Name    string
	Args    []int    // sort of each argument
	Opts    []Option // the values; at most one is held, and none if the leaf is undefined
	Defined bool     // one is held

	number int
	inst   *instance
	typed  *valueType
}

// Option is a value of a family: a constant, any component of a sort, or any integer of a range.
// Which one it is, is a term.
type Option struct {
	Sort  int // -1: a constant; Ints: an integer
	Const Const
}

// Logic makes formulas. It is not safe for concurrent use.
type Logic struct {
	nodes []Node
	terms []termNode
	at    map[string]int32
	fresh int
	key   []byte
	most  int       // there may be no more nodes: maxNodes, or less for a candidate
	pos   model.Pos // what formulas are made for, for messages
	ands  [1 << andBits]conjoined
	ctx   context.Context // of New, which ends with it; its limit counts formulas. nil: none
}

type termNode struct {
	fam  *Family // nil: a variable
	opt  int
	args []Term
	sort int
	name int // of a variable: its number, or, if negative, less the height of its quantifier
	free []Term

	// Of integers only, of which fam may be nil.
	sum     *sum
	symbol  string
	counted Term // the variable of a count
	body    Formula
	height  int // of a count that of its variable; of a sum less the height of its counts
}

// maxNodes is the largest number of formulas, so that they fit in memory. A candidate that takes more than perCandidate is
// left out, and so are all when half of maxNodes is reached.
const (
	maxNodes     = 1 << 20
	perCandidate = 1 << 14
)

// perNode is how many steps of a limit a formula takes, and someNodes how many formulas are counted at
// once.
const (
	perNode   = 20
	someNodes = 256
)

// stopped is a panic in New whose context ended.
type stopped struct{ err error }

// NewLogic returns a Logic without formulas.
func NewLogic() *Logic {
	return &Logic{nodes: []Node{{Kind: Constant}}, at: make(map[string]int32), most: maxNodes}
}

// Node returns the node of a formula, whatever its sign.
func (l *Logic) Node(f Formula) *Node { return &l.nodes[f>>1] }

// Negated reports whether f is the negation of its node.
func (f Formula) Negated() bool { return f&1 == 1 }

func (l *Logic) begin(tag byte) { l.key = append(l.key[:0], tag) }

func (l *Logic) put(xs ...int) {
	for _, x := range xs {
		l.key = binary.AppendVarint(l.key, int64(x))
	}
}

// Fresh returns a new variable.
func (l *Logic) Fresh(sort int) Term {
	l.fresh++
	return l.variable(sort, l.fresh)
}

func (l *Logic) variable(sort, name int) Term {
	l.begin('v')
	l.put(sort, name)
	t, ok := l.at[string(l.key)]
	if !ok {
		t = int32(len(l.terms))
		l.terms = append(l.terms, termNode{sort: sort, name: name, free: []Term{Term(t)}})
		l.at[string(l.key)] = t
	}
	return Term(t)
}

// App returns the component that a family holds, if it holds one as option opt.
func (l *Logic) App(fam *Family, opt int, args []Term) Term {
	l.begin('t')
	l.put(fam.number, opt)
	for _, a := range args {
		l.put(int(a))
	}
	t, ok := l.at[string(l.key)]
	if !ok {
		t = int32(len(l.terms))
		l.at[string(l.key)] = t
		l.terms = append(l.terms, termNode{fam: fam, opt: opt, args: slices.Clone(args), sort: fam.Opts[opt].Sort, free: l.freeOf(args)})
	}
	return Term(t)
}

func (l *Logic) freeOf(args []Term) []Term {
	var free []Term
	for _, a := range args {
		free = append(free, l.terms[a].free...)
	}
	slices.Sort(free)
	return slices.Compact(free)
}

// Sort returns the sort of a term.
func (l *Logic) Sort(t Term) int { return l.terms[t].sort }

// Applied returns the parts of a term that is no variable; fam is nil if it is one.
func (l *Logic) Applied(t Term) (fam *Family, opt int, args []Term) {
	n := &l.terms[t]
	return n.fam, n.opt, n.args
}

// FreeIn returns the variables of a term.
func (l *Logic) FreeIn(t Term) []Term { return l.terms[t].free }

func (l *Logic) node(n Node) Formula {
	at, ok := l.at[string(l.key)]
	if !ok {
		if len(l.nodes) >= l.most {
			refuse(l.pos, "what the rules up to here do takes more than %d formulas", maxNodes)
		}
		at = int32(len(l.nodes))
		l.at[string(l.key)] = at
		l.nodes = append(l.nodes, n)
		if l.ctx != nil && at%someNodes == 0 {
			pace.LimitOf(l.ctx).Spend(someNodes * perNode)
			if err := l.ctx.Err(); err != nil {
				panic(stopped{err})
			}
		}
	}
	return Formula(at << 1)
}

// Is says that a family holds an option.
func (l *Logic) Is(fam *Family, opt int, args []Term) Formula {
	if fam.Defined {
		switch len(fam.Opts) {
		case 1:
			return True
		case 2:
			if opt == 0 {
				return l.Is(fam, 1, args).Not()
			}
		}
	}
	l.begin('i')
	l.put(fam.number, opt)
	for _, a := range args {
		l.put(int(a))
	}
	return l.node(Node{Kind: Is, Fam: fam, Opt: opt, Args: slices.Clone(args), Free: l.freeOf(args)})
}

// Equal says that two terms are the same component.
func (l *Logic) Equal(a, b Term) Formula {
	if a == b {
		return True
	}
	if a > b {
		a, b = b, a
	}
	l.begin('e')
	l.put(int(a), int(b))
	return l.node(Node{Kind: Equal, Args: []Term{a, b}, Free: l.freeOf([]Term{a, b})})
}

// Or is the disjunction.
func (l *Logic) Or(fs ...Formula) Formula {
	return l.And(lists.Map(fs, func(f Formula) Formula { return f.Not() })...).Not()
}

// And is the conjunction, without what follows from other conjuncts at once.
func (l *Logic) And(fs ...Formula) Formula {
	if len(fs) != 2 {
		return l.and(fs)
	}
	a, b := min(fs[0], fs[1]), max(fs[0], fs[1])
	c := &l.ands[(uint32(a)*0x9e3779b1^uint32(b)*0x85ebca6b)>>(32-andBits)]
	if c.a != a || c.b != b {
		*c = conjoined{a, b, l.and(fs)}
	}
	return c.out
}

// conjoined is the conjunction of two formulas. Most are asked for again: rules read the same
// places in the same conditions.
type conjoined struct{ a, b, out Formula }

// andBits is how many bits number the conjunctions of two that are remembered.
const andBits = 16

func (l *Logic) and(fs []Formula) Formula {
	var kids []Formula
	for _, f := range fs {
		if n := l.Node(f); n.Kind == And && !f.Negated() {
			kids = append(kids, n.Kids...)
		} else {
			kids = append(kids, f)
		}
	}
	for {
		slices.Sort(kids)
		kids = slices.Compact(kids)
		for i, k := range kids {
			if k == False || i > 0 && kids[i-1] == k.Not() {
				return False
			}
		}
		if len(kids) > 0 && kids[0] == True {
			kids = kids[1:]
		}
		next, changed, ok := l.unit(kids)
		if !ok {
			return False
		}
		if !changed {
			break
		}
		kids = next
	}
	switch len(kids) {
	case 0:
		return True
	case 1:
		return kids[0]
	}
	l.begin('a')
	n := Node{Kind: And, Kids: kids}
	for _, k := range kids {
		l.put(int(k))
		n.Free = append(n.Free, l.Node(k).Free...)
		n.height = max(n.height, l.Node(k).height)
	}
	slices.Sort(n.Free)
	n.Free = slices.Compact(n.Free)
	return l.node(n)
}

// conjuncts returns formulas of which f is the conjunction.
func (l *Logic) conjuncts(f Formula) []Formula {
	if n := l.Node(f); n.Kind == And && !f.Negated() {
		return n.Kids
	}
	return []Formula{f}
}

// unit simplifies conjuncts, sorted and without repetitions, by others that are no
// disjunctions. ok is false if they contradict each other.
func (l *Logic) unit(kids []Formula) (next []Formula, changed, ok bool) {
	has := func(f Formula) bool { _, found := slices.BinarySearch(kids, f); return found }
	// A conjunction that is a disjunct is true if its parts are among the conjuncts, and false if
	// the negation of one is. The parts are smaller than the disjunction, so this is no circle.
	holds := func(f Formula) bool {
		return !slices.ContainsFunc(l.conjuncts(f), func(p Formula) bool { return !has(p) })
	}
	fails := func(f Formula) bool {
		return slices.ContainsFunc(l.conjuncts(f), func(p Formula) bool { return has(p.Not()) })
	}
	for _, k := range kids {
		n := l.Node(k)
		switch {
		case n.Kind == And && k.Negated():
			// The disjuncts are the negations of the kids.
			if slices.ContainsFunc(n.Kids, func(d Formula) bool { return holds(d.Not()) }) {
				changed = true
				continue
			}
			if slices.ContainsFunc(n.Kids, func(d Formula) bool { return fails(d.Not()) }) {
				rest := slices.DeleteFunc(slices.Clone(n.Kids), func(d Formula) bool { return fails(d.Not()) })
				changed = true
				if f := l.And(rest...).Not(); l.Node(f).Kind == And && !f.Negated() {
					next = append(next, l.Node(f).Kids...)
				} else {
					next = append(next, f)
				}
				continue
			}
		case n.Kind == Is:
			// One option excludes the others.
			other := func(j Formula) bool {
				m := l.Node(j)
				return j != k && !j.Negated() && m.Kind == Is && m.Fam == n.Fam && m.Opt != n.Opt && slices.Equal(m.Args, n.Args)
			}
			if slices.ContainsFunc(kids, other) {
				if !k.Negated() {
					return nil, true, false
				}
				changed = true
				continue
			}
		}
		next = append(next, k)
	}
	return next, changed, true
}

// Ite is a if c holds and b otherwise.
func (l *Logic) Ite(c, a, b Formula) Formula {
	return l.Or(l.And(c, a), l.And(c.Not(), b))
}

// Exists says that body holds for some value of v.
func (l *Logic) Exists(v Term, body Formula) Formula { return l.All(v, body.Not()).Not() }

// All says that body holds for all values of v. A sort is never empty, so quantifiers are
// moved inwards.
func (l *Logic) All(v Term, body Formula) Formula {
	n := l.Node(body)
	if !slices.Contains(n.Free, v) {
		return body
	}
	switch {
	case n.Kind == And && !body.Negated():
		return l.And(lists.Map(n.Kids, func(k Formula) Formula { return l.All(v, k) })...)
	case n.Kind == And:
		var with, without []Formula
		for _, k := range n.Kids {
			if t, ok := l.equated(v, k); ok {
				rest := lists.Where(n.Kids, func(j Formula) bool { return j != k })
				return l.Substitute(l.And(rest...).Not(), map[Term]Term{v: t})
			}
			if slices.Contains(l.Node(k).Free, v) {
				with = append(with, k)
			} else {
				without = append(without, k.Not())
			}
		}
		if without != nil {
			return l.Or(append(without, l.All(v, l.And(with...).Not()))...)
		}
	case n.Kind == Equal && body.Negated():
		if _, ok := l.equated(v, body.Not()); ok {
			return False
		}
	}
	h := n.height + 1
	w := l.variable(l.terms[v].sort, -h)
	body = l.Substitute(body, map[Term]Term{v: w})
	l.begin('q')
	l.put(int(body), int(w))
	free := slices.DeleteFunc(slices.Clone(l.Node(body).Free), func(t Term) bool { return t == w })
	return l.node(Node{Kind: All, Kids: []Formula{body}, Var: w, Free: free, height: h})
}

// equated returns t if f says that v = t, and v is not in t.
func (l *Logic) equated(v Term, f Formula) (Term, bool) {
	n := l.Node(f)
	if f.Negated() || n.Kind != Equal {
		return 0, false
	}
	a, b := n.Args[0], n.Args[1]
	if b == v {
		a, b = b, a
	}
	return b, a == v && !slices.Contains(l.terms[b].free, v)
}

// Substitute replaces variables by terms. No quantifier of f may bind a variable that is in one
// of the terms; fresh variables never are bound.
func (l *Logic) Substitute(f Formula, by map[Term]Term) Formula {
	s := substitution{l: l, by: by, done: make(map[Formula]Formula)}
	return s.formula(f)
}

type substitution struct {
	l    *Logic
	by   map[Term]Term
	done map[Formula]Formula // without negations
}

func (s *substitution) touches(free []Term) bool {
	for _, v := range free {
		if t, ok := s.by[v]; ok && t != v {
			return true
		}
	}
	return false
}

func (s *substitution) term(t Term) Term {
	n := s.l.terms[t]
	switch {
	case !s.touches(n.free):
		return t
	case n.sort == Ints && n.fam == nil:
		return s.linear(n)
	case n.fam == nil:
		return s.by[t]
	}
	return s.l.App(n.fam, n.opt, s.args(n.args))
}

func (s *substitution) args(ts []Term) []Term {
	return lists.Map(ts, s.term)
}

func (s *substitution) formula(f Formula) Formula {
	n := *s.l.Node(f)
	if !s.touches(n.Free) {
		return f
	}
	sign := f & 1
	f ^= sign
	out, ok := s.done[f]
	if !ok {
		switch n.Kind {
		case And:
			out = s.l.And(lists.Map(n.Kids, s.formula)...)
		case All:
			// The body may shrink, so the quantifier is made anew.
			v := s.l.Fresh(s.l.Sort(n.Var))
			out = s.l.All(v, s.formula(s.l.Substitute(n.Kids[0], map[Term]Term{n.Var: v})))
		case Is:
			out = s.l.Is(n.Fam, n.Opt, s.args(n.Args))
		case Equal:
			out = s.l.Equal(s.term(n.Args[0]), s.term(n.Args[1]))
		case AtMost:
			out = s.l.AtMost(s.term(n.Args[0]))
		}
		s.done[f] = out
	}
	return out ^ sign
}
