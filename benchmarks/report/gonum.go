package report

import (
	"fmt"
	"image/color"
	"math"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"codeberg.org/go-pdf/fpdf"
	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
	"gonum.org/v1/plot/vg/vgimg"
	"gonum.org/v1/plot/vg/vgpdf"
	"gonum.org/v1/plot/vg/vgsvg"

	"orbitmc/benchmarks"
)

// palette is that of Okabe and Ito; the page has it in page.css.
var palette = [styles]color.RGBA{
	{0x00, 0x72, 0xb2, 0xff}, {0xd5, 0x5e, 0x00, 0xff}, {0x00, 0x9e, 0x73, 0xff}, {0xcc, 0x79, 0xa7, 0xff},
	{0xa0, 0x80, 0x00, 0xff}, {0x56, 0xb4, 0xe9, 0xff}, {0x20, 0x20, 0x20, 0xff}, {0x7b, 0x5c, 0xc4, 0xff},
}

var (
	grey     = color.RGBA{0x70, 0x78, 0x80, 0xff}
	gridGrey = color.RGBA{0xe2, 0xe5, 0xe9, 0xff}
	dashes   = [4][]vg.Length{nil, {8, 3}, {3, 3}, {9, 3, 2, 3}}
	glyphs   = [...]draw.GlyphDrawer{draw.CircleGlyph{}, draw.PyramidGlyph{}, draw.BoxGlyph{}, draw.CrossGlyph{}, draw.TriangleGlyph{}, draw.PlusGlyph{}, draw.SquareGlyph{}}
)

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
		p, err := c.plot()
		if err != nil {
			return nil, fmt.Errorf("plot %s: %w", stem, err)
		}
		for _, ext := range []string{".svg", ".png", ".pdf"} {
			file := filepath.Join(dir, stem+ext)
			if err := c.save(p, conditions(rec), file); err != nil {
				return nil, err
			}
			files = append(files, file)
		}
	}
	return files, nil
}

// Size of the plot files.
const (
	plotWidth  = 17 * vg.Centimeter
	plotHeight = 12 * vg.Centimeter
)

// save draws a plot with the labels of its axes, and the conditions in small
// print below. The labels are not left to gonum, which reserves room for the
// vertical one around the arithmetic middle of the axis: at the top, if the axis
// is logarithmic.
func (c *chart) save(p *plot.Plot, conditions, file string) error {
	drawOn := func(on draw.Canvas) {
		lines := wrap(conditions, 120)
		foot := vg.Length(5 + 10*len(lines))
		area := draw.Crop(on, 22, -10, foot+19, -6)
		p.Draw(area)
		sty := p.Title.TextStyle
		sty.Font.Size, sty.XAlign, sty.YAlign = 10, draw.XCenter, draw.YBottom
		data := p.DataCanvas(area)
		on.FillText(sty, vg.Point{X: data.Center().X, Y: on.Min.Y + foot + 7}, c.x.label)
		sty.Rotation = math.Pi / 2
		on.FillText(sty, vg.Point{X: on.Min.X + 18, Y: data.Center().Y}, c.y.label)
		sty.Rotation, sty.Font.Size, sty.Color, sty.XAlign = 0, 7, grey, draw.XLeft
		for i, line := range lines {
			on.FillText(sty, vg.Point{X: on.Min.X + 8, Y: on.Min.Y + foot - vg.Length(10*(i+1))}, line)
		}
	}
	var to vg.CanvasWriterTo
	switch filepath.Ext(file) {
	case ".png":
		to = vgimg.PngCanvas{Canvas: vgimg.NewWith(vgimg.UseWH(plotWidth, plotHeight), vgimg.UseDPI(120))}
	case ".pdf":
		timelessPDF()
		to = vgpdf.New(plotWidth, plotHeight)
	default:
		to = vgsvg.New(plotWidth, plotHeight)
	}
	drawOn(draw.New(to))
	f, err := os.Create(file)
	if err != nil {
		return err
	}
	_, err = to.WriteTo(f)
	if cerr := f.Close(); err == nil {
		err = cerr
	}
	return err
}

// timelessPDF leaves the time out of PDF: the same record gives the same bytes.
var timelessPDF = sync.OnceFunc(func() {
	fpdf.SetDefaultCatalogSort(true)
	fpdf.SetDefaultCreationDate(time.Unix(0, 0).UTC())
	fpdf.SetDefaultModificationDate(time.Unix(0, 0).UTC())
})

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

