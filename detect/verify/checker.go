package verify

import (
	"context"
	"encoding/binary"
	"fmt"
	"math/rand/v2"
	"time"

	"orbitmc/internal/pace"
	"orbitmc/sat"
	"orbitmc/ts"
)

// Checker verifies permutations of a system with all its bads, each once.
// It is not safe for concurrent use.
type Checker struct {
	Verified int // permutations
	BySAT    int // how many of them with the help of the prover: these rest on W

	v       *Verifier
	decider *Decider
	seen    map[string]bool // keys of permutations that were verified
}

// NewChecker returns a Checker for sys. The error says which option is out of range.
func NewChecker(sys *ts.System, opt Options) (*Checker, error) {
	opt, err := opt.WithDefaults()
	if err != nil {
		return nil, err
	}
	v := New(sys, nil)
	rng := rand.New(rand.NewPCG(opt.Seed, 3))
	n := len(sys.Latches) + len(sys.Inputs) + len(sys.Init)
	draw := func() Valuation {
		x := make(Valuation, n)
		for i := range x {
			x[i] = rng.IntN(2) == 0
		}
		return x
	}
	return &Checker{v: v, seen: make(map[string]bool), decider: v.Decider(opt, rng, draw)}, nil
}

// Within runs f with another budget for each permutation: part of the usual one.
func (c *Checker) Within(part int, f func() error) error {
	budget := c.decider.budget
	defer func() { c.decider.budget = budget }()
	c.decider.budget = budget / time.Duration(part)
	return f()
}

// Keeps reports whether p is verified to keep the system and each bad. The error is
// that of ctx.
func (c *Checker) Keeps(ctx context.Context, p *ts.Perm) (bool, error) {
	if err := ctx.Err(); err != nil {
		return false, err
	}
	return c.Takes(ctx, p, nil)
}

// Takes reports whether p is verified to keep the system and to take bad i to bad
// to[i]; nil: to itself. The error is that of ctx.
func (c *Checker) Takes(ctx context.Context, p *ts.Perm, to []int) (bool, error) {
	key := keyOf(p)
	if to != nil {
		key += fmt.Sprint(to)
	}
	if c.seen[key] {
		return true, nil
	}
	system, props := c.v.CompareTo(p, to, nil)
	pace.Spend(ctx, c.v.Steps())
	if len(system)+len(props) > 0 {
		st, _, _ := c.decider.Decide(ctx, append(system, props...))
		pace.Spend(ctx, 16*c.v.Steps())
		if st != sat.Unsat {
			return false, ctx.Err()
		}
		c.BySAT++
	}
	c.seen[key] = true
	c.Verified++
	return true, nil
}

// keyOf tells permutations of one system apart: what they move, and where to.
func keyOf(p *ts.Perm) string {
	var key []byte
	for k, image := range p.Parts() {
		for i, l := range image {
			if l != ts.MkLit(i, false) {
				key = binary.AppendUvarint(key, uint64(i)*3+uint64(k))
				key = binary.AppendUvarint(key, uint64(l))
			}
		}
	}
	return string(key)
}
