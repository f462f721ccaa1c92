// Package litmus runs litmus tests on a model of a coherence protocol: short programs of a few cores, of which a
// memory model says how they may end. The protocol and the test become one Murphi model, which the engines decide.
//
//	test.go      tests, in herd's format and in a short one
//	outcomes.go  how a test may end under SC and TSO, by running it on an abstract memory
//	mapping.go   where the protocol performs loads and stores; guess.go: which of them a model seems to have
//	product.go   the model of a test and a protocol; walk.go: outcomes of it by random walks
package litmus

import (
	_ "embed"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"orbitmc/internal/front"
	"orbitmc/internal/lists"
	"orbitmc/model"
)

// Test is a litmus test.
type Test struct {
	Name       string
	Addresses  []string // in order of appearance
	Threads    [][]Op
	Quantifier string // "exists", "~exists" or "forall"; "": no condition
	Condition  string
	holds      func(value func(thread int, name string) int64) bool
	memory     []string // addresses whose last value the condition asks for
}

// Op is an instruction of a core.
type Op struct {
	Kind    Kind
	Address int    // of Test.Addresses
	Value   int64  // of a store
	Reg     string // of a load
}

// Kind is what an instruction does.
type Kind uint8

// Kinds.
const (
	Load Kind = iota
	Store
	Fence
)

func (t *Test) text(o Op) string {
	switch o.Kind {
	case Load:
		return o.Reg + " = " + t.Addresses[o.Address]
	case Store:
		return fmt.Sprintf("%s = %d", t.Addresses[o.Address], o.Value)
	}
	return "fence"
}

// String is its name.
func (t *Test) String() string { return t.Name }

// Programs returns the programs of the cores in the short format.
func (t *Test) Programs() (all []string) {
	for n, ops := range t.Threads {
		all = append(all, fmt.Sprintf("P%d: %s", n, lists.Join(ops, "; ", t.text)))
	}
	return all
}

// address returns the number of an address.
func (t *Test) address(name string) int {
	if i := slices.Index(t.Addresses, name); i >= 0 {
		return i
	}
	t.Addresses = append(t.Addresses, name)
	return len(t.Addresses) - 1
}

// Values returns the greatest number that is stored.
func (t *Test) Values() (most int64) {
	for _, ops := range t.Threads {
		for _, o := range ops {
			most = max(most, o.Value)
		}
	}
	return most
}

// reading is the state of reading one file.
type reading struct {
	file, src string
	test      *Test
	of        []map[string]string // by thread: what a register holds, an address or a number
	first     map[string]string   // what registers hold at first, by "0:r1" or "%x0"
	head      string              // litmus, C or an architecture
	released  map[int]bool        // threads with a store-release behind the last fence
}

// fail returns an error at text in a line, counted from 1.
func (r *reading) fail(line int, text, format string, args ...any) error {
	pos := model.Pos{Line: line, Col: 1}
	n := 0
	for l := range strings.Lines(r.src) {
		if n++; n == line && text != "" {
			pos.Col = max(0, strings.Index(l, text)) + 1
		}
	}
	return front.ErrorAt(r.file, r.src, pos, fmt.Sprintf(format, args...))
}

var (
	condition = regexp.MustCompile(`(?ms)^\s*((?:~\s*|not\s+)?exists|forall)\b\s*(.*)\z`)
	short     = regexp.MustCompile(`^\s*P?(\d+)\s*:(.*)$`)
	function  = regexp.MustCompile(`^P(\d+)\s*\(((?:\s*(?:volatile\s+)?int\s*\*\s*\w+\s*,?)*)\)\s*\{$`)
	comment   = regexp.MustCompile(`(?s)\(\*.*?\*\)`)
	locations = regexp.MustCompile(`^locations\s*\[[^\]]*\]$`) // what herd prints besides
	memoryAt  = regexp.MustCompile(`^(?:u?int(?:\d+_t)?\s+)?(?:[A-Za-z]\w*|\[[A-Za-z]\w*\])(?:\s*=\s*0)?$`)
	binding   = regexp.MustCompile(`^(?:u?int(?:\d+_t)?\s+)?(?:P?(\d+)\s*:\s*)?(%?[A-Za-z]\w*)\s*=\s*([A-Za-z]\w*|\d+)$`)
)

