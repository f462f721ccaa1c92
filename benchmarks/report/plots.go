package report

import (
	"bufio"
	"cmp"
	"fmt"
	"image/color"
	"image/png"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"codeberg.org/go-pdf/fpdf"
	"git.sr.ht/~sbinet/gg"
	"golang.org/x/image/font/gofont/goregular"

	"orbitmc/benchmarks"
)

// This file writes charts into files. They are drawn as on the page, with their title, their legend, and in
// small print the conditions.

// look is how items of a class are drawn. The page has its own looks, in page.css.
type look struct {
	fill, stroke *color.RGBA // nil: none
	width        float64
	dash         []float64
	size         float64 // of text
}

var (
	black, grey     = &color.RGBA{0x20, 0x20, 0x20, 0xff}, &color.RGBA{0x70, 0x78, 0x80, 0xff}
	gridGrey, shade = &color.RGBA{0xe2, 0xe5, 0xe9, 0xff}, &color.RGBA{0xf1, 0xf2, 0xf3, 0xff}
	white           = &color.RGBA{0xff, 0xff, 0xff, 0xff}

	looks = map[string]look{
		"band": {fill: shade}, "grid": {stroke: gridGrey, width: 0.7}, "axis": {stroke: grey, width: 1},
		"guide": {stroke: grey, width: 0.9}, "limit": {stroke: grey, width: 1, dash: []float64{6, 4}},
		"tick": {fill: grey, size: 12}, "note": {fill: grey, size: 11}, "label labelx": {fill: black, size: 13}, "label labely": {fill: black, size: 13},
		"title": {fill: black, size: 16}, "name": {fill: black, size: 12}, "conditions": {fill: grey, size: 8.5},
	}
	dashes = [4][]float64{nil, {8, 3}, {3, 3}, {9, 3, 2, 3}}
)

// palette is that of Okabe and Ito; the page has it in page.css.
var palette = [styles]color.RGBA{
	{0x00, 0x72, 0xb2, 0xff}, {0xd5, 0x5e, 0x00, 0xff}, {0x00, 0x9e, 0x73, 0xff}, {0xcc, 0x79, 0xa7, 0xff},
	{0xa0, 0x80, 0x00, 0xff}, {0x56, 0xb4, 0xe9, 0xff}, {0x20, 0x20, 0x20, 0xff}, {0x7b, 0x5c, 0xc4, 0xff},
}

func (i *item) look() look {
	colour := &palette[i.style%styles]
	switch {
	case i.class == "line":
		return look{stroke: colour, width: 1.8, dash: dashes[i.style%len(dashes)]}
	case i.open:
		return look{fill: white, stroke: colour, width: 1.6}
	case i.class == "mark":
		return look{fill: colour, stroke: white, width: 0.7}
	}
	return looks[i.class]
}

// WritePlots writes every plot of the report into a directory, made if need be,
// as SVG, PNG and PDF, and returns the file names, sorted within each kind: the
// cactus and the memory plot, a scatter plot for each pair of configurations,
// a scaling plot for each model. Building counts as CPU time if building is set.
func WritePlots(dir string, rec *benchmarks.Record, building bool) ([]string, error) {
	b := arrange(rec, building)
	charts := []*chart{b.cactus(""), b.memory("")}
	for i := range b.configs {
		for j := i + 1; j < len(b.configs); j++ {
			charts = append(charts, b.scatter(i, j))
		}
	}
	for _, f := range b.families {
		charts = append(charts, b.scaling(f)...)
	}
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return nil, err
	}
	var files []string
	used := make(map[string]bool)
	for _, c := range charts {
		stem := c.name
		for i := 2; used[stem]; i++ { // names that differ in other characters only
			stem = fmt.Sprintf("%s-%d", c.name, i)
		}
		used[stem] = true
		items := c.whole(conditions(rec))
		for _, ext := range []string{".svg", ".png", ".pdf"} {
			file := filepath.Join(dir, stem+ext)
			if err := c.save(items, file); err != nil {
				return nil, fmt.Errorf("plot %s: %w", stem, err)
			}
			files = append(files, file)
		}
	}
	return files, nil
}

// Size of a drawing in a file, in its units; on paper 17 by 12 cm.
const (
	plotWidth, plotHeight = 640.0, 452.0
	pointsPerUnit         = 17 / 2.54 * 72 / plotWidth
	pixelsPerUnit         = 1.25
)

// whole draws a chart with all that belongs to it in a file.
func (c *chart) whole(conditions string) []item {
	lines := wrap(conditions, 125)
	f := axes{82, 36, plotWidth - 14, plotHeight - 52 - 11*float64(len(lines))}
	all := append(c.draw(f), item{class: "title", points: []point{{plotWidth / 2, 24}}, text: c.title, align: 0.5})
	for i, line := range lines {
		all = append(all, item{class: "conditions", points: []point{{10, plotHeight - 6 - 11*float64(len(lines)-1-i)}}, text: line})
	}
	at := point{f.left + 24, f.top + 26}
	if c.diagonal {
		at.y += 46 // below the bands
	}
	for _, s := range c.series {
		if len(s.marks) > 0 {
			all = append(all, keyAt(at, s.style, len(s.line) > 1)...)
			all = append(all, item{class: "name", points: []point{{at.x + 20, at.y + 4}}, text: s.name})
			at.y += 16
		}
	}
	return all
}

// wrap breaks a list with semicolons into lines of at most a number of bytes,
// where its parts allow.
func wrap(text string, width int) (lines []string) {
	line := ""
	for _, part := range strings.SplitAfter(text, "; ") {
		if line != "" && len(line)+len(part) > width {
			lines = append(lines, line)
			line = ""
		}
		line += part
	}
	return append(lines, line)
}

