package benchmarks_test

import (
	"strings"
	"testing"

	"orbitmc/benchmarks"
)

func TestAgree(t *testing.T) {
	long := "3153561347795609820690325521637106624181043200000000"
	for _, x := range []struct {
		v, w string
		want bool
	}{
		{"safe", "safe", true},
		{"safe", "unsafe", false},
		{"order 8", "order 8", true},
		{"order 8", "order 9", false},
		{"order 8", "safe", false},
		{"order " + long, "order " + long, true},
		{"order " + long, "order " + strings.Replace(long, "000", "001", 1), false}, // both are exact
		{"order " + long, "order 3.153561347796e51", true},
		{"order " + long, "order 3.153561347796e50", false},
		{"order " + long, "order 3.153561357796e51", false},
		{"order 43893964800", "order 4.389396480000e10", true},
		{"order 43893964801", "order 4.389396480000e10", true},
		{"order 43893964900", "order 4.389396480000e10", false},
		{"order 1e2077", "order 1" + strings.Repeat("0", 2077), true},
		{"order 1e99999999999", "order 2e99999999999", false}, // no numbers
		{"order 0", "order 0.0", false},
	} {
		for _, turned := range []bool{false, true} {
			v, w := x.v, x.w
			if turned {
				v, w = w, v
			}
			if got := benchmarks.Agree(v, w); got != x.want {
				t.Errorf("%s and %s: %v", v, w, got)
			}
		}
	}
	for v, want := range map[string]string{
		"unsafe": "unsafe", "order 8": "order 8", "order 4.389396480000e10": "order 4.389396480000e10",
		"order " + long: "order 3.15356e51", "": "",
	} {
		if got := benchmarks.ShortVerdict(v); got != want {
			t.Errorf("%q is %q in short, want %q", v, got, want)
		}
	}
}
