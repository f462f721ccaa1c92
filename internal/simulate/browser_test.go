package simulate_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"html"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"orbitmc/internal/simulate"
)

// probe does to a page what a reader would, and tells the page around it what it saw after each action.
const probe = `<script>
(async () => {
  const out = { width: innerWidth, dark: matchMedia("(prefers-color-scheme: dark)").matches, wide: 0, saw: [], errors };
  const $ = id => document.getElementById(id);
  let drawn = 0;
  document.addEventListener("view", () => drawn++);
  const wait = f => new Promise(ok => { const t = setInterval(() => { if (f()) { clearInterval(t); ok(); } }, 5); });
  const acts = {
    move: n => document.querySelectorAll("#moves button")[n - 1].click(),
    crumb: n => document.querySelectorAll("#crumbs button")[n].click(),
    step: n => [...document.querySelectorAll(".step")].filter(g => +g.dataset.step === +n).pop().dispatchEvent(new MouseEvent("click", { bubbles: true })),
    key: k => document.body.dispatchEvent(new KeyboardEvent("keydown", { key: k, bubbles: true, cancelable: true })),
    enter: text => { $("line").value = text; $("line").dispatchEvent(new KeyboardEvent("keydown", { key: "Enter", bubbles: true, cancelable: true })); },
    until: text => { $("line").value = text; document.querySelector("[data-do=until]").click(); },
    why: text => { $("line").value = text; document.querySelector("[data-do=why]").click(); },
  };
  await wait(() => drawn > 0);
  for (const act of ACTS) {
    const i = act.indexOf(" "), n = drawn;
    acts[act.slice(0, i)](act.slice(i + 1));
    await wait(() => drawn > n);
    await new Promise(ok => setTimeout(ok, 20));
    out.wide = Math.max(out.wide, document.documentElement.scrollWidth);
    const here = document.querySelector("#crumbs .here");
    out.saw.push([here && here.textContent, document.querySelectorAll("#crumbs button").length, $("title").textContent,
      document.querySelectorAll("#moves li").length, [...document.querySelectorAll("#props .bad")].map(p => p.textContent).join(), $("said").textContent].join(" | "));
  }
  parent.postMessage(JSON.stringify(out), "*");
})();
</script>`

const listen = `<script>const errors = []; addEventListener("error", e => errors.push(String(e.message)));
for (const f of ["error", "warn"]) console[f] = (...a) => errors.push(a.join(" "));</script>`

// frame is a page around the page, as a window of the browser is at least 500 wide.
const frame = `<!doctype html><meta name="color-scheme" content="light dark"><body style="margin:0"><pre id="probe"></pre>
<script>addEventListener("message", e => document.getElementById("probe").textContent = e.data);</script>
<iframe src="T/" style="border:0;width:%dpx;height:%dpx"></iframe>`

