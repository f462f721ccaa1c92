package murphi

import (
	"strings"

	"orbitmc/internal/lists"
)

func exprText(x expr) string { return operandText(x, precCond) }

// exprTexts returns expressions of precedence min or tighter, with commas.
func exprTexts(xs []expr, min uint8) string {
	return lists.Join(xs, ", ", func(x expr) string { return operandText(x, min) })
}

// operandText returns an expression where one of precedence min or tighter is
// expected.
func operandText(x expr, min uint8) string {
	var b strings.Builder
	writeExpr(&b, x, min)
	return b.String()
}

func writeExpr(b *strings.Builder, x expr, min uint8) {
	prec := uint8(precUnary + 1)
	switch x := x.(type) {
	case *condExpr:
		prec = precCond
	case *binaryExpr:
		prec = precedence[x.rest[0].op]
	case *unaryExpr:
		prec = precUnary
		if x.op == "!" {
			prec = precNot
		}
	}
	if prec < min {
		b.WriteByte('(')
		defer b.WriteByte(')')
	}
	switch x := x.(type) {
	case *numberLit:
		b.WriteString(x.text)
	case *undefinedLit:
		b.WriteString(x.id.name)
	case *designator:
		writeDesignator(b, x)
	case *unaryExpr:
		// What ! reaches over is clearer in parentheses, -- begins a comment, and !!
		// is another word for CMurphi.
		b.WriteString(string(x.op))
		writeExpr(b, x.x, precUnary+1)
	case *binaryExpr:
		writeExpr(b, x.first, prec+1)
		for _, o := range x.rest {
			b.WriteString(" " + string(o.op) + " ")
			writeExpr(b, o.x, prec+1)
		}
	case *condExpr:
		writeExpr(b, x.cond, precCond+1)
		b.WriteString(" ? ")
		writeExpr(b, x.then, precCond+1)
		b.WriteString(" : ")
		writeExpr(b, x.els, precCond+1)
	case *quantExpr:
		word := "exists "
		if x.all {
			word = "forall "
		}
		b.WriteString(word + quantifiers(x.quants) + " do ")
		writeExpr(b, x.body, precCond)
		b.WriteString(" end")
	case *isUndefinedExpr:
		b.WriteString("isundefined(")
		writeDesignator(b, x.x)
		b.WriteByte(')')
	case *isMemberExpr:
		b.WriteString("ismember(")
		writeExpr(b, x.x, precCond)
		b.WriteString(", " + typeText(x.typ) + ")")
	case *countExpr:
		b.WriteString("multisetcount(" + x.name.name + " : ")
		writeDesignator(b, x.set)
		b.WriteString(", ")
		writeExpr(b, x.cond, precCond)
		b.WriteByte(')')
	}
}

func writeDesignator(b *strings.Builder, d *designator) {
	b.WriteString(d.base.name)
	if d.call {
		b.WriteByte('(')
		for i, a := range d.args {
			if i > 0 {
				b.WriteString(", ")
			}
			writeExpr(b, a, precCond)
		}
		b.WriteByte(')')
	}
	for _, s := range d.sels {
		if s.index == nil {
			b.WriteString("." + s.field)
			continue
		}
		b.WriteByte('[')
		writeExpr(b, s.index, precCond)
		b.WriteByte(']')
	}
}
