package litmus

import (
	"context"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"orbitmc/encode/murphi"
	"orbitmc/internal/explicit"
	"orbitmc/internal/lists"
	"orbitmc/model"
)

// TestClassics compares what SC and TSO allow with what is published: herd's models, and table 1 of Owens, Sarkar and Sewell.
func TestClassics(t *testing.T) {
	relaxed := []string{"SB", "R"} // on TSO
	for _, x := range Classics() {
		for _, tso := range []bool{false, true} {
			seen := slices.ContainsFunc(x.Outcomes(tso), x.Holds)
			if want := tso && slices.Contains(relaxed, x.Name); seen != want {
				t.Errorf("%s, TSO %v: the outcome is allowed: %v", x.Name, tso, seen)
			}
		}
	}
	for name, n := range map[string][2]int{"MP": {3, 3}, "SB": {3, 4}, "IRIW": {15, 15}, "LB": {3, 3}, "2+2W": {3, 3}, "CoRR": {3, 3}} {
		i := slices.IndexFunc(Classics(), func(x *Test) bool { return x.Name == name })
		if x := Classics()[i]; len(x.Outcomes(false)) != n[0] || len(x.Outcomes(true)) != n[1] {
			t.Errorf("%s: %d and %d outcomes, want %v", name, len(x.Outcomes(false)), len(x.Outcomes(true)), n)
		}
	}
}

