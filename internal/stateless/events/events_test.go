package events

import (
	"fmt"
	"math/rand/v2"
	"orbitmc/internal/testkit/nightly"
	"os"
	"strconv"
	"testing"
)

// A system of these tests is straight code of a few agents over shared variables, locks, and channels without buffers. An
// outcome is what the agents saw, where they stand at the end, and the variables.

// act is a step of the code of an agent, or several that it chooses from.
type act struct {
	kind  byte // r: read x; w: write v to x; a: add v to x; g: wait until x is v, and read y; i: wait until x is not 0; l, u: lock and unlock x; s, c: send to and receive from channel x
	x, y  int
	v     int
	other *act // or this
}

func (a act) String() string {
	s := fmt.Sprintf("%c%d,%d,%d", a.kind, a.x, a.y, a.v)
	if a.other != nil {
		s += "|" + a.other.String()
	}
	return s
}

// touch has a bit for each object that is read, written, added to, communicated on, locked and unlocked. Additions commute.
type touch struct{ r, w, a, c, l, u uint }

func (t touch) Depends(g touch) Dependence {
	switch {
	case t.w&(g.r|g.w|g.a)|g.w&(t.r|t.a)|t.a&g.r|g.a&t.r|t.c&g.c|t.l&g.l != 0:
		return Dependent
	case t.l&g.u|t.u&g.l != 0:
		return Ordered
	}
	return Independent
}

func (t touch) or(g touch) touch {
	return touch{t.r | g.r, t.w | g.w, t.a | g.a, t.c | g.c, t.l | g.l, t.u | g.u}
}

func (a *act) touch() (f touch) {
	switch a.kind {
	case 'r', 'i':
		f.r = 1 << a.x
	case 'w':
		f.w = 1 << a.x
	case 'a':
		f.a = 1 << a.x
	case 'g':
		f.r = 1<<a.x | 1<<a.y
	case 's', 'c':
		f.c = 1 << a.x
	case 'l':
		f.l = 1 << a.x
	case 'u':
		f.u = 1 << a.x
	}
	return f
}

type system struct {
	code  [][]act
	stays bool // the agent that moved goes on
	loose bool // what may be enabled by any of several additions is called single: a double
}

// outcomes runs all executions of a search; ok is false if there are too many.
func (sys system) outcomes(e *Explorer[touch], most int) (all map[string]bool, ok bool) {
	all = map[string]bool{}
	for more := true; more; {
		if e.Executions+e.Pruned > most {
			return all, false
		}
		e.Begin()
		v, end := sys.run(e)
		if v == Over {
			all[end] = true
		}
		more = e.End(v)
	}
	return all, true
}

func (sys system) run(e *Explorer[touch]) (Verdict, string) {
	vars, locks, pc, saw, last := [3]int{}, [3]bool{}, make([]int, len(sys.code)), make([]string, len(sys.code)), -1
	for {
		s := State[touch]{Prefer: -1}
		if sys.stays {
			s.Prefer = last
		}
		var does [][2]*act // by move: of the actors
		add := func(id uint64, f touch, a, b *act, actors ...int) {
			s.Moves = append(s.Moves, Move[touch]{ID: id, Actors: actors, Foot: f})
			does = append(does, [2]*act{a, b})
		}
		for i, code := range sys.code {
			s.Parent = append(s.Parent, -1)
			waits := pc[i] < len(code)
			s.Waits, s.Next = append(s.Waits, waits), append(s.Next, touch{})
			s.Single = append(s.Single, waits && code[pc[i]].other == nil && (code[pc[i]].kind == 'l' || sys.loose && code[pc[i]].kind == 'i'))
			if !waits {
				continue
			}
			k := uint64(0)
			for a := &code[pc[i]]; a != nil; a = a.other {
				k++
				f, id := a.touch(), uint64(i)<<32|k<<16
				s.Next[i] = s.Next[i].or(f)
				switch {
				case a.kind == 's':
					for j, code := range sys.code {
						if j == i || pc[j] == len(code) {
							continue
						}
						l := uint64(0)
						for b := &code[pc[j]]; b != nil; b = b.other {
							if l++; b.kind == 'c' && b.x == a.x {
								add(id|uint64(j)<<8|l, f, a, b, i, j)
							}
						}
					}
				case a.kind == 'c', a.kind == 'g' && vars[a.x] != a.v, a.kind == 'i' && vars[a.x] == 0, a.kind == 'l' && locks[a.x]:
				default:
					add(id, f, a, nil, i)
				}
			}
		}
		i, v := e.Next(&s)
		if v != Go {
			return v, fmt.Sprint(vars, pc, saw)
		}
		last = s.Moves[i].Actors[0]
		for k, a := range does[i] {
			if a == nil {
				continue
			}
			me := s.Moves[i].Actors[k]
			pc[me]++
			switch a.kind {
			case 'r', 'i':
				saw[me] += fmt.Sprint("r", vars[a.x])
			case 'w':
				vars[a.x] = a.v
			case 'a':
				vars[a.x] += a.v
			case 'g':
				saw[me] += fmt.Sprint("g", vars[a.y])
			case 'c':
				saw[me] += fmt.Sprint("c", does[i][0].v)
			case 's':
				saw[me] += "s"
			case 'l', 'u':
				locks[a.x] = a.kind == 'l'
			}
		}
	}
}

