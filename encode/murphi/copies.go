package murphi

import (
	"fmt"
	"slices"
	"strings"

	"orbitmc/internal/front"
	"orbitmc/model"
)

// This file makes a model of several copies of one, side by side, some rules of which are tied to what stands around
// them: all state variables become arrays, procedures and rules have the index as a parameter. It works on the syntax
// tree, so the result is a text that any reader of Murphi takes.

// Copies says what Copy makes of a model.
type Copies struct {
	// Type is the name of the type whose values number the copies, Index that of the parameter. No Type: one copy.
	Type, Index string

	Before string // declarations in front of all
	Vars   string // those behind the declarations of the model
	After  string // rules and properties behind all

	Ties    []Tie
	Removed []string // rules, by name, that stand only where they are tied
	While   string   // other rules fire as long as this holds

	// Starts is run at the end of each start state, which has StartParams besides its own, about the first of the copies All;
	// StartEach then about each.
	Starts, StartParams, StartEach string
	All                            []string
	StartPos                       model.Pos
}

// Tie adds a rule: one of the model in which Guard holds, too, and that runs Before first. Without a Rule it is one
// for all values of Params, without statements of its own. The texts are about the model; $ stands in front of names
// that are not of the model.
type Tie struct {
	Rule, Params  string
	Name          string
	At            string // the copy, without Mark
	Guard, Before string
	Pos           model.Pos // of what is reported of the texts
	Bound         []string  // names of Guard and Before that the rule has to bind
}

// Mark begins the names that are not of the model.
const Mark = "Litmus_"

// SizeConst returns the constant that a text gives as the size of a type; "" if there is none.
func SizeConst(file string, src []byte, d model.Dialect, typ string) string {
	x := &copying{file: file, src: string(src), d: d}
	items, _ := x.parse()
	for _, n := range items {
		t, ok := n.(*typeDecl)
		if !ok || !slices.ContainsFunc(t.names, func(id ident) bool { return id.name == typ }) {
			continue
		}
		var size expr
		switch t := t.typ.(type) {
		case *scalarsetType:
			size = t.size
		case *rangeType:
			if from, ok := t.from.(*numberLit); ok && from.value == 1 {
				size = t.to
			}
		}
		if d, ok := size.(*designator); ok && !d.call && len(d.sels) == 0 {
			return d.base.name
		}
	}
	return ""
}

// Copy returns the text of the copies, and for each of its lines the position of the tie that it belongs to, or of
// nothing. Errors of the model, and of the texts of ties, are an ErrorList each; those of ties have the position of the
// tie, and no file.
func Copy(file string, src []byte, d model.Dialect, c Copies) (text []byte, from []model.Pos, err error) {
	x := &copying{Copies: c, file: file, src: string(src), d: d}
	if x.Type != "" {
		x.at = name(x.Index)
	}
	items, err := x.parse()
	if err != nil {
		return nil, nil, err
	}
	x.covers(items)
	if at := strings.Index(x.src, Mark); at >= 0 {
		line := strings.Count(x.src[:at], "\n")
		x.refuse(model.Pos{Line: line + 1, Col: at - strings.LastIndex(x.src[:at], "\n")}, "names that begin with %s are those of tests: rename this", Mark)
	}
	out := &printer{}
	out.b.WriteString(c.Before)
	vars := c.Vars
	for _, n := range items {
		if section(n) == "" {
			out.b.WriteString(vars)
			vars = ""
		}
		if n = x.copy(n); n != nil {
			out.nodes([]node{n})
		}
	}
	if len(x.errs) > 0 {
		return nil, nil, x.errs
	}
	b := &out.b
	for _, t := range c.Ties {
		text, err := x.tie(t)
		if err != nil {
			return nil, nil, err
		}
		from = append(from, make([]model.Pos, strings.Count(b.String(), "\n")-len(from))...)
		b.WriteString(text)
		from = append(from, slices.Repeat([]model.Pos{t.Pos}, strings.Count(text, "\n"))...)
	}
	b.WriteString(c.After)
	return []byte(b.String()), from, nil
}

type copying struct {
	Copies
	file, src string
	d         model.Dialect
	vars      map[string]bool
	procs     map[string]bool
	at        expr // the index
	started   bool // there was one
	errs      ErrorList
}

// parse reads the model and finds its names.
func (x *copying) parse() ([]node, error) {
	r := &reporter{file: x.file, src: x.src}
	p := newParser(x.d, r)
	items := p.file(x.src)
	if len(r.errs) > 0 {
		return nil, r.errs
	}
	x.vars, x.procs = map[string]bool{}, map[string]bool{}
	for _, n := range items {
		switch n := n.(type) {
		case *varDecl:
			for _, id := range n.names {
				x.vars[id.name] = true
			}
		case *procDecl:
			x.procs[n.name.name] = true
		}
	}
	x.index(p)
	return items, nil
}

// index gives all state variables that were read the index, and calls the argument.
func (x *copying) index(p *parser) {
	for _, d := range p.designators {
		switch {
		case x.at == nil:
		case x.procs[d.base.name]:
			d.call, d.args = true, append([]expr{x.at}, d.args...)
		case x.vars[d.base.name]:
			d.sels = append([]selector{{index: x.at}}, d.sels...)
		}
	}
}

