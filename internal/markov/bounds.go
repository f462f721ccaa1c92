package markov

import (
	"context"
	"math"
	"slices"

	"orbitmc/internal/pctl"
	"orbitmc/mc/evidence"
)

// This file bounds, for all states, the probability that goal comes through stay, and the expected number of steps to goal.
//
// Probabilities: interval iteration (Haddad and Monmege, Interval iteration algorithm for MDPs and IMDPs, 2018; Baier, Klein,
// Leuschner, Parker and Wunderlich, CAV 2017). First the graph says where the probability is 0, and where it is 1. In the
// other states x = opt_a Σ p x has one solution, once there are no end components: for the least probability there are
// none left; for the greatest one, a component is taken for one state, whose actions are those that leave it. Iteration from
// 0 rises to the solution, iteration from 1 falls to it.
//
// Expected steps: where goal is not certain they are infinite. Elsewhere iteration from 0 rises to the solution. When it
// rises slowly, a guess a little above it is tried as an upper bound: what x >= 1 + opt_a Σ p x says of the guess makes it
// one (Hartmanns and Kaminski, Optimistic value iteration, CAV 2020).
//
// Each product and sum is rounded outwards by one bound of the relative error of a sum of so many terms.

// Bounds are what evidence.Bounds are: of each state.
type Bounds = evidence.Bounds

// solver solves one question.
type solver struct {
	*walk
	stay, goal []bool
	most       bool // of choosers the best for goal, or the one that takes the longest
	lo, hi     []float64
	open       []int32 // states whose values are not known, in the order of a pass
	component  []int32 // see ends
	inner      []bool
	members    map[int32][]int32 // of components: the states
	precise    func(lo, hi []float64) bool
}

// tiny is a number below which lower bounds are 0, and upper bounds are not, unless they are 0: far from where floating
// point has no relative error.
const tiny = 1e-290

// sum returns a bound of the expected value of x after an action, from below or above.
func (p *Process) sum(a int32, x []float64, up bool) float64 {
	from, to := p.Begin[a], p.Begin[a+1]
	if to == from+1 { // it is certain
		return x[p.To[from]]
	}
	first, same, v := x[p.To[from]], true, 0.0
	for b := from; b < to; b++ {
		c, y := &p.Chances[p.Weight[b]], x[p.To[b]]
		same = same && y == first
		if up {
			v += c.Hi * y
		} else {
			v += c.Lo * y
		}
	}
	wrong := float64(to-from+2) * 0x1p-52
	switch {
	case same: // as probabilities add up to 1
		return first
	case up && v == 0 && !same:
		return tiny
	case up:
		return max(v*(1+wrong), tiny)
	case v < tiny:
		return 0
	}
	return v * (1 - wrong)
}

// better reports whether v is better than w for the chooser in question.
func (z *solver) better(v, w float64) bool { return v != w && (v > w) == z.most }

// opt returns the best value of the actions of a state, or of the component that it stands for, and the action; none: -1.
func (z *solver) opt(s int32, x []float64, up bool) (v float64, best int32) {
	best = -1
	try := func(s int32) {
		for a := z.First[s]; a < z.First[s+1]; a++ {
			if z.component != nil && z.component[s] > 0 && z.inner[a] {
				continue
			}
			if y := z.sum(a, x, up); best < 0 || z.better(y, v) {
				v, best = y, a
			}
		}
	}
	if z.component != nil && z.component[s] > 0 {
		for _, t := range z.members[z.component[s]] {
			try(t)
		}
	} else {
		try(s)
	}
	return v, best
}

