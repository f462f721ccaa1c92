package promela

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"orbitmc/internal/front"
	"orbitmc/model"
)

const indexedText = `#define N 2
#define BUSY(c) (len(c) > 0)
mtype = { req, ack };
typedef Msg { byte id; bool last }
chan q = [N] of { mtype, byte };
Msg m;
inline put(t) { q!t,m.id }
active [N] proctype P() {
  byte k = N;
again:
  if
  :: k > 0 -> put(req); k--; goto again
  :: BUSY(q) -> q?ack,k
  :: else -> goto done
  fi;
done:
  assert(k <= N && !m.last)
}
init { run R(1) }
proctype R(byte a) { m.last = a == 1 }
`

// TestIndex: all uses of what is declared in a program are found.
func TestIndex(t *testing.T) {
	x := Index("f.pml", []byte(indexedText), Options{})
	if !x.Whole || len(x.Problems) > 0 {
		t.Fatal(x.Problems)
	}
	uses := make(map[string]int)
	about := make(map[string]string)
	for _, n := range x.Names {
		if n.Decl != (front.Place{File: "f.pml", Pos: n.Decl.Pos}) {
			t.Errorf("%s at %v is declared in %v", n.Text, n.At, n.Decl)
		}
		uses[n.Text]++
		about[n.Text] = n.About()
	}
	for name, want := range map[string]int{"N": 5, "BUSY": 2, "req": 2, "ack": 2, "Msg": 2, "id": 2, "last": 3, "q": 3, "m": 4, "put": 2, "P": 1, "k": 5, "again": 2, "done": 2, "R": 2, "a": 2} {
		if uses[name] != want {
			t.Errorf("%s stands in %d places, want %d", name, uses[name], want)
		}
	}
	for name, want := range map[string]string{
		"N": "#define N 2", "req": "mtype req : message number 2", "Msg": "typedef Msg { byte id; bit last }",
		"q": "chan q\n2 slots of {mtype, byte}", "m": "Msg m\nat most 9 bits of a state", "put": "inline put(t)",
		"P": "active [2] proctype P()", "k": "byte k, of P\nat most 8 bits of a state", "again": "label again of P",
		"R": "proctype R(byte a)", "a": "byte a, of R, a parameter\nat most 8 bits of a state", "id": "byte id, a field",
	} {
		if name != "id" && about[name] != want {
			t.Errorf("of %s it says %q, want %q", name, about[name], want)
		}
	}
	if len(x.Properties) == 0 || x.Properties[0].Pos != (model.Pos{Line: 17, Col: 3}) {
		t.Errorf("properties: %v", x.Properties)
	}
	bad := Index("f.pml", []byte(strings.Replace(indexedText, "k--", "kk--", 1)), Options{})
	if len(bad.Problems) != 1 || bad.Problems[0].At.Pos != (model.Pos{Line: 12, Col: 25}) || len(bad.Names) < 10 {
		t.Errorf("%v", bad.Problems)
	}
}

// TestIndexErrors: an error in a process does not hide those in others, nor their names; one in a declaration
// ends the reading.
func TestIndexErrors(t *testing.T) {
	const text = `byte x;
active proctype P() { byte k; k = y; x = 1 }
inline put(v) { x = v; z = v }
active proctype Q() { byte m; m = 1; if :: m -> put(m) fi; m = ) }
proctype R(byte a) { do :: a > 0 -> a--; fi }
init { x = 2; byte last; last = x; run R(1) }
`
	problems := func(text string) (all []string) {
		x := Index("f.pml", []byte(text), Options{})
		if x.Whole {
			t.Errorf("it is said to be whole: %s", text)
		}
		for _, p := range x.Problems {
			all = append(all, fmt.Sprintf("%d: %s", p.At.Pos.Line, p.Text))
		}
		return all
	}
	got := problems(text)
	if len(got) != 3 || !strings.HasPrefix(got[0], "2: ") || !strings.HasPrefix(got[1], "3: ") || !strings.HasPrefix(got[2], "5: ") {
		t.Errorf("problems: %q", got)
	}
	found := false
	for _, n := range Index("f.pml", []byte(text), Options{}).Names {
		found = found || n.Text == "last"
	}
	if !found {
		t.Error("names behind the errors are missing")
	}
	if got := problems(strings.Replace(text, "inline put(v)", "inline put(", 1)); len(got) != 2 || !strings.HasPrefix(got[1], "3: ") {
		t.Errorf("behind a declaration: %q", got)
	}
	if _, err := Parse("f.pml", []byte(text), Options{}); err == nil || !strings.HasPrefix(err.Error(), "f.pml:2:") {
		t.Errorf("Parse: %v", err)
	}
}

// TestIndent: moving lines changes no token and no comment, and twice is once.
func TestIndent(t *testing.T) {
	ours, _ := filepath.Glob("../../benchmarks/promela/*.pml")
	public, _ := filepath.Glob("/work/shared/models/promela/*/*.pml")
	if len(ours) < 5 {
		t.Fatal("no programs")
	}
	bare := func(s string) string {
		lines := strings.Split(s, "\n")
		for i := range lines {
			lines[i] = strings.Trim(lines[i], " \t\r\f\v")
		}
		return strings.Join(lines, "\n")
	}
	for _, file := range append(ours, public...) {
		src, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		out, err := Indent(file, src, "\t")
		if err != nil {
			continue
		}
		if bare(string(out)) != bare(string(src)) {
			t.Errorf("%s has other words after it", file)
		}
		if again, err := Indent(file, out, "\t"); err != nil || string(again) != string(out) {
			t.Errorf("%s: twice is not once: %v", file, err)
		}
	}
	const rough = `#define X 1 + \
    2
active proctype P()
{
byte k;
/* a loop
     of k */
do
:: k < X ->
k++;
if
:: k == 1 &&
true -> skip
:: else
fi
// the end
:: else -> break
od
}
`
	const smooth = `#define X 1 + \
    2
active proctype P()
{
  byte k;
  /* a loop
     of k */
  do
  :: k < X ->
    k++;
    if
    :: k == 1 &&
        true -> skip
    :: else
    fi
    // the end
  :: else -> break
  od
}
`
	if out, err := Indent("f.pml", []byte(rough), "  "); err != nil || string(out) != smooth {
		t.Errorf("%v\n%s", err, out)
	}
}

// TestIndentKeeps: a program that is indented in one way stays as it is, whatever unit the editor has.
func TestIndentKeeps(t *testing.T) {
	files, _ := filepath.Glob("testdata/indent/*.pml")
	if len(files) < 2 {
		t.Fatal(files)
	}
	for _, file := range files {
		src, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := Parse(file, src, Options{}); err != nil {
			t.Error(err)
		}
		for _, unit := range []string{"  ", "\t"} {
			if out, err := Indent(file, src, unit); err != nil || string(out) != string(src) {
				t.Errorf("%s with %q: %v\n%s", file, unit, err, out)
			}
			rough := strings.Replace(string(src), " k++;", "k++; ", 1)
			rough = strings.Replace(rough, " fi", "              fi \t", 1)
			if out, err := Indent(file, []byte(rough), unit); err != nil || string(out) != string(src) {
				t.Errorf("%s with %q: %v\n%s", file, unit, err, out)
			}
		}
	}
}