// TestBrowser goes through sessions in headless Chromium, if that is installed: the run grows as one clicks, and one may go back
// anywhere; no errors on the console, and nothing is wider than the window. ORBITMC_SHOTS=DIR keeps pictures.
func TestBrowser(t *testing.T) {
	browser := ""
	for _, name := range []string{"google-chrome", "chromium-browser", "chromium"} {
		if path, err := exec.LookPath(name); err == nil {
			browser = path
		}
	}
	if browser == "" {
		t.Skip("no chromium")
	}
	for _, x := range []struct {
		name, file, text string
		width            int
		dark             bool
		acts, saw        []string
	}{
		{"murphi", murphi + "german_bug2.m", "", 1300, false,
			[]string{"move 1", "move 2", "enter RecvReq", "crumb 1", "key ArrowRight", "step 0", "enter j 1", "move 1", "why SendGntS (i=NODE_1)", "until exists p: NODE do Cache[p].State = S end", "until x", "enter random 12 5", "until exists p: NODE do Cache[p].State = E end"},
			[]string{
				"0: Init (d=DATA_1) | 1 | Start: Init (d = DATA_1) | 4 |  | ",
				"1: SendReqS (i=NODE_2) | 2 | Step 1: SendReqS (i = NODE_2) | 3 |  | ",
				"2: RecvReq (i=NODE_2) | 3 | Step 2: RecvReq (i = NODE_2) | 5 |  | ",
				"1: SendReqS (i=NODE_2) | 3 | Step 1: SendReqS (i = NODE_2) | 3 |  | ",
				"2: RecvReq (i=NODE_2) | 3 | Step 2: RecvReq (i = NODE_2) | 5 |  | ",
				"0: Init (d=DATA_1) | 3 | Start: Init (d = DATA_1) | 4 |  | ",
				"1: SendReqS (i=NODE_2) | 3 | Step 1: SendReqS (i = NODE_2) | 3 |  | ",
				"2: SendReqS (i=NODE_1) | 3 | Step 2: SendReqS (i = NODE_1) | 2 |  | ",
				"2: SendReqS (i=NODE_1) | 3 | Step 2: SendReqS (i = NODE_1) | 2 |  | SendGntS (i=NODE_1): not CurCmd = ReqS, as CurCmd = Empty\n",
				"5: RecvGntS (i=NODE_1) | 6 | Step 5: RecvGntS (i = NODE_1) | 2 |  | by a shortest way, 3 steps\n",
				"5: RecvGntS (i=NODE_1) | 6 | Step 5: RecvGntS (i = NODE_1) | 2 |  | x is not declared\n",
				"17: SendGntS (i=NODE_2) | 18 | Step 17: SendGntS (i = NODE_2) | 3 |  | 12 steps at random\n",
				"23: RecvGntE (i=NODE_1) | 24 | Step 23: RecvGntE (i = NODE_1) | 4 | invariant CtrlProp: violated | by a shortest way, 6 steps\n",
			}},
		{"program", "link.pml", link, 390, true,
			[]string{"move 1", "move 1", "enter assert", "crumb 2", "until B:y == 2", "enter random 60 1", "enter jump 7"},
			[]string{
				"1: A:5 (n<3) (p=0) | 2 | Step 1: A:5 (n<3) (p = 0) | 1 |  | ",
				"2: A:5 n = (n+1); c!req,n (p=0) | 3 | Step 2: A:5 n = (n+1); c!req,n (p = 0) | 2 |  | ",
				"2: A:5 n = (n+1); c!req,n (p=0) | 3 | Step 2: A:5 n = (n+1); c!req,n (p = 0) | 2 |  | no step that can be made is \"assert\"; h lists commands\n",
				"2: A:5 n = (n+1); c!req,n (p=0) | 3 | Step 2: A:5 n = (n+1); c!req,n (p = 0) | 2 |  | ",
				"7: B:6 c?req,y (p=1) | 8 | Step 7: B:6 c?req,y (p = 1) | 2 |  | by a shortest way, 5 steps\n",
				"14: A:5 -end- (p=0) | 15 | Step 14: A:5 -end- (p = 0) | 0 |  | 7 steps at random\n",
				"7: B:6 c?req,y (p=1) | 15 | Step 7: B:6 c?req,y (p = 1) | 2 |  | ",
			}},
		{"netlist", "counter.btor2", counter, 390, false,
			[]string{"enter set step 5", "enter set enable 1", "move 1", "move 1", "move 1", "key Home", "step 2"},
			[]string{
				"0: reset | 1 | Start: frame 0 | 4 |  | ",
				"0: reset | 1 | Start: frame 0 | 4 |  | ",
				"1: enable=1 step=4'h5 | 2 | Step 1: frame 1 | 4 |  | ",
				"2: enable=1 step=4'h5 | 3 | Step 2: frame 2 | 3 |  | ",
				"3: enable=1 step=4'h5 | 4 | Step 3: frame 3 | 4 | bad full: violated | ",
				"0: reset | 4 | Start: frame 0 | 4 |  | ",
				"2: enable=1 step=4'h5 | 4 | Step 2: frame 2 | 4 |  | ",
			}},
	} {
		t.Run(x.name, func(t *testing.T) {
			session := simulate.New(byHand(t, x.file, x.text), 0)
			own := serve(t, session, "T")
			var shooting atomic.Bool
			mux := http.NewServeMux()
			mux.HandleFunc("/T/", func(w http.ResponseWriter, r *http.Request) {
				line, err := io.ReadAll(r.Body)
				if err != nil {
					t.Error(err)
				}
				q, err := http.NewRequestWithContext(t.Context(), r.Method, own+r.URL.Path, bytes.NewReader(line))
				if err != nil {
					t.Error(err)
					return
				}
				resp, err := http.DefaultClient.Do(q)
				if err != nil {
					t.Error(err)
					return
				}
				defer resp.Body.Close()
				page, err := io.ReadAll(resp.Body)
				if err != nil {
					t.Error(err)
				}
				for k, v := range resp.Header {
					w.Header()[k] = v
				}
				w.Header().Del("Content-Length")
				w.WriteHeader(resp.StatusCode)
				text := string(page)
				if r.Method == "GET" && !shooting.Load() {
					acts, err := json.Marshal(x.acts)
					if err != nil {
						t.Error(err)
					}
					text = strings.Replace(text, "<head>", "<head>"+listen, 1)
					text = strings.Replace(text, "</body>", strings.Replace(probe, "ACTS", string(acts), 1)+"</body>", 1)
				}
				io.WriteString(w, text)
			})
			height := 1000
			if x.width < 500 {
				height = 1800
			}
			mux.HandleFunc("/frame", func(w http.ResponseWriter, _ *http.Request) { fmt.Fprintf(w, frame, x.width, height) })
			server := httptest.NewServer(mux)
			defer server.Close()
			run := func(args ...string) []byte {
				ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
				defer cancel()
				scheme := map[bool]string{true: "0", false: "1"}[x.dark]
				args = append(args, "--headless", "--no-sandbox", "--disable-gpu", "--hide-scrollbars", "--virtual-time-budget=20000", "--user-data-dir="+t.TempDir(),
					fmt.Sprintf("--window-size=%d,%d", max(x.width, 500), height), "--blink-settings=preferredColorScheme="+scheme)
				cmd := exec.CommandContext(ctx, browser, args...)
				cmd.WaitDelay = time.Second
				out, err := cmd.Output()
				if err != nil {
					t.Fatalf("%s: %v", browser, err)
				}
				return out
			}
			out := run("--dump-dom", server.URL+"/frame")
			m := regexp.MustCompile(`(?s)<pre id="probe">(.+?)</pre>`).FindSubmatch(out)
			if m == nil {
				t.Fatalf("the page did not run:\n%.2000s", out)
			}
			var got struct {
				Width, Wide int
				Dark        bool
				Saw, Errors []string
			}
			if err := json.Unmarshal([]byte(html.UnescapeString(string(m[1]))), &got); err != nil {
				t.Fatal(err)
			}
			if len(got.Errors) > 0 || got.Dark != x.dark || got.Width != x.width || got.Wide > x.width {
				t.Errorf("%q, dark %v, width %d, as wide as %d", got.Errors, got.Dark, got.Width, got.Wide)
			}
			if !slices.Equal(got.Saw, x.saw) {
				t.Errorf("saw\n%s\nwant\n%s", strings.Join(got.Saw, "\n"), strings.Join(x.saw, "\n"))
			}
			if x.name == "murphi" {
				if out := run("--dump-dom", own+"/T/"); !strings.Contains(string(out), "23: RecvGntE (i=NODE_1)</button>") {
					t.Errorf("without the proxy of this test the page is\n%.2000s", out)
				}
			}
			if shots := os.Getenv("ORBITMC_SHOTS"); shots != "" {
				shooting.Store(true)
				run("--screenshot="+filepath.Join(shots, "simulate-"+x.name+".png"), server.URL+"/frame")
			}
		})
	}
}
