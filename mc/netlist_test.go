package mc_test

import (
	"fmt"
	"strings"
	"testing"

	"orbitmc/mc/mctest"
	"orbitmc/model"
)

func TestNetlistProperties(t *testing.T) {
	p := mctest.Counting()
	var got []string
	for i := range p.NumProps() {
		got = append(got, fmt.Sprintf("%s: %v %v", p.Name(i), p.Kind(i), p.Bads(i)))
	}
	want := "two: invariant [0]; bad 1: invariant [1 3]; bad 2: invariant [2]; often: liveness []; seldom: liveness []"
	if strings.Join(got, "; ") != want || p.Kind(3) != model.Liveness {
		t.Errorf("%s", strings.Join(got, "; "))
	}
}
