// Package promela reads programs in Promela, the language of SPIN, into package prog:
// a model with one rule for each step that a process can take, and what each rule is.
//
// A file passes these stages, one after the other:
//
//	lex.go           characters to tokens
//	cpp.go           directives and macros
//	parse*.go        tokens to declarations, statements and expressions; inlines are expanded here
//	claim.go, ltl.go never claims and formulas to monitors
//	heap.go, sync.go references, semaphores, mutexes, conditions: what dSPIN adds
//	graph.go         statements to one automaton for each proctype
//	unless.go        escapes: in the automata, and which steps they leave
//	formula.go       formulas and never claims about infinite runs
//	range.go         the values that variables may take
//	lower*.go        automata to *model.Model
//	format.go        declarations, statements and expressions to text
//	handed.go        what processes are handed over
//	dead.go          variables that begin without a value
//	probe.go         which process numbers each proctype gets
//	walk*.go         a second interpreter, on the syntax tree; agree.go compares the model with it
//
// A program means what the verifier takes it to mean that SPIN 6.5.2 generates. The automata
// follow the construction in its flow.c and pangen2.c, so that a location here is a state
// of an automaton there, and the reachable states are as many.
//
// A step leads from one state that the verifier stores to the next. The statements of an
// atomic sequence are one step, up to the first that blocks: one rule for each path
// through them. So no rule leads into the middle of an atomic sequence.
//
// The first error ends reading. Refused by name, with the position: embedded C, hidden
// variables, event traces, and the predicates of never claims outside them.
package promela

import (
	"cmp"
	"fmt"
	"os"
	"slices"
	"strings"
	"sync"

	"orbitmc/internal/fault"
	"orbitmc/internal/front"
	"orbitmc/internal/prog"
	"orbitmc/model"
)

// Options steer reading. The zero value is the default.
type Options struct {
	// Defines are macros, defined before the first line is read. A #define of the same
	// name in the file has no effect.
	Defines map[string]string

	Source []byte                            // for ReadFile: what the file holds; nil: what it holds on disk
	Read   func(name string) ([]byte, error) // reads included files; nil is os.ReadFile

	NoDeadlock bool // that a state is an invalid end is no property
	NoClaims   bool // no claim is a property

	// Stay lets processes that have come to their end stay there, if nothing can tell whether they do. The
	// result says so: prog.Program.Stays.
	Stay bool

	// FirstFree lets new take the free object of the least number, and not any one. That is as good, as they are
	// interchangeable, and a search without symmetry visits fewer states.
	FirstFree bool

	// Holders lets objects say which process holds their mutex. No step depends on it: see prog.Ownership.
	Holders bool

	// Reset takes the value from variables of processes where it is dead: see prog.Reset. No step differs, but SPIN counts
	// states in which such variables differ. Formulas that look back are about these states, too, so that it has no effect then.
	Reset bool

	// Formulas are claims to decide on infinite runs, in place of all other properties: the name of an ltl or
	// never claim, "accept" or "progress" (labels of processes), or "NAME: FORMULA". Fair are
	// sets of rules, "weak:*" (each process; so does SPIN with -f), "weak:PROCTYPE", or strong.
	Formulas []string
	Fair     []string

	// Trees are properties in computation tree logic, "NAME: FORMULA", in place of Formulas.
	Trees []string
}

// Error is an error in the source.
type Error = front.Error

// place is a position in a file.
type place struct {
	src *source
	pos model.Pos
}

func (p place) String() string {
	if p.src == nil {
		return "?"
	}
	return fmt.Sprintf("%s:%v", p.src.name, p.pos)
}

// source is a file that was read.
type source struct {
	name string
	text string
}

// fail ends reading with an error; Parse recovers it.
func fail(at place, format string, args ...any) {
	src := cmp.Or(at.src, &source{})
	panic(front.ErrorAt(src.name, src.text, at.pos, fmt.Sprintf(format, args...)))
}

// attempt calls f and returns the error that ended it; nil: none did.
func attempt(f func()) *Error {
	err := func() (err error) {
		defer fault.Catch[*Error](&err)
		f()
		return nil
	}()
	e, _ := err.(*Error)
	return e
}

// Parse reads the program src; file is used in messages, and its folder for included
// files. The error, if any, is an *Error.
func Parse(file string, src []byte, opt Options) (p *prog.Program, err error) {
	defer fault.Catch[*Error](&err)
	if len(opt.Fair) > 0 && len(opt.Formulas)+len(opt.Trees) == 0 {
		return nil, &Error{File: file, Msg: "fairness is about formulas, and there is none"}
	}
	if len(opt.Formulas) > 0 && len(opt.Trees) > 0 {
		return nil, &Error{File: file, Msg: "formulas are in linear temporal logic or in computation tree logic, not in both"}
	}
	var claims []token
	opt.Formulas, opt.Trees = slices.Clone(opt.Formulas), slices.Clone(opt.Trees)
	for _, wanted := range [][]string{opt.Formulas, opt.Trees} {
		for i, want := range wanted {
			if strings.Contains(want, ":") {
				toks := given(want)
				wanted[i], claims = toks[1].text, append(claims, toks...)
			} else if len(opt.Trees) > 0 {
				return nil, &Error{File: file, Msg: fmt.Sprintf("%q: want NAME: FORMULA in computation tree logic", want)}
			}
		}
	}
	toks := preprocess(&source{file, string(src)}, opt, unnoted, claims...)
	f := parse(toks, opt)
	f.opt.Reset = opt.Reset && !f.looksBack()
	l := compile(file, f)
	if f.opt.Reset {
		l.p = prog.Reset(l.p)
		l.m = l.p.Model
	}
	l.p.Reference = sync.OnceValue(func() prog.Reference {
		if l.p.DSPIN {
			return without("references, the heap and locks")
		}
		return newAgreement(l, parse(toks, Options{NoClaims: true}))
	})
	return l.p, nil
}

// ReadFile reads the program in the named file. Errors are those of os.ReadFile and Parse.
func ReadFile(path string, opt Options) (*prog.Program, error) {
	src := opt.Source
	if src == nil {
		var err error
		if src, err = os.ReadFile(path); err != nil {
			return nil, err
		}
	}
	return Parse(path, src, opt)
}
