package evidence

// Tree is a list of packed states of Size bytes each, as a tree table: a state is cut into words of four bytes, little
// endian, of which the last one may go on with zeros. Splits puts them together in pairs; a pair that several states
// have is there once. A pair has its first half in the upper 32 bits. A half is a word of the state, or the number of a
// pair in Parts.
type Tree struct {
	Size   int
	Splits []Split    // halves before what they are part of; the last one is of whole states
	Roots  [][]uint64 // by state, in blocks of TreeBlock: the pair of the last split
	Parts  [][]uint64 // by number, in such blocks: the pairs of all other splits, each xor the salt of its split
	Salts  []uint64   // by split
}

// Split says what the halves of a pair are: a split that comes before, or the complement of the number of a word.
type Split [2]int32

// TreeBlock is how many pairs a block of a Tree has.
const TreeBlock = 1 << 13

// Treed is a View that may be a Tree.
type Treed interface {
	View
	// Tree returns nil if there is none. Member i is state i of the tree.
	Tree() *Tree
}
