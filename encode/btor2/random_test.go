package btor2

import (
	"bytes"
	"context"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"orbitmc/internal/testkit/nightly"
	"orbitmc/internal/testkit/tstest"
	"orbitmc/ts"
)

// randomFile writes a file with words and arrays, and operators drawn from all there are.
func randomFile(rng *rand.Rand, used map[string]int) string {
	var b strings.Builder
	id := 0
	line := func(format string, args ...any) int {
		id++
		fmt.Fprintf(&b, "%d %s\n", id, fmt.Sprintf(format, args...))
		return id
	}
	type value struct {
		id   int
		sort sort
	}
	sortID := make(map[sort]int)
	var sortOf func(s sort) int
	sortOf = func(s sort) int {
		if sortID[s] == 0 {
			if s.index > 0 {
				x, y := sortOf(sort{width: s.index}), sortOf(sort{width: s.width})
				sortID[s] = line("sort array %d %d", x, y)
			} else {
				sortID[s] = line("sort bitvec %d", s.width)
			}
		}
		return sortID[s]
	}
	var all []value
	add := func(s sort, id int) value {
		all = append(all, value{id, s})
		return all[len(all)-1]
	}
	width := func() sort { return sort{width: 1 + rng.IntN(7)} }
	constant := func(s sort) value {
		at := sortOf(s)
		switch rng.IntN(6) {
		case 0:
			return add(s, line("zero %d", at))
		case 1:
			return add(s, line("one %d", at))
		case 2:
			return add(s, line("ones %d", at))
		case 3:
			return add(s, line("const %d %0*b", at, s.width, rng.IntN(1<<s.width)))
		case 4:
			return add(s, line("consth %d %x", at, rng.IntN(1<<s.width)))
		}
		return add(s, line("constd %d %d", at, rng.IntN(1<<s.width+1<<(s.width-1))-1<<(s.width-1)))
	}
	// operand returns a value of a sort; of words a complement, too.
	operand := func(s sort) int {
		var fit []value
		for _, v := range all {
			if v.sort == s {
				fit = append(fit, v)
			}
		}
		var v value
		switch {
		case len(fit) > 0 && rng.IntN(8) > 0:
			v = fit[rng.IntN(len(fit))]
		case s.index > 0 || rng.IntN(3) == 0:
			at := sortOf(s)
			v = add(s, line("input %d", at))
		default:
			v = constant(s)
		}
		if s.index == 0 && rng.IntN(4) == 0 {
			return -v.id
		}
		return v.id
	}
	// States first; the first value of one may depend on those before.
	type state struct {
		value
		init int
	}
	var states []state
	for range 1 + rng.IntN(4) {
		s := width()
		if rng.IntN(4) == 0 {
			s = sort{index: 1 + rng.IntN(2), width: 1 + rng.IntN(3)}
		}
		init, value := sort{}, 0
		switch rng.IntN(3) {
		case 0:
			init = sort{width: s.width}
			value = constant(init).id
		case 1:
			for _, v := range states {
				if v.sort == s {
					value, init = v.id, s
				}
			}
			if init.width > 0 && s.index == 0 && rng.IntN(2) == 0 {
				value = line("add %d %d %d", sortOf(s), value, -value)
			}
		}
		at := sortOf(s)
		states = append(states, state{add(s, line("state %d", at)), value})
	}
	for _, s := range states {
		if s.init != 0 {
			line("init %d %d %d", sortOf(s.sort), s.id, s.init)
		}
	}
	for range 1 + rng.IntN(2) {
		s := width()
		at := sortOf(s)
		add(s, line("input %d", at))
	}
	names := slices.Sorted(maps.Keys(operators))
	for range 4 + rng.IntN(20) {
		name := names[rng.IntN(len(names))]
		o := operators[name]
		used[name]++
		s, result := width(), sort{}
		var args []any
		switch o.rule {
		case same:
			result = s
		case reduce, compare:
			result = bit
		case bits:
			s, result = bit, bit
		}
		if o.rule != special {
			for range o.arity {
				args = append(args, operand(s))
			}
		} else {
			array := sort{index: 1 + rng.IntN(2), width: 1 + rng.IntN(3)}
			element, index := sort{width: array.width}, sort{width: array.index}
			switch o.op {
			case opSlice:
				low := rng.IntN(s.width)
				high := low + rng.IntN(s.width-low)
				args, result = []any{operand(s), high, low}, sort{width: high - low + 1}
			case opUext, opSext:
				more := rng.IntN(3)
				args, result = []any{operand(s), more}, sort{width: s.width + more}
			case opEq, opNeq:
				if rng.IntN(3) == 0 {
					s = array
				}
				args, result = []any{operand(s), operand(s)}, bit
			case opConcat:
				t := width()
				args, result = []any{operand(s), operand(t)}, sort{width: s.width + t.width}
			case opIte:
				if rng.IntN(3) == 0 {
					s = array
				}
				args, result = []any{operand(bit), operand(s), operand(s)}, s
			case opRead:
				args, result = []any{operand(array), operand(index)}, element
			case opWrite:
				args, result = []any{operand(array), operand(index), operand(element)}, array
			}
		}
		at := sortOf(result)
		add(result, line("%s %d%s", name, at, strings.Replace(fmt.Sprintln(append([]any{""}, args...)...), "\n", "", 1)))
	}
	for _, s := range states {
		if rng.IntN(5) > 0 {
			next := operand(s.sort)
			line("next %d %d %d", sortOf(s.sort), s.id, next)
		}
	}
	for range 1 + rng.IntN(3) {
		line("bad %d", operand(bit))
	}
	if rng.IntN(3) == 0 {
		line("constraint %d", operand(bit))
	}
	// Everything is seen by a bad.
	for i, v := range all {
		if v.sort.index == 0 && v.sort.width > 1 && i%2 == 0 {
			at := sortOf(bit)
			line("bad %d", line("redxor %d %d", at, v.id))
		}
	}
	return b.String()
}

