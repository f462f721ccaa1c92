package explicit

import (
	"math"
	"testing"
)

// TestForecast: of layers that grow and shrink as a bell does it is known which part of them has been seen, and nothing
// of few layers, of those that grow ever faster, and of those that never shrink.
func TestForecast(t *testing.T) {
	var bell []int
	all := 0
	for x := -30; x <= 30; x++ {
		bell = append(bell, int(1e6*math.Exp(-float64(x*x)/100)))
		all += bell[len(bell)-1]
	}
	seen := 0
	for k, size := range bell {
		seen += size
		f := forecast{layers: bell[:k+1]}
		part, want := f.part(seen), float64(seen)/float64(all)
		switch {
		case k < forecastFrom && part != 0:
			t.Errorf("%d layers say %v", k, part)
		case k > 20 && math.Abs(part-want) > 0.02:
			t.Errorf("%d layers say %v, want %v", k, part, want)
		}
	}
	for _, ratio := range []func(k int) float64{func(k int) float64 { return 1 }, func(k int) float64 { return 1 + float64(k)/10 }} {
		f := forecast{}
		size := 100.0
		for k := range 2 * forecastFrom {
			f.layers = append(f.layers, int(size))
			size *= ratio(k)
		}
		if part := f.part(1000); part != 0 {
			t.Errorf("%v say %v", f.layers, part)
		}
	}
	f := forecast{layers: []int{1, 2, 3, 4, 0, 4, 3, 2, 1, 1, 1}}
	if part := f.part(10); part != 0 {
		t.Errorf("an empty layer says %v", part)
	}
}
