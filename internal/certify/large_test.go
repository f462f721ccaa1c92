package certify_test

import (
	"bytes"
	"context"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"orbitmc/internal/certfile"
	"orbitmc/internal/certify"
	"orbitmc/internal/testkit/mctest"
	"orbitmc/internal/testkit/tstest"
	"orbitmc/mc"
	"orbitmc/mc/evidence"
	"orbitmc/ts"
)

// TestImagesOnDemand: whether images of clauses are written or added on demand makes no
// difference to what is accepted, of proofs that are right, mutated ones and such of
// properties that are violated.
func TestImagesOnDemand(t *testing.T) {
	accepted, rejected, large, wrong := 0, 0, 0, 0
	for seed := range uint64(600) {
		rng := rand.New(rand.NewPCG(seed, 73))
		c := tstest.RandomOf(rng, 3+rng.IntN(2))
		s := tstest.Explore(c.Sys)
		p := mctest.Problem(c)
		f := &evidence.Proof{K: 1 + rng.IntN(5)/4, Clauses: mctest.Outside(c.Sys, s.Reachable), Group: &ts.Symmetry{Blocks: []ts.Block{{Name: "cell", Swaps: c.Swaps}}}}
		// Clauses of fewer literals that hold all the same, one of each orbit.
		rng.Shuffle(len(f.Clauses), func(i, j int) { f.Clauses[i], f.Clauses[j] = f.Clauses[j], f.Clauses[i] })
		f.Clauses = shorten(c.Sys, s, f.Clauses)
		if n := len(f.Clauses); n > 0 {
			switch i := rng.IntN(n); rng.IntN(4) {
			case 0:
				f.Clauses = slices.Delete(f.Clauses, i, i+1)
			case 1:
				f.Clauses[i][rng.IntN(len(f.Clauses[i]))] ^= 1
			}
		}
		if f.K > 1 && !c.Broken && rng.IntN(2) == 0 {
			f.Distinct = []evidence.Distinct{{I: 0, J: 1, Perm: c.Swaps[rng.IntN(len(c.Swaps))]}, {I: 1, J: 2}}
		}
		prop := rng.IntN(len(s.Depth))
		if rng.IntN(4) > 0 { // one that holds, if there is one
			for q, d := range s.Depth {
				if d < 0 {
					prop = q
				}
			}
		}
		_, want := certify.New(context.Background(), p).Check(f, prop)
		how, err := certify.NewWith(context.Background(), p, imagesOf(0, 1<<20)).Check(f, prop)
		if (err == nil) != (want == nil) && (err != nil || f.Distinct == nil) { // the least path may be one that is not distinct
			t.Fatalf("seed %d: written: %v; on demand: %v", seed, want, err)
		}
		switch {
		case err != nil:
			rejected++
			if s.Depth[prop] >= 0 {
				wrong++
			}
		case s.Depth[prop] >= 0:
			t.Fatalf("seed %d: property %d is violated at depth %d", seed, prop, s.Depth[prop])
		default:
			accepted++
			if strings.Contains(how, "written as needed") {
				large++
			}
		}
	}
	t.Logf("%d accepted, %d of them with images on demand; %d rejected, %d of them of what is violated", accepted, large, rejected, wrong)
	if large < 60 || rejected < 100 || wrong < 30 {
		t.Error("one-sided")
	}
}

// imagesOf are steps that write orbits of so many images, of however few components, and
// so many images in all.
func imagesOf(orbit, all int64) *certify.Variant {
	s := certify.Sound()
	s.SetImages(orbit, all)
	return s
}

// shorten drops literals of clauses as long as they hold in all reachable states, and
// then clauses that follow from others.
func shorten(sys *ts.System, s *tstest.Space, clauses []ts.Clause) []ts.Clause {
	satisfied := func(c []ts.Lit, x int) bool {
		return slices.ContainsFunc(c, func(l ts.Lit) bool { return x>>(l>>1)&1 != int(l&1) })
	}
	done := make([]bool, len(s.Reachable)) // excluded by then
	var out []ts.Clause
	for _, c := range clauses {
		for i := 0; i < len(c); {
			shorter := slices.Delete(slices.Clone(c), i, i+1)
			right := len(shorter) > 0
			for x, ok := range s.Reachable {
				right = right && (!ok || satisfied(shorter, x))
			}
			if right {
				c = shorter
			} else {
				i++
			}
		}
		fresh := false
		for x := range done {
			if !satisfied(c, x) && !done[x] {
				done[x], fresh = true, true
			}
		}
		if fresh {
			out = append(out, c)
		}
	}
	return out
}

