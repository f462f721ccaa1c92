package portfolio

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestEveryLiteral opens sizes that are numbers in the text, if they are nothing but sizes.
func TestEveryLiteral(t *testing.T) {
	text := `type P: scalarset(3); S: enum {out, in};
var s: array [P] of S; n: 0..3; last: 1..3;
startstate begin for i: P do s[i] := out; end; n := 0; last := 1; end;
ruleset i: P do
  rule "enter" s[i] = out COND ==> begin s[i] := in; n := n + 1; end;
  rule "leave" s[i] = in ==> begin s[i] := out; n := n - 1; end;
end;
ruleset p: 1..3 do rule "turn" p != last ==> begin last := p; end; end;
`
	one := strings.Replace(text, "COND", "& forall j: P do s[j] = out end", 1) + "invariant n <= 1;\n"
	for _, c := range []struct{ name, text, claim, obstacle string }{
		{"a scalarset", one, "every P_SIZE ≥ 2\n  in the text with, at 1:19: P: scalarset(P_SIZE) in place of scalarset(3); 3 stays at 2:30, 2:42, 8:15", ""},
		{"a range", strings.Replace(one, "scalarset(3)", "0..2", 1), "every P_SIZE ≥ 2\n  in the text with, at 1:12: P: 0..P_SIZE - 1 in place of 0..2", ""},
		// The 3 of n is how many components there are: at 4 it is too small.
		{"a number elsewhere", strings.Replace(text, "COND", "", 1), "", "violated at P_SIZE=4"},
		// It is a component, too.
		{"a component", strings.Replace(one, "scalarset(3)", "1..3", 1) + "invariant s[3] = out | n = 1;\n", "", "3 as the size of P, 1:12: m.m:10:12: 3 is no component"},
		{"values of data", `type V: 0..1; var v: V; ruleset w: V do startstate v := w; end; rule v != w ==> v := w; end; end;`, "", "every needs a constant"},
		{"a number", strings.NewReplacer("scalarset(3)", "0..2", "for i: P do s[i] := out; end;", "for i: P do s[i] := out; n := i; end;").Replace(one), "", "every needs a constant"},
	} {
		file := filepath.Join(t.TempDir(), "m.m")
		if err := os.WriteFile(file, []byte(c.text), 0o644); err != nil {
			t.Fatal(err)
		}
		e := &Every{File: file, Literals: true, Most: 5}
		if err := e.Run(context.Background()); err != nil {
			t.Fatal(err)
		}
		got := strings.ReplaceAll(e.Obstacle(), filepath.Dir(file)+"/", "")
		if e.Violated {
			got = "violated at " + e.Sizes[len(e.Sizes)-1].Title()
		}
		if proved := e.Proved != nil; proved != (c.claim != "") || proved && !strings.HasPrefix(e.Claim(), c.claim) || !strings.Contains(got, c.obstacle) {
			t.Errorf("%s: proved is %v, %s, %q", c.name, proved, e.Claim(), got)
		}
		if e = (&Every{File: file, Most: 3}); e.Open(context.Background()) != nil || len(e.Free) > 0 {
			t.Errorf("%s: %v is opened without being asked", c.name, e.Free)
		}
	}
}