func TestParse(t *testing.T) {
	const sb = "P0: x = 1; fence; EAX = y | P1: y = 1; fence; EAX = x"
	for _, c := range []struct{ text, want string }{
		{"X86 SB\n{ x=0; }\n P0          | P1          ;\n MOV [x],$1  | MOV [y],$1  ;\n MFENCE | MFENCE ;\n MOV EAX,[y] | MOV EAX,[x] ;\nexists (0:EAX=0 /\\ 1:EAX=0)", sb},
		{"AArch64 MP\n\"PodWW Rfe\"\nOrig=x\n{\n0:X1=x; 0:X3=y;\n1:X1=y; 1:X3=x;\n}\n P0          | P1          ;\n MOV W0,#2   | LDR W0,[X1] ;\n STR W0,[X1] | LDR W2,[X3] ;\n MOV W2,#1   |             ;\n STR W2,[X3] |             ;\n~exists (1:X0=1 /\\ 1:X2=0)",
			"P0: x = 2; y = 1 | P1: r0 = y; r2 = x"},
		{"ARM S\n{\n%x0=x; %y1=y;\n}\n P0 | P1 ;\n MOV R0, #1 | LDR R0, [%y1] ;\n STR R0, [%x0] | DMB ;\nexists (1:R0=1 \\/ ~ (x=1))", "P0: x = 1 | P1: r0 = y; fence"},
		{"PPC L\n{0:r2=x; 1:r2=x;}\n P0 | P1 ;\n li r1,1 | lwz r3,0(r2) ;\n stw r1,0(r2) | sync ;\nforall (1:r3=1)", "P0: x = 1 | P1: r3 = x; fence"},
		{"C LB\n{}\nP0 (volatile int* y,volatile int* x) {\n  int r0 = *x;\n  atomic_thread_fence(memory_order_consume);\n  *y = 1;\n}\n\nP1 (volatile int* y) {\n  atomic_thread_fence(memory_order_seq_cst);\n  int r1 = *y;\n}\nexists (0:r0=1 /\\ y=1)",
			"P0: r0 = x; y = 1 | P1: fence; r1 = y"},
		{"X86_64 A\n{ int x=0; [y]=0; uint64_t z; 0:RBX=y;\n}\n P0 ;\n MOV RAX,[x] ; (* MOV [y],$1 ;\nexists (x=1) *)\n MOV [RBX],$2 ;\nlocations [x;y;]\nnot exists (0:EAX=0 /\\ 0:RAX=0)", "P0: EAX = x; y = 2"},
		{"AArch64 R\n{\n0:X1=x; 0:X0=3;\n}\n P0 | P1 ;\n STLR W0,[X1] | ;\n LDR W2,[X1] | ;\n LDAR W3,[X1] | ;\n LDAR W4,[X1] | ;\n", "P0: x = 3; r2 = x; fence; r3 = x; r4 = x | P1: "},
		{"litmus own\n-- exists (x=1)\nP0: x = 1; fence\nP1:\n", "P0: x = 1; fence | P1: "},
		{"litmus own\n-- a remark\nP0: x = 1; fence\nP1: r0 = x\n", "P0: x = 1; fence | P1: r0 = x"},
	} {
		x, err := Parse("t.litmus", c.text)
		if err != nil {
			t.Errorf("%s: %v", c.want, err)
		} else if got := strings.Join(x.Programs(), " | "); got != c.want {
			t.Errorf("got %s, want %s", got, c.want)
		}
	}
	for text, want := range map[string]string{
		"":                                          "t.litmus:1:1: expected 'litmus NAME'",
		"MIPS SB\n":                                 "t.litmus:1:1: MIPS is no architecture",
		"litmus a\nP0: x = y\n":                     "t.litmus:2:5: expected a load",
		"litmus a\nP1: x = 1\n":                     "t.litmus:2:1: expected 'P0: …'",
		"litmus a\nP0: r0 = x; r0 = y\n":            "core 0 loads into r0 twice",
		"litmus a\nP0: x = 1\nexists (0:r1=1)":      "the condition is about 0:r1",
		"litmus a\nP0: x = 1\nexists (y=1)":         "the condition is about y",
		"litmus a\nP0: x = 1\nexists (x=1 and y=1)": "t.litmus:3:1: expected comparisons",
		"ARM a\n{0:R1=x;}\n P0 | P1 ;\n EOR R2,R0,R0 | ;\n":                                 "t.litmus:4:2: this is no load",
		"ARM a\n{0:R1=x;0:R5=y;}\n P0 | P1 ;\n LDR R0,[R1] | ;\n STR R0,[R5] | ;\n":         "t.litmus:5:2: what is stored is no number",
		"litmus a\nP0: r0 = x; r1 = r0\n":                                                   "t.litmus:2:13: expected a load",
		"litmus a\nP0: r0 = 1; r1 = x\n":                                                    "t.litmus:2:5: expected a load",
		"litmus a\nP0: x = 99999999999\n":                                                   "t.litmus:2:5: 99999999999 is too large",
		"litmus a\nP0: fence\n":                                                             "the test has no load and no store",
		"litmus a\nP0: x = 1\nnot (x=1)\n":                                                  "t.litmus:3:1: expected 'P1: …'",
		"litmus a\nP0: x = 1\nexist (x=1)\n":                                                "t.litmus:3:1: expected 'P1: …'",
		"litmus a\nP0: x = 1\nexists (x=1)\nexists (x=0)\n":                                 "t.litmus:4:1: expected comparisons",
		"litmus a\nP0: x = 1\nexists (x=99999999999)\n":                                     "t.litmus:3:1: expected comparisons",
		"X86 a { x=1; }\n P0 ;\n MOV [x],$1 ;\n":                                            "t.litmus:1:1: expected 'litmus NAME'",
		"X86 a\n{ x=1; }\n P0 ;\n MOV [x],$1 ;\n":                                           "t.litmus:2:3: expected the address or the number",
		"X86 a\n{ x=y; }\n P0 ;\n MOV [x],$1 ;\n":                                           "t.litmus:2:3: expected the address or the number",
		"X86 a\n{ 0:RAX=1; 0:EAX=2; }\n P0 ;\n MOV [x],$1 ;\n":                              "t.litmus:2:12: 0:EAX is there twice",
		"X86 a\n{} P0 ;\n MOV [x],$1 ;\n":                                                   "t.litmus:2:3: expected a new line",
		"X86 a\n P0 ;\n MOV [x],$1 ;\n":                                                     "t.litmus:1:1: there is no '{…}'",
		"X86 a\n{}\n P0 ;\n MOV [x],$1\n":                                                   "t.litmus:4:2: expected a line with a cell for each core",
		"X86 a\n{}\n P0 | P1 ;\n MOV [x],$1 | MOV [y],$1 ;\n MOV [x],$2 ;\n":                "t.litmus:5:2: expected a line with a cell for each core",
		"X86 a\n{}\n P0 | P2 ;\n MOV [x],$1 | MOV [y],$1 ;\n":                               "t.litmus:3:7: expected P1",
		"X86 a\n{}\n P0 ;\n MOV [x],$1 ;\n MOV EAX,[x] ;\n MOV EAX,$2 ;\nexists (0:EAX=2)":  "t.litmus:6:2: core 0 has loaded EAX before",
		"X86 a\n{}\n P0 ;\n MOV EAX,[x] ;\n MOV RAX,[y] ;\n":                                "core 0 loads into EAX twice",
		"X86 a\n{}\n P0 ;\n MOV EAX,[EBX] ;\n":                                              "t.litmus:4:2: EBX holds no address",
		"X86 a\n{}\n P0 ;\n MOV x,$1 ;\n":                                                   "t.litmus:4:2: this is no load",
		"X86 a\n{}\n P0 ;\n MOV AL,[x] ;\n":                                                 "t.litmus:4:2: this is no load",
		"X86 a\n{}\n P0 ;\n XCHG [x],EAX ;\n":                                               "t.litmus:4:2: this is no load",
		"X86 a\n{}\n P0 ;\n MOV [x],$1 ;\nlocations [x;] |\nexists (x=1)":                   "t.litmus:5:1: expected a line with a cell",
		"X86 a\n{}\n P0 ;\n MOV [x],$1 ;\nfilter (x=1)\nexists (x=1)":                       "t.litmus:5:1: expected a line with a cell",
		"X86 a\n{}\n P0 ;\n MOV [x],$1 ;\nexists (x=1 => x=2)":                              "t.litmus:5:1: expected comparisons",
		"AArch64 a\n{0:X1=x;}\n P0 ;\n LDR X2,[X1] ;\n LDR W3,[X2] ;\n":                     "t.litmus:5:2: X2 holds no address",
		"AArch64 a\n{0:X1=x;}\n P0 ;\n LDR X2,[X4] ;\n":                                     "t.litmus:4:2: X4 holds no address",
		"AArch64 a\n{0:X1=x;0:X2=x;}\n P0 ;\n STR X2,[X1] ;\n":                              "t.litmus:4:2: what is stored is no number",
		"AArch64 a\n{0:X1=x;}\n P0 ;\n LDADD W2,W3,[X1] ;\n":                                "t.litmus:4:2: this is no load",
		"C a\n{ x=1; }\nP0 (int* x) {\n  *x = 1;\n}\n":                                      "t.litmus:2:3: expected the address or the number",
		"C a\n{}\nP0 (int* x) { *x = 1; }\n":                                                "t.litmus:3:1: expected a line 'P0",
		"C a\n{}\nP0 (atomic_int* x) {\n  *x = 1;\n}\n":                                     "t.litmus:3:1: expected a line 'P0",
		"C a\n{}\nP0 (int* x) {\n  int r0 = *x;\n  int r1 = r0;\n}\n":                       "t.litmus:5:3: expected a load",
		"C a\n{}\nP0 (int* x) {\n  r0 = 1;\n}\n":                                            "t.litmus:4:3: expected a load",
		"C a\n{}\nP0 (int* x) {\n  atomic_thread_fence(memory_order_acquire); *x = 1;\n}\n": "t.litmus:4:3: expected a load",
		"C a\n{}\nP0 (int* x) {\n  *x = 1;\n":                                               "expected '}'",
		"C a\n{}\nP0 (int* x) {\n  *x = 1;\n}\n*x = 2;\n":                                   "t.litmus:6:1: expected a line 'P1",
	} {
		if _, err := Parse("t.litmus", text); err == nil || !strings.HasPrefix(err.Error(), want) && !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %s", text, err, want)
		}
	}
}

