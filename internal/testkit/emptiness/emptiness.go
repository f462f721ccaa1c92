// Package emptiness decides an instance of a formula by the components of a graph: all states of the
// model, each with all states of the automaton of the negation that fit. It shares nothing with
// the encoding, which it is compared with. A component has a fair run if it meets each condition.
// Strong fairness is decided as E. A. Emerson and C.-L. Lei do, "Modalities for model checking", 1987:
// where a set of rules can fire and does not, the states where it can are removed, and the
// components of what is left are looked at.
package emptiness

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"slices"

	"orbitmc/internal/ltl"
	"orbitmc/model"
)

// ErrStates says that a model has too many states.
var ErrStates = errors.New("the model has too many states")

// Graph is all reachable states of a model with formulas and the steps between them.
type Graph struct {
	p      *model.Program
	m      *model.Machine
	States []model.State
	edges  [][]edge
	starts []int
	often  [][]bool          // by state and instance of Fairness.Often
	can    [][]bool          // by state and set
	sets   []model.FairRules // of Fairness.Rules, and one for each element that counts on its own
}

// edge is a step, or the stutter of a state in which no rule can fire.
type edge struct {
	to    int
	fires []int // sets
	rule  int   // -1 if none fires
}

// NewGraph searches all states, at most so many. If erring is set, what errs leads to a state behind all others, of which
// nothing is known and which all runs stay in; else it has no successor.
func NewGraph(ctx context.Context, p *model.Program, most int, erring bool) (*Graph, error) {
	g := &Graph{p: p, m: p.NewMachine()}
	number := make(map[string]int)
	add := func(s model.State) int {
		var key []byte
		for _, v := range s {
			key = binary.AppendVarint(key, v)
		}
		i, ok := number[string(key)]
		if !ok {
			i = len(g.States)
			number[string(key)] = i
			g.States = append(g.States, slices.Clone(s))
		}
		return i
	}
	g.m.Starts(func(_ model.Choice, s model.State, v *model.Violation) bool {
		if v == nil && s != nil {
			if i := add(s); !slices.Contains(g.starts, i) {
				g.starts = append(g.starts, i)
			}
		}
		return true
	})
	fair := p.Model.Fair
	g.sets = slices.Clone(fair.Rules)
	elements := make(map[string]int) // by set and element: the number of a set of its own
	named := func(i int, s model.State, ch model.Choice) int {
		if !fair.Rules[i].ByElement {
			return i
		}
		key := fmt.Sprint(i, p.Named(s, ch))
		if _, ok := elements[key]; !ok {
			elements[key] = len(g.sets)
			g.sets = append(g.sets, fair.Rules[i])
		}
		return elements[key]
	}
	of, also := make(map[string][]int), make(map[string][]int) // by instance: the sets it is in
	for i, r := range fair.Rules {
		for _, ch := range r.Instances {
			of[fmt.Sprint(ch)] = append(of[fmt.Sprint(ch)], i)
		}
		for _, ch := range r.Also {
			also[fmt.Sprint(ch)] = append(also[fmt.Sprint(ch)], i)
		}
	}
	var errs []int // states
	for i := 0; i < len(g.States); i++ {
		if len(g.States) > most {
			return nil, fmt.Errorf("%w: more than %d", ErrStates, most)
		}
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		var edges []edge
		var can []bool
		g.m.Successors(g.States[i], func(ch model.Choice, next model.State, v *model.Violation) bool {
			if erring && v != nil && (len(errs) == 0 || errs[len(errs)-1] != i) {
				errs = append(errs, i)
			}
			if v == nil && next != nil {
				var sets []int
				for _, k := range of[fmt.Sprint(ch)] {
					k = named(k, g.States[i], ch)
					sets = append(sets, k)
					can = append(can, slices.Repeat([]bool{false}, len(g.sets)-len(can))...)
					can[k] = true
				}
				for _, k := range also[fmt.Sprint(ch)] {
					sets = append(sets, named(k, g.States[i], ch))
				}
				edges = append(edges, edge{add(next), sets, ch.Rule})
			}
			return true
		})
		if len(edges) == 0 && g.m.Deadlocked(g.States[i]) {
			edges = []edge{{to: i, rule: -1}}
		}
		var often []bool
		for _, q := range fair.Often {
			for _, values := range model.InstancesOf(q.Params) {
				ok, v := g.m.Holds(g.States[i], q.Index, values)
				often = append(often, ok || v != nil)
			}
		}
		g.edges, g.can, g.often = append(g.edges, edges), append(g.can, can), append(g.often, often)
	}
	for i, can := range g.can {
		g.can[i] = append(can, slices.Repeat([]bool{false}, len(g.sets)-len(can))...)
	}
	if n := len(g.States); len(errs) > 0 {
		for _, i := range errs {
			g.edges[i] = append(g.edges[i], edge{to: n})
		}
		g.edges, g.can = append(g.edges, []edge{{to: n}}), append(g.can, make([]bool, len(g.sets)))
		g.often = append(g.often, slices.Repeat([]bool{true}, len(g.often[0])))
	}
	return g, nil
}

