package aiger_test

import (
	"bytes"
	"errors"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"testing"
	"testing/iotest"

	"orbitmc/aig"
	"orbitmc/encode/aiger"
	"orbitmc/internal/testkit/tstest"
)

// everything has every section, an uninitialised latch, a reset to 1, ANDs in an
// order that is none, variables that nothing defines, and every sort of symbol.
const everything = `aag 20 2 3 2 4 2 2 2 1
4
2
6 30
20 7 1
8 41 8
30
1
31
12
40
13
2
0
8
7
9
40 31 13
30 13 12
12 2 5
36 30 4
i1 clock enable
l0 count[0]
l2 free
o1 one
b0 both
c1 never
j1 empty
f0 fair
c
a comment

 and its last line
`

func TestEverything(t *testing.T) {
	f := read(t, "x", []byte(everything))
	if err := tstest.Check(f.Sys); err != nil {
		t.Fatal(err)
	}
	// Nodes: inputs 4 and 2 are n1 and n2; latches 6, 20 and 8 are n3 to n5; the
	// initial input of 8 is n6; then 40 with what it depends on, 30 with 13 and 12
	// being constant false.
	want := `system latches=3 inputs=2 init=1 ands=1 bads=2 constraints=2
init 6 free
input 1 i0
input 2 clock enable
and 7 = !n1 n2
latch 3 reset=0 next=0 count[0]
latch 4 reset=1 next=!n3 l1
latch 5 reset=n6 next=n7 free
constraint !n7
constraint !n7
bad 1 delay=0 both
bad n7 delay=0 b1
wellformed 1
`
	if got := dump(t, f.Sys); got != want {
		t.Errorf("system:\n%s", got)
	}
	if f.OutputsAreBads || !slices.Equal(f.Outputs, []aiger.Named{{Name: "o0", Lit: 0}, {Name: "one", Lit: 1}}) {
		t.Errorf("outputs %v, bads: %v", f.Outputs, f.OutputsAreBads)
	}
	if !slices.Equal(f.ConstraintName, []string{"c0", "never"}) {
		t.Errorf("constraints %q", f.ConstraintName)
	}
	if len(f.Justice) != 2 || f.Justice[0].Name != "j0" || !slices.Equal(f.Justice[0].Lits, []aig.Lit{10, 7}) ||
		f.Justice[1].Name != "empty" || len(f.Justice[1].Lits) != 0 {
		t.Errorf("justice %v", f.Justice)
	}
	if !slices.Equal(f.Fairness, []aiger.Named{{Name: "fair", Lit: 11}}) {
		t.Errorf("fairness %v", f.Fairness)
	}
	if !slices.Equal(f.Comments, []string{"a comment", "", " and its last line"}) {
		t.Errorf("comments %q", f.Comments)
	}
	if f.Sys.Bads[1].Prop != 1 {
		t.Errorf("bad 1 is of property %d", f.Sys.Bads[1].Prop)
	}
	// What was folded and what nothing reads is gone; the rest is the same.
	const ascii = `aag 6 2 3 2 1 2 2 2 1
2
4
6 0
8 7 1
10 12 10
0
1
1
12
13
13
2
0
10
7
11
12 4 3
i1 clock enable
l0 count[0]
l2 free
o1 one
b0 both
c1 never
j1 empty
f0 fair
c
a comment

 and its last line
`
	if got := string(write(t, f, false)); got != ascii {
		t.Errorf("ascii:\n%s", got)
	}
	binary := "aig 6 2 3 2 1 2 2 2 1\n0\n7 1\n12 10\n0\n1\n1\n12\n13\n13\n2\n0\n10\n7\n11\n\x08\x01" + ascii[strings.Index(ascii, "i1"):]
	if got := string(write(t, f, true)); got != binary {
		t.Errorf("binary:\n%q", got)
	}
	for _, text := range []string{ascii, binary} {
		if err := different(f, read(t, "x", []byte(text))); err != nil {
			t.Error(err)
		}
	}
}

