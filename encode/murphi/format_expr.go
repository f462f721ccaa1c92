package murphi

import "orbitmc/internal/lists"

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
