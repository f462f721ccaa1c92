package certfile_test

import (
	"bytes"
	"context"
	"fmt"
	"math/rand/v2"
	"regexp"
	"slices"
	"strings"
	"testing"

	"orbitmc/aig"
	"orbitmc/internal/certfile"
	"orbitmc/internal/certify"
	"orbitmc/internal/testkit/mctest"
	"orbitmc/internal/testkit/tstest"
	"orbitmc/mc"
	"orbitmc/mc/evidence"
	"orbitmc/ts"
)

// TestCertificates: certificates are read as they were written and accepted like
// the proofs; mutated ones are refused, with a position, unless they prove what is
// true.
func TestCertificates(t *testing.T) {
	position := regexp.MustCompile(`^c\.cert:\d+:\d+: `)
	accepted, syntax, wrong, harmless := 0, 0, 0, 0
	for seed := range uint64(200) {
		rng := rand.New(rand.NewPCG(seed, 41))
		c := tstest.Random(rng)
		s := tstest.Explore(c.Sys)
		p := mctest.Problem(c)
		var safe []int
		for i, d := range s.Depth {
			if d < 0 {
				safe = append(safe, i)
			}
		}
		if len(safe) == 0 {
			continue
		}
		f := &evidence.Proof{Props: safe, K: 1, Clauses: mctest.Outside(c.Sys, s.Reachable)}
		if !c.Broken {
			f.Group = &ts.Symmetry{Blocks: []ts.Block{{Name: "cell", Elems: []int{0, 1, 2}[:len(c.Swaps)+1], Swaps: c.Swaps}}}
			f.Clauses = f.Clauses[:len(f.Clauses)*3/4] // perhaps enough with their images
		}
		if _, err := certify.New(context.Background(), p).Check(f, safe[0]); err != nil {
			f = &evidence.Proof{Props: safe, K: 1, Circuit: reachable(c.Sys, s)}
		}
		if f.Group != nil && p.Groups[safe[0]] != nil {
			f.K = 2
			f.Distinct = []evidence.Distinct{{I: 0, J: 1}, {I: 1, J: 2}, {I: 0, J: 2, Perm: c.Swaps[0]}}
			if _, err := certify.New(context.Background(), p).Check(f, safe[0]); err != nil {
				f.Distinct = f.Distinct[:2]
			}
		}
		r := mc.NewResult("x", p)
		for _, i := range safe {
			r.Props[i].Status, r.Props[i].Proof = mc.Safe, f
		}
		cert := certfile.New(r)
		cert.Options = [][2]string{{"D", `N="2"`}, {"dialect", "rumur"}}
		var b bytes.Buffer
		if err := cert.Write(&b, certify.New(context.Background(), p)); err != nil {
			t.Fatal(err)
		}
		text := b.String()
		check := func(text string) ([]int, error) {
			read, err := certfile.Read("c.cert", []byte(text), p)
			if err != nil {
				if !position.MatchString(err.Error()) {
					t.Fatalf("seed %d: no position: %v", seed, err)
				}
				syntax++
				return nil, err
			}
			props, how, err := read.Check(certify.New(context.Background(), p))
			if err != nil {
				if !position.MatchString(err.Error()) {
					t.Fatalf("seed %d: no position: %v", seed, err)
				}
				wrong++
				return nil, err
			}
			if len(how) != len(read.Proofs) {
				t.Fatalf("seed %d: %d proofs, %q", seed, len(read.Proofs), how)
			}
			return props, nil
		}
		if props, err := check(text); err != nil || !slices.Equal(props, safe) {
			t.Fatalf("seed %d: %v, %v\n%s", seed, props, err, text)
		}
		accepted++
		read, err := certfile.Read("c.cert", []byte(text), p)
		if err != nil {
			t.Fatal(err)
		}
		var again bytes.Buffer
		if err := read.Write(&again, certify.New(context.Background(), p)); err != nil || again.String() != text {
			t.Fatalf("seed %d: written again it differs: %v\n%s\n%s", seed, err, text, again.String())
		}
		lines := strings.SplitAfter(text, "\n")
		for range 12 {
			mutated := slices.Clone(lines)
			i, j := rng.IntN(len(lines)-1), rng.IntN(len(lines)-1)
			words := strings.Fields(mutated[i])
			switch rng.IntN(6) {
			case 0:
				mutated = slices.Delete(mutated, i, i+1)
			case 1:
				mutated[i], mutated[j] = mutated[j], mutated[i]
			case 2:
				k := rng.IntN(len(words))
				if words[k] = "!" + words[k]; strings.HasPrefix(words[k], "!!") {
					words[k] = words[k][2:]
				}
				mutated[i] = strings.Join(words, " ") + "\n"
			case 3:
				mutated[i] = strings.Join(words[:len(words)-1], " ") + "\n"
			case 4:
				k := rng.IntN(len(mutated[i]))
				mutated[i] = mutated[i][:k] + string(rune(33+rng.IntN(90))) + mutated[i][k+1:]
			case 5:
				other := strings.Fields(lines[j])
				words[rng.IntN(len(words))] = other[rng.IntN(len(other))]
				mutated[i] = strings.Join(words, " ") + "\n"
			}
			props, err := check(strings.Join(mutated, ""))
			if err != nil {
				continue
			}
			harmless++
			for _, q := range props {
				if s.Depth[q] >= 0 {
					t.Fatalf("seed %d: property %d, violated at depth %d, is certified by\n%s", seed, q, s.Depth[q], strings.Join(mutated, ""))
				}
			}
		}
	}
	t.Logf("%d accepted; mutated: %d malformed, %d wrong, %d accepted of what is true", accepted, syntax, wrong, harmless)
	if accepted < 50 || syntax < 300 || wrong < 50 {
		t.Error("too few of a kind")
	}
}

