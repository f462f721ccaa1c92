package group

import (
	"cmp"
	"slices"
)

// element is a permutation that others multiply. It is dense and has its inverse.
// A product costs as many steps as the other permutation moves points, not as
// many as there are points; most strong generators move few.
type element struct {
	image, source []int32 // of a point: where it goes, where it comes from
	moved         int     // points that move
	touched       []int32 // points that have moved since reset, each once
	seen          []bool  // by point: among touched
	tmp           []int32
}

func newElement(n int) *element {
	return &element{image: identity(n), source: identity(n), seen: make([]bool, n)}
}

// reset makes e the identity.
func (e *element) reset() {
	for _, x := range e.touched {
		e.image[x], e.source[x], e.seen[x] = x, x, false
	}
	e.touched, e.moved = e.touched[:0], 0
}

// put makes y the image of x; all of a set of points must be put to all images of
// the set.
func (e *element) put(x, y int32) {
	if e.image[x] != x {
		e.moved--
	}
	if y != x {
		e.moved++
	}
	e.image[x], e.source[y] = y, x
	if !e.seen[x] {
		e.seen[x] = true
		e.touched = append(e.touched, x)
	}
}

// then makes e the permutation that applies e first and s second.
func (e *element) then(s Sparse) {
	e.tmp = e.tmp[:0]
	for _, x := range s.Points {
		e.tmp = append(e.tmp, e.source[x])
	}
	for k, x := range e.tmp {
		e.put(x, s.Images[k])
	}
}

func (e *element) thenInverse(s Sparse) {
	e.then(Sparse{s.Images, s.Points})
}

// before makes e the permutation that applies s first and e second.
func (e *element) before(s Sparse) {
	e.tmp = e.tmp[:0]
	for _, y := range s.Images {
		e.tmp = append(e.tmp, e.image[y])
	}
	for k, x := range s.Points {
		e.put(x, e.tmp[k])
	}
}

// sparse returns a copy of e, points ascending.
func (e *element) sparse() Sparse {
	s := Sparse{make([]int32, 0, e.moved), make([]int32, 0, e.moved)}
	for _, x := range e.touched {
		if e.image[x] != x {
			s.Points = append(s.Points, x)
		}
	}
	slices.SortFunc(s.Points, cmp.Compare)
	for _, x := range s.Points {
		s.Images = append(s.Images, e.image[x])
	}
	return s
}

// perm returns a dense copy of e.
func (e *element) perm() Perm { return slices.Clone(Perm(e.image)) }