// TestSmall looks at the corners of the format.
func TestSmall(t *testing.T) {
	for name, c := range map[string]struct{ file, want string }{
		"nothing":          {"aag 0 0 0 0 0\n", "aag 0 0 0 0 0\n"},
		"nothing binary":   {"aig 0 0 0 0 0 0 0 0 0\n", "aag 0 0 0 0 0\n"},
		"constant":         {"aag 0 0 0 1 0\n1\n", "aag 0 0 0 1 0\n1\n"},
		"unused variables": {"aag 2147483647 1 0 1 0\n4294967294\n4294967295\n", "aag 1 1 0 1 0\n2\n3\n"},
		"toggle":           {"aag 1 0 1 2 0\n2 3\n2\n3\n", "aag 1 0 1 2 0\n2 3\n2\n3\n"},
		"latches first":    {"aag 2 1 1 1 0\n4\n2 4\n2\n", "aag 2 1 1 1 0\n2\n4 2\n4\n"},
		"reset written":    {"aag 1 0 1 1 0\n2 2 0\n2\n", "aag 1 0 1 1 0\n2 2\n2\n"},
		"equal ANDs":       {"aag 4 2 0 2 2\n2\n4\n6\n8\n6 2 4\n8 4 2\n", "aag 3 2 0 2 1\n2\n4\n6\n6\n6 4 2\n"},
		"AND of itself":    {"aag 3 1 0 1 2\n2\n6\n6 4 4\n4 2 3\n", "aag 1 1 0 1 0\n2\n0\n"},
		"backwards": {"aag 5 2 0 1 3\n2\n4\n10\n10 8 3\n8 6 4\n6 2 5\n",
			"aag 5 2 0 1 3\n2\n4\n10\n6 5 2\n8 6 4\n10 8 3\n"},
		"difference of 128":             {"aig 66 65 0 1 1\n132\n\x80\x01\x02", "aag 66 65 0 1 1\n" + evens(65) + "132\n132 4 2\n"},
		"long difference":               {"aig 131 130 0 1 1\n262\n\x82\x02\x02", "aag 131 130 0 1 1\n" + evens(130) + "262\n262 4 2\n"},
		"old symbols":                   {"aag 1 1 0 1 0\n2\n2\no0 bad\n", "aag 1 1 0 1 0\n2\n2\no0 bad\n"},
		"empty symbol":                  {"aag 1 1 0 1 0\n2\n2\ni0 \n", "aag 1 1 0 1 0\n2\n2\n"},
		"symbol as default":             {"aag 1 1 0 1 0\n2\n2\ni0 i0\n", "aag 1 1 0 1 0\n2\n2\n"},
		"symbol like another's default": {"aag 2 2 0 1 0\n2\n4\n2\ni0 i1\ni1 i0\n", "aag 2 2 0 1 0\n2\n4\n2\ni0 i1\ni1 i0\n"},
		"symbols that are odd":          {"aag 1 1 0 1 0\n2\n2\ni0  \xff é c\n", "aag 1 1 0 1 0\n2\n2\ni0  \xff é c\n"},
		"no comments":                   {"aag 0 0 0 0 0\nc\n", "aag 0 0 0 0 0\n"},
		"empty comment":                 {"aag 0 0 0 0 0\nc\n\n", "aag 0 0 0 0 0\nc\n\n"},
		"any comment":                   {"aag 0 0 0 0 0\nc\n\x00\t\r\xff\nc\n", "aag 0 0 0 0 0\nc\n\x00\t\r\xff\nc\n"},
		"only fairness":                 {"aag 1 1 0 1 0 0 0 0 1\n2\n2\n3\n", "aag 1 1 0 1 0 0 0 0 1\n2\n2\n3\n"},
		"only justice":                  {"aag 1 1 0 1 0 0 0 1\n2\n2\n1\n3\n", "aag 1 1 0 1 0 0 0 1\n2\n2\n1\n3\n"},
		"output and bad":                {"aag 1 1 0 1 0 1\n2\n2\n3\n", "aag 1 1 0 1 0 1\n2\n2\n3\n"},
	} {
		f := read(t, name, []byte(c.file))
		if err := tstest.Check(f.Sys); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		if got := string(write(t, f, false)); got != c.want {
			t.Errorf("%s is written as\n%s", name, got)
		}
		if err := different(f, read(t, name, write(t, f, true))); err != nil {
			t.Errorf("%s: binary differs: %v", name, err)
		}
	}
}

// evens returns the lines of the first n inputs.
func evens(n int) string {
	var b strings.Builder
	for i := range n {
		b.WriteString(strconv.Itoa(2*i+2) + "\n")
	}
	return b.String()
}

