package murphi

import (
	"os"
	"path/filepath"
	"regexp"
	"testing"

	"orbitmc/model"
)

// line is where the name of a property without a name of its own, or of a second
// one of the same name, says on which line it stands; twice, where another is so named.
var line = regexp.MustCompile(`(@\d+(:\d+)*)+`)

// checkFormat checks that a readable model is the same after printing, and that
// printing what was printed changes nothing.
func checkFormat(t *testing.T, file string, src []byte, opt Options) {
	m, err := Parse("f.m", src, opt)
	if err != nil {
		return
	}
	text, err := Format("f.m", src, opt.Dialect)
	if err != nil {
		t.Fatalf("%s: %v", file, err)
	}
	again, err := Parse("f.m", text, opt)
	if err != nil {
		t.Fatalf("%s, printed: %v\n%s", file, err, text)
	}
	want, got := line.ReplaceAllString(dump(m), "@"), line.ReplaceAllString(dump(again), "@")
	if got != want {
		t.Fatalf("%s is another model after printing:\n%s\nwas\n%s", file, got, want)
	}
	if twice, err := Format("f.m", text, opt.Dialect); err != nil || string(twice) != string(text) {
		t.Fatalf("%s: printing again gives %v\n%s\nnot\n%s", file, err, twice, text)
	}
}

// TestFormatModels prints every model at hand.
func TestFormatModels(t *testing.T) {
	files, err := filepath.Glob("testdata/ok/*.m")
	ours, err2 := filepath.Glob("../../benchmarks/murphi/*.m")
	if err != nil || err2 != nil || len(files) == 0 || len(ours) == 0 {
		t.Fatal("no models")
	}
	public, _ := filepath.Glob("../../../shared/models/murphi/*/*.m")
	for _, file := range append(append(files, ours...), public...) {
		src, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		checkFormat(t, file, src, Options{})
		checkFormat(t, file, src, Options{Dialect: model.Rumur})
	}
}

// TestFormat gives a text and its layout.
func TestFormat(t *testing.T) {
	const src = `const N:0x10;M:N+1;type E:enum{A,B,};R:record x,y:0..N-1;s:record b:boolean end endrecord;
U:union{E,S,};Net:multiset[N]of array[E]of R; var a,b:boolean; -- lost
var n:Net procedure P(var x:E;y,z:0..1;)var l:boolean;begin x:=A;P(x,y,undefined)end
function F():E;begin return A endfunction
procedure Q(a:record b:boolean c:0..1 end;c:array[0..1]of multiset[2]of scalarset(3);var d:union{E,enum{D}});end;
startstate“s\t\"”a:=!(!b=a)&(a|b)->-(-(1))*2<3;a:=UNDEFINED;end;
alias q:a;r:b;do ruleset i:0..1;j:=1 to 3 by 2 do choose k:n do rule 3"r"!a==>if a then return;elsif b then else clear a;end;
switch F()case A,B:put"x";case(a?A:B):put a=b;else error"e";end;for i:0..1 do while a:undefine b end end;
alias x:a do x:=~1<<2^3&4=5 endalias;assert"m"a;assert a;assume"m"a;cover a;multisetadd(a,n);multisetremove(k,n);
multisetremovepred(l:n,true);F();end;end;end;invariant"i"(a&&b)||a;liveness a->b;assume a ? b : a;cover"c"-1=n;
cover"c"forall x:E;y:0..1 do exists z:E do ismember(x,enum{C})&isundefined(n[x].y)end end;
cover multisetcount(z:n,true)=F().x[1];end;
rule"guard"aaaaaaaaaaaaaaaaaaaaaaaaaaaaaa&bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb&(cccccccccccccccc|ddddddddddddddddddddddd)==>end;`
	const want = `const
  N : 0x10;
  M : N + 1;

type
  E : enum {A, B};
  R : record
    x, y : 0..N - 1;
    s : record
      b : boolean;
    end;
  end;
  U : union {E, S};
  Net : multiset [N] of array [E] of R;

var
  a, b : boolean;
  n : Net;

procedure P(var x : E; y, z : 0..1);
var
  l : boolean;
begin
  x := A;
  P(x, y, undefined);
end;

function F() : E;
begin
  return A;
end;

procedure Q(a : record b : boolean; c : 0..1; end; c : array [0..1] of multiset [2] of scalarset(3); var d : union {E, enum {D}});
begin
end;

startstate "s\t\""
begin
  a := !(!(b = a)) & (a | b) -> -(-1) * 2 < 3;
  a := UNDEFINED;
end;

alias q : a; r : b do
  ruleset i : 0..1; j := 1 to 3 by 2 do
    choose k : n do
      rule 3 "r"
        !a
      ==>
      begin
        if a then
          return;
        elsif b then
        else
          clear a;
        end;
        switch F()
        case A, B:
          put "x";
        case (a ? A : B):
          put a = b;
        else
          error "e";
        end;
        for i : 0..1 do
          while a do
            undefine b;
          end;
        end;
        alias x : a do
          x := ~1 << 2 ^ 3 & 4 = 5;
        end;
        assert a "m";
        assert a;
        assume "m" a;
        cover a;
        multisetadd(a, n);
        multisetremove(k, n);
        multisetremovepred(l : n, true);
        F();
      end;
    end;
  end;
  invariant "i" a && b || a;
  liveness a -> b;
  assume a ? b : a;
  cover "c" -1 = n;
  cover "c" forall x : E; y : 0..1 do exists z : E do ismember(x, enum {C}) & isundefined(n[x].y) end end;
  cover multisetcount(z : n, true) = F().x[1];
end;

rule "guard"
  aaaaaaaaaaaaaaaaaaaaaaaaaaaaaa
    & bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb
    & (cccccccccccccccc | ddddddddddddddddddddddd)
==>
begin
end;
`
	got, err := Format("f.m", []byte(src), model.CMurphi)
	if err != nil || string(got) != want {
		t.Errorf("got %v\n%s", err, got)
	}
	if _, err := Format("f.m", []byte("rule"), model.CMurphi); err == nil || err.Error() != "f.m:1:5: expected 'end' of the rule at 1:1, found end of file" {
		t.Errorf("got %v", err)
	}
}
