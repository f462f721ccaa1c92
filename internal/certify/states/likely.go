package states

import (
	"context"
	"fmt"
	"math"
	"math/big"
	"slices"

	"orbitmc/internal/certify/typing"
	"orbitmc/internal/lists"
	"orbitmc/internal/pctl"
	"orbitmc/mc"
	"orbitmc/mc/evidence"
	"orbitmc/model"
	"orbitmc/model/reference"
)

// This file checks bounds of probabilities and expected numbers of steps (evidence.Bounds), and that the set of states on
// which they are is closed. Steps are those of the reference interpreter, which also tells the probabilities; they are added
// up exactly. What an instance does, and how likely, is kept by what it reads (memo.go). That permutations keep the
// probabilities is derived anew. What the bounds say of one step is computed in
// floating point, rounded outwards after each operation, and exactly where that does not show it.
//
// Let Φ(x)(s) be the greatest, or the least, expected value of x after an action of s. The probability p is the least x that is 1 where
// goal holds, 0 where neither goal nor stay does, and Φ(x) elsewhere. So x >= Φ(x) shows x >= p (Park). Let now L be where the lower
// bound x is positive and goal does not hold, and let x <= Φ(x) there; for the greatest probability one action shows that, and the
// chooser takes it. Ranks show that a run leaves L with probability 1: from each state of L it does within |L| steps
// with a probability that is at least some positive number. Where it leaves, x is 0, or at most 1 in goal. So x is at most the expected value of x where the
// run leaves L, and that is at most p.
//
// Expected steps are the least x that is 0 in goal and 1 + Φ(x) elsewhere. x >= 1 + Φ(x) shows that x is an upper bound. If x is
// bounded and x <= 1 + Φ(x), then n steps of a run, for the choosers in question, show x(s) <= E[steps, at most n] + max x · P(goal comes later than in n steps). If goal comes
// with probability 1, the last term goes to 0; else the steps are infinite. They are infinite also where the probability of goal is
// bounded by less than 1, for the chooser in question.

// Likely is what the checker knows of a process.
type Likely struct {
	atoms   func(i int, q *model.Property) (bool, error) // in member i
	n       int
	first   []int32 // as those of a process: by state, by action, by branch
	begin   []int32
	to      []int32
	weight  []int32
	starts  []int32
	chances []likelihood
}

// likelihood is a probability with bounds.
type likelihood struct {
	exact  *big.Rat
	lo, hi float64
}

// everywhere is the depth of members that are all there are.
const everywhere = -1

// ghosts is how many variables a model read with weights (murphi.Options.Weights) has in front.
const ghosts = 2

// NewLikely looks at all steps of the members of a closure of p.Model, or, if depth is not negative, of those that are less deep, under the symmetry of p.Blocks. weighed is the same
// model, read so that it stores probabilities; props are the properties that the permutations are to keep.
// Formulas that look further than depth are not decided then.
func NewLikely(ctx context.Context, p *mc.Problem, weighed *model.Model, c evidence.Closure, props []int, depth int) (*Likely, error) {
	_, strict, err := typing.Derive(weighed, p.Blocks, props)
	if err == nil && len(strict) > 0 {
		err = fmt.Errorf("a turn that is not reached may err")
	}
	if err != nil {
		return nil, fmt.Errorf("the symmetry found by typing: %w", err)
	}
	return likelyOf(ctx, newClosureCheck(p), weighed, c, depth)
}

func likelyOf(ctx context.Context, k *closureCheck, weighed *model.Model, c evidence.Closure, depth int) (*Likely, error) {
	if err := k.see(c); err != nil {
		return nil, err
	}
	k.guess = c.Guess
	l := &Likely{n: int(c.Len()), atoms: func(i int, q *model.Property) (bool, error) {
		k.packer.Unpack(k.from.member(int64(i)), k.state)
		r := k.w.Holds(k.state, q, nil)
		if r.Prop >= 0 || r.TooLong {
			return false, fmt.Errorf("the evaluation of a condition of the formula at %v errs", q.Pos)
		}
		return r.Holds, nil
	}}
	return l, l.steps(ctx, newWeigher(k, weighed), depth)
}

