package states

import (
	"bytes"
	"encoding/binary"
	"fmt"

	"orbitmc/mc/evidence"
)

// This file reads the members of a closed set. Large ones are in a tree (evidence.Tree), which is read here and not by
// the search that made it. The set is what is read here: whatever the tree says, each number names one state, as
// neither the tree nor how it is read changes. A successor counts as a member only if all its bytes are those that are
// read for its number, so two parts of the tree that are confused make the check fail. A search may make its tree
// again while it is checked; then what was read before is compared with what is read now.

// members reads the members of a view, each valid until the next one is read.
type members struct {
	view evidence.View
	tree *evidence.Tree // nil: the view has the members as they are
	now  []byte         // the last one, in words
	half []uint32       // by split: the number of the pair that now has, plus one
	most int64          // members below were read
}

func newMembers(v evidence.View) *members {
	m := &members{view: v}
	if x, ok := v.(evidence.Treed); ok {
		m.tree = x.Tree()
	}
	if m.tree != nil {
		m.now, m.half = make([]byte, 4*len(m.tree.Splits)+4), make([]uint32, len(m.tree.Splits))
	}
	return m
}

// member returns member i.
func (m *members) member(i int64) []byte {
	m.most = max(m.most, i+1)
	if m.tree == nil {
		return m.view.Member(i)
	}
	m.spread(len(m.tree.Splits)-1, m.tree.Roots[i/evidence.TreeBlock][i%evidence.TreeBlock])
	return m.now[:m.tree.Size]
}

// together reports whether two are read from the same tree, or both as they are.
func (m *members) together(o *members) bool {
	if m.tree == nil || o.tree == nil {
		return m.tree == o.tree
	}
	return &m.tree.Splits[0] == &o.tree.Splits[0] && &m.tree.Roots[0][0] == &o.tree.Roots[0][0]
}

// see makes v the members, which those that were read before have to be, too.
func (cc *closureCheck) see(v evidence.View) error {
	from, to := newMembers(v), newMembers(v)
	if cc.to != nil {
		from.most = max(cc.from.most, cc.to.most)
		if !to.together(cc.to) {
			for i := range from.most {
				if !bytes.Equal(cc.to.member(i), to.member(i)) {
					return fmt.Errorf("member %d is another state than it was", i)
				}
			}
		}
	}
	cc.from, cc.to = from, to
	return nil
}

// spread writes the words of a pair of split k where they are not those of now.
func (m *members) spread(k int, pair uint64) {
	for _, h := range m.tree.Splits[k] {
		x := uint32(pair >> 32)
		pair <<= 32
		switch {
		case h < 0:
			binary.LittleEndian.PutUint32(m.now[4*int(^h):], x)
		case m.half[h] != x+1:
			m.half[h] = x + 1
			m.spread(int(h), m.tree.Parts[x/evidence.TreeBlock][x%evidence.TreeBlock]^m.tree.Salts[h])
		}
	}
}

// touch has something of member i fetched.
func (m *members) touch(i int64) byte {
	if m.tree != nil {
		return byte(m.tree.Roots[i/evidence.TreeBlock][i%evidence.TreeBlock])
	}
	b := m.view.Member(i)
	return b[len(b)-1]
}
