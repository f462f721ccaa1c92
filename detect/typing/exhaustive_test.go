package typing_test

import (
	"fmt"
	"hash/fnv"
	"os"
	"slices"
	"testing"

	"orbitmc/detect/typing"
	"orbitmc/encode/murphi"
	"orbitmc/internal/certify/states"
	"orbitmc/internal/testkit/nightly"
	"orbitmc/mc"
	"orbitmc/model"
)

// smallHead is what the small models have in common: components with a value that is defined, one that may not be, and a
// multiset of messages whose kind may be undefined.
const smallHead = `type P: scalarset(2); K: enum {x, y}; M: record k: K; end;
var a: array [P] of boolean; u: array [P] of boolean; net: array [P] of multiset [2] of M; g: P; n: 0..3; b: boolean; m: M;
startstate begin for p: P do a[p] := false; undefine u[p]; end; undefine net; undefine g; undefine m; n := 0; b := false; end;
ruleset p: P do
rule "set" a[p] := !a[p]; end;
rule "known" isundefined(u[p]) ==> u[p] := a[p]; g := p; end;
rule "send" multisetcount(i: net[p], true) < 2 ==> begin if a[p] then m.k := x; end; multisetadd(m, net[p]); undefine m; end;
choose j: net[p] do rule "take" n < 3 ==> begin multisetremove(j, net[p]); n := n + 1; end; end;
end;
`

// smallModels calls f for every small model: a loop, or a quantifier, over the components, with one statement that a
// condition guards, in a function, a rule or an invariant. Conditions are atoms, or two of them.
func smallModels(f func(number int, src string)) {
	atoms := []string{"a[p]", "u[p]", "!u[p]", "isundefined(u[p])", "g = p", "isundefined(g)", "n = 0", "b"}
	for _, look := range []string{"true", "isundefined(net[p][i].k)", "net[p][i].k = x", "!isundefined(net[p][i].k) & net[p][i].k = x"} {
		for _, test := range []string{">= 1", "= 2"} {
			atoms = append(atoms, fmt.Sprintf("multisetcount(i: net[p], %s) %s", look, test))
		}
	}
	conds := slices.Clone(atoms)
	for _, x := range atoms {
		for _, y := range atoms {
			for _, op := range []string{"&", "|", "->"} {
				if x != y {
					conds = append(conds, fmt.Sprintf("(%s) %s (%s)", x, op, y))
				}
			}
		}
	}
	number := 0
	next := func(src string) {
		f(number, smallHead+src)
		number++
	}
	for _, c := range conds {
		for _, s := range []string{"return false;", "return true;", "g := p; return false;", "c := c + 1;", "last := p;", "b := true;", "a[p] := true;", "undefine u[p];"} {
			decl := ""
			if s == "last := p;" || s == "c := c + 1;" {
				decl = "var c: 0..2; last: P;"
			}
			body := fmt.Sprintf("%s begin c := 0; for p: P do if %s then %s end; end; return c = 0; end;", "var c: 0..2; last: P;", c, s)
			if decl == "" {
				body = fmt.Sprintf("begin for p: P do if %s then %s end; end; return true; end;", c, s)
			}
			pure := s[:6] == "return" || decl != ""
			if pure {
				next("function f(): boolean; " + body + "\nrule \"use\" f() ==> begin n := 0; b := false; end;\n")
				next("function f(): boolean; " + body + "\ninvariant \"use\" f();\n")
			} else {
				next("function f(): boolean; " + body + "\nrule \"use\" n = 3 ==> begin if f() then n := 0; b := false; end; end;\n")
			}
		}
		for _, q := range []string{"forall", "exists"} {
			next(fmt.Sprintf("rule \"use\" %s p: P do %s end ==> begin n := 0; b := false; end;\n", q, c))
			next(fmt.Sprintf("invariant \"use\" %s p: P do %s end;\n", q, c))
		}
		next(fmt.Sprintf("ruleset p: P do invariant \"use\" %s; end;\n", c))
	}
}

