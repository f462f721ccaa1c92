package task

import (
	"context"
	"os"
	"path/filepath"
	"testing"
)

// TestFiles: what was read of a file is what counts, whatever becomes of the file.
func TestFiles(t *testing.T) {
	file := filepath.Join(t.TempDir(), "m.m")
	write := func(text string) {
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	write("\ufeffvar x: boolean; startstate x := true; end; rule x ==> x := x; end;")
	ctx, cancel := context.WithCancel(t.Context())
	files := NewFiles(ctx)
	first, err := Open(t.Context(), file, Options{Files: files})
	if err != nil {
		t.Fatal(err)
	}
	if name := files.Changed(); name != "" {
		t.Errorf("%s is changed", name)
	}
	write("var y: boolean; startstate y := true; end; rule y ==> y := y; end;")
	cancel()
	for _, opt := range []Options{{Files: files}, first.Options} {
		if again, err := Open(t.Context(), file, opt); err != nil || again.Problem.Model.Vars[0].Name != "x" {
			t.Errorf("read again: %v", err)
		}
	}
	if name := files.Changed(); name != file {
		t.Errorf("changed is %q", name)
	}
	if _, err := files.Read(file + "x"); err == nil {
		t.Error("there is no such file")
	}
	if name, _ := files.Stopped(); name != "" {
		t.Errorf("%s was not read to its end", name)
	}
}
