// Printing a syntax tree as source, in one layout whatever the text looked like:
// what belongs to something is indented by two, every declaration and statement
// has its line, parentheses stand only where they are needed. Comments are not
// part of the tree and get lost.

package murphi

import (
	"strings"

	"orbitmc/internal/lists"
	"orbitmc/model"
)

// maxLine is the column from which on a chain of operators is broken up.
const maxLine = 100

// Format returns the model src in the standard layout. It means the same, under
// the dialect d, and differs only in layout: reading it gives the same model,
// except that properties without a name are called after other lines. The error,
// if any, is an ErrorList with the syntax errors; names and types are not
// checked.
func Format(file string, src []byte, d model.Dialect) ([]byte, error) {
	r := &reporter{file: file}
	items := parseFile(string(src), d, r, false)
	if len(r.errs) > 0 {
		return nil, r.errs
	}
	p := &printer{}
	p.nodes(items)
	return []byte(p.b.String()), nil
}

type printer struct {
	b      strings.Builder
	indent int
}

// line writes a line made of the parts.
func (p *printer) line(parts ...string) {
	for range p.indent {
		p.b.WriteString("  ")
	}
	for _, s := range parts {
		p.b.WriteString(s)
	}
	p.b.WriteByte('\n')
}

// inside runs f with everything one level deeper.
func (p *printer) inside(f func()) {
	p.indent++
	f()
	p.indent--
}

// section is the word that the declaration n stands under, or "".
func section(n node) string {
	switch n.(type) {
	case *constDecl:
		return "const"
	case *typeDecl:
		return "type"
	case *varDecl:
		return "var"
	}
	return ""
}

// nodes writes declarations under the words of their sections, and rules. At the
// outermost level an empty line separates what is not of one section.
func (p *printer) nodes(list []node) {
	last := ""
	for i, n := range list {
		word := section(n)
		if i > 0 && p.indent == 0 && (word == "" || word != last) {
			p.b.WriteByte('\n')
		}
		if word != "" && word != last {
			p.line(word)
		}
		last = word
		if word != "" {
			p.inside(func() { p.decl(n) })
		} else {
			p.node(n)
		}
	}
}

func (p *printer) decl(n node) {
	switch n := n.(type) {
	case *constDecl:
		p.line(names(n.names), " : ", exprText(n.value), ";")
	case *typeDecl:
		p.declare(n.names, n.typ)
	case *varDecl:
		p.declare(n.names, n.typ)
	}
}

// declare writes names and their type.
func (p *printer) declare(ids []ident, t typeExpr) {
	p.typeLines(names(ids)+" : ", t, ";")
}

func names(ids []ident) string {
	return lists.Join(ids, ", ", func(id ident) string { return id.name })
}

// typeLines writes a type between two texts; a record takes several lines.
func (p *printer) typeLines(before string, t typeExpr, after string) {
	for head, elem := elementsOf(t); elem != nil; head, elem = elementsOf(t) {
		before, t = before+head, elem
	}
	switch t := t.(type) {
	case *recordType:
		p.line(before, "record")
		p.inside(func() {
			for _, f := range t.fields {
				p.declare(f.names, f.typ)
			}
		})
		p.line("end", after)
		return
	case *enumType:
		if text := typeText(t); 2*p.indent+len(before)+len(text) > maxLine {
			p.line(before, "enum {")
			p.inside(func() {
				for i, id := range t.members {
					comma := ","
					if i == len(t.members)-1 {
						comma = ""
					}
					p.line(id.name, comma)
				}
			})
			p.line("}", after)
			return
		}
	}
	p.line(before, typeText(t), after)
}

// elementsOf takes the type of the elements of an array or multiset apart; nil if t is none.
func elementsOf(t typeExpr) (head string, elem typeExpr) {
	switch t := t.(type) {
	case *arrayType:
		return "array [" + typeText(t.index) + "] of ", t.elem
	case *multisetType:
		return "multiset [" + exprText(t.size) + "] of ", t.elem
	}
	return "", nil
}

// typeText returns a type on one line.
func typeText(t typeExpr) string {
	switch t := t.(type) {
	case *nameType:
		return t.id.name
	case *enumType:
		return "enum {" + names(t.members) + "}"
	case *realType:
		return "real(" + exprText(t.digits) + ", " + exprText(t.exponent) + ")"
	case *rangeType:
		return exprText(t.from) + ".." + exprText(t.to)
	case *scalarsetType:
		return "scalarset(" + exprText(t.size) + ")"
	case *unionType:
		return "union {" + lists.Join(t.parts, ", ", typeText) + "}"
	case *multisetType, *arrayType:
		head, elem := elementsOf(t)
		return head + typeText(elem)
	case *recordType:
		var b strings.Builder
		b.WriteString("record ")
		for _, f := range t.fields {
			b.WriteString(names(f.names) + " : " + typeText(f.typ) + "; ")
		}
		return b.String() + "end"
	}
	panic("murphi: unknown type")
}

