package traces

import (
	"slices"
	"strings"

	"orbitmc/internal/lists"
	"orbitmc/model"
)

// This file is how our own style spells parts of a state: equal adjacent elements of arrays
// once, small records in one piece, multisets by their elements, queues as SPIN shows channels. Traces are written and
// read with it.
//
//	Cache[NODE_1..NODE_4] = {I, Undefined}
//	Net[Proc_2] = {Inv(src=Home), Ack}
//	link = [ack,1][data,0]

// part is a part of a state: the leaves of type t from number at on.
type part struct {
	name string
	t    *model.Type
	at   int
}

// rowFields is how many fields a record has at most that is spelled in one piece.
const rowFields = 4

// oneRow reports whether t is spelled in one piece.
func oneRow(t *model.Type) bool {
	if t.Kind != model.Record || t.Shown != model.InOnePiece {
		return t.Simple() || t.Kind == model.Multiset || t.Shown == model.AsQueue
	}
	return len(t.Fields) > 1 && len(t.Fields) <= rowFields && !slices.ContainsFunc(t.Fields, func(f model.Field) bool { return !f.Type.Simple() })
}

// eachPart calls f for p or what it consists of, down to what stop accepts. Adjacent elements of an
// array that are equal in all states come as one, with a range for their index.
func eachPart(p part, states []model.State, format func(*model.Type, int64) string, stop func(*model.Type) bool, f func(part)) {
	switch t := p.t; {
	case stop(t):
		f(p)
	case t.Kind == model.Record:
		for _, x := range t.Fields {
			if t.Shown == model.ByField && x.Type.Simple() && !slices.ContainsFunc(states, func(s model.State) bool { return s[p.at+x.Offset] != model.Undef }) {
				continue
			}
			eachPart(part{p.name + "." + x.Name, x.Type, p.at + x.Offset}, states, format, stop, f)
		}
	case t.Kind == model.Array:
		n := t.Elem.Leaves
		for lo := t.Index.Lo; lo <= t.Index.Hi; lo++ {
			at := p.at + int(lo-t.Index.Lo)*n
			hi := lo
			for hi < t.Index.Hi && samePart(t.Index, lo, hi+1) && sameElement(states, at, at+int(hi+1-lo)*n, n) {
				hi++
			}
			index := format(t.Index, lo)
			if hi > lo {
				index += ".." + format(t.Index, hi)
			}
			eachPart(part{p.name + "[" + index + "]", t.Elem, at}, states, format, stop, f)
			lo = hi
		}
	}
}

// samePart reports whether two values of an index type are of one part, if it is a union.
func samePart(t *model.Type, v, w int64) bool {
	p, _ := t.Part(v)
	q, _ := t.Part(w)
	return p == q
}

func sameElement(states []model.State, at, with, n int) bool {
	return !slices.ContainsFunc(states, func(s model.State) bool { return !slices.Equal(s[at:at+n], s[with:with+n]) })
}

// spell returns what is in a part of s that is spelled in one piece.
func (p part) spell(s model.State, format func(*model.Type, int64) string) string {
	switch {
	case p.t.Shown == model.AsQueue:
		return queue(p.t, s[p.at:], format)
	case p.t.Kind == model.Multiset:
		return "{" + strings.Join(elements(p.t, s[p.at:], format), ", ") + "}"
	case p.t.Kind == model.Record:
		all := lists.Map(p.t.Fields, func(f model.Field) string { return part{t: f.Type, at: p.at + f.Offset}.spell(s, format) })
		return "{" + strings.Join(all, ", ") + "}"
	}
	return format(p.t, s[p.at])
}

// FormatQueue spells a queue, given its type and its leaves, as traces do.
func FormatQueue(t *model.Type, s []int64) string { return queue(t, s, (*model.Type).Format) }

// queue spells the messages of a queue whose leaves begin s: "[]" if there is none.
func queue(t *model.Type, s []int64, format func(*model.Type, int64) string) string {
	elem, text := t.Fields[1].Type.Elem, ""
	if s[0] == model.Undef {
		return format(t.Fields[0].Type, model.Undef)
	}
	for i := range int(s[0]) {
		var all []string
		for _, l := range elem.Unfolded() {
			all = append(all, format(l.Type, s[1+i*elem.Leaves+len(all)]))
		}
		text += "[" + strings.Join(all, ",") + "]"
	}
	if text == "" {
		return "[]"
	}
	return text
}