// TestConditions holds conditions against what they mean.
func TestConditions(t *testing.T) {
	for text, want := range map[string][4]bool{ // of r0=0 r1=0, r0=0 r1=1, r0=1 r1=0, r0=1 r1=1
		`0:r0=1 \/ 0:r0=0 /\ 0:r1=1`:     {false, true, true, true},
		`(0:r0=1 \/ 0:r0=0) /\ 0:r1=1`:   {false, true, false, true},
		`~0:r0=1 /\ 0:r1=1`:              {false, true, false, false},
		`~(0:r0=1 /\ 0:r1=1)`:            {true, true, true, false},
		`0:r1=1 \/ (~ (0:r0=1 \/ x=0))`:  {false, true, false, true},
		`0:r0=0 /\ 0:r1=0 \/ 0:r1=1`:     {true, true, false, true},
		"0:r0=0\n/\\ 0:r1=0\n\\/ 0:r1=1": {true, true, false, true},
	} {
		x, err := Parse("t", "litmus a\nP0: r0 = x; r1 = y\nexists "+text)
		if err != nil {
			t.Fatal(text, err)
		}
		for i, w := range want {
			o := Outcome{int64(i / 2), int64(i % 2)}
			for range x.memory {
				o = append(o, 0)
			}
			if x.Holds(o) != w {
				t.Errorf("%s of %v: %v", text, o, !w)
			}
		}
	}
}

