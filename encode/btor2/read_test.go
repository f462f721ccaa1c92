package btor2

import (
	"context"
	"encoding/csv"
	"errors"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"orbitmc/internal/testkit/tstest"
)

// counter counts to 3 and violates its bad then.
const counter = `; a counter
1 sort bitvec 2
2 zero 1
3 state 1 count
4 init 1 3 2
5 one 1
6 add 1 3 5
7 next 1 3 6
8 sort bitvec 1
9 redand 8 3 full ; not used
10 eq 8 3 -2
11 bad 10 three
`

func TestCounter(t *testing.T) {
	f := readText(t, counter)
	run := f.Run(make(Stimulus, 5))
	if frame, err := run.Shows(0); err != nil || frame != 3 {
		t.Errorf("the bad holds in frame %d, %v, want 3", frame, err)
	}
	if got := f.Sys.Bads[0].Name; got != "three" {
		t.Errorf("the bad is called %q", got)
	}
	if got := f.Sys.Latches[1].Name; got != "count[1]" {
		t.Errorf("the second latch is called %q", got)
	}
}

// TestFirstValues: a state may begin with what another begins with, and be free after that.
func TestFirstValues(t *testing.T) {
	f := readText(t, `1 sort bitvec 1
2 state 1 any
3 not 1 2
4 state 1 copy
5 init 1 4 3
6 xor 1 2 4
7 bad -6
8 next 1 4 4
`)
	frames := func(text string) *Run {
		w, err := f.ReadWitness([]byte(text), "w")
		if err != nil {
			t.Fatal(err)
		}
		r, err := f.Replay(w)
		if err != nil {
			t.Fatal(err)
		}
		return r
	}
	// They differ in frame 0 whatever any is, and any is free later.
	if k, err := frames("sat\nb0\n#0\n0 1 any#0\n@0\n#1\n0 0 any#1\n@1\n.\n").Shows(0); k != 1 || err != nil {
		t.Errorf("frame %d, %v, want 1", k, err)
	}
	if _, err := frames("sat\nb0\n#0\n0 1\n1 0\n@0\n#1\n0 1\n@1\n.\n").Shows(0); err == nil {
		t.Error("any and its first complement are equal")
	}
	w, err := f.ReadWitness([]byte("sat\nb0\n#0\n0 1\n1 1 copy#0\n@0\n.\n"), "w")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := f.Replay(w); err == nil || err.Error() != "line 5: copy is 0 in frame 0" {
		t.Errorf("a value that does not follow: %v", err)
	}
}

// TestNames: a line of any kind may have a name, and a comment behind it.
func TestNames(t *testing.T) {
	f := readText(t, `1 sort bitvec 1 bool
2 sort array 1 1 memory ; of two bits
3 zero 1 no
4 const 1 1 yes
5 constd 1 1 yes_too
6 consth 1 1 yes_again
7 input 1 i
8 state 1 s
9 init 1 8 3 first
10 next 1 8 7 then
11 slice 1 8 0 0 part
12 uext 1 11 0 same
13 and 1 12 4 both
14 bad 13 b
15 constraint 4 c
16 output 13 o ; looked at
17 fair 4 f
18 justice 2 4 13 j
`)
	if b := f.Sys.Bads; len(b) != 1 || b[0].Name != "b" || f.Justice[0].Name != "j" {
		t.Errorf("bads %v, justice %v", b, f.Justice)
	}
}

