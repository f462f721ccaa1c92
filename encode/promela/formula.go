package promela

import (
	"fmt"
	"slices"
	"strings"

	"orbitmc/internal/lists"
	"orbitmc/internal/ltl"
	"orbitmc/internal/prog"
	"orbitmc/model"
)

// Claims about infinite runs (Options.Formulas). A formula is read as SPIN reads it. A never claim is an
// automaton whose transitions have conditions; the automata of package ltl have them on states, so
// each transition is a state. It reads the first state of a run first. Where the claim has matched,
// it accepts whatever follows.
//
// Labels: "accept" says that no run comes to an accept label again and again, "progress" that each
// run comes to a progress label again and again, or to a state in which no process can move. SPIN's
// verifier looks for such runs with the options -a and -l.
//
// Weak fairness is that of SPIN's option -f: a process that can always move from some point on
// moves again and again. A process moves, too, as the receiver in a rendezvous. It does not count as one
// that can move as it waits for a sender.

// given returns the tokens of a claim NAME: FORMULA, as if it stood in the program.
func given(text string) []token {
	toks := lex(&source{"formula", text})
	if toks[0].kind != tName || toks[1].text != ":" {
		fail(toks[0].at, "want NAME: FORMULA")
	}
	n := len(toks) - 1
	toks[1].text, toks[n].kind, toks[n].text = "{", tOp, "}"
	return append([]token{{kind: tName, text: "ltl", at: toks[0].at, nl: true}}, toks...)
}

// wants reports whether claims are decided as formulas.
func (f *file) wants() bool { return len(f.opt.Formulas)+len(f.opt.Trees) > 0 }

// formulas reads the claims that are wanted.
func (p *parser) formulas() {
	for _, name := range slices.Concat(p.file.opt.Formulas, p.file.opt.Trees) {
		if lists.Count(p.file.claims, func(c *claim) bool { return c.name == name }) > 1 {
			fail(p.file.claims[len(p.file.claims)-1].at, "there are several claims %s: choose another name", name)
		}
		i := slices.IndexFunc(p.file.claims, func(c *claim) bool { return c.name == name })
		if i < 0 {
			if name == "accept" || name == "progress" {
				continue
			}
			names := lists.Map(p.file.claims, func(c *claim) string { return c.name })
			fail(place{}, "there is no claim %s; want NAME: FORMULA, or one of: %s", name, strings.Join(append(names, "accept", "progress"), ", "))
		}
		c := p.file.claims[i]
		if p.claim(c, func() { c.formula = p.formula(0) }); c.reason != "" {
			fail(c.at, "%s: %s", name, strings.Replace(c.reason, `before "}"`, "before its end", 1))
		}
	}
}

// each calls f with all conditions of a formula.
func (f *formula) each(do func(e *expr)) {
	if f == nil {
		return
	}
	if f.op == "cond" {
		do(f.e)
	}
	f.x.each(do)
	f.y.each(do)
}

func (l *lowering) formulas() {
	if !l.f.wants() || l.probing {
		return
	}
	if l.p.DSPIN {
		fail(place{}, "claims about infinite runs of a program with references, semaphores, mutexes or conditions are not supported")
	}
	if l.excl != nil { // there SPIN's claims do not move
		fail(place{}, "claims about infinite runs are not supported where a state is inside an atomic sequence")
	}
	for _, name := range slices.Concat(l.f.opt.Formulas, l.f.opt.Trees) {
		f := &model.Formula{Name: name}
		b := &atoms{l: l, f: f, known: make(map[string]int)}
		i := slices.IndexFunc(l.f.claims, func(c *claim) bool { return c.name == name })
		if len(l.f.opt.Trees) > 0 {
			b.branching(l.f.claims[i])
			continue
		}
		switch {
		case i < 0 && name == "accept":
			f.LTL = ltl.Finally(ltl.Globally(ltl.One(ltl.Not, b.labelled(acceptLabel))))
		case i < 0:
			stuck := ltl.Of(b.add("stuck", place{}, l.stuck()))
			f.LTL = ltl.Globally(ltl.Finally(ltl.Two(ltl.Or, b.labelled(progressLabel), stuck)))
		case l.f.claims[i].kind == "ltl":
			f.Pos = l.f.claims[i].at.pos
			f.LTL = b.formula(l.f.claims[i].formula)
		default:
			f.Pos = l.f.claims[i].at.pos
			f.Never = b.never(l.f.claims[i])
		}
		l.m.Formulas = append(l.m.Formulas, f)
	}
	l.fairness()
	for _, q := range l.m.Props {
		if q.Tree != nil && len(l.m.Fair.Rules) > 0 {
			q.Tree.Formula = q.Tree.Formula.Fairly()
		}
	}
}