// pass improves one bound of all open states once, and returns the largest change.
func (z *solver) pass(x []float64, up bool, plus float64) (most float64) {
	for _, s := range z.open {
		v, _ := z.opt(s, x, up)
		if v = v + plus; plus > 0 && up {
			v *= 1 + 0x1p-51
		} else if plus > 0 {
			v *= 1 - 0x1p-51
		}
		if up && v < x[s] || !up && v > x[s] {
			most = max(most, math.Abs(v-x[s]))
			x[s] = v
			if z.component != nil {
				for _, t := range z.members[z.component[s]] {
					x[t] = v
				}
			}
		}
	}
	return most
}

// solve bounds one question about an unbounded path. precise says when the bounds are good enough. ok is false if ctx ended
// before, or the bounds do not come closer: they are right nevertheless.
func solve(ctx context.Context, w *walk, f *pctl.Formula, stay, goal []bool, precise func(lo, hi []float64) bool) (b *Bounds, ok bool) {
	z := &solver{walk: w, stay: stay, goal: goal, most: f.Ask.Most(), precise: precise}
	z.lo, z.hi = make([]float64, w.States()), make([]float64, w.States())
	if f.Ask.Expected {
		return z.steps(ctx)
	}
	return z.likely(ctx)
}

// likely bounds probabilities.
func (z *solver) likely(ctx context.Context) (*Bounds, bool) {
	n := z.States()
	by := slices.Repeat([]int32{-1}, n)
	some, _ := z.grow(z.stay, z.goal, !z.most, nil, nil) // where the probability is not 0
	sure := z.certain(z.stay, z.goal, !z.most, by)
	for s := range n {
		switch {
		case sure[s]:
			z.lo[s], z.hi[s] = 1, 1
		case some[s]:
			z.hi[s] = 1
			z.open = append(z.open, int32(s))
		}
	}
	if z.most {
		z.component, z.inner = z.ends(z.all(func(s int) bool { return some[s] && !sure[s] }))
		z.members = make(map[int32][]int32)
		var rest []int32
		for _, s := range z.open {
			k := z.component[s]
			if k == 0 || z.members[k] == nil {
				rest = append(rest, s)
			}
			if k > 0 {
				z.members[k] = append(z.members[k], s)
			}
		}
		z.open = rest
	}
	slices.Reverse(z.open) // steps mostly lead to larger numbers
	ok := z.iterate(ctx, func() bool {
		return max(z.pass(z.lo, false, 0), z.pass(z.hi, true, 0)) > 0
	})
	return &Bounds{Lo: z.lo, Hi: z.hi, Ranks: z.ranks(by, sure)}, ok
}

// iterate calls pass until the bounds are precise, nothing changes, or ctx ends.
func (z *solver) iterate(ctx context.Context, pass func() bool) bool {
	for ctx.Err() == nil && !z.precise(z.lo, z.hi) {
		for range 8 {
			if !pass() {
				return z.precise(z.lo, z.hi)
			}
			slices.Reverse(z.open)
			pass()
			slices.Reverse(z.open)
		}
	}
	return z.precise(z.lo, z.hi)
}

// ranks shows that no chooser can stay among the states whose lower bound is not 0, or that one, which takes these actions
// for the greatest probability, does not: each action (that one action) has a branch to goal, to a state of lower bound 0, or to one
// of lesser rank. If that cannot be shown, lower bounds are 0.
func (z *solver) ranks(by []int32, sure []bool) []int32 {
	ranks := make([]int32, z.States())
	positive := z.all(func(s int) bool { return z.lo[s] > 0 && !z.goal[s] })
	if z.most {
		for s := range ranks {
			if positive[s] && !sure[s] {
				_, by[s] = z.opt(int32(s), z.lo, false)
			}
		}
		// Within a component the chooser goes to where the best action leaves it.
		for _, states := range z.members {
			if exit := by[states[0]]; exit >= 0 {
				z.grow(z.all(func(s int) bool { return z.component[s] == z.component[states[0]] }), z.all(func(s int) bool { return s == int(z.owner[exit]) }), false,
					func(a int32) bool { return z.inner[a] }, by)
			}
		}
	}
	use := func(a int32) bool { return !z.most || by[z.owner[a]] == a }
	reached, order := z.grow(positive, z.all(func(s int) bool { return !positive[s] }), !z.most, use, nil)
	for k, s := range order {
		ranks[s] = int32(k)
	}
	if slices.Contains(reached, false) {
		clear(z.lo)
	}
	return ranks
}

