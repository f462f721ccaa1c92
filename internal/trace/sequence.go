package trace

import (
	"cmp"
	"fmt"
	"html"
	"math"
	"strings"

	"orbitmc/internal/lists"
)

// This file draws the sequence diagram. Time runs downwards, a row for each step. A message is an
// arrow in the row in which it is sent; while it waits for its receiver, a bar runs down beside the
// receiver's line. Boxes on the lines are new values of what the property reads.

// Sizes, in pixels.
const (
	rowHeight  = 30
	nextLevel  = 23 // from one message of a step to the next
	headHeight = 34
	charWidth  = 6.5
	minGap     = 92
	maxGap     = 190
	minLeft    = 96

	changesLength = 48 // of the text of a step where there are no components
	maxLeft       = 210
)

type drawing struct {
	*View
	b         strings.Builder
	left, gap float64
	level     []int     // by message: how many of its step are above it
	ys        []float64 // by step
}

func between(lo, x, hi float64) float64 { return max(lo, min(x, hi)) }

// clipped returns a text of at most n characters.
func clipped(s string, n int) string {
	if r := []rune(s); len(r) > n {
		return string(r[:n-1]) + "…"
	}
	return s
}

func (d *drawing) x(lane int) float64 { return d.left + d.gap*(float64(lane)+0.5) }

func (d *drawing) y(step int) float64 { return d.ys[step] }

// label is what an arrow says: of an element its first word.
func (m *Message) label() string {
	if head, _, ok := strings.Cut(m.Text, "("); ok && head != "" && !strings.ContainsAny(head, " [!") {
		return head
	}
	return m.Text
}

// layout places the rows. Messages of one step that would overlap are one below the other, and below boxes that their texts would
// overlap.
func (d *drawing) layout(boxes []box) (height float64) {
	levels := make([]int, len(d.Steps)+2)
	d.level = make([]int, len(d.Messages))
	for i, m := range d.Messages {
		lo, hi := min(m.From, m.To), max(m.From, m.To)
		for _, b := range boxes {
			mid, half := float64(m.From+m.To)/2, (charWidth*float64(len([]rune(m.label())))+b.width())/2
			if b.step == m.Sent && m.To >= 0 && math.Abs(float64(b.lane)-mid)*d.gap < half {
				d.level[i] = 1
			}
		}
		for j, n := range d.Messages[:i] {
			if n.Sent == m.Sent && min(n.From, n.To) < hi && lo < max(n.From, n.To) {
				d.level[i] = max(d.level[i], d.level[j]+1)
			}
		}
		levels[m.Sent] = max(levels[m.Sent], d.level[i])
	}
	y := float64(headHeight)
	for k := range levels {
		d.ys = append(d.ys, y+rowHeight/2)
		y += rowHeight + nextLevel*float64(levels[k])
	}
	return y
}

// high returns the height of a row.
func (d *drawing) high(step int) float64 { return d.ys[step+1] - d.ys[step] }

func (d *drawing) printf(format string, args ...any) { fmt.Fprintf(&d.b, format, args...) }