// elements spells the elements of a multiset whose leaves begin s, in the order of the state.
func elements(t *model.Type, s []int64, format func(*model.Type, int64) string) (all []string) {
	for range t.Index.Card() {
		if s[0] != model.Undef {
			all = append(all, element(t.Elem, s[1:], format))
		}
		s = s[1+t.Elem.Leaves:]
	}
	return all
}

// FormatElement spells an element of a multiset, given its type and its leaves, as traces do.
func FormatElement(t *model.Type, s []int64) string { return element(t, s, (*model.Type).Format) }

// element spells an element of a multiset: the value of its first enum, then its other defined
// leaves by name. Different elements are spelled differently.
func element(t *model.Type, s []int64, format func(*model.Type, int64) string) string {
	if t.Simple() {
		return format(t, s[0])
	}
	head, headed := "", false
	var rest []string
	var visit func(name string, t *model.Type, s []int64, top bool)
	visit = func(name string, t *model.Type, s []int64, top bool) {
		switch t.Kind {
		case model.Record:
			for _, f := range t.Fields {
				visit(strings.TrimPrefix(name+"."+f.Name, "."), f.Type, s[f.Offset:], name == "")
			}
		case model.Array:
			for i := t.Index.Lo; i <= t.Index.Hi; i++ {
				visit(name+"["+format(t.Index, i)+"]", t.Elem, s[int(i-t.Index.Lo)*t.Elem.Leaves:], false)
			}
		case model.Multiset:
			if s[0] != model.Undef {
				rest = append(rest, name+"={"+strings.Join(elements(t, s, format), ", ")+"}")
			}
		default:
			first := top && t.Kind == model.Enum && !headed
			headed = headed || first
			switch {
			case s[0] == model.Undef:
			case first:
				head = format(t, s[0])
			default:
				rest = append(rest, name+"="+format(t, s[0]))
			}
		}
	}
	visit("", t, s, false)
	if head != "" && len(rest) == 0 {
		return head
	}
	return head + "(" + strings.Join(rest, ", ") + ")"
}

// exchanged returns the elements, as they are spelled, that a multiset at leaf at has in one state
// more often than in another: those that are gone, and those that are new.
func exchanged(t *model.Type, at int, old, s model.State, format func(*model.Type, int64) string) (gone, added []string) {
	added = elements(t, s[at:], format)
	for _, e := range elements(t, old[at:], format) {
		if i := slices.Index(added, e); i >= 0 {
			added = slices.Delete(added, i, i+1)
		} else {
			gone = append(gone, e)
		}
	}
	return gone, added
}

// places returns the parts of a state that a name stands for, in which an index may be a range;
// nil if there are none.
func (r *traceReader) places(name string) []part {
	if n, ok := r.index[name]; ok {
		return []part{{name, r.leaves[n].Type, n}}
	}
	if r.style != Plain {
		return nil
	}
	for _, v := range r.p.Model.Vars {
		if rest, ok := strings.CutPrefix(name, v.Name); ok {
			if all := r.inside(part{v.Name, v.Type, v.Offset}, rest); all != nil {
				return all
			}
		}
	}
	return nil
}

// inside returns the parts of p that the rest of a name stands for.
func (r *traceReader) inside(p part, rest string) (all []part) {
	switch t := p.t; {
	case rest == "":
		if oneRow(t) {
			return []part{p}
		}
	case rest[0] == '.' && t.Kind == model.Record:
		for _, f := range t.Fields {
			if more, ok := strings.CutPrefix(rest[1:], f.Name); ok {
				if all = r.inside(part{p.name + "." + f.Name, f.Type, p.at + f.Offset}, more); all != nil {
					return all
				}
			}
		}
	case rest[0] == '[' && t.Kind == model.Array:
		index, more, ok := strings.Cut(rest[1:], "]")
		if !ok {
			return nil
		}
		from, to, isRange := strings.Cut(index, "..")
		if !isRange {
			to = from
		}
		within := false
		for i := t.Index.Lo; i <= t.Index.Hi; i++ {
			text := r.format(t.Index, i)
			if within = within || text == from; !within {
				continue
			}
			parts := r.inside(part{p.name + "[" + text + "]", t.Elem, p.at + int(i-t.Index.Lo)*t.Elem.Leaves}, more)
			if parts == nil {
				return nil
			}
			if all = append(all, parts...); text == to {
				return all
			}
		}
		return nil
	}
	return nil
}
