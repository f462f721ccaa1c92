// Package rename finds symmetries of a model that exchange names: variables, fields, rules and
// values all at once. An example is a model that has two components, `left` and `right`, as
// separate variables instead of an array: exchanging the two names everywhere is a symmetry.
// Inference by uses (package infer) does not see it. It decides for one class of values
// whether they are used alike, and a variable with a name of its own has no class.
//
// [Find] proposes renamings: the automorphisms of a coloured graph of the model. A renaming
// that moves values of an enum permutes latches only if the enum is one-hot, so such an enum
// becomes a class. Each rule is named by one input (encode.Named).
//
// [Add] verifies the proposals, like those of declared scalarsets. It adds the group of the
// verified renamings to a report, if this group and the group of the report form a direct
// product: their elements commute, and only the identity is in both.
//
//	find.go        proposals for a model
//	graph.go       the coloured graph: declarations
//	syntax.go      the coloured graph: expressions and statements
//	renaming.go    what an automorphism of the graph does to the model
//	add.go         verified renamings beside the group of classes
package rename