// TestHerd reads HeteroGen's tests, where they are.
func TestHerd(t *testing.T) {
	var files []string
	filepath.Walk(os.Getenv("ORBITMC_LITMUS"), func(path string, _ os.FileInfo, err error) error {
		if err == nil && strings.HasSuffix(path, ".litmus") {
			files = append(files, path)
		}
		return nil
	})
	if os.Getenv("ORBITMC_LITMUS") == "" || files == nil {
		t.Skip("ORBITMC_LITMUS is not set")
	}
	for _, f := range files {
		text, err := os.ReadFile(f)
		if err != nil {
			t.Fatal(err)
		}
		if strings.HasPrefix(string(text), "\"") { // one has no head
			continue
		}
		x, err := Parse(f, string(text))
		if strings.Contains(string(text), "x=1 ;") { // one has an address that is not 0 at first
			if err == nil {
				t.Errorf("%s is read", f)
			}
		} else if err != nil {
			t.Error(err)
		} else if x.Quantifier == "" {
			t.Errorf("%s: no condition", f)
		}
	}
	t.Logf("%d tests", len(files))
}

// lazy is a protocol that breaks SC: a store is written through, and other copies are dropped later.
const lazy = `
const N: %d;
type Proc: scalarset(N); Value: scalarset(3);
var mem: Value; valid: array[Proc] of boolean; late: array[Proc] of boolean; val: array[Proc] of Value;
ruleset v: Value do startstate begin mem := v; for p: Proc do valid[p] := false; late[p] := false; undefine val[p]; end; end; end;
procedure set(p: Proc; v: Value); begin valid[p] := true; val[p] := v; late[p] := false; end;
ruleset p: Proc do
  rule "fetch" !valid[p] ==> begin set(p, mem); end;
  rule "drop" late[p] ==> begin valid[p] := false; undefine val[p]; late[p] := false; end;
  ruleset v: Value do
    rule "store" begin mem := v; set(p, v); for q: Proc do if q != p & valid[q] then %s end; end; end;
  end;
end;
`

const lazyMap = `
core Proc
value Value
initial mem
load for p when valid[p] gives val[p]
store rule "store" for p puts v
`

// ends returns how a test ends on a product, by explicit search.
func ends(t *testing.T, p *Product) []string {
	t.Helper()
	m, err := murphi.Parse("p.m", p.Text, murphi.Options{Deadlock: model.DeadlockOff})
	if err != nil {
		t.Fatalf("%v\n%s", err, p.Text)
	}
	code := model.Compile(m)
	found, err := explicit.Run(context.Background(), code, explicit.Options{Canon: explicit.Exact, Whole: true, Blocks: lists.Map(m.Scalarsets, func(y *model.Type) [][]int {
		return [][]int{lists.Make(int(y.Card()), func(i int) int { return i })}
	})})
	if err != nil || !found.Complete {
		t.Fatal(found, err)
	}
	for _, v := range found.Violations {
		if m.Props[v.Prop].Kind == model.RuntimeError {
			t.Errorf("%s\n%s", m.Props[v.Prop].Name, p.Text)
		}
	}
	all := map[string]bool{}
	packer, s := model.NewPacker(m), make(model.State, m.Leaves())
	machine := code.NewMachine()
	for i := range found.Seen.Len() {
		packer.Unpack(found.Seen.Member(i), s)
		if holds, _ := machine.Holds(s, slices.IndexFunc(m.Props, func(q *model.Property) bool { return q.Name == "done" }), nil); holds {
			all[p.Test.Text(p.Outcome(m, s))] = true
		}
	}
	return slices.Sorted(maps.Keys(all))
}

