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
func (cc *closureCheck) resume(c evidence.Closure) {
	var is bool
	if cc.kept, is = c.(evidence.Kept); !is {
		return
	}
	var was checked
	note := cc.kept.Checked()
	if json.Unmarshal(note, &was) != nil || len(was.Shown) != len(cc.shown) || was.Done <= cc.done || was.Done > c.Len() {
		return
	}
	cc.before, cc.done, cc.later, cc.hid = was.Done-cc.done, was.Done, nil, cc.hid || was.Hid
	for i, is := range was.Shown {
		cc.shown[i] = cc.shown[i] || is
	}
}

// keep writes down how far the check is. Where that fails, as on a full disk, a later run checks more.
func (cc *closureCheck) keep() {
	if cc.kept == nil || len(cc.later) > 0 || cc.done == 0 {
		return
	}
	if note, err := json.Marshal(checked{cc.done, cc.shown, cc.hides()}); err == nil {
		cc.kept.Keep(note)
	}
}

// forget says that the check is finished: the next run makes all of it, as if it were the first.
func (cc *closureCheck) forget() {
	if cc.kept != nil {
		cc.kept.Keep(nil)
	}
}

// hides reports whether a quantifier of Problem.Strict hid an error.
func (cc *closureCheck) hides() bool { return cc.hid || cc.m != nil && cc.m.Hid() }