// plot makes a gonum plot of a chart.
func (c *chart) plot() (*plot.Plot, error) {
	p := plot.New()
	p.Title.Text = c.title
	p.Title.TextStyle.Font.Size = 12
	p.Title.Padding = 6
	p.Legend.Top, p.Legend.Left = true, true
	p.Legend.Padding, p.Legend.XOffs, p.Legend.YOffs = 3, 8, -22
	if c.diagonal {
		p.Legend.YOffs = -54 // below the bands
	}
	p.Legend.TextStyle.Font.Size = 9
	for _, t := range []*draw.TextStyle{&p.Title.TextStyle, &p.X.Tick.Label, &p.Y.Tick.Label, &p.Legend.TextStyle} {
		t.Font.Variant = "Sans"
	}
	for _, a := range []struct {
		from *axis
		to   *plot.Axis
	}{{&c.x, &p.X}, {&c.y, &p.Y}} {
		a.to.Min, a.to.Max = a.from.lo, a.from.hi
		if a.from.log {
			a.to.Scale = plot.LogScale{}
		}
		var ticks plot.ConstantTicks
		for _, t := range a.from.ticks() {
			ticks = append(ticks, plot.Tick{Value: t.at, Label: t.text})
		}
		a.to.Tick.Marker = ticks
	}
	grid := plotter.NewGrid()
	grid.Horizontal.Color, grid.Vertical.Color = gridGrey, gridGrey
	p.Add(grid)
	straight := func(dash []vg.Length, from, to plotter.XY) error {
		l, err := plotter.NewLine(plotter.XYs{from, to})
		if err != nil {
			return err
		}
		l.Color, l.Dashes = grey, dash
		p.Add(l)
		return nil
	}
	if c.diagonal {
		if err := straight(nil, plotter.XY{X: c.x.lo, Y: c.y.lo}, plotter.XY{X: c.x.hi, Y: c.y.hi}); err != nil {
			return nil, err
		}
	}
	for _, g := range c.guides {
		from, to := plotter.XY{X: c.x.lo, Y: g.at}, plotter.XY{X: c.x.hi, Y: g.at}
		if g.vertical {
			from, to = plotter.XY{X: g.at, Y: c.y.lo}, plotter.XY{X: g.at, Y: c.y.hi}
		}
		if err := straight(dashes[1], from, to); err != nil {
			return nil, err
		}
		p.Add(&guideText{at: from, text: g.text, turned: g.vertical, style: p.Legend.TextStyle})
	}
	for _, s := range c.series {
		if err := s.addTo(p); err != nil {
			return nil, err
		}
	}
	// Plotters widen the axes to their data; the chart's are meant.
	p.X.Min, p.X.Max, p.Y.Min, p.Y.Max = c.x.lo, c.x.hi, c.y.lo, c.y.hi
	return p, nil
}

// guideText is what a guide stands for, written along it from the axis.
type guideText struct {
	at     plotter.XY
	text   string
	turned bool
	style  draw.TextStyle
}

// Plot implements plot.Plotter.
func (g *guideText) Plot(c draw.Canvas, p *plot.Plot) {
	x, y := p.Transforms(&c)
	sty := g.style
	sty.Font.Size, sty.Color, sty.XAlign, sty.YAlign = 8, grey, draw.XLeft, draw.YBottom
	at := vg.Point{X: x(g.at.X) + 6, Y: y(g.at.Y) + 3}
	if g.turned {
		sty.Rotation = math.Pi / 2
		at = vg.Point{X: x(g.at.X) + 11, Y: y(g.at.Y) + 6}
	}
	c.FillText(sty, at, g.text)
}

func (s *series) addTo(p *plot.Plot) error {
	colour := palette[s.style%styles]
	var keys []plot.Thumbnailer
	if len(s.line) > 1 {
		l, err := plotter.NewLine(points(s.line))
		if err != nil {
			return err
		}
		l.Color, l.Width, l.Dashes = colour, 1.2, dashes[s.style%4]
		p.Add(l)
		keys = append(keys, l)
	}
	shape := glyphs[s.style%len(glyphs)]
	for _, open := range []bool{false, true} {
		var ms []mark
		for _, m := range s.marks {
			if m.open == open {
				ms = append(ms, m)
			}
		}
		if len(ms) == 0 {
			continue
		}
		sc, err := plotter.NewScatter(points(ms))
		if err != nil {
			return err
		}
		sc.GlyphStyle = draw.GlyphStyle{Color: colour, Radius: 2.6, Shape: shape}
		if open {
			sc.GlyphStyle.Shape, sc.GlyphStyle.Radius = draw.RingGlyph{}, 4
		}
		p.Add(sc)
		if !open || len(keys) == 0 {
			keys = append(keys, sc)
		}
	}
	if len(keys) > 0 {
		p.Legend.Add(s.name, keys...)
	}
	return nil
}

func points(ms []mark) plotter.XYs {
	out := make(plotter.XYs, len(ms))
	for i, m := range ms {
		out[i] = plotter.XY{X: m.x, Y: m.y}
	}
	return out
}