// covers refuses what is not copied.
func (x *copying) covers(items []node) {
	at := map[string]model.Pos{} // of state variables and procedures
	for _, n := range items {
		switch n := n.(type) {
		case *varDecl:
			for _, id := range n.names {
				at[id.name] = id.pos
			}
		case *procDecl:
			at[n.name.name] = n.name.pos
		}
		rules(n, nil, func(_ []node, r *ruleNode) {
			if r.priority != nil {
				x.refuse(r.pos, "rules with priorities are not copied: the rules of one copy would wait for those of another")
			} else if r.returns {
				x.refuse(r.pos, "a start state with return is not copied")
			}
		})
	}
	for _, n := range Index(x.file, []byte(x.src), Options{Dialect: x.d}).Names {
		if pos, is := at[n.Text]; is && n.At == n.Decl && n.At.Pos != pos && !strings.HasPrefix(n.About(), "field ") {
			x.refuse(n.At.Pos, "%s is the name of a state variable or procedure, too: rename one of them", n.Text)
		}
	}
}

func (x *copying) refuse(pos model.Pos, format string, args ...any) {
	x.errs = append(x.errs, front.ErrorAt(x.file, x.src, pos, fmt.Sprintf(format, args...)))
}

func name(text string) *designator { return &designator{base: ident{name: text}} }

// copy returns what becomes of a declaration or rule; nil: it is left out.
func (x *copying) copy(n node) node {
	n = x.without(n)
	if n == nil {
		return nil
	}
	if x.While != "" {
		rules(n, nil, func(_ []node, r *ruleNode) {
			if !r.start {
				x.fragment(&reporter{}, x.While, func(p *parser) { r.guard = both(r.guard, p.expr()) })
			}
		})
	}
	if is, others := starts(n); is && others {
		x.refuse(model.Pos{Line: 1, Col: 1}, "a ruleset has start states and rules: write two")
	} else if is {
		var qs []*quantifier
		x.fragment(&reporter{}, x.StartParams, func(p *parser) { qs = p.quantifiers() })
		return &rulesetNode{quants: qs, rules: x.starts(n)}
	} else if x.Type == "" {
		return n
	}
	over := x.over()
	switch n := n.(type) {
	case *varDecl:
		n.typ = &arrayType{index: over.typ, elem: n.typ}
	case *procDecl:
		n.params = append([]*formalParam{{names: []ident{over.name}, typ: over.typ}}, n.params...)
	case *ruleNode, *rulesetNode, *chooseNode, *aliasNode:
		return &rulesetNode{quants: []*quantifier{over}, rules: []node{n}}
	case *propNode:
		n.cond = &quantExpr{all: true, quants: []*quantifier{over}, body: n.cond}
	}
	return n
}

// over is the index over all copies.
func (x *copying) over() *quantifier {
	return &quantifier{name: ident{name: x.Index}, typ: &nameType{ident{name: x.Type}}}
}

// starts reports whether there are start states in n, and whether there are rules.
func starts(n node) (is, others bool) {
	rules(n, nil, func(_ []node, r *ruleNode) { is, others = is || r.start, others || !r.start })
	return is, others
}

// inside returns the nodes in a node.
func inside(n node) *[]node {
	switch n := n.(type) {
	case *rulesetNode:
		return &n.rules
	case *chooseNode:
		return &n.rules
	case *distributionNode:
		return &n.rules
	case *aliasNode:
		return &n.rules
	}
	return nil
}

// rules calls f with the rules and start states in a node, and the nodes around each.
func rules(n node, path []node, f func(path []node, r *ruleNode)) {
	if r, ok := n.(*ruleNode); ok {
		f(path, r)
	} else if in := inside(n); in != nil {
		for _, k := range *in {
			rules(k, append(slices.Clip(path), n), f)
		}
	}
}

// without leaves out what is removed: rules that stand only where they are tied, and properties but assumptions.
func (x *copying) without(n node) node {
	switch n := n.(type) {
	case *ruleNode:
		if !n.start && slices.Contains(x.Removed, n.name) {
			return nil
		}
	case *propNode:
		if n.word != "assume" {
			return nil
		}
	}
	if in := inside(n); in != nil {
		var kept []node
		for _, k := range *in {
			if k = x.without(k); k != nil {
				kept = append(kept, k)
			}
		}
		if *in = kept; kept == nil {
			return nil
		}
	}
	return n
}

