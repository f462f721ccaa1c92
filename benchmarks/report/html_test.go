package report

import (
	"bytes"
	"context"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"
)

var svgs = regexp.MustCompile(`(?s)<svg .*?</svg>`)

// wellFormed reads all of an XML text and counts elements by name.
func wellFormed(t *testing.T, text string) map[string]int {
	t.Helper()
	count := make(map[string]int)
	d := xml.NewDecoder(strings.NewReader(text))
	for {
		token, err := d.Token()
		if errors.Is(err, io.EOF) {
			return count
		}
		if err != nil {
			t.Fatalf("%v in %.300s", err, text)
		}
		if e, ok := token.(xml.StartElement); ok {
			count[e.Name.Local]++
			for _, a := range e.Attr {
				if strings.Contains(a.Value, "NaN") || strings.Contains(a.Value, "Inf") {
					t.Fatalf("%s %s=%q", e.Name.Local, a.Name.Local, a.Value)
				}
			}
		}
	}
}

func pageOf(t *testing.T) string {
	t.Helper()
	var w bytes.Buffer
	if err := WriteHTML(&w, synthetic(), []string{"the batch is not complete"}, "../out", false); err != nil {
		t.Fatal(err)
	}
	return w.String()
}

func TestPage(t *testing.T) {
	text := pageOf(t)
	if again := pageOf(t); text != again {
		t.Error("the same record gives two different pages")
	}
	charts := 0
	for _, s := range svgs.FindAllString(text, -1) {
		count := wellFormed(t, s)
		if !strings.Contains(s, `class="chart"`) {
			continue
		}
		charts++
		if marks := strings.Count(s, `class="mark `); marks < 7 || count["text"] < 6 {
			t.Errorf("a chart with %d marks and %d texts: %.200s", marks, count["text"], s)
		}
	}
	// For all and for each of three families: cactus plots with building and without, and a memory
	// plot; three scaling plots, each four times; one scatter plot.
	if want := 3*4 + 4*3 + 1; charts != want {
		t.Errorf("%d charts, want %d", charts, want)
	}
	for _, want := range []string{
		"1 instance with wrong or contradicting verdicts", `<td>safe <strong>WRONG</strong></td><td>explicit</td>`,
		"Example &lt;CPU&gt; &amp; Co", "does not take &lt;unions&gt;", "unsolved or wrong ones charged 2 × 60 s = 120 s",
		`href="../out/logs/german%20N=2%20bmc%20rep=off%20%230.txt"`, "Note: the batch is not complete.", "commit 0123abc&#43;", "rumur 2023.05.21",
		"orbitmc bench run &#39;synthetic suite.yaml&#39; --out out",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("the page lacks %q", want)
		}
	}
	for _, never := range []string{"ZgotmplZ", "http://host", "https://", "<no value>", "%!"} {
		if strings.Contains(text, never) {
			t.Errorf("the page has %q", never)
		}
	}
	if i, j := strings.Index(text, `id="disagreements"`), strings.Index(text, `id="summary"`); i < 0 || i > j {
		t.Error("the disagreements do not come first")
	}
	if got := strings.Count(text, `class="cond"`); got != strings.Count(text, "Measured on host, Example &lt;CPU&gt; &amp; Co, 2 cores, 24 GiB; commit") {
		t.Errorf("%d captions, not all with the conditions", got)
	}
}

func TestPageOfOneRun(t *testing.T) {
	rec := synthetic()
	rec.Runs = rec.Runs[:1]
	rec.Limits.CPU, rec.Limits.Wall, rec.Limits.Memory = 0, 0, 0
	var w bytes.Buffer
	if err := WriteHTML(&w, rec, nil, ".", false); err != nil {
		t.Fatal(err)
	}
	for _, s := range svgs.FindAllString(w.String(), -1) {
		wellFormed(t, s)
	}
	if s := w.String(); strings.Contains(s, `id="scatter"`) || !strings.Contains(s, "No wrong answers") || !strings.Contains(s, "no limit was set") {
		t.Error("a page with a scatter plot of nothing, or without its fine print")
	}
}