// steps notes all steps. Members are in the order of their depth, or that is an error, if there is a depth; those that are
// as deep have no steps.
func (l *Likely) steps(ctx context.Context, y *weigher, depth int) error {
	levels := slices.Repeat([]int{math.MaxInt - 1}, l.n)
	k, weighed := y.k, y.m
	for _, ch := range enumerate(weighed.Starts) {
		r := y.w.Start(weighed.Starts[ch.Rule], ch.Params)
		if r.Prop >= 0 || r.TooLong {
			return fmt.Errorf("a start state errs")
		}
		if !r.Holds {
			continue
		}
		i, _, err := k.leads(y.pack())
		if err != nil {
			return err
		}
		if levels[i] != 0 {
			levels[i] = 0
			l.starts = append(l.starts, int32(i))
		}
	}
	known := make(map[[2]int64]int32)
	var numbers []int32 // by rule instance: of the action that it is of
	names := make(map[string]int32)
	rules := enumerate(weighed.Rules)
	for n, ch := range rules {
		name := fmt.Sprint("rule ", n)
		if d := weighed.Rules[ch.Rule].Draw; d != nil {
			name = fmt.Sprint("group ", d.Group, ch.Params[:d.Params])
		}
		numbers = append(numbers, lists.Memo(names, name, func(string) int32 { return int32(len(names)) }))
	}
	type branch struct{ action, to, weight int32 }
	for i := range int64(l.n) {
		if i%256 == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
		var all []branch
		var order []int32
		step := func(n int, s []byte, weight [2]int64) error {
			r := weighed.Rules[rules[n].Rule]
			if r.Draw == nil {
				weight = [2]int64{1, 1}
			}
			if weight[1] == 0 {
				return fmt.Errorf("the probability of the rule at %v is a division by zero", r.Pos)
			}
			c := lists.Memo(known, weight, func([2]int64) int32 {
				x := likelihood{exact: big.NewRat(weight[0], weight[1])}
				near, _ := x.exact.Float64()
				x.lo, x.hi = math.Nextafter(near, -1), math.Nextafter(near, 2)
				l.chances = append(l.chances, x)
				return int32(len(l.chances) - 1)
			})
			to, _, err := k.leads(s)
			if err != nil {
				return err
			}
			if levels[to] > levels[i]+1 {
				if levels[to] = levels[i] + 1; to < i && depth != everywhere {
					return fmt.Errorf("members are not in the order of their depth")
				}
			}
			if !slices.Contains(order, numbers[n]) {
				order = append(order, numbers[n])
			}
			all = append(all, branch{numbers[n], int32(to), c})
			return nil
		}
		if depth == everywhere || levels[i] < depth {
			if err := y.steps(i, rules, step); err != nil {
				return err
			}
		}
		if order == nil {
			order, all = []int32{-1}, []branch{{-1, int32(i), -1}}
		}
		l.first = append(l.first, int32(len(l.begin)))
		for _, action := range order {
			sum := new(big.Rat)
			l.begin = append(l.begin, int32(len(l.to)))
			for _, b := range all {
				if b.action != action {
					continue
				}
				if b.weight < 0 {
					sum.SetInt64(1)
				} else if p := l.chances[b.weight].exact; p.Sign() <= 0 {
					return fmt.Errorf("a probability is %v", p)
				} else {
					sum.Add(sum, p)
				}
				l.to, l.weight = append(l.to, b.to), append(l.weight, b.weight)
			}
			if sum.Cmp(big.NewRat(1, 1)) != 0 {
				return fmt.Errorf("probabilities of a member add up to %v", sum)
			}
		}
	}
	l.first, l.begin = append(l.first, int32(len(l.begin))), append(l.begin, int32(len(l.to)))
	return nil
}

// weigher fires rule instances of the model that stores probabilities: in the reference interpreter, with the memo of
// the check as long as that pays.
type weigher struct {
	k     *closureCheck
	m     *model.Model
	w     *reference.Walker
	state model.State // with the probability in front
}

func newWeigher(k *closureCheck, weighed *model.Model) *weigher {
	y := &weigher{k: k, m: weighed, w: reference.NewWalker(weighed), state: make(model.State, ghosts+len(k.state))}
	if y.w.TellTests(); k.memo != nil {
		k.memo.fire, k.memo.value, k.memo.weigh = y.fire, y.value, y.weight
	}
	return y
}