// atoms makes the conditions of a formula.
type atoms struct {
	l     *lowering
	f     *model.Formula
	known map[string]int
	texts []string // of Atoms of f
}

// add returns the number of a condition, whose text is its key.
func (ato *atoms) add(key string, at place, x model.Expr) int {
	i := lists.Number(ato.known, key)
	if i == len(ato.f.Atoms) {
		q := &model.Property{Name: fmt.Sprintf("condition %d of %s", i, ato.f.Name), Kind: model.Liveness, Index: len(ato.l.m.Props), Expr: x, Pos: at.pos}
		ato.l.m.Props = append(ato.l.m.Props, q)
		ato.f.Atoms, ato.texts = append(ato.f.Atoms, q), append(ato.texts, key)
	}
	return i
}

func (ato *atoms) cond(e *expr) *ltl.Formula {
	if k, ok := constant(e); ok {
		return map[bool]*ltl.Formula{true: ltl.Yes, false: ltl.No}[k != 0]
	}
	return ltl.Of(ato.add(show(e), e.at, ato.l.read(e)))
}

func (ato *atoms) formula(f *formula) *ltl.Formula {
	switch f.op {
	case "cond":
		return ato.cond(f.e)
	case "!":
		return ltl.One(ltl.Not, ato.formula(f.x))
	}
	op := map[string]ltl.Op{"&&": ltl.And, "||": ltl.Or, "U": ltl.Until, "V": ltl.Release}[f.op]
	return ltl.Two(op, ato.formula(f.x), ato.formula(f.y))
}

// labelled says that some process is at a label of a kind.
func (ato *atoms) labelled(as labels) *ltl.Formula {
	x := someOf(ato.l.present(), func(q *process) model.Expr {
		return q.some(func(w *env) model.Expr { return ato.l.isAtLabel(w, as) })
	})
	if isFalse(x) {
		return ltl.No
	}
	return ltl.Of(ato.add("label", place{}, x))
}

// never returns the automaton of a never claim.
func (ato *atoms) never(c *claim) *ltl.Automaton {
	m := c.monitor
	a := &ltl.Automaton{Conditions: 1}
	var to []int // by state: where the transition leads
	var from []int
	for i, moves := range m.states {
		for _, x := range moves {
			s := ltl.State{Initial: i == 0, Accepts: []bool{x.to == matched || c.accepts[x.to]}}
			if !always(x.guard) {
				s.Yes = []int{ato.add(show(x.guard), c.at, ato.l.read(x.guard))}
			}
			a.States = append(a.States, s)
			from, to = append(from, i), append(to, x.to)
		}
	}
	all := len(a.States)
	a.States = append(a.States, ltl.State{Accepts: []bool{true}, Next: []int{all}})
	for i := range to {
		for j := range from {
			if to[i] == from[j] {
				a.States[i].Next = append(a.States[i].Next, j)
			}
		}
		if to[i] == matched {
			a.States[i].Next = append(a.States[i].Next, all)
		}
	}
	return a
}

// fairness makes the sets of rules that are to be fair, one for each process.
func (l *lowering) fairness() {
	for _, text := range l.f.opt.Fair {
		how, name, ok := strings.Cut(text, ":")
		if name = strings.TrimSpace(name); !ok || how != "weak" && how != "strong" {
			fail(place{}, "fairness %q: want weak:PROCTYPE, strong:PROCTYPE, or * for all", text)
		}
		found := false
		for k, q := range l.procs {
			if q.v == nil || name != "*" && name != q.name {
				continue
			}
			found = true
			for slot := q.index.Lo; slot <= q.index.Hi; slot++ {
				r := model.FairRules{Name: prog.Process(slot, q.name), Strong: how == "strong"}
				for i, e := range l.p.Edges {
					if e.Kind != prog.Step {
						continue
					}
					for _, params := range model.InstancesOf(l.m.Rules[i].Params) {
						ch, at := model.Choice{Rule: i, Params: params}, 0
						for at < len(e.Actors) && (e.Actors[at] != k || params[at] != slot) {
							at++
						}
						switch at {
						case len(e.Actors):
						case 0:
							r.Instances = append(r.Instances, ch)
						default:
							r.Also = append(r.Also, ch)
						}
					}
				}
				if r.Instances != nil {
					l.m.Fair.Rules = append(l.m.Fair.Rules, r)
				}
			}
		}
		if !found {
			fail(place{}, "fairness %q: there is no process %s", text, name)
		}
	}
}