// probe changes every filter, searches, sorts, and writes down what the page shows.
const probe = `<script>
addEventListener("load", () => {
  const out = [];
  const $ = id => document.getElementById(id);
  const set = (id, v, event) => { $(id).value = v; $(id).dispatchEvent(new Event(event || "change")); };
  const visible = e => e.getClientRects().length > 0;
  const seen = q => [...document.querySelectorAll(q)].filter(visible);
  const report = what => out.push(what + ": marks " + [...document.querySelectorAll("svg.chart")].filter(visible)
    .map(c => c.dataset.chart + "=" + c.querySelectorAll(".marks .mark").length).join(" ") +
    " rows " + seen("#table tbody tr").length + " " + seen("#grid tbody tr").length + " " + seen("#summary tbody tr").length);
  const sort = (table, column) => {
    document.querySelectorAll(table + " thead button")[column].click();
    const rows = seen(table + " tbody tr");
    const text = row => row.cells[0].textContent + " " + [...row.cells[column].childNodes].filter(n => n.nodeType === 3 || visible(n)).map(n => n.textContent).join("");
    out.push("sorted " + document.querySelectorAll(table + " thead th")[column].getAttribute("aria-sort") + " " + text(rows[0]) + "; " + text(rows.at(-1)));
  };
  report("all");
  sort("#grid", 3); sort("#grid", 3);
  set("family", "mesi"); report("mesi");
  set("config", "rumur"); sort("#grid", 6);
  $("building").click(); sort("#grid", 6); $("building").click();
  set("config", "cmurphi"); set("status", "skipped"); report("skipped");
  set("family", ""); set("pairx", "4"); set("pairy", "3"); report("pair");
  out.push("label " + document.querySelector("#scatter .labelx").textContent);
  set("config", ""); set("status", ""); set("search", "N=4  german", "input"); report("search");
  set("search", "", "input"); sort("#table", 11); sort("#table", 11);
  $("building").click();
  out.push("label " + document.querySelector("#scatter .labelx").textContent + "; " + seen(".chart .labely")[0].textContent);
  $("building").click();
  const summary = document.querySelector("#summary .scroll");
  if (innerWidth >= 1280 && summary.scrollWidth > summary.clientWidth) out.push("the summary scrolls");
  out.push("wide " + (document.documentElement.scrollWidth > innerWidth));
  out.push("looks " + innerWidth + " " + matchMedia("(prefers-color-scheme: dark)").matches + " " + getComputedStyle(document.body).backgroundColor);
  out.push(...errors);
  parent.postMessage(out.join("\n"), "*");
});
</script></body>`

// frame is a page around the page, as a window of the browser is at least 500 wide.
const frame = `<!doctype html><meta name="color-scheme" content="light dark"><body style="margin:0"><pre id="probe"></pre>
<script>addEventListener("message", e => document.getElementById("probe").textContent = e.data);</script>
<iframe src="page.html" style="border:0;width:%dpx;height:%dpx"></iframe>`

// listen collects errors from the beginning.
const listen = `<script>const errors = []; addEventListener("error", e => errors.push("error " + e.message));
for (const f of ["error", "warn"]) console[f] = (...a) => errors.push(f + " " + a.join(" "));</script>`

