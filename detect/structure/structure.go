package structure

import (
	"context"
	"fmt"
	"math/big"
	"slices"
	"time"

	"orbitmc/detect/decompose"
	"orbitmc/detect/graph"
	"orbitmc/detect/group"
	"orbitmc/detect/verify"
	"orbitmc/ts"
)

// Result is the symmetry that the structure of a system shows.
type Result struct {
	Vertices, Edges int
	Order           *big.Int       // of the group of Generators; nil if the context ended before it was known
	Generators      []group.Sparse // verified, as points of decompose.Numbering: a large netlist may have hundreds, each of which moves little
	Unverified      int            // generators that were found, not verified, and left out
	Verified        int            // permutations that were verified: generators, and elements made of them
	BySAT           int            // of them, how many with the help of the prover: they rest on W
	Guessed         int            // generators tried beyond those that structure shows, see Options.Guess
	Confirmed       int            // of these, how many were verified

	Factors []decompose.Factor
	// Symmetry is the whole group: what representatives are made of. It is a part of
	// it only if the context ended before all of it was analysed.
	Symmetry *ts.Symmetry
}

// Options steer detection. The zero value compares structures only.
type Options struct {
	Verify verify.Options // how each permutation is verified

	// Guess makes Detect try permutations that the structure does not show: those that
	// keep no more of small functions than can be told from their truth tables, and
	// exchanges of numbers in the names of leaves. Of both it takes those that move
	// latches. Without Verify.NewProver none of them is verified.
	Guess bool
}

// Detect finds the permutations of latches and inputs that the structure of a
// system shows to keep it and its bads, all of them: to look for the symmetry
// of one property, leave the bads of the others out. Every generator is
// verified like a declared one. When ctx ends, what was found until then is
// returned with the error of ctx.
func Detect(ctx context.Context, sys *ts.System, opt Options) (*Result, error) {
	check, err := verify.NewChecker(sys, opt.Verify)
	if err != nil {
		return nil, err
	}
	x := &detection{ctx: ctx, sys: sys, leaves: decompose.NumberingOf(sys), check: check, out: &Result{}}
	err = x.run(opt)
	if err != nil && ctx.Err() == nil {
		return nil, fmt.Errorf("internal error: %w", err)
	}
	x.out.Verified, x.out.BySAT = x.check.Verified, x.check.BySAT
	return x.out, err
}

// detection is a run of Detect.
type detection struct {
	ctx    context.Context
	sys    *ts.System
	leaves decompose.Numbering
	check  *verify.Checker
	out    *Result

	factors []*group.Factor     // of the group of the generators
	orders  map[string]*big.Int // by the numbers of all generators that move its leaves: of a part of the group
}

// run looks at the system in several ways and takes all generators together.
// Normal forms see through how gates are nested; but those of gates of hundreds of
// operands depend on numbers, and whether two clauses of a gate are an exclusive or
// on what else is there. Then the circuit as it is shows more.
func (d *detection) run(opt Options) error {
	first, err := d.look(normalised)
	if first == nil || err != nil {
		return err
	}
	second, err := d.look(plain)
	if second == nil || err != nil {
		return err
	}
	if second.found.Order.Cmp(first.found.Order) > 0 {
		first, second = second, first
	}
	if err := d.begin(first); err != nil {
		return err
	}
	_, refused, err := d.add(second)
	d.out.Unverified += refused
	if err != nil {
		return err
	}
	if opt.Guess {
		if err := d.guess(); err != nil {
			return err
		}
	}
	y, factors, err := decompose.Symmetry(d.ctx, d.leaves, d.check, d.factors, "factor ")
	d.out.Factors = factors
	if !y.Trivial() {
		d.out.Symmetry = y
	}
	return err
}

// guessPart is the part of its budget that a guess may take: most are wrong, and few
// of those that are right are hard to verify.
const guessPart = 10

// guess tries what structure does not show. If ctx has a deadline it takes at most
// half of the time that is left, and is undone if that is not enough: what was known
// before is to be analysed.
func (d *detection) guess() error {
	whole, generators, factors, order := d.ctx, d.out.Generators, d.factors, d.out.Order
	if end, ok := whole.Deadline(); ok {
		var cancel context.CancelFunc
		d.ctx, cancel = context.WithTimeout(whole, time.Until(end)/2)
		defer cancel()
	}
	err := d.check.Within(guessPart, func() error {
		if err := d.tables(); err != nil {
			return err
		}
		return d.named()
	})
	stopped := d.ctx.Err() != nil && whole.Err() == nil
	if d.ctx = whole; !stopped {
		return err
	}
	d.out.Generators, d.factors, d.out.Order = generators, factors, order
	return nil
}