// steps bounds expected numbers of steps.
func (z *solver) steps(ctx context.Context) (*Bounds, bool) {
	// For the longest way goal has to be certain for all choosers, for the shortest one for some.
	sure := z.certain(z.stay, z.goal, z.most, nil)
	b := &Bounds{}
	for s, is := range sure {
		if !is {
			z.lo[s], z.hi[s] = math.Inf(1), math.Inf(1)
		} else if !z.goal[s] {
			z.open = append(z.open, int32(s))
			z.hi[s] = math.Inf(1)
		}
	}
	slices.Reverse(z.open)
	if slices.Contains(sure, false) { // show that: the probability is less than 1
		p := &solver{walk: z.walk, stay: z.stay, goal: z.goal, most: !z.most, lo: make([]float64, z.States()), hi: make([]float64, z.States())}
		p.precise = func(_, hi []float64) bool {
			return !slices.Contains(z.all(func(s int) bool { return !sure[s] && hi[s] == 1 }), true)
		}
		shown, _ := p.likely(ctx)
		b.Never = shown.Hi
		for s := range sure {
			if !sure[s] && b.Never[s] == 1 {
				z.lo[s] = 0
			}
		}
	}
	ok := z.iterate(ctx, func() bool {
		const guess = 1e-3
		for eps := guess; ; eps /= 8 {
			for z.pass(z.lo, false, 1) > eps/4 && ctx.Err() == nil {
				slices.Reverse(z.open)
			}
			hi := slices.Clone(z.hi)
			for _, s := range z.open {
				hi[s] = z.lo[s] * (1 + eps)
			}
			if z.above(hi) {
				z.hi = hi
				z.pass(z.hi, true, 1)
			}
			if z.precise(z.lo, z.hi) || eps < 1e-15 || ctx.Err() != nil {
				return false
			}
		}
	})
	b.Lo, b.Hi = z.lo, z.hi
	return b, ok
}

// above reports whether hi is an upper bound of expected steps by what it says of one step.
func (z *solver) above(hi []float64) bool {
	for _, s := range z.open {
		if v, _ := z.opt(s, hi, true); (v+1)*(1+0x1p-51) > hi[s] {
			return false
		}
	}
	return true
}

// bounded bounds the probability that goal comes through stay in at most so many steps, or in the next one.
func bounded(ctx context.Context, w *walk, f *pctl.Formula, stay, goal []bool) (*Bounds, bool) {
	z := &solver{walk: w, most: f.Ask.Most()}
	n := w.States()
	b := &Bounds{Lo: make([]float64, n), Hi: make([]float64, n)}
	for s := range n {
		if goal[s] {
			b.Lo[s], b.Hi[s] = 1, 1
		}
	}
	steps := f.Ask.Steps
	if f.Ask.Next {
		steps = 1
	}
	for range steps {
		if ctx.Err() != nil {
			return nil, false
		}
		next := &Bounds{Lo: make([]float64, n), Hi: make([]float64, n)}
		for s := range n {
			switch {
			case goal[s] && !f.Ask.Next:
				next.Lo[s], next.Hi[s] = 1, 1
			case stay[s] || f.Ask.Next:
				next.Lo[s], _ = z.opt(int32(s), b.Lo, false)
				next.Hi[s], _ = z.opt(int32(s), b.Hi, true)
				next.Hi[s] = min(next.Hi[s], 1)
			}
		}
		if slices.Equal(next.Lo, b.Lo) && slices.Equal(next.Hi, b.Hi) {
			break
		}
		b = next
	}
	return b, true
}