// TestOutputsAreBads: outputs are bads in files without bads and without
// justice properties, whatever else their headers say.
func TestOutputsAreBads(t *testing.T) {
	for _, c := range []struct {
		file string
		bads []string
		old  bool
	}{
		{"aag 1 1 0 2 0\n2\n2\n3\n", []string{"o0", "o1"}, true},
		{"aag 1 1 0 1 0 0 1\n2\n2\n3\n", []string{"o0"}, true},
		{"aag 1 1 0 1 0 0 0 0 1\n2\n2\n3\n", []string{"o0"}, true},
		{"aag 1 1 0 0 0\n2\n", nil, false},
		{"aag 1 1 0 1 0 0 0 1\n2\n2\n1\n3\n", nil, false},
		{"aag 1 1 0 1 0 1\n2\n2\n3\n", []string{"b0"}, false},
		{"aag 1 1 0 1 0 1 0 1\n2\n2\n3\n1\n3\n", []string{"b0"}, false},
	} {
		f := read(t, "x", []byte(c.file))
		var bads []string
		for _, b := range f.Sys.Bads {
			bads = append(bads, b.Name)
		}
		if !slices.Equal(bads, c.bads) || f.OutputsAreBads != c.old {
			t.Errorf("%q has bads %v, old: %v", c.file, bads, f.OutputsAreBads)
		}
		if got := string(write(t, f, false)); got != c.file {
			t.Errorf("%q is written as %q", c.file, got)
		}
	}
}

