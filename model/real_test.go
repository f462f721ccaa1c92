package model_test

import (
	"math"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"testing"

	. "orbitmc/model"
	"orbitmc/model/reference"
)

// stored is what printf and scanf make of a number that is stored; ok is false if that is an error.
func stored(t *Type, x float64) (y float64, ok bool) {
	text := strconv.FormatFloat(x, 'e', t.Digits-1, 64)
	_, exponent, found := strings.Cut(text, "e")
	if !found {
		return 0, false
	}
	ten, _ := strconv.Atoi(exponent)
	if y, _ = strconv.ParseFloat(text, 64); ten < 1-t.Exponent {
		y = 0
	}
	return y, ten <= t.Exponent
}

// TestDecimals: the values of a type are in the order of their numbers, both interpreters read them as their texts are read, and
// round as printf does.
func TestDecimals(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for _, r := range []*Type{NewReal(1, 10), NewReal(2, 10), NewReal(3, 12), NewReal(4, 99), NewReal(15, 10), NewReal(15, 308), NewReal(7, 308)} {
		var values []int64
		if r.Hi < 5000 {
			for v := r.Lo; v <= r.Hi; v++ {
				values = append(values, v)
			}
		} else {
			n := r.Mantissas()
			for range 3000 {
				values = append(values, rng.Int64N(2*r.Hi+1)-r.Hi)
			}
			for _, v := range []int64{0, 1, 2, n - 1, n, n + 1, 2 * n, 2*n + 1, r.Hi / 2, r.Hi/2 + 1, r.Hi - 1, r.Hi} {
				values = append(values, v, -v)
			}
			slices.Sort(values)
			values = slices.Compact(values)
		}
		last := math.Inf(-1)
		for _, v := range values {
			x := r.Float(v)
			if text, err := strconv.ParseFloat(r.Format(v), 64); err != nil && !math.IsInf(text, 0) || text != x || !(x > last) && !math.IsInf(x, 0) {
				t.Fatalf("%v: value %d is %s, read as %v, after %v", r, v, r.Format(v), x, last)
			}
			last = x
			if y, _ := reference.Decimal(r, v).Float64(); y != x {
				t.Fatalf("%v: value %d is %v, in the walker %v", r, v, x, y)
			}
			if q := r.Ratio(v); q.Cmp(reference.Decimal(r, v)) != 0 {
				t.Fatalf("%v: value %d is %v, in the walker %v", r, v, q, reference.Decimal(r, v))
			}
			if math.IsInf(x, 0) {
				continue // the numbers of 308 go further
			}
			if w, wrong := r.Nearest(x); w != v || wrong != "" {
				t.Fatalf("%v: value %d is %v, which rounds to %d %s", r, v, x, w, wrong)
			}
			for _, y := range []float64{x, math.Nextafter(x, last*2), x * (1 + rng.Float64()*math.Pow(10, -float64(r.Digits))), x * rng.ExpFloat64(), x + x/2, 1 / x} {
				want, ok := stored(r, y)
				got, wrong := r.Nearest(y)
				walked, err := reference.Round(r, y)
				if (wrong == "") != ok || (err == nil) != ok || ok && (r.Float(got) != want || walked != got) {
					t.Fatalf("%v: %v rounds to %v %s, in the walker to %v %v, want %v %v", r, y, r.Float(got), wrong, r.Float(walked), err, want, ok)
				}
			}
		}
	}
	for _, x := range []float64{2.5, 3.5, 0.125, 0.375, 1e22, 8.5e-7, 9.95, 9.5, 99.5, 999.5, 9.9999999999e10, math.MaxFloat64, math.SmallestNonzeroFloat64, math.Copysign(0, -1), math.NaN(), math.Inf(-1)} {
		for digits := 1; digits <= 15; digits++ {
			r := NewReal(digits, 10)
			want, ok := stored(r, x)
			got, wrong := r.Nearest(x)
			walked, err := reference.Round(r, x)
			if (wrong == "") != ok || (err == nil) != ok || ok && (r.Float(got) != want || walked != got) {
				t.Errorf("%v: %v rounds to %v %s, in the walker to %d %v, want %v %v", r, x, r.Float(got), wrong, walked, err, want, ok)
			}
		}
	}
	for _, x := range []float64{0, math.Copysign(0, -1), 1, -1, math.NaN(), -math.NaN(), math.Inf(1), math.Float64frombits(math.MaxInt64), math.SmallestNonzeroFloat64} {
		if v := RealBits(x); v == Undef || RealOf(v) != x && !math.IsNaN(x) || math.Signbit(RealOf(v)) != math.Signbit(x) && !math.IsNaN(x) {
			t.Errorf("%v is kept as %d", x, v)
		}
	}
}

// realGenerator makes expressions, and functions that evaluate them.
type realGenerator struct {
	*rand.Rand
	reals []*Var
	n     *Var
}

