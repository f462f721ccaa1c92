package promela

import (
	"slices"
	"strconv"
)

type walkState struct {
	vars   []int64
	procs  []walkProc // by process number
	chans  []walkChan // by number - 1
	holder int        // the process that is inside an atomic sequence and in control; -1: none
	offer  int64      // the rendezvous channel on which a message is being passed; 0: none
}

type walkProc struct {
	*walkProctype
	at   *walkNode
	vars []int64
}

// walkChan is a channel: element index of a declaration, of a process or of the program (-1).
type walkChan struct {
	of    *sym
	index int
	pid   int
	msgs  [][]int64
}

func (s *walkState) clone() *walkState {
	t := *s
	t.vars, t.procs, t.chans = slices.Clone(s.vars), slices.Clone(s.procs), slices.Clone(s.chans)
	for i := range t.procs {
		t.procs[i].vars = slices.Clone(t.procs[i].vars)
	}
	for i := range t.chans {
		t.chans[i].msgs = slices.Clone(t.chans[i].msgs) // messages do not change
	}
	return &t
}

// key tells states apart.
func (s *walkState) key() string {
	var b []byte
	add := func(values ...int64) {
		for _, v := range values {
			b = append(strconv.AppendInt(b, v, 36), ' ')
		}
	}
	add(s.vars...)
	add(int64(s.holder), int64(len(s.procs)))
	for _, p := range s.procs {
		add(int64(p.index), int64(p.at.id))
		add(p.vars...)
	}
	for _, c := range s.chans {
		add(int64(len(c.msgs)))
		for _, m := range c.msgs {
			add(m...)
		}
	}
	return string(b)
}

// walkFault is an error of a program while it runs.
type walkFault string

// walkUncovered is something that the walker does not know.
type walkUncovered string

func walkFail(cond bool, what string) {
	if cond {
		panic(walkFault(what))
	}
}

// walkStored reports whether a field is kept in a variable: channels that a struct is made with are variables of their own.
func walkStored(f *sym) bool { return f.ch == nil && (f.typ.base != bStruct || walkWidth(f.typ) > 0) }

// walkWidth returns how many values something of a type has.
func walkWidth(t typ) int {
	if t.base != bStruct {
		return 1
	}
	n := 0
	for _, f := range t.of.fields {
		if walkStored(f) {
			n += f.n * walkWidth(f.typ)
		}
	}
	return n
}

// keep returns a number as a variable of a type keeps it. Bits in arrays are bytes in C.
func keep(t typ, array bool, v int64) int64 {
	switch t.base {
	case bBit:
		if array {
			return int64(uint8(v))
		}
		return v & 1
	case bShort:
		return int64(int16(v))
	case bInt:
		return int64(int32(v))
	case bUnsigned:
		return v & (1<<t.bits - 1)
	}
	return int64(uint8(v))
}

// walkEnv is who evaluates an expression, and when.
type walkEnv struct {
	*walker
	s       *walkState
	pid     int // -1: nobody
	timeout bool
	made    int64 // the process that a run has made
}

// place returns where the value of a variable is; owner says whose it is, if it is one of a process.
func (w walkEnv) place(e *expr, owner int) (at *int64, last *sym) {
	values, i := w.s.vars, 0
	if e.sym.proc == nil {
		i = w.places[e.sym]
	} else {
		p := w.s.procs[owner]
		values, i = p.vars, p.places[e.sym]
	}
	for {
		if e.sym.array && e.x != nil {
			k := w.eval(e.x)
			walkFail(k < 0 || k >= int64(e.sym.n), "an index out of range")
			i += int(k) * walkWidth(e.sym.typ)
		}
		if e.y == nil {
			return &values[i], e.sym
		}
		for _, f := range e.sym.typ.of.fields {
			if f == e.y.sym {
				break
			}
			if walkStored(f) {
				i += f.n * walkWidth(f.typ)
			}
		}
		e = e.y
	}
}

func (w walkEnv) assign(e *expr, value int64) {
	if e.op == opAny {
		return
	}
	at, s := w.place(e, w.pid)
	*at = keep(s.typ, s.array, value)
}

func holds(b bool) int64 {
	if b {
		return 1
	}
	return 0
}

