package murphi

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"orbitmc/internal/front"
	"orbitmc/model"
)

// TestIndex: every word of a model that is no keyword has its declaration, and what is said
// of its size is what a packed state takes.
func TestIndex(t *testing.T) {
	files, _ := filepath.Glob("../../benchmarks/murphi/*.m")
	ok, _ := filepath.Glob("testdata/ok/*.m")
	if len(files) < 20 || len(ok) < 5 {
		t.Fatal("no models")
	}
	for _, file := range append(files, ok...) {
		src, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		opt := Options{}
		if strings.Contains(file, ".rumur.") {
			opt.Dialect = model.Rumur
		}
		x := Index(file, src, opt)
		if !x.Whole || slices.ContainsFunc(x.Problems, func(p front.Problem) bool { return !p.Warning }) {
			t.Fatalf("%s: %v", file, x.Problems)
		}
		known := make(map[model.Pos]front.Name)
		for _, n := range x.Names {
			known[n.At.Pos] = n
			if n.About() == "" {
				t.Errorf("%s:%v: nothing is said of %s", file, n.At.Pos, n.Text)
			}
		}
		lex := newLexer(string(src), opt.Dialect, func(model.Pos, string, ...any) {})
		for tok := lex.next(); tok.kind != tEOF; tok = lex.next() {
			n, found := known[tok.pos]
			switch {
			case notNames[strings.ToLower(tok.text)]:
			case tok.kind != tIdent:
				if found {
					t.Errorf("%s:%v: %s is noted as a name", file, tok.pos, tok.text)
				}
			case !found || n.Text != tok.text:
				t.Errorf("%s:%v: %s is noted as %q", file, tok.pos, tok.text, n.Text)
			case n.Decl == (front.Place{}):
				if _, declared := map[string]bool{"boolean": true, "true": true, "false": true}[strings.ToLower(tok.text)]; !declared && model.RealFunctions[tok.text] == 0 {
					t.Errorf("%s:%v: %s has no declaration", file, tok.pos, tok.text)
				}
			case known[n.Decl.Pos].Text != tok.text:
				t.Errorf("%s:%v: %s is declared at %v, where %q stands", file, tok.pos, tok.text, n.Decl.Pos, known[n.Decl.Pos].Text)
			}
		}
		m, err := Parse(file, src, opt)
		if err != nil {
			t.Fatal(err)
		}
		bits := 0
		for _, v := range m.Vars {
			bits += stateBits(v.Type)
		}
		if got := model.NewPacker(m).Size(); (bits+7)/8 != got {
			t.Errorf("%s: %d bits, and a packed state has %d bytes", file, bits, got)
		}
	}
}

// notNames are identifiers that the parser knows by their place.
var notNames = map[string]bool{
	"assume": true, "cover": true, "liveness": true, "choose": true, "endchoose": true, "distribution": true, "real": true, "multiset": true, "undefined": true,
	"multisetadd": true, "multisetcount": true, "multisetremove": true, "multisetremovepred": true,
}