// apart reports whether all that the parts of a product claim holds.
func apart(t *testing.T, p *Product, opt murphi.Options) bool {
	t.Helper()
	parts, err := p.Parts()
	if err != nil || len(parts) != len(p.Test.Addresses) {
		t.Fatal(len(parts), err)
	}
	for _, q := range parts {
		m, err := murphi.Parse("q.m", q.Text, opt)
		if err != nil {
			t.Fatalf("%v\n%s", err, q.Text)
		}
		found, err := explicit.Run(context.Background(), model.Compile(m), explicit.Options{Canon: explicit.Exact, Blocks: lists.Map(m.Scalarsets, func(y *model.Type) [][]int {
			return [][]int{lists.Make(int(y.Card()), func(i int) int { return i })}
		})})
		if err != nil {
			t.Fatal(err)
		}
		if !found.Complete || len(found.Violations) > 0 {
			return false
		}
	}
	return true
}

// withDone adds a cover that says when the test has ended.
func withDone(p *Product) *Product {
	text := string(p.Text)
	at := strings.Index(text, "invariant \"only outcomes")
	cond, _, _ := strings.Cut(text[at+len("invariant \"only outcomes of SC\" "):], " ->")
	p.Text = append(p.Text, "cover \"done\" "+strings.TrimPrefix(cond, "\" ")+";\n"...)
	return p
}

// TestMappings shows what is refused.
func TestMappings(t *testing.T) {
	src := []byte(fmt.Sprintf(lazy, 2, "late[q] := true;"))
	m, err := murphi.Parse("lazy.m", src, murphi.Options{})
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ old, new, want string }{
		{"core Proc", "core Prok", "map:2:1: the model has no simple type Prok; did you mean Proc?"},
		{"core Proc", "", "map:1:1: there is no line 'core …'"},
		{"core Proc", "cores Proc", "map:2:1: expected 'core TYPE'"},
		{"initial mem", "initial memo", "memo"},
		{"gives val[p]", "puts val[p]", "map:5:1: a load has 'gives EXPR'"},
		{"gives val[p]", "gives vals[p]", "map:5:1: vals is not declared"},
		{"when valid[p] ", "when valid[p ", "map:5:1: expected"},
		{"when valid[p] ", "when !valid[p]) | (valid[p] ", "map:5:1: expected expressions whose parentheses"},
		{"gives val[p]", "gives val[p]; valid[p] := false", "map:5:1: expected expressions whose parentheses"},
		{"load for p when valid[p] gives val[p]", "", "map:1:1: no line says where a load is performed"},
		{`"store"`, `"stores"`, "rule \"store\" chooses a Value"},
		{`rule "store" for p`, `rule "store" for q`, "map:6:1: there is no rule \"store\" with parameters or aliases q"},
		{"for p when", "for p at a when", "map:5:1: 'at NAME' goes with"},
		{"initial mem", "initial mem\ninitial mem", "map:5:1: there are two lines 'initial …'"},
		{"initial mem", "initial mem\nwithout rule \"dorp\"", "map:5:1: there is no rule \"dorp\""},
		{`rule "store"`, `rule ""`, "map:6:1: expected"},
		{"puts v", "puts v\nload rule \"store\" for p gives mem", "map:7:1: rule \"store\" is a store, and no store"},
		{"puts v", "puts v until valid[p]\nstore rule \"store\" for p puts v until late[p]", "map:7:1: another line ends with 'until'"},
		{"puts v", "puts v\nfence rule \"drop\" for p", "map:7:1: rule \"drop\" is a fence for one address, the fences of SB+fences are for 2"},
	} {
		text := strings.Replace(lazyMap, c.old, c.new, 1)
		if text == lazyMap {
			t.Fatal(c.old)
		}
		in, err := ParseMapping("map", text)
		if err == nil {
			var p *Product
			if p, err = New(src, m, in, Classics()[2], false); err == nil {
				_, err = murphi.Parse("p.m", p.Text, murphi.Options{})
				err = p.Explain(err)
			}
		}
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %s", c.new, err, c.want)
		}
	}
	in, _ := ParseMapping("map", lazyMap)
	for _, name := range []string{"v1", "core0", "pc1", "out0", "any_v1", "P0_r0", "Address", "last"} {
		x, err := Parse("t", "litmus t\nP0: "+name+" = 1; r0 = "+name+"\n")
		if err != nil {
			t.Fatal(err)
		}
		if _, err := New(src, m, in, x, false); err == nil || !strings.Contains(err.Error(), "choose another name for the address "+name) {
			t.Errorf("%s: %v", name, err)
		}
	}
	for text, want := range map[string]string{
		"--@ litmus core Proc\n /* old:\n--@ litmus value Value */": "m.m:2:2: in this comment are lines of a mapping",
		"var x: 0..1; --@ litmus core Proc":                         "m.m:1:14: a line of the mapping begins with",
		"\n-- @litmus core Proc":                                    "m.m:2:1: a line of the mapping begins with",
		"--@ litmuscore Proc":                                       "m.m:1:1: a line of the mapping begins with",
	} {
		if _, err := Embedded("m.m", text); err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("%s: %v, want %s", text, err, want)
		}
	}
	if text, err := Embedded("m.m", "-- /* \nvar s: 0..1;\n--@ litmus core Proc\nput \"/*\";\n"); err != nil || text != "\n\n           core Proc\n\n" {
		t.Errorf("%q, %v", text, err)
	}
	for _, x := range Classics() {
		if x.Name != "IRIW" {
			continue
		}
		if _, err := New(src, m, in, x, false); err == nil || !strings.Contains(err.Error(), "Proc has 2 cores, the test needs 4: -D N=4") {
			t.Error(err)
		}
	}
}

