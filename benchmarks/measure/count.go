package measure

import (
	"cmp"
	"errors"
	"fmt"
	"math/big"
	"slices"

	"orbitmc/aig"
	"orbitmc/internal/disjoint"
	"orbitmc/internal/lists"
	"orbitmc/rep"
	"orbitmc/ts"
)

// This file measures how complete a set of permutations is, by counting the
// states that satisfy Rep_F.
//
// The states of a system are those in which W holds. W is about few bits at a
// time, so the states are a product of small sets (Domains): the values of a
// one-hot pointer, or of a bit. Representatives are counted along a decision
// diagram. Orbits are counted as the mean number of states that an element of the
// group keeps. Neither count lists states.

// Domain is a set of latches whose values do not depend on the values of other latches.
type Domain struct {
	Latches []int
	Values  [][]bool // of Latches
}

// maxDomain is the number of latches of the largest domain.
const maxDomain = 20

// Domains returns the states of a system, those in which W holds, as a product.
// It fails if W ties more than 20 latches together.
func Domains(sys *ts.System) ([]Domain, error) {
	number := sys.Numbers()
	tied := disjoint.New[int](len(sys.Latches))
	parts := sys.G.Conjuncts(sys.W, nil, nil)
	of := make(map[int][]aig.Lit) // by number of one latch
	for _, c := range parts {
		support := sys.G.Support([]aig.Lit{c})
		for _, n := range support[min(1, len(support)):] {
			tied.Join(number[n], number[support[0]])
		}
		if len(support) > 0 {
			of[number[support[0]]] = append(of[number[support[0]]], c)
		}
	}
	sim := aig.NewSim(sys.G)
	var out []Domain
	for _, latches := range tied.Lists(1) {
		d := Domain{Latches: latches}
		if len(d.Latches) > maxDomain {
			return nil, fmt.Errorf("the values of %d latches depend on each other, too many to list (at most %d)", len(d.Latches), maxDomain)
		}
		var conjuncts []aig.Lit
		for _, l := range d.Latches {
			conjuncts = append(conjuncts, of[l]...)
		}
		for v := range 1 << len(d.Latches) {
			value := make([]bool, len(d.Latches))
			for j, l := range d.Latches {
				value[j] = v>>j&1 == 1
				sim.Set(sys.Latches[l].Node, uint64(v>>j&1))
			}
			sim.Run()
			if !slices.ContainsFunc(conjuncts, func(c aig.Lit) bool { return sim.Word(c)&1 == 0 }) {
				d.Values = append(d.Values, value)
			}
		}
		out = append(out, d)
	}
	return out, nil
}

// ErrTooMany is returned by Representatives.
var ErrTooMany = errors.New("too many different comparisons to count")

// comparison is s ≤lex π(s) as a list of the pairs that are compared, most significant first.
type comparison struct {
	pairs []rep.Position
	last  int // the latch that decides if all pairs are equal, by being false; -1 if equal words will do
}

func newComparison(p *ts.Perm, order []int) comparison {
	pairs, alone := rep.Comparisons(p, order)
	if !alone {
		return comparison{pairs, -1}
	}
	last := len(pairs) - 1
	return comparison{pairs[:last], pairs[last].Latch}
}

// unknown is the value of a latch to which none is assigned.
const unknown = 2

// rest appends the remainder of the comparison, as a function of the latches without a
// value: a byte for each pair up to the first that differs. It reports false if the
// comparison does not hold.
func (c *comparison) rest(key []byte, state []uint8) ([]byte, bool) {
	const equal, holds, fails = 0, 1, 4
	at, open := len(key), false
	end := byte(holds)
	for _, p := range c.pairs {
		own, image := state[p.Latch], state[p.Image.Index()]
		if image != unknown {
			image ^= uint8(p.Image & 1)
		}
		if own == unknown || image == unknown {
			key, open = append(key, own<<2|image), true
			continue
		}
		if own != image {
			if own == 1 {
				end = fails
			}
			goto decided
		}
		key = append(key, equal)
	}
	if c.last >= 0 {
		switch state[c.last] {
		case unknown:
			return append(key, unknown), true
		case 1:
			end = fails
		}
	}
decided:
	if !open {
		return append(key[:at], end), end == holds
	}
	return append(key, end), true
}

// prefix stands for assignments to the first domains that have the same completions.
type prefix struct {
	state []uint8 // one of them
	count *big.Int
}