// TestSmallModels: what typing shows of every small model, and what the second derivation accepts, is so of each step from
// states that are reached. ORBITMC_LONG=1 takes all models, from number ORBITMC_FROM on and at most
// ORBITMC_SYSTEMS, else a sample that is chosen by a hash is taken.
func TestSmallModels(t *testing.T) {
	long := nightly.On()
	from, most := 0, 1<<30
	if long {
		fmt.Sscan(os.Getenv("ORBITMC_FROM"), &from)
		fmt.Sscan(os.Getenv("ORBITMC_SYSTEMS"), &most)
	}
	const share = 384
	all, models, shown, accepted := 0, 0, 0, 0
	smallModels(func(number int, src string) {
		all++
		h := fnv.New32a()
		h.Write([]byte(src))
		if long && (number < from || number >= from+most) || !long && h.Sum32()%share != 0 {
			return
		}
		m, err := murphi.Parse("small.m", []byte(src), murphi.Options{Dialect: model.Dialect(h.Sum32() / share % 2)})
		if err != nil {
			t.Fatalf("model %d: %v\n%s", number, err, src)
		}
		models++
		r := typing.Check(m)
		if symmetricRules(m, r) {
			shown++
		}
		if d := newChecker(m, r).run(); d != "" {
			t.Errorf("model %d: typing is wrong: %s\n%s", number, d, src)
		}
		claim, blocks := whole(m)
		props := make([]int, len(m.Props))
		for i := range props {
			props[i] = i
		}
		joint, strict, err := states.TypedSets(&mc.Problem{OfModel: mc.OfModel{Model: m}}, blocks, props)
		if err != nil {
			return
		}
		accepted++
		claim.Joint = joint
		for c := range claim.Classes {
			claim.Classes[c].Rules.Strict = strict
		}
		if d := newChecker(m, claim).run(); d != "" {
			t.Errorf("model %d: the second derivation is wrong: %s\n%s", number, d, src)
		}
	})
	t.Logf("%d of %d models; typing shows the symmetry of the rules of %d, the second derivation accepts %d", models, all, shown, accepted)
	if !long && (shown < models/4 || accepted < models/4) {
		t.Error("too few are symmetric")
	}
}

// symmetricRules reports whether all components of the small models are interchangeable for the rules.
func symmetricRules(m *model.Model, r *typing.Report) bool {
	c := slices.IndexFunc(m.Scalarsets, func(y *model.Type) bool { return y.Name == "P" })
	return len(r.Classes[c].Rules.Blocks) == 1
}

// TestElementsThatAreThere: a conjunct that finds an element in a slot keeps what is to its right from erring there. A
// rule that takes any element for one that is there accepts the second model, in which the element was removed:
// whether the loop errs depends on the order of its turns. So does it in the third one, where the kind may be
// undefined.
func TestElementsThatAreThere(t *testing.T) {
	for _, c := range []struct {
		text      string
		symmetric bool
	}{
		{`function f(): boolean; begin for p: P do if multisetcount(i: net[p], isundefined(net[p][i].k)) >= 1 then return false; end; end; return true; end;
rule "use" f() ==> begin n := 0; end;`, true},
		{`ruleset q: P do choose j: net[q] do rule "use" n = 0 ==> begin multisetremove(j, net[q]); for p: P do if a[p] | isundefined(net[q][j].k) then return; end; end; end; end; end;`, false},
		{`function f(): boolean; begin for p: P do if multisetcount(i: net[p], net[p][i].k = x) >= 1 then return false; end; end; return true; end;
rule "use" f() ==> begin n := 0; end;`, false},
	} {
		m := parse(t, smallHead+c.text, model.CMurphi)
		claim, blocks := whole(m)
		k := newChecker(m, claim)
		k.most = 2000
		if d := k.run(); (d == "") != c.symmetric {
			t.Errorf("%s: difference from the image: %q", c.text, d)
		}
		if shown := symmetricRules(m, typing.Check(m)); shown != c.symmetric {
			t.Errorf("%s: typing shows the symmetry: %v", c.text, shown)
		}
		if _, _, err := states.TypedSets(&mc.Problem{OfModel: mc.OfModel{Model: m}}, blocks, []int{m.Runtime().Index}); (err == nil) != c.symmetric {
			t.Errorf("%s: the second derivation: %v", c.text, err)
		}
	}
}