// TestModels shows which models are refused, and that others mean the same in each copy.
func TestModels(t *testing.T) {
	const start = "ruleset v: Value do startstate begin mem := v;"
	in, err := ParseMapping("map", lazyMap)
	if err != nil {
		t.Fatal(err)
	}
	x, err := Parse("t", "litmus t\nP0: x = 1; r0 = y\nP1: y = 1; r0 = x\n")
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		want  string   // "": the outcomes of the protocol; else an error
		edits []string // what becomes what
	}{
		{"v is the name of a state variable or procedure", []string{"procedure set", "function v(): Value; begin return mem; end; procedure set"}},
		{"mem is the name of a state variable", []string{"late[p] ==> begin", "late[p] ==> var mem: 0..1; begin"}},
		{"mem is the name of a state variable", []string{"late[p] ==> begin", "late[p] ==> const mem: 1; begin"}},
		{"mem is the name of a state variable", []string{"late[p] ==> begin", "late[p] ==> type t: record a: enum {mem, own}; end; begin"}},
		{"late is the name of a state variable", []string{"for q: Proc do if", "for k: enum {late} do end; for q: Proc do if", "late[q] := true;", ""}},
		{"names that begin with Litmus_", []string{"var mem", "type Litmus_x: 0..1; var mem"}},
		{"rules with priorities are not copied", []string{`rule "drop"`, `rule 1 "drop"`}},
		{"several start states are not copied", []string{start, "startstate begin clear mem; end; " + start}},
		{"a start state with return is not copied", []string{start, start + " if v != v then return; end;"}},
		{"that has no type is not copied", []string{start, "ruleset v: Value; k := 0 to 3 do startstate begin mem := v;"}},
		{"rule \"home\" chooses a Value and is no store", []string{`rule "fetch"`, `ruleset v: Value do rule "home" begin mem := v; end; end; rule "fetch"`}},
		{"rule \"home\" chooses a Value and is no store", []string{"var mem", "type Other: Value; var mem", `rule "fetch"`, `ruleset v: Other do rule "home" begin mem := v; end; end; rule "fetch"`}},
		// the same protocol, written otherwise
		{"", []string{"var mem", "var more: record late: 0..1; end; var mem", start, start + " more.late := 0;"}},
		{"", []string{`rule "fetch"`, `alias mine: mem do rule "fetch"`, "set(p, mem); end;", "set(p, mine); end; end;"}},
		{"", []string{`rule "store"`, `rule "store" v != v ==> begin end; rule "store"`}},
		{"", []string{start, "alias m: mem do ruleset v: Value do startstate begin m := v;", "undefine val[p]; end; end; end;", "undefine val[p]; end; end; end; end;"}},
		{"", []string{`rule "store" begin`, `rule "store" v = v | v != v ==> begin`}},
		{"", []string{"procedure set", "function home(): Value; begin return mem; end; procedure set", "set(p, mem)", "set(p, home())"}},
		{"", []string{"procedure set", "procedure copy(var have, get: Value); begin get := have; end; procedure set", "set(p, mem)", "copy(mem, val[p]); set(p, val[p])"}},
	} {
		src := fmt.Sprintf(lazy, 2, "late[q] := true;")
		for i := 0; i < len(c.edits); i += 2 {
			if !strings.Contains(src, c.edits[i]) {
				t.Fatal(c.edits[i])
			}
			src = strings.Replace(src, c.edits[i], c.edits[i+1], 1)
		}
		m, err := murphi.Parse("lazy.m", []byte(src), murphi.Options{})
		if err != nil {
			t.Errorf("%q: %v", c.edits, err)
			continue
		}
		p, err := New([]byte(src), m, in, x, true)
		if c.want != "" {
			if err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("%q: %v, want %s", c.edits, err, c.want)
			}
			continue
		}
		if err != nil {
			t.Errorf("%q: %v", c.edits, err)
		} else if got, want := ends(t, withDone(p)), byHand(x, 2, true, false); !slices.Equal(got, want) {
			t.Errorf("%q:\n%q of the product,\n%q by hand", c.edits, got, want)
		}
	}
}

