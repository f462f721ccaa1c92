package trace_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"html"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"orbitmc/internal/lists"
	"orbitmc/internal/testkit/nightly"
	"orbitmc/internal/trace"
)

// probe goes through a page as a reader does, and tells the page around it what it saw.
const probe = `<script>
(() => {
  const out = { width: innerWidth, dark: matchMedia("(prefers-color-scheme: dark)").matches, steps: [], wide: 0, lit: 0, unseen: 0, broken: [], blind: [] };
  const $ = id => document.getElementById(id);
  const press = key => document.body.dispatchEvent(new KeyboardEvent("keydown", { key, bubbles: true, cancelable: true }));
  const look = () => {
    const k = +document.body.dataset.step;
    out.steps.push(k + ": " + $("title").textContent);
    out.wide = Math.max(out.wide, document.documentElement.scrollWidth);
    out.lit += document.querySelectorAll("#state td.lit").length;
    for (const pre of document.querySelectorAll(".listing")) { // the last line that ran, but for the end
      const ran = [...pre.querySelectorAll("span:not(.n):not(.not)")].filter(s => s !== pre.lastElementChild && s.textContent.trim()).pop();
      if (!ran) continue;
      const box = pre.getBoundingClientRect(), at = ran.getBoundingClientRect();
      if (at.top < box.top || at.bottom > box.bottom) out.unseen++;
    }
    for (const under of document.querySelectorAll("h1, .kicker, #moment td, #moment th, #moment code")) {
      const all = document.createTreeWalker(under, NodeFilter.SHOW_TEXT);
      for (let text; text = all.nextNode();) for (const word of text.data.matchAll(/\w+/g)) {
        const range = document.createRange();
        range.setStart(text, word.index);
        range.setEnd(text, word.index + word[0].length);
        if (new Set([...range.getClientRects()].map(r => r.top)).size > 1) out.broken.push(word[0]);
      }
    }
    if (document.querySelector("#suspicion .badge")) out.blind.push(k);
    if (document.querySelectorAll(".step.here").length !== 2) out.steps.push("not marked: " + k);
  };
  press("Home");
  look();
  for (let i = 0; i < +$("slider").max; i++) { press("ArrowRight"); look(); }
  press("ArrowLeft");
  out.back = +document.body.dataset.step;
  $("slider").value = 1;
  $("slider").dispatchEvent(new Event("input", { bubbles: true }));
  out.slider = +document.body.dataset.step;
  const last = [...document.querySelectorAll(".step")].pop();
  last.dispatchEvent(new MouseEvent("click", { bubbles: true }));
  out.click = +document.body.dataset.step;
  $("every").click();
  out.columns = [...document.querySelectorAll("#state td")].filter(td => td.title).map(td => td.title + ": " + td.closest("table").rows[0].cells[td.cellIndex].textContent);
  out.errors = errors;
  parent.postMessage(JSON.stringify(out), "*");
})();
</script>`

// frame is a page around the page, as a window of the browser is at least 500 wide.
const frame = `<!doctype html><meta name="color-scheme" content="light dark"><body style="margin:0"><pre id="probe"></pre>
<script>addEventListener("message", e => document.getElementById("probe").textContent = e.data);</script>
<iframe src="%s#step-13" style="border:0;width:%dpx;height:%dpx"></iframe>`

// listen collects errors from the beginning.
const listen = `<script>const errors = []; addEventListener("error", e => errors.push(String(e.message)));
for (const f of ["error", "warn"]) console[f] = (...a) => errors.push(a.join(" "));</script>`

type probed struct {
	Width  int
	Dark   bool
	Steps  []string
	Wide   int
	Lit    int
	Blind  []int
	Unseen int      // listings that do not show their last line that ran
	Broken []string // words in more than one line
	Back   int
	Slider int
	Click  int
	Errors []string

	Columns []string // of cells in the table of the state
}

