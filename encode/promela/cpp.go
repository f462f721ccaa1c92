package promela

import (
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"orbitmc/internal/lists"
)

// The preprocessor works on tokens: #define with and without arguments, # and ##, #undef,
// #include "file", #if, #ifdef, #ifndef, #elif, #else, #endif, #error; #line and #pragma
// have no effect.

type macro struct {
	params []string // nil: without arguments
	takes  bool     // it has arguments, perhaps none
	body   []token
	given  bool // by an option: the file cannot change it
	used   bool // given: the file asks for it, or defines it itself
	at     place
}

// maxTokens bounds what macros and inlines expand to, maxIncludes the depth of #include.
const (
	maxTokens   = 1 << 20
	maxIncludes = 50
)

type preprocessor struct {
	macros map[string]*macro
	out    []token
	read   func(name string) ([]byte, error)
	depth  int    // of #include
	note   noting // is told the macros
}

// preprocess returns the tokens of a file, with all directives carried out, and tells note about macros.
func preprocess(src *source, opt Options, note noting, more ...token) []token {
	p := &preprocessor{macros: map[string]*macro{}, read: opt.Read, note: note}
	if p.read == nil {
		p.read = os.ReadFile
	}
	for name, text := range opt.Defines {
		body := lex(&source{src.name, text})
		p.macros[name] = &macro{body: body[:len(body)-1], given: true}
	}
	toks := lex(src)
	p.file(toks[:len(toks)-1])
	p.file(more)
	p.unused(src.name, opt.Defines)
	return append(p.out, toks[len(toks)-1])
}

// unused fails if the program has no use for a macro that an option defines: it may be another one that was meant.
func (p *preprocessor) unused(file string, defines map[string]string) {
	for _, name := range slices.Sorted(maps.Keys(defines)) {
		if p.macros[name].used {
			continue
		}
		var own []string
		for _, other := range slices.Sorted(maps.Keys(p.macros)) {
			if m := p.macros[other]; !m.takes && (m.used || !m.given) {
				own = append(own, other)
			}
		}
		list := "it has no macros"
		if len(own) > 0 {
			list = "its macros are " + strings.Join(own, ", ")
		}
		panic(&Error{File: file, Msg: fmt.Sprintf("the program does not use the macro %s; %s", name, list)})
	}
}

// macro returns the macro of a name, nil if there is none.
func (p *preprocessor) macro(name string) *macro {
	m := p.macros[name]
	if m != nil {
		m.used = true
	}
	return m
}

// conditional is an #if with what follows it up to #endif.
type conditional struct {
	at     token
	active bool // this part is read
	done   bool // some part was, or none is to be
	last   bool // #else was seen
}

// file reads the tokens of a file, without the end.
func (p *preprocessor) file(toks []token) {
	var conds []conditional
	active := func() bool { return len(conds) == 0 || conds[len(conds)-1].active }
	var text []token // lines since the last directive
	flush := func() {
		p.out = append(p.out, p.expand(text)...)
		if len(p.out) > maxTokens {
			fail(p.out[len(p.out)-1].at, "macros expand to more than %d words", maxTokens)
		}
		text = nil
	}
	for i := 0; i < len(toks); {
		if !toks[i].hash {
			if active() {
				text = append(text, toks[i])
			}
			i++
			continue
		}
		hash := toks[i]
		j := i + 1
		for j < len(toks) && !toks[j].nl {
			j++
		}
		line := toks[i+1 : j]
		i = j
		if len(line) == 0 {
			continue
		}
		word, rest := line[0], line[1:]
		if word.kind == tNum { // a line marker
			continue
		}
		top := len(conds) - 1
		switch word.text {
		case "if", "ifdef", "ifndef":
			flush()
			c := conditional{at: hash, done: !active()}
			if !c.done {
				c.active = p.condition(word, rest)
				c.done = c.active
			}
			conds = append(conds, c)
		case "elif", "else":
			flush()
			if top < 0 || conds[top].last {
				fail(word.at, "#%s without #if", word.text)
			}
			c := &conds[top]
			c.last = word.text == "else"
			c.active = !c.done && (c.last || p.condition(word, rest))
			c.done = c.done || c.active
		case "endif":
			flush()
			if top < 0 {
				fail(word.at, "#endif without #if")
			}
			conds = conds[:top]
		default:
			if active() {
				flush()
				p.directive(word, rest)
			}
		}
	}
	flush()
	if len(conds) > 0 {
		fail(conds[len(conds)-1].at.at, "#if without #endif")
	}
}

