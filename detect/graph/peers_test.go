package graph

import (
	"bytes"
	"math/big"
	"math/rand/v2"
	"os/exec"
	"regexp"
	"testing"
)

// blissOrder asks bliss for the order of the group.
func blissOrder(t testing.TB, path string, g *Graph) *big.Int {
	t.Helper()
	cmd := exec.Command(path)
	var in bytes.Buffer
	if err := WriteDIMACS(&in, g); err != nil {
		t.Fatal(err)
	}
	cmd.Stdin = &in
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("bliss: %v\n%s", err, out)
	}
	m := regexp.MustCompile(`\|Aut\|:\s*(\d+)`).FindSubmatch(out)
	if m == nil {
		t.Fatalf("bliss says %s", out)
	}
	order, _ := new(big.Int).SetString(string(m[1]), 10)
	return order
}

func TestBlissStructured(t *testing.T) {
	path, err := exec.LookPath("bliss")
	if err != nil {
		t.Skip("bliss is not installed")
	}
	rng := rand.New(rand.NewPCG(5, 6))
	for _, s := range structured() {
		for _, g := range []*Graph{s.g, relabel(rng, s.g)} {
			r := mustSearch(t, g)
			checkResult(t, g, r)
			if want := blissOrder(t, path, g); r.Order.Cmp(want) != 0 {
				t.Errorf("%s: order %v, bliss %v", s.name, r.Order, want)
			}
		}
	}
}
