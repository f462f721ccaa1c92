package litmus

import (
	"os"
	"strings"
	"testing"

	"orbitmc/encode/murphi"
)

// TestGuessLiteral: a rule that stores a literal is no store of a test, and no guess is made; one that clears data is let be.
func TestGuessLiteral(t *testing.T) {
	const text = `type P: scalarset(2); V: 0..2; var mem: V; val: array [P] of V; st: array [P] of enum {I, M};
startstate mem := 0; for p: P do st[p] := I; undefine val[p]; end; end;
ruleset p: P; v: V do rule "store" st[p] = M ==> val[p] := v; end; end;
ruleset p: P do rule "get" st[p] = I & forall q: P do st[q] = I end ==> st[p] := M; val[p] := mem; end;
rule "drop" st[p] = M ==> mem := val[p]; st[p] := I; val[p] := 0; end;
rule "odd" st[p] = M ==> BODY end; end;`
	for body, want := range map[string]string{
		"mem := val[p]; st[p] := I; val[p] := 0;": "",
		"val[p] := 1;":                    `rule "odd" at 6:`,
		"val[p] := 1 - val[p];":           `rule "odd" at 6:`,
		"alias d: val[p] do d := 2; end;": `rule "odd" at 6:`,
	} {
		m, err := murphi.Parse("m.m", []byte(strings.Replace(text, "BODY", body, 1)), murphi.Options{})
		if err != nil {
			t.Fatal(err)
		}
		if _, err := Guess(m); want == "" && err != nil || want != "" && (err == nil || !strings.HasPrefix(err.Error(), want)) {
			t.Errorf("%s: %v, want %q", body, err, want)
		}
	}
}

// TestGuess compares guesses with mappings that were made by hand before: of our models, and of public ones, where they are.
func TestGuess(t *testing.T) {
	const course = "core Proc; value Value; initial HomeNode.val; load for n when STATES gives Procs[n].val; "
	guessed := 0
	for _, c := range []struct{ file, states, want string }{
		{"murphi/german.m", "", `core NODE; value DATA; initial MemData; load for i when Cache[i].State = S | Cache[i].State = E gives Cache[i].Data; store rule "Store" for i puts d`},
		{"murphi/moesi.m", "", `core NODE; value DATA; initial MemData; load for i when State[i] = M | State[i] = O | State[i] = E | State[i] = S gives Data[i]; store rule "Store" for i puts d`},
		{"murphi/flash_data.m", "", `core NODE; value DATA; initial MemData; load for n when Cache[n].State = S | Cache[n].State = E gives Cache[n].Data; store rule "Store" for n puts d; without rule "HomeStore"`},
		{"fresh/hcyang99__msi.m", "P_Modified P_Shared", course + `store rule "Store Hit" for n puts v`},
		{"fresh/danielyu925__File_msi_opt.m", "P_M P_E P_S", course + `store rule "store hit M" for n puts v; store rule "store at E" for n puts v`},
		{"fresh/zzyyds__Murphi3.1_eecs570_sample_MESI_Protocal.m", "P_S P_E P_M", course + `store rule "store from M to M " for n puts v`},
		{"fresh/TianfengChen__msi.m", "PM PS", course + `store rule "store new value" for n puts v`},
		{"fresh/jcp419__eecs570_sample_twostate.m", "P_S P_M", course + `store rule "store in invalid (goes to modified)" for n puts v until Procs[n].state = P_M; ` +
			`store rule "store in shared (goes to modified)" for n puts v until Procs[n].state = P_M; store rule "store in modified (stays modified)" for n puts v`},
		{"fresh/ruxinzh__msi.m", "PM PS", course + `store rule "write request PI" for n puts v until Procs[n].state = PM; store rule "write request PM" for n puts v; ` +
			`store rule "upgrade request" for n puts v until Procs[n].state = PM`},
		{"fresh/wshenyi__mesi.m", "", "no rule is seen to store"}, // a store has no data
		{"fresh/tersiteab__msi.m", "", "no rule is seen to store"},
	} {
		path := "../../benchmarks/" + c.file
		if strings.HasPrefix(c.file, "fresh/") {
			path = "../../../shared/models/murphi/" + c.file
		}
		src, err := os.ReadFile(path)
		if os.IsNotExist(err) && strings.HasPrefix(c.file, "fresh/") {
			continue
		}
		if err != nil {
			t.Fatal(err)
		}
		m, err := murphi.Parse(c.file, src, murphi.Options{})
		if err != nil {
			t.Fatal(err)
		}
		got, err := Guess(m)
		if err != nil {
			if !strings.HasPrefix(err.Error(), c.want) {
				t.Errorf("%s: %v", c.file, err)
			}
			continue
		}
		guessed++
		states := "Procs[n].state = " + strings.ReplaceAll(c.states, " ", " | Procs[n].state = ")
		want := strings.Replace(strings.ReplaceAll(c.want, "; ", "\n"), "STATES", states, 1) + "\n"
		if got != want {
			t.Errorf("%s: got\n%swant\n%s", c.file, got, want)
		}
		if _, err := ParseMapping("guess", got); err != nil {
			t.Error(err)
		}
	}
	t.Logf("%d guessed", guessed)
}
