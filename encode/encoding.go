package encode

import (
	"fmt"

	"orbitmc/aig"
	"orbitmc/model"
	"orbitmc/ts"
)

// Encoding is a model as a transition system, with the way back.
type Encoding struct {
	Model   *model.Model
	Program *model.Program
	Sys     *ts.System

	// PropBads lists, by property, its bads in Sys.Bads: none if it cannot be
	// violated, and none for liveness. A bad of a cover property hits it.
	PropBads [][]int

	// Instances are those of the liveness properties, by property.
	Instances map[int][]Instance

	RulesNamed bool // by an input each, see Named

	leaves  []leafBits // by leaf of the model
	started int        // latch that is 1 once a valid start was chosen; -1 when it always is
	steps   *choices   // the inputs
	starts  *choices   // the initial inputs

	stepTargets, startTargets targetSignals
	sets                      []setLeaves // multisets of the state
	picks                     []pick
}

// Instance is a liveness property for some values of its parameters.
type Instance struct {
	Values []int64
	Holds  aig.Lit // in a state: it holds, and its evaluation does not err; a literal of Sys.G
}

// leafBits says which latches hold a leaf.
type leafBits struct {
	layout
	first int // latches first..first+n-1
	def   int // latch of the definedness bit; -1 when one-hot or known from others
	back  int // leaves back to the presence leaf of the slot it is in; 0 if in none
	known bool
}

// Model encodes m. It fails, with a position, on constructs that only the
// interpreter supports.
func Model(m *model.Model) (*Encoding, error) { return modelWithin(m, maxNodes) }

// Named is Model with an input for each rule and start state, so that exchanging
// them permutes inputs. It refuses models with more than MaxNamed of either.
func Named(m *model.Model) (*Encoding, error) {
	if n := max(len(m.Rules), len(m.Starts)); n > MaxNamed {
		return nil, fmt.Errorf("%s: %d rules or start states are too many to have an input each", m.File, n)
	}
	return build(m, maxNodes, true)
}

// MaxNamed is the most rules that have an input each.
const MaxNamed = 256

// modelWithin is Model with a limit on the nodes of the graph.
func modelWithin(m *model.Model, most int) (enc *Encoding, err error) {
	return build(m, most, false)
}

func build(m *model.Model, most int, named bool) (enc *Encoding, err error) {
	defer func() {
		if r := recover(); r != nil {
			u, ok := r.(unsupported)
			if !ok {
				panic(r)
			}
			enc, err = nil, fmt.Errorf("%s:%v: %s", m.File, u.pos, u.msg)
		}
	}()
	checkSize(m)
	b := newBuilder(m, most)
	b.named, b.enc.RulesNamed = named, named
	b.build()
	enc = b.finish()
	enc.Program = model.Compile(m)
	return enc, nil
}
