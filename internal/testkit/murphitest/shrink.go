package murphitest

import "strings"

// Shrink returns a source on which fails still holds and from which nothing can
// be removed in one of its moves: deleting consecutive lines, deleting the head
// and foot of a block with what divides it, replacing a call or text in
// parentheses by a constant or by something in parentheses within it, deleting
// one of a list, and deleting a parameter of a procedure with its arguments.
// fails must be false for a source that does not parse.
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
		lines = dropParameters(lines, func(ls []string) bool { return fails(join(ls)) })
		for i := range lines {
			try := func(l string) bool {
				ls := append([]string(nil), lines...)
				ls[i] = l
				return fails(join(ls))
			}
			lines[i] = dropItems(simplify(lines[i], try), try)
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
// the same indentation, and keep what is between but for the lines of that
// indentation.
func openBlocks(lines []string, fails func([]string) bool) []string {
	depth := func(s string) int { return len(s) - len(strings.TrimLeft(s, " ")) }
	for i := 0; i < len(lines); i++ {
		for j := i + 1; j < len(lines) && depth(lines[j]) >= depth(lines[i]); j++ {
			if depth(lines[j]) > depth(lines[i]) {
				continue
			}
			rest := append([]string(nil), lines[:i]...)
			for _, l := range lines[i+1 : j] {
				if depth(l) > depth(lines[i]) {
					rest = append(rest, l)
				}
			}
			rest = append(rest, lines[j+1:]...)
			if fails(rest) {
				lines = rest
				i--
				break
			}
		}
	}
	return lines
}

// simplify tries to replace each group in parentheses, with the name before it.
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
			begin := at
			for begin > 0 && isName(line[begin-1]) {
				begin--
			}
			if shorter := line[:begin] + text + line[end+1:]; len(shorter) < len(line) && fails(shorter) {
				line = shorter
				at = begin - 1
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

func isName(c byte) bool {
	return c == '_' || c >= '0' && c <= '9' || c >= 'A' && c <= 'Z' || c >= 'a' && c <= 'z'
}

// dropItems tries to delete the items of the lists in a line: of members, fields,
// ruleset parameters, aliases and labels.
func dropItems(line string, fails func(string) bool) string {
	for at := 1; at < len(line); at++ {
		if line[at-1] != ';' && line[at-1] != ',' || line[at] != ' ' {
			continue
		}
		begin := 0 // of the item before
		for _, mark := range []string{"{", "; ", ", ", "ruleset ", "alias ", "record ", "case "} {
			if k := strings.LastIndex(line[:at-1], mark); k >= 0 {
				begin = max(begin, k+len(mark))
			}
		}
		end := len(line) // of the item behind
		for _, mark := range []string{"}", ";", ",", " do", " end"} {
			if k := strings.Index(line[at:], mark); k >= 0 {
				end = min(end, at+k)
			}
		}
		for _, shorter := range []string{line[:begin] + line[at+1:], line[:at-1] + line[end:]} {
			if fails(shorter) {
				line, at = shorter, begin
				break
			}
		}
	}
	return line
}

// dropParameters tries to delete each parameter of each procedure, and what its
// calls pass for it.
func dropParameters(lines []string, fails func([]string) bool) []string {
	for i := range lines {
		word, rest, _ := strings.Cut(lines[i], " ")
		name, _, ok := strings.Cut(rest, "(")
		if !ok || word != "procedure" && word != "function" {
			continue
		}
		for k := 0; k < len(items(lines[i], len(word)+1+len(name))); {
			shorter := make([]string, len(lines))
			for j, l := range lines {
				shorter[j] = dropItem(l, name, k)
			}
			if fails(shorter) {
				lines = shorter
			} else {
				k++
			}
		}
	}
	return lines
}

// dropItem deletes item k of each list that follows a name.
func dropItem(line, name string, k int) string {
	for at := 0; at < len(line); at++ {
		if !strings.HasPrefix(line[at:], name+"(") || at > 0 && isName(line[at-1]) {
			continue
		}
		open := at + len(name)
		if list := items(line, open); k < len(list) {
			rest := line[closing(line, open)+1:]
			separator := ", "
			if strings.HasPrefix(line, "procedure ") || strings.HasPrefix(line, "function ") {
				separator = "; "
			}
			line = line[:open+1] + strings.Join(append(list[:k:k], list[k+1:]...), separator) + ")" + rest
		}
	}
	return line
}

// items returns what is between the commas or semicolons of the list in the
// parentheses that open at i.
func items(line string, i int) (list []string) {
	end := closing(line, i)
	if end < 0 {
		return nil
	}
	deep, begin := 0, i+1
	for at := i + 1; at <= end; at++ {
		switch c := line[at]; {
		case c == '(' || c == '[' || c == '{':
			deep++
		case (c == ',' || c == ';' || at == end) && deep == 0:
			if text := strings.TrimSpace(line[begin:at]); text != "" {
				list = append(list, text)
			}
			begin = at + 1
		case c == ')' || c == ']' || c == '}':
			deep--
		}
	}
	return list
}