// reachable returns the reachable states as a circuit.
func reachable(sys *ts.System, s *tstest.Space) *evidence.Circuit {
	c := &evidence.Circuit{G: aig.New(), Out: aig.False}
	for range sys.Latches {
		c.Latches = append(c.Latches, c.G.Input())
	}
	for x, ok := range s.Reachable {
		if !ok {
			continue
		}
		var cube []aig.Lit
		for i, l := range c.Latches {
			cube = append(cube, l.NotIf(x>>i&1 == 0))
		}
		c.Out = c.G.Or(c.Out, c.G.AndN(cube))
	}
	return c
}

// TestCertificateErrors: malformed certificates are refused at the place of the
// mistake.
func TestCertificateErrors(t *testing.T) {
	g := aig.New()
	a, b, x := g.Input(), g.Input(), g.Input()
	sys := &ts.System{G: g, W: aig.True,
		Latches: []ts.Latch{{Name: "a", Node: a.Node(), Reset: aig.False, Next: a}, {Name: "b c", Node: b.Node(), Reset: aig.False, Next: g.And(b, x)}},
		Inputs:  []ts.Signal{{Name: "x", Node: x.Node()}},
		Bads:    []ts.Bad{{Name: "p", Lit: g.And(a, b)}, {Name: "p", Lit: g.Or(a, b), Prop: 1}},
	}
	p := &mc.Problem{OfNetlist: mc.OfNetlist{Netlist: sys}, WellFormed: true, Props: []int{0, 1}}
	const head = "orbitmc-certificate 1\nsystem 2 latches 1 inputs 0 initial inputs\n"
	for _, c := range []struct{ text, want string }{
		{head + "proof #0 #1\nk 1\nclause !\"a\"\nclause !\"b c\"\nend\n", ""},
		{head + "permutation 1\n  latch \"a\" !\"a\"\nproof #0\nk 1\ndistinct 0 1 1\nend\n", "c:5:1: the proof of \"p\" is wrong: the permutation 1 is no symmetry: reset of a: the permutation is not a symmetry"},
		{head + "proof #0\nk 1\nclause \"a\"\nend\n", "c:3:1: the proof of \"p\" is wrong: the invariant does not hold in a reset state"},
		{"orbitmc-certificate 2\n", `c:1:1: the first line is not "orbitmc-certificate 1"`},
		{"orbitmc-certificate 1\n", "c:2:1: the certificate has no end"},
		{"orbitmc-certificate 1\noption D N=2\n", "c:2:10: an option has a name and a value in quotes"},
		{"orbitmc-certificate 1\nsystem 3 latches 1 inputs 0 initial inputs\n", "c:2:1: the model has another system: system 2 latches 1 inputs 0 initial inputs"},
		{head + "proof \"p\"\n", `c:3:7: there is no property "p"`},
		{head + "proof\nk 1\nend\n", "c:3:6: a proof of no property"},
		{head + "proof #0\nend\n", "c:4:1: k is expected"},
		{head + "proof #0\nk 0\nend\n", `c:4:3: "0" is no k`},
		{head + "proof #0\nk 1\ndistinct 0 2\nend\n", `c:5:12: "2" is no later frame`},
		{head + "proof #0\nk 1\ndistinct 0 1 1\nend\n", `c:5:14: "1" is no permutation`},
		{head + "proof #0\nk 1\nclause \"b c\nend\n", "c:5:8: a name is not ended"},
		{head + "proof #0\nk 1\nclause \"b\" \"a\"\nend\n", `c:5:8: there is no latch "b"`},
		{head + "proof #0\nk 1\nclause\nend\n", "c:5:7: a clause without literals"},
		{head + "proof #0\nk 1\nand 1 \"a\" 2\ncircuit 1\nend\n", "c:5:11: there is no latch, input or AND 2"},
		{head + "proof #0\nk 1\nand 1 \"a\" \"b c\"\nend\n", "c:6:1: circuit is expected"},
		{head + "permutation 1\n  latch \"a\" \"b c\"\nproof #0\nk 1\nend\n", "c:3:1: permutation 1: latch 1 has no or a repeated image"},
		{head + "proof #0\nk 1\norbit !\"a\"\nend\n", "c:5:1: an orbit without a block or a group"},
		{head + "proof #0\nk 1\nblock 1\nend\n", `c:5:7: "1" is no permutation`},
		{head + "permutation 1\nproof #0\nk 1\nblock\nend\n", `c:6:6: "" is no permutation`},
		{head + "permutation 1\n  latch \"a\" \"b c\"\n  latch \"b c\" \"a\"\nproof #0 #1\nk 1\ngroup 1\nclause !\"a\"\nend\n", "c:6:1: the proof of \"p\" is wrong: the permutation 1 is no symmetry: next of a: the permutation is not a symmetry"},
		{head + "proof #0\nk 1\nfoo\nend\n", `c:5:1: "foo" is not expected here`},
		{head + "proof #0\nk 1\nend\nend\n", "c:6:1: there is more after the end"},
		{head + "end\n", "c:3:1: the certificate proves nothing"},
	} {
		cert, err := certfile.Read("c", []byte(c.text), p)
		if err == nil {
			_, _, err = cert.Check(certify.New(context.Background(), p))
		}
		if got := fmt.Sprint(err); got != c.want && !(err == nil && c.want == "") {
			t.Errorf("%q:\ngot  %s\nwant %s", c.text, got, c.want)
		}
	}
}
