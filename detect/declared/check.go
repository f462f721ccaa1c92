package declared

import (
	"context"
	"maps"
	"slices"

	"orbitmc/aig"
	"orbitmc/detect"
	"orbitmc/detect/explain"
	"orbitmc/detect/verify"
	"orbitmc/model"
	"orbitmc/sat"
)

// A check has four steps, cheapest first: the structures are compared; the interpreter
// looks for a witness in a few states; the solver decides; and if it does not prove the
// permutation, the interpreter looks in all sampled states, since a user learns more from a
// reachable witness than from a counterexample of the solver. Only the first and the
// third step can verify a permutation.

// compare fills in where the functions of the system and their images differ.
func (d *run) compare(c *candidate) {
	if c.compared {
		return
	}
	pairs := make(map[int][][2]aig.Lit)
	for prop := range d.opt.Instances {
		pairs[prop] = d.pairs(&c.Move, prop)
	}
	c.system, c.props = d.v.Compare(c.Perm, pairs)
	c.compared = true
	d.limit.Spend(int64(d.v.Steps()))
}

// pairs pairs the instances of a property with those that mv takes them to.
func (d *run) pairs(mv *explain.Move, prop int) (pairs [][2]aig.Lit) {
	instances := d.opt.Instances[prop]
	for _, inst := range instances {
		image := mv.Instance(d.m.Props[prop], inst.Values)
		to := slices.IndexFunc(instances, func(i detect.Instance) bool { return slices.Equal(i.Values, image) })
		if to < 0 {
			pairs = append(pairs, [2]aig.Lit{aig.False, aig.True}) // it is none: not kept
			continue
		}
		pairs = append(pairs, [2]aig.Lit{inst.Holds, instances[to].Holds}, [2]aig.Lit{inst.Errs, instances[to].Errs})
	}
	return pairs
}

// count returns how many instances a property has.
func count(p *model.Property) uint64 {
	n := uint64(1)
	for _, q := range p.Params {
		n *= q.Domain.Size()
	}
	return n
}

// compared returns the differences that are open between c and the system, if prop is
// -1, or a property, and counts the functions that were compared.
func (d *run) compared(c *candidate, prop int) (open []verify.Difference) {
	d.compare(c)
	if prop < 0 {
		d.report.Functions += 2*len(d.sys.Latches) + 2
		return c.system
	}
	d.report.Functions += len(d.propBads[prop]) + len(d.opt.Instances[prop])
	for _, diff := range c.props {
		if diff.Part == verify.Bad && slices.Contains(d.propBads[prop], diff.Index) || diff.Part == verify.Condition && diff.Index == prop {
			open = append(open, diff)
		}
	}
	return open
}

// known reports whether the conditions of all instances of a property are known, if it
// is one that is about its instances.
func (d *run) known(prop int) bool {
	q := d.m.Props[prop]
	return q.Kind != model.Liveness || uint64(len(d.opt.Instances[prop])) == count(q)
}

// check decides whether c keeps the system, if prop is -1, or the bads of a
// property, and records the outcome.
func (d *run) check(ctx context.Context, c *candidate, prop int) (bool, error) {
	if d.over() {
		return false, nil
	}
	if err := ctx.Err(); err != nil {
		return false, err
	}
	d.progress()
	d.report.Tried++
	if prop >= 0 && !d.known(prop) {
		d.refute(d.refuter.Undecided(&c.Move, prop, "whether it holds in a state"))
		return false, nil
	}
	open := d.compared(c, prop)
	if len(open) == 0 {
		d.report.VerifiedStructurally++
		return true, nil
	}
	if found, err := d.search(ctx, c, prop, explain.Few); found || err != nil {
		return false, err
	}
	if d.over() {
		return d.undone()
	}
	if d.hard[prop] {
		d.refute(d.refuter.Undecided(&c.Move, prop, d.v.Name(open[0])))
		return false, nil
	}
	return d.decide(ctx, c, prop, open)
}

// undone takes back a check that the limit ended.
func (d *run) undone() (bool, error) {
	d.report.Tried--
	return false, nil
}

// search looks for a witness against c in some states, and records it.
func (d *run) search(ctx context.Context, c *candidate, prop, states int) (found bool, err error) {
	why, err := d.refuter.Search(ctx, &c.Move, prop, states)
	if err != nil && d.over() {
		return false, nil
	}
	if why == nil || err != nil {
		return false, err
	}
	d.refute(*why)
	return true, nil
}

// decide decides by SAT whether c keeps functions, and records the outcome.
func (d *run) decide(ctx context.Context, c *candidate, prop int, open []verify.Difference) (bool, error) {
	if d.decider == nil {
		d.decider = d.refuter.Decider(d.v)
	}
	if d.opt.Verify.NewProver != nil {
		d.report.Queries += len(open)
	}
	st, at, x := d.decider.Decide(ctx, open)
	switch {
	case st == sat.Unsat:
		d.report.VerifiedBySAT++
		return true, nil
	case d.over():
		return d.undone()
	case ctx.Err() != nil:
		return false, ctx.Err()
	}
	if d.searches < maxSearches || st != sat.Sat {
		d.searches++
		if found, err := d.search(ctx, c, prop, explain.All); found || err != nil {
			return false, err
		}
	}
	function := d.v.Name(open[at])
	if st == sat.Sat {
		d.refute(d.refuter.Counterexample(&c.Move, prop, function, x))
	} else {
		d.refute(d.refuter.Undecided(&c.Move, prop, function))
		d.hard[prop] = prop >= 0
	}
	return false, nil
}

func conditions(instances map[int][]detect.Instance) (all []aig.Lit) {
	for _, prop := range slices.Sorted(maps.Keys(instances)) {
		for _, inst := range instances[prop] {
			all = append(all, inst.Holds, inst.Errs)
		}
	}
	return all
}

func (d *run) refute(why detect.Refutation) {
	if why.Undecided {
		d.report.Unproved++
	} else {
		d.report.Refuted++
	}
	d.report.Refutations = append(d.report.Refutations, why)
}
