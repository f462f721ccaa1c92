package promela_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"orbitmc/encode/promela"
	"orbitmc/internal/explicit"
	"orbitmc/internal/prog"
	"orbitmc/model"
)

// TestCounts compares small programs, each about one rule of the language, with what SPIN
// 6.5.2 counts in them.
func TestCounts(t *testing.T) {
	for _, c := range []struct {
		name, src string
		want      prog.Counts
	}{
		{"else beside a rendezvous", "chan c = [0] of { byte }; byte x; active proctype A() { if :: c!1 :: else -> x = 2 fi } active proctype B() { byte y; c?y }", prog.Counts{States: 4, Transitions: 4}},
		{"processes end youngest first", "active [2] proctype A() { skip }", prog.Counts{States: 7, Transitions: 9}},
		{"a failing assertion goes on", "active proctype A() { byte x; assert(x == 1); x = 3 }", prog.Counts{States: 4, Transitions: 4, Errors: 1}},
		{"an invalid end", "chan c = [1] of { bit }; active proctype A() { c?1 }", prog.Counts{States: 1, Transitions: 1, Errors: 1}},
		{"a valid end", "chan c = [1] of { bit }; active proctype A() { end: c?1 }", prog.Counts{States: 1, Transitions: 1}},
		{"assignments truncate", "active proctype A() { byte b = 255; short s = 32767; b++; s++; assert(b == 0 && s == -32768) }", prog.Counts{States: 5, Transitions: 5}},
		{"select is a step", "active proctype p() { byte a; select(a : 0 .. 1); a = 3 }", prog.Counts{States: 5, Transitions: 6}},
		{"select is a loop, as the name is not simple", "active proctype p() { byte a_b; select(a_b : 0 .. 1); a_b = 3 }", prog.Counts{States: 8, Transitions: 9}},
		{"an atomic sequence is a step", "byte x; active [2] proctype A() { atomic { x++; x++ } }", prog.Counts{States: 7, Transitions: 9}},
		{"a label before a loop is behind its first value", "active proctype P() { byte i, n; L: for (i : 0 .. 1) { skip }; n++; if :: n < 3 -> goto L :: else fi }", prog.Counts{States: 18, Transitions: 18}},
		{"an escape from a loop is behind its first value", "byte x = 2; active proctype P() { byte i; i = 1; for (i : 0 .. 3) { x++ } unless { x > 1 }; x = 9 }", prog.Counts{States: 6, Transitions: 6}},
		{"else needs no separator", "inline I() { x = 7 } byte x = 1; active proctype P() { do :: x < 3 -> x++ :: else break od; if :: x == 9 :: else I() fi; if :: x == 9 :: else fi }", prog.Counts{States: 10, Transitions: 10}},
		{"an array in a message is its elements", `typedef In { byte k; bit f[2] } typedef M { byte d[3]; In in } chan c = [2] of { byte, M };
			active proctype A() { M m; m.d[1] = 4; m.in.f[1] = 1; c!7,m; m.d[2] = m.d[1] + 1; m.in.k = 9; c!8,m }
			active proctype B() { M m; byte x; c?x,m; assert(x == 7 && m.d[1] == 4 && m.d[2] == 0 && m.in.f[1] == 1 && m.in.k == 0);
				if :: c?[8,0,4,5,9,0,1] :: else fi; c?eval(x+1),m; assert(m.d[2] == 5 && m.in.k == 9) }`, prog.Counts{States: 23, Transitions: 32}},
		{"an atomic sequence that may block behind a run", "proctype T(chan c) { byte y; c?y; c!y } init { chan c = [1] of { byte }; atomic { run T(c); run T(c); c!1; assert(_nr_pr == 3) }; c?2 }", prog.Counts{States: 13, Transitions: 16, Errors: 1}},
		{"channels made in structs", `typedef In { byte x; chan z = [1] of { byte } } typedef Row { chan to[3] = [1] of { byte }; byte n; In in }
			typedef Only { chan to[2] = [0] of { byte, bit } } Row from[2]; Only o;
			proctype P(byte i; chan a, b) { byte v; Only mine; a!i; b?v; from[i].n = v; from[1-i].in.z!v; from[i].in.z?v; assert(v == i);
				if :: i == 0 -> o.to[1]!5,1 :: else -> o.to[1]?v,_; assert(v == 5) fi; assert(len(from[0].to[2]) == 0) }
			init { atomic { run P(0, from[0].to[1], from[1].to[0]); run P(1, from[1].to[0], from[0].to[1]) } }`, prog.Counts{States: 45, Transitions: 67}},
		{"an option is no scope", "active proctype P() { if :: byte v = 3; v++ fi; v++; assert(v == 5) }", prog.Counts{States: 6, Transitions: 6}},
		{"a poll of the first field", "chan c = [1] of { byte, byte }; active proctype A() { c!1,2; c?[1] -> c?_,_ }", prog.Counts{States: 5, Transitions: 5}},
		{"numbers of channels behind processes of several kinds", `chan g = [1] of { chan }; byte seen;
			proctype A() { chan a = [0] of { byte }; chan b = [1] of { byte }; g!b; b?1; g!a; if :: a?2 -> skip :: timeout fi }
			proctype B() { chan c = [0] of { byte }; byte n; n = c; seen = seen + n; g!c; if :: c?3 :: timeout fi }
			proctype C() { chan x; do :: g?x -> if :: x!1 :: x!2 :: x!3 :: timeout -> break fi :: timeout -> break od }
			init { run C(); if :: run A(); run B() :: run B(); run A() fi; run B() }`, prog.Counts{States: 1600, Transitions: 3165, Errors: 20}},
		{"rendezvous channels behind processes of several kinds", `chan g = [0] of { chan };
			proctype A() { chan b = [0] of { byte }; g!b; b!5 }
			proctype B() { chan c[2] = [0] of { byte }; g!c[1]; c[1]!6; g!c[0]; c[0]!7 }
			init { chan m; byte v; if :: run A(); run B() :: run B(); run A() fi; run A(); do :: g?m; m?v; assert(v != 8) :: timeout -> break od }`, prog.Counts{States: 262, Transitions: 390}},
		{"a message that is passed is in its channel", "byte x; chan c = [0] of { byte }; active proctype A() { c!1; x = 1 } active proctype B() provided (empty(c)) { c?1; x = 3 } active proctype C() { c?eval(len(c)) -> x = x + 2 }", prog.Counts{States: 9, Transitions: 10, Errors: 2}},
		{"who passes a message is behind it", "byte x; chan c = [0] of { byte }; active proctype A() { L: do :: c!1 :: x == 3 -> break od; M: c!2 } active proctype B() { c?eval(A@L); x = 3; c?eval(2 * A@L + 2) }", prog.Counts{States: 7, Transitions: 7}},
		{"an escape takes an offer first", "bit b = 1; byte x; chan rv = [0] of { byte }; active proctype P() { rv!1 } active proctype Q() { { rv?eval(b); assert(false) } unless { rv?x } }", prog.Counts{States: 4, Transitions: 4}},
		{"the outer of two escapes takes an offer first", "byte x; chan rv = [0] of { byte }; active proctype P() { rv!1; rv!3 } active proctype Q() { byte y; { x == 0; { rv?y; x = 1; rv?y } unless { rv?3 } } unless { rv?1; x = 5; x = 3 } }", prog.Counts{States: 6, Transitions: 7, Errors: 1}},
		{"a d_step takes an offer", "byte x; chan rv = [0] of { byte }; active proctype P() { end: rv!1 } active proctype Q() { end: d_step { rv?1; x = 3 }; assert(x == 0) }", prog.Counts{States: 5, Transitions: 5, Errors: 1}},
		{"an option of a d_step takes an offer", "byte x; chan rv = [0] of { byte }; active proctype P() { end: rv!1; rv!2 } active proctype Q() { end: do :: d_step { if :: rv?1 -> x = 3; assert(x == 0) :: rv?2 -> x = 4 fi; x++; if :: x == 4 -> x = 7 :: else fi } od }", prog.Counts{States: 3, Transitions: 3, Errors: 1}},
		{"a poll of a rendezvous channel", "chan c = [0] of { byte }; byte x; active proctype A() { c!1 } active proctype B() { if :: c?[1] -> x = 1 :: c?x -> x = 2 fi }", prog.Counts{States: 5, Transitions: 5, Errors: 1}},
		{"a poll before a timeout", "byte x; chan rv = [0] of { byte }; chan q = [1] of { byte }; active proctype P() { rv!1 } active proctype Q() { { atomic { rv?[1]; q?x } } unless { timeout }; skip }", prog.Counts{States: 4, Transitions: 4, Errors: 2}},
		{"the declaration of a struct is a step", "typedef I { byte v; bit f }; active proctype A() { I l; l.v = 2; I k; k.v = 3 }", prog.Counts{States: 5, Transitions: 5}},
		{"the declarations of structs and others in a loop", "typedef J { byte a, b } typedef I { byte q[2]; J w; byte v = 7; bit f } byte g; active proctype A() { I l; byte m; l.v = 2; do :: g < 2 -> I k; I z[2]; k.v = 3; k.q[1] = 5; byte y = 4; y = 6; byte ar[3]; ar[2] = 1; g++ :: else -> break od }", prog.Counts{States: 24, Transitions: 24}},
		{"a list of one value behind a statement", "byte x; active proctype A() { x = 1; byte b[3] = {4}; x = b[0] + b[1] + b[2]; do :: x < 60 -> byte c[2] = {7}; c[1] = c[1] + c[0]; x = x + c[1]; b[1] = 9 :: else -> break od }", prog.Counts{States: 21, Transitions: 21}},
		{"a channel in a field of an mtype", "mtype = { go, here } chan pipe = [1] of { mtype }; chan box[2] = [1] of { mtype }; active proctype A() { pipe!go; pipe!box[1] } active proctype B() { chan c; mtype m; pipe?m; pipe?c; c!here; assert(len(box[1]) == 1) }", prog.Counts{States: 9, Transitions: 9}},
		{"a channel in a field of a byte", "mtype = { go, here } chan pipe = [1] of { byte }; chan box = [1] of { mtype }; active proctype A() { pipe!box } active proctype B() { chan c; pipe?c; c!here; assert(len(box) == 1) }", prog.Counts{States: 7, Transitions: 7}},
		{"a channel is a number", "chan c = [1] of { chan }; chan d = [0] of { byte }; byte z; active proctype A() { byte x; c!d; c?x; z = x; assert(x == 2); c!c; c?x; assert(x == 1) }", prog.Counts{States: 9, Transitions: 9}},
		{"priorities", "byte x; init priority 2 { x = 1; x = 2 } active proctype A() priority 1 { x = 3; x = 4 } active proctype B() { x = 5; set_priority(1, 4); x = 6; assert(get_priority(1) == 4); assert(_priority == 1) }", prog.Counts{States: 21, Transitions: 26}},
		{"priorities of processes that are run", "byte x; proctype C() { x = 8; x = 9 } init priority 2 { x = 1; run C() priority 7; run C(); _priority = 1; x = 2 } active proctype A() priority 1 { atomic { x = 3; x == 9; set_priority(1, 9); x = 4 } }", prog.Counts{States: 47, Transitions: 65, Errors: 2}},
		{"priorities, timeout and provided", "byte x; chan q = [1] of { byte }; active proctype A() priority 3 { do :: atomic { x == 0 -> x = 1; x = 2 } :: timeout -> break od; q?_ } active proctype B() priority 2 { byte y; if :: x == 2 -> x = 5 :: else -> skip fi; q!1 } active proctype C() provided (x == 5) { x = 6; set_priority(_pid, 5); set_priority(9, 5); atomic { x = 7; x = 8 } }", prog.Counts{States: 8, Transitions: 8, Errors: 1}},
		{"priorities in a d_step and an atomic, with -DNOCOMP", "byte x; byte y; proctype C(byte k) { _priority = k; x = 8; x = 9; atomic { y = get_priority(0); y = get_priority(_pid + 1); set_priority(0, 5) } } init priority 2 { x = 1; run C(3) priority 7; run C(2); _priority = 1; x = 2; do :: x > 3 -> x = x - 3 :: else -> break od } active proctype A() priority 1 { if :: x == 9 -> d_step { set_priority(_pid, 9); x = 4 } :: x = 3 :: timeout -> x = 7 fi }", prog.Counts{States: 145, Transitions: 162}},
		{"a priority that is set by a priority", "byte x; active proctype A() priority 1 { set_priority(_priority - 1, 2); x = 1 } active proctype B() priority 1 { x = 2; set_priority(get_priority(0), 3); x = 3 }", prog.Counts{States: 18, Transitions: 19}},
		{"priorities come and go", "byte x; active [3] proctype A() priority 1 { do :: x == _pid -> x = (x+1)%3; set_priority((_pid+1)%3, 1 + x) od }", prog.Counts{States: 289, Transitions: 433}},
		{"control is lost where an atomic sequence blocks", "byte x; active proctype A() { atomic { x = 1; x == 2; x = 3 } } active proctype B() { x == 1; x = 2 }", prog.Counts{States: 8, Transitions: 9}},
	} {
		p, err := promela.Parse(c.name, []byte(c.src), promela.Options{})
		if err != nil {
			t.Errorf("%s: %v", c.name, err)
			continue
		}
		if got, err := counts(p, time.Minute); err != nil || got != c.want {
			t.Errorf("%s: got %v, %v; want %v", c.name, got, err, c.want)
		}
		agrees(t, c.name, c.src, promela.Options{})
	}
}

