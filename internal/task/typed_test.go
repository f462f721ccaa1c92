package task

import (
	"os"
	"path/filepath"
	"slices"
	"testing"
)

// TestTyped: explicit search takes the symmetry that typing shows without circuits if that is
// all there is: what is open of scalarsets is refuted by states, and what is inferred beside
// scalarsets does not matter.
func TestTyped(t *testing.T) {
	const head = `type P: scalarset(3); V: scalarset(3);
var x: array [P] of V; b: array [P] of boolean; v: V; flag: boolean; n: 0..3;
startstate for p: P do b[p] := false; end; flag := false; n := 0; end;
ruleset p: P; w: V do rule x[p] := w; b[p] := !b[p]; end; end;
`
	for _, c := range []struct {
		name, rest string
		typed      bool
		refuted    int
		order      string
		plain      bool // without inferred classes
	}{
		{"all", "", true, 0, "36", true},
		{"scalarset refuted", `rule n := 0; for p: P do if b[p] & n = 0 then v := x[p]; n := 1; end; end; end;`, true, 1, "6", true},
		{"scalarset open", "rule for p: P do flag := b[p] | !b[p]; end; end;", false, 0, "36", true},
		{"ring beside scalarsets", "var r: array [0..3] of boolean; k: 0..3; startstate for p: P do b[p] := false; end; flag := false; n := 0; k := 0; for i: 0..3 do r[i] := false; end; end; rule r[k] := !r[k]; k := (k + 1) % 4; end;", true, 0, "36", true},
		{"class beside scalarsets", "type I: 0..2; var r: array [I] of boolean; startstate for p: P do b[p] := false; end; flag := false; n := 0; for i: I do r[i] := false; end; end; ruleset i: I do rule r[i] := !r[i]; end; end;", true, 0, "216", false},
	} {
		t.Run(c.name, func(t *testing.T) {
			file := filepath.Join(t.TempDir(), "m.m")
			if err := os.WriteFile(file, []byte(head+c.rest), 0o644); err != nil {
				t.Fatal(err)
			}
			tk, err := Open(t.Context(), file, Options{})
			if err != nil {
				t.Fatal(err)
			}
			a, err := tk.Analyse(t.Context(), false, nil)
			if err != nil {
				t.Fatal(err)
			}
			if (a.Typed != nil) != c.typed || (a.Report != nil) == c.typed {
				t.Fatalf("typed: %v", a.Typed)
			}
			order := ""
			if c.typed {
				order = a.Typed.Order.String()
				if len(a.Typed.Refuted) != c.refuted {
					t.Errorf("refuted: %v", a.Typed.Refuted)
				}
			} else {
				order = a.Report.System.Order().String()
			}
			if order != c.order {
				t.Errorf("order %s", order)
			}
			alike := false
			for _, y := range a.Problem.Model.Scalarsets {
				alike = alike || y.Alike
			}
			if alike == c.plain {
				t.Errorf("inferred classes: %v", alike)
			}
		})
	}
}

// TestTypedWhy: what keeps a declared symmetry from being used is known without circuits.
func TestTypedWhy(t *testing.T) {
	file := filepath.Join(t.TempDir(), "m.m")
	const rounds = `type P: scalarset(3); V: scalarset(2);
var a: array [P] of 0..1; x: array [P] of V; c: 0..1;
startstate for p: P do a[p] := 0; undefine x[p] end; c := 0 end;
rule for p: P do a[p] := c; c := 1 - c end end;
ruleset p: P; v: V do rule x[p] := v end end;
`
	if err := os.WriteFile(file, []byte(rounds), 0o644); err != nil {
		t.Fatal(err)
	}
	tk, err := Open(t.Context(), file, Options{})
	if err != nil {
		t.Fatal(err)
	}
	plain, err := tk.Plain(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	a, err := tk.Quick(t.Context(), plain)
	if err != nil {
		t.Fatal(err)
	}
	want := []string{"P: 4:29: turns of the loop at 4:6 meet in c"}
	if a.Typed == nil || !slices.Equal(a.Typed.Why, want) {
		t.Errorf("%+v, want %q", a.Typed, want)
	}
}