// Parse reads a test in herd's format (ARM, AArch64, PPC, X86 or C: loads, stores, moves of numbers, fences) or in the
// short one:
//
//	litmus MP
//	P0: x = 1; y = 1
//	P1: r0 = y; fence; r1 = x
//	exists 1:r0=1 /\ 1:r1=0
//
// Values without a store are 0. What depends on a value that was loaded is refused, as is all else that is not read.
func Parse(file, src string) (*Test, error) {
	r := &reading{file: file, src: src, test: &Test{}, first: map[string]string{}, released: map[int]bool{}}
	line, _, _ := strings.Cut(src, "\n")
	head := strings.Fields(line)
	if len(head) < 2 || strings.Contains(line, "{") {
		return nil, r.fail(1, "", "expected 'litmus NAME', or an architecture and a name as in herd's files")
	}
	r.test.Name, r.head = strings.Join(head[1:], " "), head[0]
	body := src
	if r.head != "litmus" && r.head != "C" {
		body = comment.ReplaceAllStringFunc(src, func(s string) string { return " " + strings.Repeat("\n", strings.Count(s, "\n")) })
	}
	if at := condition.FindStringSubmatchIndex(body); at != nil {
		if err := r.condition(body, at); err != nil {
			return nil, err
		}
		body = body[:at[0]]
	}
	lines := strings.Split(body, "\n")
	var err error
	switch head[0] {
	case "litmus":
		err = r.short(lines)
	case "C":
		err = r.functions(lines)
	case "ARM", "AArch64", "PPC", "X86", "X86_64":
		err = r.table(lines)
	default:
		err = r.fail(1, head[0], "%s is no architecture that is read: litmus, ARM, AArch64, PPC, X86 and C are", head[0])
	}
	if err != nil {
		return nil, err
	}
	if len(r.test.Threads) == 0 {
		return nil, r.fail(1, "", "the test has no program")
	}
	if len(r.test.Addresses) == 0 {
		return nil, r.fail(1, "", "the test has no load and no store")
	}
	for _, a := range r.test.memory {
		if !slices.Contains(r.test.Addresses, a) {
			return nil, r.fail(1, "", "the condition is about %s, which no core uses", a)
		}
	}
	return r.test, r.registers()
}

// registers checks that each register of the condition is loaded, and no register twice.
func (r *reading) registers() (err error) {
	for n, ops := range r.test.Threads {
		seen := map[string]bool{}
		for _, o := range ops {
			if o.Kind == Load && seen[o.Reg] {
				return r.fail(1, "", "core %d loads into %s twice", n, o.Reg)
			}
			seen[o.Reg] = seen[o.Reg] || o.Kind == Load
		}
	}
	if r.test.holds == nil {
		return nil
	}
	r.test.holds(func(thread int, name string) int64 {
		if thread < 0 {
			return 0
		}
		if thread >= len(r.test.Threads) || !slices.ContainsFunc(r.test.Threads[thread], func(o Op) bool { return o.Kind == Load && o.Reg == name }) {
			err = r.fail(1, "", "the condition is about %d:%s, which core %d does not load", thread, name, thread)
		}
		return 0
	})
	return err
}

// short reads the short format.
func (r *reading) short(lines []string) error {
	for i, l := range lines[1:] {
		l, _, _ = strings.Cut(l, "--")
		if strings.TrimSpace(l) == "" {
			continue
		}
		m := short.FindStringSubmatch(l)
		if m == nil || m[1] != strconv.Itoa(len(r.test.Threads)) {
			return r.fail(i+2, strings.TrimSpace(l), "expected 'P%d: …', the program of a core", len(r.test.Threads))
		}
		r.thread()
		for s := range strings.SplitSeq(m[2], ";") {
			if err := r.statement(i+2, len(r.test.Threads)-1, strings.TrimSpace(s)); err != nil {
				return err
			}
		}
	}
	return nil
}

func (r *reading) thread() {
	r.test.Threads = append(r.test.Threads, nil)
	r.of = append(r.of, map[string]string{})
}

func (r *reading) add(thread int, o Op) { r.test.Threads[thread] = append(r.test.Threads[thread], o) }