// TestTimeoutInStep: timeout in a d_step is what it is where the d_step begins.
func TestTimeoutInStep(t *testing.T) {
	for src, want := range map[string]bool{"d_step { q!1; timeout }": true, "d_step { timeout; x = 1; timeout }": false} {
		p, err := promela.Parse("f", []byte("byte x; chan q = [1] of { byte }; active proctype P() { x == 7 } active proctype Q() { "+src+" }"), promela.Options{})
		if err != nil {
			t.Fatal(err)
		}
		if got := violates(p, "d_step blocks"); got != want {
			t.Errorf("%s: blocks: %v; want %v", src, got, want)
		}
	}
}

// TestLateRun: a loop with choices in an atomic sequence, and a run behind it, have room for the process. SPIN stores
// 5 states, as those inside of the sequence are none for it.
func TestLateRun(t *testing.T) {
	p, err := promela.Parse("f", []byte(`proctype node() { skip } init { byte i; atomic {
		do :: i < 2 -> i++; if :: true :: true fi :: i == 2 -> break od; run node() } }`), promela.Options{})
	if err != nil {
		t.Fatal(err)
	}
	r, err := explicit.Run(context.Background(), model.Compile(p.Model), explicit.Options{All: true, Threads: 1})
	if err != nil || !r.Complete || r.States != 6 || len(r.Violations) > 0 {
		t.Errorf("got %d states, %v, %v; want 6 states and no violation", r.States, r.Violations, err)
	}
}

