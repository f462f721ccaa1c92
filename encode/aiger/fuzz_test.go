package aiger_test

import (
	"bytes"
	"errors"
	"testing"

	"orbitmc/encode/aiger"
	"orbitmc/internal/testkit/tstest"
)

// FuzzRead: any bytes are refused with a place inside the file, or are a file
// that can be written in both codings, is then read as the same, and becomes the
// same bytes again.
func FuzzRead(f *testing.F) {
	f.Add([]byte(everything))
	for _, seed := range []string{
		"aig 6 2 3 2 1 2 2 2 1\n0\n7 1\n12 10\n0\n1\n1\n12\n13\n13\n2\n0\n10\n7\n11\n\x08\x01i1 x\nl2 y\nc1 z\nj0 a\nf0 b\nc\ntext\n",
		"aig 3 1 1 1 1\n6 4\n7\n\x02\x02o0 bad\n",
		"aag 3 1 1 1 1\n2\n4 6 1\n7\n6 4 2\no0 bad\n",
		"aag 5 2 0 1 3\n2\n4\n10\n10 8 3\n8 6 4\n6 2 5\n",
		"aag 2147483647 1 0 1 0\n4294967294\n4294967295\n",
		"aig 131 130 0 1 1\n262\n\x82\x02\x02",
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		file, err := aiger.Read(bytes.NewReader(data), "x")
		if err != nil {
			var e *aiger.Error
			if !errors.As(err, &e) || e.Offset < 0 || e.Offset > len(data) || e.Rule == "" {
				t.Fatalf("%#v", err)
			}
			return
		}
		if err := tstest.Check(file.Sys); err != nil {
			t.Fatal(err)
		}
		ascii := write(t, file, false)
		for _, binary := range []bool{false, true} {
			text := write(t, file, binary)
			again := read(t, "x", text)
			if err := different(file, again); err != nil {
				t.Fatal(err)
			}
			if !bytes.Equal(write(t, again, false), ascii) || !bytes.Equal(write(t, again, binary), text) {
				t.Fatalf("%q is read as another file", text)
			}
		}
	})
}
