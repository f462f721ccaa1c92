package report

import (
	"fmt"
	"html"
	"math"
	"strings"

	"orbitmc/internal/lists"
)

// This file draws a chart, as items from back to front: as SVG for the page, whose style sheet gives the
// classes their looks, and for files, which plots.go writes.

// item is a line, an area, a text or a mark.
type item struct {
	class   string
	style   int     // of a line or mark of a series
	points  []point // of a line or an area; else one, where the text or the mark is
	area    bool
	text    string  // of a mark: its tooltip
	align   float64 // of the text: 0 begins at its place, 1 ends there, 0.5 has its middle there
	upright bool    // the text runs upwards
	open    bool    // the mark is hollow
}

type point struct{ x, y float64 }

// axes are where a chart has its axes.
type axes struct{ left, top, right, bottom float64 }

// onPage returns the axes of a chart on the page, of that size.
func onPage(width, height float64) axes { return axes{82, 14, width - 14, height - 46} }

// styles is the number of colours; each also has its own dash and shape, so
// that nothing rests on colour alone. The colours are those of Okabe and Ito,
// darkened or lightened for the page's background; see page.css.
const styles = 8

// shapes are polygons around (0, 0), about 8 units wide. Their number has no
// common factor with that of the colours, so 56 configurations look different.
var shapes = [...][]point{
	disc(),
	{{-4.5, 3.6}, {0, -4.6}, {4.5, 3.6}}, // triangle
	{{-3.6, -3.6}, {3.6, -3.6}, {3.6, 3.6}, {-3.6, 3.6}}, // square
	{{0, -5}, {5, 0}, {0, 5}, {-5, 0}},                   // diamond
	{{-4.5, -3.6}, {0, 4.6}, {4.5, -3.6}},                // triangle, point down
	{{-1.5, -4.5}, {1.5, -4.5}, {1.5, -1.5}, {4.5, -1.5}, {4.5, 1.5}, {1.5, 1.5},
		{1.5, 4.5}, {-1.5, 4.5}, {-1.5, 1.5}, {-4.5, 1.5}, {-4.5, -1.5}, {-1.5, -1.5}}, // cross
	{{0, -4.8}, {4.6, -1.5}, {2.8, 3.9}, {-2.8, 3.9}, {-4.6, -1.5}}, // pentagon
}

func disc() (around []point) {
	const corners = 16
	for i := range corners {
		sin, cos := math.Sincos(2 * math.Pi * float64(i) / corners)
		around = append(around, point{4 * cos, 4 * sin})
	}
	return around
}

// draw returns the items of a chart with axes at a place.
func (c *chart) draw(f axes) (all []item) {
	px := func(v float64) float64 { return f.left + c.x.place(v)*(f.right-f.left) }
	py := func(v float64) float64 { return f.bottom - c.y.place(v)*(f.bottom-f.top) }
	line := func(class string, points ...point) { all = append(all, item{class: class, points: points}) }
	text := func(class string, x, y float64, text string, align float64, turned bool) {
		all = append(all, item{class: class, points: []point{{x, y}}, text: text, align: align, upright: turned})
	}
	for _, g := range c.guides {
		if g.band {
			x, y := f.left, py(g.at)
			if g.vertical {
				x, y = px(g.at), f.bottom
			}
			all = append(all, item{class: "band", area: true, points: []point{{x, f.top}, {f.right, f.top}, {f.right, y}, {x, y}}})
		}
	}
	for _, t := range c.x.ticks() {
		x := px(t.at)
		line("grid", point{x, f.top}, point{x, f.bottom})
		text("tick", x, f.bottom+17, t.text, 0.5, false)
	}
	for _, t := range c.y.ticks() {
		y := py(t.at)
		line("grid", point{f.left, y}, point{f.right, y})
		text("tick", f.left-7, y+4, t.text, 1, false)
	}
	line("axis", point{f.left, f.top}, point{f.left, f.bottom}, point{f.right, f.bottom})
	if c.diagonal {
		line("guide", point{px(c.x.lo), py(c.y.lo)}, point{px(c.x.hi), py(c.y.hi)})
	}
	for _, g := range c.guides {
		if g.vertical {
			line("limit", point{px(g.at), f.top}, point{px(g.at), f.bottom})
			text("note", px(g.at)+13, f.bottom-6, g.text, 0, true)
		} else {
			line("limit", point{f.left, py(g.at)}, point{f.right, py(g.at)})
			text("note", f.left+6, py(g.at)-4, g.text, 0, false)
		}
	}
	text("label labelx", (f.left+f.right)/2, f.bottom+38, c.x.label, 0.5, false)
	text("label labely", f.left-68, (f.top+f.bottom)/2, c.y.label, 0.5, true)
	for _, s := range c.series {
		points := lists.Map(s.line, func(m mark) point { return point{px(m.x), py(m.y)} })
		if len(points) > 1 {
			all = append(all, item{class: "line", style: s.style, points: points})
		}
	}
	for _, s := range c.series {
		for _, m := range s.marks {
			all = append(all, item{class: "mark", style: s.style, points: []point{{px(m.x), py(m.y)}}, text: m.text, open: m.open})
		}
	}
	return all
}