// TestRules has a file for every rule of the format that breaks it there and
// nowhere else.
func TestRules(t *testing.T) {
	for _, c := range []struct{ file, want string }{
		// The header.
		{"", `x:1:1: a file begins with aag or aig and a space, not with "" (byte 0)`},
		{"aag", `x:1:1: a file begins with aag or aig and a space, not with "aag" (byte 0)`},
		{"abg 0 0 0 0 0\n", `x:1:1: a file begins with aag or aig and a space, not with "abg " (byte 0)`},
		{" aag 0 0 0 0 0\n", `x:1:1: a file begins with aag or aig and a space, not with " aag" (byte 0)`},
		{"aag  0 0 0 0 0\n", `x:1:5: M, the largest variable, is an unsigned number, not " " (byte 4)`},
		{"aag -1 0 0 0 0\n", `x:1:5: M, the largest variable, is an unsigned number, not "-" (byte 4)`},
		{"aag 01 0 0 0 0\n", `x:1:5: M, the largest variable, has a leading zero (byte 4)`},
		{"aag 00 0 0 0 0\n", `x:1:5: M, the largest variable, has a leading zero (byte 4)`},
		{"aag 4294967296 0 0 0 0\n", `x:1:5: M, the largest variable, has at most 32 bits (byte 4)`},
		{"aag 99999999999999999999999999 0 0 0 0\n", `x:1:5: M, the largest variable, has at most 32 bits (byte 4)`},
		{"aag 2147483648 0 0 0 0\n", `x:1:5: the literals of M = 2147483648 variables exceed 32 bits (byte 4)`},
		{"aag 0\t0 0 0 0\n", `x:1:6: a number of the header is followed by one space, not by "\t" (byte 5)`},
		{"aag 0 0 0 0\n", `x:1:12: a number of the header is followed by one space, not by the end of the line (byte 11)`},
		{"aag 0 0 0 x 0\n", `x:1:11: O, the number of outputs, is an unsigned number, not "x" (byte 10)`},
		{"aag 0 0 0 0 0", `x:1:14: a number of the header is followed by one space, not by the end of the file (byte 13)`},
		{"aag 0 0 0 0 0 \n", `x:1:15: B, the number of bads, is an unsigned number, not the end of the line (byte 14)`},
		{"aag 0 0 0 0 0\r\n", `x:1:14: a number of the header is followed by one space, not by "\r" (byte 13)`},
		{"aag 0 0 0 0 0 0 0 0 0 0\n", `x:1:22: the header is followed by a new line, not by " " (byte 21)`},
		{"aag 2 1 1 0 1\n2\n4 2\n6 2 4\n", `x:1:5: M is at least I+L+A: 2 is less than 3 (byte 4)`},
		{"aig 4 1 1 0 1\n2\n\x02\x02", `x:1:5: in the binary format M is I+L+A: not 4, but 3 (byte 4)`},
		{"aig 2 1 1 0 1\n2\n\x02\x02", `x:1:5: in the binary format M is I+L+A: not 2, but 3 (byte 4)`},
		// Headers that promise more than there is.
		{"aag 2147483647 0 2147483647 0 0\n", `x:1:5: more than 1073741823 inputs, latches and ANDs cannot be held (byte 4)`},
		{"aag 1073741823 0 1073741823 0 0\n", `x:1:5: the header promises at least 4294967292 bytes after it, but there are 0 (byte 4)`},
		{"aig 1073741823 0 1073741823 0 0\n", `x:1:5: the header promises at least 2147483646 bytes after it, but there are 0 (byte 4)`},
		{"aig 1073741823 0 0 0 1073741823\n", `x:1:5: the header promises at least 2147483646 bytes after it, but there are 0 (byte 4)`},
		{"aig 1073741823 1073741823 0 0 0\n", `x:1:5: a file of this size cannot use 1073741823 inputs (byte 4)`},
		{"aag 1073741823 1073741823 0 0 0\n", `x:1:5: the header promises at least 2147483646 bytes after it, but there are 0 (byte 4)`},
		{"aag 0 0 0 4294967295 0\n", `x:1:5: the header promises at least 8589934590 bytes after it, but there are 0 (byte 4)`},
		{"aag 0 0 0 0 0 4294967295\n", `x:1:5: the header promises at least 8589934590 bytes after it, but there are 0 (byte 4)`},
		{"aag 0 0 0 0 0 0 4294967295\n", `x:1:5: the header promises at least 8589934590 bytes after it, but there are 0 (byte 4)`},
		{"aag 0 0 0 0 0 0 0 4294967295\n", `x:1:5: the header promises at least 8589934590 bytes after it, but there are 0 (byte 4)`},
		{"aag 0 0 0 0 0 0 0 0 4294967295\n", `x:1:5: the header promises at least 8589934590 bytes after it, but there are 0 (byte 4)`},
		{"aag 0 0 0 0 0 0 0 1\n4294967295\n", `x:2:1: the justice properties promise at least 8589934590 bytes, but 0 follow (byte 20)`},
		{"aag 0 0 0 0 0 0 0 2\n1\n2\n0\n0\n", `x:3:1: the justice properties promise at least 6 bytes, but 4 follow (byte 22)`},
		{"aag 3 2 0 1 1\n2\n4\n6\n6 2", `x:1:5: the header promises at least 12 bytes after it, but there are 9 (byte 4)`},
		// Inputs, in ascii.
		{"aag 1 1 0 0 0\n0\n", `x:2:1: the literal of an input is positive and even, not 0 (byte 14)`},
		{"aag 1 1 0 0 0\n3\n", `x:2:1: the literal of an input is positive and even, not 3 (byte 14)`},
		{"aag 1 1 0 0 0\n4\n", `x:2:1: the literal of an input is at most 2M+1 = 3, not 4 (byte 14)`},
		{"aag 1 1 0 0 0\n02\n", `x:2:1: the literal of an input has a leading zero (byte 14)`},
		{"aag 1 1 0 0 0\n\n\n", `x:2:1: the literal of an input is an unsigned number, not the end of the line (byte 14)`},
		{"aag 1 1 0 0 0\n2 \n", `x:2:2: an input is followed by a new line, not by " " (byte 15)`},
		{"aag 2 2 0 0 0\n2\n2\n", `x:3:1: a literal is defined once: 2 is input 0 already (byte 16)`},
		// Latches.
		{"aag 1 0 1 0 0\n0 1\n", `x:2:1: the literal of a latch is positive and even, not 0 (byte 14)`},
		{"aag 1 0 1 0 0\n3 1\n", `x:2:1: the literal of a latch is positive and even, not 3 (byte 14)`},
		{"aag 2 1 1 0 0\n4\n4 0\n", `x:3:1: a literal is defined once: 4 is input 0 already (byte 16)`},
		{"aag 3 1 2 0 0\n4\n6 0\n6 0\n", `x:4:1: a literal is defined once: 6 is latch 0 already (byte 20)`},
		{"aag 1 0 1 0 0\n2\n2\n", `x:2:2: the literal of a latch is followed by one space, not by the end of the line (byte 15)`},
		{"aag 1 0 1 0 0\n2 4\n", `x:2:3: the next state of a latch is at most 2M+1 = 3, not 4 (byte 16)`},
		{"aig 1 0 1 0 0\n4\n", `x:2:1: the next state of a latch is at most 2M+1 = 3, not 4 (byte 14)`},
		{"aag 2 0 1 0 0\n2 4\n", `x:2:3: a literal that is used is defined: 4 is not (byte 16)`},
		{"aag 1 0 1 0 0\n2 3 3\n", `x:2:5: the reset of a latch is 0, 1 or its own literal 2, not 3 (byte 18)`},
		{"aag 2 0 2 0 0\n4 3\n2 3 4\n", `x:3:5: the reset of a latch is 0, 1 or its own literal 2, not 4 (byte 22)`},
		{"aig 3 1 2 0 0\n2\n2 4\n", `x:3:3: the reset of a latch is 0, 1 or its own literal 6, not 4 (byte 18)`},
		{"aag 1 0 1 0 0\n2 3 4\n", `x:2:5: the reset of a latch is at most 2M+1 = 3, not 4 (byte 18)`},
		{"aag 1 0 1 0 0\n2 3  \n", `x:2:5: the reset of a latch is an unsigned number, not " " (byte 18)`},
		{"aag 1 0 1 0 0\n2 3 0 0\n", `x:2:6: a latch is followed by a new line, not by " " (byte 19)`},
		{"aig 1 0 1 0 0\n2 0 0\n", `x:2:4: a latch is followed by a new line, not by " " (byte 17)`},
		{"aig 1 0 1 0 0\n2x\n", `x:2:2: a latch is followed by a new line, not by "x" (byte 15)`},
		// Properties.
		{"aag 1 1 0 1 0\n2\n4\n", `x:3:1: an output is at most 2M+1 = 3, not 4 (byte 16)`},
		{"aag 2 1 0 1 0\n2\n5\n", `x:3:1: a literal that is used is defined: 5 is not (byte 16)`},
		{"aag 1 1 0 1 0\n2\n2 2\n", `x:3:2: an output is followed by a new line, not by " " (byte 17)`},
		{"aag 1 1 0 0 0 1\n2\n4\n", `x:3:1: a bad is at most 2M+1 = 3, not 4 (byte 18)`},
		{"aag 2 1 0 0 0 1\n2\n4\n", `x:3:1: a literal that is used is defined: 4 is not (byte 18)`},
		{"aag 1 1 0 0 0 0 1\n2\n4\n", `x:3:1: a constraint is at most 2M+1 = 3, not 4 (byte 20)`},
		{"aag 2 1 0 0 0 0 1\n2\n4\n", `x:3:1: a literal that is used is defined: 4 is not (byte 20)`},
		{"aag 2 1 0 1 0 1\n2\n4\n2\n", `x:3:1: a literal that is used is defined: 4 is not (byte 18)`},
		{"aag 1 1 0 0 0 0 0 1\n2\n1 2\n", `x:3:2: the size of a justice property is followed by a new line, not by " " (byte 23)`},
		{"aag 1 1 0 0 0 0 0 1\n2\n1\n4\n", `x:4:1: a literal of a justice property is at most 2M+1 = 3, not 4 (byte 24)`},
		{"aag 2 1 0 0 0 0 0 1\n2\n1\n4\n", `x:4:1: a literal that is used is defined: 4 is not (byte 24)`},
		{"aag 1 1 0 0 0 0 0 0 1\n2\n4\n", `x:3:1: a fairness constraint is at most 2M+1 = 3, not 4 (byte 24)`},
		{"aag 2 1 0 0 0 0 0 0 1\n2\n4\n", `x:3:1: a literal that is used is defined: 4 is not (byte 24)`},
		{"aag 0 0 0 1 0\n10", `x:2:1: an output is at most 2M+1 = 1, not 10 (byte 14)`},
		{"aag 5 0 0 1 0\n10", `x:2:3: an output is followed by a new line, not by the end of the file (byte 16)`},
		// ANDs, in ascii.
		{"aag 2 1 0 0 1\n2\n0 2 2\n", `x:3:1: the literal of an AND is positive and even, not 0 (byte 16)`},
		{"aag 2 1 0 0 1\n2\n5 2 2\n", `x:3:1: the literal of an AND is positive and even, not 5 (byte 16)`},
		{"aag 2 1 0 0 1\n2\n2 2 2\n", `x:3:1: a literal is defined once: 2 is input 0 already (byte 16)`},
		{"aag 3 1 0 0 2\n2\n4 2 2\n4 2 3\n", `x:4:1: a literal is defined once: 4 is an AND already (byte 22)`},
		{"aag 2 1 0 0 1\n2\n4 2 6\n", `x:3:5: an operand of an AND is at most 2M+1 = 5, not 6 (byte 20)`},
		{"aag 2 1 0 0 1\n2\n4 2\n\n\n", `x:3:4: a literal of an AND is followed by one space, not by the end of the line (byte 19)`},
		{"aag 2 1 0 0 1\n2\n4 2 2 2\n", `x:3:6: an AND is followed by a new line, not by " " (byte 21)`},
		{"aag 3 1 0 0 1\n2\n4 6 2\n", `x:3:3: a literal that is used is defined: 6 is not (byte 18)`},
		{"aag 3 1 0 0 1\n2\n4 2 7\n", `x:3:5: a literal that is used is defined: 7 is not (byte 20)`},
		{"aag 2 1 0 0 1\n2\n4 2 5\n", `x:3:5: ANDs are acyclic: literal 5 depends on itself (byte 20)`},
		{"aag 4 1 0 0 3\n2\n4 2 6\n6 9 2\n8 4 3\n", `x:5:3: ANDs are acyclic: literal 4 depends on itself (byte 30)`},
		// ANDs, in binary.
		{"aig 2 1 0 0 1\n\x00\x00", `x: byte 14: the first operand of AND 4 is smaller: the difference is between 1 and 4, not 0`},
		{"aig 2 1 0 0 1\n\x05\x00", `x: byte 14: the first operand of AND 4 is smaller: the difference is between 1 and 4, not 5`},
		{"aig 2 1 0 0 1\n\x02\x03", `x: byte 15: the second operand of AND 4 is not negative: the difference to the first is at most 2, not 3`},
		{"aig 2 1 0 0 1\n\x82\x00\x00", `x: byte 14: a difference is coded in as few bytes as possible`},
		{"aig 2 1 0 0 1\n\x02\x80\x00", `x: byte 15: a difference is coded in as few bytes as possible`},
		{"aig 2 1 0 0 1\n\x02\x80", `x: byte 16: the file ends inside the ANDs`},
		{"aig 2 1 0 0 1\n\x80\x80\x80\x80\x10\x00", `x: byte 14: the difference of two literals has at most 32 bits`},
		{"aig 2 1 0 0 1\n\x80\x80\x80\x80\x80\x00", `x: byte 14: the difference of two literals has at most 32 bits`},
		{"aig 2 1 0 0 1\n\xff\xff\xff\xff\x0f\x00", `x: byte 14: the first operand of AND 4 is smaller: the difference is between 1 and 4, not 4294967295`},
		// Symbols and comments.
		{"aag 0 0 0 0 0\n\n", `x:2:1: a line after the ANDs begins with one of i l o b c j f, not with the end of the line (byte 14)`},
		{"aag 0 0 0 0 0\n0\n", `x:2:1: a line after the ANDs begins with one of i l o b c j f, not with "0" (byte 14)`},
		{"aag 0 0 0 0 0\n\x00", `x:2:1: a line after the ANDs begins with one of i l o b c j f, not with "\x00" (byte 14)`},
		{"aig 2 1 0 0 1\n\x02\x00\x00", `x: byte 16: a line after the ANDs begins with one of i l o b c j f, not with "\x00"`},
		{"aag 1 1 0 0 0\n2\ni1 x\n", `x:3:1: a symbol names something: i1 is not there, the number of inputs is 1 (byte 16)`},
		{"aag 1 1 0 0 0\n2\nl0 x\n", `x:3:1: a symbol names something: l0 is not there, the number of latches is 0 (byte 16)`},
		{"aag 1 1 0 1 0\n2\n2\nb0 x\n", `x:4:1: a symbol names something: b0 is not there, the number of bads is 0 (byte 18)`},
		{"aag 1 1 0 0 0 1\n2\n2\no0 x\n", `x:4:1: a symbol names something: o0 is not there, the number of outputs is 0 (byte 20)`},
		{"aag 1 1 0 0 0 1\n2\n2\nc0 x\n", `x:4:1: a symbol names something: c0 is not there, the number of constraints is 0 (byte 20)`},
		{"aag 1 1 0 0 0 1\n2\n2\nj0 x\n", `x:4:1: a symbol names something: j0 is not there, the number of justice properties is 0 (byte 20)`},
		{"aag 1 1 0 0 0 1\n2\n2\nf4294967295 x\n", `x:4:1: a symbol names something: f4294967295 is not there, the number of fairness constraints is 0 (byte 20)`},
		{"aag 1 1 0 0 0\n2\ni x\n", `x:3:2: the place of a symbol is an unsigned number, not " " (byte 17)`},
		{"aag 1 1 0 0 0\n2\ni00 x\n", `x:3:2: the place of a symbol has a leading zero (byte 17)`},
		{"aag 1 1 0 0 0\n2\ni0\n", `x:3:3: the place of a symbol is followed by one space, not by the end of the line (byte 18)`},
		{"aag 1 1 0 0 0\n2\ni0 x\ni0 y\n", `x:4:1: there is one symbol at most for i0 (byte 21)`},
		{"aag 1 1 0 0 0\n2\ni0 \ni0 \n", `x:4:1: there is one symbol at most for i0 (byte 20)`},
		{"aag 1 1 0 0 0\n2\ni0 x\ty\n", `x:3:5: a symbol has no control characters such as "\t" (byte 20)`},
		{"aag 1 1 0 0 0\n2\ni0 x\x7f\n", `x:3:5: a symbol has no control characters such as "\x7f" (byte 20)`},
		{"aag 1 1 0 0 0\n2\ni0 x", `x:3:5: a symbol is followed by a new line, not by the end of the file (byte 20)`},
		{"aag 0 0 0 0 0\nc", `x:2:2: the place of a symbol is an unsigned number, not the end of the file (byte 15)`},
		{"aag 0 0 0 0 0\nc x\n", `x:2:2: the place of a symbol is an unsigned number, not " " (byte 15)`},
		{"aag 0 0 0 0 0\nc\nlast", `x:3:5: the last comment ends with a new line (byte 20)`},
	} {
		_, err := aiger.Read(strings.NewReader(c.file), "x")
		var e *aiger.Error
		if !errors.As(err, &e) {
			t.Errorf("%q: %v, want %s", c.file, err, c.want)
			continue
		}
		if err.Error() != c.want {
			t.Errorf("%q:\n%v, want\n%s", c.file, err, c.want)
		}
	}
}

