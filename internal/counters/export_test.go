package counters

import "orbitmc/model"

// Doubles are translations that break one rule, by name.
var Doubles = map[string]variant{
	"the component itself is counted among the others": {selfAmongOthers: true},
	"two parameters are never the same component":      {noSame: true},
	"a loop that adds runs once for each local state":  {countOnce: true},
	"an expression over components may err":            {partial: true},
	"a loop may read what other iterations write":      {loopReads: true},
	"many less one are not many":                       {fewer: true},
	"counters stop at any number":                      {cutShort: true},
}

// Chances are doubles that differ in probabilities alone.
var Chances = map[string]variant{
	"chance takes one of all in a local state":             {oneWay: true},
	"a chooser takes all in a local state":                 {allDrawn: true},
	"chance decides which components a distribution is of": {oneGroup: true},
}

// CutDouble is Any for a double, with counters that stop at a number.
func CutDouble(m *model.Model, values func(class *model.Type) []int, cut int, double string) (*Translation, error) {
	v, ok := Doubles[double]
	if !ok {
		v = Chances[double]
	}
	return anyWith(m, values, cut, v)
}
