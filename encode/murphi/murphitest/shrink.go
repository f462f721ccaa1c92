package murphitest

import "strings"

// Shrink returns a source on which fails still holds and from which nothing can
// be removed in one of its moves: deleting consecutive lines, deleting the head
// and foot of a block, and replacing text in parentheses by a constant or by
// something in parentheses within it. fails must be false for a source that
// does not parse.
func Shrink(src string, fails func(src string) bool) string {
	lines := strings.Split(strings.TrimRight(src, "\n"), "\n")
	join := func(lines []string) string { return strings.Join(lines, "\n") + "\n" }
	if !fails(join(lines)) {
		return src
	}
	for {
		before := join(lines)
		lines = deleteLines(lines, func(ls []string) bool { return fails(join(ls)) })
		lines = openBlocks(lines, func(ls []string) bool { return fails(join(ls)) })
		for i := range lines {
			lines[i] = simplify(lines[i], func(l string) bool {
				ls := append([]string(nil), lines...)
				ls[i] = l
				return fails(join(ls))
			})
		}
		if join(lines) == before {
			return before
		}
	}
}

// deleteLines tries to delete runs of lines, long ones first.
func deleteLines(lines []string, fails func([]string) bool) []string {
	for n := len(lines) / 2; n > 0; {
		for at := len(lines) - n; at >= 0; at-- {
			rest := append(append([]string(nil), lines[:at]...), lines[at+n:]...)
			if fails(rest) {
				lines = rest
				at = min(at, len(lines)-n+1)
			}
		}
		if n > 12 {
			n /= 2
		} else {
			n--
		}
	}
	return lines
}

// openBlocks tries to delete the first and last line of each block, which have
// the same indentation, and keep what is between.
func openBlocks(lines []string, fails func([]string) bool) []string {
	depth := func(s string) int { return len(s) - len(strings.TrimLeft(s, " ")) }
	for i := 0; i < len(lines); i++ {
		for j := i + 1; j < len(lines) && depth(lines[j]) >= depth(lines[i]); j++ {
			if depth(lines[j]) > depth(lines[i]) {
				continue
			}
			rest := append([]string(nil), lines[:i]...)
			rest = append(append(rest, lines[i+1:j]...), lines[j+1:]...)
			if fails(rest) {
				lines = rest
				i--
				break
			}
		}
	}
	return lines
}

// simplify tries to replace each group in parentheses.
func simplify(line string, fails func(string) bool) string {
	for at := 0; at < len(line); at++ {
		if line[at] != '(' {
			continue
		}
		end := closing(line, at)
		if end < 0 {
			return line
		}
		candidates := []string{"true", "false", "0", "1"}
		for in := at + 1; in < end; in++ {
			if line[in] == '(' {
				if out := closing(line, in); out > 0 {
					candidates = append(candidates, line[in:out+1])
				}
			}
		}
		for _, text := range candidates {
			if shorter := line[:at] + text + line[end+1:]; len(shorter) < len(line) && fails(shorter) {
				line = shorter
				at--
				break
			}
		}
	}
	return line
}

// closing returns the position of the parenthesis that closes the one at i.
func closing(s string, i int) int {
	open := 0
	for ; i < len(s); i++ {
		switch s[i] {
		case '(':
			open++
		case ')':
			if open--; open == 0 {
				return i
			}
		}
	}
	return -1
}
