package promelatest

import "strings"

// Small programs, all of them: each body below, around each choice of statements, in each company. Random programs
// seldom have a handshake where it matters that one of the partners is in an atomic sequence, a d_step or an unless.

// companies are programs with the place BODY. It ends in front of a label that it may jump to.
var companies = []string{
	"active proctype P() { rv!1 } active proctype Q() { BODY; out: skip }",
	"active proctype P() { atomic { rv!1; x = 2 } } active proctype Q() { end: BODY; out: x = 4 }",
	"active proctype P() { rv!1; q!1 } active proctype Q() { BODY; out: skip } active proctype T() { end: rv?1 }",
	"active proctype P() { { rv!2 } unless { x == 3 }; rv!1 } active proctype Q() { BODY; out: assert(x == 0) }",
	"active proctype P() { if :: rv?1 :: rv!1 -> x = 1 fi } active proctype Q() { BODY; out: skip }",
}

// bodies have up to three statements, A, B and C.
var bodies = []string{
	"A",
	"d_step { A }",
	"A; B",
	"atomic { A; B }",
	"d_step { A; B }",
	"if :: A :: B fi",
	"if :: A :: else -> B fi",
	"{ A } unless { B }",
	"d_step { if :: A :: B fi }",
	"do :: A :: B -> break od",
	"A; B; C",
	"atomic { A; B; C }",
	"d_step { A; B; C }",
	"{ A; B } unless { C }",
	"{ A } unless { B; C }",
	"{ A } unless { d_step { B; C } }",
	"{ A } unless { atomic { B; C } }",
	"{ A } unless { if :: B :: C fi }",
	"if :: A; B :: C fi",
	"if :: A; B :: else -> C fi",
	"d_step { if :: A; B :: C fi }",
	"d_step { if :: A :: B fi; C }",
	"d_step { if :: A :: B :: else fi; C }",
	"atomic { A; d_step { B; C } }",
	"if :: d_step { A; B } :: C fi",
	"{ d_step { A; B } } unless { C }",
	"{ atomic { A; B } } unless { C }",
	"{ { A } unless { B } } unless { C }",
	"do :: A; B :: C -> break od",
	"atomic { if :: A :: B fi; C }",
	"A; if :: B :: C fi",
	"again: A; if :: B -> goto again :: C fi",
}

var leaves = []string{
	"rv?1", "rv?x", "rv?eval(b)", "rv!1", "q?x", "q!x", "x == 0", "x = 3", "assert(x == 1)", "timeout", "skip",
	"rv?[1]", "nempty(q) && q?[1]", "run R()", "goto out",
}

// SmallPrograms is how many small programs there are, some of which SPIN refuses.
var SmallPrograms = len(companies) * smallBodies()

func smallBodies() (n int) {
	for _, b := range bodies {
		n += choices(b)
	}
	return n
}

// choices returns in how many ways a body has its statements.
func choices(body string) int {
	n := 1
	for _, place := range places {
		if strings.Contains(body, place) {
			n *= len(leaves)
		}
	}
	return n
}

var places = []string{"A", "B", "C"}

// Small returns program number i, from 0 to SmallPrograms-1.
func Small(i int) string {
	company, i := companies[i%len(companies)], i/len(companies)
	for _, body := range bodies {
		n := choices(body)
		if i >= n {
			i -= n
			continue
		}
		text := []string{}
		for _, place := range places {
			leaf := leaves[i%len(leaves)]
			if leaf == "run R()" && (strings.HasPrefix(body, "do") || strings.HasPrefix(body, "again")) {
				leaf = "b = 0" // a loop would make hundreds of processes
			}
			text = append(text, place, leaf)
			i /= len(leaves)
		}
		program := strings.Replace(company, "BODY", strings.NewReplacer(text...).Replace(body), 1)
		if strings.Contains(program, "run R") {
			program = "proctype R() { x = 1 } " + program
		}
		return "bit b = 1; byte x; chan rv = [0] of { byte }; chan q = [1] of { byte };\n" + program + "\n"
	}
	panic("promelatest: there is no such small program")
}