// TestControlPasses reads a program in which control passes from process to process without
// end, as atomic sequences meet in handshakes. SPIN counts 3 states and one error.
func TestControlPasses(t *testing.T) {
	p, err := promela.Parse("f", []byte(`byte x, y; chan a = [0] of { byte }; chan b = [0] of { byte }; chan s = [0] of { bit };
		proctype A() { do :: atomic { s?1; a!x; b?2; a!x }; atomic { b?1; a!2; b?3 } :: s?0 od }
		proctype B() { do :: atomic { a?1; b!2; a?3 }; do :: atomic { s?0; b!y; a?2; b!y; break } :: atomic { s?1 } od od }
		proctype S() { do :: atomic { s!1 } :: atomic { s!0 } od }
		init { atomic { run A(); run B(); run S() } }`), promela.Options{})
	if err != nil {
		t.Fatal(err)
	}
	r, err := explicit.Run(context.Background(), model.Compile(p.Model), explicit.Options{All: true, Threads: 1})
	if err != nil || !r.Complete || r.States != 3 || r.Deadlocks != 1 {
		t.Errorf("got %d states, %d deadlocks, %v; want 3 states, 1 deadlock", r.States, r.Deadlocks, err)
	}
}

// TestEvaluated: what is printed, or assigned to _, is evaluated, as in SPIN.
func TestEvaluated(t *testing.T) {
	for src, want := range map[string]bool{
		`printf("%d", a[i])`: true, `_ = a[i]`: true, `printm(m[i])`: true, `printf("%d", 5 / x)`: true, `printf("%d", len(c[i]))`: true,
		`d_step { x = 1; printf("%d", a[i]) }`: true, `atomic { x = 1; printf("%d", a[i + x]) }`: true,
		`i = 1; printf("%d %d %d", a[i], c[i], 5 / i)`: false, `_ = a[i - 4]`: false, `printf("%d", (x == 1 -> a[i] : 3))`: false,
	} {
		p, err := promela.Parse(src, []byte("byte a[2], x, i = 5; mtype = { A, B }; mtype m[2]; chan c[2] = [1] of { byte }; active proctype P() { "+src+" }"), promela.Options{})
		if err != nil {
			t.Errorf("%s: %v", src, err)
			continue
		}
		r, err := explicit.Run(context.Background(), model.Compile(p.Model), explicit.Options{All: true, Threads: 1})
		if err != nil || len(r.Violations) > 0 != want {
			t.Errorf("%s: %v, %v; want a violation: %v", src, r.Violations, err, want)
		}
	}
}