func (p *preprocessor) directive(word token, rest []token) {
	switch word.text {
	case "define":
		p.define(word, rest)
	case "undef":
		if len(rest) != 1 || rest[0].kind != tName {
			fail(word.at, "#undef needs a name")
		}
		if m := p.macro(rest[0].text); m != nil && !m.given {
			delete(p.macros, rest[0].text)
		}
	case "include":
		if len(rest) != 1 || rest[0].kind != tStr {
			fail(word.at, "#include needs the name of a file in quotes")
		}
		if p.depth++; p.depth > maxIncludes {
			fail(word.at, "#include is nested more than %d deep", maxIncludes)
		}
		name := filepath.Join(filepath.Dir(word.at.src.name), strings.Trim(rest[0].text, `"`))
		data, err := p.read(name)
		if err != nil {
			fail(rest[0].at, "%v", err)
		}
		toks := lex(&source{name, string(data)})
		p.file(toks[:len(toks)-1])
		p.depth--
	case "error":
		fail(word.at, "#error %s", texts(rest))
	case "line", "pragma", "warning", "ident":
	default:
		fail(word.at, "there is no directive #%s", word.text)
	}
}

// texts writes tokens with blanks between them.
func texts(toks []token) string {
	return lists.Join(toks, " ", func(t token) string { return t.text })
}

func (p *preprocessor) define(word token, rest []token) {
	if len(rest) == 0 || rest[0].kind != tName {
		fail(word.at, "#define needs a name")
	}
	m := &macro{at: rest[0].at}
	name := rest[0]
	rest = rest[1:]
	if len(rest) > 0 && rest[0].text == "(" && !rest[0].gap {
		m.takes = true
		k := 1
		for ; k < len(rest) && rest[k].text != ")"; k++ {
			if rest[k].kind == tName {
				m.params = append(m.params, rest[k].text)
			} else if rest[k].text != "," {
				fail(rest[k].at, "%q is no parameter of a macro", rest[k].text)
			}
		}
		if k == len(rest) {
			fail(name.at, "the parameters of the macro %s are not closed", name.text)
		}
		rest = rest[k+1:]
	}
	m.body = rest
	if old := p.macro(name.text); old == nil || !old.given {
		p.macros[name.text] = m
	}
	p.noteMacro(name, m)
}

// expand replaces the macros in a sequence of tokens.
func (p *preprocessor) expand(in []token) []token {
	var out []token
	for n := 0; len(in) > 0; {
		t := in[0]
		m := p.macro(t.text)
		if t.kind != tName || m == nil || t.hide[t.text] || m.takes && (len(in) < 2 || in[1].text != "(") {
			out = append(out, t)
			in = in[1:]
			continue
		}
		if n++; n > maxTokens {
			fail(t.at, "macros expand without end")
		}
		p.noteMacro(t, m)
		used := 1
		var args [][]token
		if m.takes {
			args, used = p.arguments(t, m, in)
		}
		body := p.substitute(t, m, args)
		if len(body)+len(in) > maxTokens {
			fail(t.at, "macros expand to more than %d words", maxTokens)
		}
		in = append(body, in[used:]...)
	}
	return out
}

// arguments returns the arguments of the macro used at in[0], and how many tokens that
// takes.
func (p *preprocessor) arguments(name token, m *macro, in []token) (args [][]token, used int) {
	args, n := arguments(in[1:], "(", ")")
	if n == 0 {
		fail(name.at, "the arguments of the macro %s are not closed", name.text)
	}
	if args == nil && len(m.params) > 0 {
		args = [][]token{nil}
	}
	if len(args) != len(m.params) {
		fail(name.at, "the macro %s takes %d arguments, not %d", name.text, len(m.params), len(args))
	}
	return args, n + 1
}

