package bmc_test

import (
	"testing"

	"orbitmc/aig"
	"orbitmc/encode/cnf"
	"orbitmc/encode/murphi"
	"orbitmc/ts"
)

// boxes has multisets that elements are put into and taken from in any order. It errs when
// both hold an element that came after another one.
const boxes = `
type P: scalarset(2); M: record first: boolean; end;
var box: array [P] of multiset[2] of M; n: 0..3;
procedure send(q: P; first: boolean);
var m: M;
begin m.first := first; multisetadd(m, box[q]); end;
startstate begin undefine box; n := 0; end;
ruleset q: P do
  rule "send" n < 3 & multisetcount(i: box[q], true) = 0 ==> begin send(q, true); n := n + 1; end;
  rule "second" multisetcount(i: box[q], true) = 1 & n = 2 ==> begin send(q, false); end;
end;
ruleset p: P do choose i: box[p] do
  rule "take" n > 0 & box[p][i].first ==> begin multisetremove(i, box[p]); n := n - 1; end;
end; end;
invariant "two" exists p: P do multisetcount(i: box[p], !box[p][i].first) = 0 end;
`

// TestLeastSlots compares the depth at which boxes errs, as the rules of soundness give it,
// with what comes of a representative predicate under permutations of slots where new
// elements fill the least free ones.
func TestLeastSlots(t *testing.T) {
	p := parse(t, boxes, murphi.Options{})
	enc := p.Enc
	prop := propNamed(t, p.Model, "two")
	const depth, bound = 4, 7
	if d := check(t, p, prop, bound); d != depth {
		t.Fatalf("bmc finds the error at depth %d, want %d", d, depth)
	}
	all := trusted(enc)
	kept := enc.KeepingSlots(all)
	if len(all.Blocks) != 2 || len(kept.Blocks) != 1 || kept.Blocks[0].Name != "P" {
		t.Fatalf("of %v the blocks %v keep slots", all.Blocks, kept.Blocks)
	}
	least := func(f *cnf.Frames, d int) aig.Lit { return f.Copy(d, enc.LeastSlots()) }
	for _, c := range []struct {
		name   string
		y      *ts.Symmetry
		assert func(f *cnf.Frames, d int) aig.Lit
		wrong  bool
	}{
		{"slots are permuted", all, nil, false},
		{"least slots", kept, least, false},
		{"least slots, which are permuted", all, least, true},
	} {
		for name, rep := range map[string]predicate{"frontier": frontier(nice(t, c.y)), "backward": backward(nice(t, c.y))} {
			d := search(t, enc, bound, ask{prop: prop, assume: rep, assert: c.assert})[0]
			if (d != depth) != c.wrong {
				t.Errorf("%s, %s: depth %d", c.name, name, d)
			}
		}
	}
}
