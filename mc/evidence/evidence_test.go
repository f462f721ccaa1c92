package evidence_test

import (
	"slices"
	"strings"
	"testing"

	"orbitmc/aig"
	"orbitmc/mc/evidence"
	"orbitmc/ts"
)

// system has n latches that keep their values.
func system(n int) *ts.System {
	s := &ts.System{G: aig.NewPlain(), W: aig.True}
	for range n {
		l := s.G.Input()
		s.Latches = append(s.Latches, ts.Latch{Node: l.Node(), Next: l})
	}
	return s
}

// circuit is a predicate over n latches.
func circuit(n int, f func(g *aig.Graph, latches []aig.Lit) aig.Lit) *evidence.Circuit {
	c := &evidence.Circuit{G: aig.New()}
	for range n {
		c.Latches = append(c.Latches, c.G.Input())
	}
	c.Out = f(c.G, c.Latches)
	return c
}

// holds evaluates a circuit in the state whose bits are those of x.
func holds(c *evidence.Circuit, x int) bool {
	sim := aig.NewSim(c.G)
	for i, l := range c.Latches {
		sim.Set(l.Node(), uint64(x>>i&1))
	}
	sim.Run()
	return sim.Word(c.Out)&1 == 1
}

func TestAbout(t *testing.T) {
	if got := (&evidence.Proof{}).About(7); !slices.Equal(got, []int{7}) {
		t.Errorf("a proof without properties is about %v", got)
	}
	if got := (&evidence.Proof{Props: []int{1, 4}}).About(7); !slices.Equal(got, []int{1, 4}) {
		t.Errorf("a proof of 1 and 4 is about %v", got)
	}
}

// TestCheck: what is malformed is refused, for the reason that it has.
func TestCheck(t *testing.T) {
	s := system(3)
	first := func(g *aig.Graph, l []aig.Lit) aig.Lit { return l[0] }
	twice, negated, beyond := circuit(3, first), circuit(3, first), circuit(3, first)
	twice.Latches[1] = twice.Latches[0]
	negated.Latches[2] = negated.Latches[2].Not()
	beyond.Out = aig.MkLit(beyond.G.Len(), false)
	short := &ts.Perm{Latch: []ts.Lit{0, 2}}
	for _, c := range []struct {
		f    evidence.Proof
		want string // part of the error, "" if there is none
	}{
		{evidence.Proof{K: 1}, ""},
		{evidence.Proof{K: 1, Clauses: []ts.Clause{{0, 5}}, Circuit: circuit(3, first)}, ""},
		{evidence.Proof{K: 2, Distinct: []evidence.Distinct{{I: 0, J: 2, Perm: ts.Identity(s)}, {I: 1, J: 2}}}, ""},
		{evidence.Proof{}, "k is 0"},
		{evidence.Proof{K: 1, Clauses: []ts.Clause{{}}}, "a clause is empty"},
		{evidence.Proof{K: 1, Clauses: []ts.Clause{{0}, {6}}}, "latch 3 of 3"},
		{evidence.Proof{K: 1, Circuit: circuit(2, first)}, "2 inputs for 3 latches"},
		{evidence.Proof{K: 1, Circuit: twice}, "for a latch"},
		{evidence.Proof{K: 1, Circuit: negated}, "for a latch"},
		{evidence.Proof{K: 1, Circuit: beyond}, "the output"},
		{evidence.Proof{K: 1, Distinct: []evidence.Distinct{{I: 1, J: 1}}}, "frames 1 and 1"},
		{evidence.Proof{K: 1, Distinct: []evidence.Distinct{{I: 0, J: 2}}}, "frames 0 and 2"},
		{evidence.Proof{K: 1, Distinct: []evidence.Distinct{{I: 0, J: 1, Perm: short}}}, "latch"},
		{evidence.Proof{K: 1, Group: &ts.Symmetry{Groups: []ts.Group{{Gens: []*ts.Perm{short}}}}}, "latch"},
	} {
		switch err := c.f.Check(s); {
		case c.want == "" && err != nil, c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want)):
			t.Errorf("%+v: %v, want %q", c.f, err, c.want)
		}
	}
}

// TestImage: x is in a set iff its image is in the image of the set.
func TestImage(t *testing.T) {
	set := circuit(3, func(g *aig.Graph, l []aig.Lit) aig.Lit { return g.And(l[0], g.Or(l[1].Not(), l[2])) })
	rotate := &ts.Perm{Latch: []ts.Lit{2, 4, 1}} // 0 → 1 → 2 → ¬0, or its inverse
	image := set.Image(rotate)
	if err := image.Check(system(3)); err != nil {
		t.Fatal(err)
	}
	members := 0
	for x := range 8 {
		state := []bool{x&1 == 1, x>>1&1 == 1, x>>2 == 1}
		y := 0
		for i, b := range ts.Apply(rotate.Latch, state) {
			if b {
				y |= 1 << i
			}
		}
		if holds(set, x) {
			members++
		}
		if holds(set, x) != holds(image, y) {
			t.Errorf("%03b is in the set: %v; %03b in its image: %v", x, holds(set, x), y, holds(image, y))
		}
	}
	if members != 3 {
		t.Errorf("%d members, want 3", members)
	}
}