func TestErrors(t *testing.T) {
	const head = "1 sort bitvec 1\n2 sort bitvec 4\n3 input 2 x\n4 input 1 b\n5 sort array 1 2\n6 state 5 mem\n"
	for _, c := range []struct{ text, want string }{
		{"1 sort bitvec 0\n", "1:15: the width of a word is from 1 to 65536, not 0"},
		{"1 sort bitvec\n", "1:14: the width of a word is missing"},
		{"x sort\n", `1:1: the number of a line is a number, not "x"`},
		{"2 sort bitvec 1\n1 sort bitvec 2\n", "2:1: the numbers of lines ascend: 1 is not above 2"},
		{"1 sort word 3\n", `1:8: a sort is a bitvec or an array, not "word"`},
		{head + "7 frob 2 3\n", `7:3: unknown operator "frob"`},
		{head + "7 add 2 3 9\n", "7:11: line 9 has no value, or is not before this one"},
		{head + "7 add 2 3 4\n", "7:11: this is a word of 1 bits, want a word of 4 bits"},
		{head + "7 add 9 3 3\n", "7:7: line 9 is no sort"},
		{head + "7 add 2 3\n", "7:10: an operand is missing"},
		{head + "7 add 2 3 3 sum more\n", `7:17: "more" is more than the line may have`},
		{head + "7 slice 2 3 4 1\n", "7:13: the highest bit is from 0 to 3, not 4"},
		{head + "7 slice 2 3 2 0\n", "7:9: the result is a word of 4 bits, want a word of 3 bits"},
		{head + "7 not 5 -6\n", "7:9: an array is not complemented"},
		{head + "7 not 5 6\n", "7:7: not has no arrays"},
		{head + "7 ult 1 6 6\n", "7:9: ult has no arrays"},
		{head + "7 read 2 6 3\n", "7:12: this is a word of 4 bits, want a word of 1 bits"},
		{head + "7 bad 3\n", "7:7: this is a word of 4 bits, want a word of 1 bits"},
		{head + "7 next 2 3 3\n", "7:10: next is for a state"},
		{head + "7 init 5 6 6\n", "7:12: the first value of a state is on a line before the state"},
		{head + "7 next 5 6 6\n8 next 5 6 6\n", `8:8: the state has two lines "next"`},
		{head + "7 state 2\n8 init 2 7 3\n", "3:1: the first value of a state depends on this input; it may depend on states only"},
		{head + "7 const 2 101\n", "7:11: a constant of 4 bits has as many digits, not 3"},
		{head + "7 constd 2 16\n", "7:12: 16 does not fit into 4 bits"},
		{head + "7 constd 2 -9\n", "7:12: -9 does not fit into 4 bits"},
		{head + "7 consth 2 -1\n", `7:12: "-1" is no number to base 16`},
		{head + "7 sort bitvec 32\n8 sort array 7 2\n", "8:8: an array may have 1048576 bits; this one has 2^32 words of 4"},
		{"1 sort bitvec 60000\n2 input 1\n3 mul 1 2 2\n4 sort bitvec 1\n5 redor 4 3\n6 bad 5\n", "3:1: the netlist may have more than 67108864 gates"},
		{head + "7 sort array 1 5\n", "7:16: an array of arrays is not supported"},
		{head + "7 sort array 5 1\n", "7:14: an array indexed by arrays is not supported"},
		{"1 sort bitvec 1 bool more\n", `1:22: "more" is more than the line may have`},
		{"1 sort bitvec 1 \x01\n", "1:17: a control character"},
	} {
		_, err := Read(context.Background(), []byte(c.text), "f")
		var e *Error
		if !errors.As(err, &e) || err.Error() != "f:"+c.want {
			t.Errorf("%q: %v, want f:%s", c.text, err, c.want)
		}
	}
}

func TestWitnessErrors(t *testing.T) {
	f := readText(t, counter)
	for _, c := range []struct{ text, want string }{
		{"", "0:1: a witness ends with a line of one dot"},
		{"unsat\n", "1:1: a witness begins with a line sat"},
		{"sat\nb1\n", "2:1: the file has 1 bads; b1 is not there"},
		{"sat\nj0\n", "2:1: the file has 0 justice properties; j0 is not there"},
		{"sat\nb0\n#1\n", `3:1: frames follow each other, states before inputs: "#1" is out of turn`},
		{"sat\nb0\n@0\n#0\n", `4:1: frames follow each other, states before inputs: "#0" is out of turn`},
		{"sat\nb0\n#0\n0 101\n", `4:3: "101" has 3 digits, want 2`},
		{"sat\nb0\n#0\n0 1z\n", `4:3: "1z" is no binary number`},
		{"sat\nb0\n#0\n1 00\n", "4:1: the file has 1 states; there is no 1"},
		{"sat\nb0\n#0\n0 00\n0 00\n", "5:1: the value is given twice"},
		{"sat\nb0\n@0\n.\nx\n", "5:1: nothing follows the dot that ends a witness"},
	} {
		if _, err := f.ReadWitness([]byte(c.text), "w"); err == nil || err.Error() != "w:"+c.want {
			t.Errorf("%q: %v, want w:%s", c.text, err, c.want)
		}
	}
}