// steps calls step with all steps of a member.
func (y *weigher) steps(i int64, rules []model.Choice, step func(n int, s []byte, weight [2]int64) error) error {
	k := y.k
	failed := func(n int) error {
		r := y.m.Rules[rules[n].Rule]
		return fmt.Errorf("rule %s at %v errs", r.Name, r.Pos)
	}
	if k.memo != nil && !k.memo.pays() {
		k.memo = nil
	}
	if k.memo == nil {
		k.packer.Unpack(k.from.member(i), k.state)
		for n, ch := range rules {
			did := y.fire(k.state, y.m.Rules[ch.Rule], ch.Params)
			if did.Prop >= 0 || did.TooLong {
				return failed(n)
			}
			if did.Holds {
				if err := step(n, y.pack(), y.weight()); err != nil {
					return err
				}
				k.packer.Unpack(k.from.member(i), k.state)
			}
		}
		return nil
	}
	k.memo.load(k.from.member(i))
	k.memo.questions()
	for _, q := range k.memo.enabled {
		e := k.memo.outcome(q) // the instances are the first questions, in their order
		if e == nil || e.errs {
			return failed(int(q))
		}
		if e.moves {
			if err := step(int(q), k.memo.put(e), e.weight); err != nil {
				return err
			}
		}
	}
	return nil
}

func (y *weigher) fire(s model.State, r *model.Rule, params []int64) reference.Walked {
	y.state[0], y.state[1] = model.Undef, model.Undef
	copy(y.state[ghosts:], s)
	did := y.w.Fire(y.state, y.m.Rules[r.Index], params)
	did.Reads, did.Writes = behind(did.Reads), behind(did.Writes)
	return did
}

// behind returns the leaves behind the probability, which is not read.
func behind(leaves []int) (out []int) {
	for _, i := range leaves {
		if i >= ghosts {
			out = append(out, i-ghosts)
		}
	}
	return out
}

func (y *weigher) value(leaf int) int64 { return y.w.Value(ghosts + leaf) }

func (y *weigher) weight() [2]int64 { return [2]int64{y.w.Value(0), y.w.Value(1)} }

// pack returns the state after an instance.
func (y *weigher) pack() []byte {
	k := y.k
	for j := range k.state {
		k.state[j] = y.value(j)
	}
	for _, v := range k.p.Model.Vars {
		sortBags(v.Type, k.state[v.Offset:v.Offset+v.Type.Leaves])
	}
	k.packer.Pack(k.packed[:0], k.state)
	return k.packed
}

// mean returns bounds of the expected value of x after an action, each operation rounded outwards.
func (l *Likely) mean(a int32, x []float64) (lo, hi float64) {
	for b := l.begin[a]; b < l.begin[a+1]; b++ {
		y := x[l.to[b]]
		if l.weight[b] < 0 {
			return y, y
		}
		if c := &l.chances[l.weight[b]]; y != 0 {
			lo = math.Nextafter(lo+math.Nextafter(c.lo*y, 0), 0)
			hi = math.Nextafter(hi+math.Nextafter(c.hi*y, math.Inf(1)), math.Inf(1))
		}
	}
	return lo, hi
}

// against compares the expected value of x after an action, and plus, with v.
func (l *Likely) against(a int32, x []float64, plus int64, v float64) int {
	lo, hi := l.mean(a, x)
	one := float64(plus)
	switch {
	case math.IsInf(v, 1):
		return -1
	case math.IsInf(lo, 1):
		return 1
	case math.Nextafter(hi+one, math.Inf(1)) < v:
		return -1
	case math.Nextafter(lo+one, 0) > v:
		return 1
	}
	sum := new(big.Rat).SetInt64(plus)
	for b := l.begin[a]; b < l.begin[a+1]; b++ {
		y := new(big.Rat).SetFloat64(x[l.to[b]])
		if y == nil {
			return 1
		}
		if l.weight[b] >= 0 {
			y.Mul(y, l.chances[l.weight[b]].exact)
		}
		sum.Add(sum, y)
	}
	return sum.Cmp(new(big.Rat).SetFloat64(v))
}

