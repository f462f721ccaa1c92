package encode_test

import (
	"context"
	"strings"
	"testing"

	"orbitmc/encode"
	"orbitmc/encode/murphi"
	"orbitmc/model"
)

// TestEdgeCases compares models that random ones seldom look like, in both
// dialects and all deadlock modes.
func TestEdgeCases(t *testing.T) {
	for _, src := range []string{
		// no state, no rules; a rule that does nothing
		"startstate endstartstate;",
		"startstate endstartstate; rule endrule;",
		// every start state errs
		`startstate error "no"; endstartstate;`,
		`var x: 0..3; startstate x := 4; endstartstate; startstate "b" assert false "no"; endstartstate; rule x := 1; endrule;`,
		// start states of which some instances err, with different properties
		`type S: scalarset(3); var x: 0..2; p: S;
		 ruleset i := 0 to 5; s: S do startstate assert i != 1 "one"; x := i; if i = 2 then error "two"; endif; p := s; endstartstate; endruleset;
		 startstate undefine x; endstartstate;
		 rule !isundefined(x) & x < 2 ==> x := x + 1; endrule;`,
		// large numbers
		`const M: 4611686018427387903; var x: 1 - M..M - 1; y: -M..-1; z: 1..M;
		 startstate x := 1 - M; y := -M; z := M; endstartstate;
		 ruleset i := -M to M by M do rule x := i; endrule; endruleset;
		 rule x < 0 ==> x := x + 1; endrule; rule x > 0 ==> x := x - 1; endrule; rule y := -z; endrule; rule z := -y; endrule;
		 invariant x != 0; invariant x <= z;`,
		`var x: 0..1; startstate x := 0; endstartstate;
		 ruleset i := -4611686018427387903 to 4611686018427387903 by 4611686018427387903 do rule i != -4611686018427387903 ==> x := i % 2 * i; endrule; endruleset;`,
		// an index or a value that is surely out of range
		`var a: array [2..4] of 0..3; startstate for i: 2..4 do a[i] := 0; endfor; endstartstate;
		 rule a[5] = 1 ==> a[2] := 1; endrule; rule a[a[2]] := 1; endrule; rule a[2] := 4; endrule; rule a[3] := a[1]; endrule;
		 rule undefine a[0]; endrule; rule put a[a[2]]; endrule; rule isundefined(a[1]) ==> a[4] := 2; endrule; invariant a[2] = 0 | a[9] = 0;`,
		// copies that overlap, and indices that the left side changes
		`type T: array [0..2] of 0..2; var a, b: T; m: array [boolean] of T; startstate for i: 0..2 do a[i] := (i + 1) % 3; b[i] := i; endfor; m[true] := a; m[false] := b; endstartstate;
		 rule a[a[a[0]]] := a[a[1]]; endrule; rule m[a[0] = 0] := m[a[1] = 1]; endrule; rule a := a; endrule; rule a := m[b[0] = a[0]]; b := a; endrule; rule b[b[2]] := 2 - b[1]; endrule;`,
		// a division by a number that can be 0; truncation towards 0
		`var x, y: -3..3; startstate x := -3; y := -3; endstartstate; ruleset i: -3..3; j: -3..3 do rule x := i; y := j; endrule; endruleset;
		 rule x := x / y; endrule; rule y := x % y; endrule; rule x / (y * y) > 1 ==> y := 1; endrule; invariant -x % 2 = -(x % 2); invariant x / 2 * 2 + x % 2 = x;`,
		// more choices of slots than are tried one by one, where every instance errs or stutters
		`var s: multiset [5] of 0..1; n: 0..2; startstate n := 0; endstartstate;
		 ruleset i: 0..2 do rule n = 0 ==> multisetadd(i % 2, s); multisetadd(1, s); n := i; endrule; endruleset;
		 ruleset i: 0..1 do rule n = 1 ==> multisetadd(0, s); multisetadd(i, s); assert i = 0 -> multisetcount(k: s, s[k] = 0) < 3 "full"; multisetremovepred(k: s, true); endrule; endruleset;
		 rule n = 2 ==> multisetadd(0, s); multisetadd(1, s); error "e"; endrule;`,
		// errors of several kinds in one body: the first counts
		`var x: 0..3; y: boolean; startstate x := 0; endstartstate; ruleset i: 0..3 do rule x := i; endrule; endruleset; rule undefine x; endrule;
		 rule assert x > 0 "a"; if x = 1 then error "e"; endif; assert x != 2 "b"; x := x + 1; assert false "c"; endrule;
		 rule if y then error "e2"; endif; endrule; rule x = 1 -> y ==> x := 2; assert y "d"; endrule;`,
		// cases are evaluated in order, up to the one that matches
		`var x, y: 0..3; z: 0..3; startstate x := 0; y := 1; endstartstate; ruleset i: 0..3; j: 0..3 do rule x := i; y := j; endrule; endruleset;
		 rule switch x case 0, y: y := 3; case z: y := 2; else x := 0; endswitch; endrule;
		 rule switch x case y, z: y := 3; case 1, z, 2: y := 2; else x := 0; endswitch; endrule;
		 rule switch x case 3: x := 2; case 3, 2: x := 1; case 1: endswitch; endrule;`,
		// loops whose body changes what the bounds read; empty ones
		`var x, y: 0..3; startstate x := 0; y := 3; endstartstate;
		 rule for i := x to y do x := i; y := x; endfor; endrule; rule for i := y to x by -1 do y := i; endfor; endrule; rule for i := 3 to x by -2 do y := i; endfor; endrule;
		 rule for i := 0 to y by 2 do x := i; endfor; endrule; rule forall i := x to y do i > 0 end ==> x := x + 1; endrule; rule exists i := x to y do i = 3 end ==> y := 0; endrule;`,
		// quantifiers stop at the deciding element
		`type S: scalarset(3); var d: array [S] of boolean; e: array [0..2] of 0..2; n: 0..2; startstate endstartstate;
		 ruleset i: S; b: boolean do rule d[i] := b; endrule; endruleset; ruleset i: S do rule undefine d[i]; endrule; endruleset;
		 ruleset k: 0..2 do rule e[k] := k; n := k; endrule; rule undefine e[k]; endrule; endruleset;
		 invariant exists i: S do d[i] end; invariant forall i: S do d[i] end; invariant forall k: 0..2 do e[k] = k | exists j: 0..2 do e[j] > e[k] end end;
		 ruleset i: S do invariant "set" d[i]; invariant "any" exists j: S do d[j] & i != j end; endruleset; invariant isundefined(e[n]);`,
		// comparing and copying undefined values
		`type S: scalarset(2); E: enum {A, B}; var p, q: S; a: array [S] of S; b, c: boolean; e: E; x: 0..3; y: 2..3; r, s: record f: E; p: S; x: 0..2; end; startstate endstartstate;
		 rule p = q ==> b := true; endrule; rule p != q ==> c := false; endrule; rule p := q; endrule; rule b := c; endrule; rule x := y; endrule; rule y := x; endrule; rule x := (x + 1) % 4; endrule; rule r := s; endrule;
		 rule s.p = r.p ==> s.x := x; s.f := e; s.p := p; endrule; rule a[p] := q; endrule; rule a[a[p]] = q ==> p := a[q]; endrule; rule e := A; endrule;
		 ruleset i: S do rule p := i; endrule; rule a[i] := q; endrule; rule a[i] = i ==> q := i; endrule; rule (p = i ? p : q) = i ==> y := 1; endrule; endruleset; rule undefine r; undefine p; endrule;
		 rule p := (b ? p : q); endrule; invariant p = q -> a[p] = a[q]; invariant b = c; rule put p; put b; put b = c; endrule; rule x := (y); endrule; rule x := y + 0; endrule;`,
		// rulesets without values, with one, and many of one size
		`var x: 0..3; startstate x := 0; endstartstate; ruleset i: 1..1 do rule x := i; endrule; endruleset;
		 ruleset i: 0..2; j: 1..3; k: boolean do rule i < j & k ==> x := j; endrule; rule x := i; endrule; endruleset; ruleset j: 0..3; i: -1..1 do rule x = j ==> x := i * i; endrule; endruleset;
		 ruleset i := 3 to 0 by -1; j := 0 to 3 by 3 do rule x > i ==> x := j; endrule; endruleset;`,
		// scalarsets of size 1, several parameters and dimensions of one class
		`type S: scalarset(1); T: scalarset(3); var a: array [T] of array [T] of array [S] of boolean; p: array [S] of T; ruleset t: T; s: S do startstate for i: T do for j: T do for k: S do a[i][j][k] := i = t; endfor; endfor; endfor; p[s] := t; endstartstate; endruleset;
		 ruleset i: T; j: T; s: S do rule i != j & a[i][j][s] ==> a[j][i][s] := true; p[s] := j; endrule; endruleset; invariant forall i: T do exists s: S do a[i][p[s]][s] end end;`,
	} {
		for _, d := range []model.Dialect{model.CMurphi, model.Rumur} {
			for _, dl := range []model.DeadlockMode{model.Stuttering, model.Stuck, model.DeadlockOff} {
				if _, err := compare(src, murphi.Options{Dialect: d, Deadlock: dl}, 1, 200); err != nil {
					t.Errorf("%s\n%v, deadlock %v: %v", src, d, dl, err)
				}
			}
		}
	}
}