func randomAct(r *rand.Rand, kinds string, choices int) act {
	a := act{kind: kinds[r.IntN(len(kinds))], x: r.IntN(2 + r.IntN(2)), y: r.IntN(3), v: 1 + r.IntN(2)}
	if r.IntN(8) < choices {
		b := randomAct(r, kinds, choices)
		a.other = &b
	}
	return a
}

func randomSystem(seed uint64) system {
	r := rand.New(rand.NewPCG(seed, 1))
	sys := system{stays: r.IntN(2) == 0}
	kinds, choices := []string{"rw", "rrw", "rwg", "rag", "rwsc", "scg", "rrwagsc", "rai", "riaw"}[r.IntN(9)], r.IntN(3)
	for range 2 + r.IntN(4) {
		var code []act
		for range 1 + r.IntN(2+r.IntN(2)) {
			if r.IntN(6) == 0 {
				x := r.IntN(2)
				code = append(code, act{kind: 'l', x: x}, randomAct(r, kinds, choices), act{kind: 'u', x: x})
			} else {
				code = append(code, randomAct(r, kinds, choices))
			}
		}
		sys.code = append(sys.code, code)
	}
	return sys
}

// missed returns how many outcomes of the whole search the reduced one misses; ok is false if there is too much to look at.
func missed(sys system, broken Broken) (n int, ok bool) {
	want, ok := sys.outcomes(&Explorer[touch]{Unreduced: true}, 2000)
	if !ok {
		return 0, false
	}
	got, ok := sys.outcomes(&Explorer[touch]{Broken: broken}, 4000)
	return len(want) - len(got), ok
}

// TestRandom compares the outcomes of reduced and whole searches. SYSTEMS=N takes as many, from number FROM on.
func TestRandom(t *testing.T) {
	n, _ := strconv.Atoi(os.Getenv("SYSTEMS"))
	from, _ := strconv.ParseUint(os.Getenv("FROM"), 10, 64)
	if n == 0 {
		n = nightly.Or(150, 500)
	}
	compared := 0
	for seed := range uint64(n) {
		sys := randomSystem(from + seed)
		if n, ok := missed(sys, ""); n != 0 {
			t.Errorf("system %d, %v: %d outcomes are missed", seed, sys.code, n)
		} else if ok {
			compared++
		}
	}
	t.Logf("%d of %d compared", compared, n)
	if compared < n/2 {
		t.Error("too few")
	}
}

// TestDoubles leaves out one rule at a time: then outcomes of a system are missed.
func TestDoubles(t *testing.T) {
	for broken, seed := range map[Broken]uint64{NoJoint: 1125, NoWaits: 11, NoRaces: 1, NoClosed: 184, Sleepers: 48, "loose": 427} {
		sys := randomSystem(seed)
		if n, ok := missed(sys, ""); n != 0 || !ok {
			t.Errorf("system %d: %d outcomes are missed", seed, n)
		}
		sys.loose = broken == "loose"
		if n, _ := missed(sys, broken); n == 0 {
			t.Errorf("%q: nothing is missed", broken)
		}
	}
}
