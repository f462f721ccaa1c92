package detect

import (
	"fmt"

	"orbitmc/model"
	"orbitmc/ts"
)

// CommonBlocks returns the interchangeable values of every scalarset class
// under all of the given groups: class → blocks → values, both ascending, values
// that do not move in blocks of their own. Two values are in one block if they
// are in one block of every group.
func CommonBlocks(m *model.Model, groups []*ts.Symmetry) [][][]int {
	all := make([][][]int, len(m.Scalarsets))
	for c, t := range m.Scalarsets {
		keys := make([]string, t.Card())
		for _, y := range groups {
			for k, block := range Blocks(m, y)[c] {
				for _, v := range block {
					keys[v] += fmt.Sprint(k, ",")
				}
			}
		}
		at := make(map[string]int)
		for v, key := range keys {
			i, ok := at[key]
			if !ok {
				i = len(all[c])
				at[key] = i
				all[c] = append(all[c], nil)
			}
			all[c][i] = append(all[c][i], v)
		}
	}
	return all
}