// tie returns the text of a tied rule.
func (x *copying) tie(t Tie) (string, error) {
	if x.at = nil; x.Type != "" {
		x.at = name(Mark + t.At)
	}
	items, err := x.parse()
	if err != nil {
		return "", err
	}
	r := &reporter{src: t.Guard}
	var guard expr
	var before []stmt
	x.fragment(r, t.Guard, func(p *parser) { guard = p.expr() })
	x.fragment(r, t.Before, func(p *parser) { before = p.stmts() })
	if len(r.errs) > 0 {
		for _, e := range r.errs {
			e.Pos, e.Line = t.Pos, ""
		}
		return "", r.errs
	}
	var found []node
	named := 0 // rules of that name
	for _, n := range items {
		rules(n, nil, func(path []node, r *ruleNode) {
			if r.start || r.name != t.Rule || t.Rule == "" {
				return
			}
			named++
			bound := map[string]bool{}
			for _, n := range path {
				switch n := n.(type) {
				case *rulesetNode:
					for _, q := range n.quants {
						bound[q.name.name] = true
					}
				case *chooseNode:
					bound[n.name.name] = true
				case *aliasNode:
					for _, b := range n.binds {
						bound[b.id.name] = true
					}
				}
			}
			if slices.ContainsFunc(t.Bound, func(v string) bool { return !bound[v] }) {
				return
			}
			c := *r
			c.name, c.guard = t.Name, both(r.guard, guard)
			c.body = slices.Concat(before, r.body)
			var n node = &c
			for _, around := range slices.Backward(path) {
				switch a := around.(type) {
				case *rulesetNode:
					n = &rulesetNode{quants: a.quants, rules: []node{n}}
				case *chooseNode:
					n = &chooseNode{name: a.name, set: a.set, rules: []node{n}}
				case *aliasNode:
					n = &aliasNode{binds: a.binds, rules: []node{n}}
				}
			}
			found = append(found, n)
		})
	}
	if t.Rule == "" {
		var n node = &ruleNode{name: t.Name, guard: guard, body: before}
		if t.Params != "" {
			var qs []*quantifier
			x.fragment(r, t.Params, func(p *parser) { qs = p.quantifiers() })
			n = &rulesetNode{quants: qs, rules: []node{n}}
		}
		found = append(found, n)
	}
	if len(found) == 0 || len(found) < named {
		return "", ErrorList{{Pos: t.Pos, Msg: fmt.Sprintf("there is no rule %q with parameters or aliases %s", t.Rule, strings.Join(t.Bound, ", "))}}
	}
	p := &printer{}
	p.nodes(found)
	if len(x.errs) > 0 {
		return "", x.errs
	}
	return p.b.String(), nil
}

// fragment reads a part of a text that is not of the model.
func (x *copying) fragment(r *reporter, text string, read func(p *parser)) {
	p := newParser(x.d, r)
	p.lex.src = strings.ReplaceAll(text, "$", Mark)
	p.next()
	if read(p); p.tok.kind != tEOF {
		p.unexpected("the end")
	}
	x.index(p)
}

// both returns a guard, which may be nil, and another condition.
func both(guard, more expr) expr {
	if guard == nil {
		return more
	}
	return &binaryExpr{first: guard, rest: []operand{{op: "&", x: more}}}
}

// starts returns the start states in a node, each of which does in each copy what it does, with parameters of its own,
// and then what Starts and StartEach say.
func (x *copying) starts(n node) (all []node) {
	after := x.atStart(x.Starts, x.All[0])
	if x.Type == "" {
		rules(n, nil, func(_ []node, r *ruleNode) { r.body = append(r.body, after...) })
		return []node{n}
	}
	after = append(after, &forStmt{quants: []*quantifier{x.over()}, body: x.atStart(x.StartEach, strings.TrimPrefix(x.Index, Mark))})
	rules(n, nil, func(path []node, r *ruleNode) {
		if x.started && len(x.All) > 1 {
			x.refuse(r.pos, "several start states are not copied: write one, with parameters")
		} else if len(r.written) > 0 {
			x.refuse(r.pos, "a start state that assigns its parameters is not copied")
		}
		x.started = true
		var params []*quantifier
		own := *r
		own.body = nil
		for _, of := range x.All {
			binds := []binding{{ident{name: x.Index}, name(Mark + of)}}
			for _, around := range path {
				switch a := around.(type) {
				case *rulesetNode:
					for _, q := range a.quants {
						if q.typ == nil {
							x.refuse(q.name.pos, "a parameter of a start state that has no type is not copied")
						}
						to := name(Mark + "any_" + q.name.name + "_" + of)
						params = append(params, &quantifier{name: to.base, typ: q.typ})
						binds = append(binds, binding{q.name, to})
					}
				case *aliasNode:
					binds = append(binds, a.binds...)
				case *chooseNode:
					x.refuse(a.pos, "a start state within choose is not copied")
				}
			}
			own.body = append(own.body, &aliasStmt{binds: binds, body: r.body})
		}
		own.body = append(own.body, after...)
		if params == nil {
			all = append(all, &own)
		} else {
			all = append(all, &rulesetNode{quants: params, rules: []node{&own}})
		}
	})
	return all
}

// atStart reads statements about a copy.
func (x *copying) atStart(text, of string) (list []stmt) {
	r, at := &reporter{}, x.at
	if x.Type != "" {
		x.at = name(Mark + of)
	}
	x.fragment(r, text, func(p *parser) { list = p.stmts() })
	x.at = at
	if len(r.errs) > 0 {
		r.errs[0].Pos, r.errs[0].Line = x.StartPos, ""
		x.errs = append(x.errs, r.errs[0])
		return nil
	}
	return list
}