// node writes a procedure, rule or property, or what stands around them.
func (p *printer) node(n node) {
	rules := func(list []node) {
		p.inside(func() { p.nodes(list) })
		p.line("end;")
	}
	switch n := n.(type) {
	case *procDecl:
		p.procedure(n)
	case *ruleNode:
		p.rule(n)
	case *rulesetNode:
		p.line("ruleset ", quantifiers(n.quants), " do")
		rules(n.rules)
	case *chooseNode:
		p.line("choose ", n.name.name, " : ", exprText(n.set), " do")
		rules(n.rules)
	case *distributionNode:
		p.line("distribution")
		rules(n.rules)
	case *chanceNode:
		p.chain("pctl ", n.body, ";")
	case *aliasNode:
		p.line("alias ", bindings(n.binds), " do")
		rules(n.rules)
	case *propNode:
		p.chain(propertyHead(n.word, n.name, n.cond), n.cond, ";")
	}
}

// propertyHead writes the word of a property and its name. A sign after the word
// would make the word a variable.
func propertyHead(word kind, name string, cond expr) string {
	text := string(word) + " "
	if s := exprText(cond); name != "" || word != "invariant" && (s[0] == '-' || s[0] == '+') {
		text += quote(name) + " "
	}
	return text
}

func (p *printer) procedure(d *procDecl) {
	params := lists.Join(d.params, "; ", func(f *formalParam) string {
		text := names(f.names) + " : " + typeText(f.typ)
		if f.byRef {
			text = "var " + text
		}
		return text
	})
	head := "procedure " + d.name.name + "(" + params + ")"
	if d.result != nil {
		head = "function " + strings.TrimPrefix(head, "procedure ") + " : " + typeText(d.result)
	}
	p.line(head, ";")
	p.body(d.decls, d.body)
}

func (p *printer) rule(r *ruleNode) {
	head := "rule"
	if r.start {
		head = "startstate"
	}
	if r.priority != nil {
		head += " " + r.priority.text
	}
	if r.name != "" {
		head += " " + quote(r.name)
	}
	p.line(head)
	if r.guard != nil {
		p.inside(func() { p.chain("", r.guard, "") })
		p.line("==>")
	}
	p.body(r.decls, r.body)
}

// body writes local declarations and the statements from begin to end.
func (p *printer) body(decls []node, body []stmt) {
	for i, n := range decls {
		if i == 0 || section(n) != section(decls[i-1]) {
			p.line(section(n))
		}
		p.inside(func() { p.decl(n) })
	}
	p.line("begin")
	p.stmts(body)
	p.line("end;")
}

// stmts writes statements one level deeper.
func (p *printer) stmts(list []stmt) {
	p.inside(func() {
		for _, s := range list {
			p.stmt(s)
		}
	})
}

// block writes a head, statements one level deeper, and end.
func (p *printer) block(head string, list []stmt) {
	p.line(head)
	p.stmts(list)
	p.line("end;")
}

func (p *printer) stmt(s stmt) {
	switch s := s.(type) {
	case *assignStmt:
		p.chain(exprText(s.lhs)+" := ", s.rhs, ";")
	case *ifStmt:
		for i, c := range s.clauses {
			word := "if "
			if i > 0 {
				word = "elsif "
			}
			p.chain(word, c.cond, " then")
			p.stmts(c.body)
		}
		p.otherwise(s.els)
	case *switchStmt:
		p.line("switch ", exprText(s.x))
		for _, c := range s.cases {
			p.line("case ", exprTexts(c.values, precCond+1), ":")
			p.stmts(c.body)
		}
		p.otherwise(s.els)
	case *forStmt:
		p.block("for "+quantifiers(s.quants)+" do", s.body)
	case *whileStmt:
		p.block("while "+exprText(s.cond)+" do", s.body)
	case *aliasStmt:
		p.block("alias "+bindings(s.binds)+" do", s.body)
	case *undefineStmt:
		p.line("undefine ", exprText(s.x), ";")
	case *clearStmt:
		p.line("clear ", exprText(s.x), ";")
	case *callStmt:
		p.line(exprText(s.call), ";")
	case *returnStmt:
		if s.x == nil {
			p.line("return;")
		} else {
			p.chain("return ", s.x, ";")
		}
	case *addStmt:
		p.line("multisetadd(", exprText(s.x), ", ", exprText(s.set), ");")
	case *removeStmt:
		p.line("multisetremove(", exprText(s.slot), ", ", exprText(s.set), ");")
	case *removePredStmt:
		p.line("multisetremovepred(", s.name.name, " : ", exprText(s.set), ", ", exprText(s.cond), ");")
	case *assertStmt:
		switch {
		case s.word == "error":
			p.line("error ", quote(s.msg), ";")
		case s.word != "assert":
			p.chain(propertyHead(s.word, s.msg, s.cond), s.cond, ";")
		case s.msg == "":
			p.chain("assert ", s.cond, ";")
		default:
			p.chain("assert ", s.cond, " "+quote(s.msg)+";")
		}
	case *putStmt:
		if s.x == nil {
			p.line("put ", quote(s.text), ";")
		} else {
			p.line("put ", exprText(s.x), ";")
		}
	}
}

