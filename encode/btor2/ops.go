package btor2

// This file lists the operators: a new one has a number and a row in the table here, its circuit in words.go (apply,
// cost), its value in eval.go (evaluate), and, if its sorts follow no rule of the table, a case of checkSpecial in
// read.go.

type op uint8

const (
	// Without operands.
	opInput op = iota
	opState
	opConst

	// With one operand, and for some of them numbers.
	opNot
	opInc
	opDec
	opNeg
	opRedand
	opRedor
	opRedxor
	opSlice
	opUext
	opSext

	// With two operands.
	opIff
	opImplies
	opEq
	opNeq
	opSgt
	opUgt
	opSgte
	opUgte
	opSlt
	opUlt
	opSlte
	opUlte
	opAnd
	opNand
	opNor
	opOr
	opXnor
	opXor
	opRol
	opRor
	opSll
	opSra
	opSrl
	opAdd
	opMul
	opSdiv
	opUdiv
	opSmod
	opSrem
	opUrem
	opSub
	opSaddo
	opUaddo
	opSdivo
	opSmulo
	opUmulo
	opSsubo
	opUsubo
	opConcat
	opRead

	// With three.
	opIte
	opWrite
)

// rule says what sorts an operator takes.
type rule uint8

const (
	special rule = iota // checkSpecial has a rule for it alone
	same                // all operands and the result are words of one sort
	reduce              // a word; the result is a bit
	compare             // two words of one sort; the result is a bit
	bits                // two bits; the result is a bit
)

// operators lists the operators with operands, by name.
var operators = map[string]struct {
	op    op
	arity int
	rule  rule
}{
	"not": {opNot, 1, same}, "inc": {opInc, 1, same}, "dec": {opDec, 1, same}, "neg": {opNeg, 1, same},
	"redand": {opRedand, 1, reduce}, "redor": {opRedor, 1, reduce}, "redxor": {opRedxor, 1, reduce},
	"slice": {opSlice, 1, special}, "uext": {opUext, 1, special}, "sext": {opSext, 1, special},

	"iff": {opIff, 2, bits}, "implies": {opImplies, 2, bits},
	"eq": {opEq, 2, special}, "neq": {opNeq, 2, special},
	"sgt": {opSgt, 2, compare}, "ugt": {opUgt, 2, compare}, "sgte": {opSgte, 2, compare}, "ugte": {opUgte, 2, compare},
	"slt": {opSlt, 2, compare}, "ult": {opUlt, 2, compare}, "slte": {opSlte, 2, compare}, "ulte": {opUlte, 2, compare},
	"and": {opAnd, 2, same}, "nand": {opNand, 2, same}, "nor": {opNor, 2, same}, "or": {opOr, 2, same},
	"xnor": {opXnor, 2, same}, "xor": {opXor, 2, same},
	"rol": {opRol, 2, same}, "ror": {opRor, 2, same}, "sll": {opSll, 2, same}, "sra": {opSra, 2, same}, "srl": {opSrl, 2, same},
	"add": {opAdd, 2, same}, "mul": {opMul, 2, same}, "sdiv": {opSdiv, 2, same}, "udiv": {opUdiv, 2, same},
	"smod": {opSmod, 2, same}, "srem": {opSrem, 2, same}, "urem": {opUrem, 2, same}, "sub": {opSub, 2, same},
	"saddo": {opSaddo, 2, compare}, "uaddo": {opUaddo, 2, compare}, "sdivo": {opSdivo, 2, compare},
	"smulo": {opSmulo, 2, compare}, "umulo": {opUmulo, 2, compare}, "ssubo": {opSsubo, 2, compare}, "usubo": {opUsubo, 2, compare},
	"concat": {opConcat, 2, special}, "read": {opRead, 2, special},

	"ite": {opIte, 3, special}, "write": {opWrite, 3, special},
}
