// Package rename finds symmetries of a model that exchange names: variables, fields,
// rules and values all at once, as when `left` and `right` change places everywhere in a
// model that writes down two components by name instead of indexing them. Inference by
// uses does not see such a symmetry: it asks of one class of values at a time whether
// they are treated alike, and a variable that has a name of its own has no class.
//
// [Find] proposes: the automorphisms of a coloured graph of the model are the renamings
// that its text shows. What a renaming does to values takes a one-hot encoding, so enums
// whose values move become classes, and rules are named by one input each (encode.Named).
//
// [Add] verifies the proposals, like those of declared scalarsets, and adds the group of
// those that pass to a report. It does so only where this group and the one that is there
// are a direct product: their elements commute, and they share the identity only.
//
//	find.go        proposals for a model
//	graph.go       the coloured graph: declarations
//	syntax.go      the coloured graph: expressions and statements
//	renaming.go    what an automorphism of the graph does to the model
//	add.go         verified renamings beside the group of classes
package rename
