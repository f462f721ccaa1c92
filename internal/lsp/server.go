// Package lsp is a language server for Murphi models and Promela programs: what an editor asks
// while a source is written. It speaks the Language Server Protocol on a pair of streams.
//
//	server.go    requests and their answers
//	document.go  a source that is open: its text, its names, places
//	outline.go   outline, folds, highlights, completion
//	tokens.go    signatures of calls, what each name is
//	rename.go    renaming, with the check that the source means the same
//	program.go   what takes time, by processes of orbitmc
//	protocol.go  the messages
//	rpc.go       how they are sent
//
// A change is read at once: front ends take milliseconds. Questions about names are answered from
// the last text without errors. Symmetry is looked for when a hover asks for it. The wait for it, and a check, go on
// beside what follows; all else is answered in order.
package lsp

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"orbitmc/internal/front"
	"orbitmc/internal/task"
)

// Server is a language server. Its fields are set before Serve, which may be called once.
type Server struct {
	Program string // the program orbitmc itself
	Version string

	conn     *conn
	ctx      context.Context
	mu       sync.Mutex // of what follows
	settings settings
	docs     map[string]*document // by URI
}

// The commands of code actions and code lenses.
const (
	checkCommand    = "orbitmc.check"
	tableCommand    = "orbitmc.table"
	networksCommand = "orbitmc.networks"
	litmusCommand   = "orbitmc.litmus"
)

// commands has the options of a command: that of its page, if it has one, and that of its argument.
var commands = map[string]struct{ page, argument string }{
	checkCommand: {"--html", "--prop"}, tableCommand: {"-o", "--row"}, networksCommand: {"", "--network"}, litmusCommand: {"--html", ""},
}

// Serve answers requests until the editor says exit or closes the stream, or ctx ends. What goes on then is
// cancelled, and answered so.
func (s *Server) Serve(ctx context.Context, r io.Reader, w io.Writer) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	s.ctx, s.docs = ctx, make(map[string]*document)
	s.settings = settings{Timeout: "60s", Patience: "3s"}
	nothing := handle(func(context.Context, any) (any, error) { return nil, nil })
	s.conn = &conn{w: w, cancel: make(map[string]context.CancelFunc)}
	s.conn.methods = map[string]method{
		"initialize":               handle(s.initialize),
		"shutdown":                 nothing,
		"exit":                     handle(func(context.Context, any) (any, error) { return nil, errExit }),
		"$/cancelRequest":          handle(func(_ context.Context, p cancelParams) (any, error) { s.conn.stop(p.ID); return nil, nil }),
		"textDocument/didOpen":     handle(s.didOpen),
		"textDocument/didChange":   about(s, s.didChange),
		"textDocument/didClose":    handle(s.didClose),
		"textDocument/definition":  about(s, s.definition),
		"textDocument/references":  about(s, s.references),
		"textDocument/hover":       about(s, s.hover),
		"textDocument/rename":      about(s, s.rename),
		"textDocument/formatting":  about(s, s.formatting),
		"textDocument/codeAction":  about(s, s.codeAction),
		"textDocument/codeLens":    about(s, s.codeLens),
		"workspace/executeCommand": handle(s.execute),

		"textDocument/documentSymbol":      about(s, s.documentSymbol),
		"textDocument/documentHighlight":   about(s, s.documentHighlight),
		"textDocument/prepareRename":       about(s, s.prepareRename),
		"textDocument/foldingRange":        about(s, s.foldingRange),
		"textDocument/completion":          about(s, s.completion),
		"textDocument/signatureHelp":       about(s, s.signatureHelp),
		"textDocument/semanticTokens/full": about(s, s.semanticTokens),
		"workspace/symbol": handle(func(_ context.Context, p queryParams) (any, error) {
			s.mu.Lock()
			defer s.mu.Unlock()
			return s.workspaceSymbol(p), nil
		}),
	}
	ended := make(chan error, 1)
	go func() { ended <- s.conn.serve(ctx, r) }()
	var err error
	select {
	case err = <-ended:
	case <-ctx.Done(): // it goes on to wait for input
	}
	cancel()
	s.conn.close()
	return err
}

