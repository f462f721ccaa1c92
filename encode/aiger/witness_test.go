package aiger_test

import (
	"bytes"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"orbitmc/encode/aiger"
	"orbitmc/ts"
)

// counter has two bits, one uninitialised latch, an input that enables and a
// bad when both bits and the latch are 1.
const counter = `aag 10 1 3 0 6 2
2
4 11
6 15 1
8 8 8
20
4
10 4 2
12 5 3
14 6 2
16 4 6
18 8 4
20 18 6
`

func TestWitness(t *testing.T) {
	f := read(t, "counter", []byte(counter))
	good := "1\nb0b1\n011\n0\n1\n.\n"
	ws, err := f.ReadWitnesses([]byte("c a comment\nu0\n"+good+"c\n0\nb1\n.\n2\nj0\n"), "w")
	if err == nil {
		t.Fatalf("j0 is not there: %v", ws)
	}
	ws, err = f.ReadWitnesses([]byte("c a comment\nu0\n"+good+"c\n0\nb1\n."), "w")
	if err != nil {
		t.Fatal(err)
	}
	want := []*aiger.Witness{
		{Claim: '1', Bads: []int{0, 1}, Line: 3, Trace: &ts.Trace{Init: []bool{true}, Inputs: [][]bool{{false}, {true}}}},
		{Claim: '0', Bads: []int{1}, Line: 10},
	}
	if !reflect.DeepEqual(ws, want) {
		t.Errorf("%+v", ws)
	}
	for _, c := range []struct{ text, want string }{
		{"", "w:1:1: a witness begins with a line 0, 1 or 2, not with the end of the file (byte 0)"},
		{"3\n", `w:1:1: a witness begins with a line 0, 1 or 2, not with "3" (byte 0)`},
		{"1\nb2\n011\n0\n.\n", "w:2:1: a property is one of the file: b2 is not there, the number of bads is 2 (byte 2)"},
		{"1\nj0\n011\n0\n.\n", "w:2:1: a property is one of the file: j0 is not there, the number of justice properties is 0 (byte 2)"},
		{"1\n011\n0\n.\n", `w:2:1: a property of a witness is b or j and a number, not "0" (byte 2)`},
		{"1\nb0\n111\n0\n.\n", `w:3:1: a latch has its reset in the first frame: latch 0, "l0", is not 1 (byte 5)`},
		{"1\nb0\n001\n0\n.\n", `w:3:2: a latch has its reset in the first frame: latch 1, "l1", is not 0 (byte 6)`},
		{"1\nb0\n01\n0\n.\n", "w:3:3: the value of latch 2 is 0, 1 or x, not the end of the line (byte 7)"},
		{"1\nb0\n0110\n0\n.\n", `w:3:4: the last of 3 latch values is followed by a new line, not by "0" (byte 8)`},
		{"1\nb0\n011\n.\n", `w:4:1: the value of input 0 is 0, 1 or x, not "." (byte 9)`},
		{"1\nb0\n011\n0\n", "w:5:1: the value of input 0 is 0, 1 or x, not the end of the file (byte 11)"},
		{"0\nb0\n011\n0\n.\n", `w:3:1: a witness ends with a line of one dot, not with "0" (byte 5)`},
		{"0\nb0\n..\n", `w:3:2: the dot at the end of a witness is followed by a new line, not by "." (byte 6)`},
	} {
		if _, err := f.ReadWitnesses([]byte(c.text), "w"); err == nil || err.Error() != c.want {
			t.Errorf("%q: %v, want %s", c.text, err, c.want)
		}
	}
	// x is 0, or the reset
	ws, err = f.ReadWitnesses([]byte("1\nb0\nxxx\nx\n.\n"), "w")
	if err != nil || fmt.Sprint(ws[0].Trace.Init, ws[0].Trace.Inputs) != "[false] [[false]]" {
		t.Errorf("%+v, %v", ws, err)
	}
}

// TestWitnessRoundTrip writes random traces of random systems and reads them
// again; aigsim agrees on which of them are witnesses.
func TestWitnessRoundTrip(t *testing.T) {
	aigsim := os.Getenv("AIGSIM")
	if aigsim == "" {
		aigsim, _ = exec.LookPath("aigsim")
	}
	rng := rand.New(rand.NewPCG(3, 5))
	dir, accepted, refused := t.TempDir(), 0, 0
	for round := range 100 {
		f := aiger.FromSystem(randomSystem(rng))
		if len(f.Sys.Bads) == 0 {
			continue
		}
		tr := randomTrace(rng, f.Sys)
		var b bytes.Buffer
		bad := rng.IntN(len(f.Sys.Bads))
		if err := f.WriteWitness(&b, 'b', bad, tr); err != nil {
			t.Fatal(err)
		}
		ws, err := f.ReadWitnesses(b.Bytes(), "w")
		if err != nil || len(ws) != 1 || !reflect.DeepEqual(ws[0], &aiger.Witness{Claim: '1', Bads: []int{bad}, Trace: tr, Line: 1}) {
			t.Fatalf("round %d: %q is read as %+v, %v", round, b.String(), ws, err)
		}
		frames, err := f.Sys.Run(tr)
		if err != nil {
			t.Fatal(err)
		}
		holds := false // aigsim asks for the bad in any frame, before a constraint fails
		for _, fr := range frames {
			if !fr.Constraints {
				break
			}
			holds = holds || fr.Bads[bad]
		}
		if aigsim == "" {
			continue
		}
		model, witness := filepath.Join(dir, "m.aag"), filepath.Join(dir, "w")
		if err := os.WriteFile(model, write(t, f, false), 0o666); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(witness, b.Bytes(), 0o666); err != nil {
			t.Fatal(err)
		}
		out, err := exec.Command(aigsim, "-c", model, witness).CombinedOutput()
		if (err == nil) != holds {
			t.Fatalf("round %d: the bad holds: %v; aigsim: %v\n%s", round, holds, err, out)
		}
		if holds {
			accepted++
		} else {
			refused++
		}
	}
	if aigsim == "" {
		t.Skip("aigsim is not installed, and AIGSIM is not set; only our own reading was compared")
	}
	if accepted < 8 || refused < 8 {
		t.Errorf("%d witnesses accepted, %d refused", accepted, refused)
	}
}

// FuzzWitness: any bytes are refused with a place, or are witnesses that are
// written as they are read.
func FuzzWitness(f *testing.F) {
	for _, s := range []string{"1\nb0b1\n011\n0\n1\n.\n", "0\nb1\n.", "u1\n2\nb0\n.\nc\n", "1\nb0\nxxx\nx\n.\n"} {
		f.Add([]byte(s))
	}
	file, err := aiger.Read(strings.NewReader(counter), "counter")
	if err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		ws, err := file.ReadWitnesses(data, "w")
		if err != nil {
			var e *aiger.Error
			if !errors.As(err, &e) || e.Offset < 0 || e.Offset > len(data) {
				t.Fatalf("%#v", err)
			}
			return
		}
		for _, w := range ws {
			if w.Claim != '1' || len(w.Bads) == 0 {
				continue
			}
			var b bytes.Buffer
			if err := file.WriteWitness(&b, 'b', w.Bads[0], w.Trace); err != nil {
				t.Fatal(err)
			}
			again, err := file.ReadWitnesses(b.Bytes(), "again")
			if err != nil || !reflect.DeepEqual(again[0].Trace, w.Trace) {
				t.Fatalf("%q: %v", b.String(), err)
			}
		}
	})
}
