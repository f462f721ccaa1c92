// Constants: declarations, overrides and folding. Operators with constant
// operands are computed here; what would be an error at run time (a division
// by zero) is left to run time unless a constant is required.

package murphi

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"math/big"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"orbitmc/internal/lists"
	"orbitmc/model"
)

// constDecl declares constants, with the values of the overrides where there
// are any.
func (c *checker) constDecl(d *constDecl) {
	size := c.sizedBy(d.value, 0)
	before := maps.Clone(c.sized)
	e := c.opaque(size, func() *model.ConstExpr { return c.constant(d.value, "a constant") })
	num, open := c.sized[e], len(c.sized) > len(before)
	if size != "" {
		num = c.find(d.value.(*designator).base.name).num
	}
	if open = open && e != nil && e.T.Numeric() && c.scope == c.global; open {
		c.sized = before // it is a number of its own
	}
	for _, id := range d.names {
		s := &symbol{size: size, num: num}
		if open && num.Const == "" {
			s.num.Const = id.name
		}
		if slices.Contains(c.opt.Opaque, id.name) && c.scope == c.global {
			s.size, s.num = id.name, model.Size{Const: id.name}
		}
		if e != nil {
			v := e.Value
			if text, ok := c.opt.Consts[id.name]; ok && c.scope == c.global {
				c.overridden[id.name] = true
				if s.size != id.name { // it no longer is what the text says
					s.size, s.num = "", model.Size{}
				}
				if v, ok = override(e.T, text); !ok {
					c.errorf(id.pos, "constant %s cannot have the value %q: it is of type %v", clip(id.name), clip(text), e.T)
					c.declare(id, s)
					continue
				}
			}
			s.value = &model.ConstExpr{Value: v, T: e.T}
			if s.exact = c.exact[e]; v != e.Value && e.T == model.RealType {
				s.exact, _ = new(big.Rat).SetString(strings.TrimSpace(c.opt.Consts[id.name]))
			}
			if c.scope == c.global {
				c.m.Consts = append(c.m.Consts, model.Const{Name: id.name, Value: v, Type: e.T, Pos: id.pos})
			}
		}
		c.declare(id, s)
	}
}

// sizedBy returns the opaque constant N if e is the name of a constant equal to N, or N - less
// for a positive number less. Otherwise it returns "".
func (c *checker) sizedBy(e expr, less int64) string {
	if b, ok := e.(*binaryExpr); ok && less > 0 {
		if len(b.rest) != 1 || b.rest[0].op != "-" {
			return ""
		}
		if k, ok := b.rest[0].x.(*numberLit); !ok || k.value != less {
			return ""
		}
		e, less = b.first, 0
	}
	d, ok := e.(*designator)
	if !ok || less > 0 || d.call || len(d.sels) > 0 {
		return ""
	}
	if s := c.find(d.base.name); s != nil {
		return s.size
	}
	return ""
}

// opaque evaluates what is the size of a type, if size is not "".
func (c *checker) opaque(size string, eval func() *model.ConstExpr) *model.ConstExpr {
	outer := c.sizes
	c.sizes = size != ""
	k := eval()
	c.sizes = outer
	return k
}

// greatest notes that x, if it depends on an opaque constant, is used as the greatest value of
// type t. It then is the greatest one whatever the value is.
func (c *checker) greatest(x model.Expr, t *model.Type) {
	k, ok := x.(*model.ConstExpr)
	if size, open := c.sized[k]; ok && open && t.Kind == model.Range && t.SizedBy != "" && t.Top == size {
		k.SizedBy, k.Size = t.SizedBy, size
		delete(c.sized, k)
	}
}

// number notes that x, if it depends on an opaque constant, is used as a number.
func (c *checker) number(x model.Expr) {
	k, ok := x.(*model.ConstExpr)
	if size, open := c.sized[k]; ok && open && k.T.Numeric() {
		k.Size = size
		delete(c.sized, k)
	}
}