// tables adds what truth tables suggest. Permutations of inputs alone are left out:
// most are of inputs that do not matter, and there may be hundreds of them.
func (d *detection) tables() error {
	s, err := d.look(tabled)
	if s == nil || err != nil {
		return err
	}
	s.perms = slices.DeleteFunc(s.perms, func(p group.Sparse) bool { return int(p.Points[0]) >= len(d.sys.Latches) })
	confirmed, refused, err := d.add(s)
	d.out.Confirmed, d.out.Guessed = confirmed, confirmed+refused
	return err
}

// sight is what one look at the system shows.
type sight struct {
	perms  []group.Sparse // to be verified; points ascend
	number []int          // by permutation: its number in found; there may be some that move no leaf
	found  *graph.Result
}

// look searches for the automorphisms of a graph of the system. The result is nil
// if there is none, and incomplete if there is an error.
func (d *detection) look(v view) (*sight, error) {
	g, c, err := graphOf(d.ctx, d.sys, v)
	if err != nil {
		return nil, err
	}
	found, err := graph.Search(d.ctx, g)
	if found == nil {
		return nil, err
	}
	if v == normalised {
		d.out.Vertices, d.out.Edges = g.N(), g.M()
	}
	s := &sight{found: found}
	for i, p := range found.Generators {
		if perm := c.perm(p); len(perm.Points) > 0 {
			s.perms = append(s.perms, perm)
			s.number = append(s.number, i)
		}
	}
	return s, err
}

// begin starts with the group of a complete sight. No automorphism but the identity
// fixes all leaves, since equal functions have one vertex: so what the search says of
// the order of the group on vertices, or of a factor, holds for the leaves.
func (d *detection) begin(s *sight) error {
	var number []int // in s.found, of those that were verified
	for i, p := range s.perms {
		ok, err := d.keeps(p)
		if err != nil {
			return err
		}
		if ok {
			d.out.Generators = append(d.out.Generators, p)
			number = append(number, s.number[i])
		} else {
			d.out.Unverified++
		}
	}
	if len(number) < len(s.found.Generators) {
		return d.factorise(nil)
	}
	return d.factorise(s.found.OrderOf)
}

// add adds what is new in a sight, and returns how much of that was verified, and
// how much was not.
func (d *detection) add(s *sight) (confirmed, refused int, err error) {
	for _, p := range s.perms {
		if d.leaves.Contain(d.factors, p) {
			continue
		}
		ok, err := d.keeps(p)
		if err != nil {
			return confirmed, refused, err
		}
		if ok {
			d.out.Generators = append(d.out.Generators, p)
			confirmed++
		} else {
			refused++
		}
	}
	if confirmed > 0 {
		err = d.factorise(nil)
	}
	return confirmed, refused, err
}

// factorise splits the group of the generators. orderOf, if not nil, knows the order
// of each part of it that shares no leaf with the rest; otherwise the orders of parts
// without new generators are known from before.
func (d *detection) factorise(orderOf func(gens []int) *big.Int) (err error) {
	if orderOf == nil {
		orderOf = func(gens []int) *big.Int { return d.orders[fmt.Sprint(gens)] }
	}
	var parts [][]int
	d.factors, err = d.leaves.Factors(d.ctx, d.out.Generators, func(gens []int) *big.Int {
		parts = append(parts, gens)
		return orderOf(gens)
	})
	if err != nil {
		return err
	}
	d.out.Order = big.NewInt(1)
	factor := make(map[int32]int) // by leaf
	for i, f := range d.factors {
		d.out.Order.Mul(d.out.Order, f.Group.Order())
		for _, l := range f.Points {
			factor[l] = i
		}
	}
	d.orders = make(map[string]*big.Int)
	for _, part := range parts {
		order := big.NewInt(1)
		in := make(map[int]bool)
		for _, g := range part {
			for _, l := range d.out.Generators[g].Points {
				if i := factor[l]; !in[i] {
					in[i] = true
					order.Mul(order, d.factors[i].Group.Order())
				}
			}
		}
		d.orders[fmt.Sprint(part)] = order
	}
	return nil
}

func (d *detection) keeps(p group.Sparse) (bool, error) {
	return d.check.Keeps(d.ctx, d.leaves.Perm(p, ""))
}