func (s *Server) initialize(_ context.Context, p initializeParams) (any, error) {
	given := p.InitializationOptions
	for name, word := range map[string]struct{ given, otherwise *string }{"timeout": {&given.Timeout, &s.settings.Timeout}, "patience": {&given.Patience, &s.settings.Patience}} {
		*word.given = cmp.Or(*word.given, *word.otherwise)
		if _, err := time.ParseDuration(*word.given); err != nil {
			return nil, failure(invalidParams, "%s %q: want a time with its unit, such as 90s", name, *word.given)
		}
	}
	if err := (task.Options{Defines: given.Defines, Dialect: given.Dialect}).Validate(); err != nil {
		return nil, failure(invalidParams, "%v", err)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.settings = given
	return map[string]any{
		"serverInfo": map[string]string{"name": "orbitmc", "version": s.Version},
		"capabilities": map[string]any{
			"textDocumentSync":           map[string]any{"openClose": true, "change": 2, "save": false},
			"definitionProvider":         true,
			"referencesProvider":         true,
			"hoverProvider":              true,
			"renameProvider":             map[string]any{"prepareProvider": true},
			"documentSymbolProvider":     true,
			"workspaceSymbolProvider":    true,
			"documentHighlightProvider":  true,
			"foldingRangeProvider":       true,
			"completionProvider":         map[string]any{"triggerCharacters": []string{"."}},
			"documentFormattingProvider": true,
			"signatureHelpProvider":      map[string]any{"triggerCharacters": []string{"(", ","}},
			"semanticTokensProvider":     map[string]any{"legend": map[string]any{"tokenTypes": tokenTypes, "tokenModifiers": tokenModifiers}, "full": true},
			"codeActionProvider":         true,
			"codeLensProvider":           map[string]any{},
			"executeCommandProvider":     map[string]any{"commands": []string{checkCommand, tableCommand, networksCommand, litmusCommand}},
		},
	}, nil
}

// isProgram reports whether a document is a Promela program.
func isProgram(file, language string) bool {
	return language == "promela" || language != "murphi" && (task.Options{}).Language(file) == "Promela"
}

// publish tells the editor what is wrong with a document; s.mu is held.
func (s *Server) publish(d *document) error {
	return s.conn.notify("textDocument/publishDiagnostics", publishParams{d.uri, d.version, d.diagnostics()})
}

func (s *Server) didOpen(_ context.Context, p openParams) (any, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	x := p.TextDocument
	d := &document{uri: x.URI, file: fileOf(x.URI), program: isProgram(fileOf(x.URI), x.LanguageID)}
	d.set(x.Text, x.Version, s.settings)
	s.docs[x.URI] = d
	return nil, s.publish(d)
}

func (s *Server) didChange(d *document, p changeParams) (any, error) {
	for _, c := range p.ContentChanges {
		text := c.Text
		if c.Range != nil {
			from, to := d.offset(c.Range.Start), d.offset(c.Range.End)
			if from > to {
				return nil, failure(invalidParams, "a change whose end is before its start")
			}
			text = d.text[:from] + c.Text + d.text[to:]
		}
		d.text, d.lines = text, strings.Split(text, "\n")
	}
	d.set(d.text, p.TextDocument.Version, s.settings)
	return nil, s.publish(d)
}

func (s *Server) didClose(_ context.Context, p documentParams) (any, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.docs, p.TextDocument.URI)
	return nil, nil
}

// about makes a method of a function about an open document, which is called with s.mu held.
func about[P interface{ uri() string }](s *Server, f func(*document, P) (any, error)) method {
	return handle(func(_ context.Context, p P) (any, error) {
		s.mu.Lock()
		defer s.mu.Unlock()
		d, err := s.document(p.uri())
		if err != nil {
			return nil, err
		}
		return f(d, p)
	})
}

// document returns an open document; s.mu is held.
func (s *Server) document(uri string) (*document, error) {
	if d := s.docs[uri]; d != nil {
		return d, nil
	}
	return nil, failure(invalidParams, "%s is not open", uri)
}

func (s *Server) definition(d *document, p positionParams) (any, error) {
	n, ok := d.names().At(d.place(p.Position))
	if !ok || n.Decl.File == "" {
		return nil, nil
	}
	return d.location(n, n.Decl), nil
}

func (s *Server) references(d *document, p referenceParams) (any, error) {
	all := []location{}
	if n, ok := d.names().At(d.place(p.Position)); ok {
		for _, u := range d.names().Of(n.Decl) {
			if u.At != u.Decl || p.Context.IncludeDeclaration {
				all = append(all, d.location(u, u.At))
			}
		}
	}
	return all, nil
}

func (s *Server) hover(d *document, p positionParams) (any, error) {
	n, ok := d.names().At(d.place(p.Position))
	if !ok {
		return nil, nil
	}
	head, rest, _ := strings.Cut(n.About(), "\n")
	language := "murphi"
	if d.program {
		language = "promela"
	}
	out := hover{markup{"markdown", "```" + language + "\n" + head + "\n```\n"}, d.span(n.At.Pos, len(n.Text))}
	if d.found == nil && n.Class != "" && d.index.Whole {
		d.found = s.find(d)
	}
	found := d.found
	if found == nil || n.Class == "" {
		out.Contents.Value += rest
		return out, nil
	}
	patience, _ := time.ParseDuration(s.settings.Patience) // initialize has looked at it
	return later(func(ctx context.Context) (any, error) {
		text := "symmetry: being verified"
		select {
		case <-found.done:
			text = found.of(n.Class)
		case <-time.After(patience):
		case <-ctx.Done():
		}
		lines := slices.DeleteFunc([]string{rest, text}, func(l string) bool { return l == "" })
		out.Contents.Value += strings.Join(lines, "\n\n")
		return out, nil
	}), nil
}