// counted reports the values of opaque constants that are used in other ways.
func (c *checker) counted() {
	all := slices.SortedFunc(maps.Keys(c.sized), func(k, l *model.ConstExpr) int {
		return cmp.Or(k.Pos.Compare(l.Pos), cmp.Compare(c.sized[k].Const, c.sized[l].Const))
	})
	for _, k := range all {
		c.errorf(k.Pos, "the value of %[1]s counts here; it is left open, so %[1]s may only be the size of a type, scalarset(%[1]s), 1..%[1]s or 0..%[1]s-1, the greatest value of a range, or a number that is compared, added or assigned", c.sized[k].Const)
	}
}

// SetConsts returns the model src with other values of the constants that are named:
// reading it means what reading src with them in Options.Consts means. All else is as it
// was. The error, if any, is an ErrorList with the syntax errors; whether there are such
// constants is not checked.
func SetConsts(file string, src []byte, consts map[string]string, d model.Dialect) ([]byte, error) {
	r := &reporter{file: file}
	text := strings.TrimPrefix(string(src), "\ufeff")
	items := parseFile(text, d, r, false)
	if len(r.errs) > 0 {
		return nil, r.errs
	}
	var out strings.Builder
	at := 0
	for _, n := range items {
		d, ok := n.(*constDecl)
		if !ok || !slices.ContainsFunc(d.names, func(id ident) bool { _, set := consts[id.name]; return set }) {
			continue
		}
		out.WriteString(text[at:d.from])
		for i, id := range d.names {
			value, set := consts[id.name]
			if !set {
				value = text[d.colon:d.to]
			}
			if i > 0 {
				out.WriteString("; ")
			}
			fmt.Fprintf(&out, "%s: %s", id.name, strings.TrimSpace(value))
		}
		at = d.to
	}
	out.WriteString(text[at:])
	return []byte(out.String()), nil
}

// DerivedConsts returns the constants of the model src whose declared values are made from other constants. The
// model has no syntax errors.
func DerivedConsts(file string, src []byte, d model.Dialect) map[string]bool {
	declared, derived := make(map[string]bool), make(map[string]bool)
	text := strings.TrimPrefix(string(src), "\ufeff")
	for _, n := range parseFile(text, d, &reporter{file: file}, false) {
		d, ok := n.(*constDecl)
		if !ok {
			continue
		}
		words := strings.FieldsFunc(text[d.colon:d.to], func(r rune) bool { return r != '_' && !unicode.IsLetter(r) && !unicode.IsDigit(r) })
		for _, id := range d.names {
			derived[id.name] = slices.ContainsFunc(words, func(w string) bool { return declared[w] })
		}
		for _, id := range d.names {
			declared[id.name] = true
		}
	}
	return derived
}

// override parses the text of a value of type t.
func override(t *model.Type, text string) (int64, bool) {
	text = strings.TrimSpace(text)
	if t == model.RealType {
		x, err := strconv.ParseFloat(text, 64)
		return model.RealBits(x), err == nil && !math.IsNaN(x) && !math.IsInf(x, 0)
	}
	if t.Numeric() {
		v, err := strconv.ParseInt(text, 10, 64)
		return v, err == nil && v != model.Undef
	}
	for i, name := range t.Members {
		if name == text || t == model.BoolType && strings.EqualFold(name, text) {
			return int64(i), true
		}
	}
	return 0, false
}

// given declares a constant that the model uses and does not declare, with the value of its override: a number or a
// boolean. It returns nil if there is none.
func (c *checker) given(id ident) *symbol {
	text, ok := c.opt.Consts[id.name]
	if !ok {
		return nil
	}
	t := model.IntType
	v, ok := override(t, text)
	if !ok {
		t = model.BoolType
		v, ok = override(t, text)
	}
	if !ok {
		c.errorf(id.pos, "constant %s, which the model does not declare, cannot have the value %q: it is no number and no boolean", clip(id.name), clip(text))
		v = 0
	}
	s := &symbol{value: &model.ConstExpr{Value: v, T: t}}
	c.overridden[id.name] = true
	if c.global.names == nil {
		c.global.names = make(map[string]*symbol)
	}
	c.global.names[id.name] = s
	c.m.Consts = append(c.m.Consts, model.Const{Name: id.name, Value: v, Type: t, Pos: id.pos})
	return s
}

