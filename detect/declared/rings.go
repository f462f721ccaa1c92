package declared

import (
	"context"
	"fmt"
	"math/big"

	"orbitmc/detect"
	"orbitmc/detect/explain"
	"orbitmc/model"
	"orbitmc/ts"
)

// The rotations of a ring of values that are symmetries are those by the multiples of
// some d that divides its size. Divisors are tried in ascending order, so the first
// that passes is d. The rotations that keep a property are by multiples of a multiple
// of d, which is found in the same way.

// ring adds the rotations of some values of a class to the groups of the report.
func (ru *run) ring(ctx context.Context, class int, elems []int) error {
	system, err := ru.least(elems, 1, func(by int) (bool, error) {
		c, err := ru.rotation(class, elems, by)
		if err != nil {
			return false, err
		}
		return ru.check(ctx, c, -1)
	})
	if err != nil {
		return err
	}
	if err := ru.addRing(ru.report.System, class, elems, system, system); err != nil {
		return err
	}
	common := system
	for p, y := range ru.report.ByProp {
		by, err := ru.least(elems, system, func(by int) (bool, error) {
			c, err := ru.multiple(class, elems, system, by)
			if err != nil {
				return false, err
			}
			return ru.check(ctx, c, p)
		})
		if err != nil {
			return err
		}
		if err := ru.addRing(y, class, elems, system, by); err != nil {
			return err
		}
		common = detect.LeastCommon(common, by)
	}
	return ru.addRing(ru.report.Common, class, elems, system, common)
}

// least returns the least multiple of step that divides the size of the ring and
// passes the check; the size itself stands for the identity, which does.
func (ru *run) least(elems []int, step int, check func(by int) (bool, error)) (int, error) {
	for by := step; by < len(elems); by += step {
		if len(elems)%by != 0 {
			continue
		}
		if ru.over() {
			break
		}
		if ok, err := check(by); err != nil || ok {
			return by, err
		}
	}
	return len(elems), nil
}

// rotation returns the candidate that maps each of elems to the one that is by places
// behind it.
func (ru *run) rotation(class int, elems []int, by int) (*candidate, error) {
	key := fmt.Sprint(class, elems, by)
	if c, ok := ru.rotations[key]; ok {
		return c, nil
	}
	images := ru.identity(class)
	for k, v := range elems {
		images[v] = elems[(k+by)%len(elems)]
	}
	perm := make(model.ScalarPerm, len(ru.m.Scalarsets))
	perm[class] = images
	c := &candidate{Move: explain.NewMove(ru.m, class, images, ru.src.Permutation(perm))}
	c.Perm.Name = fmt.Sprintf("%s rotated by %d", className(ru.m, class), by)
	ru.rotations[key] = c
	return c, c.Perm.Check(ru.sys)
}

// multiple is rotation, for a multiple of the rotation by step that was verified: it
// makes sure that the source's permutation is the product it should be.
func (ru *run) multiple(class int, elems []int, step, by int) (*candidate, error) {
	one, err := ru.rotation(class, elems, step)
	if err != nil {
		return nil, err
	}
	c, err := ru.rotation(class, elems, by)
	if err != nil {
		return nil, err
	}
	product := one.Perm
	for k := step; k < by; k += step {
		product = product.Then(one.Perm)
	}
	if !product.Equal(c.Perm) {
		return nil, fmt.Errorf("detect: %s is not the power it should be", c.Perm.Name)
	}
	return c, nil
}

// addRing adds the rotations by multiples of step to y, which are multiples of that
// by system.
func (ru *run) addRing(y *ts.Symmetry, class int, elems []int, system, step int) error {
	if step == len(elems) {
		return nil
	}
	g := ts.Group{Name: className(ru.m, class), Class: class, Elems: elems, Kind: "ring", Order: big.NewInt(int64(len(elems) / step))}
	for by := step; by < len(elems); by += step {
		c, err := ru.multiple(class, elems, system, by)
		if err != nil {
			return err
		}
		g.Members = append(g.Members, c.Perm)
	}
	g.Gens = g.Members[:1]
	y.Groups = append(y.Groups, g)
	return nil
}
