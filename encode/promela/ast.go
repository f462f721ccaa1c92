package promela

import (
	"slices"

	"orbitmc/internal/front"
)

// base is the kind of a type.
type base uint8

const (
	bBit  base = iota // also bool
	bByte             // also pid
	bShort
	bInt
	bUnsigned
	bMtype
	bChan
	bStruct
	bRef // a reference to a struct in the heap
)

// typ is a type of variables, message fields and parameters.
type typ struct {
	base base
	bits int      // of an unsigned
	of   *typedef // of a struct, or of what a reference names
	set  string   // of an mtype: the name of the set, "" for the unnamed one
	sync string   // sem, mutex or cond; "": none of them
}

// span returns the least and the greatest value of a simple type.
func (t typ) span() (lo, hi int64) {
	switch t.base {
	case bBit:
		return 0, 1
	case bShort:
		return -1 << 15, 1<<15 - 1
	case bInt:
		return -1 << 31, 1<<31 - 1
	case bUnsigned:
		return 0, 1<<t.bits - 1
	case bRef:
		return 0, int64(t.of.pool)
	}
	return 0, 255
}

type typedef struct {
	name   string
	at     place
	fields []*sym
	open   bool // its fields are being read
	pool   int  // the most of them in the heap at a time; 0: none
}

// sym is a variable, a parameter, or a field of a struct type.
type sym struct {
	name  string
	at    place
	typ   typ
	n     int  // elements; 1 for a scalar
	array bool // it takes an index, even if n is 1
	proc  *proctype
	param bool
	init  *expr     // evaluated when the process, or the program, begins; nil is 0
	list  []int64   // of an array: the values of its elements, the last one for all others
	ch    *chanInit // it is made with channels
	group *group    // of ch
	first int64     // of channels: the number of the first; of a process, from that of the first of its group
	made  []*made   // of a struct: the channels that its fields are made with
	in    bool      // it is such channels
	write bool      // it may get another value than that of its declaration
	cell  *cell     // what values it may have
	field int       // index in the record that holds it

	constant bool // the name of a message, which is the number val
	val      int64
}

// made is the channels of one field of a variable that is a struct: an array of them, with an element for
// each combination of the indices on the way to the field.
type made struct {
	path  []*sym // fields, the outermost first
	chans *sym
}

// chanInit is [slots] of { fields }.
type chanInit struct {
	at     place
	slots  int
	fields []typ // structs unfolded
}

// proctype is a proctype or init.
type proctype struct {
	name     string
	at       place
	params   []*sym // of simple types: structs are not unfolded
	locals   []*sym // all, parameters included, in order of declaration
	body     []*stmt
	labels   []*stmt // as they are read, each behind those in what it names
	active   int     // instances at the start
	rank     *sym    // _priority, a local variable of its processes if some have priorities; it begins with what is declared
	provided *expr
	index    int

	watched map[string]bool // labels that others look at, claims too
	stay    bool            // its processes stay at their end

	labelAt map[string]place // where they stand, and the gotos before that, for noteLabel
	gotoAt  map[string][]place

	*automaton
	slots []int // process numbers that its processes may have, ascending
}

// goal returns the label that a goto names, in its block or around it; nil: there is none.
func (p *proctype) goal(g *stmt) (best *stmt) {
	for _, l := range slices.Backward(p.labels) {
		if l.name != g.name {
			continue
		}
		if slices.Equal(l.scope, g.scope) {
			return l
		}
		if len(l.scope) <= len(g.scope) && slices.Equal(l.scope, g.scope[:len(l.scope)]) || best == nil {
			best = l
		}
	}
	return best
}

// seen returns the label of a name that others look at; nil: there is none.
func (p *proctype) seen(name string) *stmt {
	if i := slices.IndexFunc(p.labels, func(l *stmt) bool { return l.name == name }); i >= 0 {
		return p.labels[i]
	}
	return nil
}

// claim is a never claim or formula, which does not change what the program does.
type claim struct {
	name string
	at   place
	text []token
	kind string // "never", "ltl", "trace" or "notrace"

	before int // proctypes that stand before it
	size   int // elements of the automaton of a never claim; -1 if that is not known

	monitor *monitor // nil: not checked
	reason  string   // why it is not checked
	formula *formula // of ltl, if formulas are wanted
	accepts []bool   // of never, if formulas are wanted: by state of the monitor
}

type file struct {
	opt      Options
	globals  []*sym
	procs    []*proctype
	claims   []*claim
	messages []*sym     // mtype constants
	pools    []*typedef // that references name
	runs     bool       // some expression runs a process
	timeout  bool       // some expression asks for timeout
	ranks    bool       // processes have priorities

	handed handed         // to processes that are run
	fused  map[*sym]*sym  // channels that are in the array of others
	was    map[int64]spot // by number: global channels, as processes were handed them

	blocks []front.Block

	unset map[*sym]bool // variables that begin without a value
	cond  *typedef      // of conditions; nil: there is none
	syncs bool          // there are semaphores, mutexes or conditions
}

type stKind uint8

const (
	sCond   stKind = iota // also skip, and run
	sAssign               // lhs = e
	sSend
	sRecv
	sAssert
	sPrint
	sDelete   // of what e names
	sSync     // name, of the variables args
	sPriority // of the process number args[0] becomes args[1]
	sElse
	sGoto // also break
	sIf
	sDo
	sAtomic
	sDstep
	sBlock
	sLabel // name: body
	sUnless
	sEnd // the end of a process

	// Elements of automata only, for places where branches meet.
	sJoin // after if, unless and the options of do
	sBreak
)