// TestBrowser opens pages in headless Chromium, if that is installed: no errors on the console, every
// step is reached by keys, slider and clicks, nothing is wider than the window; light and dark, wide
// and narrow. ORBITMC_LONG=1 opens every page in every way; ORBITMC_SHOTS=DIR keeps pictures.
func TestBrowser(t *testing.T) {
	browser := ""
	for _, name := range []string{"chromium", "chromium-browser", "google-chrome"} {
		if path, err := exec.LookPath(name); err == nil {
			browser = path
			break
		}
	}
	if browser == "" {
		t.Skip("no chromium")
	}
	type look struct {
		width int
		dark  bool
	}
	looks := []look{{1000, false}, {390, true}, {390, false}, {1000, true}}
	views := map[string]*trace.View{
		"german":   murphiView(t, "german_bug2.m", "CtrlProp", map[string]string{"NODE_NUM": "4"}),
		"mesi_net": murphiView(t, "mesi_net_bug.m", "CtrlProp", nil),
		"path": trace.OfPath(trace.View{Title: "a_folder/of_some_length/another_folder/of_some_length/a_file_of_some_length.btor2", Property: "bad 0"}, []trace.Signal{
			{Name: "a_signal_with_a_long_name.of_a_module.and_a_register_in_it", Values: []string{"0", "1", "2"}, Matters: []bool{false, false, true}},
			{Name: "i", Input: true, Values: []string{"1", "0", "1"}}}, 1),
		"roles": rolesView(t), "owners": textView(t, owners, "owner"),
		"long": textView(t, `
type S: 0..60; N: scalarset(2);
var a_variable_of_many_letters_and_of_more: array[N] of S; another_one_with_a_name_that_is_long: S;
procedure Turn(p: N);
begin
  switch another_one_with_a_name_that_is_long
`+strings.Join(lists.Make(60, func(i int) string {
			return fmt.Sprintf("  case %d:\n    a_variable_of_many_letters_and_of_more[p] := %d;\n    another_one_with_a_name_that_is_long := %d;\n", i, i, i+30)
		}), "")+`  end;
end;
startstate for n: N do a_variable_of_many_letters_and_of_more[n] := 0; end; another_one_with_a_name_that_is_long := 0; end;
ruleset n: N do rule "turn" another_one_with_a_name_that_is_long < 60 ==> Turn(n); end; end;
invariant "low" another_one_with_a_name_that_is_long < 60;
`, "low"),
	}
	for name, v := range views {
		for i, l := range looks {
			if !nightly.On() && (i != 1 || name == "mesi_net") && (name != "german" || i > 1) {
				continue
			}
			t.Run(fmt.Sprintf("%s-%d-%v", name, l.width, l.dark), func(t *testing.T) {
				got := visit(t, browser, v, l.width, l.dark)
				if len(got.Errors) > 0 {
					t.Errorf("%d errors, first %q", len(got.Errors), got.Errors[0])
				}
				if got.Dark != l.dark || got.Width != l.width {
					t.Fatalf("dark %v, width %d", got.Dark, got.Width)
				}
				if got.Unseen > 0 || len(got.Broken) > 0 {
					t.Errorf("%d listings do not show what ran; broken are %q", got.Unseen, got.Broken)
				}
				if got.Wide > l.width {
					t.Errorf("the page is %d wide", got.Wide)
				}
				if len(got.Steps) != len(v.Steps)+1 {
					t.Errorf("steps: %q", got.Steps)
				}
				for k, s := range got.Steps {
					if !strings.HasPrefix(s, fmt.Sprintf("%d: ", k)) || k > 0 && !strings.Contains(s, v.Steps[k-1].Rule) {
						t.Errorf("step %d is shown as %q", k, s)
					}
				}
				if got.Back != len(v.Steps)-1 || got.Slider != 1 || got.Click != len(v.Steps) || got.Lit == 0 {
					t.Errorf("%+v", got)
				}
				if name == "owners" && (!slices.Contains(got.Columns, "Dir.Owner: Home") || !slices.Contains(got.Columns, "Cache[P_1]: P_1")) {
					t.Errorf("cells of columns: %q", got.Columns)
				}
				if name == "german" && fmt.Sprint(got.Blind) != "[13]" {
					t.Errorf("blind in steps %v", got.Blind)
				}
			})
		}
	}
}

// visit opens a page with the probe in it.
func visit(t *testing.T, browser string, v *trace.View, width int, dark bool) (got probed) {
	t.Helper()
	var page bytes.Buffer
	if err := v.WriteHTML(&page); err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	run := func(text string, height int, args ...string) []byte {
		for name, text := range map[string]string{"page.html": text, "frame.html": fmt.Sprintf(frame, "page.html", width, height)} {
			if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o666); err != nil {
				t.Fatal(err)
			}
		}
		ctx, cancel := context.WithTimeout(context.Background(), 2*time.Minute)
		defer cancel()
		scheme := "--blink-settings=preferredColorScheme=1"
		if dark {
			scheme = "--blink-settings=preferredColorScheme=0"
		}
		args = append(args, "--headless", "--no-sandbox", "--disable-gpu", "--hide-scrollbars", "--virtual-time-budget=10000",
			"--user-data-dir="+filepath.Join(dir, "user"), fmt.Sprintf("--window-size=%d,%d", max(width, 500), height), scheme, "file://"+filepath.Join(dir, "frame.html"))
		cmd := exec.CommandContext(ctx, browser, args...)
		cmd.WaitDelay = time.Second
		out, err := cmd.Output()
		if err != nil {
			t.Fatalf("%s: %v", browser, err)
		}
		return out
	}
	text := strings.Replace(page.String(), "<head>", "<head>"+listen, 1)
	text = strings.Replace(text, "</body>", probe+"</body>", 1)
	out := run(text, 1000, "--dump-dom")
	m := regexp.MustCompile(`(?s)<pre id="probe">(.+?)</pre>`).FindSubmatch(out)
	if m == nil {
		t.Fatalf("the page did not run:\n%.2000s", out)
	}
	if err := json.Unmarshal([]byte(html.UnescapeString(string(m[1]))), &got); err != nil {
		t.Fatal(err)
	}
	if shots := os.Getenv("ORBITMC_SHOTS"); shots != "" {
		name := strings.ReplaceAll(strings.TrimPrefix(t.Name(), "TestBrowser/"), "/", "-") + ".png"
		height := 1000
		if width < 500 {
			height = 2200
		}
		run(page.String(), height, "--screenshot="+filepath.Join(shots, name))
	}
	return got
}