// TestWhen is about a store whose data is there only where its condition holds.
func TestWhen(t *testing.T) {
	src := []byte(strings.Replace(fmt.Sprintf(asked, "late[q] := true;"), "Value: scalarset(3)", "Value: enum {d0, d1, d2}", 1))
	in, err := ParseMapping("map", "core Proc\nvalue Value\ninitial mem\nload for p when valid[p] gives val[p]\nwithout rule \"store\"\nstore rule \"fetch\" for p when asks[p] puts what[p]\n")
	if err != nil {
		t.Fatal(err)
	}
	m, err := murphi.Parse("m.m", src, murphi.Options{})
	if err != nil {
		t.Fatal(err)
	}
	p, err := New(src, m, in, Classics()[0], false)
	if err != nil {
		t.Fatal(err)
	}
	ends(t, withDone(p)) // no error in a guard
}

// TestFenceRule: a fence waits for its rule, also of a core in order. In lazy only a core with a late copy can drop it.
func TestFenceRule(t *testing.T) {
	// A fence that is a step, and the only way in which the step happens: it is one of the part, too.
	stale := []byte(strings.Replace(strings.Replace(fmt.Sprintf(lazy, 2, "valid[q] := false; undefine val[q]; late[q] := false;"), "var mem", "var old, mem", 1),
		`rule "drop" late[p] ==>`, `rule "sync" valid[p] ==> begin val[p] := old; end; rule "drop" late[p] ==>`, 1))
	stale = []byte(strings.Replace(string(stale), "begin mem := v;", "begin old := v; mem := v;", 1))
	m0, err := murphi.Parse("m.m", stale, murphi.Options{})
	if err != nil {
		t.Fatal(err)
	}
	in0, err := ParseMapping("map", lazyMap+"fence rule \"sync\" for p\nwithout rule \"sync\"\n")
	if err != nil {
		t.Fatal(err)
	}
	x0, err := Parse("t", "litmus t\nP0: x = 1\nP1: r0 = x; fence; r1 = x\n")
	if err != nil {
		t.Fatal(err)
	}
	p0, err := New(stale, m0, in0, x0, false)
	if err != nil {
		t.Fatal(err)
	}
	if got := ends(t, withDone(p0)); !slices.Contains(got, "1:r0=1; 1:r1=0") || apart(t, p0, murphi.Options{Deadlock: model.DeadlockOff}) {
		t.Errorf("a fence that is a step: %q", got)
	}
	src := []byte(fmt.Sprintf(lazy, 2, "late[q] := true;"))
	m, err := murphi.Parse("m.m", src, murphi.Options{})
	if err != nil {
		t.Fatal(err)
	}
	x, err := Parse("t", "litmus t\nP0: x = 1\nP1: r0 = x; fence; r1 = x\n")
	if err != nil {
		t.Fatal(err)
	}
	for rule, want := range map[string]string{"": "[1:r0=0; 1:r1=0 1:r0=0; 1:r1=1 1:r0=1; 1:r1=1]", "fence rule \"drop\" for p\n": "[1:r0=0; 1:r1=1]"} {
		in, err := ParseMapping("map", lazyMap+rule)
		if err != nil {
			t.Fatal(err)
		}
		for _, buffered := range []bool{false, true} {
			p, err := New(src, m, in, x, buffered)
			if err != nil {
				t.Fatal(err)
			}
			if got := fmt.Sprint(ends(t, withDone(p))); got != want {
				t.Errorf("%q, buffers %v: %s, want %s", rule, buffered, got, want)
			}
		}
	}
}

