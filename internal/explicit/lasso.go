package explicit

import (
	"errors"
	"maps"
	"slices"

	"orbitmc/model"
)

// This file makes a run of the model of a component with a fair run. A path of representatives from a start state
// leads to the component. From there shortest paths within it lead on until no condition has waited in all steps, and
// each of strong fairness that could be met was met; then one leads back to where the loop began. A step of a
// representative has an image from each state of its orbit, so the path is taken from a real start state on. If it
// comes back to another state of the orbit, it is taken again, and comes back to the very state after as many turns
// as the permutation between both has powers.

// lassoGraph is the states and steps in which a lasso is looked for.
type lassoGraph interface {
	// arcsOf returns the arcs of a state. They are not to be changed.
	arcsOf(i int) []arc
	// take returns an arc of a state by its number, the rule instance that it stands for, where that leads, and the
	// representative that it begins at.
	take(i, n int) (a arc, ch model.Choice, next, rep model.State)
}

// lassoPath is a path of real states along representatives.
type lassoPath struct {
	*conditions
	g      lassoGraph
	own    int    // leaves of the model
	at     int    // representative of the last state
	turn   uint32 // from the last state to it
	start  model.Choice
	states []model.State
	steps  []model.Choice // steps[i] leads from states[i] to states[i+1]; rule -1 repeats the state
}

// follow takes arc number n of the representative at hand.
func (p *lassoPath) follow(n int) {
	a, ch, next, rep := p.g.take(p.at, n)
	p.at = int(a.to)
	p.add(ch, next, rep, a.turn)
}

func (b *buchi) take(i, n int) (a arc, ch model.Choice, next, rep model.State) {
	x := b.pairs[i]
	var chs []model.Choice
	var nexts []model.State
	steps, _ := b.fire(x, func(ch model.Choice, s model.State) {
		chs, nexts = append(chs, ch.Clone()), append(nexts, slices.Clone(s))
	})
	rep = make(model.State, len(b.cur))
	b.unpack(i, rep)
	for k, at := range b.into(x.at, steps) {
		if n--; n < 0 {
			nexts[k][b.state] = int64(at)
			return arc{b.pair(steps[k].to, at), steps[k].turn, b.with(x.at, steps[k].label)}, chs[k], nexts[k], rep
		}
	}
	panic("explicit: a step is not there any more")
}

// add adds the image of a step that the representative at hand has.
func (p *lassoPath) add(ch model.Choice, next, rep model.State, turn uint32) {
	if back := p.back(p.turn); back != 0 {
		perm, own := p.turns.all[back], p.states[len(p.states)-1]
		if ch.Rule >= 0 {
			ch = p.p.PermStep(perm, rep, own, ch)
		}
		if next != nil {
			image := make(model.State, len(next))
			p.p.ApplyPerm(perm, next, image)
			next = image
		}
	}
	p.steps = append(p.steps, ch)
	if next != nil {
		p.states = append(p.states, next)
	}
	p.turn = p.then(p.turn, turn)
}

// run returns the run of the model; the last state of the path is that of number loop.
func (p *lassoPath) run(loop int) *model.Lasso {
	t := &model.Trace{Start: p.start, StartState: p.states[0][:p.own]}
	for i, ch := range p.steps {
		if ch.Rule < 0 {
			return model.NewLasso(t, i)
		}
		step := model.TraceStep{Choice: ch}
		if i+1 < len(p.states) {
			step.State = p.states[i+1][:p.own]
		}
		t.Steps = append(t.Steps, step)
	}
	return model.NewLasso(t, loop)
}

// route is a path of representatives: by step the number of the arc.
type route []int

// node is a representative and a condition there; the condition does not matter where none is looked for.
type node struct {
	state int
	cond  uint32
}

// nearest returns the shortest path from a node along arcs for which through holds, up to one for which until holds.
// It is an error if there is none.
func (p *lassoPath) nearest(from node, tracks bool, through func(to int) bool, until func(n node, a arc) bool) (route, error) {
	type before struct {
		of  node
		arc int
	}
	parents := map[node]before{from: {arc: -1}}
	for queue := []node{from}; len(queue) > 0; queue = queue[1:] {
		x := queue[0]
		for k, a := range p.g.arcsOf(x.state) {
			if !through(int(a.to)) {
				continue
			}
			if until(x, a) {
				r := route{k}
				for y := x; parents[y].arc >= 0; y = parents[y].of {
					r = append(r, parents[y].arc)
				}
				slices.Reverse(r)
				return r, nil
			}
			to := node{state: int(a.to)}
			if tracks {
				to.cond = p.image(a.turn, x.cond)
			}
			if _, ok := parents[to]; !ok {
				parents[to] = before{x, k}
				queue = append(queue, to)
			}
		}
	}
	return nil, errors.New("explicit: the symmetry does not hold: a component has no fair run")
}