// TestErrors gives the message, with its position, for programs that are refused.
func TestErrors(t *testing.T) {
	for _, c := range []struct{ src, want string }{
		{"active proctype A() {\n  x = 1\n}", "f:2:3: x is not declared"},
		{"init { c_code { x } }", "f:1:8: embedded C (c_code) is not supported"},
		{"hidden byte x; init { skip }", "f:1:1: hidden variables are not supported"},
		{"init { goto L }", "f:1:8: there is no label L"},
		{"init { break }", "f:1:8: break is not in a loop"},
		{"init { run P() }", "f:1:12: there is no proctype P"},
		{"proctype P(byte b) { skip } init { run P() }", "f:1:40: P takes 1 arguments, not 0"},
		{"byte x; byte x; init { skip }", "f:1:14: x is declared twice"},
		{"chan c = [1] of { byte, byte }; init { c!1 }", "f:1:40: messages of c have 2 fields, not 1"},
		{"chan c = [1] of { byte }; init { c?[1,2] }", "f:1:35: messages of c have 1 fields, not 2"},
		{"byte x; init { x!1 }", "f:1:16: x is no channel"},
		{"init { /* ", "f:1:8: the comment is not closed"},
		{"#if 1\ninit { skip }", "f:1:1: #if without #endif"},
		{"#include \"nothing.h\"\n", "f:1:10: open nothing.h"},
		{"#define M(a) a\ninit { M(1,2) }", "f:2:8: the macro M takes 1 arguments, not 2"},
		{"inline I() { I() } init { I() }", "nested more than 1000 deep"},
		{"byte x = 99999999999; init { skip }", "f:1:10: 99999999999 is no number that fits 32 bits"},
		{"proctype P() { skip }", "no process runs at the start"},
		{"init { do :: skip od }", "a step without effect that leads to itself"},
		{"byte x; active proctype A() { d_step { x == 0; goto out }; x = 9; out: x = 5 }", "f:1:48: a jump out of a d_step"},
		{"byte x; active proctype A() { do :: d_step { x = 1; break } od }", "f:1:53: a jump out of a d_step"},
		{"byte x; active proctype A() { goto in; d_step { x = 1; in: x = 2 } }", "f:1:31: a jump into a d_step"},
		{"byte x; active proctype A() { if :: { x = 1 } unless { x == 2 } :: x = 3 fi }", "an unless on an option"},
		{"chan c = [0] of { byte }; active proctype A() { d_step { c!1 } }", "f:1:58: a send to a rendezvous channel in a d_step"},
		{"chan c = [0] of { byte }; byte x; active proctype A() { d_step { if :: x == 0 :: c?1 fi } } active proctype B() { c!1 }", "a receive from a rendezvous must stand before options that are no receives"},
		{"chan c = [0] of { byte }; active proctype A() provided (c?[1]) { skip }", "f:1:58: a poll of a rendezvous channel"},
		{"chan c = [0] of { byte }; active proctype A() priority 2 { c!1 }", "f:1:6: a rendezvous channel in a program with priorities"},
		{"active proctype A() priority 256 { skip }", "f:1:30: a priority is a number from 1 to 255"},
		{"byte a[2]; init { a = 1; a.b = 2 }", "f:1:28: a is no struct"},
		{"init { if :: byte x; x++ :: byte x; x-- fi }", "f:1:34: x is declared twice"},
		{"init { if :: _ -> skip fi }", "f:1:14: _ has no value"},
		{"typedef A { byte x } typedef B { A a[2] } chan c = [1] of { B }; init { skip }", "f:1:61: a message has no array of structs, and B.a is one"},
		{"typedef A { byte x } typedef B { A a[2] } chan c = [1] of { byte }; init { B b; c!b }", "f:1:83: b has an array of structs"},
		{"init { if :: else -> skip skip fi }", "f:1:27: expected \";\" before \"skip\""},
		{"", "there is no process"},
	} {
		_, err := promela.Parse("f", []byte(c.src), promela.Options{})
		var e *promela.Error
		if !errors.As(err, &e) || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%q: got %v, want %s", c.src, err, c.want)
		}
	}
}

