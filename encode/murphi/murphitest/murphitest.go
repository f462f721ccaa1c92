// Package murphitest makes random Murphi models for differential tests, and
// shrinks the ones on which two sides disagree.
//
// The models are small and well typed. Rumur accepts those in its dialect;
// CMurphi cannot compile a ruleset with bounds, nor a ?: that mixes constants
// and variables. Most models survive a few steps: values are put in range before
// they are written and definedness is tested before it is relied on, except in a
// few places drawn at random, from which the run-time errors come. The text is
// laid out one statement per line and with all operators in parentheses, which
// is what Shrink cuts along.
package murphitest

import (
	"fmt"
	"math/rand/v2"
	"strings"

	"orbitmc/model"
)

// Options steer Random. The zero value is the default.
type Options struct {
	Dialect model.Dialect // in which the model is meant to be read
	Bits    int           // limit on the logarithm of the number of valuations of the state variables; 0 means 12
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
	g.constants()
	g.declareTypes()
	g.variables()
	for n := 1 + g.rng.IntN(3); n > 0; n-- {
		g.start()
	}
	for n := 1 + g.rng.IntN(5); n > 0; n-- {
		g.group(2, g.rule)
	}
	for n := g.rng.IntN(4); n > 0; n-- {
		g.group(2, g.invariant)
	}
	return g.text.String()
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
}

type constant struct {
	name  string
	value int
}

// variable is anything a designator may begin with.
type variable struct {
	name  string
	t     *typ
	bound bool // ruleset parameter, quantifier or for variable: read-only and defined
	loose bool // may be undefined
}

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
