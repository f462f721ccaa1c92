package promela

import (
	"strings"

	"orbitmc/internal/lists"
)

// Semaphores, mutexes and condition variables, as in dSPIN (C. Demartini, R. Iosif, R. Sisto, SPIN 1999).
//
//	sem s = 2; P(s); V(s)                   a number: P waits until it is positive
//	mutex m; lock(m); unlock(m)             held or not; who holds it is not kept
//	cond c; wait(c, m); signal(c); broadcast(c)
//
// They are global, elements of arrays, or fields. A semaphore is a byte and a mutex a bit, which expressions may read. A condition is a
// bit for each process: whether it waits. wait(c, m) is two statements: the first one unlocks m, and the second one, which can go on
// when the process no longer waits and m is free, locks it. signal ends the wait of any process, if one
// waits; so nobody who comes later can take its place, and none wakes without a signal.

var syncTypes = map[string]typ{
	"sem": {base: bByte, sync: "sem"}, "mutex": {base: bBit, sync: "mutex"}, "cond": {base: bStruct, sync: "cond"},
}

// syncWords are the statements, with the types of what they are about.
var syncWords = map[string][]string{
	"P": {"sem"}, "V": {"sem"}, "lock": {"mutex"}, "unlock": {"mutex"},
	"wait": {"cond", "mutex"}, "signal": {"cond"}, "broadcast": {"cond"},
}

// again is the second statement of a wait.
const again = "wait, woken"

// syncType returns the type that comes next, if it is one of these. They are names elsewhere.
func (p *parser) syncType() (typ, bool) {
	t := p.peek()
	ty, ok := syncTypes[t.text]
	if !ok || p.types[t.text] != nil || p.lookup(t.text) != nil || p.inlines[t.text] != nil || p.after().kind != tName || keywords[p.after().text] {
		return typ{}, false
	}
	if ty.base == bStruct {
		if p.file.cond == nil {
			p.file.cond = &typedef{name: "cond", at: t.at}
			p.file.cond.fields = []*sym{{name: "waits", at: t.at, typ: typ{base: bBit}, n: 1, array: true, write: true}}
		}
		ty.of = p.file.cond
	}
	return ty, true
}

// checkSync checks the declaration of a variable.
func (p *parser) checkSync(s *sym, param bool) {
	switch {
	case s.typ.sync == "":
	case param && p.proc != nil:
		fail(s.at, "a %s is no parameter: a reference to a struct that has it may be", s.typ.sync)
	case p.proc != nil:
		fail(s.at, "a %s is declared outside of processes, or in a struct", s.typ.sync)
	case s.typ.sync != "sem" && (s.init != nil || s.list != nil):
		fail(s.at, "a %s has no initial value", s.typ.sync)
	default:
		p.file.syncs = true
	}
}

// syncStatement reads P(s) and the like; nil if something else comes next, with nothing read.
func (p *parser) syncStatement() []*stmt {
	t := p.peek()
	of := syncWords[t.text]
	if of == nil || p.lookup(t.text) != nil || p.inlines[t.text] != nil || p.after().text != "(" {
		return nil
	}
	p.next()
	p.expect("(")
	var args []*expr
	for i, want := range of {
		if i > 0 {
			p.expect(",")
		}
		e := p.variableRef()
		v := e.leaf()
		if e.op != opVar || v.sym.typ.sync != want {
			fail(e.at, "%s is about a %s, and %s is none", t.text, want, show(e))
		}
		for v := e; v != nil; v = v.y {
			if v.sym.array && v.x == nil {
				v.x = &expr{op: opConst, at: v.at}
			}
		}
		if want == "cond" {
			v.y = &expr{op: opVar, at: v.at, sym: v.sym.typ.of.fields[0], x: &expr{op: opPid, at: v.at, proc: p.proc}}
		}
		e.leaf().sym.write = true
		args = append(args, e)
	}
	p.expect(")")
	s := &stmt{kind: sSync, at: t.at, name: t.text, args: args}
	s.text = s.words()
	if t.text != "wait" {
		return one(s)
	}
	woken := *s
	woken.name = again
	return one(&stmt{kind: sBlock, at: t.at, text: s.text, subs: [][]*stmt{{s, &woken}}})
}

// syncText writes such a statement.
func (s *stmt) syncText() string {
	name, _, _ := strings.Cut(s.name, ",")
	return name + "(" + lists.Join(s.args, ", ", show) + ")"
}

// unsynced checks that a statement does not assign to what is changed by statements of its own.
func unsynced(e *expr) {
	if e.op != opVar {
		return
	}
	if v := e.leaf(); v != nil && v.sym.typ.sync != "" {
		how := map[string]string{"sem": "P and V", "mutex": "lock, unlock and wait", "cond": "wait, signal and broadcast"}[v.sym.typ.sync]
		fail(e.at, "%s is a %s, which only %s change", show(e), v.sym.typ.sync, how)
	}
}

// synced reports whether a type has one of these in it.
func (t typ) synced() string {
	if t.sync != "" || t.base != bStruct {
		return t.sync
	}
	for _, f := range t.of.fields {
		if w := f.typ.synced(); w != "" {
			return w
		}
	}
	return ""
}
