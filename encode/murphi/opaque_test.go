package murphi

import (
	"fmt"
	"strings"
	"testing"

	"orbitmc/model"
)

// TestOpaque: a constant that is left open may be the size of a type, and a number of which the
// model says what it is at every size. All else is an error, with its place.
func TestOpaque(t *testing.T) {
	const rest = "\nvar x: 0..9; startstate begin x := 0; end; rule x < 9 ==> begin x := x + 1; end;\n"
	edit := func(old, by string) string { return strings.Replace(rest, old, by, 1) }
	for _, c := range []struct{ head, rest, want string }{
		{"const N: 3; type P: scalarset(N);", rest, ""},
		{"const M: 3; N: 3; type P: scalarset(N);", rest, ""},
		{"const N: 3; M: N; type P: scalarset(M);", rest, ""},
		{"const N: 3; type P: 1..N; Q: 0..N-1; R: P;", rest, ""},
		{"const N: 3; type P: scalarset(N + 1);", rest, "error 1:31"},
		{"const N: 3; M: N + 1; type P: scalarset(M);", rest, "error 1:41"},
		{"const N: 3; type P: N..9;", rest, "error 1:21"},
		{"const N: 3; type P: multiset[N] of 0..1;", rest, "error 1:30"},
		{"const N: 3; type P: scalarset(N);", edit("x < 9", "N >= 7"), "error 2:49"},
		{"const N: 3; M: N; type P: scalarset(N);", edit("x < 9", "M >= 7"), "error 2:49"},
		{"const N: 3; type P: scalarset(N);", edit("x < 9", "x = N / 2"), "error 2:53"},
		{"const N: 3; B: N > 5; type P: scalarset(N);", edit("x < 9", "B"), "error 1:16"},
		{"const N: 3; type P: scalarset(N);", edit("begin x := x + 1;", "begin for i := 1 to N do x := 0; end;"), "error 2:79"},
		{"const N: 3; type P: 1..N; var y: P;", edit("x < 9", "y = (x = 0 ? N : 2)"), "error 2:62"},
		{"const N: 3; type P: 1..N; var y: P;", edit("begin x := x + 1;", "begin alias n: N do y := n; end;"), "error 2:74"},
		{"const N: 3; type P: 1..N; var y: P;", edit("begin x := x + 1;", "begin switch y case N: x := 1; end;"), "error 2:79"},
		// The greatest of a range.
		{"const N: 3; type P: 1..N; var y: P;", edit("x < 9", "y = N"), "N last of N"},
		{"const N: 3; type P: 0..N-1; var y: P;", edit("x < 9", "y = N - 1"), "N-1 last of N"},
		{"const N: 3; type P: 0..N-1; var y: array [P] of P;", edit("x := x + 1", "y[N-1] := N-1"), "N-1 last of N, N-1 last of N"},
		{"const N: 3; type P: 1..N; var y: P;", edit("x < 9", "y = (true ? N : 2)"), "N last of N"},
		{"const N: 3; M: N; type P: 1..N; var y: array [P] of P;", edit("begin x := x + 1;", "begin y[M] := N;"), "N last of N, N last of N"},
		// A number.
		{"const N: 3; type P: scalarset(N); C: 0..N;", rest, "top N"},
		{"const N: 3; type P: scalarset(N); C: 2..N;", rest, "top N"},
		{"const N: 3; type P: scalarset(N); C: 1..N-1; D: C;", rest, "top N-1, top N-1"},
		{"const N: 3; type P: scalarset(N); C: 0..N+2;", rest, "top N+2"},
		{"const N: 3; K: N / 2; type P: scalarset(N); C: 0..K; D: 0..K+1;", rest, "top K, top K+1"},
		{"const N: 3; K: N + 1; L: K - 2; type P: scalarset(N); C: 0..L;", rest, "top N-1"},
		{"const N: 3; K: N / 2; L: K * 2; type P: scalarset(N); C: 0..L;", rest, "top L"},
		{"const N: 3; type P: scalarset(N);", edit("x + 1", "N"), "N"},
		{"const N: 3; type P: scalarset(N);", edit("x < 9", "x + N > N - 2"), "N, N-2"},
		{"const N: 3; type P: 1..N; var y: P;", edit("x < 9", "y = N - 1"), "N-1"},
		{"const N: 3; type P: 0..N-1; var y: P;", edit("x < 9", "y = N"), "N"},
		{"const N: 3; type P: 1..N; var y: P;", edit("x < 9", "y < N"), "N"},
		{"const N: 3; type P: 1..N; var y: 1..3;", edit("x < 9", "y = N"), "N"},
	} {
		m, err := Parse("m.m", []byte(c.head+c.rest), Options{Opaque: []string{"N"}})
		var got []string
		if err != nil {
			for _, e := range err.(ErrorList) {
				if !strings.Contains(e.Error(), ": the value of N counts here") {
					t.Errorf("%s: %v", c.head, e)
				}
				got = append(got, strings.Join(strings.Split(e.Error(), ":")[1:3], ":"))
			}
			got = []string{"error " + strings.Join(got, " ")}
		} else {
			got = sizes(m)
		}
		if s := strings.Join(got, ", "); s != c.want {
			t.Errorf("%s%s: %q, want %q", c.head, c.rest, s, c.want)
		}
		if _, err := Parse("m.m", []byte(c.head+c.rest), Options{}); err != nil && !strings.Contains(c.head, "N..9") {
			t.Errorf("%s: %v", c.head, err)
		}
	}
}

// sizes returns what numbers of a model depend on open constants: the greatest ones of types that are
// no classes, and those in rules.
func sizes(m *model.Model) (out []string) {
	for _, u := range m.Types {
		if u.Top.Const != "" && u.SizedBy == "" {
			out = append(out, fmt.Sprintf("top %v", u.Top))
		}
	}
	for _, r := range m.Rules {
		visit := func(n any) {
			if k, ok := n.(*model.ConstExpr); ok && k.Size.Const != "" {
				s := k.Size.String()
				if k.SizedBy != "" {
					s += " last of " + k.SizedBy
				}
				out = append(out, s)
			}
		}
		model.Inspect(r.Guard, visit)
		model.Inspect(r.Body, visit)
	}
	return out
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
