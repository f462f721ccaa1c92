package states

import (
	"encoding/json"

	"orbitmc/mc/evidence"
)

// A check of a set that is kept from run to run is kept, too, so that a limit does not end it for good. The steps of a
// member lead to members, and the set stays the same, so what was found of some members holds in each later run. The
// start states, the symmetry and the layers of liveness properties are looked at again.

// keptEach is after how many members it is written down how far the check is.
const keptEach = 1 << 16

// checked is what was found so far.
type checked struct {
	Done  int64 // members that were looked at
	Shown Shown
	Hid   bool
}

// resume goes on where an earlier run ended, if that is known and further.
func (k *closureCheck) resume(c evidence.Closure) {
	var is bool
	if k.kept, is = c.(evidence.Kept); !is {
		return
	}
	var was checked
	note := k.kept.Checked()
	if json.Unmarshal(note, &was) != nil || len(was.Shown) != len(k.shown) || was.Done <= k.done || was.Done > c.Len() {
		return
	}
	k.before, k.done, k.later, k.hid = was.Done-k.done, was.Done, nil, k.hid || was.Hid
	for i, is := range was.Shown {
		k.shown[i] = k.shown[i] || is
	}
}

// keep writes down how far the check is. Where that fails, as on a full disk, a later run checks more.
func (k *closureCheck) keep() {
	if k.kept == nil || len(k.later) > 0 || k.done == 0 {
		return
	}
	if note, err := json.Marshal(checked{k.done, k.shown, k.hides()}); err == nil {
		k.kept.Keep(note)
	}
}

// forget says that the check is finished: the next run makes all of it, as if it were the first.
func (k *closureCheck) forget() {
	if k.kept != nil {
		k.kept.Keep(nil)
	}
}

// hides reports whether a quantifier of Problem.Strict hid an error.
func (k *closureCheck) hides() bool { return k.hid || k.m != nil && k.m.Hid() }
