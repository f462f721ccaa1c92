package murphitest

import (
	"fmt"
	"math/rand/v2"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// grammar makes texts by rules. $name in a text stands for what the rule or the word of that name makes, $name1 for the same
// each time it is in the text, and $7 for a number below 7. A word is what depends on what is in scope; it is "" if there is none.
type grammar struct {
	*rand.Rand
	b     strings.Builder
	rules map[string][]alternative
	words map[string]func() string
	named int
	depth int // blocks that may be within those around
	calls int // and conditions, around
}

// alternative is a text that a rule makes. If it is not to be, or has a word that is "", the last alternative takes its place.
type alternative struct {
	weight, seldom int // it is not to be, but once in seldom times
	text           string
}

var (
	hole   = regexp.MustCompile(`\$([a-z]+[A-Z]?)\d?|\$(\d+)`)
	chance = regexp.MustCompile(`^(?:(\d+)\* ?)?(?:(\d+)\? )?(.*)$`)
)

// rulesOf reads rules, one a line: the name, =, and alternatives divided by ~. 3* before one is its weight, 4? before it says
// that it is to be once in 4 times.
func rulesOf(text string) map[string][]alternative {
	rules := make(map[string][]alternative)
	for line := range strings.Lines(strings.TrimSpace(text)) {
		name, all, _ := strings.Cut(strings.TrimSpace(line), " = ")
		for a := range strings.SplitSeq(all, "~") {
			m := chance.FindStringSubmatch(strings.TrimSpace(a))
			weight, _ := strconv.Atoi("0" + m[1])
			seldom, _ := strconv.Atoi("0" + m[2])
			rules[name] = append(rules[name], alternative{max(weight, 1), seldom, m[3]})
		}
	}
	return rules
}

// rare is true once in n times.
func (g *grammar) rare(n int) bool { return g.IntN(n) == 0 }

func (g *grammar) fresh(prefix string) string {
	g.named++
	return fmt.Sprint(prefix, g.named)
}

func (g *grammar) among(xs ...string) string { return xs[g.IntN(len(xs))] }

// any is one of xs, or "".
func (g *grammar) any(xs []string) string {
	if len(xs) == 0 {
		return ""
	}
	return g.among(xs...)
}

// make makes what a name stands for.
func (g *grammar) make(name string) string {
	s, _ := g.made(name)
	return s
}

// made is make, which also reports whether there is all of it.
func (g *grammar) made(name string) (s string, ok bool) {
	if word := g.words[name]; word != nil {
		s = word()
		return s, s != ""
	}
	all, n := g.rules[name], 0
	if all == nil {
		panic("no rule " + name)
	}
	for _, a := range all {
		n += a.weight
	}
	n = g.IntN(n)
	for _, a := range all {
		if n -= a.weight; n < 0 {
			if a.seldom == 0 || g.rare(a.seldom) {
				if s, ok := g.filled(a.text); ok {
					return s, true
				}
			}
			break
		}
	}
	return g.filled(all[len(all)-1].text)
}

// filled returns a text with what its names stand for, and whether there is all of it.
func (g *grammar) filled(text string) (s string, ok bool) {
	ok = true
	same := make(map[string]string)
	s = hole.ReplaceAllStringFunc(text, func(h string) string {
		m := hole.FindStringSubmatch(h)
		if m[2] != "" {
			n, _ := strconv.Atoi(m[2])
			return fmt.Sprint(g.IntN(n))
		}
		if s, again := same[h]; again {
			return s
		}
		s, all := g.made(m[1])
		ok = ok && all
		if len(h) > len(m[1])+1 {
			same[h] = s
		}
		return s
	})
	return s, ok
}

func (g *grammar) fill(text string) string {
	s, _ := g.filled(text)
	return s
}

// some makes least to most things of a name, one a line.
func (g *grammar) some(name string, least, most int) string {
	var all []string
	for n := least + g.IntN(most-least+1); n > 0; n-- {
		all = append(all, g.make(name))
	}
	return strings.Join(all, "\n")
}

// inner makes what a name stands for, of a block in the one around; "" if it is too deep.
func (g *grammar) inner(name string) string {
	if g.depth == 0 {
		return ""
	}
	g.depth--
	defer func() { g.depth++ }()
	return g.make(name)
}

// model adds rules, statements and properties to the text of the model: { begins what is indented in a line of its own, and } ends it.
func (g *grammar) model(text string) {
	text = strings.NewReplacer("{", "\n{", "}", "\n}").Replace(text)
	indent := ""
	for line := range strings.SplitSeq(text, "\n") {
		switch line = strings.TrimSpace(line); {
		case strings.HasPrefix(line, "{"):
			indent += "  "
			line = line[1:]
		case strings.HasPrefix(line, "}"):
			indent = indent[2:]
			line = line[1:]
		}
		if line = strings.TrimSpace(line); line != "" {
			fmt.Fprintf(&g.b, "%s%s\n", indent, line)
		}
	}
}

// routine is a procedure, or a function if the result is not "-". It has a letter for each parameter.
type routine struct{ name, result, params string }

// call calls one of the routines with that result, with what is made of a name for each parameter.
func (g *grammar) call(all []routine, result string, args map[rune]string) string {
	all = slices.DeleteFunc(slices.Clone(all), func(r routine) bool { return r.result != result })
	if len(all) == 0 || g.calls > 2 {
		return ""
	}
	g.calls++
	defer func() { g.calls-- }()
	r := all[g.IntN(len(all))]
	var with []string
	for _, p := range r.params {
		s, ok := g.made(args[p])
		if !ok {
			return ""
		}
		with = append(with, s)
	}
	return r.name + "(" + strings.Join(with, ", ") + ")"
}

// head is the head of a routine, with the declaration of each parameter, in which # is its name. in takes what comes into scope.
func (g *grammar) head(r routine, params map[rune]string, in func(param rune, name string)) string {
	var all []string
	for i, p := range r.params {
		name := fmt.Sprintf("%c%d", p, i)
		in(p, name)
		all = append(all, strings.Replace(params[p], "#", name, 1))
	}
	head := r.name + "(" + strings.Join(all, "; ") + ")"
	if r.result == "-" {
		return "procedure " + head
	}
	return "function " + head + ": " + r.result
}