// sequence returns the diagram as SVG.
func (v *View) sequence() string {
	d := &drawing{View: v}
	name, text := 5, 8
	for _, s := range v.Steps {
		name = max(name, len([]rune(s.Rule)))
	}
	for _, m := range v.Messages {
		if m.To >= 0 {
			text = max(text, len([]rune(m.label()))/max(1, abs(m.From-m.To)))
		}
	}
	for _, l := range v.Lanes {
		text = max(text, len([]rune(l.Name)))
	}
	boxes := d.boxes()
	for _, b := range boxes {
		text = max(text, int(b.width()/charWidth))
	}
	d.left = between(minLeft, 34+charWidth*float64(name), maxLeft)
	d.gap = between(minGap, charWidth*float64(text)+26, maxGap)
	width, height := d.left+d.gap*float64(len(v.Lanes))+8, d.layout(boxes)
	if len(v.Lanes) == 0 {
		width = d.left + charWidth*changesLength + 30
	}
	d.printf(`<svg class="sequence" viewBox="0 0 %.0f %.0f" width="%.0f" height="%.0f" style="--width: %.0fpx" role="img" aria-label="sequence of %d steps">`, width, height, width, height, width, len(v.Steps))
	d.printf(`<defs><marker id="head" viewBox="0 0 8 8" refX="8" refY="4" markerWidth="9" markerHeight="9" markerUnits="userSpaceOnUse" orient="auto-start-reverse"><path d="M0,0 L8,4 L0,8 z"/></marker><marker id="blindhead" viewBox="0 0 8 8" refX="8" refY="4" markerWidth="11" markerHeight="11" markerUnits="userSpaceOnUse" orient="auto-start-reverse"><path d="M0,0 L8,4 L0,8 z"/></marker></defs>`)
	for k := range len(v.Steps) + 1 {
		d.printf(`<g class="%s" data-step="%d"><rect x="0" y="%.1f" width="%.1f" height="%.1f" rx="4"/></g>`, d.class(k), k, d.y(k)-rowHeight/2, width, d.high(k))
	}
	for i, l := range v.Lanes {
		x := d.x(i)
		d.printf(`<line class="life" x1="%.1f" y1="%d" x2="%.1f" y2="%.1f"/>`, x, headHeight-4, x, height-rowHeight)
		d.printf(`<text class="lane" x="%.1f" y="18">%s</text>`, x, html.EscapeString(clipped(l.Name, int(d.gap/charWidth))))
	}
	d.waiting()
	for k := range len(v.Steps) + 1 {
		d.row(k)
	}
	for i := range v.Messages {
		m, reach := &v.Messages[i], 5.0
		for _, b := range boxes {
			if b.step == m.Sent && b.lane == m.To && d.level[i] == 0 && !m.Blind {
				reach = b.width() / 2
			}
		}
		d.message(m, d.y(m.Sent)+nextLevel*float64(d.level[i]), reach)
	}
	for _, b := range boxes {
		d.value(b)
	}
	d.loop(width)
	d.printf(`<text class="end" x="8" y="%.1f">%s</text>`, d.y(len(v.Steps)+1)+4, html.EscapeString(clipped(strings.TrimSuffix(v.Verb+": "+v.Property, ": "), int((width-8)/charWidth))))
	d.printf(`</svg>`)
	return d.b.String()
}

func abs(n int) int { return max(n, -n) }

func (d *drawing) class(k int) string {
	class := "step"
	if k == 0 {
		return class
	}
	s := &d.Steps[k-1]
	if d.Sliced && !s.Relevant() {
		class += " aside"
	}
	if len(s.Blind) > 0 {
		class += " blind"
	}
	if s.Errs {
		class += " errs"
	}
	return class
}

func (d *drawing) row(k int) {
	rule := "start"
	if k > 0 {
		rule = d.Steps[k-1].Rule
	}
	d.printf(`<g class="%s" data-step="%d"><title>%s</title>`, d.class(k), k, html.EscapeString(rule))
	d.printf(`<text class="number" x="24" y="%.1f">%d</text><text class="rule" x="32" y="%.1f">%s</text>`, d.y(k)+4, k, d.y(k)+4, html.EscapeString(clipped(rule, int((d.left-38)/charWidth)+1)))
	if k > 0 && len(d.Lanes) == 0 {
		all := lists.Map(d.Steps[k-1].Changes, func(c Change) string { return d.Cells[c.Cell].Name + "=" + c.New })
		d.printf(`<text class="brief" x="%.1f" y="%.1f">%s</text>`, d.left+6, d.y(k)+4, html.EscapeString(clipped(strings.Join(all, " "), changesLength)))
	}
	if k > 0 && d.Steps[k-1].Actor >= 0 {
		d.printf(`<circle class="dot" cx="%.1f" cy="%.1f" r="4"/>`, d.x(d.Steps[k-1].Actor), d.y(k))
	}
	d.printf(`</g>`)
}

// loop draws the way back from the last state.
func (d *drawing) loop(width float64) {
	if d.Loop < 0 {
		return
	}
	x, from, to := width-8, d.y(len(d.Steps)), d.y(d.Loop)
	d.printf(`<g class="loop"><title>back to step %d</title><path d="M%.1f,%.1f h8 V%.1f h-8" marker-end="url(#head)"/></g>`, d.Loop, x-8, from, to)
}