// some reports whether an action of s, or each one, has a property.
func (l *Likely) some(s int, each bool, has func(a int32) bool) bool {
	for a := l.first[s]; a < l.first[s+1]; a++ {
		if has(a) != each {
			return !each
		}
	}
	return each
}

// above checks that hi is an upper bound: of the greatest probability if most is set, else of the least; or of the steps.
func (l *Likely) above(hi []float64, stay, goal []bool, most bool, plus int64) error {
	for s, v := range hi {
		switch {
		case !(v >= 0):
			return fmt.Errorf("an upper bound is %v", v)
		case goal[s]:
			if plus == 0 && v < 1 {
				return fmt.Errorf("an upper bound is %v where the probability is 1", v)
			}
		case stay[s] && !l.some(s, most, func(a int32) bool { return l.against(a, hi, plus, v) <= 0 }):
			return fmt.Errorf("steps do not show the upper bound %v", v)
		}
	}
	return nil
}

// below checks that b.Lo is a lower bound.
func (l *Likely) below(b *evidence.Bounds, stay, goal []bool, most bool, plus int64) error {
	for s, v := range b.Lo {
		switch {
		case v == 0:
		case !(v > 0), goal[s] && (v > 1 || plus > 0), !goal[s] && !stay[s]:
			return fmt.Errorf("a lower bound is %v", v)
		case goal[s]:
		case plus > 0 && math.IsInf(v, 1):
			if b.Never == nil || b.Never[s] >= 1 {
				return fmt.Errorf("nothing shows that the number of steps is infinite")
			}
		case !l.some(s, !most, func(a int32) bool {
			return l.against(a, b.Lo, plus, v) >= 0 && (plus > 0 || l.leaves(a, b, goal, b.Ranks[s]))
		}):
			return fmt.Errorf("steps do not show the lower bound %v", v)
		}
	}
	return nil
}

// leaves reports whether a branch of an action leads to goal, to the lower bound 0, or to a lesser rank.
func (l *Likely) leaves(a int32, b *evidence.Bounds, goal []bool, rank int32) bool {
	return slices.ContainsFunc(l.to[l.begin[a]:l.begin[a+1]], func(t int32) bool {
		return goal[t] || b.Lo[t] == 0 || b.Ranks[t] < rank
	})
}

// ahead computes bounds of a path of at most so many steps, or of the next step.
func (l *Likely) ahead(ctx context.Context, steps int, next bool, stay, goal []bool, most bool) (*evidence.Bounds, error) {
	now := &evidence.Bounds{Lo: make([]float64, l.n), Hi: make([]float64, l.n)}
	for s, is := range goal {
		if is {
			now.Lo[s], now.Hi[s] = 1, 1
		}
	}
	better := func(x, y float64) float64 {
		if most == (x > y) {
			return x
		}
		return y
	}
	for range steps {
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		b := &evidence.Bounds{Lo: make([]float64, l.n), Hi: make([]float64, l.n)}
		for s := range l.n {
			if goal[s] && !next {
				b.Lo[s], b.Hi[s] = 1, 1
				continue
			}
			if !stay[s] {
				continue
			}
			for a := l.first[s]; a < l.first[s+1]; a++ {
				lo, _ := l.mean(a, now.Lo)
				_, hi := l.mean(a, now.Hi)
				if hi = min(hi, 1); a == l.first[s] {
					b.Lo[s], b.Hi[s] = lo, hi
				}
				b.Lo[s], b.Hi[s] = better(lo, b.Lo[s]), better(hi, b.Hi[s])
			}
		}
		now = b
	}
	return now, nil
}

// Answer is what the evidence shows of a formula.
type Answer struct {
	Truth  pctl.Truth // of a formula that is no question
	Lo, Hi float64    // of one that is: of all start states together. Of a comparison: of the path in the formula
}