// TestDefines: a macro that an option defines has to be one that the program knows.
func TestDefines(t *testing.T) {
	for src, want := range map[string]string{
		"byte a[N]; init { skip }":                                          "",
		"#define N 3\ninit { skip }":                                        "",
		"#ifndef N\n#define M 1\n#endif\ninit { skip }":                     "",
		"#if defined(N)\n#endif\ninit { skip }":                             "",
		"init { skip }":                                                     "f: the program does not use the macro N; it has no macros",
		"#define M 3\n#define P(N) N\nbyte a[M]; init { P(skip) }":          "f: the program does not use the macro N; its macros are M",
		"#define L 2\n#define M 3\nbyte NN; init { printf(\"N\"); NN = 1 }": "f: the program does not use the macro N; its macros are L, M",
	} {
		_, err := promela.Parse("f", []byte(src), promela.Options{Defines: map[string]string{"N": "2"}})
		if got := fmt.Sprint(err); got != want && (err != nil || want != "") {
			t.Errorf("%q: got %s, want %s", src, got, want)
		}
	}
}

// TestMadeIndex: an index that leads out of an inner array is an error, though the channels of all elements are one array.
func TestMadeIndex(t *testing.T) {
	for _, c := range []struct {
		index string
		ok    bool
	}{{"from[0].to[i]", true}, {"from[0].to[i+1]", false}, {"from[i].to[0]", true}, {"from[i+1].to[0]", false}, {"from[0].to[i-2]", false}, {"from[1].to[i-2]", false}} {
		p, err := promela.Parse("f", []byte("typedef Row { chan to[2] = [1] of { byte } } Row from[2]; byte i = 1; init { len("+c.index+") == 0 }"), promela.Options{})
		if err != nil {
			t.Fatal(err)
		}
		r, err := explicit.Run(context.Background(), model.Compile(p.Model), explicit.Options{All: true, Threads: 1})
		if err != nil || !r.Complete || (len(r.Violations) == 0) != c.ok {
			t.Errorf("%s: %d violations, %v", c.index, len(r.Violations), err)
		}
	}
}
