package lsp

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
	"sync"
)

// This file has the base protocol: JSON-RPC 2.0, each message behind a header with its length. docs/decisions.md says why it
// is written here.
//
// Messages are handled one after the other, in the order in which they come, and a request is answered before what
// follows it. Only what takes time goes on behind that (see later), and may be cancelled. Each request is answered, also
// if the messages end behind it.

// maxMessage is the largest message in bytes that is read.
const maxMessage = 256 << 20

// rpcError is the error of an answer.
type rpcError struct {
	Code    int    `json:"code"`
	Message string `json:"message"`
}

func (e *rpcError) Error() string { return e.Message }

// Codes of errors.
const (
	parseError     = -32700
	invalidRequest = -32600
	noMethod       = -32601
	invalidParams  = -32602
	internalError  = -32603
	cancelled      = -32800
)

func failure(code int, format string, args ...any) error {
	return &rpcError{code, fmt.Sprintf(format, args...)}
}

// message is a request, a notification, which has no ID, or an answer, which has no method.
type message struct {
	Version string          `json:"jsonrpc"`
	ID      json.RawMessage `json:"id,omitempty"`
	Method  string          `json:"method,omitempty"`
	Params  any             `json:"params,omitempty"` // json.RawMessage in those that are read
	Result  any             `json:"result,omitempty"`
	Error   *rpcError       `json:"error,omitempty"`
}

// null is the result of a request that has none.
var null = json.RawMessage("null")

// method answers a request, or takes a notification. A result of type later is the rest of the work.
type method func(ctx context.Context, params json.RawMessage) (any, error)

// later is what is left to do of a request. It goes on beside what follows, and returns the result.
type later func(ctx context.Context) (any, error)

// handle makes a method of a function of decoded parameters.
func handle[P any](f func(context.Context, P) (any, error)) method {
	return func(ctx context.Context, params json.RawMessage) (any, error) {
		var p P
		if len(params) > 0 {
			if err := json.Unmarshal(params, &p); err != nil {
				return nil, failure(invalidParams, "%v", err)
			}
		}
		return f(ctx, p)
	}
}

// conn is a connection to a client.
type conn struct {
	methods map[string]method
	left    sync.WaitGroup // work that goes on

	mu     sync.Mutex // of what follows
	w      io.Writer
	cancel map[string]context.CancelFunc // of requests under way, by ID as it was written
	closed bool                          // no more work begins
}

// beside begins work that goes on beside what follows.
func (c *conn) beside(work func()) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if !c.closed {
		c.left.Go(work)
	}
}

// close waits for the work that goes on.
func (c *conn) close() {
	c.mu.Lock()
	c.closed = true
	c.mu.Unlock()
	c.left.Wait()
}

// errExit is the error of a notification behind which nothing is read.
var errExit = errors.New("exit")

// serve reads messages until the end of r or a notification with errExit, which are no errors.
func (c *conn) serve(ctx context.Context, r io.Reader) error {
	in := bufio.NewReader(r)
	for {
		n, err := header(in)
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		text := make([]byte, n)
		if _, err := io.ReadFull(in, text); err != nil {
			return err
		}
		var params json.RawMessage
		m := message{Params: &params}
		switch err := json.Unmarshal(text, &m); {
		case err != nil:
			err = c.send(message{ID: null, Error: &rpcError{parseError, err.Error()}})
			if err != nil {
				return err
			}
		case m.Method == "": // an answer; nothing was asked
		case m.ID == nil:
			if f := c.methods[m.Method]; f != nil {
				if _, err := f(ctx, params); err == errExit { // nobody hears of other errors
					return nil
				}
			}
		default:
			c.request(ctx, m, params)
		}
	}
}

// header reads the header of a message, and returns the length of what follows. The error is io.EOF if there is no
// message.
func header(in *bufio.Reader) (length int, err error) {
	length = -1
	for first := true; ; first = false {
		line, err := in.ReadString('\n')
		if errors.Is(err, io.EOF) && (!first || line != "") {
			err = io.ErrUnexpectedEOF
		}
		if err != nil {
			return 0, err
		}
		name, value, found := strings.Cut(strings.TrimSpace(line), ":")
		switch {
		case name == "" && !found:
			if length < 0 {
				return 0, errors.New("the header of a message has no Content-Length")
			}
			return length, nil
		case strings.EqualFold(name, "Content-Length"):
			if length, err = strconv.Atoi(strings.TrimSpace(value)); err != nil || length < 0 || length > maxMessage {
				return 0, fmt.Errorf("the header of a message says %q", strings.TrimSpace(line))
			}
		}
	}
}

// request answers a request, or begins with it.
func (c *conn) request(ctx context.Context, m message, params json.RawMessage) {
	f := c.methods[m.Method]
	if f == nil {
		f = func(context.Context, json.RawMessage) (any, error) {
			return nil, failure(noMethod, "there is no method %s", m.Method)
		}
	}
	result, err := f(ctx, params)
	rest, ok := result.(later)
	if !ok || err != nil {
		c.answer(ctx, m.ID, result, err)
		return
	}
	ctx, cancel := context.WithCancel(ctx)
	c.mu.Lock()
	c.cancel[string(m.ID)] = cancel
	c.mu.Unlock()
	c.beside(func() {
		defer cancel()
		result, err := rest(ctx)
		c.mu.Lock()
		delete(c.cancel, string(m.ID))
		c.mu.Unlock()
		c.answer(ctx, m.ID, result, err)
	})
}

// answer sends the result of a request, or its error.
func (c *conn) answer(ctx context.Context, id json.RawMessage, result any, err error) {
	answer := message{ID: id, Result: result}
	if result == nil {
		answer.Result = null
	}
	if err != nil {
		answer.Result = nil
		switch {
		case errors.As(err, &answer.Error):
		case ctx.Err() != nil:
			answer.Error = &rpcError{cancelled, "cancelled"}
		default:
			answer.Error = &rpcError{internalError, err.Error()}
		}
	}
	c.send(answer) // if it fails the client is gone, and reading ends
}

// stop cancels a request.
func (c *conn) stop(id json.RawMessage) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if cancel := c.cancel[string(id)]; cancel != nil {
		cancel()
	}
}

// notify sends a notification.
func (c *conn) notify(method string, params any) error {
	return c.send(message{Method: method, Params: params})
}

func (c *conn) send(m message) error {
	m.Version = "2.0"
	text, err := json.Marshal(m)
	if err != nil {
		return err
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	_, err = fmt.Fprintf(c.w, "Content-Length: %d\r\n\r\n%s", len(text), text)
	return err
}