// TestTruncated: no file that ends too early is read.
func TestTruncated(t *testing.T) {
	whole := read(t, "x", []byte(everything))
	for _, data := range [][]byte{[]byte(everything), write(t, whole, true)} {
		end := bytes.Index(data, []byte("i1 clock")) // here, and after a symbol, a file may end
		for n := range data {
			_, err := aiger.Read(bytes.NewReader(data[:n]), "x")
			if mayEnd := n >= end && data[n-1] == '\n' || n == end; (err == nil) != mayEnd {
				t.Errorf("%q: %v", data[:n], err)
			}
		}
	}
}

// TestCheap: what is read decides about the memory, not what a header promises, which
// is refused when it does not come.
func TestCheap(t *testing.T) {
	const sparse = "aag 2147483647 1 0 1 0\n4294967294\n4294967295\n" // all of it is there
	for _, file := range []string{
		"aig 2147483648 0 2147483648 0 0\n",
		"aag 2147483648 0 2147483648 0 0\n",
		"aig 2147483647 0 2147483647 0 0\n",
		"aig 1073741823 0 1073741823 0 0\n",
		"aig 1073741823 1073741823 0 0 0\n",
		"aag 1073741823 0 0 0 1073741823\n",
		sparse,
		"aag 0 0 0 0 0 0 0 1 0\n1073741823\n",
		"aag 0 0 0 0 0 0 0 0 1073741823\n",
	} {
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		_, err := aiger.Read(strings.NewReader(file), "x")
		runtime.ReadMemStats(&after)
		if (err == nil) != (file == sparse) {
			t.Errorf("%q: %v", file, err)
		}
		if bytes := after.TotalAlloc - before.TotalAlloc; bytes > 100_000 {
			t.Errorf("%q takes %d bytes", file, bytes)
		}
	}
}

func TestReadFails(t *testing.T) {
	broken := errors.New("broken pipe")
	if _, err := aiger.Read(iotest.ErrReader(broken), "x"); !errors.Is(err, broken) || err.Error() != "x: broken pipe" {
		t.Error(err)
	}
}
