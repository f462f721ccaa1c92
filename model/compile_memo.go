package model

import "fmt"

// Memos of calls. Large models ask the same question about the state in the
// guards of many rules, and of the functions they call: whether a network is
// ready, whose turn it is. So a call without an effect whose arguments mention
// state variables only has two entries in the frame, whether it was made and its
// result, which are used as long as the state is frozen: in guards and
// properties, not in bodies. They are cleared whenever a state is loaded. A call
// that errs is made again.

// layoutMemos reserves the entries of all such calls from next on.
func (p *Program) layoutMemos(next int) {
	p.memos = map[string]int{}
	p.memoLo, p.memoHi = next, next
	find := func(n any) {
		e, ok := n.(*CallExpr)
		if !ok || !e.Type().Simple() || !closed(e) || p.effects(e) {
			return
		}
		if key := memoKey(e); p.memos[key] == 0 {
			p.memos[key] = p.memoHi
			p.memoHi += 2
		}
	}
	for _, r := range p.Model.Rules {
		Inspect(r.Guard, find)
	}
	for _, q := range p.procs {
		if !q.effect {
			Inspect(q.Body, find)
		}
	}
}

// closed reports whether e mentions no variables but those of the state.
func closed(e Expr) bool {
	return !Has(e, func(n any) bool {
		r, ok := n.(*Ref)
		return ok && r.Var.Kind != StateVar || Bound(n) != nil
	})
}

// memoKey is the same for calls that are the same.
func memoKey(e *CallExpr) string {
	key := fmt.Sprint(e.Proc.Index)
	for _, a := range e.Args {
		key += "," + exprText(a)
	}
	return key
}

// memoised makes the call only if the memo at entry memo is empty or the state is
// not frozen. The result is left where the call leaves it.
func (p *Program) memoised(run execFn, result, memo int) execFn {
	frozen := p.frozen
	return func(f []int64) bool {
		if f[frozen] == 0 {
			return run(f)
		}
		if f[memo] == 0 {
			run(f)
			f[memo], f[memo+1] = 1, f[result]
		}
		f[result] = f[memo+1]
		return false
	}
}
