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
func (ru *run) compare(c *candidate) {
	if c.compared {
		return
	}
	pairs := make(map[int][][2]aig.Lit)
	for prop := range ru.opt.Instances {
		pairs[prop] = ru.pairs(&c.Move, prop)
	}
	c.system, c.props = ru.v.Compare(c.Perm, pairs)
	c.compared = true
	ru.limit.Spend(int64(ru.v.Steps()))
}

// pairs pairs the instances of a property with those that mv takes them to.
func (ru *run) pairs(mv *explain.Move, prop int) (pairs [][2]aig.Lit) {
	instances := ru.opt.Instances[prop]
	for _, inst := range instances {
		image := mv.Instance(ru.m.Props[prop], inst.Values)
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
func (ru *run) compared(c *candidate, prop int) (open []verify.Difference) {
	ru.compare(c)
	if prop < 0 {
		ru.report.Functions += 2*len(ru.sys.Latches) + 2
		return c.system
	}
	ru.report.Functions += len(ru.propBads[prop]) + len(ru.opt.Instances[prop])
	for _, diff := range c.props {
		if diff.Part == verify.Bad && slices.Contains(ru.propBads[prop], diff.Index) || diff.Part == verify.Condition && diff.Index == prop {
			open = append(open, diff)
		}
	}
	return open
}

// known reports whether the conditions of all instances of a property are known, if it
// is one that is about its instances.
func (ru *run) known(prop int) bool {
	q := ru.m.Props[prop]
	return q.Kind != model.Liveness || uint64(len(ru.opt.Instances[prop])) == count(q)
}

// check decides whether c keeps the system, if prop is -1, or the bads of a
// property, and records the outcome.
func (ru *run) check(ctx context.Context, c *candidate, prop int) (bool, error) {
	if ru.over() {
		return false, nil
	}
	if err := ctx.Err(); err != nil {
		return false, err
	}
	ru.progress()
	ru.report.Tried++
	if prop >= 0 && !ru.known(prop) {
		ru.refute(ru.refuter.Undecided(&c.Move, prop, "whether it holds in a state"))
		return false, nil
	}
	open := ru.compared(c, prop)
	if len(open) == 0 {
		ru.report.VerifiedStructurally++
		return true, nil
	}
	if found, err := ru.search(ctx, c, prop, explain.Few); found || err != nil {
		return false, err
	}
	if ru.over() {
		return ru.undone()
	}
	if ru.hard[prop] {
		ru.refute(ru.refuter.Undecided(&c.Move, prop, ru.v.Name(open[0])))
		return false, nil
	}
	return ru.decide(ctx, c, prop, open)
}

// undone takes back a check that the limit ended.
func (ru *run) undone() (bool, error) {
	ru.report.Tried--
	return false, nil
}

// search looks for a witness against c in some states, and records it.
func (ru *run) search(ctx context.Context, c *candidate, prop, states int) (found bool, err error) {
	why, err := ru.refuter.Search(ctx, &c.Move, prop, states)
	if err != nil && ru.over() {
		return false, nil
	}
	if why == nil || err != nil {
		return false, err
	}
	ru.refute(*why)
	return true, nil
}

// decide decides by SAT whether c keeps functions, and records the outcome.
func (ru *run) decide(ctx context.Context, c *candidate, prop int, open []verify.Difference) (bool, error) {
	if ru.decider == nil {
		ru.decider = ru.refuter.Decider(ru.v)
	}
	if ru.opt.Verify.NewProver != nil {
		ru.report.Queries += len(open)
	}
	st, at, x := ru.decider.Decide(ctx, open)
	switch {
	case st == sat.Unsat:
		ru.report.VerifiedBySAT++
		return true, nil
	case ru.over():
		return ru.undone()
	case ctx.Err() != nil:
		return false, ctx.Err()
	}
	if ru.searches < maxSearches || st != sat.Sat {
		ru.searches++
		if found, err := ru.search(ctx, c, prop, explain.All); found || err != nil {
			return false, err
		}
	}
	function := ru.v.Name(open[at])
	if st == sat.Sat {
		ru.refute(ru.refuter.Counterexample(&c.Move, prop, function, x))
	} else {
		ru.refute(ru.refuter.Undecided(&c.Move, prop, function))
		ru.hard[prop] = prop >= 0
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

func (ru *run) refute(why detect.Refutation) {
	if why.Undecided {
		ru.report.Unproved++
	} else {
		ru.report.Refuted++
	}
	ru.report.Refutations = append(ru.report.Refutations, why)
}
