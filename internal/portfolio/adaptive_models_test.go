package portfolio

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"orbitmc/internal/explicit"
	"orbitmc/internal/task"
	"orbitmc/internal/testkit/nightly"
	"orbitmc/mc"
)

// edit replaces text of a model that must be there.
type edit struct{ old, new string }

// withdraws is a node that takes back requests that were not looked at yet.
const (
	germanOdd = `
rule "Withdraw" Chan1[1].Cmd != Empty ==>
begin
  Chan1[1].Cmd := Empty;
end;
`
	msiOdd = `
rule "Withdraw" Req[1] = GetS & State[1] = IS_D ==>
begin
  Req[1] := NoReq;
  State[1] := I;
end;
`
	flashOdd = `
rule "Withdraw" UniMsg[1].Cmd = Get & !InvMarked[1] ==>
begin
  UniMsg[1].Cmd := NoUni;
  Want[1] := Idle;
end;
`
)

// unevenModels are protocols of which one node may do more than the others, or in which nodes with
// small numbers are served first.
var unevenModels = []struct {
	name, file string
	odd        bool
	edits      []edit
	sizes      []string // by default the first one
}{
	{"german, odd node", "german_range.m", true, []edit{{"\n--------------------------------------------------------------------- properties", germanOdd + "\n---"}}, []string{"3", "4"}},
	{"german, priority", "german_range.m", false, []edit{{`CurCmd = Empty & Chan1[i].Cmd != Empty`, `CurCmd = Empty & Chan1[i].Cmd != Empty & forall j: NODE do j < i -> Chan1[j].Cmd = Empty end`}}, []string{"3", "4"}},
	{"msi_dir, odd node", "msi_dir_range.m", true, []edit{{"\n---------------------------------------------------------------------- directory", msiOdd + "\n---"}}, []string{"3", "4"}},
	{"msi_dir, priority", "msi_dir_range.m", false, []edit{{`"GetM, memory answers" Req[i] = GetM & !Busy & !Dirty`, `"GetM, memory answers" Req[i] = GetM & !Busy & !Dirty & forall j: NODE do j < i -> Req[j] != GetM end`}}, []string{"3", "4"}},
	{"flash, odd node", "flash.m", true, []edit{{"scalarset(NODE_NUM)", "1..NODE_NUM"}, {"\n-------------------------------------------------------------- requests, at Home", flashOdd + "\n---"}}, []string{"2", "3"}},
	{"flash, priority", "flash.m", false, []edit{{"scalarset(NODE_NUM)", "1..NODE_NUM"}, {`UniMsg[n].Cmd = GetX & !Pending & (Dirty -> Local & HomeCache = E)`, `UniMsg[n].Cmd = GetX & !Pending & (Dirty -> Local & HomeCache = E) & forall m: NODE do m < n -> UniMsg[m].Cmd != GetX end`}}, []string{"2", "3"}},
}

// TestAdaptiveModels compares adaptive search with exact search on protocols that are not quite
// symmetric, and with the symmetric protocol.
func TestAdaptiveModels(t *testing.T) {
	for _, u := range unevenModels {
		src, err := os.ReadFile("../../benchmarks/murphi/" + u.file)
		if err != nil {
			t.Fatal(err)
		}
		text := string(src)
		for k, e := range u.edits {
			if !strings.Contains(text, e.old) {
				t.Fatalf("%s: edit %d does not apply", u.name, k)
			}
			text = strings.Replace(text, e.old, e.new, 1)
		}
		file := filepath.Join(t.TempDir(), "uneven.m")
		if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		for k, size := range u.sizes {
			if k > 0 && !nightly.On() || testing.Short() {
				continue
			}
			run := func(file string, how task.Options) (*task.Task, *mc.Result) {
				how.Symmetry, how.Defines = "auto", append(how.Defines, "NODE_NUM="+size)
				x, err := task.Open(context.Background(), file, how)
				if err != nil {
					t.Fatal(err)
				}
				out, err := Run(context.Background(), x, []mc.Engine{&explicit.Engine{Canon: explicit.Exact}}, Options{})
				if err != nil || out.Crash != nil {
					t.Fatal(u.name, err, out)
				}
				if out.Result.Verdict() != mc.Safe {
					t.Errorf("%s, %s nodes: %v", u.name, size, out.Result.Verdict())
				}
				return x, out.Result
			}
			_, full := run("../../benchmarks/murphi/"+u.file, task.Options{})
			_, exact := run(file, task.Options{})
			x, adaptive := run(file, task.Options{Adaptive: "always"})
			a, e, f := adaptive.Stats.States, exact.Stats.States, full.Stats.States
			t.Logf("%-20s %s nodes: %7d annotated, %7d orbits, %7d orbits if all nodes were alike: %.2f, %.2f", u.name, size, a, e, f, float64(a)/float64(e), float64(a)/float64(f))
			if x.Broken == nil || a > e {
				t.Errorf("%s: %d annotated states, %d orbits", u.name, a, e)
			}
			if u.odd && float64(a) > 1.3*float64(f) {
				t.Errorf("%s: %d annotated states, %d orbits if all nodes were alike", u.name, a, f)
			}
		}
	}
}
