package btor2

import (
	"bytes"
	"cmp"
	"maps"
	"math/big"
	"slices"
)

// This file holds values. An array is what its elements are where that was said, and what
// all others are.

// Value is a word or an array. Words are not negative.
type Value struct {
	Word *big.Int // nil: an array

	at   map[string]*big.Int // elements, by key of their index
	rest *big.Int            // all others
}

func (v Value) isArray() bool { return v.Word == nil }

// filled returns an array with one element everywhere.
func filled(x *big.Int) Value { return Value{rest: x} }

// key is an index as the key of a map.
func key(index *big.Int) string { return string(index.Bytes()) }

// indexOf is the index of a key.
func indexOf(key string) *big.Int { return new(big.Int).SetBytes([]byte(key)) }

// byIndex orders keys by index.
func byIndex(x, y string) int {
	return cmp.Or(cmp.Compare(len(x), len(y)), bytes.Compare([]byte(x), []byte(y)))
}

// element returns an element of an array.
func (v Value) element(index *big.Int) *big.Int {
	if x, ok := v.at[key(index)]; ok {
		return x
	}
	return v.rest
}

// with returns an array with one element changed.
func (v Value) with(index, x *big.Int) Value {
	at := maps.Clone(v.at)
	if at == nil {
		at = make(map[string]*big.Int)
	}
	at[key(index)] = x
	return Value{at: at, rest: v.rest}
}

// differs returns the least index that is named in v or w where these arrays differ.
func (v Value) differs(w Value) (index *big.Int, ok bool) {
	both := Value{at: union(v, w)}
	for _, k := range both.keys() {
		if i := indexOf(k); v.element(i).Cmp(w.element(i)) != 0 {
			return i, true
		}
	}
	return nil, false
}

// equal reports whether two words are equal, or two arrays whose indices have so many bits.
func (v Value) equal(w Value, bits int) bool {
	if !v.isArray() {
		return v.Word.Cmp(w.Word) == 0
	}
	if _, differ := v.differs(w); differ {
		return false
	}
	return v.rest.Cmp(w.rest) == 0 || bits < 31 && len(union(v, w)) == 1<<bits
}

// keys returns the keys of the elements that v names, by index.
func (v Value) keys() []string { return slices.SortedFunc(maps.Keys(v.at), byIndex) }

// union returns the elements that one of two arrays names, with those of v.
func union(v, w Value) map[string]*big.Int {
	all := maps.Clone(w.at)
	if all == nil {
		all = make(map[string]*big.Int)
	}
	maps.Copy(all, v.at)
	return all
}