var (
	storing = regexp.MustCompile(`^(\*?)\s*([A-Za-z]\w*)\s*=\s*(\d+)$`)
	loading = regexp.MustCompile(`^(?:int\s+)?(r\w*)\s*=\s*(\*?)\s*([A-Za-z]\w*)$`)
	fencing = regexp.MustCompile(`^(?:fence|atomic_thread_fence\(memory_order_(?:(seq_cst)|relaxed|consume|acquire|release|acq_rel)\))$`)
)

// statement reads one of the short format, in which names that begin with r are registers, or of C.
func (r *reading) statement(line, thread int, s string) error {
	is := func(star, name string) bool { return (star != "") == (r.head == "C") && (star != "" || name[0] != 'r') }
	if m := loading.FindStringSubmatch(s); m != nil && is(m[2], m[3]) {
		r.add(thread, Op{Kind: Load, Reg: m[1], Address: r.test.address(m[3])})
	} else if m := storing.FindStringSubmatch(s); m != nil && is(m[1], m[2]) {
		v, err := strconv.ParseInt(m[3], 10, 32)
		if err != nil {
			return r.fail(line, s, "%s is too large a number", m[3])
		}
		r.add(thread, Op{Kind: Store, Address: r.test.address(m[2]), Value: v})
	} else if m := fencing.FindStringSubmatch(s); m != nil {
		if s == "fence" || m[1] != "" { // others order nothing that the cores here do not keep in order
			r.add(thread, Op{Kind: Fence})
		}
	} else if s != "" && r.head == "C" {
		return r.fail(line, s, "expected a load 'int r0 = *x;', a store '*x = 1;' or a fence 'atomic_thread_fence(…);'")
	} else if s != "" {
		return r.fail(line, s, "expected a load 'r0 = x', a store 'x = 1' or 'fence'; the names of registers begin with r, others do not")
	}
	return nil
}

// functions reads herd's C.
func (r *reading) functions(lines []string) error {
	start, err := r.initial(lines)
	if err != nil {
		return err
	}
	in := false
	for i, l := range lines[start:] {
		s := strings.TrimSpace(l)
		switch m := function.FindStringSubmatch(s); {
		case !in && m != nil && m[1] == strconv.Itoa(len(r.test.Threads)):
			in = true
			r.thread()
		case in && s == "}":
			in = false
		case in && (s == "" || strings.HasSuffix(s, ";")):
			if err := r.statement(start+i+1, len(r.test.Threads)-1, strings.TrimSuffix(s, ";")); err != nil {
				return err
			}
		case s != "":
			return r.fail(start+i+1, s, "expected a line 'P%d (volatile int* x) {', then one statement a line, then '}'", len(r.test.Threads))
		}
	}
	if in {
		return r.fail(len(lines), "", "expected '}'")
	}
	return nil
}

// initial reads what stands in braces behind herd's lines about a test, and returns the number of lines up to there.
func (r *reading) initial(lines []string) (int, error) {
	inside := false
	for i, l := range lines {
		s := strings.TrimSpace(l)
		if !inside && !strings.HasPrefix(s, "{") {
			continue
		}
		inside = true
		text, rest, end := strings.Cut(strings.TrimPrefix(s, "{"), "}")
		for e := range strings.SplitSeq(text, ";") {
			e = strings.TrimSpace(e)
			if e == "" || memoryAt.MatchString(e) {
				continue
			}
			m := binding.FindStringSubmatch(e)
			if m == nil || m[1] == "" && m[2][0] != '%' || r.head == "C" {
				return 0, r.fail(i+1, e, "expected the address or the number that a register holds at first, such as 0:X1=x, or an address that is 0, x=0")
			}
			name := register(m[2])
			if name[0] != '%' {
				name = m[1] + ":" + name
			}
			if _, ok := r.first[name]; ok {
				return 0, r.fail(i+1, e, "%s is there twice", name)
			}
			r.first[name] = m[3]
		}
		if end && rest != "" {
			return 0, r.fail(i+1, rest, "expected a new line")
		} else if end {
			return i + 1, nil
		}
	}
	return 0, r.fail(1, "", "there is no '{…}' that says what the registers hold at first")
}

