// The indentation of a model, for editors. Format makes a new layout and loses comments;
// Indent moves lines sideways, and keeps each token and comment on its line.

package murphi

import (
	"strings"

	"orbitmc/front"
	"orbitmc/model"
)

// roles say what tokens mean for the indentation.
var roles = map[kind]front.Role{
	tConst: front.Head, tType: front.Head, tVar: front.Head,
	tBegin: front.Begin, tArrow: front.Begin,
	tRule: front.Start, tStartstate: front.Start, tRuleset: front.Start, tFunction: front.Start, tProcedure: front.Start, tAlias: front.Start,
	tRecord: front.Open, tIf: front.Open, tSwitch: front.Open, tFor: front.Open, tWhile: front.Open, tForall: front.Open, tExists: front.Open,
	tElse: front.Middle, tElsif: front.Middle, tCase: front.Middle,
	tEnd: front.Close, tEndAlias: front.Close, tEndExists: front.Close, tEndFor: front.Close, tEndForall: front.Close,
	tEndFunction: front.Close, tEndIf: front.Close, tEndProcedure: front.Close, tEndRecord: front.Close, tEndRule: front.Close,
	tEndRuleset: front.Close, tEndStartstate: front.Close, tEndSwitch: front.Close, tEndWhile: front.Close,
	tLParen: front.Paren, tLBracket: front.Paren, tLBrace: front.Paren, tRParen: front.Close, tRBracket: front.Close, tRBrace: front.Close,
	tInvariant: front.Claim, tAssert: front.Claim, tSemi: front.Stop,
	tAssign: front.Operator, tImplies: front.Operator, tOrOr: front.Operator, tAndAnd: front.Operator, tPipe: front.Operator, tAmp: front.Operator,
	tEq: front.Operator, tNe: front.Operator, tLt: front.Operator, tLe: front.Operator, tGt: front.Operator, tGe: front.Operator,
	tPlus: front.Operator, tMinus: front.Operator, tStar: front.Operator, tSlash: front.Operator, tPercent: front.Operator, tQuestion: front.Operator,
}

// Indent returns the model src with each line as deep as the blocks around it, by unit for a
// level. The error, if any, is an ErrorList: of what is no token.
func Indent(file string, src []byte, unit string, d model.Dialect) ([]byte, error) {
	text := strings.TrimPrefix(string(src), "\ufeff")
	r := &reporter{file: file, src: text}
	lex := newLexer(text, d, func(pos model.Pos, format string, args ...any) {
		if format != noReals {
			r.errorf(pos, format, args...)
		}
	})
	var tokens []front.Token
	before := tSemi
	for t := lex.next(); t.kind != tEOF && !r.full; t = lex.next() {
		role := roles[t.kind]
		if t.kind == tIdent && (before == tSemi || before == tDo || before == tBegin || roles[before] == front.Close) {
			ahead := lex
			ahead.report = func(model.Pos, string, ...any) {}
			next := ahead.next().kind
			switch word := strings.ToLower(t.text); {
			case word == "choose" && next == tIdent:
				role = front.Start
			case word == "endchoose":
				role = front.Close
			case propertyWords[word] != tEOF && (next == tString || startsExpr(next)) && next != tLParen:
				role = front.Claim
			}
		}
		tokens = append(tokens, front.Token{Line: t.pos.Line - 1, Last: lex.line - 1, Role: role})
		before = t.kind
	}
	if len(r.errs) > 0 {
		return nil, r.errs
	}
	return []byte(front.Indent(text, unit, "--", tokens)), nil
}