// arguments splits what stands in brackets from in[0] on at its commas, those within further brackets left out, and returns
// how many tokens that takes; 0: the brackets are not closed.
func arguments(in []token, open, shut string) (args [][]token, n int) {
	var arg []token
	depth := 0
	for i, t := range in {
		switch {
		case len(t.text) == 1 && strings.Contains(open, t.text):
			if depth++; depth == 1 {
				continue
			}
		case len(t.text) == 1 && strings.Contains(shut, t.text):
			if depth--; depth > 0 {
				break
			}
			if len(arg) > 0 || len(args) > 0 {
				args = append(args, arg)
			}
			return args, i + 1
		case t.text == "," && depth == 1:
			args, arg = append(args, arg), nil
			continue
		}
		arg = append(arg, t)
	}
	return nil, 0
}

// substitute returns the body of a macro for its use at name.
func (p *preprocessor) substitute(name token, m *macro, args [][]token) []token {
	hide := maps.Clone(name.hide)
	if hide == nil {
		hide = map[string]bool{}
	}
	hide[name.text] = true
	index := lists.IndexBy(m.params, func(v string) string { return v })
	var out []token
	put := func(ts ...token) {
		for _, t := range ts {
			t.at, t.nl, t.hash = name.at, false, false
			if t.hide == nil {
				t.hide = hide
			} else {
				h := maps.Clone(t.hide)
				maps.Copy(h, hide)
				t.hide = h
			}
			if len(out) == 0 {
				t.nl, t.gap = name.nl, name.gap
			}
			out = append(out, t)
		}
	}
	for k := 0; k < len(m.body); k++ {
		t := m.body[k]
		i, param := index[t.text]
		param = param && t.kind == tName
		pasted := k+1 < len(m.body) && m.body[k+1].text == "##"
		switch {
		case t.text == "#" && k+1 < len(m.body):
			if j, ok := index[m.body[k+1].text]; ok {
				put(token{kind: tStr, text: strconv.Quote(texts(args[j]))})
				k++
				continue
			}
			put(t)
		case t.text == "##" && len(out) > 0 && k+1 < len(m.body):
			next := m.body[k+1]
			text := next.text
			var more []token
			if j, ok := index[text]; ok {
				text = ""
				if len(args[j]) > 0 {
					text, more = args[j][0].text, args[j][1:]
				}
			}
			last := &out[len(out)-1]
			joined := lex(&source{name.at.src.name, last.text + text})
			if len(joined) != 2 {
				fail(name.at, "%q and %q do not make a word", last.text, text)
			}
			last.kind, last.text, last.val = joined[0].kind, joined[0].text, joined[0].val
			put(more...)
			k++
		case param && pasted:
			put(args[i]...)
			if len(args[i]) == 0 {
				k++ // nothing to paste to
			}
		case param:
			put(p.expand(args[i])...)
		default:
			put(t)
		}
	}
	return out
}

// condition evaluates the condition of #if, #elif, #ifdef or #ifndef.
func (p *preprocessor) condition(word token, rest []token) bool {
	if word.text == "ifdef" || word.text == "ifndef" {
		if len(rest) == 0 || rest[0].kind != tName {
			fail(word.at, "#%s needs a name", word.text)
		}
		return (p.macro(rest[0].text) != nil) == (word.text == "ifdef")
	}
	var in []token
	for k := 0; k < len(rest); k++ {
		if rest[k].text != "defined" {
			in = append(in, rest[k])
			continue
		}
		var name token
		switch {
		case k+1 < len(rest) && rest[k+1].kind == tName:
			name, k = rest[k+1], k+1
		case k+3 < len(rest) && rest[k+1].text == "(" && rest[k+3].text == ")":
			name, k = rest[k+2], k+3
		default:
			fail(rest[k].at, "defined needs a name")
		}
		v := token{kind: tNum, at: name.at}
		if p.macro(name.text) != nil {
			v.val = 1
		}
		in = append(in, v)
	}
	in = p.expand(in)
	for i, t := range in { // other names are 0
		if t.kind == tName {
			in[i] = token{kind: tNum, at: t.at}
			if t.text == "true" {
				in[i].val = 1
			}
		}
	}
	end := token{kind: tEOF, at: word.at}
	q := &parser{toks: append(in, end)}
	e := q.expr(0)
	if q.peek().kind != tEOF {
		fail(q.peek().at, "%q does not belong to the condition", q.peek().text)
	}
	v, ok := constant(e)
	if !ok {
		fail(word.at, "the condition is not constant")
	}
	return v != 0
}