// table reads herd's programs in columns.
func (r *reading) table(lines []string) error {
	start, err := r.initial(lines)
	if err != nil {
		return err
	}
	for i, l := range lines[start:] {
		s, line := strings.TrimSpace(l), start+i+1
		if s == "" || locations.MatchString(s) {
			continue
		}
		cells := strings.Split(strings.TrimSuffix(s, ";"), "|")
		header := len(r.of) == 0
		if !strings.HasSuffix(s, ";") || !header && len(cells) != len(r.of) {
			return r.fail(line, s, "expected a line with a cell for each core, between | and with ; at the end")
		}
		for n, cell := range cells {
			cell = strings.TrimSpace(cell)
			if !header {
				if err := r.instruction(line, n, cell); err != nil {
					return err
				}
				continue
			}
			if cell != fmt.Sprint("P", n) {
				return r.fail(line, cell, "expected P%d", n)
			}
			r.thread()
			for name, v := range r.first {
				if of, ok := strings.CutPrefix(name, strconv.Itoa(n)+":"); ok || name[0] == '%' {
					r.of[n][of] = v
				}
			}
		}
	}
	return nil
}

// register is the name of a register as it is compared: X1 and W1 are one, as are EAX and RAX.
func register(s string) string {
	if len(s) > 1 && strings.ContainsRune("WXRwxr", rune(s[0])) && s[1] >= '0' && s[1] <= '9' {
		return "r" + s[1:]
	} else if x86.MatchString(s) {
		return "E" + s[1:]
	}
	return s
}

var (
	x86     = regexp.MustCompile(`^[ER](?:[A-D]X|[SD]I)$`)
	plain   = regexp.MustCompile(`^(?:r\d+|E..|%\w+)$`) // a register
	moving  = regexp.MustCompile(`^(?i:mov|li)\s+(\w+)\s*,\s*[#$]?(\d+)$`)
	memory  = regexp.MustCompile(`^(?i:(ldr|ldar|lwz|str|stlr|stw))\s+(\w+)\s*,\s*(?:\[(%?\w+)\]|(%?\w+)|0\((\w+)\))$`)
	moveX86 = regexp.MustCompile(`^(?i:mov)\s+(\[\w+\]|\w+)\s*,\s*(\[\w+\]|\$?\d+)$`)
	fences  = regexp.MustCompile(`^(?i:dmb|dsb|sync|mfence|dmb\s+(sy|ish))$`)
	weak    = regexp.MustCompile(`^(?i:isb|isync|lwsync|lfence|sfence|dmb\s+(ishld|ishst|ld|st))$`)
)

// instruction reads one of an architecture.
func (r *reading) instruction(line, n int, s string) error {
	of := r.of[n]
	loaded := func(reg string) bool {
		return slices.ContainsFunc(r.test.Threads[n], func(o Op) bool { return o.Kind == Load && o.Reg == reg })
	}
	if m := moving.FindStringSubmatch(s); m != nil && plain.MatchString(register(m[1])) {
		reg := register(m[1])
		if loaded(reg) {
			return r.fail(line, s, "core %d has loaded %s before", n, m[1])
		}
		of[reg] = m[2]
		return nil
	}
	switch {
	case s == "", weak.MatchString(s):
		return nil
	case fences.MatchString(s):
		r.released[n] = false
		r.add(n, Op{Kind: Fence})
		return nil
	}
	loads, word, reg, at, value := false, "", "", "", ""
	if m := memory.FindStringSubmatch(s); m != nil {
		word, reg, at = strings.ToLower(m[1]), register(m[2]), m[3]+m[4]+m[5]
		loads, value = word[0] == 'l', of[reg]
	} else if m := moveX86.FindStringSubmatch(s); m != nil && (m[1][0] == '[') != (m[2][0] == '[') {
		if loads = m[2][0] == '['; loads {
			reg, at = register(m[1]), strings.Trim(m[2], "[]")
		} else {
			at, value = strings.Trim(m[1], "[]"), strings.TrimPrefix(m[2], "$")
		}
	}
	if at == "" || reg != "" && !plain.MatchString(reg) {
		return r.fail(line, s, "this is no load, store, move of a number or fence that is read")
	}
	if named := strings.HasPrefix(r.head, "X86") && at[0] >= 'a' && at[0] <= 'z'; !named {
		name := of[register(at)]
		if !plain.MatchString(register(at)) || name == "" || name[0] <= '9' {
			return r.fail(line, s, "%s holds no address that is known", at)
		}
		at = name
	}
	if loads {
		if word == "ldar" && r.released[n] { // a store-release is before it, which buffers do not see to
			r.released[n] = false
			r.add(n, Op{Kind: Fence})
		}
		delete(of, reg)
		r.add(n, Op{Kind: Load, Reg: reg, Address: r.test.address(at)})
		return nil
	}
	v, err := strconv.ParseInt(value, 10, 32)
	if err != nil {
		return r.fail(line, s, "what is stored is no number that was moved to %s", reg)
	}
	r.released[n] = r.released[n] || word == "stlr"
	r.add(n, Op{Kind: Store, Value: v, Address: r.test.address(at)})
	return nil
}

