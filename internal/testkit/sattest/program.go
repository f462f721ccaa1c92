package sattest

import (
	"math/rand/v2"
	"time"

	"orbitmc/sat"
)

// kind is a call, or for inspect a few of them.
type kind uint8

const (
	newVar kind = iota
	add
	group
	addTo
	release
	solve
	inspect // Value of every literal after Sat, Core after Unsat, nothing otherwise
)

// An op is one step of a program. Steps that are not legal when their turn
// comes, because shrinking removed what they need, are passed over.
type op struct {
	kind   kind
	group  int       // addTo, release: counts the groups of the program from 0
	lits   []sat.Lit // add, addTo: clause; solve: assumptions
	cancel time.Duration
}

// Values of op.cancel of a solve; positive values are a deadline.
const (
	never   time.Duration = 0  // a context that cannot end
	idle    time.Duration = -1 // one that can but does not
	already time.Duration = -2 // one that ended before
	begun   time.Duration = -3 // one that ends when Solve has looked at it once
)

// generate draws a program of legal calls. Every program has its own mix, so
// that some run long on satisfiable formulas and others latch early.
func generate(rng *rand.Rand) []op {
	var (
		prog      []op
		vars      int
		open      []int
		opened    int
		limit     = 2 + rng.IntN(maxVars-1)
		steps     = 10 + rng.IntN(90)
		permanent = rng.Float64() * rng.Float64() // share of clauses outside groups
		odd       = rng.Float64() * 0.2           // share of unusual clauses and assumptions
		width     = 2 + rng.IntN(4)               // of the longest usual clause
		assumed   []sat.Lit                       // of the last query
	)
	lit := func() sat.Lit { return sat.MkLit(1+rng.IntN(vars), rng.IntN(2) == 1) }
	clause := func() []sat.Lit {
		c := []sat.Lit{}
		for n := 1 + rng.IntN(width); len(c) < n; {
			c = append(c, lit())
		}
		if rng.Float64() < odd {
			switch rng.IntN(8) {
			case 0:
				c = c[:0]
			case 1, 2, 3:
				c = append(c, c[rng.IntN(len(c))])
			case 4, 5:
				c = append(c, c[rng.IntN(len(c))].Not())
			case 6, 7:
				c = c[:1]
			}
		}
		return c
	}
	for range 1 + rng.IntN(limit) {
		vars++
		prog = append(prog, op{kind: newVar})
	}
	for len(prog) < steps {
		switch p := rng.IntN(100); {
		case p < 12:
			if vars < limit {
				vars++
				prog = append(prog, op{kind: newVar})
			}
		case p < 22:
			open = append(open, opened)
			opened++
			prog = append(prog, op{kind: group})
		case p < 31:
			if len(open) > 0 {
				i := rng.IntN(len(open))
				prog = append(prog, op{kind: release, group: open[i]})
				open = append(open[:i], open[i+1:]...)
			}
		case p < 66:
			if rng.Float64() < permanent || len(open) == 0 {
				prog = append(prog, op{kind: add, lits: clause()})
			} else {
				prog = append(prog, op{kind: addTo, group: open[rng.IntN(len(open))], lits: clause()})
			}
		case p < 90:
			o := op{kind: solve}
			if rng.IntN(3) == 0 { // a query often begins as the one before
				o.lits = append(o.lits, assumed[:rng.IntN(len(assumed)+1)]...)
			}
			for range rng.IntN(1 + min(vars, 6)) {
				o.lits = append(o.lits, lit())
			}
			if len(o.lits) > 0 && rng.Float64() < odd {
				l := o.lits[rng.IntN(len(o.lits))]
				if rng.IntN(2) == 0 {
					l = l.Not()
				}
				o.lits = append(o.lits, l)
			}
			switch rng.IntN(20) {
			case 0:
				o.cancel = already
			case 1:
				o.cancel = 1 + time.Duration(rng.IntN(20_000))
			case 2:
				o.cancel = begun
			case 3, 4, 5:
				o.cancel = idle
			}
			prog, assumed = append(prog, o), o.lits
			for rng.IntN(3) > 0 {
				prog = append(prog, op{kind: inspect})
			}
		}
	}
	return prog
}

// shrink removes steps, then literals and deadlines, as long as fails still
// holds. fails is called at most budget times.
func shrink(prog []op, budget int, fails func([]op) bool) []op {
	try := func(p []op) bool {
		if budget <= 0 {
			return false
		}
		budget--
		if !fails(p) {
			return false
		}
		prog = p
		return true
	}
	without := func(i, n int) []op { return append(append([]op{}, prog[:i]...), prog[i+n:]...) }
	for n := len(prog) / 2; n > 0; n /= 2 {
		for i := 0; i+n <= len(prog); {
			if !try(without(i, n)) {
				i++
			}
		}
	}
	for i := 0; i < len(prog); i++ {
		for j := 0; j < len(prog[i].lits); {
			p := append([]op{}, prog...)
			p[i].lits = append(append([]sat.Lit{}, p[i].lits[:j]...), p[i].lits[j+1:]...)
			if !try(p) {
				j++
			}
		}
		if prog[i].cancel != never {
			p := append([]op{}, prog...)
			p[i].cancel = never
			try(p)
		}
	}
	for i := 0; i < len(prog); {
		if !try(without(i, 1)) {
			i++
		}
	}
	return prog
}