// TestUndefined is about memory that holds nothing at first.
func TestUndefined(t *testing.T) {
	src := []byte(strings.Replace(fmt.Sprintf(lazy, 2, "late[q] := true;"), "begin mem := v;", "begin undefine mem;", 1))
	in, err := ParseMapping("map", lazyMap)
	if err != nil {
		t.Fatal(err)
	}
	m, err := murphi.Parse("m.m", src, murphi.Options{})
	if err != nil {
		t.Fatal(err)
	}
	p, err := New(src, m, in, Classics()[0], false)
	if err != nil {
		t.Fatal(err)
	}
	if m, err = murphi.Parse("p.m", p.Text, murphi.Options{Deadlock: model.DeadlockOff}); err != nil {
		t.Fatal(err)
	}
	found, err := explicit.Run(context.Background(), model.Compile(m), explicit.Options{Canon: explicit.None})
	if err != nil || len(found.Violations) == 0 || !strings.Contains(found.Violations[0].Trace.Violation.Message, "undefined") {
		t.Errorf("%+v, %v", found, err)
	}
}

// TestStarts is about a protocol in which each address has a place from the start, which need not be that of the other.
func TestStarts(t *testing.T) {
	const src = `type Proc: scalarset(2); Value: scalarset(2);
var mem, junk: Value; at: Proc;
ruleset v: Value; w: Value; p: Proc do startstate begin mem := v; junk := w; at := p; end; end;
ruleset p: Proc; v: Value do rule "store" at = p ==> begin mem := v; end; end;
`
	in, err := ParseMapping("map", "core Proc\nvalue Value\ninitial mem\nload for p when at = p gives junk\nstore rule \"store\" for p puts v\n")
	if err != nil {
		t.Fatal(err)
	}
	m, err := murphi.Parse("m.m", []byte(src), murphi.Options{})
	if err != nil {
		t.Fatal(err)
	}
	for text, want := range map[string]string{
		"P0: r0 = x\nP1: y = 1; r0 = y": "0:r0=0; 1:r0=0, 0:r0=0; 1:r0=1, 0:r0=1; 1:r0=0, 0:r0=1; 1:r0=1",
		"P0: x = 1; y = 1":              "the end",
	} {
		x, err := Parse("t", "litmus t\n"+text)
		if err != nil {
			t.Fatal(err)
		}
		p, err := New([]byte(src), m, in, x, false)
		if err != nil {
			t.Fatal(err)
		}
		if got := strings.Join(ends(t, withDone(p)), ", "); got != want {
			t.Errorf("%s: %s, want %s", text, got, want)
		}
	}
}