// TestLargeCertificates: where images are too many to write, a certificate has one clause
// of each orbit, is read as it was written, accepted, and mutated refused unless what it
// proves is true.
func TestLargeCertificates(t *testing.T) {
	accepted, malformed, wrong, harmless := 0, 0, 0, 0
	for seed := range uint64(300) {
		rng := rand.New(rand.NewPCG(seed, 74))
		c := tstest.RandomOf(rng, 3+rng.IntN(2))
		s := tstest.Explore(c.Sys)
		p := mctest.Problem(c)
		f := &evidence.Proof{K: 1, Clauses: shorten(c.Sys, s, mctest.Outside(c.Sys, s.Reachable)), Group: &ts.Symmetry{Blocks: []ts.Block{{Name: "cell", Swaps: c.Swaps}}}}
		for i, d := range s.Depth {
			if d < 0 {
				f.Props = append(f.Props, i)
			}
		}
		if c.Broken || f.Props == nil || f.Clauses == nil {
			continue
		}
		func() {
			checker := func() *certify.Checker { return certify.NewWith(context.Background(), p, imagesOf(0, 0)) }
			if _, err := checker().Check(f, f.Props[0]); err != nil {
				t.Fatalf("seed %d: %v", seed, err)
			}
			var b bytes.Buffer
			if err := (&certfile.Certificate{Proofs: []*evidence.Proof{f}}).Write(&b, checker()); err != nil {
				t.Fatal(err)
			}
			text := b.String()
			if strings.Contains(text, "\nclause") || !strings.Contains(text, "\norbit") || !strings.Contains(text, "\nblock 1 2") {
				t.Fatalf("seed %d:\n%s", seed, text)
			}
			check := func(text string) (*certfile.Certificate, []int, error) {
				read, err := certfile.Read("c.cert", []byte(text), p)
				if err != nil {
					malformed++
					return nil, nil, err
				}
				props, _, err := read.Check(checker())
				if err != nil {
					wrong++
				}
				return read, props, err
			}
			read, props, err := check(text)
			if err != nil || !slices.Equal(props, f.Props) {
				t.Fatalf("seed %d: %v, %v\n%s", seed, props, err, text)
			}
			accepted++
			var again bytes.Buffer
			if err := read.Write(&again, checker()); err != nil || again.String() != text {
				t.Fatalf("seed %d: written again it differs: %v\n%s\n%s", seed, err, text, again.String())
			}
			lines := strings.SplitAfter(text, "\n")
			for range 12 {
				mutated := slices.Clone(lines)
				i, j := rng.IntN(len(lines)-1), rng.IntN(len(lines)-1)
				words, other := strings.Fields(mutated[i]), strings.Fields(lines[j])
				k := rng.IntN(len(words))
				switch rng.IntN(4) {
				case 0:
					mutated = slices.Delete(mutated, i, i+1)
				case 1:
					if words[k] = "!" + words[k]; strings.HasPrefix(words[k], "!!") {
						words[k] = words[k][2:]
					}
					mutated[i] = strings.Join(words, " ") + "\n"
				case 2:
					mutated[i] = strings.Join(slices.Delete(words, k, k+1), " ") + "\n"
				case 3:
					words[k] = other[rng.IntN(len(other))]
					mutated[i] = strings.Join(words, " ") + "\n"
				}
				_, props, err := check(strings.Join(mutated, ""))
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
		}()
	}
	t.Logf("%d accepted; mutated: %d malformed, %d wrong, %d accepted of what is true", accepted, malformed, wrong, harmless)
	if accepted < 50 || malformed < 200 || wrong < 50 {
		t.Error("too few of a kind")
	}
}

// TestTooManyImages: a proof whose images cannot all be written is not checked image by
// image, and the verdict is undecided; nothing is wrong with it.
func TestTooManyImages(t *testing.T) {
	for seed := range uint64(50) {
		c := tstest.RandomOf(rand.New(rand.NewPCG(seed, 75)), 4)
		s := tstest.Explore(c.Sys)
		p := mctest.Problem(c)
		prop := slices.IndexFunc(s.Depth, func(d int) bool { return d < 0 })
		f := &evidence.Proof{K: 1, Clauses: shorten(c.Sys, s, mctest.Outside(c.Sys, s.Reachable)), Group: &ts.Symmetry{Blocks: []ts.Block{{Name: "cell", Swaps: c.Swaps}}}}
		if c.Broken || prop < 0 || len(f.Clauses) == 0 {
			continue
		}
		for _, full := range []bool{false, true} {
			p.Full = full
			r := mc.NewResult("x", p)
			r.Props[prop].Status, r.Props[prop].Proof = mc.Safe, f
			if err := certify.VerifyWith(context.Background(), p, r, imagesOf(0, 0)); err != nil {
				t.Fatal(err)
			}
			want, stopped := mc.Safe, ""
			if full {
				want, stopped = mc.Unknown, "the proof is too large to check: the clauses have more than 0 images"
			}
			if r.Props[prop].Status != want || r.Stopped != stopped {
				t.Errorf("full %v: %v, %q", full, r.Props[prop].Status, r.Stopped)
			}
		}
		return
	}
	t.Error("no case")
}
