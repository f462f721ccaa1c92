package main

import (
	"bufio"
	"errors"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// TestWritten: each option whose value is a file is read, or is looked at behind a run that may not have written it.
func TestWritten(t *testing.T) {
	read := []string{"lemmas", "lift", "map", "replay"}
	for _, c := range newProgram().newApp(io.Discard, io.Discard).Commands {
		if c.Name == "bench" || c.Hidden {
			continue // writes what it is asked to, or fails
		}
		for _, f := range c.Flags {
			value, _ := spell(f)
			_, value, _ = strings.Cut(value, " ")
			name := f.Names()[0]
			reads := slices.Contains(read, name) || c.Name == "every" && name == "lemma" // elsewhere it is a name
			if is := strings.HasPrefix(value, "FILE") || value == "CERT"; is != (slices.Contains(written, name) || reads) {
				t.Errorf("orbitmc %s: is the value of %s, %q, a file?", c.Name, spelled(name), value)
			}
		}
	}
}

// A file whose writing fails in the middle is as it was, or is not there.
func TestWriteFileFails(t *testing.T) {
	dir := t.TempDir()
	old, fresh := filepath.Join(dir, "old"), filepath.Join(dir, "fresh")
	if err := os.WriteFile(old, []byte("before"), 0o640); err != nil {
		t.Fatal(err)
	}
	broken := errors.New("broken")
	for _, name := range []string{old, fresh} {
		err := writeFile(name, func(b *bufio.Writer) error {
			b.Write(make([]byte, 1<<20))
			return broken
		})
		if err != broken {
			t.Errorf("%s: %v", name, err)
		}
	}
	files, err := os.ReadDir(dir)
	if err != nil || len(files) != 1 {
		t.Errorf("%v, %v", files, err)
	}
	if text, err := os.ReadFile(old); string(text) != "before" {
		t.Errorf("%q, %v", text, err)
	}
	if err := writeFile(old, func(b *bufio.Writer) error { _, err := b.WriteString("after"); return err }); err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(old)
	st, _ := os.Stat(old)
	if string(text) != "after" || st.Mode().Perm() != 0o640 {
		t.Errorf("%q, %v, %v", text, st.Mode(), err)
	}
}
