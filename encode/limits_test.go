package encode_test

import (
	"context"
	"strings"
	"testing"

	"orbitmc/encode"
	"orbitmc/encode/murphi"
)

// TestTooLarge: what would take minutes to encode is refused at once, with its
// position.
func TestTooLarge(t *testing.T) {
	const rest = " startstate begin x := 0; end;"
	for src, want := range map[string]string{
		"var x: 0..3; ruleset i: 0..1000000000 do rule i = 5 ==> begin x := 1; end; end;" + rest:                                   ":42: more than",
		"var x: 0..3; ruleset i: 0..2000; j: 0..2000 do rule i = j ==> begin x := 1; end; end;" + rest:                             ": more than",
		"var x: 0..3; ruleset i: 0..2000; j: 0..2000 do invariant i = j | x < 4; end; rule begin x := 1; end;" + rest:              ": more than",
		"type S: scalarset(20000); var p: S; x: 0..3; rule begin x := 1; end;" + rest:                                              ": the variable p",
		"type S: scalarset(1000); var a: array [0..99] of S; x: 0..3; rule begin x := 1; end;" + rest:                              ": the variable a",
		"type S: scalarset(100); var x: 0..3; ruleset i: S; j: S do rule x = 0 ==> begin x := 1; end; end;" + rest:                 "",
		"type S: scalarset(100); var x: 0..3; a: array [S] of S; ruleset i: S do rule a[i] = i ==> begin x := 1; end; end;" + rest: "",
	} {
		m, err := murphi.Parse("m.m", []byte(src), murphi.Options{})
		if err != nil {
			t.Fatal(err)
		}
		_, err = encode.Model(context.Background(), m)
		switch {
		case want == "" && err != nil:
			t.Errorf("%s: %v", src, err)
		case want != "" && (err == nil || !strings.HasPrefix(err.Error(), "m.m:1:") ||
			!strings.Contains(err.Error(), want) || !strings.HasSuffix(err.Error(), "too large for the symbolic encoding")):
			t.Errorf("%s: %v, want %q", src, err, want)
		}
	}
}

// countdown is a context that ends when it was asked n times.
type countdown struct {
	context.Context
	n int
}

func (c *countdown) Err() error {
	if c.n--; c.n < 0 {
		return context.Canceled
	}
	return nil
}

// TestInterrupted ends the context of an encoding at many moments.
func TestInterrupted(t *testing.T) {
	m, err := murphi.ReadFile("../benchmarks/murphi/flash.m", murphi.Options{})
	if err != nil {
		t.Fatal(err)
	}
	whole := &countdown{t.Context(), 1 << 30}
	if _, err := encode.Model(whole, m); err != nil {
		t.Fatal(err)
	}
	asked := 1<<30 - whole.n
	if asked < 2*len(m.Rules) {
		t.Errorf("the context was looked at %d times, with %d rules", asked, len(m.Rules))
	}
	for n := 0; n < asked; n += 1 + asked/20 {
		if enc, err := encode.Model(&countdown{t.Context(), n}, m); enc != nil || err != context.Canceled {
			t.Errorf("after %d of %d looks: %v", n, asked, err)
		}
	}
}
