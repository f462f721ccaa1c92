package task_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"orbitmc/internal/task"
)

// TestNotShown: a run without symmetry names the first text that keeps it from being shown.
func TestNotShown(t *testing.T) {
	file := filepath.Join(t.TempDir(), "order.m")
	const src = `type P: scalarset(3); Q: scalarset(2);
var a: array [P] of boolean; q: Q;
function f(): P;
begin
  for p: P do if a[p] then return p; end; end;
  error "none";
end;
startstate begin for p: P do a[p] := true; end; undefine q; end;
rule "r" a[f()] := true; end;
ruleset x: Q do rule "s" q := x; end; end;`
	if err := os.WriteFile(file, []byte(src), 0o666); err != nil {
		t.Fatal(err)
	}
	x, err := task.Open(t.Context(), file, task.Options{})
	if err != nil {
		t.Fatal(err)
	}
	why := x.NotShown()
	if len(why) != 1 || !strings.HasPrefix(why[0], "P: "+file+":5:") || !strings.Contains(why[0], "a loop returns what is no constant") {
		t.Errorf("%q", why)
	}
}