func (s *Server) rename(d *document, p renameParams) (any, error) {
	edits, err := d.rename(d.place(p.Position), p.NewName, s.settings)
	if err != nil {
		return nil, failure(invalidRequest, "%v", err)
	}
	return workspaceEdit{map[string][]textEdit{d.uri: edits}}, nil
}

func (s *Server) formatting(d *document, p formattingParams) (any, error) {
	unit := "\t"
	if p.Options.InsertSpaces {
		unit = strings.Repeat(" ", max(1, p.Options.TabSize))
	}
	edits, err := d.indented(unit, s.settings)
	if err != nil {
		return nil, failure(invalidRequest, "%v", err)
	}
	return edits, nil
}

// codeAction offers to check the properties that begin on the lines of a range and, on any line,
// all of them.
func (s *Server) codeAction(d *document, p codeActionParams) (any, error) {
	actions := []codeAction{}
	if !d.index.Whole {
		return actions, nil
	}
	offer := func(title string, args ...any) {
		actions = append(actions, codeAction{title, "source.check", command{title, checkCommand, append([]any{d.uri}, args...)}})
	}
	for _, q := range d.index.Properties {
		if l := q.Pos.Line - 1; p.Range.Start.Line <= l && l <= p.Range.End.Line {
			offer(fmt.Sprintf("Check %q", q.Name), q.Name)
		}
	}
	offer("Check all properties")
	return actions, nil
}

// codeLens offers the commands about places of a model.
func (s *Server) codeLens(d *document, _ documentParams) (any, error) {
	lenses := []codeLens{}
	for _, l := range d.lenses(s.settings) {
		lenses = append(lenses, codeLens{d.word(l.at), command{l.title, l.command, append([]any{d.uri}, l.argument...)}})
	}
	return lenses, nil
}

// execute checks a property, or all, and shows the verdict on its line; or it runs the command of a lens.
func (s *Server) execute(_ context.Context, p executeParams) (any, error) {
	n := len(p.Arguments)
	of, known := commands[p.Command]
	if !known || n < 1 || n > 2 || n == 1 && p.Command != checkCommand && of.argument != "" || n == 2 && of.argument == "" {
		return nil, failure(invalidParams, "want %s with a document and perhaps a property, %s with a document and a state, %s with a document and a network, or %s with a document",
			checkCommand, tableCommand, networksCommand, litmusCommand)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	d, err := s.document(p.Arguments[0])
	if err != nil {
		return nil, err
	}
	text, timeout := d.text, s.settings.Timeout
	if p.Command == checkCommand && slices.ContainsFunc(d.index.Properties, func(q front.Property) bool { return n == 2 && q.Name == p.Arguments[1] && q.Formula }) {
		of.argument = "--ltl"
	}
	run := s.command(d.file, text)
	return later(func(ctx context.Context) (any, error) {
		dir, err := os.MkdirTemp("", "orbitmc")
		if err != nil {
			return nil, err
		}
		defer os.RemoveAll(dir)
		page := filepath.Join(dir, "trace.html")
		args := []string{strings.TrimPrefix(p.Command, "orbitmc."), "--progress", "never", "--timeout", timeout}
		if of.page != "" {
			args = append(args, of.page, page)
		}
		if n == 2 {
			args = append(args, of.argument, p.Arguments[1])
		}
		code, stdout, stderr, err := run(ctx, args...)
		if err != nil {
			return nil, err
		}
		a := answer{Text: stdout}
		if html, err := os.ReadFile(page); err == nil { // there is none without a counterexample
			a.Page = string(html)
		}
		property := p.Arguments[1:]
		if p.Command != checkCommand {
			property = nil
		}
		err = s.verdict(d, text, &a, code, stderr, timeout, property)
		return a, err
	}), nil
}

// verdict completes the answer of a check of a text that ended with an exit status, and shows it on the line of the
// property, if there is one and the text is still that of the document.
func (s *Server) verdict(d *document, text string, a *answer, code int, stderr, timeout string, property []string) error {
	x := diagnostic{Source: "orbitmc", Severity: severityInfo}
	switch code {
	case 0:
		a.Verdict, x.Message = "safe", "proved"
	case 10:
		a.Verdict, x.Message, x.Severity = "unsafe", "violated", severityWarning
	case 2:
		a.Verdict, x.Message = "unknown", "undecided after "+timeout
	default:
		a.Verdict, a.Text = "failed", stderr
		return nil
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if d.text != text || len(property) == 0 {
		return nil
	}
	for _, q := range d.index.Properties {
		if q.Name == property[0] {
			x.Range = d.word(q.Pos)
			x.Message = fmt.Sprintf("%q: %s", q.Name, x.Message)
		}
	}
	d.answers = append(d.answers, x)
	return s.publish(d)
}
