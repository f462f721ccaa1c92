// Any transition system in the form that AIGER can say.
//
// A reset function r(z) over initial inputs z has no place in the format. As in
// the translators that come with the AIGER library, a latch "init", 0 in the
// first frame and 1 ever after, tells whether a latch still is to be reset: its
// visible value, which every function reads in its place, is
//
//	init ? latch : r(z)
//
// and z become inputs, which matter in the first frame only. Frames stay what
// they are. A latch whose reset is constant, or an initial input that nothing
// else reads, needs none of this.

package aiger

import (
	"fmt"
	"slices"

	"orbitmc/aig"
	"orbitmc/internal/lists"
	"orbitmc/ts"
)

// FromSystem returns s as a File that Write accepts. The latches and inputs of s
// come first and in their order, with their names; then the latch init and the
// initial inputs that reset functions read, if there are such functions. Control
// characters in names become question marks, and of several bads, inputs and
// latches with one name all but the first get a number, as tools refuse files in
// which a name occurs twice. s is not changed.
//
// W is not written: it is an invariant of s, and a reader of the file need not
// know it. A bad with Delay 1, an error inside a step, is a bad that depends on
// inputs, seen in the frame where the step begins; so its depth in AIGER, the
// number of that frame, is one less than the depth of the violation in s. The
// Bads of File.Sys keep their Delay and Prop.
//
// FromSystem expects that s passes its Check.
func FromSystem(s *ts.System) *File {
	g := aig.NewPlain()
	f := &File{Sys: &ts.System{G: g, W: aig.True}, origin: &origin{of: s, names: make(map[string]int)}}
	for _, b := range s.Bads {
		b.Name = f.origin.unique(b.Name)
		f.Sys.Bads = append(f.Sys.Bads, b)
	}
	copier := aig.NewCopier(g, s.G)
	for i, in := range s.Inputs {
		f.addInput(in.Name)
		copier.Set(in.Node, f.Sys.InputLit(i))
	}
	for _, l := range s.Latches {
		f.addLatch(l.Name)
	}

	plain := plainResets(s)
	if slices.Contains(plain, false) {
		f.addLatch("init")
		f.Sys.Latches[len(s.Latches)].Next = aig.True
	}
	f.placeInit(s, plain, copier)
	for i, l := range s.Latches {
		visible := f.Sys.LatchLit(i)
		if reset := copier.Copy(l.Reset); plain[i] {
			f.Sys.Latches[i].Reset = reset
		} else {
			visible = g.Mux(f.Sys.LatchLit(len(s.Latches)), visible, reset)
		}
		copier.Set(l.Node, visible)
	}

	for i, l := range s.Latches {
		f.Sys.Latches[i].Next = copier.Copy(l.Next)
	}
	f.Sys.Constraints = lists.Map(s.Constraints, copier.Copy)
	for i, b := range s.Bads {
		f.Sys.Bads[i].Lit = copier.Copy(b.Lit)
	}
	return f
}

func (f *File) addInput(name string) {
	f.Sys.Inputs = append(f.Sys.Inputs, ts.Signal{Name: f.origin.unique(name), Node: f.Sys.G.Input().Node()})
}

func (f *File) addLatch(name string) {
	f.Sys.Latches = append(f.Sys.Latches, ts.Latch{Name: f.origin.unique(name), Node: f.Sys.G.Input().Node()})
}

// plainResets returns, for every latch of s, whether its reset is constant or an
// initial input that no other reset reads.
func plainResets(s *ts.System) []bool {
	resets := lists.Map(s.Latches, func(l ts.Latch) aig.Lit { return l.Reset })
	readers := s.G.FanoutCounts(resets)
	plain := make([]bool, len(s.Latches))
	for i, l := range resets {
		plain[i] = l.Node() == 0 || !l.Neg() && s.G.IsInput(l.Node()) && readers[l.Node()] == 1
	}
	return plain
}

// placeInit makes each initial input of s that resets read an initial input or,
// if a function reads it, an input.
func (f *File) placeInit(s *ts.System, plain []bool, copier *aig.Copier) {
	own := make(map[int]bool) // initial inputs of uninitialised latches
	var functions []aig.Lit
	for i, l := range s.Latches {
		if plain[i] {
			own[l.Reset.Node()] = true
		} else {
			functions = append(functions, l.Reset)
		}
	}
	read := lists.Set(s.G.Support(functions))
	for _, z := range s.Init {
		p := place{sort: nowhere}
		switch {
		case own[z.Node]:
			p = place{initial, len(f.Sys.Init)}
			f.Sys.Init = append(f.Sys.Init, ts.Signal{Name: printable(z.Name), Node: f.Sys.G.Input().Node()})
			copier.Set(z.Node, f.Sys.InitLit(p.index))
		case read[z.Node]:
			p = place{step, len(f.Sys.Inputs)}
			f.addInput(z.Name)
			copier.Set(z.Node, f.Sys.InputLit(p.index))
		}
		f.origin.init = append(f.origin.init, p)
	}
}

// origin is the way back from a File to the system it was made from.
type origin struct {
	of    *ts.System
	init  []place        // by initial input of the system
	names map[string]int // so far: the last number given to one like it, at least 1
}

// unique returns name if nothing is called so yet, and else name with a number.
// No name is not a name.
func (o *origin) unique(name string) string {
	name = printable(name)
	n := o.names[name]
	if n == 0 || name == "" {
		o.names[name] = 1
		return name
	}
	for {
		n++
		u := fmt.Sprintf("%s (%d)", name, n)
		if o.names[u] == 0 {
			o.names[name], o.names[u] = n, 1
			return u
		}
	}
}

// place says where an initial input has gone.
type place struct {
	sort  uint8
	index int
}

const (
	nowhere uint8 = iota // nothing reads it
	initial              // index in Sys.Init
	step                 // index in Sys.Inputs
)

// Source returns the trace of the system that f was made from by FromSystem
// which t, a trace of f.Sys, stands for: it has the same frames. It returns t if
// f was read.
func (f *File) Source(t *ts.Trace) *ts.Trace {
	if f.origin == nil {
		return t
	}
	own := func(in []bool) []bool { return in[:len(f.origin.of.Inputs)] }
	back := &ts.Trace{Init: make([]bool, len(f.origin.init)), Inputs: lists.Map(t.Inputs, own)}
	for i, p := range f.origin.init {
		switch p.sort {
		case initial:
			back.Init[i] = t.Init[p.index]
		case step:
			back.Init[i] = t.Inputs[0][p.index]
		}
	}
	return back
}
