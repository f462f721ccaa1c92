package lsp

import (
	"cmp"
	"encoding/json"
)

// This file has the messages of the Language Server Protocol 3.17, as far as they are used.

type position struct {
	Line      int `json:"line"`      // from 0
	Character int `json:"character"` // from 0, in UTF-16 code units
}

func (p position) compare(q position) int {
	return cmp.Or(cmp.Compare(p.Line, q.Line), cmp.Compare(p.Character, q.Character))
}

type span struct {
	Start position `json:"start"`
	End   position `json:"end"`
}

type location struct {
	URI   string `json:"uri"`
	Range span   `json:"range"`
}

type textEdit struct {
	Range   span   `json:"range"`
	NewText string `json:"newText"`
}

type diagnostic struct {
	Range    span   `json:"range"`
	Severity int    `json:"severity"` // 1 error, 2 warning, 3 information
	Source   string `json:"source"`
	Message  string `json:"message"`
}

const (
	severityError   = 1
	severityWarning = 2
	severityInfo    = 3
)

type initializeParams struct {
	InitializationOptions settings `json:"initializationOptions"`
}

// settings are what an editor may set.
type settings struct {
	Defines  []string `json:"defines"`  // NAME=VALUE, as -D
	Dialect  string   `json:"dialect"`  // cmurphi or rumur
	Timeout  string   `json:"timeout"`  // of "check this property"
	Patience string   `json:"patience"` // how long a hover waits for the symmetry
}

type openParams struct {
	TextDocument struct {
		URI        string `json:"uri"`
		LanguageID string `json:"languageId"`
		Version    int    `json:"version"`
		Text       string `json:"text"`
	} `json:"textDocument"`
}

// documentParams are about a document that is open.
type documentParams struct {
	TextDocument struct {
		URI     string `json:"uri"`
		Version int    `json:"version"` // of changes
	} `json:"textDocument"`
}

func (p documentParams) uri() string { return p.TextDocument.URI }

type changeParams struct {
	documentParams
	ContentChanges []struct {
		Range *span  `json:"range"`
		Text  string `json:"text"`
	} `json:"contentChanges"`
}

type positionParams struct {
	documentParams
	Position position `json:"position"`
}

type referenceParams struct {
	positionParams
	Context struct {
		IncludeDeclaration bool `json:"includeDeclaration"`
	} `json:"context"`
}

type renameParams struct {
	positionParams
	NewName string `json:"newName"`
}

type formattingParams struct {
	documentParams
	Options struct {
		TabSize      int  `json:"tabSize"`
		InsertSpaces bool `json:"insertSpaces"`
	} `json:"options"`
}

type codeActionParams struct {
	documentParams
	Range span `json:"range"`
}

type command struct {
	Title     string `json:"title"`
	Command   string `json:"command"`
	Arguments []any  `json:"arguments"`
}

type codeAction struct {
	Title   string  `json:"title"`
	Kind    string  `json:"kind"`
	Command command `json:"command"`
}

type codeLens struct {
	Range   span    `json:"range"`
	Command command `json:"command"`
}

type executeParams struct {
	Command   string   `json:"command"`
	Arguments []string `json:"arguments"`
}

// answer is what the commands return.
type answer struct {
	Verdict string `json:"verdict"`        // safe, unsafe, unknown or failed; of a table: safe if it is complete; of networks: unsafe if as many as were tried are not enough
	Text    string `json:"text"`           // what is printed
	Page    string `json:"page,omitempty"` // the counterexample, or the table, as HTML, which needs no other file
}

// symbol is a name in an outline.
type symbol struct {
	Name           string `json:"name"`
	Detail         string `json:"detail"`
	Kind           int    `json:"kind"`
	Range          span   `json:"range"`
	SelectionRange span   `json:"selectionRange"`
}

type foundSymbol struct {
	Name     string   `json:"name"`
	Kind     int      `json:"kind"`
	Location location `json:"location"`
}

type queryParams struct {
	Query string `json:"query"`
}

type highlight struct {
	Range span `json:"range"`
}

type fold struct {
	StartLine int `json:"startLine"`
	EndLine   int `json:"endLine"`
}

type completion struct {
	Label            string `json:"label"`
	Kind             int    `json:"kind"`
	Detail           string `json:"detail,omitempty"`
	InsertText       string `json:"insertText,omitempty"`
	InsertTextFormat int    `json:"insertTextFormat,omitempty"` // 2: a skeleton
}

type markup struct {
	Kind  string `json:"kind"`
	Value string `json:"value"`
}

type hover struct {
	Contents markup `json:"contents"`
	Range    span   `json:"range"`
}

type publishParams struct {
	URI         string       `json:"uri"`
	Version     int          `json:"version"`
	Diagnostics []diagnostic `json:"diagnostics"`
}

type workspaceEdit struct {
	Changes map[string][]textEdit `json:"changes"`
}

type cancelParams struct {
	ID json.RawMessage `json:"id"`
}