// otherwise writes the else branch, if there is one, and end.
func (p *printer) otherwise(els []stmt) {
	if len(els) > 0 {
		p.line("else")
		p.stmts(els)
	}
	p.line("end;")
}

// chain writes an expression between two texts. If the line gets too long and
// the expression is a chain of operators, every operand has a line.
func (p *printer) chain(before string, x expr, after string) {
	text := exprText(x)
	b, ok := x.(*binaryExpr)
	if !ok || 2*p.indent+len(before)+len(text)+len(after) <= maxLine {
		p.line(before, text, after)
		return
	}
	prec := precedence[b.rest[0].op]
	p.line(before, operandText(b.first, prec+1))
	p.inside(func() {
		for i, o := range b.rest {
			end := ""
			if i == len(b.rest)-1 {
				end = after
			}
			p.line(string(o.op), " ", operandText(o.x, prec+1), end)
		}
	})
}

func quantifiers(qs []*quantifier) string {
	return lists.Join(qs, "; ", func(q *quantifier) string {
		if q.typ != nil {
			return q.name.name + " : " + typeText(q.typ)
		}
		text := q.name.name + " := " + exprText(q.from) + " to " + exprText(q.to)
		if q.by != nil {
			text += " by " + exprText(q.by)
		}
		return text
	})
}

func bindings(binds []binding) string {
	return lists.Join(binds, "; ", func(b binding) string { return b.id.name + " : " + exprText(b.x) })
}

// quote writes a string as the lexer reads it.
func quote(s string) string {
	var b strings.Builder
	b.WriteByte('"')
	for i := 0; i < len(s); i++ {
		switch c := s[i]; {
		case c == '\n':
			b.WriteString(`\n`)
		case c == '\t':
			b.WriteString(`\t`)
		case c == '"':
			b.WriteString(`\"`)
		case c == '\\' && !strings.HasPrefix(s[i+1:], "”"):
			b.WriteString(`\\`)
		default:
			b.WriteByte(c)
		}
	}
	b.WriteByte('"')
	return b.String()
}

func exprText(x expr) string { return operandText(x, precCond) }

// exprTexts returns expressions of precedence min or tighter, with commas.
func exprTexts(xs []expr, min uint8) string {
	return lists.Join(xs, ", ", func(x expr) string { return operandText(x, min) })
}

// operandText returns an expression where one of precedence min or tighter is
// expected.
func operandText(x expr, min uint8) string {
	prec, text := uint8(precUnary+1), ""
	switch x := x.(type) {
	case *numberLit:
		text = x.text
	case *realLit:
		text = x.text
	case *chanceExpr:
		text = chanceText(x)
	case *undefinedLit:
		text = x.id.name
	case *designator:
		text = designatorText(x)
	case *unaryExpr:
		// What ! reaches over is clearer in parentheses, -- begins a comment, and !!
		// is another word for CMurphi.
		prec, text = precUnary, string(x.op)+operandText(x.x, precUnary+1)
		if x.op == "!" {
			prec = precNot
		}
	case *binaryExpr:
		prec = precedence[x.rest[0].op]
		text = operandText(x.first, prec+1)
		for _, o := range x.rest {
			text += " " + string(o.op) + " " + operandText(o.x, prec+1)
		}
	case *condExpr:
		prec = precCond
		text = operandText(x.cond, prec+1) + " ? " + operandText(x.then, prec+1) + " : " + operandText(x.els, prec+1)
	case *quantExpr:
		word := "exists "
		if x.all {
			word = "forall "
		}
		text = word + quantifiers(x.quants) + " do " + exprText(x.body) + " end"
	case *isUndefinedExpr:
		text = "isundefined(" + designatorText(x.x) + ")"
	case *isMemberExpr:
		text = "ismember(" + exprText(x.x) + ", " + typeText(x.typ) + ")"
	case *countExpr:
		text = "multisetcount(" + x.name.name + " : " + designatorText(x.set) + ", " + exprText(x.cond) + ")"
	}
	if prec < min {
		return "(" + text + ")"
	}
	return text
}

func designatorText(d *designator) string {
	text := d.base.name
	if d.call {
		text += "(" + exprTexts(d.args, precCond) + ")"
	}
	for _, s := range d.sels {
		if s.index == nil {
			text += "." + s.field
		} else {
			text += "[" + exprText(s.index) + "]"
		}
	}
	return text
}
