package evidence

import "orbitmc/model"

// Every says that the properties of a model hold at every size. The constants of Least were
// read as opaque (murphi.Options.Opaque): they are the sizes of classes and nothing else. The
// claim is that the invariants of the model are inductive together, that no step of a state in
// which they hold errs, and that no such state is deadlocked, whatever these sizes are from the
// least on. The invariants contain the lemmas.
type Every struct {
	Model *model.Model
	Least map[string]int // by constant
	Order []int          // of sorts, see param.Conditions; nil: the one of the conditions. Any will do
}