// save writes a drawing in the format that the name of the file says.
func (c *chart) save(items []item, file string) error {
	f, err := os.Create(file)
	if err != nil {
		return err
	}
	defer f.Close()
	w := bufio.NewWriter(f)
	switch filepath.Ext(file) {
	case ".png":
		p := &pngPen{gg.NewContext(int(plotWidth*pixelsPerUnit), int(plotHeight*pixelsPerUnit))}
		p.SetColor(white)
		p.Clear()
		if err := paint(p, items, pixelsPerUnit); err != nil {
			return err
		}
		err = png.Encode(w, p.Image())
	case ".pdf":
		p := newPDF()
		if err := paint(p, items, pointsPerUnit); err != nil {
			return err
		}
		err = p.Output(w)
	default:
		size := fmt.Sprintf(`width="17cm" height="12cm" viewBox="0 0 %g %g"`, plotWidth, plotHeight)
		_, err = w.WriteString(c.svgOf(items, size, func(i *item) string { return i.look().attributes() }))
	}
	if err == nil {
		err = w.Flush()
	}
	return err
}

// attributes are a look as SVG has it.
func (l look) attributes() string {
	text := fmt.Sprintf(` fill="%s" stroke="%s"`, hex(l.fill), hex(l.stroke))
	switch {
	case l.size > 0:
		text += fmt.Sprintf(` font-family="sans-serif" font-size="%g"`, l.size)
	case l.stroke != nil:
		text += fmt.Sprintf(` stroke-width="%g" stroke-dasharray="%s"`, l.width, cmp.Or(strings.Trim(fmt.Sprint(l.dash), "[]"), "none"))
	}
	return text
}

func hex(c *color.RGBA) string {
	if c == nil {
		return "none"
	}
	return fmt.Sprintf("#%02x%02x%02x", c.R, c.G, c.B)
}

// pen draws on a page of pixels or of paper.
type pen interface {
	MoveTo(x, y float64)
	LineTo(x, y float64)
	ClosePath()
	ink(l look) // what the pen went along
	write(at point, text string, align float64, turned bool, l look) error
}

// paint draws items, so much larger.
func paint(p pen, items []item, scale float64) error {
	for _, i := range items {
		l, at, points := i.look(), i.points[0], i.points
		l.width, l.size, l.dash = l.width*scale, l.size*scale, slices.Clone(l.dash)
		for k := range l.dash {
			l.dash[k] *= scale
		}
		if i.text != "" && i.class != "mark" {
			if err := p.write(point{at.x * scale, at.y * scale}, i.text, i.align, i.upright, l); err != nil {
				return err
			}
			continue
		}
		if i.class == "mark" {
			points = shapes[i.style%len(shapes)]
		} else {
			at = point{}
		}
		for k, q := range points {
			move := p.LineTo
			if k == 0 {
				move = p.MoveTo
			}
			move((at.x+q.x)*scale, (at.y+q.y)*scale)
		}
		if i.area || i.class == "mark" {
			p.ClosePath()
		}
		p.ink(l)
	}
	return nil
}

// pngPen draws pixels.
type pngPen struct{ *gg.Context }

func (p *pngPen) ink(l look) {
	if l.fill != nil {
		p.SetColor(l.fill)
		p.FillPreserve()
	}
	if l.stroke != nil {
		p.SetColor(l.stroke)
		p.SetLineWidth(l.width)
		p.SetDash(l.dash...)
		p.StrokePreserve()
	}
	p.ClearPath()
}

func (p *pngPen) write(at point, text string, align float64, turned bool, l look) error {
	if err := p.LoadFontFaceFromBytes(goregular.TTF, l.size); err != nil {
		return err
	}
	p.SetColor(l.fill)
	p.Push()
	if turned {
		p.RotateAbout(-math.Pi/2, at.x, at.y)
	}
	p.DrawStringAnchored(text, at.x, at.y, align, 0)
	p.Pop()
	return nil
}

// pdfPen draws on paper, in points.
type pdfPen struct {
	*fpdf.Fpdf
	encode func(string) string // into the characters of the fonts that each reader of PDF has
}

// newPDF begins a file without the time: the same record gives the same bytes.
func newPDF() *pdfPen {
	f := fpdf.NewCustom(&fpdf.InitType{UnitStr: "pt", Size: fpdf.SizeType{Wd: plotWidth * pointsPerUnit, Ht: plotHeight * pointsPerUnit}})
	f.SetCatalogSort(true)
	f.SetCreationDate(time.Unix(0, 0).UTC())
	f.SetModificationDate(time.Unix(0, 0).UTC())
	f.SetAutoPageBreak(false, 0)
	f.AddPage()
	return &pdfPen{f, f.UnicodeTranslatorFromDescriptor("")}
}

func rgb(c *color.RGBA) (r, g, b int) { return int(c.R), int(c.G), int(c.B) }

func (p *pdfPen) ink(l look) {
	how := ""
	if l.fill != nil {
		p.SetFillColor(rgb(l.fill))
		how = "F"
	}
	if l.stroke != nil {
		p.SetDrawColor(rgb(l.stroke))
		p.SetLineWidth(l.width)
		p.SetDashPattern(l.dash, 0)
		how += "D"
	}
	p.DrawPath(how)
}

func (p *pdfPen) write(at point, text string, align float64, turned bool, l look) error {
	p.SetFont("Helvetica", "", l.size)
	p.SetTextColor(rgb(l.fill))
	text = p.encode(text)
	p.TransformBegin()
	if turned {
		p.TransformRotate(90, at.x, at.y)
	}
	p.Text(at.x-align*p.GetStringWidth(text), at.y, text)
	p.TransformEnd()
	return p.Error()
}
