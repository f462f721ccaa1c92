package front

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// Excerpt returns two lines of text, a line of a source and a mark under a column, which counts bytes from 1; "" where there is
// nothing to show. Of a long line it is a part. What a terminal cannot show is replaced.
func Excerpt(text string, col int) string {
	const before, limit = 60, 100 // bytes shown in front of the position, and in all
	at := col - 1
	if at < 0 || at > len(text) || strings.TrimSpace(text) == "" {
		return ""
	}
	from, to := 0, len(text)
	if to > limit && at > before {
		from = at - before
	}
	to = min(to, from+limit)
	for from > 0 && !utf8.RuneStart(text[from]) {
		from--
	}
	for to < len(text) && !utf8.RuneStart(text[to]) {
		to++
	}
	var line, mark strings.Builder
	for i, r := range text[from:to] {
		if r != '\t' && !unicode.IsPrint(r) {
			r = '\ufffd'
		}
		line.WriteRune(r)
		switch {
		case from+i >= at:
		case r == '\t':
			mark.WriteByte('\t')
		default:
			mark.WriteByte(' ')
		}
	}
	return "    " + strings.TrimRight(line.String(), " \t") + "\n    " + mark.String() + "^\n"
}