// Endless returns the graph without the stutters of runs that end.
func (g *Graph) Endless() *Graph {
	out := *g
	out.edges = nil
	for _, edges := range g.edges {
		out.edges = append(out.edges, slices.DeleteFunc(slices.Clone(edges), func(e edge) bool { return e.rule < 0 }))
	}
	return &out
}

// literal says whether an atom of an instance, or its negation, may count as true: if it errs, both may.
func (g *Graph) literal(f *model.Formula, values []int64) ltl.Literals {
	return func(state, atom int, negated bool) bool {
		if state == len(g.States) {
			return false
		}
		ok, v := g.m.Holds(g.States[state], f.Atoms[atom].Index, values)
		return v != nil || ok != negated
	}
}

// Violates reports whether a fair run violates an instance of a formula.
func (g *Graph) Violates(f *model.Formula, values []int64) (bool, error) {
	a, err := f.Negated()
	if err != nil {
		return false, err
	}
	x := &product{g: g, a: a, number: make(map[[2]int]int)}
	for _, s := range g.starts {
		for q := range a.States {
			if a.States[q].Initial {
				x.add(f, values, s, q)
			}
		}
	}
	for i := 0; i < len(x.nodes); i++ {
		n := x.nodes[i]
		var out []arc
		for _, e := range g.edges[n[0]] {
			for _, q := range a.States[n[1]].Next {
				if to := x.add(f, values, e.to, q); to >= 0 {
					out = append(out, arc{to, e.fires})
				}
			}
		}
		x.arcs = append(x.arcs, out)
	}
	all := make([]int, len(x.nodes))
	for i := range all {
		all[i] = i
	}
	return x.fair(all), nil
}

// Ever returns from which states a fair run stays in some for ever; x and the result are by state.
func (g *Graph) Ever(x []bool) []bool {
	p := &product{g: g, a: &ltl.Automaton{States: []ltl.State{{Next: []int{0}}}}}
	for s, edges := range g.edges {
		p.nodes, p.arcs = append(p.nodes, [2]int{s, 0}), append(p.arcs, nil)
		for _, e := range edges {
			if x[s] && x[e.to] {
				p.arcs[s] = append(p.arcs[s], arc{e.to, e.fires})
			}
		}
	}
	out := make([]bool, len(x))
	for s := range x {
		reached := []int{s}
		seen := map[int]bool{s: true}
		for k := 0; k < len(reached); k++ {
			for _, a := range p.arcs[reached[k]] {
				if !seen[a.to] {
					seen[a.to], reached = true, append(reached, a.to)
				}
			}
		}
		out[s] = x[s] && p.fair(reached)
	}
	return out
}

