package explicit

import (
	"bytes"
	"math/rand/v2"
	"slices"
	"testing"

	"orbitmc/encode/murphi"
	"orbitmc/model"
)

const ringed = `
type P: scalarset(5); var a: array [P] of 0..2; p: P; q: P;
startstate for i: P do a[i] := 0; p := i; q := i; end; end;
rule true ==> p := q; end;`

// TestRings: two states have one representative just if a rotation maps the one to
// the other, and perm is one that leads there.
func TestRings(t *testing.T) {
	m, err := murphi.Parse("test.m", []byte(ringed), murphi.Options{})
	if err != nil {
		t.Fatal(err)
	}
	p, packer := model.Compile(m), model.NewPacker(m)
	rng := rand.New(rand.NewPCG(1, 1))
	for _, ring := range []model.Ring{
		{Values: []int{0, 1, 2, 3, 4}, Step: 1},
		{Values: []int{3, 0, 4, 1}, Step: 1},
		{Values: []int{3, 0, 4, 1}, Step: 2},
	} {
		c, err := newCanonicaliser(p, packer, nil, []model.Ring{ring}, true)
		if err != nil {
			t.Fatal(err)
		}
		perms := make([]model.ScalarPerm, ring.Order())
		for by := range perms {
			perms[by] = model.ScalarPerm{{0, 1, 2, 3, 4}}
			ring.Rotate(perms[by][0], by)
			if !ring.Rotates(perms[by][0]) {
				t.Errorf("%v is no rotation of %+v", perms[by], ring)
			}
		}
		image := make(model.State, m.Leaves())
		state := func() model.State {
			s := make(model.State, m.Leaves())
			for i := range s {
				s[i] = int64(rng.IntN(3))
			}
			return s
		}
		for range 300 {
			s, u := state(), state()
			if rng.IntN(2) == 0 {
				p.ApplyPerm(perms[rng.IntN(len(perms))], s, u)
			}
			together := slices.ContainsFunc(perms, func(perm model.ScalarPerm) bool {
				p.ApplyPerm(perm, s, image)
				return slices.Equal(image, u)
			})
			if c.packedRotations == nil {
				t.Fatal("packed states are not rotated")
			}
			packed := c.packedRotations
			c.packedRotations = nil
			unpacked, perm := bytes.Clone(c.canon(s)), clonePerm(c.perm)
			c.packedRotations = packed
			rep := bytes.Clone(c.canon(s))
			if !bytes.Equal(rep, unpacked) || !slices.Equal(c.perm[0], perm[0]) {
				t.Errorf("%+v: the representative of %v is another one if it is packed", ring, s)
			}
			p.ApplyPerm(c.perm, s, image)
			if !ring.Rotates(c.perm[0]) || !bytes.Equal(packer.Pack(nil, image), rep) {
				t.Errorf("%v does not lead from %v to its representative", c.perm, s)
			}
			if got := bytes.Equal(c.canon(u), rep); got != together {
				t.Errorf("%+v: %v and %v have one representative: %v", ring, s, u, got)
			}
		}
	}
	if r := (model.Ring{Values: []int{0, 1, 2, 3}, Step: 2}); r.Rotates([]int{1, 2, 3, 0, 4}) || r.Rotates([]int{2, 3, 1, 0, 4}) || r.Rotates([]int{4, 1, 2, 3, 0}) {
		t.Error("what is no rotation is taken for one")
	}
	for _, rings := range [][]model.Ring{
		{{Class: 1, Values: []int{0, 1}, Step: 1}},
		{{Values: []int{0, 1, 2}, Step: 2}},
		{{Values: []int{0, 1, 2}}},
		{{Values: []int{0, 5}, Step: 1}},
		{{Values: []int{0, 1}, Step: 1}, {Values: []int{1, 2}, Step: 1}},
	} {
		if _, err := newCanonicaliser(p, packer, nil, rings, true); err == nil {
			t.Errorf("%+v are accepted", rings)
		}
	}
	if _, err := newCanonicaliser(p, packer, [][][]int{{{0, 1}}}, []model.Ring{{Values: []int{1, 2, 3}, Step: 1}}, true); err == nil {
		t.Error("a value in a block and a ring is accepted")
	}
}
