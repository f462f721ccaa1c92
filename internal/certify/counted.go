package certify

import (
	"fmt"
	"slices"

	"orbitmc/aig"
	"orbitmc/internal/lists"
	"orbitmc/mc"
	"orbitmc/mc/evidence"
	"orbitmc/ts"
)

// This file checks that justice properties hold because conditions are met together so many
// times at most (evidence.Proof.Rounds). The check makes the system that counts anew from the
// netlist, by its own code, and checks the proof on it as on any netlist: it proves W and the
// clean-up, and verifies permutations, on that system. So a permutation counts only if it maps
// tracker latches as it maps conditions.
//
// Assume that the proof is right, and that a run meets all conditions infinitely often. Some
// step is the first one by which all conditions were met; there the tracker is cleared, and
// round 1 ends. The rest of the run meets all conditions again, so round 2 ends, and so on. The
// proof says that round n never ends.

// counting returns the netlist of p with a tracker and a counter for one of its justice
// properties.
func counting(p *mc.Problem, prop, rounds int) (*mc.Problem, error) {
	j, fair, ok := p.JusticeOf(prop)
	if !ok || rounds < 1 {
		return nil, fmt.Errorf("rounds are counted of a property that is no justice property")
	}
	src := p.Lassos.Source
	sys, at := src.Copy()
	g := sys.G
	var conditions []aig.Lit // of the source, each once
	for _, l := range slices.Concat(j.Lits, fair) {
		conditions = lists.With(conditions, l)
	}
	first := len(sys.Latches)
	add := func(name string) { sys.Latches = append(sys.Latches, ts.Latch{Name: name, Node: g.Input().Node()}) }
	met := make([]aig.Lit, len(conditions))
	for i, l := range conditions {
		add(fmt.Sprintf("met %d", i))
		met[i] = g.Or(sys.LatchLit(first+i), at.Copy(l))
	}
	ends := g.AndN(met)
	for i := range met {
		sys.Latches[first+i].Next = g.And(met[i], ends.Not())
	}
	before := aig.True // all rounds but one have ended
	for i := 1; i < rounds; i++ {
		add(fmt.Sprintf("round %d", i))
		l := &sys.Latches[len(sys.Latches)-1]
		now := aig.MkLit(l.Node, false)
		l.Next = g.Or(now, g.And(before, ends))
		before = now
	}
	sys.Bads = []ts.Bad{{Name: j.Name, Lit: g.And(before, ends)}}
	return p.Counted(sys), nil
}

// counted checks a proof with rounds.
func (c *Checker) counted(f *evidence.Proof, prop int) (string, error) {
	if props := f.About(prop); !slices.Equal(props, []int{prop}) {
		return "", fmt.Errorf("rounds are counted of the properties %v", props)
	}
	q, err := counting(c.p, prop, f.Rounds)
	if err != nil {
		return "", err
	}
	own := *f
	own.Rounds, own.Props = 0, nil
	d := c.For(q)
	how, err := d.Check(&own, 0)
	c.queries += d.queries
	if err != nil {
		return "", err
	}
	c.known = append(c.known, prop)
	slices.Sort(c.known)
	c.known = slices.Compact(c.known)
	return fmt.Sprintf("its conditions are met together fewer than %d times: %s", f.Rounds, how), nil
}
