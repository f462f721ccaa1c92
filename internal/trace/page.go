package trace

import (
	_ "embed"
	"fmt"
	"html/template"
	"io"
	"strings"

	"orbitmc/internal/lists"
)

//go:embed page.html
var pageText string

//go:embed page.css
var pageStyle string

//go:embed page.js
var pageScript string

// page is what the template sees.
type page struct {
	*View
	Style    template.CSS
	Script   template.JS
	Sequence template.HTML
	Mermaid  string
	Panel    Panel
	Data     data
}

// data is what the script sees.
type data struct {
	Cells  []Cell   `json:"cells"`
	Lanes  []Lane   `json:"lanes"`
	Start  Moment   `json:"start"`
	Steps  []Moment `json:"steps"`
	Reads  []Read   `json:"reads"`
	Loop   int      `json:"loop"`
	Sliced bool     `json:"sliced"`
	Free   bool     `json:"free"`
	File   string   `json:"file"`
}

// WriteHTML writes the view as one page that needs nothing else.
func (v *View) WriteHTML(w io.Writer) error { return v.WritePanel(w, Panel{}) }

// Panel is what takes the place of all that is said of a violation in a page that grows. Its script runs first. The event
// "shown" of the document tells the step that is shown; "view" is taken for what has grown: {view, step}, as Live has it.
type Panel struct {
	HTML   template.HTML // none: the page does not grow
	Style  template.CSS
	Script template.JS
}

// WritePanel writes the view as one page with a panel.
func (v *View) WritePanel(w io.Writer, p Panel) error {
	var mermaid strings.Builder
	if err := v.WriteMermaid(&mermaid); err != nil {
		return err
	}
	return template.Must(template.New("page").Parse(pageText)).Execute(w, &page{View: v, Style: template.CSS(pageStyle), Script: template.JS(pageScript), Panel: p,
		Sequence: template.HTML(v.sequence()), Mermaid: mermaid.String(), Data: v.data()})
}

func (v *View) data() data {
	file, _, _ := strings.Cut(v.Title, " (")
	return data{Cells: v.Cells, Lanes: v.Lanes, Start: v.Start, Steps: v.Steps, Reads: v.Reads, Loop: v.Loop, Sliced: v.Sliced, Free: v.Free, File: file}
}

// Live returns what a page shows of a view: its data, for the script, and its diagram.
func (v *View) Live() (view any, sequence string) { return v.data(), v.sequence() }

// Headline says what happens after how many steps.
func (v *View) Headline() string {
	if v.Depth < 0 {
		return v.Verb
	}
	if v.Depth == 1 {
		return v.Verb + " after 1 step"
	}
	return fmt.Sprintf("%s after %d steps", v.Verb, v.Depth)
}

// NamesKind reports whether the name of the property begins with its kind.
func (v *View) NamesKind() bool { return strings.HasPrefix(v.Property, v.Kind+" ") }

// Bindings lists the instance.
func (v *View) Bindings() string {
	return lists.Join(v.Instance, ", ", func(b Param) string { return b.Name + " = " + b.Value })
}

// Since says what gave a cell its value.
func (v *View) Since(r Read) string {
	switch {
	case r.Step < 0:
		return ""
	case r.Step == 0:
		return "since the start"
	}
	return "since step"
}

// Suspect is a step that changes a component blindly.
type Suspect struct {
	Step        int
	Rule, About string
	Lane        string
	Cells       string
}

// Suspects lists the steps that change a component of which they read nothing.
func (v *View) Suspects() (all []Suspect) {
	for k, s := range v.Steps {
		about := lists.Map(s.Params, func(p Param) string { return p.Name + " = " + p.Value })
		for _, b := range s.Blind {
			var cells []string
			for _, c := range b.Cells {
				for _, x := range s.Changes {
					if x.Cell == c {
						cells = append(cells, fmt.Sprintf("%s: %s → %s", v.Cells[c].Name, x.Old, x.New))
					}
				}
			}
			all = append(all, Suspect{k + 1, s.Rule, strings.Join(about, ", "), v.Lanes[b.Lane].Name, strings.Join(cells, ", ")})
		}
	}
	return all
}

// RelevantSteps counts the steps that the violation depends on.
func (v *View) RelevantSteps() (n int) {
	for i := range v.Steps {
		if v.Steps[i].Relevant() {
			n++
		}
	}
	return n
}
