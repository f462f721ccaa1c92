package front

import (
	"strings"
	"testing"
)

func TestExcerpt(t *testing.T) {
	long := strings.Repeat("x", 150)
	for _, c := range []struct {
		text string
		col  int
		want string
	}{
		{"\tx := y;", 7, "    \tx := y;\n    \t     ^\n"},
		{"ä := y;", 7, "    ä := y;\n         ^\n"},          // columns count bytes
		{"a\x1b[31m := 1;", 2, "    a�[31m := 1;\n     ^\n"}, // a terminal obeys none of it
		{"  ", 1, ""},
		{"x", 3, ""},
		{long + "!", 151, "    " + strings.Repeat("x", 60) + "!\n    " + strings.Repeat(" ", 60) + "^\n"},
	} {
		if got := Excerpt(c.text, c.col); got != c.want {
			t.Errorf("Excerpt(%q, %d) = %q, want %q", c.text, c.col, got, c.want)
		}
	}
}
