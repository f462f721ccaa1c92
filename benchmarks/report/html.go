package report

import (
	"cmp"
	_ "embed"
	"fmt"
	"html/template"
	"io"
	"net/url"
	"path"
	"strings"
	"time"

	"orbitmc/benchmarks"
	"orbitmc/internal/lists"
)

//go:embed page.html
var pageText string

//go:embed page.css
var pageStyle string

//go:embed page.js
var pageScript string

// pageWords are how the template prints quantities and texts.
var pageWords = template.FuncMap{
	"seconds": secondsText, "number": numberText, "verdict": benchmarks.ShortVerdict, "versions": versionsText, "command": commandText,
	"chart":         func(c *chart, width, height float64) template.HTML { return template.HTML(c.svg(width, height)) },
	"scatter":       func(c *chart) template.HTML { return template.HTML(c.svg(scatterWidth, scatterHeight)) },
	"scaled":        func(c *chart) string { return strings.TrimPrefix(c.title, "Scaling: ") },
	"size":          func(bytes int64) string { return sizeText(float64(bytes)) },
	"scoreHead":     func() []string { return scoreHead },
	"publishedRule": func() string { return publishedRule },
	"depth": func(d int) string { // of a violation
		if d < 0 {
			return ""
		}
		return fmt.Sprint(d)
	},
	"began": func(t time.Time) string {
		if t.IsZero() {
			return "unknown"
		}
		return t.UTC().Format("2006-01-02 15:04:05 UTC")
	},
}

// Size of the scatter plot on the page. The plotting area is square.
const (
	scatterWidth  = 560
	scatterHeight = 524
)

// page is what the template sees.
type page struct {
	Style      template.CSS
	Script     template.JS
	Record     *benchmarks.Record
	Notes      []string
	Conditions string
	Configs    []legendEntry
	Families   []string
	Bad        []dispute // contradictions
	Depths     []dispute
	Views      []view
	Scatter    *chart // nil: there is one configuration
	Data       scatterData
	Builds     bool // some run built something
	Building   bool // counts when the page opens
	Grid       []gridRow
	Peers      *peerFigures // nil without
	Published  []publishedTable
	Kinds      []legendEntry
	Runs       []runRow
	Classes    []string
	logs       string
}

type legendEntry struct {
	Name string
	Key  template.HTML
}

// view is what depends on the chosen family, and on whether building counts; the first is of all
// families, without building.
type view struct {
	Family  string
	Class   string // "out" and "in": shown while building does not count, and while it does; "": both
	Penalty string
	Columns string
	Scores  []score
	Cactus  *chart
	Memory  *chart
	Scaling []*chart
}

// scatterData lets the page's script redraw the scatter plot for another pair.
type scatterData struct {
	Configs []string       `json:"configs"`
	Lo      float64        `json:"lo"`
	Hi      float64        `json:"hi"`
	Left    float64        `json:"left"`
	Right   float64        `json:"right"`
	Top     float64        `json:"top"`
	Bottom  float64        `json:"bottom"`
	Points  []scatterPoint `json:"points"`
}

// gridRow is an instance under all configurations.
type gridRow struct {
	Name, Family, Expected string
	Cells                  []gridCell
}

// gridCell is how a configuration fared on an instance. The numbers order it: CPU time without and with
// building, and beyond all times the ends without an answer.
type gridCell struct {
	Class, Verdict string
	Bare, Built    float64
}

type runRow struct {
	*benchmarks.Run
	Class string
	Href  string
}

