package report

import (
	"bytes"
	"context"
	"encoding/xml"
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
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
	if err := WriteHTML(&w, synthetic(), []string{"the batch is not complete"}, "../out"); err != nil {
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
	// For all and for each of three families: cactus and memory plot; three
	// scaling plots, each twice; one scatter plot.
	if want := 2*4 + 2*3 + 1; charts != want {
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
	if err := WriteHTML(&w, rec, nil, "."); err != nil {
		t.Fatal(err)
	}
	for _, s := range svgs.FindAllString(w.String(), -1) {
		wellFormed(t, s)
	}
	if s := w.String(); strings.Contains(s, `id="scatter"`) || !strings.Contains(s, "No wrong answers") || !strings.Contains(s, "no limit was set") {
		t.Error("a page with a scatter plot of nothing, or without its fine print")
	}
}

// TestBrowser opens the page in Chromium, changes every filter, and asks the
// page itself what it shows.
func TestBrowser(t *testing.T) {
	chromium, err := exec.LookPath("chromium")
	if err != nil {
		t.Skip("no chromium here")
	}
	dir := t.TempDir()
	probe := `<script>
addEventListener("load", () => {
  const out = [];
  const set = (id, v) => { const s = document.getElementById(id); s.value = v; s.dispatchEvent(new Event("change")); };
  const seen = q => [...document.querySelectorAll(q)].filter(e => e.getClientRects().length).length;
  const report = what => out.push(what + ": marks " + [...document.querySelectorAll("svg.chart")].filter(c => c.getClientRects().length)
    .map(c => c.dataset.chart + "=" + c.querySelectorAll(".marks .mark").length).join(" ") + " rows " + seen("#table tbody tr"));
  report("all");
  set("family", "mesi"); report("mesi");
  set("config", "cmurphi"); set("status", "skipped"); report("skipped");
  set("family", ""); set("pairx", "4"); set("pairy", "3"); report("pair");
  out.push("label " + document.querySelector("#scatter .labelx").textContent);
  out.push("wide " + (document.documentElement.scrollWidth > innerWidth));
  set("family", ""); set("config", ""); set("status", "");
  const pre = document.createElement("pre"); pre.id = "probe"; pre.textContent = out.join("\n"); document.body.append(pre);
});
</script></body>`
	file := filepath.Join(dir, "page.html")
	write(t, file, strings.Replace(pageOf(t), "</body>", probe, 1))
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	args := []string{"--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking",
		"--disable-component-update", "--disable-sync", "--user-data-dir=" + filepath.Join(dir, "profile"), "--window-size=1280,900",
		"--enable-logging=stderr", "--dump-dom", "file://" + file}
	cmd := exec.CommandContext(ctx, chromium, args...)
	cmd.Env = append(os.Environ(), "HOME="+dir)
	cmd.WaitDelay = 5 * time.Second
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	if err := cmd.Run(); err != nil {
		t.Fatalf("%v\n%s", err, stderr.String())
	}
	for line := range strings.Lines(stderr.String()) {
		if strings.Contains(line, "CONSOLE") {
			t.Errorf("console: %s", line)
		}
	}
	_, got, ok := strings.Cut(stdout.String(), `<pre id="probe">`)
	if !ok {
		t.Fatal("the page's script or the probe did not run")
	}
	got, _, _ = strings.Cut(got, "</pre>")
	b := arrange(synthetic())
	solvedIn := func(family string) (n int) {
		for _, s := range b.scores(family) {
			n += s.Solved
		}
		return n
	}
	scaling := func(family string, skipped int) string {
		return "scaling-" + family + "=" + strconv.Itoa(7*5-skipped)
	}
	mesi := scaling("mesi", skippedRuns()/2)
	want := strings.Join([]string{
		"all: marks cactus=" + strconv.Itoa(solvedIn("")) + " memory=" + strconv.Itoa(solvedIn("")) + " scatter-bmc-rep-frontier-vs-bmc-rep-off=21 " +
			scaling("german", 0) + " " + mesi + " " + scaling("peterson-bug", 0) + " rows 210",
		"mesi: marks cactus-mesi=" + strconv.Itoa(solvedIn("mesi")) + " memory-mesi=" + strconv.Itoa(solvedIn("mesi")) + " scatter-bmc-rep-frontier-vs-bmc-rep-off=7 " +
			mesi + " rows 70",
		"skipped: marks cactus-mesi=" + strconv.Itoa(solvedIn("mesi")) + " memory-mesi=" + strconv.Itoa(solvedIn("mesi")) + " scatter-bmc-rep-frontier-vs-bmc-rep-off=7 " +
			mesi + " rows " + strconv.Itoa(skippedRuns()),
		"pair: marks cactus=" + strconv.Itoa(solvedIn("")) + " memory=" + strconv.Itoa(solvedIn("")) + " scatter-bmc-rep-frontier-vs-bmc-rep-off=21 " +
			scaling("german", 0) + " " + mesi + " " + scaling("peterson-bug", 0) + " rows " + strconv.Itoa(skippedRuns()),
		"label rumur: CPU time [s]",
		"wide false",
	}, "\n")
	if got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
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
