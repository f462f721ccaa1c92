package simulate_test

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"orbitmc/internal/simulate"
	"orbitmc/internal/task"
	"orbitmc/model"
	"orbitmc/model/traces"
)

// byHand opens a file, or a text with the extension of its language.
func byHand(t *testing.T, name, text string) *task.ByHand {
	t.Helper()
	if text != "" {
		name = filepath.Join(t.TempDir(), name)
		if err := os.WriteFile(name, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	k, err := task.Open(t.Context(), name, task.Options{Symmetry: "off"})
	if err != nil {
		t.Fatal(err)
	}
	h, err := k.ByHand()
	if err != nil {
		t.Fatal(err)
	}
	return h
}

const murphi = "../../benchmarks/murphi/"

// counter counts to 15 by steps of up to 9.
const counter = `1 sort bitvec 4
2 sort bitvec 1
3 input 2 enable
4 input 1 step
5 zero 1
6 state 1 count
7 init 1 6 5
8 add 1 6 4
9 ite 1 3 8 6
10 next 1 6 9
11 ones 1
12 eq 2 6 11
13 bad 12 full
14 constd 1 9
15 ulte 2 4 14
16 constraint 15
`

// link has a handshake, and an assertion that fails.
const link = `mtype = { req, ack };
chan c = [1] of { mtype, byte };
chan d = [0] of { mtype };
byte n;
active proctype A() { do :: n < 3 -> atomic { n++; c!req,n } :: d?ack -> break od }
active proctype B() { byte y; do :: c?req,y -> assert(y < 3) :: y == 2 -> d!ack; break od }
`

// TestWalks: what is shown at random is what the interpreter does. Each run that is saved is read back as the same run, by this
// package and by whoever replays it, and an invariant that is violated at its end is said to be.
func TestWalks(t *testing.T) {
	violations := 0
	for _, name := range []string{"german_bug2.m", "mesi_net_bug.m", "needham_schroeder.m", "queue_lock_bug.m", "link.pml"} {
		text := link
		file := name
		if strings.HasSuffix(name, ".m") {
			text, file = "", murphi+name
		}
		for seed := range uint64(12) {
			s := simulate.New(byHand(t, file, text), seed)
			var saved, said bytes.Buffer
			s.Save = func(_ string, write func(io.Writer) error) error { return write(&saved) }
			for _, line := range []string{"random 60", "save run", "trace", "properties"} {
				s.Do(t.Context(), &said, line)
			}
			h := byHand(t, file, text)
			run, loop, err := h.Read("run", saved.Bytes())
			if err != nil || loop != -1 {
				t.Fatalf("%s, seed %d: %v\n%s", name, seed, err, saved.String())
			}
			claimed := strings.Contains(said.String(), "\nviolated: ")
			if claimed != (run.Prop >= 0) {
				t.Errorf("%s, seed %d: property %d\n%s", name, seed, run.Prop, said.String())
			}
			if claimed {
				violations++
				if err := traces.Replay(h.Code, run); err != nil {
					t.Errorf("%s, seed %d: %v", name, seed, err)
				}
			}
			other := simulate.New(byHand(t, file, text), seed+100)
			if err := other.Open("run", saved.Bytes()); err != nil {
				t.Fatal(err)
			}
			var again bytes.Buffer
			for _, line := range []string{fmt.Sprintf("jump %d", len(run.Steps)), "trace", "properties"} {
				other.Do(t.Context(), &again, line)
			}
			_, want, _ := strings.Cut(said.String(), "at random\n")
			want = strings.Replace(want, fmt.Sprintf("run: %s\n", task.Plural(len(run.Steps), "step")), "", 1)
			if again.String() != want {
				t.Fatalf("%s, seed %d:\n%s\nread back as\n%s", name, seed, want, again.String())
			}
		}
	}
	if violations < 5 {
		t.Errorf("only %d violations", violations)
	}
}

// TestSteps: the steps that are listed are those that can be made, in all states of walks, and each leads to the state that the
// interpreter says.
func TestSteps(t *testing.T) {
	h := byHand(t, murphi+"msi_dir_bug.m", "")
	s := simulate.New(h, 1)
	m := h.Code.NewMachine()
	listed := 0
	for range 100 {
		var said, trail bytes.Buffer
		s.Save = func(_ string, write func(io.Writer) error) error { return write(&trail) }
		if s.Do(t.Context(), &said, "random 1"); strings.Contains(said.String(), "violated: ") {
			break
		}
		s.Do(t.Context(), io.Discard, "save x")
		run, _, err := h.Read("x", trail.Bytes())
		if err != nil {
			t.Fatal(err)
		}
		var want []string
		m.Successors(run.End(), func(ch model.Choice, next model.State, v *model.Violation) bool {
			name := strings.ReplaceAll(strings.TrimPrefix(h.Code.Model.FormatChoice(ch), "rule "), `"`, "")
			change := "changes nothing"
			if v != nil {
				change = "errs: " + v.Error()
			} else if lines := traces.Lines(h.Code.Model, run.End(), next); len(lines) > 0 {
				change = strings.Join(lines, "; ")
			}
			want = append(want, strings.Join(strings.Fields(fmt.Sprintf("%d %s %s", len(want)+1, name, change)), " "))
			return true
		})
		var got []string
		for line := range strings.Lines(said.String()) {
			if fields := strings.Fields(line); fields[0] == fmt.Sprint(len(got)+1) && strings.HasPrefix(line, " ") {
				got = append(got, strings.Join(fields, " "))
			}
		}
		if !slices.Equal(got, want) {
			t.Fatalf("listed\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
		}
		listed += len(got)
	}
	if listed < 100 {
		t.Errorf("only %d steps", listed)
	}
}

// TestUntil compares the length of the way with that of a search of all states, which explicit search has been held to.
func TestUntil(t *testing.T) {
	for text, want := range map[string]string{
		"exists p: PROC do State[p] = Critical end":                                        "by a shortest way, 2 steps\n",
		"forall p: PROC do State[p] = Trying end":                                          "by a shortest way, 2 steps\n",
		"forall p: PROC do State[p] = Critical end":                                        "it holds in no state that can be reached from here: 7 states visited\n",
		"State[PROC_2] = Critical":                                                         "by a shortest way, 2 steps\n",
		"exists p: PROC do p != PROC_1 & State[p] = Critical & State[PROC_1] = Trying end": "by a shortest way, 3 steps\n",
		"State[PROC_3] = Critical":                                                         "PROC_3 is not declared",
		"Free":                                                                             "it holds here\n",
		"Free -> Free":                                                                     "it holds here\n",
		"AG Free":                                                                          "AG Free: want a condition on a state, without temporal operators\n",
		"1 / 0 = 1":                                                                        "",
		"State":                                                                            "",
		"exists p: PROC do State[p] = Critical & exists q: PROC do q != p & State[q] = Trying end end": "by a shortest way, 3 steps\n",
	} {
		var said bytes.Buffer
		simulate.New(byHand(t, murphi+"mutex_sem.m", ""), 0).Do(t.Context(), &said, "until "+text)
		if want == "" && said.Len() > 0 && !strings.Contains(said.String(), "shortest") && !strings.Contains(said.String(), "no state") {
			continue
		}
		if !strings.HasPrefix(said.String(), want) || want == "" {
			t.Errorf("%s: %s", text, said.String())
		}
	}
}

// TestUntilInPrograms: the language is that of formulas, and the states are those that steps stop in.
func TestUntilInPrograms(t *testing.T) {
	for text, want := range map[string]string{
		"n == 3":                     "by a shortest way, 7 steps\n",
		"B:y == 2 && len(c) == 0":    "by a shortest way, 7 steps\n",
		"B[1].y == 2 && len(c) == 0": "by a shortest way, 7 steps\n",
		"n == 7":                     "it holds in no state that can be reached from here: 36 states visited; steps that err lead nowhere\n",
		"<> n == 1":                  "<> is of linear temporal logic; here AG, AF, EG and EF say on which paths\n",
		"EX (n == 1)":                "EX (n == 1): want a condition on a state, without temporal operators\n",
		"n == 1 / n":                 "n == 1 / n: division by zero\n",
		"m":                          "m is not declared\n",
		"B@nowhere":                  "B has no label nowhere\n",
	} {
		var said bytes.Buffer
		simulate.New(byHand(t, "link.pml", link), 0).Do(t.Context(), &said, "until "+text)
		if !strings.HasPrefix(said.String(), want) {
			t.Errorf("%s: %s", text, said.String())
		}
	}
}

// TestTalk: a session ends with its input, with quit, and with its context.
func TestTalk(t *testing.T) {
	for _, input := range []string{"1\n1", "1\n1\n", "1\n1\nquit\n1\n", "\n\n1\n  1  \nq\n"} {
		s := simulate.New(byHand(t, murphi+"mutex_sem.m", ""), 0)
		var out bytes.Buffer
		if err := s.Talk(t.Context(), strings.NewReader(input), &out, false); err != nil || !strings.Contains(out.String(), "\n> 2: Try (p=PROC_2)\n") || strings.Contains(out.String(), "3: ") {
			t.Errorf("%q: %v\n%s", input, err, out.String())
		}
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	r, w := io.Pipe()
	defer w.Close()
	if err := simulate.New(byHand(t, murphi+"mutex_sem.m", ""), 0).Talk(ctx, r, io.Discard, false); err != nil {
		t.Error(err)
	}
}

type reply struct {
	Said  string
	Run   []string
	At    int
	Loop  int
	Moves []simulate.Move
	Props []simulate.Prop
	View  struct {
		Loop  int
		Steps []struct{ Rule string }
	}
	Sequence string
}

// serve answers requests about a session up to the end of the test.
func serve(t *testing.T, s *simulate.Session, token string) (address string) {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() { ended <- s.Serve(ctx, l, token) }()
	t.Cleanup(func() {
		cancel()
		if err := <-ended; err != nil {
			t.Error(err)
		}
	})
	return "http://" + l.Addr().String()
}

// TestRequests: what is no request that the page makes is refused, and who sends it gets an answer all the same.
func TestRequests(t *testing.T) {
	server := serve(t, simulate.New(byHand(t, murphi+"mutex_sem.m", ""), 0), "T")
	for _, x := range []struct {
		text   string
		status int
	}{
		{"GET /T/trace HTTP/1.1\r\nHost: localhost:1\r\n\r\n", 200},
		{"GET /T/trace?x=/ HTTP/1.0\nhost: localhost:1\n\n", 200},
		{"POST /T/do HTTP/1.1\r\nHost: localhost:1\r\nContent-Length: 4\r\n\r\nhelpless", 200},
		{"POST /T/do HTTP/1.1\r\nHost: localhost:1\r\nContent-Length: 65536\r\n\r\n" + strings.Repeat("x", 1<<16), 200},
		{"POST /T/do HTTP/1.1\r\nHost: localhost:1\r\nContent-Length: 65537\r\n\r\n" + strings.Repeat("x", 1<<16+1), 413},
		{"POST /T/do HTTP/1.1\r\nHost: localhost:1\r\nContent-Length: 99999999999999999999\r\n\r\n", 400},
		{"POST /T/do HTTP/1.1\r\nHost: localhost:1\r\nContent-Length: -1\r\n\r\n", 400},
		{"POST /T/do HTTP/1.1\r\nHost: localhost:1\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\nxx", 400},
		{"POST /T/do HTTP/1.1\r\nHost: localhost:1\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n", 400},
		{"POST /T/do HTTP/1.1\r\nHost: localhost:1\r\nContent-Length: 9\r\n\r\nhelp", 400},
		{"GET /T/trace HTTP/1.1\r\n\r\n", 400},
		{"GET /T/trace HTTP/1.1\r\nHost: localhost:1\r\nHost: localhost:1\r\n\r\n", 400},
		{"GET /T/trace HTTP/1.1\r\nHost: localhost\r\n\r\n", 403},
		{"GET /T/trace HTTP/1.1\r\nHost: localhost:1\r\nno header\r\n\r\n", 400},
		{"GET /T/trace HTTP/1.1\r\nHost: localhost:1\r\n", 400},
		{"GET http://localhost:1/T/trace HTTP/1.1\r\nHost: localhost:1\r\n\r\n", 400},
		{"GET /T/trace\r\n\r\n", 400},
		{"GET  /T/trace HTTP/1.1\r\nHost: localhost:1\r\n\r\n", 400},
		{"GET /T/trace HTTP/2.0\r\nHost: localhost:1\r\n\r\n", 400},
		{"HEAD /T/ HTTP/1.1\r\nHost: localhost:1\r\n\r\n", 405},
		{"GET /T/../T/trace HTTP/1.1\r\nHost: localhost:1\r\n\r\n", 404},
		{"GET /T HTTP/1.1\r\nHost: localhost:1\r\n\r\n", 404},
		{"GET /T/trace HTTP/1.1\r\nHost: localhost:1\r\nX: " + strings.Repeat("x", 1<<20), 431},
		{strings.Repeat("x", 1<<20), 431},
		{"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03\r\n\r\n", 400},
		{"\r\n\r\n", 400},
	} {
		conn, err := net.Dial("tcp", strings.TrimPrefix(server, "http://"))
		if err != nil {
			t.Fatal(err)
		}
		conn.SetDeadline(time.Now().Add(time.Minute))
		go func() { // an answer may come before all is sent
			io.WriteString(conn, x.text)
			conn.(*net.TCPConn).CloseWrite()
		}()
		resp, err := http.ReadResponse(bufio.NewReader(conn), nil)
		if err != nil {
			t.Errorf("%.80q: %v", x.text, err)
		} else if _, err := io.ReadAll(resp.Body); err != nil || resp.StatusCode != x.status || !resp.Close {
			t.Errorf("%.80q: status %d, %v", x.text, resp.StatusCode, err)
		}
		conn.Close()
	}
}

// pipes listens to connections in the same process.
type pipes chan net.Conn

func (p pipes) Accept() (net.Conn, error) {
	if conn, ok := <-p; ok {
		return conn, nil
	}
	return nil, net.ErrClosed
}
func (p pipes) Close() error   { close(p); return nil }
func (p pipes) Addr() net.Addr { return nil }

// TestSlowClients: who sends nothing, or a byte a second, loses the connection, and keeps nobody else from an answer.
func TestSlowClients(t *testing.T) {
	h := byHand(t, murphi+"mutex_sem.m", "")
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		p, ended := make(pipes), make(chan error, 1)
		go func() { ended <- simulate.New(h, 0).Serve(ctx, p, "T") }()
		connect := func() net.Conn {
			mine, other := net.Pipe()
			p <- other
			return mine
		}
		began := time.Now()
		silent, slow := connect(), connect()
		var writers sync.WaitGroup
		defer writers.Wait()
		writers.Go(func() {
			for _, c := range []byte("GET /T/trace HTTP/1.1\r\nHost: localhost:1\r\n\r\n") {
				if _, err := slow.Write([]byte{c}); err != nil {
					return
				}
				time.Sleep(time.Second)
			}
			t.Error("the slow client was heard")
		})
		quick := connect()
		go io.WriteString(quick, "GET /T/trace HTTP/1.1\r\nHost: localhost:1\r\n\r\n")
		if resp, err := http.ReadResponse(bufio.NewReader(quick), nil); err != nil || resp.StatusCode != 200 || time.Since(began) > 0 {
			t.Errorf("%v, %v", resp, err)
		}
		quick.Close()
		io.Copy(io.Discard, silent)
		io.Copy(io.Discard, slow)
		if d := time.Since(began); d > 21*time.Second {
			t.Errorf("connections end after %v", d)
		}
		cancel()
		if err := <-ended; err != nil {
			t.Error(err)
		}
	})
}

// TestServer: who does not know the token, or comes by another name of the host, gets nothing.
func TestServer(t *testing.T) {
	session := simulate.New(byHand(t, murphi+"mutex_sem.m", ""), 0)
	server := serve(t, session, "SECRET")
	ask := func(method, path, body, host string) (int, string) {
		t.Helper()
		r, err := http.NewRequestWithContext(t.Context(), method, server+path, strings.NewReader(body))
		if err != nil {
			t.Fatal(err)
		}
		if host != "" {
			r.Host = host
		}
		resp, err := http.DefaultClient.Do(r)
		if err != nil {
			t.Fatal(err)
		}
		defer resp.Body.Close()
		text, err := io.ReadAll(resp.Body)
		if err != nil {
			t.Fatal(err)
		}
		if policy := resp.Header.Get("Content-Security-Policy"); resp.StatusCode == 200 && !strings.HasPrefix(policy, "default-src 'none'") {
			t.Errorf("%s: policy %q", path, policy)
		}
		return resp.StatusCode, string(text)
	}
	for _, x := range []struct {
		method, path, host string
		status             int
	}{
		{"GET", "/SECRET/", "", 200}, {"GET", "/SECRET/", "localhost:1", 200}, {"GET", "/SECRET/", "[::1]:1", 200}, {"GET", "/SECRET/trace", "", 200},
		{"GET", "/", "", 404}, {"GET", "/secret/", "", 404}, {"GET", "/WRONG/", "", 404}, {"POST", "/do", "", 404}, {"POST", "/WRONG/do", "", 404}, {"GET", "/trace", "", 404},
		{"GET", "/SECRET/do", "", 405}, {"POST", "/SECRET/", "", 405}, {"GET", "/SECRET/other", "", 404},
		{"GET", "/SECRET/", "evil.example:80", 403}, {"GET", "/SECRET/", "10.0.0.1:80", 403}, {"GET", "/SECRET/", "localhost.evil.example:80", 403}, {"POST", "/SECRET/do", "evil.example", 403},
	} {
		if status, text := ask(x.method, x.path, "", x.host); status != x.status || status != 200 && strings.Contains(text, "mutex_sem") {
			t.Errorf("%s %s by %q: status %d", x.method, x.path, x.host, status)
		}
	}
	do := func(line string) (r reply) {
		t.Helper()
		status, text := ask("POST", "/SECRET/do", line, "")
		if err := json.Unmarshal([]byte(text), &r); err != nil || status != 200 {
			t.Fatalf("%s: status %d, %v: %.200s", line, status, err, text)
		}
		return r
	}
	if r := do(""); r.At != 0 || len(r.Run) != 1 || len(r.Moves) != 2 || len(r.Props) != 3 || r.Said != "" || r.Loop != -1 {
		t.Errorf("%+v", r)
	}
	do("1")
	r := do("P")
	if r.At != 2 || len(r.View.Steps) != 2 || r.View.Steps[1].Rule != "P" || strings.Count(r.Sequence, `class="step"`) != 6 {
		t.Errorf("%+v", r)
	}
	if r = do("jump 1"); r.At != 1 || len(r.Run) != 3 || len(r.Moves) != 2 {
		t.Errorf("%+v", r)
	}
	if r = do("Try"); r.At != 2 || len(r.Run) != 3 || r.Run[2] != "2: Try (p=PROC_2)" {
		t.Errorf("%+v", r)
	}
	for line, said := range map[string]string{
		"why V":    "V (p=PROC_1): not State[p] = Critical, as State[PROC_1] = Trying\nV (p=PROC_2): not State[p] = Critical, as State[PROC_2] = Trying\n",
		"save x":   "a page writes no files; it has a link for that\n",
		"quit":     "",
		"nonsense": "no step that can be made is \"nonsense\"; h lists commands\n",
	} {
		if r := do(line); r.Said != said || r.At != 2 {
			t.Errorf("%s: %q at %d", line, r.Said, r.At)
		}
	}
	if status, text := ask("POST", "/SECRET/do", strings.Repeat("x", 1<<17), ""); status != 413 {
		t.Errorf("a long command: status %d, %.100s", status, text)
	}
	_, text := ask("GET", "/SECRET/trace", "", "")
	if run, _, err := byHand(t, murphi+"mutex_sem.m", "").Read("trace", []byte(text)); err != nil || len(run.Steps) != 2 {
		t.Errorf("%v\n%s", err, text)
	}
}

const lasso = `startstate "Init"
step 1: rule "Try" (p=PROC_1)
loop starts here
step 2: rule "Try" (p=PROC_2)
step 3: rule "P" (p=PROC_2)
step 4: rule "V" (p=PROC_2)
this is the state where the loop starts: it repeats itself for ever
violated: "served[p=PROC_1]"
`

// TestLasso: a run without end goes on where its loop begins, until one leaves it; the page draws the way back.
func TestLasso(t *testing.T) {
	s := simulate.New(byHand(t, murphi+"mutex_sem.m", ""), 0)
	if err := s.Open("lasso", []byte(lasso)); err != nil {
		t.Fatal(err)
	}
	if err := s.Open("other", []byte(strings.Replace(lasso, `4: rule "V"`, `4: rule "P"`, 1))); err == nil {
		t.Error("a run that is none is opened")
	}
	server := serve(t, s, "T")
	for i, x := range []struct {
		line          string
		at, run, loop int
	}{{"jump 4", 4, 5, 1}, {"next", 2, 5, 1}, {"P (p=PROC_2)", 3, 5, 1}, {"jump 4", 4, 5, 1}, {"P", 5, 6, -1}, {"next", 5, 6, -1}} {
		resp, err := http.Post(server+"/T/do", "text/plain", strings.NewReader(x.line))
		if err != nil {
			t.Fatal(err)
		}
		var r reply
		if err := json.NewDecoder(resp.Body).Decode(&r); err != nil || r.At != x.at || len(r.Run) != x.run || r.Loop != x.loop || r.View.Loop != x.loop || strings.Contains(r.Sequence, `class="loop"`) != (x.loop >= 0) {
			t.Errorf("%d, %s: %v, at %d of %d, loop %d, shown %d", i, x.line, err, r.At, len(r.Run), r.Loop, r.View.Loop)
		}
		resp.Body.Close()
	}
}

// TestWires: the lasso of a netlist goes on where its loop begins, on the page, too, and one that is none is refused; nothing is
// offered that is for models.
func TestWires(t *testing.T) {
	for file, x := range map[string]struct{ text, lasso, other string }{
		"j.aag":   {"aag 2 1 1 0 0 0 0 1 0\n2\n4 2\n1\n4\n", "1\nj0\n0\n1\n0\n.\n", "1\nj0\n0\n0\n0\n.\n"},
		"j.btor2": {"1 sort bitvec 1\n2 input 1 in\n3 zero 1\n4 state 1 s\n5 init 1 4 3\n6 next 1 4 2\n7 justice 1 4\n", "sat\nj0\n#0\n@0\n0 1\n@1\n0 0\n.\n", "sat\nj0\n#0\n@0\n0 0\n@1\n0 0\n.\n"},
	} {
		s := simulate.New(byHand(t, file, x.text), 0)
		if err := s.Open("lasso", []byte(x.lasso)); err != nil {
			t.Fatal(err)
		}
		if err := simulate.New(byHand(t, file, x.text), 0).Open("other", []byte(x.other)); err == nil || !strings.HasPrefix(err.Error(), "other: ") {
			t.Errorf("%s: no lasso: %v", file, err)
		}
		var said bytes.Buffer
		for _, line := range []string{"jump 2", "next", "help"} {
			s.Do(t.Context(), &said, line)
		}
		text := said.String()
		if !strings.Contains(text, "from here it goes on as from step 0, for ever\n") || !strings.Contains(text, "\n1: ") || !strings.Contains(text, "save FILE") || strings.Contains(text, "until") || strings.Contains(text, "why") {
			t.Errorf("%s: %s", file, text)
		}
		server := serve(t, s, "T")
		resp, err := http.Get(server + "/T/")
		if err != nil {
			t.Fatal(err)
		}
		page, err := io.ReadAll(resp.Body)
		resp.Body.Close()
		if err != nil || !strings.Contains(string(page), `class="loop"`) || !strings.Contains(string(page), `data-do="random"`) || strings.Contains(string(page), `data-do="until"`) || strings.Contains(string(page), `data-do="why"`) {
			t.Errorf("%s: %v\n%s", file, err, page)
		}
	}
}

// TestServerStarts: before a start state is chosen there is no run.
func TestServerStarts(t *testing.T) {
	server := serve(t, simulate.New(byHand(t, murphi+"german.m", ""), 0), "T")
	resp, err := http.Get(server + "/T/trace")
	if err != nil || resp.StatusCode != 400 {
		t.Errorf("%v, %v", resp, err)
	}
	resp.Body.Close()
	for line, at := range map[string]int{"": -1, "properties": -1, "why x": -1, "x": -1, "back": -1, "next": -1, "save f": -1, "jump 0": -1, "trace": -1} {
		resp, err := http.Post(server+"/T/do", "text/plain", strings.NewReader(line))
		if err != nil {
			t.Fatal(err)
		}
		var r reply
		if err := json.NewDecoder(resp.Body).Decode(&r); err != nil || r.At != at || len(r.Moves) != 2 {
			t.Errorf("%s: %v, %+v", line, err, r)
		}
		resp.Body.Close()
	}
}

// TestInduction: a state that is told by how it differs from a start state is read back as it is, also with elements of multisets;
// and what a counterexample to induction says of its steps is checked.
func TestInduction(t *testing.T) {
	for _, name := range []string{"mesi_net_bug.m", "msi_net.m", "german_bug2.m", "queue_lock_bug.m"} {
		h := byHand(t, murphi+name, "")
		m, machine, rng := h.Code.Model, h.Code.NewMachine(), rand.New(rand.NewPCG(7, 0))
		var start, s model.State
		var head string
		machine.Starts(func(ch model.Choice, x model.State, _ *model.Violation) bool {
			start, s, head = slices.Clone(x), slices.Clone(x), m.FormatStart(ch)
			return false
		})
		for range 40 {
			text := "a state as after " + head + ", but for\n"
			for i, l := range m.AllLeaves() {
				if l.Type != model.PresentType && s[i] != start[i] {
					text += fmt.Sprintf("  %s = %s\n", l.Name, l.Type.Format(s[i]))
				}
			}
			if run, _, err := h.Read("x", []byte(text)); err != nil || run.Start.Rule != -1 || !slices.Equal(run.StartState, s) {
				t.Fatalf("%s: %v\n%s", name, err, text)
			}
			var all []model.State
			machine.Successors(s, func(_ model.Choice, next model.State, v *model.Violation) bool {
				if v == nil {
					all = append(all, slices.Clone(next))
				}
				return true
			})
			if len(all) == 0 {
				break
			}
			s = all[rng.IntN(len(all))]
		}
	}
	h := byHand(t, murphi+"mutex_sem.m", "")
	good := "counterexample to the induction of \"Mutex\" (perhaps unreachable):\n\na state as after startstate \"Init\", but for\n  State[PROC_1] = Critical\n  State[PROC_2] = Trying\n" +
		"in which it holds\nstep 1: rule \"P\" (p=PROC_2)\n  State[PROC_2]: Trying -> Critical\nviolated: invariant \"Mutex\"\n"
	if run, loop, err := h.Read("x", []byte(good)); err != nil || loop != -1 || run.Prop != 0 || len(run.Steps) != 1 {
		t.Errorf("%v, %d, %v", run, loop, err)
	}
	for _, x := range [][3]string{
		{"= Critical", "= Kritical", "x:4:1: State[PROC_1] is never Kritical"},
		{"State[PROC_1] =", "State[PROC_3] =", "x:4:1: the model has no State[PROC_3]"},
		{"= Critical", "= Noncritical", "x:9:1: Mutex is not violated at the end of the trace"},
		{"= Trying", "= Critical", "x:7:1: rule \"P\" (p=PROC_2) is disabled"},
		{"Trying -> Critical", "Noncritical -> Critical", "x:8:1: State[PROC_2] was Trying in the model, not Noncritical"},
		{"invariant \"Mutex\"", "invariant \"Nutex\"", "x:9:1: the model has no such property: invariant \"Nutex\""},
		{"startstate \"Init\"", "startstate \"Inet\"", "x:3:1: the model has no such rule: \"Inet\""},
		{"rule \"P\"", "rule \"Q\"", "x:7:1: the model has no such rule: \"Q\" (p=PROC_2)"},
	} {
		run, _, err := h.Read("x", []byte(strings.Replace(good, x[0], x[1], 1)))
		if err == nil || err.Error() != x[2] {
			t.Errorf("%s for %s: %v, %v", x[1], x[0], run, err)
		}
	}
}

// TestEnds: a process that ends is shown to have received, and not to have set its variables.
func TestEnds(t *testing.T) {
	server := serve(t, simulate.New(byHand(t, "link.pml", link), 0), "T")
	resp, err := http.Post(server+"/T/do", "text/plain", strings.NewReader("random 60 3"))
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	var r reply
	if err := json.NewDecoder(resp.Body).Decode(&r); err != nil || !strings.Contains(r.Sequence, "B:6 -end-") || !strings.Contains(r.Sequence, ">y=1</text>") || strings.Contains(r.Sequence, "=Undefined") {
		t.Errorf("%v, %s\n%s", err, r.Run, r.Sequence)
	}
}