// WriteHTML writes the report as one page that needs nothing else, but for the
// logs it links to: logs is the path from the page to the directory of the
// batch, with slashes. The notes are those of Load. A reader of the page chooses whether building
// counts as CPU time; building is the choice at first.
func WriteHTML(w io.Writer, rec *benchmarks.Record, notes []string, logs string, building bool) error {
	b := arrange(rec, false)
	p := &page{
		Style: template.CSS(pageStyle), Script: template.JS(pageScript),
		Record: rec, Notes: notes, Conditions: conditions(rec), Builds: b.builds(), Building: building && b.builds(),
		Families: b.families, Classes: classNames[:], logs: logs, Peers: b.peers(), Published: b.published(),
	}
	for i, name := range b.configs {
		p.Configs = append(p.Configs, legendEntry{name, template.HTML(key(i, true))})
	}
	for i, name := range scatterKinds {
		p.Kinds = append(p.Kinds, legendEntry{name, template.HTML(key(i, false))})
	}
	p.Bad = lists.Where(b.disputes(), func(d dispute) bool { return !d.Depths })
	p.Depths = lists.Where(b.disputes(), func(d dispute) bool { return d.Depths })
	p.Views = lists.Map(append([]string{""}, b.families...), b.view)
	if p.Builds {
		built := arrange(rec, true)
		for i, family := range append([]string{""}, b.families...) {
			p.Views[i].Class = "out"
			v := built.view(family)
			v.Class = "in"
			p.Views = append(p.Views, v)
		}
	}
	if len(b.configs) > 1 {
		c := b.scatter(0, 1)
		p.Scatter = c
		_, points := b.scatterAxis()
		f := onPage(scatterWidth, scatterHeight)
		p.Data = scatterData{Configs: b.configs, Lo: c.x.lo, Hi: c.x.hi, Left: f.left, Right: f.right, Top: f.top, Bottom: f.bottom, Points: points}
	}
	for _, x := range b.instances {
		row := gridRow{Name: x.name(), Family: x.family, Expected: x.expected}
		for _, config := range b.configs {
			row.Cells = append(row.Cells, x.results[config].grid())
			if x.results[config] == nil {
				continue
			}
			for _, r := range x.results[config].runs {
				p.Runs = append(p.Runs, runRow{Run: r, Class: classNames[classOf(r)], Href: p.Link(r)})
			}
		}
		p.Grid = append(p.Grid, row)
	}
	return template.Must(template.New("page").Funcs(pageWords).Parse(pageText)).Execute(w, p)
}

// grid says how a configuration fared on an instance; it may be nil.
func (re *result) grid() gridCell {
	const beyond = 1e9 // seconds
	if re == nil {
		return gridCell{Bare: 2 * beyond, Built: 2 * beyond}
	}
	c := gridCell{Class: classNames[re.class], Verdict: re.verdict, Bare: re.bare, Built: re.built}
	if re.class != solved {
		c.Bare = beyond + float64(re.class)
		c.Built = c.Bare
	}
	return c
}

func (b *batch) view(family string) view {
	v := view{Family: family, Scores: b.scores(family), Penalty: b.penalty(), Columns: b.columns(), Cactus: b.cactus(family), Memory: b.memory(family)}
	families := []string{family}
	if family == "" {
		families = b.families
	}
	for _, f := range families {
		v.Scaling = append(v.Scaling, b.scaling(f)...)
	}
	return v
}

// Link returns the escaped relative link to the log of a run, "" without log.
func (p *page) Link(r *benchmarks.Run) string {
	if r.Log == "" {
		return ""
	}
	return (&url.URL{Path: path.Join(p.logs, r.Log)}).String()
}

func versionsText(rec *benchmarks.Record) string {
	parts := lists.Map(rec.Versions, func(v benchmarks.Version) string { return v.Name + " " + v.Version })
	return cmp.Or(strings.Join(parts, "; "), "no versions recorded")
}

// commandText is a command line, quoted where needed.
func commandText(args []string) string {
	var parts []string
	for _, a := range args {
		if a == "" || strings.ContainsAny(a, " \t\n'\"\\$*?|&;<>()") {
			a = "'" + strings.ReplaceAll(a, "'", `'\''`) + "'"
		}
		parts = append(parts, a)
	}
	return strings.Join(parts, " ")
}
