package report

import (
	"fmt"
	"html"
	"strings"
)

// Sizes of the inline drawings, in units of the view box.
const (
	marginLeft   = 82.0
	marginRight  = 14.0
	marginTop    = 14.0
	marginBottom = 46.0
)

// styles is the number of colours; each also has its own dash and shape, so
// that nothing rests on colour alone. The colours are those of Okabe and Ito,
// darkened or lightened for the page's background; see page.css.
const styles = 8

// shapes are paths around (0, 0), about 8 units wide. Their number has no
// common factor with that of the colours, so 56 configurations look different.
var shapes = [...]string{
	"M-4 0a4 4 0 1 0 8 0a4 4 0 1 0 -8 0z",      // disc
	"M-4.5 3.6L0 -4.6L4.5 3.6z",                // triangle
	"M-3.6 -3.6h7.2v7.2h-7.2z",                 // square
	"M0 -5L5 0L0 5L-5 0z",                      // diamond
	"M-4.5 -3.6L0 4.6L4.5 -3.6z",               // triangle, point down
	"M-1.5 -4.5h3v3h3v3h-3v3h-3v-3h-3v-3h3z",   // cross
	"M0 -4.8L4.6 -1.5L2.8 3.9H-2.8L-4.6 -1.5z", // pentagon
}

// markSVG draws one mark of a style at a place.
func markSVG(style int, x, y float64, open bool, text string) string {
	kind := ""
	if open {
		kind = " open"
	}
	title := ""
	if text != "" {
		title = "<title>" + html.EscapeString(text) + "</title>"
	}
	return fmt.Sprintf(`<path class="mark c%d%s" transform="translate(%.1f %.1f)" d="%s">%s</path>`,
		style%styles, kind, x, y, shapes[style%len(shapes)], title)
}

// svg draws a chart.
func (c *chart) svg(width, height float64) string {
	var w strings.Builder
	left, right, top, bottom := marginLeft, width-marginRight, marginTop, height-marginBottom
	px := func(v float64) float64 { return left + c.x.place(v)*(right-left) }
	py := func(v float64) float64 { return bottom - c.y.place(v)*(bottom-top) }
	fmt.Fprintf(&w, `<svg xmlns="http://www.w3.org/2000/svg" class="chart" data-chart="%s" viewBox="0 0 %g %g" role="img" aria-label="%s">`+"\n",
		html.EscapeString(c.name), width, height, html.EscapeString(c.title))
	for _, g := range c.guides {
		if !g.band {
			continue
		}
		if g.vertical {
			fmt.Fprintf(&w, `<rect class="band" x="%.1f" y="%.1f" width="%.1f" height="%.1f"/>`+"\n", px(g.at), top, right-px(g.at), bottom-top)
		} else {
			fmt.Fprintf(&w, `<rect class="band" x="%.1f" y="%.1f" width="%.1f" height="%.1f"/>`+"\n", left, top, right-left, py(g.at)-top)
		}
	}
	for _, t := range c.x.ticks() {
		x := px(t.at)
		fmt.Fprintf(&w, `<path class="grid" d="M%.1f %.1fV%.1f"/><text class="tick" x="%.1f" y="%.1f" text-anchor="middle">%s</text>`+"\n",
			x, top, bottom, x, bottom+17, html.EscapeString(t.text))
	}
	for _, t := range c.y.ticks() {
		y := py(t.at)
		fmt.Fprintf(&w, `<path class="grid" d="M%.1f %.1fH%.1f"/><text class="tick" x="%.1f" y="%.1f" text-anchor="end">%s</text>`+"\n",
			left, y, right, left-7, y+4, html.EscapeString(t.text))
	}
	fmt.Fprintf(&w, `<path class="axis" d="M%.1f %.1fV%.1fH%.1f"/>`+"\n", left, top, bottom, right)
	if c.diagonal {
		fmt.Fprintf(&w, `<path class="guide" d="M%.1f %.1fL%.1f %.1f"/>`+"\n", px(c.x.lo), py(c.y.lo), px(c.x.hi), py(c.y.hi))
	}
	for _, g := range c.guides {
		if g.vertical {
			fmt.Fprintf(&w, `<path class="limit" d="M%.1f %.1fV%.1f"/><text class="note" transform="translate(%.1f %.1f) rotate(-90)">%s</text>`+"\n",
				px(g.at), top, bottom, px(g.at)+13, bottom-6, html.EscapeString(g.text))
		} else {
			fmt.Fprintf(&w, `<path class="limit" d="M%.1f %.1fH%.1f"/><text class="note" x="%.1f" y="%.1f">%s</text>`+"\n",
				left, py(g.at), right, left+6, py(g.at)-4, html.EscapeString(g.text))
		}
	}
	fmt.Fprintf(&w, `<text class="label labelx" x="%.1f" y="%.1f" text-anchor="middle">%s</text>`+"\n", (left+right)/2, height-8, html.EscapeString(c.x.label))
	fmt.Fprintf(&w, `<text class="label labely" transform="translate(14 %.1f) rotate(-90)" text-anchor="middle">%s</text>`+"\n", (top+bottom)/2, html.EscapeString(c.y.label))
	for _, s := range c.series {
		if len(s.line) < 2 {
			continue
		}
		fmt.Fprintf(&w, `<path class="line c%d d%d" d="`, s.style%styles, s.style%4)
		for i, m := range s.line {
			fmt.Fprintf(&w, "%c%.1f %.1f", "ML"[min(i, 1)], px(m.x), py(m.y))
		}
		w.WriteString(`"/>` + "\n")
	}
	w.WriteString(`<g class="marks">` + "\n")
	for _, s := range c.series {
		for _, m := range s.marks {
			w.WriteString(markSVG(s.style, px(m.x), py(m.y), m.open, m.text) + "\n")
		}
	}
	w.WriteString("</g>\n</svg>")
	return w.String()
}

// key draws a mark with its line, for legends.
func key(style int, line bool) string {
	var w strings.Builder
	w.WriteString(`<svg xmlns="http://www.w3.org/2000/svg" class="key" viewBox="0 0 28 14" aria-hidden="true">`)
	if line {
		fmt.Fprintf(&w, `<path class="line c%d d%d" d="M1 7H27"/>`, style%styles, style%4)
	}
	w.WriteString(markSVG(style, 14, 7, false, "") + "</svg>")
	return w.String()
}
