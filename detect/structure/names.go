package structure

import (
	"cmp"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"

	"orbitmc/detect/group"
	"orbitmc/internal/lists"
	"orbitmc/ts"
)

// This file guesses symmetry from names. Netlists from descriptions with arrays have numbered
// components: "cell[3].busy", "grant_3". If the numbers at several places of names take the
// same values, they are assumed to index the same components. The guess exchanges two values
// at all these places. Names give guesses only.

var numeral = regexp.MustCompile(`[0-9]+`)

// maxWrong is how many neighbours may fail to be interchangeable before the
// other values of an index are left alone.
const maxWrong = 4

// names are the names of all leaves of a system: latches, inputs, initial inputs.
type names struct {
	parts  [][]string // by leaf: what is between the numbers, and the numbers, by turns
	places [][]string // by leaf and number: the name without numbers, and which of them it is
	at     map[string]int
	unique bool
}

// index is a set of places in names that take the same values.
type index struct {
	values []string         // ascending as numbers
	places map[string]bool  // see names.places
	leaves map[string][]int // by value: the leaves that have it there
}

func newNames(sys *ts.System) *names {
	x := &names{at: make(map[string]int), unique: true}
	enter := func(sort, name string) {
		name = sort + " " + name
		_, twice := x.at[name]
		x.unique = x.unique && !twice
		x.at[name] = len(x.parts)
		pattern := numeral.ReplaceAllString(name, "#")
		var parts, places []string
		end := 0
		for k, where := range numeral.FindAllStringIndex(name, -1) {
			parts = append(parts, name[end:where[0]], name[where[0]:where[1]])
			places = append(places, fmt.Sprint(pattern, " ", k))
			end = where[1]
		}
		x.parts = append(x.parts, append(parts, name[end:]))
		x.places = append(x.places, places)
	}
	for k, part := range sys.Leaves() {
		for _, leaf := range part {
			enter([...]string{"latch", "input", "init"}[k], leaf.Name)
		}
	}
	return x
}

// indices returns what seems to number components: at least two places with the
// same at least two values.
func (na *names) indices() (all []index) {
	values := make(map[string]map[string][]int) // by place and value: leaves
	for i, places := range na.places {
		for k, place := range places {
			if values[place] == nil {
				values[place] = make(map[string][]int)
			}
			v := na.parts[i][2*k+1]
			values[place][v] = append(values[place][v], i)
		}
	}
	at := make(map[string]int)
	for _, place := range slices.Sorted(maps.Keys(values)) {
		sorted := slices.SortedFunc(maps.Keys(values[place]), func(a, b string) int {
			return cmp.Or(cmp.Compare(len(a), len(b)), cmp.Compare(a, b))
		})
		key := strings.Join(sorted, " ")
		n := lists.Number(at, key)
		if n == len(all) {
			all = append(all, index{sorted, make(map[string]bool), make(map[string][]int)})
		}
		y := all[n]
		y.places[place] = true
		for v, leaves := range values[place] {
			y.leaves[v] = append(y.leaves[v], leaves...)
		}
	}
	return slices.DeleteFunc(all, func(y index) bool { return len(y.values) < 2 || len(y.places) < 2 })
}

// exchange returns the permutation that exchanges two values of an index in all
// names, as points of decompose.Numbering; ok is false if it leads to names that do not exist.
func (na *names) exchange(y index, a, b string) (p group.Sparse, ok bool) {
	leaves := slices.Concat(y.leaves[a], y.leaves[b])
	slices.Sort(leaves)
	for _, i := range slices.Compact(leaves) {
		parts := slices.Clone(na.parts[i])
		for k, place := range na.places[i] {
			switch v := &parts[2*k+1]; {
			case !y.places[place]:
			case *v == a:
				*v = b
			case *v == b:
				*v = a
			}
		}
		to, ok := na.at[strings.Join(parts, "")]
		if !ok {
			return p, false
		}
		if to != i {
			p.Points, p.Images = append(p.Points, int32(i)), append(p.Images, int32(to))
		}
	}
	return p, true
}

// named adds the exchanges of neighbouring values of all indices that are verified.
func (d *detection) named() error {
	names := newNames(d.sys)
	if !names.unique {
		return nil
	}
	for _, y := range names.indices() {
		right, wrong := 0, 0
		for i := range len(y.values) - 1 {
			p, ok := names.exchange(y, y.values[i], y.values[i+1])
			if !ok || right == 0 && wrong == maxWrong {
				continue
			}
			confirmed, refused, err := d.add(&sight{perms: []group.Sparse{p}})
			d.out.Confirmed += confirmed
			d.out.Guessed += confirmed + refused
			if err != nil {
				return err
			}
			right += 1 - refused
			wrong += refused
		}
	}
	return nil
}
