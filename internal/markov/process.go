// Package markov decides formulas of PCTL on the Markov chain or Markov decision process of a model whose states are known.
//
//	process.go  the process: states, actions, branches
//	graph.go    what is certain or impossible, by the graph alone; end components
//	bounds.go   bounds of probabilities and of expected numbers of steps, by iteration from both sides
//	decide.go   formulas
//
// States are those of a search modulo symmetry. A step of a member leads to a state of which some image is a member; it
// counts as a step to that member, and the probabilities of steps to one member add up. So the process is the quotient by
// orbits: docs/theory/probability.md shows that the quotient has the probabilities of the whole.
//
// A probability is a rational number, known exactly. Bounds are computed in floating point, rounded outwards. They are
// evidence: internal/certify/states checks them in exact arithmetic, on steps that it finds itself.
package markov

import (
	"context"
	"fmt"
	"math"
	"math/big"
	"slices"

	"orbitmc/mc/evidence"
	"orbitmc/model"
)

// Process is a Markov decision process over states 0, 1 and so on. In each state a chooser takes one of the actions, and
// chance one of the branches of the action. A state in which no rule can fire has one action, back to itself.
type Process struct {
	First  []int32 // by state: its first action; one more at the end
	Begin  []int32 // by action: its first branch; one more at the end
	To     []int32 // by branch: the next state
	Weight []int32 // by branch: its probability, in Chances
	Starts []int32

	Chances []Chance
	known   map[[2]int64]int32
}

// Chance is a probability between 0 and 1, with bounds.
type Chance struct {
	*big.Rat
	Lo, Hi float64
}

// States returns the number of states.
func (p *Process) States() int { return len(p.First) - 1 }

// Chooses reports whether something is left to a chooser.
func (p *Process) Chooses() bool { return len(p.Begin) > len(p.First) || len(p.Starts) > 1 }

// Failure is a state in which no distribution is right, or a step that errs.
type Failure struct {
	State model.State
	Pos   model.Pos
	Text  string
}

func (f *Failure) Error() string { return f.Text }

// chance returns the number of the probability n/d.
func (p *Process) chance(n, d int64) int32 {
	i, ok := p.known[[2]int64{n, d}]
	if !ok {
		r := big.NewRat(n, d)
		c := Chance{Rat: r}
		f, exact := r.Float64()
		if c.Lo, c.Hi = f, f; !exact {
			c.Lo, c.Hi = math.Nextafter(f, 0), math.Nextafter(f, 2)
		}
		i = int32(len(p.Chances))
		p.Chances = append(p.Chances, c)
		p.known[[2]int64{n, d}] = i
	}
	return i
}

// ghosts is how many variables a model read with weights has in front.
const ghosts = 2

// builder makes a process.
type builder struct {
	*Process
	packer  *model.Packer
	members evidence.Closure
	border  bool           // members are those up to some depth
	machine *model.Machine // of the weighed model
	rules   []*model.Rule
	packed  []byte
	groups  []group // of the state at hand
	one     *big.Rat
}

// group is an action of the state at hand.
type group struct {
	draw   *model.Draw // nil: no chance
	params []int64
	to     []int32
	weight []int32
	sum    *big.Rat
	pos    model.Pos
}

// Build makes the process of a model from its states, which members knows. weighed is the same model, read so that it
// stores probabilities (murphi.Options.Weights). If border is set, members are those up to some depth only, and states from
// which a step leads elsewhere have no steps. The error is a *Failure, or that of ctx.
func Build(ctx context.Context, m *model.Model, weighed *model.Program, members evidence.Closure, border bool) (*Process, error) {
	p := &Process{known: make(map[[2]int64]int32)}
	b := &builder{Process: p, packer: model.NewPacker(m), members: members, border: border, machine: weighed.NewMachine(), rules: weighed.Model.Rules, one: big.NewRat(1, 1)}
	var failed error
	b.machine.Starts(func(_ model.Choice, s model.State, v *model.Violation) bool {
		if v != nil {
			failed = &Failure{Pos: v.Pos, Text: v.Message}
			return false
		}
		i, err := b.member(s)
		failed = err
		if !slices.Contains(p.Starts, i) {
			p.Starts = append(p.Starts, i)
		}
		return err == nil
	})
	s := make(model.State, m.Leaves())
	whole := make(model.State, ghosts+len(s))
	for i := int64(0); i < members.Len() && failed == nil; i++ {
		if i%1024 == 0 && ctx.Err() != nil {
			return nil, ctx.Err()
		}
		b.packer.Unpack(members.Member(i), s)
		whole[0], whole[1] = model.Undef, model.Undef
		copy(whole[ghosts:], s)
		failed = b.state(i, whole)
	}
	p.First, p.Begin = append(p.First, int32(len(p.Begin))), append(p.Begin, int32(len(p.To)))
	if failed != nil {
		return nil, failed
	}
	return p, nil
}