// TestRefused checks that what the encoding does not support is refused where
// it stands.
func TestRefused(t *testing.T) {
	for _, c := range []struct{ src, want string }{
		{"var x: 0..9223372036854775806;\nstartstate x := 0; endstartstate;", "f.m:1:8: "},
		{"var x: -4611686018427387904..0;\nstartstate x := 0; endstartstate;", "f.m:1:8: "},
		{"var x: -4611686018427387903..0;\nstartstate x := 0; endstartstate;", ""},
		{"var x: 0..3;\nstartstate var y: 0..4611686018427387904; begin x := 0; endstartstate;", "f.m:2:19: "},
		{"var x: 0..3;\nstartstate x := 9223372036854775807 - 9223372036854775806; x := 5000000000000000000 / 2500000000000000000; endstartstate;", ""},
		{"var x: 0..3;\nstartstate x := 0; endstartstate;\nrule x + 5000000000000000000 > 0 ==> endrule;", "f.m:3:10: "},
		{"const M: 4611686018427387903; var x: 0..M;\nstartstate x := 0; endstartstate;\nrule x * x > 0 ==> endrule;", "f.m:3:8: "},
		{"const M: 4611686018427387903; var x: 0..M;\nstartstate x := 0; endstartstate;\nrule x + x > 0 ==> endrule;", "f.m:3:8: "},
		{"const M: 4611686018427387903; var x: 0..M;\nstartstate x := 0; endstartstate;\nrule x - -x > 0 ==> endrule;", "f.m:3:8: "},
		{"startstate endstartstate;\nruleset i := 9223372036854775800 to 9223372036854775806 by 2 do rule i + i > 0 ==> endrule; endruleset;", "f.m:2:9: "},
		{"startstate endstartstate;\nruleset i := 9223372036854775806 to 9223372036854775806 do rule i + i > 0 ==> endrule; endruleset;", "f.m:2:9: "},
		{"startstate endstartstate;\nruleset i := -9000000000000000000 to 9000000000000000000 by 9000000000000000000 do rule i - 1 - i > 0 ==> endrule; endruleset;", "f.m:2:9: "},
		{"type R: 9223372036854775800..9223372036854775806; startstate endstartstate;\nruleset i: R do invariant i + i > 0; endruleset;", "f.m:2:9: "},
		{"type R: 9223372036854775800..9223372036854775806; startstate endstartstate;\nrule forall i: R do i + i > 0 end ==> endrule;", "f.m:2:13: "},
		{"var x: 0..3;\nstartstate x := 0; endstartstate;\nrule for i := x to 3 by 2 do endfor; endrule;", "f.m:3:15: "},
		{"var x: 1..3;\nstartstate x := 1; endstartstate;\nrule for i := 0 to 3 by x do endfor; endrule;", "f.m:3:25: "},
	} {
		m, err := murphi.Parse("f.m", []byte(c.src), murphi.Options{})
		if err != nil {
			t.Fatal(err)
		}
		_, err = encode.Model(context.Background(), m)
		if (err == nil) != (c.want == "") || err != nil && !strings.HasPrefix(err.Error(), c.want) {
			t.Errorf("%s\nerror %v, want %s", c.src, err, c.want)
		}
	}
}
