package task

import (
	"os"
	"path/filepath"
	"testing"
)

// TestUnread: a file whose extension says nothing is named by its contents, also if nothing reads it.
func TestUnread(t *testing.T) {
	for _, c := range []struct{ text, unread, language string }{
		{"MODULE main\nVAR x: boolean;\n", "SMV", ""},
		{"module top (input clk);\nendmodule\n", "", "Verilog"},
		{"\x7fELF\x02\x01\x01\x00\x00", "a binary file", ""},
		{"aig 1 0 0 0 1\n\x00", "", "AIGER"}, // it is binary, too
		{"1 sort bitvec 1\n", "", "BTOR2"},
		{"active proctype P() { skip }\n", "", "Promela"},
		{"byte x; active proctype P() { skip }\n", "", "Promela"},
		{"var x: boolean;\nstartstate x := true; end;\n", "", "Murphi"},
	} {
		file := filepath.Join(t.TempDir(), "file.txt")
		if err := os.WriteFile(file, []byte(c.text), 0o600); err != nil {
			t.Fatal(err)
		}
		if got := (Options{}).unread(file); got != c.unread {
			t.Errorf("%q: not read as %q, want %q", c.text, got, c.unread)
		}
		if got := (Options{}).Language(file); c.unread == "" && got != c.language {
			t.Errorf("%q: read as %s, want %s", c.text, got, c.language)
		}
	}
}