// product is the graph of states with the automaton.
type product struct {
	g      *Graph
	a      *ltl.Automaton
	nodes  [][2]int // state and state of the automaton
	arcs   [][]arc
	number map[[2]int]int
}

type arc struct {
	to    int
	fires []int
}

// add returns the number of a node, -1 if the label does not fit.
func (p *product) add(f *model.Formula, values []int64, s, q int) int {
	key := [2]int{s, q}
	i, ok := p.number[key]
	if !ok {
		i = -1
		if p.a.States[q].Meets(s, p.g.literal(f, values)) {
			i = len(p.nodes)
			p.nodes = append(p.nodes, key)
		}
		p.number[key] = i
	}
	return i
}

// fair reports whether there is a fair accepting run among nodes, all of which are reachable.
func (p *product) fair(nodes []int) bool {
	inside := make(map[int]bool, len(nodes))
	for _, n := range nodes {
		inside[n] = true
	}
	for _, component := range p.components(nodes, inside) {
		in := make(map[int]bool, len(component))
		for _, n := range component {
			in[n] = true
		}
		accepts := make([]bool, p.a.Conditions)
		often := make([]bool, len(p.g.often[p.nodes[component[0]][0]]))
		rules := p.g.sets
		always, ever, fires := make([]bool, len(rules)), make([]bool, len(rules)), make([]bool, len(rules))
		for i := range always {
			always[i] = true
		}
		steps := 0
		for _, n := range component {
			s, q := p.nodes[n][0], p.nodes[n][1]
			for i, is := range p.a.States[q].Accepts {
				accepts[i] = accepts[i] || is
			}
			for i, is := range p.g.often[s] {
				often[i] = often[i] || is
			}
			for i, is := range p.g.can[s] {
				always[i], ever[i] = always[i] && is, ever[i] || is
			}
			for _, e := range p.arcs[n] {
				if in[e.to] {
					steps++
					for _, i := range e.fires {
						fires[i] = true
					}
				}
			}
		}
		if steps == 0 || slices.Contains(accepts, false) || slices.Contains(often, false) {
			continue
		}
		ok := true
		left := slices.Clone(component)
		for i, r := range rules {
			switch {
			case fires[i]:
			case !r.Strong:
				ok = ok && !always[i]
			case ever[i]:
				left = slices.DeleteFunc(left, func(n int) bool { return p.g.can[p.nodes[n][0]][i] })
			}
		}
		if ok && (len(left) == len(component) || p.fair(left)) {
			return true
		}
	}
	return false
}

// components returns the strongly connected components of the graph of some nodes, after
// R. Tarjan, 1972, without recursion.
func (p *product) components(nodes []int, inside map[int]bool) (all [][]int) {
	index, low, on := make(map[int]int), make(map[int]int), make(map[int]bool)
	var stack []int
	type frame struct{ n, next int }
	for _, root := range nodes {
		if _, seen := index[root]; seen {
			continue
		}
		var calls []frame
		enter := func(n int) {
			index[n], low[n], on[n] = len(index), len(index), true
			stack = append(stack, n)
			calls = append(calls, frame{n, 0})
		}
		enter(root)
		for len(calls) > 0 {
			c := &calls[len(calls)-1]
			n := c.n
			if c.next < len(p.arcs[n]) {
				to := p.arcs[n][c.next].to
				c.next++
				switch _, seen := index[to]; {
				case !inside[to]:
				case !seen:
					enter(to)
				case on[to]:
					low[n] = min(low[n], index[to])
				}
				continue
			}
			calls = calls[:len(calls)-1]
			if len(calls) > 0 {
				up := calls[len(calls)-1].n
				low[up] = min(low[up], low[n])
			}
			if low[n] == index[n] {
				k := slices.Index(stack, n)
				component := slices.Clone(stack[k:])
				stack = stack[:k]
				for _, m := range component {
					on[m] = false
				}
				all = append(all, component)
			}
		}
	}
	return all
}