func readText(t testing.TB, text string) *File {
	t.Helper()
	f, err := Read(context.Background(), []byte(text), "x.btor2")
	if err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	if err := tstest.Check(f.Sys); err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	return f
}

func randomTrace(rng *rand.Rand, s *ts.System, frames int) *ts.Trace {
	draw := func(n int) []bool {
		v := make([]bool, n)
		for i := range v {
			v[i] = rng.IntN(2) == 0
		}
		return v
	}
	t := &ts.Trace{Init: draw(len(s.Init))}
	for range frames {
		t.Inputs = append(t.Inputs, draw(len(s.Inputs)))
	}
	return t
}

// compare runs a trace in the system and on numbers.
func compareRuns(t *testing.T, f *File, tr *ts.Trace) {
	t.Helper()
	frames, err := f.Sys.Run(tr)
	if err != nil {
		t.Fatal(err)
	}
	run := f.Run(f.Stimulus(tr))
	for k, want := range run.Bads {
		if !slices.Equal(frames[k].Bads, want) || frames[k].Constraints != run.Constraints[k] {
			t.Fatalf("frame %d: circuits %v %v, numbers %v %v", k, frames[k].Bads, frames[k].Constraints, want, run.Constraints[k])
		}
		for _, i := range f.states {
			p, ok := f.place[i]
			if !ok || p.latch < 0 {
				continue
			}
			if got := f.nodes[i].pack(frames[k].State[p.latch:]); !got.equal(run.Values[k][i], f.nodes[i].sort.index) {
				t.Fatalf("frame %d: state on line %d is %v in circuits, %v in numbers", k, f.nodes[i].line, got, run.Values[k][i])
			}
		}
	}
}

// TestRandom: circuits of every operator agree with numbers.
func TestRandom(t *testing.T) {
	files := 600
	if nightly.On() {
		files = 30000
	}
	used := make(map[string]int)
	for seed := range files {
		rng := rand.New(rand.NewPCG(uint64(seed), 5))
		text := randomFile(rng, used)
		f := readText(t, text)
		for range 3 {
			compareRuns(t, f, randomTrace(rng, f.Sys, 4))
		}
		if t.Failed() {
			t.Fatalf("seed %d\n%s", seed, text)
		}
	}
	for name := range operators {
		if used[name] == 0 {
			t.Errorf("no file has %s", name)
		}
	}
}

// TestOperators: each operator, on all words of up to 4 bits, or 3 for two of them.
func TestOperators(t *testing.T) {
	for name, o := range operators {
		if o.rule == special || o.arity > 2 {
			continue
		}
		for width := 1; width <= 4; width++ {
			if o.rule == bits && width > 1 {
				continue
			}
			result := width
			if o.rule != same {
				result = 1
			}
			text := fmt.Sprintf("1 sort bitvec %d\n2 sort bitvec %d\n3 sort bitvec 1\n4 input 1 x\n5 input 1 y\n6 %s 2 4", width, result, name)
			if o.arity == 2 {
				text += " 5"
			}
			text += "\n"
			for i := range result {
				text += fmt.Sprintf("%d slice 3 6 %d %d\n%d bad %d\n", 10+2*i, i, i, 11+2*i, 10+2*i)
			}
			f := readText(t, text)
			tr := &ts.Trace{}
			for v := range 1 << len(f.Sys.Inputs) {
				in := make([]bool, len(f.Sys.Inputs))
				for i := range in {
					in[i] = v>>i&1 == 1
				}
				tr.Inputs = append(tr.Inputs, in)
			}
			compareRuns(t, f, tr)
		}
	}
}

// TestWitness: a witness of a random run is read as that run.
func TestWitness(t *testing.T) {
	written := 0
	for seed := range 300 {
		rng := rand.New(rand.NewPCG(uint64(seed), 6))
		f := readText(t, randomFile(rng, make(map[string]int)))
		tr := randomTrace(rng, f.Sys, 5)
		run := f.Run(f.Stimulus(tr))
		for bad := range f.bads {
			frame, err := run.Shows(bad)
			var b bytes.Buffer
			if werr := f.WriteWitness(&b, 'b', bad, tr); (err == nil) != (werr == nil) {
				t.Fatalf("seed %d: %v, but %v", seed, err, werr)
			} else if err != nil {
				continue
			}
			written++
			w, err := f.ReadWitness(b.Bytes(), "w")
			if err != nil {
				t.Fatalf("seed %d: %v\n%s", seed, err, b.String())
			}
			again, err := f.Replay(w)
			if err != nil {
				t.Fatal(err)
			}
			if got, err := again.Shows(bad); err != nil || got != frame {
				t.Fatalf("seed %d: frame %d, %v, want %d", seed, got, err, frame)
			}
		}
	}
	if written < 300 {
		t.Errorf("only %d witnesses", written)
	}
}

func newRand(seed int) *rand.Rand { return rand.New(rand.NewPCG(uint64(seed), 8)) }