// TestBrowser opens the page in headless Chromium, wide and light, narrow and dark, and asks the page
// itself what it shows. ORBITMC_SHOTS=DIR keeps pictures.
func TestBrowser(t *testing.T) {
	chromium, err := exec.LookPath("chromium")
	if err != nil {
		t.Skip("no chromium here")
	}
	b := arrange(synthetic(), false)
	solvedIn := func(family string) (n int) {
		for _, s := range b.scores(family) {
			n += s.classes[solved]
		}
		return n
	}
	scaling := func(family string, skipped int) string {
		return "scaling-" + family + "=" + strconv.Itoa(7*5-skipped)
	}
	mesi := scaling("mesi", skippedRuns()/2)
	plots := "marks cactus=" + strconv.Itoa(solvedIn("")) + " memory=" + strconv.Itoa(solvedIn("")) + " scatter-bmc-rep-frontier-vs-bmc-rep-off=21 " +
		scaling("german", 0) + " " + mesi + " " + scaling("peterson-bug", 0)
	ofMesi := "marks cactus-mesi=" + strconv.Itoa(solvedIn("mesi")) + " memory-mesi=" + strconv.Itoa(solvedIn("mesi")) + " scatter-bmc-rep-frontier-vs-bmc-rep-off=7 " + mesi
	want := []string{
		"all: " + plots + " rows 210 21 5",
		"sorted ascending a&amp;b/&lt;german.m N=2 safe 0.014; a&amp;b/&lt;peterson_bug.m N=8 timeout",
		"sorted descending a&amp;b/&lt;mesi.m N=8 timeout; a&amp;b/&lt;peterson_bug.m N=2 unsafe 0.014",
		"mesi: " + ofMesi + " rows 70 7 5",
		"sorted ascending a&amp;b/&lt;mesi.m N=2 safe 0.017; a&amp;b/&lt;mesi.m N=6 timeout",
		"sorted descending a&amp;b/&lt;mesi.m N=8 timeout; a&amp;b/&lt;mesi.m N=2 safe 1.52",
		"skipped: " + ofMesi + " rows " + strconv.Itoa(skippedRuns()) + " " + strconv.Itoa(skippedRuns()/2) + " 1",
		"pair: " + plots + " rows " + strconv.Itoa(skippedRuns()) + " " + strconv.Itoa(skippedRuns()/2) + " 1",
		"label rumur: CPU time [s]",
		"search: " + plots + " rows 10 1 5",
		"sorted ascending a&amp;b/&lt;german.m 5.7 MiB; a&amp;b/&lt;peterson_bug.m 202.9 GiB",
		"sorted descending a&amp;b/&lt;peterson_bug.m 202.9 GiB; a&amp;b/&lt;peterson_bug.m 5.7 MiB",
		"label rumur: CPU time with building [s]; CPU time with building per instance [s]",
		"wide false",
	}
	for _, look := range []struct {
		width, height int
		dark          bool
		back          string
	}{{1280, 900, false, "rgb(255, 255, 255)"}, {390, 2400, true, "rgb(18, 22, 28)"}} {
		got := visit(t, chromium, look.width, look.height, look.dark)
		want := append(slices.Clone(want), fmt.Sprintf("looks %d %v %s", look.width, look.dark, look.back))
		if !slices.Equal(got, want) {
			t.Errorf("%d wide: got\n%s\nwant\n%s", look.width, strings.Join(got, "\n"), strings.Join(want, "\n"))
		}
	}
}

// visit opens the page with the probe in it.
func visit(t *testing.T, chromium string, width, height int, dark bool) []string {
	t.Helper()
	dir := t.TempDir()
	run := func(text string, args ...string) string {
		write(t, filepath.Join(dir, "page.html"), text)
		write(t, filepath.Join(dir, "frame.html"), fmt.Sprintf(frame, width, height))
		ctx, cancel := context.WithTimeout(context.Background(), 2*time.Minute)
		defer cancel()
		scheme := "--blink-settings=preferredColorScheme=1"
		if dark {
			scheme = "--blink-settings=preferredColorScheme=0"
		}
		args = append(args, "--headless", "--no-sandbox", "--disable-gpu", "--hide-scrollbars", "--virtual-time-budget=10000", scheme,
			"--user-data-dir="+filepath.Join(dir, "profile"), fmt.Sprintf("--window-size=%d,%d", max(width, 500), height), "file://"+filepath.Join(dir, "frame.html"))
		cmd := exec.CommandContext(ctx, chromium, args...)
		cmd.WaitDelay = 5 * time.Second
		out, err := cmd.Output()
		if err != nil {
			t.Fatal(err)
		}
		return string(out)
	}
	page := pageOf(t)
	if shots := os.Getenv("ORBITMC_SHOTS"); shots != "" {
		run(page, "--screenshot="+filepath.Join(shots, fmt.Sprintf("report-%d.png", width)))
	}
	page = strings.Replace(strings.Replace(page, "<head>", "<head>"+listen, 1), "</body>", probe, 1)
	_, got, ok := strings.Cut(run(page, "--dump-dom"), `<pre id="probe">`)
	if !ok {
		t.Fatal("the page's script or the probe did not run")
	}
	got, _, _ = strings.Cut(got, "</pre>")
	return strings.Split(got, "\n")
}

func skippedRuns() (n int) {
	rec := synthetic()
	for i := range rec.Runs {
		if classOf(&rec.Runs[i]) == skipped {
			n++
		}
	}
	return n
}