// Check checks the bounds of what a formula asks, and says what follows from them. Bounds may be missing at the end.
func (l *Likely) Check(ctx context.Context, q *model.Likelihood, bounds []*evidence.Bounds) (*Answer, error) {
	f := q.Formula
	atoms := make([][]bool, len(q.Atoms))
	for k, p := range q.Atoms {
		for i := range l.n {
			is, err := l.atoms(i, p)
			if err != nil {
				return nil, err
			}
			atoms[k] = append(atoms[k], is)
		}
	}
	truth := make(map[*pctl.Formula][]pctl.Truth)
	open := false
	holds := func(g *pctl.Formula, s int) bool {
		return g.Holds(func(n int) bool { return atoms[n][s] }, func(a *pctl.Formula) bool {
			open = open || truth[a] == nil || truth[a][s] == pctl.Open
			return !open && truth[a][s] == pctl.Holds
		})
	}
	for k, a := range f.Asks() {
		stay, goal := make([]bool, l.n), make([]bool, l.n)
		for s := range l.n {
			stay[s], goal[s] = holds(a.X, s), holds(a.Y, s)
		}
		if open || k >= len(bounds) || bounds[k] == nil {
			return &Answer{Hi: math.Inf(1)}, nil
		}
		b, err := l.bound(ctx, a.Ask, bounds[k], stay, goal)
		if err != nil {
			return nil, err
		}
		if a.Ask.Cmp != "" {
			truth[a] = make([]pctl.Truth, l.n)
			for s := range l.n {
				truth[a][s] = a.Ask.Decided(b.Lo[s], b.Hi[s])
			}
		}
		if a == f {
			ans := l.worst(a.Ask, b)
			if ans.Truth = pctl.Holds; a.Ask.Cmp != "" {
				ans.Truth = a.Ask.Decided(ans.Lo, ans.Hi)
			}
			if a.Ask.Always {
				ans.Lo, ans.Hi = complement(ans.Hi, -1), complement(ans.Lo, 2)
			}
			return ans, nil
		}
	}
	ans := &Answer{Truth: pctl.Holds}
	for _, s := range l.starts {
		if !holds(f, int(s)) && ans.Truth == pctl.Holds {
			ans.Truth = pctl.Fails
		}
	}
	if open {
		ans.Truth = pctl.Open
	}
	return ans, nil
}

// complement returns 1 - x, rounded towards some number.
func complement(x, towards float64) float64 {
	r := new(big.Rat).SetFloat64(x)
	y, exact := r.Sub(big.NewRat(1, 1), r).Float64()
	if !exact {
		y = math.Nextafter(y, towards)
	}
	return y
}

// bound checks the bounds of one question.
func (l *Likely) bound(ctx context.Context, a *pctl.Ask, b *evidence.Bounds, stay, goal []bool) (*evidence.Bounds, error) {
	most := a.Most()
	switch steps := a.Steps; {
	case a.Next || steps >= 0:
		if a.Next {
			steps = 1
		}
		own, err := l.ahead(ctx, steps, a.Next, stay, goal, most)
		for _, s := range l.starts {
			if err == nil && (len(b.Lo) != l.n || len(b.Hi) != l.n || own.Lo[s] > b.Hi[s] || b.Lo[s] > own.Hi[s]) {
				err = fmt.Errorf("a start state has other bounds")
			}
		}
		return own, err
	case len(b.Lo) != l.n || len(b.Hi) != l.n || !a.Expected && len(b.Ranks) != l.n || b.Never != nil && len(b.Never) != l.n:
		return nil, fmt.Errorf("bounds of another number of states")
	}
	var plus int64
	if a.Expected {
		plus = 1
		if b.Never != nil {
			if err := l.above(b.Never, stay, goal, !most, 0); err != nil {
				return nil, err
			}
		}
	}
	if err := l.above(b.Hi, stay, goal, most, plus); err != nil {
		return nil, err
	}
	return b, l.below(b, stay, goal, most, plus)
}

// worst returns the bounds of all start states together: the chooser also chooses among these.
func (l *Likely) worst(a *pctl.Ask, b *evidence.Bounds) *Answer {
	ans := &Answer{Lo: b.Lo[l.starts[0]], Hi: b.Hi[l.starts[0]]}
	for _, s := range l.starts {
		if a.Most() {
			ans.Lo, ans.Hi = max(ans.Lo, b.Lo[s]), max(ans.Hi, b.Hi[s])
		} else {
			ans.Lo, ans.Hi = min(ans.Lo, b.Lo[s]), min(ans.Hi, b.Hi[s])
		}
	}
	return ans
}