// Representatives returns the number of states in the product of the domains that
// satisfy Rep_F in the order. It assigns one domain after the other, in the order. Of
// all assignments with the same remainder of every comparison it keeps one, with the
// number of states that lead to it. These are the nodes of a decision diagram, layer by
// layer. It fails with ErrTooMany if a layer has more than limit nodes.
func Representatives(domains []Domain, F []*ts.Perm, order []int, limit int) (*big.Int, error) {
	n := lists.Sum(domains, func(d Domain) int { return len(d.Latches) })
	place := make([]int, n)
	for i := range place {
		if order == nil {
			place[i] = i
		} else {
			place[order[i]] = i
		}
	}
	first := func(d Domain) int {
		at := n
		for _, l := range d.Latches {
			at = min(at, place[l])
		}
		return at
	}
	domains = slices.Clone(domains)
	slices.SortFunc(domains, func(d, e Domain) int { return cmp.Compare(first(d), first(e)) })
	comparisons := lists.Map(F, func(p *ts.Perm) comparison { return newComparison(p, order) })
	layer := []prefix{{slices.Repeat([]uint8{unknown}, n), big.NewInt(1)}}
	state := make([]uint8, n)
	var key []byte
	for _, d := range domains {
		var next []prefix
		number := make(map[string]int)
		for _, x := range layer {
			copy(state, x.state)
			for _, v := range d.Values {
				for j, l := range d.Latches {
					state[l] = 0
					if v[j] {
						state[l] = 1
					}
				}
				key = key[:0]
				ok := true
				for i := 0; ok && i < len(comparisons); i++ {
					key, ok = comparisons[i].rest(key, state)
				}
				if !ok {
					continue
				}
				if i, known := number[string(key)]; known {
					next[i].count.Add(next[i].count, x.count)
					continue
				}
				if len(next) == limit {
					return nil, ErrTooMany
				}
				number[string(key)] = len(next)
				next = append(next, prefix{slices.Clone(state), new(big.Int).Set(x.count)})
			}
		}
		layer = next
	}
	sum := new(big.Int)
	for _, x := range layer {
		sum.Add(sum, x.count)
	}
	return sum, nil
}

// Orbits returns the number of orbits of a group, all of whose elements but the
// identity are given, on the product of the domains: the mean of how many states an
// element keeps (Cauchy, Frobenius; called Burnside's lemma). It fails if an element
// does not map domains to domains.
func Orbits(domains []Domain, elements []*ts.Perm) (*big.Int, error) {
	of := make(map[int]int) // by latch
	value := make([]map[string]int, len(domains))
	sum := big.NewInt(1) // what the identity keeps
	for i, d := range domains {
		value[i] = make(map[string]int)
		for _, l := range d.Latches {
			of[l] = i
		}
		for j, v := range d.Values {
			value[i][text(v)] = j
		}
		sum.Mul(sum, big.NewInt(int64(len(d.Values))))
	}
	for _, p := range elements {
		to := make([]int, len(domains))     // by domain
		maps := make([][]int, len(domains)) // by domain and value: the value in to
		for i, d := range domains {
			to[i] = of[p.Latch[d.Latches[0]].Index()]
			e := domains[to[i]]
			for _, v := range d.Values {
				image := make([]bool, len(e.Latches))
				for j, l := range d.Latches {
					m := p.Latch[l]
					at := slices.Index(e.Latches, int(m>>1))
					if at < 0 {
						return nil, fmt.Errorf("%s does not map variables to variables", p.Name)
					}
					image[at] = v[j] != (m&1 == 1)
				}
				j, ok := value[to[i]][text(image)]
				if !ok {
					return nil, fmt.Errorf("%s maps a state to what is none", p.Name)
				}
				maps[i] = append(maps[i], j)
			}
		}
		kept := big.NewInt(1)
		seen := make([]bool, len(domains))
		for i := range domains {
			if seen[i] {
				continue
			}
			fixed := 0
			for v := range domains[i].Values {
				at, w := i, v
				for first := true; first || at != i; first = false {
					seen[at] = true
					at, w = to[at], maps[at][w]
				}
				if w == v {
					fixed++
				}
			}
			kept.Mul(kept, big.NewInt(int64(fixed)))
		}
		sum.Add(sum, kept)
	}
	return sum.Div(sum, big.NewInt(int64(len(elements)+1))), nil
}

// text is a key for values.
func text(v []bool) string {
	b := make([]byte, len(v))
	for i := range v {
		if v[i] {
			b[i] = 1
		}
	}
	return string(b)
}
