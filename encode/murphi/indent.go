// The indentation of a model, for editors. Format makes a new layout and loses comments;
// Indent moves lines sideways, and keeps each token and comment on its line.

package murphi

import (
	"strings"

	"orbitmc/indent"
	"orbitmc/model"
)

// roles say what tokens mean for the indentation.
var roles = map[kind]indent.Role{
	tConst: indent.Head, tType: indent.Head, tVar: indent.Head,
	tBegin: indent.Begin, tArrow: indent.Begin,
	tRule: indent.Start, tStartstate: indent.Start, tRuleset: indent.Start, tFunction: indent.Start, tProcedure: indent.Start, tAlias: indent.Start,
	tRecord: indent.Open, tIf: indent.Open, tSwitch: indent.Open, tFor: indent.Open, tWhile: indent.Open, tForall: indent.Open, tExists: indent.Open,
	tElse: indent.Middle, tElsif: indent.Middle, tCase: indent.Middle,
	tEnd: indent.Close, tEndAlias: indent.Close, tEndExists: indent.Close, tEndFor: indent.Close, tEndForall: indent.Close,
	tEndFunction: indent.Close, tEndIf: indent.Close, tEndProcedure: indent.Close, tEndRecord: indent.Close, tEndRule: indent.Close,
	tEndRuleset: indent.Close, tEndStartstate: indent.Close, tEndSwitch: indent.Close, tEndWhile: indent.Close,
	tLParen: indent.Paren, tLBracket: indent.Paren, tLBrace: indent.Paren, tRParen: indent.Close, tRBracket: indent.Close, tRBrace: indent.Close,
	tInvariant: indent.Claim, tAssert: indent.Claim, tSemi: indent.Stop,
	tAssign: indent.Operator, tImplies: indent.Operator, tOrOr: indent.Operator, tAndAnd: indent.Operator, tPipe: indent.Operator, tAmp: indent.Operator,
	tEq: indent.Operator, tNe: indent.Operator, tLt: indent.Operator, tLe: indent.Operator, tGt: indent.Operator, tGe: indent.Operator,
	tPlus: indent.Operator, tMinus: indent.Operator, tStar: indent.Operator, tSlash: indent.Operator, tPercent: indent.Operator, tQuestion: indent.Operator,
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
	var tokens []indent.Token
	before := tSemi
	for t := lex.next(); t.kind != tEOF && !r.full; t = lex.next() {
		role := roles[t.kind]
		if t.kind == tIdent && (before == tSemi || before == tDo || before == tBegin || roles[before] == indent.Close) {
			ahead := lex
			ahead.report = func(model.Pos, string, ...any) {}
			next := ahead.next().kind
			switch word := strings.ToLower(t.text); {
			case word == "choose" && next == tIdent:
				role = indent.Start
			case word == "endchoose":
				role = indent.Close
			case propertyWords[word] != tEOF && (next == tString || startsExpr(next)) && next != tLParen:
				role = indent.Claim
			}
		}
		tokens = append(tokens, indent.Token{Line: t.pos.Line - 1, Last: lex.line - 1, Role: role})
		before = t.kind
	}
	if len(r.errs) > 0 {
		return nil, r.errs
	}
	return []byte(indent.Lines(text, unit, "--", tokens)), nil
}
