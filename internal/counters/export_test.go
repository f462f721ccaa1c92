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

// CutDouble is Any for a double, with counters that stop at a number.
func CutDouble(m *model.Model, values func(class *model.Type) []int, cut int, double string) (*Translation, error) {
	return anyWith(m, values, cut, Doubles[double])
}