func (g *realGenerator) number(depth int, s State) (Expr, func() (x float64, ok bool)) {
	if depth == 0 || g.IntN(5) == 0 {
		if g.IntN(3) == 0 {
			return &RealExpr{Op: "integer", X: ref(g.n)}, func() (float64, bool) { return float64(s[g.n.Offset]), true }
		}
		if g.IntN(4) == 0 {
			x := []float64{0, 1, 0.5, -2, 0.1, 3, 1e-5}[g.IntN(7)]
			return &ConstExpr{Value: RealBits(x), T: RealType}, func() (float64, bool) { return x, true }
		}
		v := g.reals[g.IntN(len(g.reals))]
		return &RealExpr{Op: "decimal", X: ref(v)}, func() (float64, bool) {
			if s[v.Offset] == Undef {
				return 0, false
			}
			x, err := strconv.ParseFloat(v.Type.Format(s[v.Offset]), 64)
			return x, err == nil
		}
	}
	e := &RealExpr{}
	var x, y func() (float64, bool)
	e.X, x = g.number(depth-1, s)
	binary := map[string]func(x, y float64) float64{"+": func(x, y float64) float64 { return x + y }, "-": func(x, y float64) float64 { return x - y },
		"*": func(x, y float64) float64 { return x * y }, "/": func(x, y float64) float64 { return x / y }, "fmod": math.Mod, "pow": math.Pow}
	unary := map[string]func(x float64) float64{"neg": func(x float64) float64 { return -x }, "log": math.Log, "exp": math.Exp, "sin": math.Sin, "cos": math.Cos,
		"tan": math.Tan, "fabs": math.Abs, "floor": math.Floor, "ceil": math.Ceil, "sqrt": math.Sqrt, "log10": math.Log10, "asin": math.Asin, "acos": math.Acos,
		"atan": math.Atan, "sinh": math.Sinh, "cosh": math.Cosh, "tanh": math.Tanh}
	if g.IntN(3) == 0 {
		names := make([]string, 0, len(unary))
		for name := range unary {
			names = append(names, name)
		}
		slices.Sort(names)
		e.Op = names[g.IntN(len(names))]
		f := unary[e.Op]
		return e, func() (float64, bool) {
			a, ok := x()
			return f(a), ok
		}
	}
	e.Op = []string{"+", "-", "*", "/", "+", "-", "*", "/", "fmod", "pow"}[g.IntN(10)]
	e.Y, y = g.number(depth-1, s)
	f := binary[e.Op]
	return e, func() (float64, bool) {
		a, ok := x()
		b, ok2 := y()
		return f(a, b), ok && ok2
	}
}

// TestRealExpressions: both interpreters compute what the definition says, on random expressions and states.
func TestRealExpressions(t *testing.T) {
	compare := map[string]func(x, y float64) bool{"=": func(x, y float64) bool { return x == y }, "!=": func(x, y float64) bool { return x != y },
		"<": func(x, y float64) bool { return x < y }, "<=": func(x, y float64) bool { return x <= y }, ">": func(x, y float64) bool { return x > y },
		">=": func(x, y float64) bool { return x >= y }}
	ops := []string{"=", "!=", "<", "<=", ">", ">="}
	count := make(map[string]int)
	for seed := range uint64(4000) {
		rng := rand.New(rand.NewPCG(seed, 7))
		g := &realGenerator{Rand: rng, n: stateVar("n", rangeType(-3, 9))}
		for i, r := range []*Type{NewReal(4, 99), NewReal(4, 99), NewReal(2, 10), NewReal(15, 308)} {
			g.reals = append(g.reals, stateVar("xyzw"[i:i+1], r))
		}
		m := newModel(append([]*Var{g.n}, g.reals...)...)
		m.Dialect, m.Deadlock = Dialect(seed%2), DeadlockOff
		s := make(State, m.Leaves())
		s[g.n.Offset] = rng.Int64N(13) - 3
		for _, v := range g.reals {
			switch x := (rng.Float64() - 0.5) * math.Pow(10, float64(rng.IntN(6))-2); rng.IntN(8) {
			case 0:
				s[v.Offset] = rng.Int64N(2*v.Type.Hi+1) - v.Type.Hi
			case 1:
				s[v.Offset] = []int64{0, Undef, 1, v.Type.Hi}[rng.IntN(4)]
			default:
				s[v.Offset], _ = v.Type.Nearest(x)
			}
		}
		a, x := g.number(3, s)
		b, y := g.number(2, s)
		to := g.reals[rng.IntN(len(g.reals))]
		op := ops[rng.IntN(len(ops))]
		addStart(m)
		rule := addRule(m, "r", &RealExpr{Op: op, X: a, Y: b}, &Assign{LHS: ref(to), RHS: &RealExpr{Op: "round", X: b, T: to.Type}})
		next, holds, errs := slices.Clone(s), false, false
		if u, ok := x(); !ok {
			errs = true
		} else if w, ok := y(); !ok {
			errs = true
		} else if holds = compare[op](u, w); holds {
			z, ok := stored(to.Type, w)
			if next[to.Offset], _ = to.Type.Nearest(z); !ok {
				errs = true
			}
		}
		got, enabled, v := Compile(m).NewMachine().Fire(s, Choice{Rule: 0})
		switch {
		case errs != (v != nil), !errs && enabled != holds, !errs && holds && !slices.Equal(got, next):
			t.Fatalf("seed %d: %s %s %s in %v: %v %v %v, want %v, errs: %v", seed, Text(a), op, Text(b), s, got, enabled, v, next, errs)
		}
		w := reference.NewWalker(m)
		did := w.Fire(s, rule, nil)
		switch {
		case errs != (did.Prop >= 0), !errs && did.Holds != holds:
			t.Fatalf("seed %d: %s %s %s in %v: %+v of the walker, want %v, errs: %v", seed, Text(a), op, Text(b), s, did, next, errs)
		case !errs && holds && w.Value(to.Offset) != next[to.Offset]:
			t.Fatalf("seed %d: %s in %v: the walker has %d, want %d", seed, Text(b), s, w.Value(to.Offset), next[to.Offset])
		}
		switch {
		case errs:
			count["errs"]++
		case holds:
			count["fired"]++
		}
	}
	if count["errs"] < 300 || count["fired"] < 1000 {
		t.Errorf("%v", count)
	}
}
