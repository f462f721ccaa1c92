package states_test

import (
	"bytes"
	"context"
	"encoding/binary"
	"math/rand/v2"
	"testing"

	"orbitmc/encode/murphi"
	"orbitmc/internal/certify"
	"orbitmc/internal/certify/states"
	"orbitmc/internal/explicit"
	"orbitmc/mc"
	"orbitmc/mc/evidence"
	"orbitmc/model"
)

// wide has states of more than 64 bytes.
const wide = `
var x: 0..69999; a: array[0..99] of 0..15;
startstate begin x := 0; for i: 0..99 do a[i] := 0; end; end;
rule "on" x < 69999 ==> begin a[x % 100] := (a[x % 100] + 1) % 16; x := x + 1; end;
rule "back" x = 69999 ==> begin x := 0; for i: 0..99 do a[i] := 0; end; end;
invariant "low" a[99] <= 15;
`

// treed is a closure whose members are in a tree of ours.
type treed struct {
	evidence.Closure
	tree *evidence.Tree
}

func (t *treed) Tree() *evidence.Tree { return t.tree }

func (t *treed) Member(int64) []byte { panic("the tree is read") }

// treeOf puts states into a tree, word after word.
func treeOf(c evidence.Closure) *evidence.Tree {
	size := len(c.Member(0))
	words := (size + 3) / 4
	t := &evidence.Tree{Size: size}
	for k := range int32(words - 1) {
		s := evidence.Split{^(k + 1), k - 1}
		if k == 0 {
			s[1] = ^0
		}
		t.Splits, t.Salts = append(t.Splits, s), append(t.Salts, uint64(k)*0x9e3779b97f4a7c15)
	}
	add := func(list [][]uint64, n int, x uint64) [][]uint64 {
		if n%evidence.TreeBlock == 0 {
			list = append(list, make([]uint64, evidence.TreeBlock))
		}
		list[n/evidence.TreeBlock][n%evidence.TreeBlock] = x
		return list
	}
	known := make(map[uint64]uint32)
	for i := range c.Len() {
		b := append(bytes.Clone(c.Member(i)), 0, 0, 0)
		below := binary.LittleEndian.Uint32(b)
		for k := range words - 1 {
			pair := uint64(binary.LittleEndian.Uint32(b[4*k+4:]))<<32 | uint64(below)
			if k == words-2 {
				t.Roots = add(t.Roots, int(i), pair)
				break
			}
			pair ^= t.Salts[k]
			x, ok := known[pair]
			if !ok {
				x = uint32(len(known))
				known[pair] = x
				t.Parts = add(t.Parts, int(x), pair)
			}
			below = x
		}
	}
	return t
}

// TestTreeConfused: a closed set in a tree is accepted, that of the search and one made here, and is not if two roots or
// two parts of it are confused.
func TestTreeConfused(t *testing.T) {
	m, err := murphi.Parse("wide.m", []byte(wide), murphi.Options{})
	if err != nil {
		t.Fatal(err)
	}
	p := &mc.Problem{OfModel: mc.OfModel{Model: m, Program: model.Compile(m)}}
	for i := range m.Props {
		p.Props = append(p.Props, i)
	}
	result, err := (&explicit.Engine{Canon: explicit.None}).Run(context.Background(), p, mc.Options{All: true, Watch: watching})
	if err != nil {
		t.Fatal(err)
	}
	verify := func(c evidence.Closure, watch evidence.Watch) error {
		r := *result
		r.Props = append([]mc.PropResult(nil), result.Props...)
		r.Closure, r.Watch = c, watch
		return certify.Verify(context.Background(), p, &r)
	}
	n := int(result.Closure.Len())
	if x, ok := result.Closure.(evidence.Treed); !ok || x.Tree() == nil || n != 70000 {
		t.Fatalf("%d states, not in a tree", n)
	}
	if err := verify(result.Closure, result.Watch); err != nil {
		t.Fatal(err)
	}
	r := rand.New(rand.NewPCG(1, 32))
	for _, tree := range []*evidence.Tree{result.Closure.(evidence.Treed).Tree(), treeOf(result.Closure)} {
		c := &treed{result.Closure, tree}
		if err := verify(c, nil); err != nil {
			t.Fatal(err)
		}
		confused := func(what string, list [][]uint64, n int) {
			t.Helper()
			at := func(i int) *uint64 { return &list[i/evidence.TreeBlock][i%evidence.TreeBlock] }
			for range 4 {
				i, j := at(r.IntN(n)), at(r.IntN(n))
				old := *i
				if *i = *j; old != *j && verify(c, nil) == nil {
					t.Errorf("%s that are confused are accepted", what)
				}
				*i = old
			}
		}
		confused("roots", tree.Roots, n)
		// Parts of one split, that below the root: others may not be readable in each other's place.
		for range 4 {
			i, j := r.IntN(n), r.IntN(n)
			k := len(tree.Splits) - 1
			a, b := tree.Roots[i/evidence.TreeBlock][i%evidence.TreeBlock], tree.Roots[j/evidence.TreeBlock][j%evidence.TreeBlock]
			x, y := uint32(a), uint32(b)
			if tree.Splits[k][1] < 0 {
				x, y = uint32(a>>32), uint32(b>>32)
			}
			u, v := &tree.Parts[x/evidence.TreeBlock][x%evidence.TreeBlock], &tree.Parts[y/evidence.TreeBlock][y%evidence.TreeBlock]
			old := *u
			if *u = *v; old != *v && verify(c, nil) == nil {
				t.Errorf("parts that are confused are accepted")
			}
			*u = old
		}
	}
}

// listed is a closure of states.
type listed struct {
	evidence.Closure
	states [][]byte
}

func (l *listed) Len() int64            { return int64(len(l.states)) }
func (l *listed) Member(i int64) []byte { return l.states[i] }

// TestTreeAgain: when the search makes its tree, or makes it again, each number that was read names the state that it
// named.
func TestTreeAgain(t *testing.T) {
	rows, other := &listed{}, &listed{}
	for i := range 50 {
		b := bytes.Repeat([]byte{byte(i), 7}, 20)
		rows.states, other.states = append(rows.states, b), append(other.states, bytes.Clone(b))
	}
	other.states[30], other.states[40] = other.states[40], other.states[30]
	tree := func(c evidence.Closure) evidence.View { return &treed{c, treeOf(c)} }
	same := tree(rows)
	if err := states.See(50, rows, same, same, tree(rows), rows); err != nil {
		t.Error(err)
	}
	for _, views := range [][]evidence.View{{rows, tree(other)}, {same, tree(other)}, {tree(other), rows}, {same, same, tree(rows), tree(other)}} {
		if states.See(50, views...) == nil {
			t.Error("numbers may name other states")
		}
		if err := states.See(30, views...); err != nil {
			t.Errorf("of those that were not read: %v", err)
		}
	}
}