// condition reads what stands behind exists, ~exists or forall: comparisons, ~, /\, \/ and parentheses.
func (r *reading) condition(src string, at []int) error {
	line := 1 + strings.Count(src[:at[4]], "\n")
	r.test.Quantifier = strings.Replace(strings.Join(strings.Fields(src[at[2]:at[3]]), ""), "not", "~", 1)
	text := strings.TrimSpace(src[at[4]:at[5]])
	r.test.Condition = text
	p := &conditionReader{rest: text}
	holds := p.or()
	if p.space(); p.bad || p.rest != "" {
		return r.fail(line+strings.Count(text[:len(text)-len(p.rest)], "\n"), "", "expected comparisons such as 1:r0=1 or x=2, joined by /\\ and \\/, found %q", p.rest)
	}
	r.test.holds, r.test.memory = holds, p.memory
	return nil
}

type condFunc = func(value func(thread int, name string) int64) bool

type conditionReader struct {
	rest   string
	bad    bool
	memory []string
}

func (c *conditionReader) space() { c.rest = strings.TrimLeft(c.rest, " \t\r\n") }

func (c *conditionReader) got(s string) bool {
	c.space()
	rest, ok := strings.CutPrefix(c.rest, s)
	c.rest = rest
	return ok
}

func (c *conditionReader) or() condFunc {
	x := c.and()
	for !c.bad && c.got(`\/`) {
		a, b := x, c.and()
		x = func(v func(int, string) int64) bool { l, r := a(v), b(v); return l || r }
	}
	return x
}

func (c *conditionReader) and() condFunc {
	x := c.one()
	for !c.bad && c.got(`/\`) {
		a, b := x, c.one()
		x = func(v func(int, string) int64) bool { l, r := a(v), b(v); return l && r }
	}
	return x
}

var comparison = regexp.MustCompile(`^(?:P?(\d+)\s*:\s*)?\[?([A-Za-z]\w*)\]?\s*=\s*(\d+)`)

func (c *conditionReader) one() condFunc {
	switch {
	case c.got("~"):
		x := c.one()
		return func(v func(int, string) int64) bool { return !x(v) }
	case c.got("("):
		x := c.or()
		c.bad = !c.got(")") || c.bad
		return x
	}
	m := comparison.FindStringSubmatch(c.rest)
	if m == nil {
		c.bad = true
		return nil
	}
	c.rest = c.rest[len(m[0]):]
	want, err := strconv.ParseInt(m[3], 10, 32)
	if c.bad = err != nil; c.bad {
		return nil
	}
	if m[1] == "" {
		if !slices.Contains(c.memory, m[2]) {
			c.memory = append(c.memory, m[2])
		}
		return func(v func(int, string) int64) bool { return v(-1, m[2]) == want }
	}
	n, _ := strconv.Atoi(m[1])
	reg := register(m[2])
	return func(v func(int, string) int64) bool { return v(n, reg) == want }
}

// classics are tests that the literature has names for, with the outcome that SC forbids, or that coherence does.
//
//go:embed classics.txt
var classics string

// Classics returns the tests that are known by name.
func Classics() (all []*Test) {
	for text := range strings.SplitSeq(strings.TrimSpace(classics), "\n\n") {
		t, err := Parse("", text)
		if err != nil {
			panic("litmus: " + err.Error())
		}
		all = append(all, t)
	}
	return all
}
