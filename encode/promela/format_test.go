package promela_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"testing"
	"time"

	"orbitmc/encode/promela"
	"orbitmc/internal/explicit"
	"orbitmc/internal/prog"
	"orbitmc/internal/testkit/nightly"
	"orbitmc/internal/testkit/promelatest"
	"orbitmc/model"
)

// TestFormat reads programs as they are and as they are printed. They have the same steps, with
// the same numbers, which are taken equally often. Printing a second time changes nothing.
func TestFormat(t *testing.T) {
	compared, searched := 0, 0
	compare := func(file string, src []byte) {
		t.Helper()
		opt := promela.Options{}
		p, err := promela.Parse(file, src, opt)
		if err != nil {
			if file == "words" {
				t.Error(err)
			}
			return
		}
		out, err := promela.Format(file, src, opt)
		if err != nil {
			t.Errorf("%s: %v", file, err)
			return
		}
		q, err := promela.Parse(file, out, opt)
		if err != nil {
			t.Errorf("%s: what is printed is not read: %v\n%s", file, err, out)
			return
		}
		if again, err := promela.Format(file, out, opt); err != nil || string(again) != string(out) {
			t.Errorf("%s: printing again gives %v\n%s\nfrom\n%s", file, err, again, out)
		}
		compared++
		if a, b := steps(p), steps(q); !slices.Equal(a, b) || p.Model.Leaves() != q.Model.Leaves() || len(p.Claims) != len(q.Claims) {
			t.Errorf("%s: the steps are %v, printed %v\n%s", file, a, b, out)
			return
		}
		limited, cancel := context.WithTimeout(context.Background(), time.Second)
		defer cancel()
		search := func(p *prog.Program) *explicit.Result {
			r, err := explicit.Run(limited, model.Compile(p.Model), explicit.Options{All: true, Threads: 1, MemLimit: 1 << 30})
			if err != nil || !r.Complete {
				return nil
			}
			return r
		}
		if a, b := search(p), search(q); a != nil && b != nil {
			searched++
			if a.States != b.States || !slices.Equal(a.FiredBy, b.FiredBy) || a.Deadlocks != b.Deadlocks {
				t.Errorf("%s: %d states, fired %v; printed %d, %v\n%s", file, a.States, a.FiredBy, b.States, b.FiredBy, out)
			}
		}
	}
	files, _ := filepath.Glob("../../benchmarks/promela/*.pml")
	if dir := os.Getenv("ORBITMC_PROMELA"); dir != "" && nightly.On() {
		eachProgram(t, dir, func(file string) { files = append(files, file) })
	}
	for _, f := range files {
		src, err := os.ReadFile(f)
		if err != nil {
			t.Fatal(err)
		}
		compare(f, src)
	}
	n := 100
	if nightly.On() {
		n = 2000
	}
	for seed := range uint64(n) {
		compare("random", []byte(promelatest.Random(rand.New(rand.NewPCG(seed, 3)))))
		src, _ := promelatest.RandomClaims(rand.New(rand.NewPCG(seed, 3)))
		compare("claims", []byte(src))
	}
	compare("words", []byte(words))
	t.Logf("%d programs compared, %d of them by search", compared, searched)
}

// words has what random programs do not have.
const words = `
mtype = { a, b }; mtype = { c }; mtype:fruit = { apple, pear }
#define TWICE(x) x; x
typedef in { unsigned u : 3; short s[2] = 4 }
typedef out { in i[2]; bit b; mtype:fruit f = pear }
typedef msg { byte x; byte y }
out o;
chan ch[2] = [2] of { msg, mtype };
chan d = ch[1]; chan own2 = [1] of { msg };
int list[3] = { 1, -(-2) };
byte n;
never { T0_init: do :: n > 200 -> break :: else od }
inline swap(p, q) { byte t; t = p; p = q; q = t; goto done; done: skip }
proctype P(byte k; chan e) provided (n < 250) {
  byte z = k + 1; msg m; chan own = [1] of { byte };
  { byte z; z = 3; { byte z = 4; z++ } unless { n == 255 } };
  swap(z, n);
  swap(n, z);
  m.x = 1;
  e!m,a; e!!m,b; e?<m,_>; e??m.x,_,eval(a); e?m,_;
  own!!-1; own??-1; own!(!z); own?_;
  if :: ch[0]?[_,_,a] -> skip :: ch[0]??[1,1,b] :: nempty(own) || full(own) -> printf("%d, \"x\"\n", -(-n)); printm(c)
     :: else -> TWICE(o.i[1].s[0]++) fi;
  L: for (z : 1 .. 2) { n = n + (z > 1 -> 2 : ~z) };
  for (z in list) { n = list[z] } unless { n == 254 };
  M: { n = 1 } unless { n == 99; skip };
  n = 2 unless { n == 98 };
  do :: n < 4 -> n++ :: else -> break od unless { n == 97 -> n = 0 };
  select (z : 0 .. n);
  for (m in own2) { skip }
  N: atomic { n == 4 -> d_step { n = 5; n-- } }
  assert(n != 3 && o.f == pear); _ = n;
end: do :: timeout -> break od
}
init { atomic { run P(1, d); _nr_pr == 2 && P[1]@end && P[1]:z > 0 }; n = _pid }
`

// numbered ends the name of a variable that was renamed.
var numbered = regexp.MustCompile(`_\d+\b`)

// steps says what the steps of a program are, without their places.
func steps(p *prog.Program) []string {
	var all []string
	for _, e := range p.Edges {
		s := p.Protos[max(e.Proto, 0)].Name
		for _, q := range e.Parts {
			s += " " + fmt.Sprint(q.Actor, q.ID) + numbered.ReplaceAllString(q.Text, "")
		}
		all = append(all, s)
	}
	return all
}