// member returns the member that an image of s is; s has the stored probability in front.
func (b *builder) member(s model.State) (int32, error) {
	b.packed = b.packer.Pack(b.packed[:0], s[ghosts:])
	i, _, ok := b.members.Guess(b.packed)
	if !ok {
		return 0, fmt.Errorf("a state that a step leads to is not among those that were found")
	}
	return int32(i), nil
}

// state adds the actions of member i.
func (b *builder) state(i int64, s model.State) (err error) {
	b.groups = b.groups[:0]
	fail := func(pos model.Pos, format string, args ...any) bool {
		err = &Failure{State: append(model.State(nil), s[ghosts:]...), Pos: pos, Text: fmt.Sprintf(format, args...)}
		return false
	}
	leaves := false
	b.machine.Successors(s, func(ch model.Choice, t model.State, v *model.Violation) bool {
		if v != nil {
			return fail(v.Pos, "%s", v.Message)
		}
		r := b.rules[ch.Rule]
		n, d := int64(1), int64(1)
		if r.Draw != nil {
			n, d = t[0], t[1]
		}
		if d == 0 {
			return fail(r.Pos, "the probability of the rule is a division by zero")
		}
		if n < 0 != (d < 0) || n == 0 {
			return fail(r.Pos, "the probability of the rule is %v", big.NewRat(n, d))
		}
		to, e := b.member(t)
		if leaves = e != nil && b.border; leaves {
			return false
		}
		if err = e; err != nil {
			return false
		}
		g := b.group(r, ch.Params)
		w := b.chance(n, d)
		g.to, g.weight = append(g.to, to), append(g.weight, w)
		g.sum.Add(g.sum, b.Chances[w].Rat)
		return true
	})
	if leaves {
		b.groups = nil
	}
	for k := range b.groups {
		if g := &b.groups[k]; err == nil && g.sum.Cmp(b.one) != 0 {
			fail(g.pos, "the probabilities of the instances that chance decides between add up to %s, not to 1", g.sum.RatString())
		}
	}
	if err != nil {
		return err
	}
	b.First = append(b.First, int32(len(b.Begin)))
	for _, g := range b.groups {
		b.Begin = append(b.Begin, int32(len(b.To)))
		b.To, b.Weight = append(b.To, g.to...), append(b.Weight, g.weight...)
	}
	if len(b.groups) == 0 {
		b.Begin = append(b.Begin, int32(len(b.To)))
		b.To, b.Weight = append(b.To, int32(i)), append(b.Weight, b.chance(1, 1))
	}
	if len(b.To) > math.MaxInt32/2 {
		return fmt.Errorf("too many steps")
	}
	return nil
}

// group returns the action of which an instance is a branch.
func (b *builder) group(r *model.Rule, params []int64) *group {
	d := r.Draw
	for k := range b.groups {
		g := &b.groups[k]
		if d != nil && g.draw != nil && g.draw.Group == d.Group && slices.Equal(g.params, params[:d.Params]) {
			return g
		}
	}
	b.groups = append(b.groups, group{draw: d, sum: new(big.Rat), pos: r.Pos})
	g := &b.groups[len(b.groups)-1]
	if d != nil {
		g.params = append(g.params, params[:d.Params]...)
	}
	return g
}