type stmt struct {
	kind stKind
	at   place
	text string // of a basic statement

	e    *expr   // condition, assertion, right-hand side
	lhs  *expr   // a variable
	ch   *expr   // of send and receive
	args []*expr // of send, receive, print and sync; in a receive, a match is an opEval
	mode mode

	name  string    // of the label that a goto or label names
	scope []int     // of the label: the blocks around it, the innermost last
	exit  *stmt     // of a break: the loop
	bare  bool      // of an unless: it escapes from one statement, not a block
	subs  [][]*stmt // options of if and do; the one sequence of a block; the two of unless
}

// mode tells forms of send and receive apart.
type mode uint8

const (
	sorted mode = 1 << iota // send: !!
	random                  // receive: ??
	peek                    // receive: the message stays
)

// opcode is the kind of an expression.
type opcode uint8

const (
	opConst  opcode = iota
	opVar           // sym, with an index x if it is an array, and perhaps a field y
	opUnary         // text: ! - ~
	opBinary        // text
	opCond          // x ? y : z
	opRun           // proc, args
	opLen           // of channel x
	opFull          // text: full empty nfull nempty
	opPoll          // of channel x, args, mode
	opEval          // an argument of a receive that is compared
	opAny           // an argument of a receive that is dropped: _
	opTimeout
	opPid
	opNrPr
	opAt  // proc, process number x or nil, label text
	opRem // proc, process number x or nil, variable y
	opNull
	opNew      // of type of
	opPriority // of process number x
)

type expr struct {
	op      opcode
	at      place
	text    string
	val     int64
	sym     *sym
	x, y, z *expr
	args    []*expr
	mode    mode
	proc    *proctype
	name    string // of the proctype, until all are known
	of      *typedef
	as      *expr // how the channels of a field are written
}

// constant returns the value of an expression without variables.
func constant(e *expr) (int64, bool) {
	if e == nil {
		return 0, false
	}
	switch e.op {
	case opConst:
		return e.val, true
	case opNull:
		return 0, true
	case opUnary:
		if x, ok := constant(e.x); ok {
			return unary(e.text, x), true
		}
	case opBinary:
		x, ok := constant(e.x)
		y, ok2 := constant(e.y)
		if ok && ok2 && (y != 0 || e.text != "/" && e.text != "%") {
			return binary(e.text, x, y), true
		}
	case opCond:
		if x, ok := constant(e.x); ok {
			if x != 0 {
				return constant(e.y)
			}
			return constant(e.z)
		}
	}
	return 0, false
}

func unary(op string, x int64) int64 {
	switch op {
	case "!":
		return truth(x == 0)
	case "-":
		return int64(int32(-x))
	}
	return ^x
}

// binaries are the operators of two operands.
var binaries = map[string]func(x, y int64) int64{
	"+":  func(x, y int64) int64 { return x + y },
	"-":  func(x, y int64) int64 { return x - y },
	"*":  func(x, y int64) int64 { return x * y },
	"/":  func(x, y int64) int64 { return x / y },
	"%":  func(x, y int64) int64 { return x % y },
	"&":  func(x, y int64) int64 { return x & y },
	"|":  func(x, y int64) int64 { return x | y },
	"^":  func(x, y int64) int64 { return x ^ y },
	"<<": func(x, y int64) int64 { return x << (uint64(y) & 31) },
	">>": func(x, y int64) int64 { return x >> (uint64(y) & 31) },
	"<":  func(x, y int64) int64 { return truth(x < y) },
	"<=": func(x, y int64) int64 { return truth(x <= y) },
	">":  func(x, y int64) int64 { return truth(x > y) },
	">=": func(x, y int64) int64 { return truth(x >= y) },
	"==": func(x, y int64) int64 { return truth(x == y) },
	"!=": func(x, y int64) int64 { return truth(x != y) },
	"&&": func(x, y int64) int64 { return truth(x != 0 && y != 0) },
	"||": func(x, y int64) int64 { return truth(x != 0 || y != 0) },
}

// binary applies an operator as C does to its int.
func binary(op string, x, y int64) int64 { return int64(int32(binaries[op](x, y))) }

func truth(b bool) int64 {
	if b {
		return 1
	}
	return 0
}

// parts returns the operands of e, or the index and the field.
func (e *expr) parts() []*expr {
	return slices.DeleteFunc(append([]*expr{e.x, e.y, e.z}, e.args...), func(x *expr) bool { return x == nil })
}

// each calls f for e, which may be nil, and its parts.
func (e *expr) each(f func(*expr)) {
	if e == nil {
		return
	}
	f(e)
	e.x.each(f)
	e.y.each(f)
	e.z.each(f)
	for _, a := range e.args {
		a.each(f)
	}
}

// any reports whether a condition holds of e, or of a part of it.
func (e *expr) any(is func(*expr) bool) bool {
	found := false
	e.each(func(x *expr) { found = found || is(x) })
	return found
}

// has reports whether e has a part of this kind.
func (e *expr) has(op opcode) bool { return e.any(func(x *expr) bool { return x.op == op }) }