// arcsOf returns the arcs of a state, from memory if they are there. They are not to be changed.
func (b *buchi) arcsOf(i int) []arc {
	arcs, ok := b.known[i]
	if !ok {
		arcs, _ = b.expand(i, nil, nil)
		if b.known != nil {
			b.known[i] = arcs
		}
	}
	return arcs
}

// begin returns the path of a start state in whose orbit state i is; values are of the parameters.
func (b *buchi) begin(i int, all [][]int64) (p *lassoPath) {
	for _, values := range all {
		b.starts(values, func(ch model.Choice, s model.State, k int, turn uint32) bool {
			if k == i {
				s = slices.Clone(s)
				s[b.state] = int64(b.pairs[i].at)
				p = &lassoPath{conditions: b.conditions, g: b, own: b.own, at: i, turn: turn, start: ch.Clone(), states: []model.State{s}}
			}
			return p == nil
		})
		if p != nil {
			break
		}
	}
	return p
}

// reach returns the shortest path from a start state to a state for which goal holds; known are the states to pass
// through.
func (b *buchi) reach(roots []int, all [][]int64, known, goal func(i int) bool) (*lassoPath, error) {
	parents := make(map[int][2]int) // by state: the one before, and the number of the arc
	var queue []int
	for _, i := range roots {
		if _, ok := parents[i]; !ok {
			parents[i] = [2]int{-1, -1}
			queue = append(queue, i)
		}
	}
	for ; len(queue) > 0; queue = queue[1:] {
		i := queue[0]
		if goal(i) {
			var path route
			for ; parents[i][0] >= 0; i = parents[i][0] {
				path = append(path, parents[i][1])
			}
			slices.Reverse(path)
			p := b.begin(i, all)
			for _, n := range path {
				p.follow(n)
			}
			return p, nil
		}
		for k, a := range b.arcsOf(i) {
			if _, ok := parents[int(a.to)]; !ok && known(int(a.to)) {
				parents[int(a.to)] = [2]int{i, k}
				queue = append(queue, int(a.to))
			}
		}
	}
	return nil, errors.New("explicit: internal error: no start state leads to a component")
}

// around makes the loop of a path that has come to a component, and returns the number of the state where it begins.
func (p *lassoPath) around(within map[int]bool) (loop int, err error) {
	loop = len(p.states) - 1
	first := p.at
	var taken route
	var waits []uint32 // as at the real states
	could, meets := make(map[uint32]bool), make(map[uint32]bool)
	take := func(path route) {
		for _, n := range path {
			l, back := p.labels.all[p.g.arcsOf(p.at)[n].label], p.back(p.turn)
			if own := p.imagesOf(back, l.waits); len(taken) == 0 {
				waits = own
			} else {
				waits = both(waits, own)
			}
			for _, k := range p.imagesOf(back, l.could) {
				could[k] = true
			}
			for _, k := range p.imagesOf(back, l.meets) {
				meets[k] = true
			}
			p.follow(n)
			taken = append(taken, n)
		}
	}
	inside := func(to int) bool { return within[to] }
	for begun := false; ; begun = true {
		from, tracks := node{state: p.at}, true
		until := func(node, arc) bool { return true }
		open := slices.DeleteFunc(slices.Sorted(maps.Keys(could)), func(k uint32) bool { return meets[k] })
		switch {
		case !begun:
			tracks = false
		case len(waits) > 0:
			from.cond = p.image(p.turn, waits[0])
			until = func(n node, a arc) bool { return !slices.Contains(p.labels.all[a.label].waits, n.cond) }
		case len(open) > 0:
			from.cond = p.image(p.turn, open[0])
			until = func(n node, a arc) bool { return slices.Contains(p.labels.all[a.label].meets, n.cond) }
		case p.at != first:
			tracks = false
			until = func(_ node, a arc) bool { return int(a.to) == first }
		default:
			return loop, p.again(loop, taken)
		}
		path, err := p.nearest(from, tracks, inside, until)
		if err != nil {
			return 0, err
		}
		take(path)
	}
}

// again takes the loop of a path again and again until it comes back to the very state where it began.
func (p *lassoPath) again(loop int, taken route) error {
	for n := 0; !slices.Equal(p.states[len(p.states)-1], p.states[loop]); n++ {
		if n > mostTurns {
			return errors.New("explicit: internal error: a loop does not close")
		}
		for _, k := range taken {
			p.follow(k)
		}
	}
	return nil
}

// mostTurns is more than any permutation of values that are enumerated has powers.
const mostTurns = 1 << 20
