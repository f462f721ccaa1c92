// Package murphi reads models in the Murphi language, in the syntax of CMurphi
// 5.4 and of Rumur, into package model.
//
// A file passes three stages, one after the other:
//
//	lex.go                  characters to tokens
//	parse*.go               tokens to the syntax tree of ast.go
//	check*.go, lower.go     syntax tree to *model.Model: names, types, constants
//	format*.go              syntax tree to source, in a standard layout
//	*_formula.go            formulas of linear temporal logic
//	real.go                 real numbers, probabilities; parse_chance.go: formulas about these
//	hint.go                 what may have been meant, for messages
//
// Every stage collects errors and goes on, so one run reports several; a stage
// only begins when those before it found none. Where the two tools disagree on
// what is legal the reader takes what either accepts, as long as it has one
// meaning; the few places where one text means two things follow
// Options.Dialect.
//
// Refused by name and with the reason: fairness, external functions. The parser
// recognises them, so that the message stands where they are used and the rest of
// the file is still looked at.
package murphi

import (
	"fmt"
	"os"
	"slices"
	"strings"

	"orbitmc/internal/front"
	"orbitmc/internal/lists"
	"orbitmc/model"
)

// Options steer reading. The zero value reads with the defaults of package
// model and without overrides.
type Options struct {
	// Consts overrides declared constants: name to the source text of the
	// value, which is a number for a numeric constant, true or false for a
	// boolean one, a member for one of enum type. Constants declared in terms
	// of it follow. A name the model does not declare is an error.
	Consts map[string]string

	Source []byte // for ReadFile: what the file holds; nil: what it holds on disk

	Dialect  model.Dialect
	Deadlock model.DeadlockMode
	LoopMax  int // most iterations of a while statement; 0 means model.DefaultLoopMax

	// Formulas are properties in linear temporal logic, as "NAME: TEXT", or as the NAME of one
	// that the source has in a comment; see parse_formula.go. With formulas the model has
	// these and fairness, and deadlock means that no rule can fire. Fair are sets of rule
	// instances, "weak:RULE" or "strong:RULE": each instance of the rules of this name, or
	// of all rules if RULE is *.
	Formulas []string
	Fair     []string

	// Trees are properties in computation tree logic, given as Formulas are. The model has them besides its own.
	Trees []string

	// Chances are formulas of PCTL, as "NAME: TEXT" or as TEXT; without any, with PCTL set, those of the file are in
	// their place. Weights stores in front of all other variables the numerator and the denominator of the probability
	// with which a rule instance was fired, as it is fired.
	Chances []string
	PCTL    bool
	Weights bool

	// Values lets a text name the values of scalarsets as traces do: PROC_1. What it says need not be symmetric then.
	Values bool

	// Opaque names constants that are left open. They may be the size of a type: scalarset(N), 1..N
	// or 0..N-1. Types, and the greatest values of such ranges (N, or N-1) where they are compared
	// with a value of one or become one, get it as SizedBy. They may be numbers: the greatest value
	// of a range, an operand of a comparison, sum or product that is not constant, or what is
	// assigned; these get a model.Size. A constant that is declared to be another number of them is
	// left open itself. Any other use of them is an error.
	Opaque []string
}

// Parse reads the model src; file is used in messages only. The error, if any,
// is an ErrorList.
func Parse(file string, src []byte, opt Options) (*model.Model, error) {
	r := &reporter{file: file, src: strings.TrimPrefix(string(src), "\ufeff")}
	f := parseFile(string(src), opt.Dialect, r, len(opt.Formulas)+len(opt.Trees) > 0)
	formulas := readFormulas(opt, r)
	if len(r.errs) > 0 {
		return nil, r.errs
	}
	m := checkFile(f, formulas, opt, r, nil)
	if len(r.errs) > 0 {
		return nil, r.errs
	}
	return m, nil
}

// ReadFile reads the model in the named file. Errors are those of os.ReadFile
// and Parse.
func ReadFile(path string, opt Options) (*model.Model, error) {
	src := opt.Source
	if src == nil {
		var err error
		if src, err = os.ReadFile(path); err != nil {
			return nil, err
		}
	}
	return Parse(path, src, opt)
}

// Error is an error in the source. Pos is zero only for an override that names no constant.
type Error = front.Error

// ErrorList is one or more errors in the order they were found. Reading stops
// at maxErrors; the last entry then says so.
type ErrorList []*Error

func (l ErrorList) Error() string { return lists.Join(l, "\n", (*Error).Error) }

// Unwrap returns the single errors.
func (l ErrorList) Unwrap() []error {
	return lists.Map(l, func(e *Error) error { return e })
}

// maxErrors is how many errors are collected before reading stops.
const maxErrors = 20

// reporter collects errors; after maxErrors it drops them and full is true.
type reporter struct {
	file string
	src  string // without a byte order mark
	errs ErrorList
	full bool

	blocks []front.Block // in which names are declared
}

func (r *reporter) errorf(pos model.Pos, format string, args ...any) {
	if r.full {
		return
	}
	e := front.ErrorAt(r.file, r.src, pos, halves.Replace(fmt.Sprintf(format, args...)))
	if slices.ContainsFunc(r.errs, func(f *Error) bool { return f.Pos == e.Pos && f.Msg == e.Msg }) {
		return // of the other half
	}
	r.errs = append(r.errs, e)
	if len(r.errs) == maxErrors {
		r.full = true
		r.errs = append(r.errs, &Error{File: r.file, Pos: pos, Msg: fmt.Sprintf("stopped after %d errors", maxErrors)})
	}
}