// unknownOverrides reports overrides that name no constant of the model.
func (c *checker) unknownOverrides() {
	unknown := slices.DeleteFunc(slices.Sorted(maps.Keys(c.opt.Consts)), func(name string) bool { return c.overridden[name] })
	if len(unknown) == 0 || len(c.errs) > 0 {
		return
	}
	list := "it has no constants"
	if len(c.m.Consts) > 0 {
		list = "its constants are " + lists.Join(c.m.Consts, ", ", func(k model.Const) string { return k.Name })
	}
	for _, name := range unknown {
		c.errorf(model.Pos{}, "the model has no constant %s; %s", name, list)
	}
}

// constant checks an expression that must have a value now.
func (c *checker) constant(e expr, what string) *model.ConstExpr {
	outer := c.constOnly
	c.constOnly = true
	x := c.expr(e)
	c.constOnly = outer
	if x == nil {
		return nil
	}
	k, ok := x.(*model.ConstExpr)
	if !ok {
		c.errorf(e.position(), "%s must have a constant value", what)
		return nil
	}
	return k
}

// constNumber checks an expression that must be a number known now.
func (c *checker) constNumber(e expr, what string) *model.ConstExpr {
	k := c.constant(e, what)
	if k != nil && !k.T.Numeric() {
		c.errorf(e.position(), "%s must be a number, not of type %v", what, k.T)
		return nil
	}
	return k
}

// binary makes x op y of checked operands, folded if both are constant.
func (c *checker) binary(op model.Op, x, y model.Expr, pos model.Pos) model.Expr {
	b := &model.Binary{Op: op, X: x, Y: y, Pos: pos}
	k, ok := x.(*model.ConstExpr)
	l, ok2 := y.(*model.ConstExpr)
	if ok && c.constOnly && absorbs(op, k.Value) && !ok2 {
		return &model.ConstExpr{Value: k.Value, T: b.Type(), Pos: k.Pos}
	}
	if !ok || !ok2 {
		if op >= model.Eq && op <= model.Mul {
			c.number(x)
			c.number(y)
		}
		return b
	}
	if (op == model.Div || op == model.Mod) && l.Value == 0 {
		if c.constOnly {
			c.errorf(pos, "division by zero")
			return nil
		}
		return b
	}
	v, ok := model.Apply(op, k.Value, l.Value)
	if !ok {
		c.errorf(pos, "the result of %d %v %d does not fit in 64 bits", k.Value, op, l.Value)
		return nil
	}
	out := &model.ConstExpr{Value: v, T: b.Type(), Pos: k.Pos}
	for _, x := range []*model.ConstExpr{k, l} {
		if x.Size.Const != "" {
			c.sized[x] = x.Size // it is used in another way, too
		}
	}
	size, open := c.sized[k]
	other, both := c.sized[l]
	switch {
	case open && !both && op == model.Sub:
		size.Plus -= l.Value
	case open && !both && op == model.Add:
		size.Plus += l.Value
	case !open && both && op == model.Add:
		size = other
		size.Plus += k.Value
	default:
		return out
	}
	delete(c.sized, k)
	delete(c.sized, l)
	c.sized[out] = size
	return out
}

// absorbs reports whether a op y is a whatever y is. Rumur takes that for a
// constant.
func absorbs(op model.Op, a int64) bool {
	switch op {
	case model.Mul, model.Div, model.Mod, model.Shl, model.Shr, model.And, model.BitAnd:
		return a == 0
	case model.Or:
		return a == 1
	}
	return false
}