// waiting draws the bars of messages on their way, beside each other.
func (d *drawing) waiting() {
	free := map[int][]int{} // by lane: until which step each place is taken
	for _, m := range d.Messages {
		last := cmp.Or(m.Received, len(d.Steps))
		if m.To < 0 || m.Blind || last <= m.Sent {
			continue
		}
		at := 0
		for at < len(free[m.To]) && free[m.To][at] > m.Sent {
			at++
		}
		if at == len(free[m.To]) {
			free[m.To] = append(free[m.To], 0)
		}
		free[m.To][at] = last
		side := 1.0
		if d.x(m.From) < d.x(m.To) {
			side = -1
		}
		class := "wait"
		if m.Received == 0 {
			class += " lost"
		}
		x := d.x(m.To) + side*(5+4*float64(at))
		d.printf(`<line class="%s" x1="%.1f" y1="%.1f" x2="%.1f" y2="%.1f"><title>%s, sent in step %d</title></line>`, class, x, d.y(m.Sent), x, d.y(last), html.EscapeString(m.Text), m.Sent)
	}
}

// message draws an arrow, which ends at a distance from the line of the receiver.
func (d *drawing) message(m *Message, y, before float64) {
	class, head := "message", "head"
	if m.Irrelevant {
		class += " aside"
	}
	from, to := d.x(m.From), d.x(m.From)+d.gap*0.45
	if m.To >= 0 {
		to = d.x(m.To)
	} else {
		class += " lost"
	}
	if m.Blind {
		class, head = "message blind", "blindhead"
		y += 5
	}
	reach := 5.0
	if from > to {
		reach, before = -reach, -before
	}
	d.printf(`<g class="%s" data-step="%d"><title>%s</title>`, class, m.Sent, html.EscapeString(m.Text))
	d.printf(`<line x1="%.1f" y1="%.1f" x2="%.1f" y2="%.1f" marker-end="url(#%s)"/>`, from+reach, y, to-before, y, head)
	up := -4.0
	if m.Blind {
		up = -5
	}
	d.printf(`<text x="%.1f" y="%.1f">%s</text></g>`, (from+to)/2, y+up, html.EscapeString(clipped(m.label(), int(max(d.gap, to-from, from-to)/charWidth)-2)))
}

// box is the new values of cells in the rows of those that the property reads, or else of a variable of a process.
type box struct {
	step, lane  int
	text, title string
}

func (b box) width() float64 { return 1.1*charWidth*float64(len([]rune(b.text))) + 12 } // it is bold

const boxLength = 22 // of its text

// boxes returns the boxes, at most one for a lane in a step. They name variables where those of components, or the others, are
// of several.
func (d *drawing) boxes() (all []box) {
	rows, number := map[string]bool{}, map[string]int{}
	for _, r := range d.Reads {
		if r.Cell >= 0 && !d.Cells[r.Cell].Set {
			rows[d.Cells[r.Cell].Row] = true
		}
	}
	for i, l := range d.Lanes {
		number[l.Name] = i
		if l.Shared {
			number[""] = i
		}
	}
	named := map[bool]map[string]bool{true: {}, false: {}} // the first is of no component
	for _, s := range d.Steps {
		for _, c := range s.Changes {
			if cell := d.Cells[c.Cell]; rows[cell.Row] {
				named[cell.Lane == ""][cell.Row] = true
			}
		}
	}
	for k, s := range d.Steps {
		at := map[int]int{}                 // by lane
		for n := range 2 * len(s.Changes) { // first what the property reads; then what is the actor's, as a new process has all at once
			c, read := s.Changes[n%len(s.Changes)], n < len(s.Changes)
			cell := d.Cells[c.Cell]
			lane, ok := number[cell.Lane]
			i, more := at[lane]
			if !ok || short(cell.Row) == "_p" || read != rows[cell.Row] || !read && (more || !d.Procs || lane != s.Actor || c.New == "Undefined") {
				continue
			}
			text, title := clipped(c.New, 12), fmt.Sprintf("%s: %s to %s", cell.Name, c.Old, c.New)
			if d.Procs || len(named[cell.Lane == ""]) > 1 {
				text = short(cell.Row) + "=" + text
			}
			if more {
				all[i].text, all[i].title = clipped(all[i].text+" "+text, boxLength), all[i].title+", "+title
				continue
			}
			at[lane] = len(all)
			all = append(all, box{k + 1, lane, clipped(text, boxLength), title})
		}
	}
	return all
}

func (d *drawing) value(b box) {
	x, y, w := d.x(b.lane), d.y(b.step), b.width()
	d.printf(`<g class="value" data-step="%d"><title>%s</title><rect x="%.1f" y="%.1f" width="%.1f" height="18" rx="9"/><text x="%.1f" y="%.1f">%s</text></g>`,
		b.step, html.EscapeString(b.title), x-w/2, y-9, w, x, y+4, html.EscapeString(b.text))
}
