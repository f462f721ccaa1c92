package invariants

import "testing"

// TestRenamed: a conjunct that was renamed twice has the names of its own variables, and asks for no others,
// which may have been left out of the pattern.
func TestRenamed(t *testing.T) {
	c := conjunct{[]int{2}, func(name []string) (string, error) { return name[2], nil }}
	if got, err := c.renamed(map[int]int{0: 0, 1: 1, 2: 2}).renamed(map[int]int{2: 0}).text([]string{"x"}); got != "x" || err != nil {
		t.Errorf("%q, %v", got, err)
	}
	none := conjunct{text: func([]string) (string, error) { return "all", nil }}
	if got, err := none.renamed(map[int]int{0: 0}).text(nil); got != "all" || err != nil {
		t.Errorf("%q, %v", got, err)
	}
}
