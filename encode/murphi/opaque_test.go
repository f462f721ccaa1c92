package murphi

import (
	"strings"
	"testing"

	"orbitmc/model"
)

// TestOpaque: a constant that is left open may be the size of a type, and nothing else.
func TestOpaque(t *testing.T) {
	const rest = "\nvar x: 0..9; startstate begin x := 0; end; rule x < 9 ==> begin x := x + 1; end;\n"
	for _, c := range []struct{ head, rest, want string }{
		{"const N: 3; type P: scalarset(N);", rest, ""},
		{"const M: 3; N: 3; type P: scalarset(N);", rest, ""},
		{"const N: 3; M: N; type P: scalarset(M);", rest, ""},
		{"const N: 3; type P: 1..N; Q: 0..N-1; R: P;", rest, ""},
		{"const N: 3; type P: scalarset(N + 1);", rest, "1:31"},
		{"const N: 3; M: N + 1; type P: scalarset(M);", rest, "1:16"},
		{"const N: 3; type P: 0..N;", rest, "1:24"},
		{"const N: 3; type P: 2..N;", rest, "1:24"},
		{"const N: 3; type P: 1..N-1;", rest, "1:24"},
		{"const N: 3; type P: 0..N-2;", rest, "1:24"},
		{"const N: 3; type P: N..9;", rest, "1:21"},
		{"const N: 3; type P: multiset[N] of 0..1;", rest, "1:30"},
		{"const N: 3; type P: scalarset(N);", strings.Replace(rest, "x < 9", "N >= 7", 1), "2:49"},
		{"const N: 3; M: N; type P: scalarset(N);", strings.Replace(rest, "x < 9", "M >= 7", 1), "2:49"},
		{"const N: 3; type P: scalarset(N);", strings.Replace(rest, "x + 1", "N", 1), "2:70"},
		{"const N: 3; type P: scalarset(N);", strings.Replace(rest, "begin x := x + 1;", "begin for i := 1 to N do x := 0; end;", 1), "2:79"},
		{"const N: 3; type P: 1..N; var y: P;", strings.Replace(rest, "x < 9", "y = N", 1), ""},
		{"const N: 3; type P: 0..N-1; var y: P;", strings.Replace(rest, "x < 9", "y = N - 1", 1), ""},
		{"const N: 3; type P: 0..N-1; var y: array [P] of P;", strings.Replace(rest, "x := x + 1", "y[N-1] := N-1", 1), ""},
		{"const N: 3; type P: 1..N; var y: P;", strings.Replace(rest, "x < 9", "y = N - 1", 1), "2:53"},
		{"const N: 3; type P: 0..N-1; var y: P;", strings.Replace(rest, "x < 9", "y = N", 1), "2:53"},
		{"const N: 3; type P: 0..N-1; var y: P;", strings.Replace(rest, "x < 9", "y = N - 2", 1), "2:53"},
		{"const N: 3; type P: 1..N; var y: P;", strings.Replace(rest, "x < 9", "y < N", 1), "2:53"},
		{"const N: 3; type P: 1..N; var y: P;", strings.Replace(rest, "x < 9", "y + N = N", 1), "2:53"},
		{"const N: 3; type P: 1..N; var y: P;", strings.Replace(rest, "x < 9", "x = N", 1), "2:53"},
		{"const N: 3; type P: 1..N; var y: 1..3;", strings.Replace(rest, "x < 9", "y = N", 1), "2:53"},
		{"const N: 3; type P: 1..N; var y: P;", strings.Replace(rest, "x < 9", "y = (true ? N : 2)", 1), ""},
		{"const N: 3; type P: 1..N; var y: P;", strings.Replace(rest, "x < 9", "y = (x = 0 ? N : 2)", 1), "2:62"},
		{"const N: 3; type P: 1..N; var y: P;", strings.Replace(rest, "begin x := x + 1;", "begin alias n: N do y := n; end;", 1), "2:74"},
		{"const N: 3; M: N; type P: 1..N; var y: array [P] of P;", strings.Replace(rest, "begin x := x + 1;", "begin y[M] := N;", 1), ""},
	} {
		m, err := Parse("m.m", []byte(c.head+c.rest), Options{Opaque: []string{"N"}})
		switch {
		case c.want == "" && err != nil:
			t.Errorf("%s: %v", c.head, err)
		case c.want != "" && (err == nil || !strings.HasPrefix(err.Error(), "m.m:"+c.want+": the value of N counts here")):
			t.Errorf("%s%s: %v, want an error at %s", c.head, c.rest, err, c.want)
		case c.want == "":
			for _, u := range m.Types {
				if u.SizedBy != "N" || u.Kind == model.Range && u.Card() != 3 {
					t.Errorf("%s: %v is sized by %q", c.head, u, u.SizedBy)
				}
			}
		}
		if _, err := Parse("m.m", []byte(c.head+c.rest), Options{}); err != nil && !strings.Contains(c.head, "N..9") {
			t.Errorf("%s: %v", c.head, err)
		}
	}
}

// TestOpaqueOverridden: a constant that is set no longer has the size that its text names.
func TestOpaqueOverridden(t *testing.T) {
	const src = "const N: 3; M: N; type P: scalarset(N); Q: scalarset(M);\nvar x: array [P] of Q; startstate begin undefine x; end; rule true ==> begin undefine x; end;\n"
	for _, c := range []struct {
		set  map[string]string
		want string
	}{{nil, "N"}, {map[string]string{"M": "1"}, ""}, {map[string]string{"N": "5"}, "N"}} {
		m, err := Parse("m.m", []byte(src), Options{Opaque: []string{"N"}, Consts: c.set})
		if err != nil {
			t.Fatal(err)
		}
		if p, q := m.Types[0].SizedBy, m.Types[1].SizedBy; p != "N" || q != c.want {
			t.Errorf("%v: P is sized by %q, Q by %q, want %q", c.set, p, q, c.want)
		}
	}
}