// eval evaluates an expression, in numbers of 32 bits as C does.
func (w walkEnv) eval(e *expr) int64 {
	switch e.op {
	case opConst:
		return e.val
	case opVar:
		at, _ := w.place(e, w.pid)
		return *at
	case opUnary:
		x := w.eval(e.x)
		return map[string]int64{"!": holds(x == 0), "-": int64(int32(-x)), "~": ^x}[e.text]
	case opBinary:
		return w.operate(e)
	case opCond:
		if w.eval(e.x) != 0 {
			return w.eval(e.y)
		}
		return w.eval(e.z)
	case opRun:
		return w.made
	case opPid:
		return int64(w.pid)
	case opNrPr:
		return int64(len(w.s.procs))
	case opPriority:
		pid := w.eval(e.x)
		if pid < 0 || pid >= int64(len(w.s.procs)) {
			return 0
		}
		return *w.s.rank(int(pid))
	case opTimeout:
		return holds(w.timeout)
	case opLen, opFull, opPoll:
		return w.ask(e)
	case opAt:
		if pid := w.other(e); pid >= 0 {
			p := w.s.procs[pid]
			return holds(p.at == p.marked(p.seen(e.text)))
		}
		return 0
	case opRem:
		pid := w.other(e)
		if pid < 0 {
			return 0
		}
		at, _ := w.place(e.y, pid)
		return *at
	}
	panic(walkUncovered("an expression of its own")) // of the heap
}

// walkOperators apply the operators of two operands; of && and || the first one is known not to decide.
var walkOperators = map[string]func(a, b int32) int64{
	"&&": func(_, b int32) int64 { return holds(b != 0) },
	"||": func(_, b int32) int64 { return holds(b != 0) },
	"==": func(a, b int32) int64 { return holds(a == b) },
	"!=": func(a, b int32) int64 { return holds(a != b) },
	"<":  func(a, b int32) int64 { return holds(a < b) },
	"<=": func(a, b int32) int64 { return holds(a <= b) },
	">":  func(a, b int32) int64 { return holds(a > b) },
	">=": func(a, b int32) int64 { return holds(a >= b) },
	"+":  func(a, b int32) int64 { return int64(a + b) },
	"-":  func(a, b int32) int64 { return int64(a - b) },
	"*":  func(a, b int32) int64 { return int64(a * b) },
	"/":  func(a, b int32) int64 { return int64(a / b) },
	"%":  func(a, b int32) int64 { return int64(a % b) },
	"&":  func(a, b int32) int64 { return int64(a & b) },
	"|":  func(a, b int32) int64 { return int64(a | b) },
	"^":  func(a, b int32) int64 { return int64(a ^ b) },
	"<<": func(a, b int32) int64 { return int64(a << (uint32(b) & 31)) },
	">>": func(a, b int32) int64 { return int64(a >> (uint32(b) & 31)) },
}

func (w walkEnv) operate(e *expr) int64 {
	x := w.eval(e.x)
	if e.text == "&&" && x == 0 || e.text == "||" && x != 0 {
		return holds(x != 0)
	}
	y := w.eval(e.y)
	walkFail(int32(y) == 0 && (e.text == "/" || e.text == "%"), "a division by 0")
	apply := walkOperators[e.text]
	if apply == nil {
		panic(walkUncovered("the operator " + e.text))
	}
	return apply(int32(x), int32(y))
}

// other returns the process that a remote reference names, -1 if there is none of that proctype.
func (w walkEnv) other(e *expr) int {
	is := func(p walkProc) bool { return p.proctype == e.proc }
	if e.x == nil {
		return slices.IndexFunc(w.s.procs, is)
	}
	pid := w.eval(e.x)
	if pid < 0 || pid >= int64(len(w.s.procs)) || !is(w.s.procs[pid]) {
		return -1
	}
	return int(pid)
}

// channel returns the channel that an expression names, and its number.
func (w walkEnv) channel(e *expr) (c *walkChan, number int64) {
	number = w.eval(e)
	if number < 1 || number > int64(len(w.s.chans)) {
		return nil, number
	}
	return &w.s.chans[number-1], number
}

// ask evaluates len, full and its like, and polls.
func (w walkEnv) ask(e *expr) int64 {
	c, _ := w.channel(e.x)
	if c == nil {
		panic(walkUncovered("a question about a channel that is not set"))
	}
	if e.op == opPoll && c.of.ch.slots == 0 {
		w.polled = true // an error, but the program goes on
		return 0
	}
	n, room := len(c.msgs), max(c.of.ch.slots, 1)
	switch {
	case e.op == opLen:
		return int64(n)
	case e.op == opPoll:
		return holds(w.find(c, e.args, e.mode) >= 0)
	}
	return holds(map[string]bool{"full": n >= room, "nfull": n < room, "empty": n == 0, "nempty": n > 0}[e.text])
}

// find returns which message of a channel can be received; -1: none.
func (w walkEnv) find(c *walkChan, args []*expr, m mode) int {
	for k, msg := range c.msgs {
		fits := true
		for i, a := range args {
			if fits && a.op == opEval {
				walkFail(i >= len(msg), "a message of other fields")
				fits = msg[i] == w.eval(a.x)
			}
		}
		if fits {
			return k
		}
		if m&random == 0 {
			break
		}
	}
	return -1
}