// TestIndent: moving lines changes no token and no comment, twice is once, and our models are
// as deep as this says.
func TestIndent(t *testing.T) {
	files, _ := filepath.Glob("../../benchmarks/murphi/*.m")
	more, _ := filepath.Glob("testdata/*/*.m")
	semantics, _ := filepath.Glob("../../benchmarks/semantics/*.m")
	public, _ := filepath.Glob("/work/shared/models/murphi/*/*.m")
	for _, file := range append(append(append(files, more...), semantics...), public...) {
		src, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		out, err := Indent(file, src, "  ", model.CMurphi)
		if err != nil {
			continue
		}
		if bare(string(out)) != bare(string(src)) {
			t.Errorf("%s has other words after it", file)
		}
		if again, err := Indent(file, out, "  ", model.CMurphi); err != nil || string(again) != string(out) {
			t.Errorf("%s: twice is not once: %v", file, err)
		}
	}
	const rough = `-- a head
const N : 2; -- nodes
	 M : N
      + 1;
type P : scalarset(N);
R : record
a, b : 0..M;
end;
-- the state
var r : array [P] of R;
   /* drawn
        by hand */
procedure clear(var x : R);
var i : 0..M;
begin
-- empty
for i : 0..M do
if i = 0 then x.a := i;
elsif i = 1
then
x.b := i;
else x.a :=
 0;
end;
end;
end;

ruleset p : P do rule "step"
r[p].a = 0 &
( r[p].b = 1
| r[p].b = 2 )
==>
var k : 0..M;
begin
switch k
case 0: clear(r[p]);
case 1:
k := 2;
-- the end
end;
endrule; end;
startstate
for p : P do
clear(r[p]);
end;
end;
invariant "far"
forall p : P do
r[p].a < 3
end
& true;
cover "some"
exists p : P do r[p].a = 1 end;
`
	const smooth = `-- a head
const N : 2; -- nodes
  M : N
    + 1;
type P : scalarset(N);
  R : record
    a, b : 0..M;
  end;
-- the state
var r : array [P] of R;
/* drawn
        by hand */
procedure clear(var x : R);
var i : 0..M;
begin
  -- empty
  for i : 0..M do
    if i = 0 then x.a := i;
    elsif i = 1
      then
      x.b := i;
    else x.a :=
        0;
    end;
  end;
end;

ruleset p : P do rule "step"
  r[p].a = 0 &
    ( r[p].b = 1
      | r[p].b = 2 )
==>
var k : 0..M;
begin
  switch k
  case 0: clear(r[p]);
  case 1:
    k := 2;
    -- the end
  end;
endrule; end;
startstate
  for p : P do
    clear(r[p]);
  end;
end;
invariant "far"
  forall p : P do
    r[p].a < 3
  end
  & true;
cover "some"
  exists p : P do r[p].a = 1 end;
`
	if out, err := Indent("f.m", []byte(strings.ReplaceAll(rough, "\n", "\r\n")), "  ", model.CMurphi); err != nil || string(out) != strings.ReplaceAll(smooth, "\n", "\r\n") {
		t.Errorf("with ends of lines of another system: %v\n%q", err, out)
	}
	out, err := Indent("f.m", []byte(rough), "  ", model.CMurphi)
	if err != nil || string(out) != smooth {
		t.Errorf("%v\n%s", err, out)
	}
}

// TestIndentKeeps: a model that is indented in one way stays as it is, whatever unit the editor has, and a line that is out of
// place is put back.
func TestIndentKeeps(t *testing.T) {
	files, _ := filepath.Glob("testdata/indent/*.m")
	if len(files) < 6 {
		t.Fatal(files)
	}
	for _, file := range files {
		src, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		dialect := model.CMurphi
		if strings.HasSuffix(file, "rumur.m") {
			dialect = model.Rumur
		}
		if _, err := Parse(file, src, Options{Dialect: dialect}); err != nil {
			t.Error(err)
		}
		for _, unit := range []string{"  ", "    ", "\t"} {
			if out, err := Indent(file, src, unit, dialect); err != nil || string(out) != string(src) {
				t.Errorf("%s with %q: %v\n%s", file, unit, err, out)
			}
		}
	}
	for file, lines := range map[string][]string{
		"two.m":  {"cell[n].Cmd := c;", "==>", "cell[n].Dst := n;"},
		"tabs.m": {"x[n] := x[n] + 1;", "y := 0;"},
	} {
		src, _ := os.ReadFile("testdata/indent/" + file)
		for _, line := range lines {
			if strings.Count(string(src), line) != 1 {
				t.Fatalf("%s: %s stands there %d times", file, line, strings.Count(string(src), line))
			}
			for _, blanks := range []string{"", " ", "             "} {
				before, after, _ := strings.Cut(string(src), line)
				rough := strings.TrimRight(before, " \t") + blanks + line + " \t" + after
				if out, err := Indent(file, []byte(rough), "  ", model.CMurphi); err != nil || string(out) != string(src) {
					t.Errorf("%s: %q before %s: %v\n%s", file, blanks, line, err, out)
				}
			}
		}
	}
}

// bare is a text without the blanks at both ends of lines.
func bare(s string) string {
	lines := strings.Split(s, "\n")
	for i := range lines {
		lines[i] = strings.Trim(lines[i], " \t\r\f\v")
	}
	return strings.Join(lines, "\n")
}

// TestIndexWarns: warnings stand beside errors.
func TestIndexWarns(t *testing.T) {
	x := Index("f.m", []byte("var x : 0..3;\nstartstate x := 4; end;"), Options{})
	if len(x.Problems) != 1 || !x.Whole || !x.Problems[0].Warning || x.Problems[0].At.Pos != (model.Pos{Line: 2, Col: 17}) {
		t.Errorf("%v", x.Problems)
	}
}
