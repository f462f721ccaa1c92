package btor2

import (
	"cmp"
	"hash/maphash"
	"math/big"
)

// This file holds values. An array is what its elements are where that was said, and what
// all others are.

// Value is a word or an array. Words are not negative.
type Value struct {
	Word *big.Int // nil: an array

	at   *tree    // elements, by key of their index
	rest *big.Int // all others
}

// tree is a treap. A tree does not change: one with another element shares most of it, so all arrays that a long
// chain of writes passes through take little memory together. nil has no elements.
type tree struct {
	left, right *tree
	key         string
	rank        uint64 // not below those of the trees in it
	x           *big.Int
}

var seed = maphash.MakeSeed() // of ranks, which only say what form a tree has

// get returns an element; nil if there is none.
func (t *tree) get(key string) *big.Int {
	for t != nil {
		switch c := byIndex(key, t.key); {
		case c == 0:
			return t.x
		case c < 0:
			t = t.left
		default:
			t = t.right
		}
	}
	return nil
}

// put returns a new tree in which an element is x.
func (t *tree) put(key string, x *big.Int) *tree {
	if t == nil {
		return &tree{key: key, rank: maphash.String(seed, key), x: x}
	}
	n := *t
	switch c := byIndex(key, t.key); {
	case c == 0:
		n.x = x
	case c < 0:
		if n.left = t.left.put(key, x); n.left.rank > n.rank {
			top := n.left
			n.left, top.right = top.right, &n
			return top
		}
	default:
		if n.right = t.right.put(key, x); n.right.rank > n.rank {
			top := n.right
			n.right, top.left = top.left, &n
			return top
		}
	}
	return &n
}

// all yields the elements by index.
func (t *tree) all(yield func(key string, x *big.Int) bool) bool {
	return t == nil || t.left.all(yield) && yield(t.key, t.x) && t.right.all(yield)
}

func (v Value) isArray() bool { return v.Word == nil }

// filled returns an array with one element everywhere.
func filled(x *big.Int) Value { return Value{rest: x} }

// key is an index as the key of a map.
func key(index *big.Int) string { return string(index.Bytes()) }

func indexOf(key string) *big.Int { return new(big.Int).SetBytes([]byte(key)) }

// byIndex orders keys by index.
func byIndex(x, y string) int { return cmp.Or(cmp.Compare(len(x), len(y)), cmp.Compare(x, y)) }

func (v Value) element(index *big.Int) *big.Int {
	return cmp.Or(v.at.get(key(index)), v.rest)
}

// with returns an array with one element changed.
func (v Value) with(index, x *big.Int) Value { return Value{at: v.at.put(key(index), x), rest: v.rest} }

// differs returns the least index that is named in v or w where these arrays differ.
func (v Value) differs(w Value) (index *big.Int, ok bool) {
	union(v, w).all(func(k string, _ *big.Int) bool {
		index = indexOf(k)
		ok = v.element(index).Cmp(w.element(index)) != 0
		return !ok
	})
	return index, ok
}

// equal reports whether two words are equal, or two arrays whose indices have so many bits.
func (v Value) equal(w Value, bits int) bool {
	if !v.isArray() {
		return v.Word.Cmp(w.Word) == 0
	}
	if _, differ := v.differs(w); differ {
		return false
	}
	return v.rest.Cmp(w.rest) == 0 || bits < 31 && len(Value{at: union(v, w)}.keys()) == 1<<bits
}

// keys returns the keys of the elements that v names, by index.
func (v Value) keys() (all []string) {
	v.at.all(func(k string, _ *big.Int) bool {
		all = append(all, k)
		return true
	})
	return all
}

// union returns the elements that one of two arrays names, with those of v.
func union(v, w Value) *tree {
	if v.at == w.at {
		return v.at
	}
	all := w.at
	v.at.all(func(k string, x *big.Int) bool {
		all = all.put(k, x)
		return true
	})
	return all
}