// svg writes an item; looks are its attributes where there is no style sheet.
func (i *item) svg(looks string) string {
	at := i.points[0]
	switch {
	case i.class == "mark":
		open, title := "", ""
		if i.open {
			open = " open"
		}
		if i.text != "" {
			title = "<title>" + html.EscapeString(i.text) + "</title>"
		}
		return fmt.Sprintf(`<path class="mark c%d%s"%s transform="translate(%.1f %.1f)" d="%s">%s</path>`,
			i.style%styles, open, looks, at.x, at.y, svgPath(shapes[i.style%len(shapes)], true), title)
	case i.text != "":
		place := fmt.Sprintf(`x="%.1f" y="%.1f"`, at.x, at.y)
		if i.upright {
			place = fmt.Sprintf(`transform="translate(%.1f %.1f) rotate(-90)"`, at.x, at.y)
		}
		return fmt.Sprintf(`<text class="%s"%s %s text-anchor="%s">%s</text>`, i.class, looks, place, anchors[i.align], html.EscapeString(i.text))
	case i.class == "line":
		return fmt.Sprintf(`<path class="line c%d d%d"%s d="%s"/>`, i.style%styles, i.style%len(dashes), looks, svgPath(i.points, false))
	}
	return fmt.Sprintf(`<path class="%s"%s d="%s"/>`, i.class, looks, svgPath(i.points, i.area))
}

// anchors are what SVG calls the alignments of texts.
var anchors = map[float64]string{0: "start", 0.5: "middle", 1: "end"}

func svgPath(points []point, closed bool) string {
	var b strings.Builder
	for i, p := range points {
		fmt.Fprintf(&b, "%c%.1f %.1f", "ML"[min(i, 1)], p.x, p.y)
	}
	if closed {
		b.WriteString("z")
	}
	return b.String()
}

// svg draws a chart for the page.
func (c *chart) svg(width, height float64) string {
	size := fmt.Sprintf(`viewBox="0 0 %g %g"`, width, height)
	return c.svgOf(c.draw(onPage(width, height)), size, func(*item) string { return "" })
}

// svgOf writes a drawing of the chart. The marks are a group.
func (c *chart) svgOf(items []item, size string, looks func(*item) string) string {
	var rest, marks strings.Builder
	for _, i := range items {
		to := &rest
		if i.class == "mark" {
			to = &marks
		}
		to.WriteString(i.svg(looks(&i)) + "\n")
	}
	return fmt.Sprintf(`<svg xmlns="http://www.w3.org/2000/svg" class="chart" data-chart="%s" %s role="img" aria-label="%s">`+"\n%s<g class=\"marks\">\n%s</g>\n</svg>",
		html.EscapeString(c.name), size, html.EscapeString(c.title), &rest, &marks)
}

// key draws a mark with its line, for legends.
func key(style int, line bool) string {
	text := `<svg xmlns="http://www.w3.org/2000/svg" class="key" viewBox="0 0 28 14" aria-hidden="true">`
	for _, i := range keyAt(point{14, 7}, style, line) {
		text += i.svg("")
	}
	return text + "</svg>"
}

func keyAt(at point, style int, line bool) (all []item) {
	if line {
		all = append(all, item{class: "line", style: style, points: []point{{at.x - 13, at.y}, {at.x + 13, at.y}}})
	}
	return append(all, item{class: "mark", style: style, points: []point{at}})
}