// FuzzRead: bytes are refused with a place inside the file, or are a file whose circuits agree
// with numbers.
func FuzzRead(f *testing.F) {
	f.Add([]byte(counter))
	f.Add([]byte("1 sort bitvec 1\n2 sort bitvec 4\n3 sort array 1 2\n4 zero 2\n5 state 3 mem\n6 init 3 5 4\n7 input 1 i\n8 input 2 v\n" +
		"9 write 3 5 7 8\n10 next 3 5 9\n11 read 2 5 -7\n12 udiv 2 8 11\n13 slice 1 12 3 3\n14 bad 13\n15 constraint -7\n16 justice 2 7 -7\n17 fair 7\n18 output 8\n"))
	f.Fuzz(func(t *testing.T, data []byte) {
		file, err := Read(context.Background(), data, "x")
		if err != nil {
			var e *Error
			if !errors.As(err, &e) || e.Line < 1 || e.Column < 1 || e.Rule == "" {
				t.Fatalf("%#v", err)
			}
			return
		}
		if file.Sys.G.Len() > 1<<14 {
			return
		}
		if err := tstest.Check(file.Sys); err != nil {
			t.Fatal(err)
		}
		tr := randomTrace(newRand(len(data)), file.Sys, 2)
		compareRuns(t, file, tr)
	})
}

// refused are the public files that break the format, and how. Most are tests of the readers
// that they come with.
var refused = map[string]string{
	"e168857f_redand-array1.btor2": "7:12: redand has no arrays",
	"7c30f3ec_sext-array1.btor2":   "7:10: this is an array of 8-bit words indexed by 4 bits, want a word",
	"8b020d3f_slice-oob1.btor2":    "5:13: the highest bit is from 0 to 7, not 100",
	"21171465_unsafe1.btor2":       "10:6: the result is a word of 2 bits, want a word of 1 bits",
}

// TestPublic: public files are read, and have what the table says.
func TestPublic(t *testing.T) {
	shared := filepath.Join("..", "..", "..", "shared", "models")
	table, err := os.Open(filepath.Join(shared, "btor2_truth.tsv"))
	if err != nil {
		t.Skip(err)
	}
	defer table.Close()
	r := csv.NewReader(table)
	r.Comma, r.LazyQuotes, r.FieldsPerRecord = '\t', true, -1
	rows, err := r.ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	column := make(map[string]int)
	for i, name := range rows[0] {
		column[name] = i
	}
	n := 0
	for _, row := range rows[1:] {
		paths, _ := filepath.Glob(filepath.Join(shared, "btor2", "*", row[column["sha256"]][:8]+"_*"))
		if len(paths) == 0 {
			continue
		}
		n++
		data, err := os.ReadFile(paths[0])
		if err != nil {
			t.Fatal(err)
		}
		name := filepath.Base(paths[0])
		f, err := Read(context.Background(), data, name)
		if why := refused[name]; why != "" || err != nil {
			if err == nil || err.Error() != name+":"+why {
				t.Errorf("%s: %v, want %s", name, err, why)
			}
			continue
		}
		if err := tstest.Check(f.Sys); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		for what, got := range map[string]int{"states": len(f.states), "inputs": len(f.inputs), "bads": len(f.bads),
			"constraints": len(f.constraints), "justice": len(f.Justice), "fair": len(f.Fair)} {
			if want, err := strconv.Atoi(row[column[what]]); err != nil || got != want {
				t.Errorf("%s: %d %s, want %s", name, got, what, row[column[what]])
			}
		}
		compareRuns(t, f, randomTrace(newRand(n), f.Sys, 3))
	}
	t.Logf("%d files", n)
	if n < 100 {
		t.Errorf("only %d files", n)
	}
}

// TestStatesOfOtherNames: a state has the first name of a line that is it, but its own before that, and none of its
// complement or of an input.
func TestStatesOfOtherNames(t *testing.T) {
	f := readText(t, `1 sort bitvec 1
2 sort bitvec 3
3 state 1
4 state 1 own
5 state 1
6 state 1
7 input 1
8 output 3 first
9 output 3 second
10 output 4 other
11 output -5 complement
12 uext 2 6 2 wide
13 output 7 input
14 redor 1 12
15 and 1 3 4
16 and 1 15 5
17 and 1 16 14
18 and 1 17 7
19 next 1 3 4
20 next 1 4 5
21 next 1 5 6
22 next 1 6 7
23 bad 18
`)
	var names []string
	for _, l := range f.Sys.Latches {
		names = append(names, l.Name)
	}
	if got := strings.Join(append(names, f.Sys.Inputs[0].Name), " "); got != "first own n5 wide n7" {
		t.Errorf("names %s", got)
	}
}
