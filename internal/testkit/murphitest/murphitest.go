// Package murphitest makes random Murphi models for differential tests, and
// shrinks the ones on which two sides disagree.
//
// The models are small and well typed. Each uses a few of the features of
// Murphi besides the core. Most models survive a few steps: values are put in
// range before they are written and definedness is tested before it is relied
// on, except in a few places drawn at random, from which the run-time errors
// come. The text is laid out one statement per line and with all operators in
// parentheses, which is what Shrink cuts along.
package murphitest

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"

	"orbitmc/model"
)

// Options steer Random. The zero value is the default.
type Options struct {
	Dialect model.Dialect // in which the model is meant to be read
	Bits    int           // limit on the logarithm of the number of valuations of the state variables; 0 means 12

	// Portable leaves out what the tool of the dialect refuses, cannot compile,
	// or computes in another way than its manual says.
	Portable bool
}

// features are the parts of the language that a model may use besides the core.
type features struct {
	union, multiset, procs, alias, while, bits, assume, cover, liveness bool
}

// Random returns the source of a random model, which depends on the state of
// rng and on opt only.
func Random(rng *rand.Rand, opt Options) string {
	if opt.Bits == 0 {
		opt.Bits = 12
	}
	g := &gen{rng: rng, opt: opt, risk: 0.003}
	if g.chance(0.35) {
		g.risk = 0.06
	}
	g.features()
	g.constants()
	g.declareTypes()
	g.variables()
	if g.with.procs {
		g.procedures()
	}
	for n := 1 + g.rng.IntN(3); n > 0; n-- {
		g.start()
	}
	for n := 1 + g.rng.IntN(5); n > 0; n-- {
		g.group(2, true, g.rule)
	}
	for n := g.rng.IntN(4); n > 0; n-- {
		g.group(2, false, g.property)
	}
	return g.text.String()
}

// features draws what the model uses.
func (g *gen) features() {
	some := func(likely float64) bool { return g.chance(likely) }
	if g.chance(0.2) {
		some = func(float64) bool { return false } // the core only
	}
	portable := func(d model.Dialect) bool { return !g.opt.Portable || g.opt.Dialect == d }
	cmurphi, rumur := portable(model.CMurphi), portable(model.Rumur)
	g.with = features{
		union:    some(0.3) && cmurphi,
		multiset: some(0.3) && cmurphi,
		procs:    some(0.4),
		alias:    some(0.4),
		while:    some(0.3),
		bits:     some(0.3) && rumur,
		assume:   some(0.2) && rumur,
		cover:    some(0.3) && rumur,
		liveness: some(0.3) && rumur,
	}
}

// gen is the state of one generation.
type gen struct {
	rng    *rand.Rand
	opt    Options
	risk   float64 // of doing, at each place, what may be a run-time error
	text   strings.Builder
	indent int
	serial int // of the names given so far

	consts  []constant
	simple  []*typ // that variables and indices may have
	types   []*typ // arrays and records
	scope   []*variable
	globals int // how many in scope are state variables

	with     features
	procs    []*proc
	current  *proc    // whose body is being written, or nil
	place    place    // what is being written
	chosen   []chosen // around the rule
	counters []string // variables for while statements that none uses
}

// place says what may stand where text is being added.
type place int

const (
	inGuard place = iota // or in a property: no side effects
	inStart
	inRule
	inProc
)

type constant struct {
	name  string
	value int
}

// variable is anything a designator may begin with.
type variable struct {
	name  string
	t     *typ
	bound bool // ruleset parameter, quantifier or for variable, or alias for a value: read-only and defined
	fixed bool // value parameter: read-only
	loose bool // may be undefined
}

// writable reports whether v may be assigned.
func (g *gen) writable(v *variable) bool {
	return !v.bound && !v.fixed && (g.current == nil || !g.current.pure || !g.isGlobal(v))
}

// isGlobal reports whether v is a state variable.
func (g *gen) isGlobal(v *variable) bool { return slices.Contains(g.scope[:g.globals], v) }

func (g *gen) chance(p float64) bool { return g.rng.Float64() < p }

// risky decides whether to do what may be a run-time error.
func (g *gen) risky() bool { return g.chance(g.risk) }

// name returns a new name.
func (g *gen) name(prefix string) string {
	g.serial++
	return fmt.Sprintf("%s%d", prefix, g.serial)
}

func (g *gen) line(format string, args ...any) {
	g.text.WriteString(strings.Repeat("  ", g.indent))
	fmt.Fprintf(&g.text, format, args...)
	g.text.WriteByte('\n')
}

// block prints a head, an indented body and a foot.
func (g *gen) block(head string, body func(), foot string) {
	g.line("%s", head)
	g.indent++
	body()
	g.indent--
	g.line("%s", foot)
}

// within runs f with more variables in scope.
func (g *gen) within(vs []*variable, f func()) {
	n := len(g.scope)
	g.scope = append(g.scope[:n:n], vs...)
	f()
	g.scope = g.scope[:n]
}

// pick returns a random element.
func pick[T any](g *gen, xs []T) T { return xs[g.rng.IntN(len(xs))] }
